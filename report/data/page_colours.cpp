// SPDX-License-Identifier: Apache-2.0
#include "report/data/page_colours.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/functions/sample_counts.hpp"
#include "merged/sample_functions.hpp"
#include "report/data/page_bins.hpp"
#include "report/data/timeline_rows.hpp"
#include "report/data/timeline_scan.hpp"

namespace meridian {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kCells = std::size_t{1} << 16;  // rows x bins
constexpr std::size_t kMostBins = 2048, kLeastBins = 16;
constexpr std::size_t kMostNames = 8;  // as many colours as readers can tell apart

/// Slots before those with names, and after them.
constexpr std::size_t kComputing = 0, kInCall = 1, kFirstName = 2;

/// The names with the largest sums, the largest first.
std::vector<std::string> largest(const std::map<std::string, double>& sums) {
  std::vector<std::pair<double, std::string>> list;
  for (const auto& [name, sum] : sums)
    if (sum > 0) list.emplace_back(-sum, name);
  std::ranges::sort(list);
  list.resize(std::min(list.size(), kMostNames));
  std::vector<std::string> names;
  names.reserve(list.size());
  for (auto& [sum, name] : list) names.push_back(std::move(name));
  return names;
}

template <class Rows, class Name, class Sum>
std::vector<std::string> largest_of(const Rows& rows, Name name, Sum sum) {
  std::map<std::string, double> sums;
  for (const auto& row : rows) sums[name(row)] += sum(row);
  return largest(sums);
}

std::string rank_name(std::int32_t rank) {
  std::string name{"rank "};
  name += std::to_string(rank);
  return name;
}

/// Code without symbols is told apart by the file that it is in.
std::string program_name(const std::string& function, const std::string& module) {
  return function.starts_with('(') && !module.empty() ? function + " of " + module : function;
}

/// The slot of a name; the last one if it has none.
std::size_t slot_of(const std::vector<std::string>& names, std::string_view name) {
  return kFirstName + static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

TimeBins bins_of(const TimelineRows& rows, std::size_t most) {
  const std::size_t count = std::bit_floor(kCells / std::max<std::size_t>(1, rows.rows.size()));
  return {std::clamp(std::min(count, most), kLeastBins, kMostBins), rows.begin_ns, rows.end_ns};
}

Json colouring(std::string_view name, const std::vector<std::string>& names, const Json& bins) {
  Json own{{"name", name}, {"slots", names}};
  own.update(bins);
  return own;
}

}  // namespace

/// Samples by bin, and the time in which a sample can be.
struct PageColours::Samples {
  Samples(const MergedTrace& trace, const Summary& summary, const TimelineRows& rows, SampleReader opened)
      : reader{std::move(opened)},
        row_of{rows.row_of},
        functions{reader.names()},
        names{largest_of(
            summary.program_functions, [](const auto& row) { return program_name(row.function, row.module); },
            [](const auto& row) { return row.self_s; })},
        // Wide enough for a sample in most of them.
        bins{bins_of(rows, std::bit_floor(std::max<std::size_t>(1, static_cast<std::size_t>(reader.size()) /
                                                                       std::max<std::size_t>(1, rows.threads()))))},
        times{rows.rows.size(), kFirstName, bins},
        counts{rows.rows.size(), kFirstName + names.size() + 1, bins} {
    // They begin after MPI_Init and end with MPI_Finalize: of the whole run none has to be left out.
    for (const MergedRank& rank : trace.definitions().ranks)
      spans.push_back({rank.rank, rows.begin_ns, rows.end_ns, 0, true});
    for (const SampleFunctions::Function& function : functions.functions())
      slot_of_function.push_back(slot_of(names, program_name(function.name, function.module)));
    sorter.emplace(trace.definitions(), reader, spans, [this](const MergedSample& sample) { add(sample); });
  }

  void add(const MergedSample& sample) {
    const std::uint32_t row = row_of[static_cast<std::size_t>(sample.location)];
    if (row == kNoRow) return;
    const std::uint32_t function = functions.line_of(static_cast<std::uint32_t>(sample.path)).function;
    counts.add(row, function < slot_of_function.size() ? slot_of_function[function] : kFirstName + names.size(),
               bins.at(sample.time_ns), 1);
  }

  SampleReader reader;
  const std::vector<std::uint32_t>& row_of;
  SampleFunctions functions;
  std::vector<std::string> names;
  TimeBins bins;
  SlotLevels times;   // kComputing, kInCall
  SlotLevels counts;  // samples of each name
  std::vector<std::size_t> slot_of_function;
  std::vector<MeasuredSpan> spans;
  std::optional<SampleCounts> sorter;
};

PageColours::~PageColours() = default;

PageColours::PageColours(const MergedTrace& trace, const Summary& summary, const TimelineRows& rows)
    : functions_{largest_of(
          summary.functions, [](const auto& row) { return row.name; }, [](const auto& row) { return row.total_s; })},
      waits_{largest_of(
          summary.waits, [](const auto& row) { return row.pattern; }, [](const auto& row) { return row.total_s; })},
      causers_{largest_of(
          summary.wait_pairs, [](const auto& row) { return rank_name(row.causer); },
          [](const auto& row) { return row.causer < 0 ? 0 : row.total_s; })} {
  const MergedDefinitions& names = trace.definitions();
  for (std::uint32_t call = 0; call < names.calls.size(); ++call)
    slot_of_call_.push_back(slot_of(functions_, names.call_name(call)));
  for (const std::string_view kind : kWaitKindNames) slot_of_kind_.push_back(slot_of(waits_, kind));
  for (const MergedLocation& location : names.locations)
    slot_of_causer_.push_back(slot_of(causers_, rank_name(location.rank)));
  for (const std::vector<std::string>* list : {&functions_, &waits_, &causers_})
    levels_.emplace_back(rows.rows.size(), kFirstName + list->size() + 1, bins_of(rows, kMostBins));
}

Result<std::unique_ptr<PageColours>> PageColours::open(const MergedTrace& trace, const Summary& summary,
                                                       const TimelineRows& rows) {
  std::unique_ptr<PageColours> colours{new PageColours{trace, summary, rows}};
  MERIDIAN_TRY(SampleReader reader, trace.samples());
  if (reader.size() != 0) colours->samples_ = std::make_unique<Samples>(trace, summary, rows, std::move(reader));
  return colours;
}

void PageColours::add(std::uint32_t row, const Tile& tile, const WaitSpan* wait) {
  const auto put = [&](SlotLevels& levels, std::size_t slot) {
    levels.add_time(row, slot, tile.begin_ns, tile.end_ns);
  };
  const bool is_in_call = tile.call < slot_of_call_.size();
  if (!is_in_call && tile.state != LocationState::compute) return;  // unknown
  const bool is_wait = tile.state == LocationState::mpi_wait || tile.state == LocationState::sync_wait;
  const std::size_t plain = is_in_call ? kInCall : kComputing;
  const bool has_causer = wait != nullptr && wait->causer < slot_of_causer_.size();
  put(levels_[0], is_in_call ? slot_of_call_[tile.call] : kComputing);
  put(levels_[1], !is_wait          ? plain
                  : wait != nullptr ? slot_of_kind_[static_cast<std::size_t>(wait->kind)]
                                    : kFirstName + waits_.size());
  put(levels_[2], !is_wait ? plain : has_causer ? slot_of_causer_[wait->causer] : kFirstName + causers_.size());
  if (samples_) put(samples_->times, plain);
}

Status PageColours::look_at(std::span<const WalkedEvent> events) {
  return samples_ ? samples_->sorter->look_at(events) : Status{};
}

Result<Json> PageColours::finish(std::span<const std::size_t> threads) {
  Json list = Json::array();
  list.push_back(colouring("function", functions_, slot_bins(levels_[0], threads)));
  if (!waits_.empty()) {
    list.push_back(colouring("wait", waits_, slot_bins(levels_[1], threads)));
    list.push_back(colouring("causer", causers_, slot_bins(levels_[2], threads)));
  }
  if (!samples_) return list;
  MERIDIAN_TRY_DO(samples_->sorter->finish());
  add_samples(threads, list);
  return list;
}

/// The time outside calls is divided by the samples of its bin; without samples it stays what it is.
void PageColours::add_samples(std::span<const std::size_t> threads, Json& list) const {
  const Samples& own = *samples_;
  SlotLevels divided{threads.size(), own.counts.slots(), own.bins};
  for (std::size_t row = 0; row < threads.size(); ++row)
    for (std::size_t bin = 0; bin < own.bins.count(); ++bin) {
      float all = 0;
      for (std::size_t slot = kFirstName; slot < own.counts.slots(); ++slot) all += own.counts.time_ns(row, slot, bin);
      const float outside = own.times.time_ns(row, kComputing, bin);
      divided.add(row, kInCall, bin, static_cast<std::int64_t>(own.times.time_ns(row, kInCall, bin)));
      if (all <= 0) divided.add(row, kComputing, bin, static_cast<std::int64_t>(outside));
      for (std::size_t slot = kFirstName; all > 0 && slot < own.counts.slots(); ++slot)
        divided.add(row, slot, bin, static_cast<std::int64_t>(outside * own.counts.time_ns(row, slot, bin) / all));
    }
  list.push_back(colouring("program", own.names, slot_bins(divided, threads)));
}

}  // namespace meridian
