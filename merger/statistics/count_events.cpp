// SPDX-License-Identifier: Apache-2.0
#include "merger/statistics/count_events.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "trace/definitions/nested_threads.hpp"

namespace meridian {
namespace {

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> items;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    items.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return items;
}

std::vector<std::string> list_of(const RankMeta& meta, std::string_view key) {
  const auto text = std::ranges::find(meta.texts, key, &TextRow::key);
  return text == meta.texts.end() ? std::vector<std::string>{} : split(text->value);
}

/// Names of the file's counters; missing names are replaced by generated ones.
std::vector<std::string> names_of(const RankMeta& meta) {
  std::vector<std::string> names = list_of(meta, "counters");
  for (std::size_t i = names.size(); i < meta.counters_per_event; ++i) names.push_back("counter " + std::to_string(i));
  names.resize(meta.counters_per_event);
  return names;
}

/// Walks the segments of one rank.
class RankCounter {
 public:
  RankCounter(const Trace& trace, std::size_t file, CounterTotals& totals)
      : file_{*trace.files[file]},
        unknown_call_{trace.unknown_call[file]},
        calls_{trace.calls},
        user_{trace.user},
        number_{file},
        totals_{totals},
        sums_{totals.ranks[file]},
        regions_{trace.user.list.size(), totals.names.size()} {
    for (const std::string& name : names_of(file_.meta())) {
      const auto at = std::ranges::find(totals.names, name);
      place_.push_back(static_cast<std::size_t>(at - totals.names.begin()));
      sums_[place_.back()].is_counted = true;
    }
    rows_.rank = file_.meta().rank;
  }

  Status count_thread(std::uint32_t thread, const CounterSink& sink) {
    rows_.thread = thread;
    std::uint64_t first = 0;
    const auto& segments = file_.meta().segments;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      if (segments[i].thread != thread) continue;
      // Unreadable segments have been reported by an earlier pass.
      if (file_.read(i, batch_)) MERIDIAN_TRY_DO(count_batch(first, sink));
      first += segments[i].events;
    }
    regions_.end_thread();
    return {};
  }

  const std::vector<RegionCounters::Sums>& regions() const { return regions_.sums(); }

  std::uint64_t missing() const { return missing_; }

 private:
  Status count_batch(std::uint64_t first, const CounterSink& sink) {
    const std::size_t width = totals_.names.size();
    rows_.sequence.clear();
    rows_.value.clear();
    rows_.between.clear();
    std::size_t at = 0;
    std::size_t user_at = 0;
    for (std::size_t i = 0; i < batch_.call.size(); ++i) {
      const bool is_user = batch_.payload[i] == Payload::user;
      const UserUse* const use = is_user && user_at < batch_.user.size() ? &batch_.user[user_at++] : nullptr;
      if ((batch_.flags[i] & kFlagCounters) == 0) {
        missing_ += (batch_.flags[i] & kFlagUnfinished) == 0;
        follow(use, batch_.flags[i]);
        continue;
      }
      const std::size_t call =
          batch_.call[i] == CallId::none ? unknown_call_ : static_cast<std::size_t>(batch_.call[i]);
      const bool is_mpi = is_mpi_name(calls_[call].name);
      auto& function = totals_.functions[call];
      if (!is_user) function.resize(width);  // calls without a duration count nothing themselves
      rows_.sequence.push_back(first + i);
      rows_.value.resize(rows_.value.size() + width);
      rows_.between.resize(rows_.between.size() + width);
      for (const std::size_t place : place_) {
        const std::int64_t value = batch_.counters[at];
        const std::int64_t between = batch_.counters_between[at++];
        sums_[place].total += value + between;
        if (is_mpi) sums_[place].mpi += value;
        if (!is_user) function[place] += value;
        regions_.add(place, between, false);
        regions_.add(place, value, is_mpi);
        rows_.value[rows_.value.size() - width + place] = value;
        rows_.between[rows_.between.size() - width + place] = between;
      }
      follow(use, batch_.flags[i]);
    }
    return rows_.sequence.empty() ? Status{} : sink(rows_);
  }

  /// Opens or closes a user region.
  void follow(const UserUse* use, std::uint8_t flags) {
    if (use == nullptr || (flags & (kFlagBegins | kFlagEnds)) == 0) return;
    const UserDefinition* const definition = user_.find(number_, use->definition);
    if (definition == nullptr) return;
    const auto region = static_cast<std::size_t>(definition - user_.list.data());
    if ((flags & kFlagEnds) != 0) return regions_.end(region);
    regions_.begin(region);
  }

  RankFile& file_;
  std::size_t unknown_call_;
  const std::vector<NamedCall>& calls_;
  const UserDefinitions& user_;
  std::size_t number_;
  CounterTotals& totals_;
  std::vector<CounterTotals::Sums>& sums_;
  RegionCounters regions_;
  std::vector<std::size_t> place_;  // [counter of the file]: index in totals_.names
  EventBatch batch_;
  CounterRows rows_;
  std::uint64_t missing_ = 0;
};

/// The counters of a rank, a region, or all ranks, in one part of their time.
struct Part {
  const char* name;
  double time_s;
  std::vector<const std::int64_t*> values;  // [names]; null: not counted
};

/// Calls add(name, value) for each derived metric of the values.
template <class Add>
void for_each_metric(const CounterTotals& totals, const Part& part, Add add) {
  struct Metric {
    std::string_view name, numerator, denominator;
  };
  static constexpr Metric kMetrics[] = {
#define MERIDIAN_METRIC(name, numerator, denominator) {name, numerator, denominator},
#include "merger/statistics/metrics.def"
#include "trace/format/rank/rank_file.hpp"
#include "trace/model/call_facts.hpp"
  };
  const auto value_of = [&](std::string_view name) -> const std::int64_t* {
    const auto at = std::ranges::find(totals.names, name);
    return at == totals.names.end() ? nullptr : part.values[static_cast<std::size_t>(at - totals.names.begin())];
  };
  std::string_view last;
  for (const Metric& metric : kMetrics) {
    const std::int64_t* const above = value_of(metric.numerator);
    const std::int64_t* const below = value_of(metric.denominator);
    if (above == nullptr || below == nullptr || *below == 0 || metric.name == last) continue;
    last = metric.name;
    add(std::string{metric.name}, static_cast<double>(*above) / static_cast<double>(*below));
  }
  for (std::size_t i = 0; i < totals.names.size(); ++i)
    if (part.values[i] != nullptr && part.time_s > 0)
      add(totals.names[i] + " per second", static_cast<double>(*part.values[i]) / part.time_s);
}

void add_metrics(const CounterTotals& totals, std::int32_t rank, const Part& part, Summary& summary) {
  for_each_metric(totals, part, [&](std::string name, double value) {
    summary.metrics.push_back({rank, part.name, std::move(name), value});
  });
}

void add(std::vector<std::int64_t>& to, const std::vector<std::int64_t>& values) {
  to.resize(std::max(to.size(), values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) to[i] += values[i];
}

/// Fills in the regions in the order of the summary; regions with equal names show the counters that all of them have.
void summarize_regions(const Trace& trace, const CounterTotals& totals, Summary& summary) {
  const std::size_t width = totals.names.size();
  std::vector<std::string_view> done;
  for (const RegionSummary& region : summary.regions) {
    if (std::ranges::find(done, region.name) != done.end()) continue;
    done.emplace_back(region.name);
    RegionCounters::Sums sums;
    for (std::size_t i = 0; i < totals.regions.size(); ++i) {
      const UserDefinition& definition = trace.user.list[i];
      if (definition.kind != UserKind::region || definition.name != region.name) continue;
      add(sums.total, totals.regions[i].total);
      add(sums.exclusive, totals.regions[i].exclusive);
      add(sums.mpi, totals.regions[i].mpi);
    }
    if (sums.total.empty()) continue;
    double time_s = 0, mpi_s = 0;
    for (const RegionSummary& same : summary.regions)
      if (same.name == region.name) {
        time_s += same.total_s;
        mpi_s += same.mpi_s;
      }
    std::vector<std::int64_t> outside(width);
    Part compute{"compute", std::max(0.0, time_s - mpi_s), std::vector<const std::int64_t*>(width)};
    Part in_mpi{"mpi", mpi_s, std::vector<const std::int64_t*>(width)};
    for (std::size_t c = 0; c < width; ++c) {
      outside[c] = sums.total[c] - sums.mpi[c];
      compute.values[c] = &outside[c];
      in_mpi.values[c] = &sums.mpi[c];
      summary.region_counters.push_back(
          {region.name, totals.names[c], totals.units[c], sums.total[c], sums.exclusive[c], outside[c], sums.mpi[c]});
    }
    for (const Part* const part : {&compute, &in_mpi})
      for_each_metric(totals, *part, [&](std::string name, double value) {
        summary.region_metrics.push_back({region.name, part->name, std::move(name), value});
      });
  }
}

}  // namespace

CounterTotals name_counters(const Trace& trace) {
  CounterTotals totals;
  for (const RankFile* file : trace.files) {
    const std::vector<std::string> names = names_of(file->meta());
    const std::vector<std::string> units = list_of(file->meta(), "counters.units");
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (std::ranges::find(totals.names, names[i]) != totals.names.end()) continue;
      totals.names.push_back(names[i]);
      totals.units.push_back(i < units.size() ? units[i] : "1");
    }
  }
  totals.ranks.assign(trace.files.size(), std::vector<CounterTotals::Sums>(totals.names.size()));
  totals.functions.resize(trace.calls.size());
  totals.regions.resize(trace.user.list.size());
  return totals;
}

Status count_events(const Trace& trace, CounterTotals& totals, const CounterSink& sink, Findings& findings) {
  const RankMeta* first = nullptr;
  for (std::size_t i = 0; i < trace.files.size(); ++i) {
    const RankMeta& meta = trace.files[i]->meta();
    if (first == nullptr) first = &meta;
    if (names_of(meta) != names_of(*first))
      findings.add(FindingId::counters_differ, 1, "rank " + std::to_string(meta.rank));
    const auto problem = std::ranges::find(meta.texts, "counters.problem", &TextRow::key);
    if (problem != meta.texts.end())
      findings.add(FindingId::counters_other, 1, "rank " + std::to_string(meta.rank) + ": " + problem->value);
    const auto estimates = std::ranges::find(meta.texts, "counters.estimates", &TextRow::key);
    if (estimates != meta.texts.end())
      findings.add(FindingId::counters_estimates, 1, "rank " + std::to_string(meta.rank) + ": " + estimates->value);
    const auto every = std::ranges::find(meta.texts, "counters.every", &TextRow::key);
    const bool is_sampled = every != meta.texts.end();
    if (is_sampled)
      findings.add(FindingId::counters_sampled, 1,
                   "rank " + std::to_string(meta.rank) +
                       (every->value == "0" ? ": in no call" : ": in one of " + every->value + " calls"));
    if (meta.counters_per_event == 0) continue;
    RankCounter counter{trace, i, totals};
    const auto nested = nested_threads(meta);  // counted in the calls around them
    for (const ThreadRow& thread : meta.threads)
      if (!nested.contains(thread.thread)) MERIDIAN_TRY_DO(counter.count_thread(thread.thread, sink));
    for (std::size_t region = 0; region < totals.regions.size(); ++region) {
      add(totals.regions[region].total, counter.regions()[region].total);
      add(totals.regions[region].exclusive, counter.regions()[region].exclusive);
      add(totals.regions[region].mpi, counter.regions()[region].mpi);
    }
    const bool has_sums =
        std::ranges::find(meta.texts, kProfileKey, &TextRow::key) != meta.texts.end();  // without counters
    if (counter.missing() != 0 && !is_sampled && !has_sums)
      findings.add(FindingId::counters_missing, counter.missing(), "rank " + std::to_string(meta.rank));
  }
  return {};
}

void summarize_counters(const Trace& trace, const CounterTotals& totals, Summary& summary) {
  const std::size_t width = totals.names.size();
  if (width == 0) return;
  std::vector<std::int64_t> all_mpi(width), all_compute(width);
  double all_mpi_s = 0, all_compute_s = 0;
  std::vector<const std::int64_t*> all_mpi_values(width), all_compute_values(width);
  for (std::size_t i = 0; i < totals.ranks.size(); ++i) {
    const RankSummary& rank = summary.ranks[i];
    const double compute_s = std::max(0.0, rank.time_s * static_cast<double>(rank.threads) - rank.mpi_s);
    std::vector<std::int64_t> compute(width);
    Part in_mpi{"mpi", rank.mpi_s, std::vector<const std::int64_t*>(width)};
    Part outside{"compute", compute_s, std::vector<const std::int64_t*>(width)};
    for (std::size_t c = 0; c < width; ++c) {
      const CounterTotals::Sums& sums = totals.ranks[i][c];
      if (!sums.is_counted) continue;
      compute[c] = sums.total - sums.mpi;
      summary.counters.push_back({rank.rank, totals.names[c], totals.units[c], sums.mpi, compute[c]});
      in_mpi.values[c] = &sums.mpi;
      outside.values[c] = &compute[c];
      all_mpi[c] += sums.mpi;
      all_compute[c] += compute[c];
      all_mpi_values[c] = &all_mpi[c];
      all_compute_values[c] = &all_compute[c];
    }
    all_mpi_s += rank.mpi_s;
    all_compute_s += compute_s;
    add_metrics(totals, rank.rank, outside, summary);
    add_metrics(totals, rank.rank, in_mpi, summary);
  }
  add_metrics(totals, -1, {"compute", all_compute_s, all_compute_values}, summary);
  add_metrics(totals, -1, {"mpi", all_mpi_s, all_mpi_values}, summary);
  for (std::size_t call = 0; call < totals.functions.size(); ++call)
    for (std::size_t c = 0; c < totals.functions[call].size(); ++c)
      summary.function_counters.push_back({trace.calls[call].name, totals.names[c], totals.functions[call][c]});
  std::ranges::stable_sort(summary.function_counters, {}, &FunctionCounterSummary::function);
  summarize_regions(trace, totals, summary);
}

}  // namespace meridian
