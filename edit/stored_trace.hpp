// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <utility>

#include "merged/energy_reader.hpp"
#include "merged/memory_reader.hpp"
#include "merged/model/clock_bounds.hpp"
#include "merged/model/clock_report.hpp"
#include "merged/model/definitions.hpp"
#include "merged/model/merged_tables.hpp"
#include "merged/processor_reader.hpp"
#include "merged/sample_reader.hpp"
#include "merger/output/link_tables.hpp"
#include "trace/format/tables/h5.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// An event as it is stored. Times are global ns.
struct EditedEvent {
  std::uint64_t key = 0;  ///< for a SortedSpool
  std::uint64_t row = 0;  ///< of the trace that is read
  std::int64_t enter_ns = 0;
  std::int64_t duration_ns = 0;
  std::uint64_t sequence = 0;  ///< number of the call in its thread
  std::uint32_t location = 0;
  StoredEvent stored{};

  std::int64_t leave_ns() const noexcept { return enter_ns + duration_ns; }
};

struct StoredClocks {
  ClockReport report;
  ClockBounds bounds;  ///< without domains: the clock model gives none
};

/// Reads the tables of a merged file from beginning to end, without /index, which may be stale in a file that another
/// program has changed. References between the tables are checked. Memory is bounded.
/// errors  of all readers: damaged, io; those of `take`
class StoredTrace {
 public:
  /// errors  not_found; damaged: not a merged file, or contradictory tables; unsupported: another version.
  static Result<StoredTrace> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const noexcept { return path_; }
  const MergedDefinitions& definitions() const noexcept { return definitions_; }
  std::uint64_t events() const noexcept { return events_; }
  std::uint64_t messages() const noexcept { return messages_; }
  std::uint64_t parts() const noexcept { return parts_; }
  /// Columns of kEventColumns that the file has.
  std::size_t event_columns() const noexcept { return event_columns_; }

  template <class Row>
  using Take = std::function<Status(const Row&)>;
  Status read_events(const Take<EditedEvent>& take) const { return named(walk_events(take)); }
  /// With rows instead of slots.
  Status read_messages(const Take<MessageLinks::Message>& take) const { return named(walk_messages(take)); }
  /// Instance after instance.
  Status read_parts(const Take<CollectiveLinks::Part>& take) const { return named(walk_parts(take)); }
  Status read_awaited(const Take<AwaitedLinks::Awaited>& take) const;
  /// The values of user events.
  Status read_user_values(const Take<UserValueLinks::Word>& take) const;
  /// The rows of /waits, likewise.
  Status read_waits(const Take<AwaitedLinks::Awaited>& take) const;
  Result<StoredClocks> read_clocks() const;
  Result<SampleReader> samples() const;
  Result<ProcessorReader> processor() const;
  Result<MemoryReader> memory() const;
  Result<EnergyReader> energy() const;
  /// The error with the name of this file, unless it may be that of another file (io).
  Error named(Error error) const;

 private:
  Status named(Status status) const { return status ? status : Status{named(std::move(status).error())}; }
  StoredTrace(std::filesystem::path path, h5::File file, MergedDefinitions definitions)
      : path_{std::move(path)}, file_{std::move(file)}, definitions_{std::move(definitions)} {}
  Status open_tables();
  Status walk_events(const Take<EditedEvent>& take) const;
  Status walk_messages(const Take<MessageLinks::Message>& take) const;
  Status walk_parts(const Take<CollectiveLinks::Part>& take) const;
  template <class Row>
  Status walk_pairs(const char* group, std::span<const AnyColumn> columns, std::span<const AnyColumn> row_columns,
                    const Take<AwaitedLinks::Awaited>& take) const;

  std::filesystem::path path_;
  h5::File file_;
  MergedDefinitions definitions_;
  std::uint64_t events_ = 0, messages_ = 0, parts_ = 0;
  std::size_t event_columns_ = 0;
};

}  // namespace meridian
