// SPDX-License-Identifier: Apache-2.0
#include "merger/load/find_sources.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace meridian {
namespace {

/// "1 3 4". What follows an invalid number is ignored.
std::vector<std::int32_t> numbers_in(std::string_view text) {
  std::vector<std::int32_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::int32_t number = 0;
    const auto parsed = std::from_chars(at, end, number);
    if (parsed.ec != std::errc{}) break;
    numbers.push_back(number);
    at = parsed.ptr;
    while (at != end && *at == ' ') ++at;
  }
  return numbers;
}

}  // namespace

Sources find_sources(std::span<const RankMeta* const> metas, Communicators& communicators) {
  Sources sources;
  for (std::size_t i = 0; i < metas.size(); ++i) {
    CommResolver& resolver = communicators.resolvers[i];
    for (const TextRow& text : metas[i]->texts) {
      if (text.key != kCommSourcesKey) continue;
      if (const LocalComm* const comm = resolver.at(text.handle, text.ticks); comm != nullptr)
        sources[{comm->comm, comm->rank}] = numbers_in(text.value);
    }
    // MPI_Comm_idup: when it returned, the communicator could not be asked yet.
    std::vector<const CommResolver::Birth*> copies;
    for (const CommResolver::Birth& birth : resolver.births())
      if (birth.request != 0) copies.push_back(&birth);
    std::ranges::sort(copies, {}, &CommResolver::Birth::leave_ticks);
    for (const CommResolver::Birth* const copy : copies) {
      const std::uint32_t parent = communicators.list[copy->comm.comm].parent;
      const auto found = sources.find({parent, copy->comm.rank});
      if (found != sources.end()) sources.try_emplace({copy->comm.comm, copy->comm.rank}, found->second);
    }
  }
  return sources;
}

}  // namespace meridian
