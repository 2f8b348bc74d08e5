// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "merger/containers/temp_spool.hpp"
#include "merger/containers/tournament.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Sorts rows on disk by their member `key` (unsigned; equal keys keep their order). Memory is bounded: sorted runs of
/// kRunRows, of which up to kMostRuns are merged at a time.
template <class T>
class SortedSpool {
 public:
  static constexpr std::size_t kRunRows = 256 * 1024;
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
    if (runs_.empty()) {
      sort_run();
      for (const T& row : run_) MERIDIAN_TRY_DO(take(row));
      run_ = {};
      return {};
    }
    MERIDIAN_TRY_DO(store_run());
    run_ = {};
    return merge_runs(take);
  }

 private:
  void sort_run() {
    std::ranges::stable_sort(run_, {}, [](const T& row) { return row.key; });
  }

  Status store_run() {
    if (run_.empty()) return {};
    if (runs_.size() == kMostRuns) {
      TempSpool<T> merged{file_};
      const auto keep = [&](const T& row) {
        merged.append(row);
        return Status{};
      };
      MERIDIAN_TRY_DO(merge_runs(keep));
      MERIDIAN_TRY_DO(merged.seal());
      runs_.push_back(std::move(merged));
    }
    sort_run();
    TempSpool<T>& stored = runs_.emplace_back(file_);
    for (const T& row : run_) stored.append(row);
    run_.clear();
    return stored.seal();
  }

  template <class Take>
  Status merge_runs(Take&& take) {
    constexpr std::uint64_t kLast = UINT64_MAX;
    std::vector<TempSpool<T>> runs = std::move(runs_);
    runs_.clear();
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
  std::vector<TempSpool<T>> runs_;
};

}  // namespace meridian
