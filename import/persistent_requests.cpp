// SPDX-License-Identifier: Apache-2.0
#include "import/persistent_requests.hpp"

#include <algorithm>

namespace meridian::imported {

std::optional<std::uint32_t> PersistentRequests::start_send(const Repeated& message, std::uint32_t made, Moment call) {
  std::vector<std::uint32_t>& alike = alike_sends_[{message.comm, message.peer, message.tag, message.bytes}];
  auto found = std::ranges::find_if(alike, [&](std::uint32_t i) { return sends_[i].in_use_since == kUnused; });
  if (found == alike.end() && sends_.size() < made) {
    found = alike.insert(found, static_cast<std::uint32_t>(sends_.size()));
    sends_.push_back({message});
  }
  if (found == alike.end())
    found = std::ranges::find_if(alike, [&](std::uint32_t i) { return sends_[i].in_use_since < call; });
  if (found == alike.end()) return std::nullopt;
  sends_[*found].in_use_since = call;
  return *found;
}

std::optional<std::uint32_t> PersistentRequests::end_receive(const Repeated& message, std::uint32_t made,
                                                             Moment started, Moment now) {
  std::vector<std::uint32_t>& alike = alike_receives_[{message.comm, message.peer, message.tag, 0}];
  const auto is_free = [&](std::uint32_t i) { return receives_[i].free_from <= started; };
  std::optional<std::uint32_t> best;
  for (const std::uint32_t i : alike)
    if (is_free(i) && (!best || receives_[i].free_from > receives_[*best].free_from)) best = i;
  if (!best && receives_.size() < made) {
    best = static_cast<std::uint32_t>(receives_.size());
    receives_.push_back({message});
    alike.push_back(*best);
  }
  for (std::uint32_t i = 0; !best && i < receives_.size(); ++i) {  // one that receives from any source
    if (!is_free(i) || receives_[i].message.comm != message.comm) continue;
    best = i;
    if (receives_[i].message.peer != message.peer) receives_[i].message.peer = -1;
    if (receives_[i].message.tag != message.tag) receives_[i].message.tag = -1;
    alike.push_back(i);
  }
  if (!best) return std::nullopt;
  Request& request = receives_[*best];
  request.message.bytes = std::max(request.message.bytes, message.bytes);
  request.free_from = now;
  return best;
}

std::vector<Repeated> PersistentRequests::repeated(const std::vector<Request>& requests) {
  std::vector<Repeated> messages;
  messages.reserve(requests.size());
  for (const Request& request : requests) messages.push_back(request.message);
  return messages;
}

}  // namespace meridian::imported
