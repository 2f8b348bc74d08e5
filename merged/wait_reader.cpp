// SPDX-License-Identifier: Apache-2.0
#include "merged/wait_reader.hpp"

#include <iterator>

namespace meridian {

Result<WaitReader> WaitReader::open(hid_t file, std::uint64_t events) {
  MERIDIAN_TRY(LinkTable links, LinkTable::open_waits(file, events));
  MERIDIAN_TRY(auto rows, LongTableReader<StoredWait>::open(file, kWaits, kWaitColumns));
  if (rows.size() != links.size()) return damaged_merged("columns of waits differ in length");
  return WaitReader{std::move(links), std::move(rows)};
}

Status WaitReader::read(std::uint64_t first, std::uint64_t last, std::vector<EventWait>& waits) {
  MERIDIAN_TRY(std::uint64_t number, links_.lower_bound(0, first));
  for (; number < links_.size(); ++number) {
    MERIDIAN_TRY(const LinkTable::Ends ends, links_.ends(number));
    if (ends[0] < first) return damaged_merged("waits are out of order");
    if (ends[0] >= last) break;
    first = ends[0];
    MERIDIAN_TRY(const StoredWait* const row, rows_.at(number));
    if (row->wait_ns <= 0 || row->kind < 0 || row->kind >= static_cast<std::int32_t>(std::size(kWaitKindNames)))
      return damaged_merged("a wait has no length, or is of an unknown kind");
    waits.push_back({ends[0], ends[1], row->wait_ns, static_cast<WaitKind>(row->kind)});
  }
  return {};
}

Result<AwaitedReader> AwaitedReader::open(hid_t file, std::uint64_t events) {
  AwaitedReader reader;
  if (!h5::exists(file, kAwaited)) return reader;
  MERIDIAN_TRY(reader.links_, LinkTable::open_awaited(file, events));
  MERIDIAN_TRY(reader.rows_, LongTableReader<StoredAwaited>::open(file, kAwaited, kAwaitedColumns));
  if (reader.rows_->size() != reader.links_->size()) return damaged_merged("columns of awaited calls differ in length");
  return reader;
}

Status AwaitedReader::read(std::uint64_t first, std::uint64_t last, std::vector<EventAwaited>& awaited) {
  if (!links_) return {};
  MERIDIAN_TRY(std::uint64_t number, links_->lower_bound(0, first));
  for (; number < links_->size(); ++number) {
    MERIDIAN_TRY(const LinkTable::Ends ends, links_->ends(number));
    if (ends[0] < first) return damaged_merged("awaited calls are out of order");
    if (ends[0] >= last) break;
    first = ends[0];
    MERIDIAN_TRY(const StoredAwaited* const row, rows_->at(number));
    if (row->kind < 0 || row->kind >= static_cast<std::int32_t>(std::size(kWaitKindNames)))
      return damaged_merged("an awaited call is of an unknown kind");
    awaited.push_back({ends[0], ends[1], static_cast<WaitKind>(row->kind)});
  }
  return {};
}

}  // namespace meridian
