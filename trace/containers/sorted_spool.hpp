// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "trace/containers/sort_rows.hpp"
#include "trace/containers/temp_spool.hpp"
#include "trace/containers/tournament.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Sorts rows on disk by their member `key` (unsigned; equal keys keep their order). Memory is bounded: sorted runs of
/// kRunRows, of which kMostRuns become one longer run, kMostRuns of those one still longer, and so on.
template <class T>
class SortedSpool {
 public:
  static constexpr std::size_t kRunRows = 64 * 1024;
  static constexpr std::size_t kMostRuns = 64;

  explicit SortedSpool(std::shared_ptr<TempFile> file, std::size_t run_rows = kRunRows)
      : file_{std::move(file)}, run_rows_{run_rows} {}

  Status append(const T& row) {
    run_.push_back(row);
    return run_.size() < run_rows_ ? Status{} : store_run();
  }

  /// Passes every row to `take` (returns a Status), in order; afterwards the spool is empty.
  template <class Take>
  Status drain(Take&& take) {
    if (levels_.empty()) {
      sorter_.sort(run_);
      for (const T& row : run_) MERIDIAN_TRY_DO(take(row));
      run_ = {};
      return {};
    }
    MERIDIAN_TRY_DO(store_run());
    run_ = {};
    sorter_ = {};
    std::vector<TempSpool<T>> runs;  // the oldest first
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level)
      for (TempSpool<T>& run : *level) runs.push_back(std::move(run));
    levels_.clear();
    return merge(std::move(runs), take);
  }

 private:
  using Runs = std::vector<TempSpool<T>>;

  Status store_run() {
    if (run_.empty()) return {};
    sorter_.sort(run_);
    TempSpool<T> stored{file_};
    for (const T& row : run_) stored.append(row);
    run_.clear();
    MERIDIAN_TRY_DO(stored.seal());
    stored.shrink();
    return add(std::move(stored), 0);
  }

  /// Adds a run to a level. A full level becomes one run of the next one first, whose runs are all older.
  Status add(TempSpool<T> run, std::size_t level) {
    if (level == levels_.size()) levels_.emplace_back();
    if (levels_[level].size() == kMostRuns) {
      TempSpool<T> merged{file_};
      const auto keep = [&](const T& row) {
        merged.append(row);
        return Status{};
      };
      MERIDIAN_TRY_DO(merge(std::exchange(levels_[level], {}), keep));
      MERIDIAN_TRY_DO(merged.seal());
      merged.shrink();
      MERIDIAN_TRY_DO(add(std::move(merged), level + 1));
    }
    levels_[level].push_back(std::move(run));
    return {};
  }

  template <class Take>
  static Status merge(Runs runs, Take&& take) {
    constexpr std::uint64_t kLast = UINT64_MAX;
    std::vector<TempSpoolReader<T>> readers;
    std::vector<const T*> rows;
    std::vector<std::uint64_t> keys;
    for (TempSpool<T>& run : runs) {
      rows.push_back(readers.emplace_back(run).next());
      keys.push_back(rows.back() == nullptr ? kLast : rows.back()->key);
    }
    Tournament<std::uint64_t> order{std::move(keys), kLast};
    while (!order.is_over()) {
      const std::uint32_t top = order.top();
      MERIDIAN_TRY_DO(take(*rows[top]));
      rows[top] = readers[top].next();
      order.update(top, rows[top] == nullptr ? kLast : rows[top]->key);
    }
    for (const TempSpoolReader<T>& reader : readers) MERIDIAN_TRY_DO(reader.status());
    return {};
  }

  std::shared_ptr<TempFile> file_;
  std::size_t run_rows_;
  std::vector<T> run_;
  RowSorter<T> sorter_;
  std::vector<Runs> levels_;
};

}  // namespace meridian
