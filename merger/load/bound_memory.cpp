// SPDX-License-Identifier: Apache-2.0
#include "merger/load/bound_memory.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "trace/containers/temp_planes.hpp"

namespace meridian {
namespace {

constexpr std::size_t kEventsInMemory = std::size_t{1} << 20;  // of all threads: 100 bytes each
constexpr std::size_t kSmallestPiece = 128;                    // events
constexpr std::size_t kMostRanksInMemory = 64;                 // a megabyte of decoded columns each

std::size_t threads_of(const RankMeta& meta) {
  std::set<std::uint32_t> threads;
  for (const SegmentRow& segment : meta.segments) threads.insert(segment.thread);
  return threads.size();
}

}  // namespace

Status bound_memory(std::span<RankFile> files, const std::filesystem::path& directory) {
  std::size_t threads = 1;
  for (const RankFile& file : files) threads += threads_of(file.meta());
  std::shared_ptr<PlaneStore> store;
  if (files.size() > kMostRanksInMemory) {
    MERIDIAN_TRY(std::shared_ptr<TempFile> file, TempFile::create(directory));
    store = std::make_shared<TempPlanes>(std::move(file));
  }
  const std::size_t events = std::max(kEventsInMemory / threads, kSmallestPiece);
  for (RankFile& file : files) file.read_by_pieces(events, store);
  return {};
}

}  // namespace meridian
