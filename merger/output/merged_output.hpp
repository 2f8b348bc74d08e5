// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "merged/model/merged_tables.hpp"
#include "merged/model/wait_sink.hpp"
#include "merger/output/link_tables.hpp"
#include "merger/output/row_map.hpp"
#include "merger/output/write_numbers.hpp"
#include "summary/summary.hpp"
#include "trace/format/chunks/chunk_pool.hpp"
#include "trace/format/tables/h5.hpp"
#include "trace/format/tables/temporary_files.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Removes the file unless it is released.
class PartFile {
 public:
  explicit PartFile(std::filesystem::path path) : path_{std::move(path)} {}
  PartFile(PartFile&& other) noexcept : path_{other.release()} {}
  PartFile& operator=(PartFile&&) = delete;
  ~PartFile() {
    std::error_code ignored;
    if (path_.empty()) return;
    std::filesystem::remove(path_, ignored);
    forget_temporary_file(path_);
  }
  const std::filesystem::path& path() const noexcept { return path_; }
  std::filesystem::path release() noexcept { return std::exchange(path_, {}); }

 private:
  std::filesystem::path path_;
};

/// Writes /counters: for each call its row, and for each counter a value and what was counted before the call.
class CounterTable {
 public:
  static Result<CounterTable> create(ColumnParent file, const std::vector<std::string>& names,
                                     const std::vector<std::string>& units);
  Status append(std::uint64_t row, std::span<const StoredCount> counts);
  Status finish();

 private:
  CounterTable(NumberWriter event_step, LongTableWriter<StoredCount> counts)
      : event_step_{std::move(event_step)}, counts_{std::move(counts)} {}
  NumberWriter event_step_;
  LongTableWriter<StoredCount> counts_;
  std::uint64_t last_row_ = 0;
};

/// A merged file that is written under a temporary name, which finish() changes to the final one. Without finish() it
/// leaves no file. It has everything but /events and the definitions, which its users write.
class MergedOutput {
 public:
  static Result<MergedOutput> create(const std::filesystem::path& path);

  hid_t id() const noexcept { return file_.get(); }
  ColumnParent columns() const { return {file_.get(), pool_.get()}; }
  /// For rows that wait on disk.
  const std::shared_ptr<TempFile>& scratch() const noexcept { return scratch_; }

  MessageLinks& messages() noexcept { return messages_; }
  CollectiveLinks& collectives() noexcept { return collectives_; }
  AwaitedLinks& awaited() noexcept { return awaited_; }
  UserValueLinks& user_values() noexcept { return user_values_; }
  Status begin_counters(const std::vector<std::string>& names, const std::vector<std::string>& units);
  /// After begin_counters().
  CounterTable& counters() { return *counters_; }

  /// May add to the summary and store waits; receives the HDF5 file (hid_t), which has everything else.
  using Analyse = std::function<Status(std::int64_t file, WaitSink& waits, Summary& summary)>;
  /// After the events have been finished. Stores the links and the summary with the findings, closes and renames the
  /// file.
  ///
  /// map      the rows of the slots that the links name
  /// analyse  may be empty
  Status finish(const RowMap& map, Summary& summary, const Analyse& analyse);

 private:
  MergedOutput(std::filesystem::path path, PartFile part, h5::File file, std::shared_ptr<TempFile> scratch)
      : path_{std::move(path)},
        part_{std::move(part)},
        file_{std::move(file)},
        scratch_{std::move(scratch)},
        messages_{scratch_},
        collectives_{scratch_},
        awaited_{scratch_},
        user_values_{scratch_} {}

  std::filesystem::path path_;
  PartFile part_;  // removed after the file is closed
  h5::File file_;
  std::unique_ptr<ChunkPool> pool_ = std::make_unique<ChunkPool>();
  std::shared_ptr<TempFile> scratch_;
  MessageLinks messages_;
  CollectiveLinks collectives_;
  AwaitedLinks awaited_;
  UserValueLinks user_values_;
  std::optional<CounterTable> counters_;
};

}  // namespace meridian
