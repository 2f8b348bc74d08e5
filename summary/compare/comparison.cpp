// SPDX-License-Identifier: Apache-2.0
#include "summary/compare/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>

#include "summary/compare/alignment.hpp"
#include "summary/compare/figures.hpp"

namespace meridian {
namespace {

using ItemsOfRuns = std::span<const ProfileItem* const>;

Sample sample_figure(const RunGroup& group, std::size_t figure) {
  std::vector<double> values;
  for (const RunProfile& run : group.runs) values.push_back(run.figures[figure]);
  return sample_of(values);
}

/// Seconds a rank in each run.
Sample sample_item(const RunGroup& group, ItemsOfRuns items) {
  std::vector<double> values;
  for (std::size_t i = 0; i < items.size(); ++i)
    values.push_back(items[i] == nullptr ? 0 : items[i]->measures.total_s / group.runs[i].ranks);
  return sample_of(values);
}

Measures mean_measures(ItemsOfRuns items) {
  Measures mean;
  const double runs = static_cast<double>(items.size());
  for (const ProfileItem* const item : items) {
    if (item == nullptr) continue;
    mean.total_s += item->measures.total_s / runs;
    mean.count += item->measures.count / runs;
    mean.bytes += item->measures.bytes / runs;
    mean.wait_s += item->measures.wait_s / runs;
    mean.error_s = std::hypot(mean.error_s, item->measures.error_s / runs);
  }
  return mean;
}

/// Standard error of the mean seconds a rank, of samples within the runs.
double sampling_error(const RunGroup& group, ItemsOfRuns items) {
  double error_s = 0;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (items[i] != nullptr) error_s = std::hypot(error_s, items[i]->measures.error_s / group.runs[i].ranks);
  return error_s / static_cast<double>(items.size());
}

bool is_in_any(ItemsOfRuns items) {
  return std::ranges::any_of(items, [](const ProfileItem* item) { return item != nullptr; });
}

double mean_time(const RunGroup& group) {
  double sum_s = 0;
  for (const RunProfile& run : group.runs) sum_s += run.time_s;
  return sum_s / static_cast<double>(group.runs.size());
}

/// For sorting, which needs numbers that can be compared.
double size_of(const ItemChange& change) { return std::isnan(change.change_s) ? 0 : std::fabs(change.change_s); }

}  // namespace

Comparison compare_groups(const RunGroup& before, const RunGroup& after) {
  Comparison result;
  for (std::size_t i = 0; i < figures().size(); ++i) {
    const Sample then = sample_figure(before, i);
    const Sample now = sample_figure(after, i);
    result.figures.push_back({.name = std::string{figures()[i].name},
                              .unit = std::string{unit_name(figures()[i].unit)},
                              .before = then.mean,
                              .after = now.mean,
                              .change = now.mean - then.mean,
                              .ratio = now.mean / then.mean,
                              .before_sd = then.sd,
                              .after_sd = now.sd,
                              .test = welch_test(then, now)});
  }
  std::vector<const RunProfile*> runs;
  for (const RunGroup* const group : {&before, &after})
    for (const RunProfile& run : group->runs) runs.push_back(&run);
  const std::vector<AlignedItem> aligned = align_items(runs);
  const double time_s = mean_time(before);
  const auto is_known = [](const RunProfile* run) { return !run->is_profile; };
  const bool all_have_samples = std::ranges::all_of(runs, &RunProfile::has_samples);
  const bool is_mixed = std::ranges::any_of(runs, is_known) && !std::ranges::all_of(runs, is_known);
  for (const AlignedItem& item : aligned) {
    const Subject subject = item.latest->subject;
    if (is_mixed && subject != Subject::function && subject != Subject::site) continue;
    if (subject == Subject::program_function && !all_have_samples) continue;
    const ItemsOfRuns all{item.of_runs};
    const ItemsOfRuns old_items = all.first(before.runs.size());
    const ItemsOfRuns new_items = all.subspan(before.runs.size());
    const Sample then = sample_item(before, old_items);
    const Sample now = sample_item(after, new_items);
    ItemChange& change = result.changes.emplace_back();
    change.subject = item.latest->subject;
    change.name = item.latest->name;
    change.function = item.latest->function;
    change.caller = item.latest->caller;
    change.place = item.latest->place;
    change.status = !is_in_any(old_items) ? "appeared" : !is_in_any(new_items) ? "gone" : "changed";
    change.before_s = then.mean;
    change.after_s = now.mean;
    change.change_s = now.mean - then.mean;
    change.share = change.change_s / time_s;
    change.before_sd_s = then.sd;
    change.after_sd_s = now.sd;
    change.test = welch_test(then, now);
    change.before = mean_measures(old_items);
    change.after = mean_measures(new_items);
    const double error_s = std::hypot(sampling_error(before, old_items), sampling_error(after, new_items));
    change.is_noise = change.test.p_value >= kSignificant ||  // false if that is unknown
                      std::fabs(change.change_s) < kSampledChange * error_s;
    change.is_notable = std::fabs(change.change_s) >= kLeastChange * time_s && change.change_s != 0 && !change.is_noise;
  }
  std::ranges::stable_sort(result.changes, [](const ItemChange& a, const ItemChange& b) {
    return std::tuple{a.subject, -size_of(a)} < std::tuple{b.subject, -size_of(b)};
  });
  return result;
}

}  // namespace meridian
