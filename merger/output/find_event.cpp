#include "merger/output/find_event.hpp"

#include <algorithm>
#include <utility>

#include "merger/clocks/clock_bounds.hpp"
#include "trace/format/column.hpp"
#include "trace/format/h5.hpp"
#include "trace/format/table.hpp"

namespace meridian {

namespace {

Error damaged(const char* reason) {
  return {Errc::damaged, reason, "make the merged file again with `meridian merge`"};
}

Result<std::vector<FoundEvent>> find(hid_t id, const std::filesystem::path& merged, const std::vector<EventRef>& refs) {
  MERIDIAN_TRY(ColumnReader rank, ColumnReader::open(id, "events/rank"));
  MERIDIAN_TRY(ColumnReader thread, ColumnReader::open(id, "events/thread"));
  MERIDIAN_TRY(ColumnReader sequence, ColumnReader::open(id, "events/sequence"));
  MERIDIAN_TRY(ColumnReader enter, ColumnReader::open(id, "events/enter_ns"));
  MERIDIAN_TRY(ColumnReader duration, ColumnReader::open(id, "events/duration_ns"));
  MERIDIAN_TRY(ColumnReader call, ColumnReader::open(id, "events/call"));
  MERIDIAN_TRY(const std::vector<std::string> names, h5::read_strings(id, "calls/name"));

  std::vector<FoundEvent> found(refs.size());
  std::vector<bool> is_found(refs.size(), false);
  std::vector<std::int32_t> ranks;
  std::vector<std::uint32_t> threads;
  std::vector<std::uint64_t> sequences;
  for (std::uint64_t first = 0; first < rank.size(); first += kColumnChunk) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kColumnChunk, rank.size() - first));
    ranks.resize(count);
    threads.resize(count);
    sequences.resize(count);
    MERIDIAN_TRY_DO(rank.read(first, std::span{ranks}));
    MERIDIAN_TRY_DO(thread.read(first, std::span{threads}));
    MERIDIAN_TRY_DO(sequence.read(first, std::span{sequences}));
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t r = 0; r < refs.size(); ++r) {
        if (EventRef{ranks[i], threads[i], sequences[i]} != refs[r]) continue;
        std::int64_t begin = 0, length = 0;
        std::uint32_t number = 0;
        MERIDIAN_TRY_DO(enter.read(first + i, std::span{&begin, 1}));
        MERIDIAN_TRY_DO(duration.read(first + i, std::span{&length, 1}));
        MERIDIAN_TRY_DO(call.read(first + i, std::span{&number, 1}));
        if (!is_time(begin) || !is_time(length)) return damaged("an event has a time that cannot be true");
        found[r] = {refs[r], number < names.size() ? names[number] : "", begin, begin + length};
        is_found[r] = true;
      }
  }
  for (std::size_t r = 0; r < refs.size(); ++r)
    if (!is_found[r])
      return Error{Errc::not_found,
                   "'" + merged.string() + "' has no call " + std::to_string(refs[r].event) + " of thread " +
                       std::to_string(refs[r].thread) + " of rank " + std::to_string(refs[r].rank),
                   "calls are numbered from 0 in each thread: column events/sequence"};
  return found;
}

}  // namespace

Result<std::vector<FoundEvent>> find_events(const std::filesystem::path& merged, const std::vector<EventRef>& refs) {
  MERIDIAN_TRY(const h5::File file, h5::open_read_only(merged));
  auto found = find(file.get(), merged, refs);
  if (!found) return h5::in_file(std::move(found).error(), "merged file", merged);
  return found;
}

}  // namespace meridian
