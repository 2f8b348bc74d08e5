// SPDX-License-Identifier: Apache-2.0
// make_last_part FROM TO PERCENT: the rank file of a trace as a flight recorder would leave it that has dropped the first PERCENT of the
// calls.

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "trace/records/profile/call_profile.hpp"

namespace meridian {
namespace {

/// The leave before which the first `percent` of the calls have returned.
Result<std::uint64_t> time_of(RankFile& file, std::uint64_t percent) {
  std::vector<std::uint64_t> leaves;
  EventBatch batch;
  for (std::size_t i = 0; i < file.meta().segments.size(); ++i) {
    MERIDIAN_TRY_DO(file.read(i, batch));
    leaves.insert(leaves.end(), batch.leave_ticks.begin(), batch.leave_ticks.end());
  }
  std::ranges::sort(leaves);
  return leaves.empty() ? 0 : leaves[std::min(leaves.size() - 1, leaves.size() * percent / 100)];
}

Status make_last_part(const char* from, const char* to, std::uint64_t percent) {
  MERIDIAN_TRY(RankFile file, RankFile::open(from));
  MERIDIAN_TRY(const std::uint64_t cut, time_of(file, percent));
  RankMeta meta = file.meta();
  const auto number_calls = [&](auto& rows) {
    for (auto& row : rows) row.call = static_cast<std::uint32_t>(meta.calls[row.call]);
  };
  number_calls(meta.comms);
  number_calls(meta.passed);
  CallProfile profile{meta};
  profile.count_channels();
  MERIDIAN_TRY(RankFileWriter writer, RankFileWriter::create(to));
  EventBatch batch, last;
  std::uint64_t first_ticks = ~std::uint64_t{0};
  for (std::size_t i = 0; i < meta.segments.size(); ++i) {
    MERIDIAN_TRY_DO(file.read(i, batch));
    const ThreadId thread{meta.segments[i].thread};
    last = {};
    for_each_event(batch, [&](const BatchEvent& event, const SegmentRow& rows) {
      if (event.leave_ticks < cut) {
        profile.add(thread, event);
        return;
      }
      first_ticks = std::min(first_ticks, event.enter_ticks);
      append_event(batch, event, rows, last);
    });
    if (!last.enter_ticks.empty()) MERIDIAN_TRY_DO(writer.append(thread, last));
  }
  meta.dropped = profile.dropped();
  meta.texts.push_back({kRecorderKey, std::to_string(profile.calls()), 0, first_ticks});
  return writer.finish(meta);
}

}  // namespace
}  // namespace meridian

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const meridian::Status made = meridian::make_last_part(argv[1], argv[2], std::strtoull(argv[3], nullptr, 10));
  if (!made) std::fprintf(stderr, "%s\n", made.error().what.c_str());
  return made ? 0 : 1;
}
