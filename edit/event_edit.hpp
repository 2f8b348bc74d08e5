// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "choice/event_choice.hpp"
#include "choice/row_bits.hpp"
#include "edit/stored_trace.hpp"
#include "merger/output/row_map.hpp"
#include "trace/containers/temp_file.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Numbers of events and links that an edit left out or changed.
struct EditCounts {
  std::uint64_t events = 0;  ///< events of the original that are gone
  std::uint64_t messages = 0;
  std::uint64_t collectives = 0;
  std::uint64_t fused = 0;     ///< calls that became part of another event
  std::uint64_t moved = 0;     ///< events in another row than before
  std::uint64_t reversed = 0;  ///< messages that are received before they are sent
};

/// Where an edit passes the events of a trace.
struct EditSinks {
  using Take = std::function<Status(const EditedEvent&)>;
  Take keep;   ///< each event that remains, as it was, in the order of its thread
  Take drop;   ///< each other event
  Take write;  ///< each event of the new trace, in its order
};

/// The part of `meridian cut`, `filter`, `sort` or `aggregate` that differs: the events of the new trace.
class EventEdit {
 public:
  EventEdit() = default;
  EventEdit(const EventEdit&) = delete;
  EventEdit& operator=(const EventEdit&) = delete;
  virtual ~EventEdit() = default;

  /// Sets, for each event that remains, the row of the new event that is or includes it.
  ///
  /// map  a slot for each row of `trace`, none of which has a row
  virtual Status run(const StoredTrace& trace, RowMap& map, const EditSinks& sinks) = 0;
  /// After run(): adds what the edit itself counts.
  virtual void count(EditCounts& counts) const { (void)counts; }
};

/// Keeps the chosen events.
class SelectEvents final : public EventEdit {
 public:
  explicit SelectEvents(EventChoice choice) : choice_{std::move(choice)} {}
  Status run(const StoredTrace& trace, RowMap& map, const EditSinks& sinks) override;

 private:
  EventChoice choice_;
};

/// Keeps all events, in order of (enter, rank, thread, place in the file).
class SortEvents final : public EventEdit {
 public:
  explicit SortEvents(std::shared_ptr<TempFile> scratch) : scratch_{std::move(scratch)} {}
  Status run(const StoredTrace& trace, RowMap& map, const EditSinks& sinks) override;

  void count(EditCounts& counts) const override { counts.moved += moved_; }

 private:
  std::shared_ptr<TempFile> scratch_;
  std::uint64_t moved_ = 0;
};

/// Fuses runs of short calls: consecutive ones of a thread with equal function, call site, communicator and flags, each
/// shorter than the limit and less than the limit after the one before. Calls that left or entered a collective,
/// received a message, waited or made others wait, and user events, remain as they are.
class FuseEvents final : public EventEdit {
 public:
  FuseEvents(std::int64_t shorter_than_ns, std::shared_ptr<TempFile> scratch)
      : limit_ns_{shorter_than_ns}, scratch_{std::move(scratch)} {}
  Status run(const StoredTrace& trace, RowMap& map, const EditSinks& sinks) override;

  void count(EditCounts& counts) const override { counts.fused += fused_; }

 private:
  Result<RowBits> find_bound(const StoredTrace& trace) const;

  std::int64_t limit_ns_;
  std::shared_ptr<TempFile> scratch_;
  std::uint64_t fused_ = 0;  // events that became part of an earlier one
};

/// Numbers the calls of each thread anew: those that the original lacks remain missing.
class CallNumbers {
 public:
  explicit CallNumbers(std::size_t locations) : next_(locations) {}
  void number(EditedEvent& event) {
    event.sequence = next_[event.location] + static_cast<std::uint64_t>(event.stored.skipped);
    next_[event.location] = event.sequence + 1;
  }

 private:
  std::vector<std::uint64_t> next_;  // [location]
};

}  // namespace meridian
