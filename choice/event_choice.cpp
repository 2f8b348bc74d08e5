// SPDX-License-Identifier: Apache-2.0
#include "choice/event_choice.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "merged/model/open_regions.hpp"
#include "trace/model/event.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kReportEvery = 65536;

struct RegionBegin {
  std::uint64_t row = 0;
  std::int64_t ns = 0;
};

/// "2.503s", as --from takes it.
std::string moment_text(std::int64_t ns) {
  constexpr int kDigits = 6;
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), static_cast<double>(ns) * 1e-9,
                                 std::chars_format::general, kDigits);
  return std::string{text.data(), end.ptr} + "s";
}

/// Sets the bits of the rows that are selected for themselves.
class RowSelector {
 public:
  RowSelector(const MergedTrace& trace, const TraceSelection& selection, RowBits& selected)
      : names_{trace.definitions()}, selection_{selection}, selected_{selected}, open_(names_.locations.size()) {
    for (const MergedCall& call : names_.calls) {
      is_user_.push_back(call.group == "user");
      has_function_.push_back(selection.functions.empty() || matches_name(selection.functions, call.name));
      has_region_.push_back(!selection.regions.empty() && matches_name(selection.regions, call.name));
    }
  }

  void add(const MergedEvent& event) {
    if (!selection_.has_rank(event.rank)) return;
    OpenRegions<RegionBegin>& open = open_[event.location];
    const bool is_user = is(is_user_, event.call);
    if (is_user && (event.flags & kFlagBegins) != 0) {
      open.begin(event.call, {event.row, event.enter_ns});
    } else if (is_user && (event.flags & kFlagEnds) != 0) {
      bool is_selected = false;  // the last one, to which the end belongs
      open.end(event.call, [&](const auto& region) { is_selected = end_region(region, event.enter_ns); });
      if (is_selected) selected_.set(event.row);
    } else {
      const bool is_inside = selection_.regions.empty() || std::ranges::any_of(open.all(), [&](const auto& region) {
                               return is(has_region_, region.call);
                             });
      if (is_inside && is(has_function_, event.call) && overlaps(event.enter_ns, event.leave_ns()))
        selected_.set(event.row);
    }
  }

  void finish() {
    for (OpenRegions<RegionBegin>& open : open_)
      open.end_all([&](const auto& region) { (void)end_region(region, INT64_MAX); });
  }

 private:
  static bool is(const std::vector<bool>& claims, std::uint32_t call) { return call < claims.size() && claims[call]; }
  bool overlaps(std::int64_t begin_ns, std::int64_t end_ns) const {
    return end_ns >= selection_.from_ns && begin_ns < selection_.to_ns;
  }
  /// Whether the region is selected.
  bool end_region(const OpenRegions<RegionBegin>::Region& region, std::int64_t end_ns) {
    const bool is_named = selection_.regions.empty() ? is(has_function_, region.call) : is(has_region_, region.call);
    if (!is_named || !overlaps(region.data.ns, end_ns)) return false;
    selected_.set(region.data.row);
    return true;
  }

  const MergedDefinitions& names_;
  const TraceSelection& selection_;
  RowBits& selected_;
  std::vector<bool> is_user_, has_function_, has_region_;  // [call]
  std::vector<OpenRegions<RegionBegin>> open_;             // [location]
};

}  // namespace

Result<EventChoice> EventChoice::make(const MergedTrace& trace, const TraceSelection& selection,
                                      const std::filesystem::path& scratch,
                                      const std::function<void(double, std::string_view)>& progress) {
  const auto report = [&](std::uint64_t done, std::uint64_t all) {
    if (progress && done % kReportEvery == 0) progress(static_cast<double>(done) / static_cast<double>(all), "select");
  };
  MERIDIAN_TRY(RowBits selected, RowBits::create(scratch, trace.events()));
  MERIDIAN_TRY(RowBits kept, RowBits::create(scratch, trace.events()));
  MERIDIAN_TRY(RowBits messages, RowBits::create(scratch, trace.messages()));
  MERIDIAN_TRY(RowBits instances, RowBits::create(scratch, trace.instances()));

  RowSelector selector{trace, selection, selected};
  MERIDIAN_TRY(EventCursor cursor, trace.select({.fields = kFieldCall | kFieldFlags, .links = kNoLinks}));
  MergedBatch batch;
  std::int64_t begin_ns = INT64_MAX, end_ns = INT64_MIN;
  for (;;) {
    MERIDIAN_TRY(const bool has_more, cursor.next(batch));
    if (!has_more) break;
    for (const MergedEvent& event : batch.events) {
      begin_ns = std::min(begin_ns, event.enter_ns);
      end_ns = std::max(end_ns, event.leave_ns());
      selector.add(event);
      report(event.row, trace.events());
    }
  }
  selector.finish();
  if (trace.events() != 0 && (selection.from_ns > end_ns || selection.to_ns <= begin_ns))
    return Error{Errc::invalid_argument,
                 "nothing of the trace is in this window of time: its first event begins at " + moment_text(begin_ns) +
                     ", its last one ends at " + moment_text(end_ns),
                 "give --from and --to between these"};

  for (std::uint64_t row = 0; row < trace.events(); ++row)
    if (selected.has(row)) kept.set(row);
  for (std::uint64_t number = 0; number < trace.messages(); ++number) {
    report(number, trace.messages());
    MERIDIAN_TRY(const MessageEnds ends, trace.message_ends(number));
    if (!selected.has(ends.send) && !selected.has(ends.post) && !selected.has(ends.completion)) continue;
    messages.set(number);
    for (const std::uint64_t row : {ends.send, ends.post, ends.completion}) kept.set(row);
  }
  for (const bool is_marking : {true, false})  // which instances are shown, then all their participants
    for (std::uint64_t number = 0; number < trace.parts(); ++number) {
      report(number, trace.parts());
      MERIDIAN_TRY(const MergedPart part, trace.part(number));
      if (is_marking && (selected.has(part.start) || selected.has(part.completion))) instances.set(part.instance);
      if (is_marking || !instances.has(part.instance)) continue;
      kept.set(part.start);
      kept.set(part.completion);
    }
  return EventChoice{std::move(kept), std::move(messages), std::move(instances)};
}

}  // namespace meridian
