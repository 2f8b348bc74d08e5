// SPDX-License-Identifier: Apache-2.0
#pragma once

// The reader of merged.h5 (merged/FORMAT.md). Needs HDF5 to link, not to compile.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "merged/model/clock_bounds.hpp"
#include "merged/model/clock_report.hpp"
#include "merged/model/definitions.hpp"
#include "merged/model/event_waits.hpp"
#include "summary/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// The role of an event in a message or in a collective.
enum class LinkKind : std::uint8_t {
  sent,      ///< it sent the message
  posted,    ///< it posted the receive
  received,  ///< it found the message received
  entered,   ///< it entered the collective
  left,      ///< it left the collective
};

/// A message (sent, posted, received) or a participant of a collective (entered, left).
struct EventLink {
  LinkKind kind{};
  std::uint64_t number = 0;  ///< for MergedTrace::message() or MergedTrace::part()
};

/// The bit of a kind in EventSelection::links.
constexpr std::uint8_t link_bit(LinkKind kind) noexcept {
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(kind));
}
inline constexpr std::uint8_t kNoLinks = 0;
inline constexpr std::uint8_t kAllLinks = 0b11111;

/// Fields of an event besides its times and its thread; bits of EventSelection::fields.
enum EventField : std::uint32_t {
  kFieldSequence = 1,
  kFieldCall = 1 << 1,
  kFieldFlags = 1 << 2,
  kFieldComm = 1 << 3,
  kFieldPeer = 1 << 4,
  kFieldTag = 1 << 5,
  kFieldBytesSent = 1 << 6,
  kFieldBytesReceived = 1 << 7,
  kFieldCalls = 1 << 8,
  kFieldOutside = 1 << 9,
  kFieldSite = 1 << 10,
  kFieldPath = 1 << 11,
  kAllFields = (1 << 12) - 1,
};

/// A call, or polls that found nothing, one after another at one place. Times are global ns.
struct MergedEvent {
  std::uint64_t row = 0;
  std::int64_t enter_ns = 0;
  std::int64_t duration_ns = 0;
  std::uint64_t sequence = 0;  ///< number of the call in its thread
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint32_t location = 0;  ///< in MergedDefinitions::locations
  std::int32_t rank = 0;
  std::uint32_t thread = 0;
  std::uint32_t call = 0;
  std::uint32_t flags = 0;  ///< RecordFlag, kEventAnySource
  std::int32_t comm = -1;
  std::int32_t peer = -1;  ///< world rank
  std::int32_t tag = -1;
  std::uint32_t site = 0;
  std::uint32_t path = 0;
  std::uint32_t first_link = 0;  ///< in MergedBatch::links
  std::uint32_t links = 0;
  std::uint64_t calls = 1;
  std::int64_t outside_ns = 0;  ///< time between enter and leave that is not inside the calls

  std::int64_t leave_ns() const noexcept { return enter_ns + duration_ns; }
  std::int64_t inside_ns() const noexcept { return duration_ns - outside_ns; }
};

struct MergedBatch {
  std::vector<MergedEvent> events;
  std::vector<EventLink> links;
  std::vector<EventWait> waits;  ///< by row, whether backwards or not; also of events that are not selected

  std::span<const EventLink> links_of(const MergedEvent& event) const {
    return std::span{links}.subspan(event.first_link, event.links);
  }
  std::span<const EventWait> waits_of(const MergedEvent& event) const {
    const auto from = std::ranges::lower_bound(waits, event.row, {}, &EventWait::row);
    const auto to = std::ranges::upper_bound(waits, event.row, {}, &EventWait::row);
    return {from, to};
  }
};

/// A message; its ends are rows of events.
struct MergedMessage {
  std::uint64_t number = 0;
  std::uint64_t send = 0;        ///< the call that sent it or started the send request
  std::uint64_t post = 0;        ///< the receive call, or the one that started the request
  std::uint64_t completion = 0;  ///< the call that found it received; equals post if blocking
  std::int32_t comm = -1;
  std::int32_t tag = -1;
  std::uint64_t bytes = 0;  ///< as sent
};

/// The event rows of a message.
struct MessageEnds {
  std::uint64_t send = 0;
  std::uint64_t post = 0;
  std::uint64_t completion = 0;
};

/// A participant of a collective.
struct MergedPart {
  std::uint64_t number = 0;
  std::uint64_t instance = 0;
  std::uint64_t start = 0;       ///< row of the call that entered
  std::uint64_t completion = 0;  ///< row of the call that left; equals start if blocking
  std::int32_t comm = -1;
  std::int32_t root = -1;        ///< group rank; -1: none
  std::int32_t parts = 0;        ///< participants of the instance in the file
  std::uint64_t first_part = 0;  ///< number of the instance's first participant
  std::int32_t comm_rank = 0;
  std::int32_t shape = 4;  ///< which exits follow which enters: see FORMAT.md
};

/// A part of the run.
struct TimeWindow {
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;
  bool operator==(const TimeWindow&) const = default;
};

/// Selects events and a direction.
struct EventSelection {
  std::int64_t from_ns = std::numeric_limits<std::int64_t>::min();  ///< events that end before are left out
  std::int64_t to_ns = std::numeric_limits<std::int64_t>::max();    ///< events that begin then or later are left out
  std::vector<std::int32_t> ranks{};                                ///< empty: all
  bool is_backwards = false;                                        ///< last event first
  std::uint32_t fields = kAllFields;  ///< of EventField: others are not decoded, and keep their default values
  std::uint8_t links = kAllLinks;     ///< of link_bit(): how events take part in messages and collectives
  bool has_waits = false;             ///< fills MergedBatch::waits
  std::vector<TimeWindow> windows{};  ///< in order and apart: only events in one of these; empty: no such condition
};

class MergedTrace;
class EnergyReader;
class MemoryReader;
class ProcessorReader;
class SampleReader;

/// Reads events in global order, some 65536 at a time; blocks without a selected event are not read. The trace must
/// outlive it. Not thread-safe.
class EventCursor {
 public:
  EventCursor(EventCursor&&) noexcept;
  EventCursor& operator=(EventCursor&&) noexcept;
  ~EventCursor();

  /// Replaces the batch by the next selected events; false if there are none. errors: damaged, io.
  Result<bool> next(MergedBatch& batch);

 private:
  friend class MergedTrace;
  struct Impl;
  explicit EventCursor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// A merged file, open for reading. Memory is bounded by blocks of rows and by the definitions, regardless of the
/// length of the trace; sizes that the file claims are bounded by its own size. Not thread-safe.
class MergedTrace {
 public:
  /// errors  not_found; damaged: not a merged file, or contradictory tables; unsupported: another version.
  static Result<MergedTrace> open(const std::filesystem::path& path);
  /// For a file that another process has flushed, and keeps open for writing without writing. It may lack the summary.
  static Result<MergedTrace> open_flushed(const std::filesystem::path& path);
  /// For an HDF5 file (hid_t) that is open and stays open.
  static Result<MergedTrace> borrow(std::int64_t file);
  MergedTrace(MergedTrace&&) noexcept;
  MergedTrace& operator=(MergedTrace&&) noexcept;
  ~MergedTrace();

  const std::filesystem::path& path() const noexcept;
  const MergedDefinitions& definitions() const noexcept;
  std::uint64_t events() const noexcept;
  std::uint64_t messages() const noexcept;
  std::uint64_t instances() const noexcept;  ///< of collectives
  std::uint64_t parts() const noexcept;      ///< participants of all instances

  Result<EventCursor> select(EventSelection selection = {}) const;

  // Random access. errors: not_found: there is no such row; damaged; io.
  Result<MergedEvent> event(std::uint64_t row) const;
  Result<MergedMessage> message(std::uint64_t number) const;
  /// The same, quicker, where its sending call is at hand with comm, tag and bytes_sent.
  Result<MergedMessage> message(std::uint64_t number, const MergedEvent& send) const;
  /// Only the rows of its ends: no event is read.
  Result<MessageEnds> message_ends(std::uint64_t number) const;
  Result<MergedPart> part(std::uint64_t number) const;
  /// Appends the waits of the events [first, last), by row. A trace that was merged without analyses has none.
  Status waits(std::uint64_t first, std::uint64_t last, std::vector<EventWait>& waits) const;
  /// Appends the calls for which the events [first, last) may have waited besides messages and collectives, by row.
  Status awaited(std::uint64_t first, std::uint64_t last, std::vector<EventAwaited>& awaited) const;
  /// The words of the values of one user event or counter: trace/model/user_fields.hpp decodes them by the fields in
  /// definitions().find_user(). Empty for other events.
  Result<std::vector<std::uint64_t>> user_words(std::uint64_t row) const;
  /// The row of a call, identified by rank, thread and sequence.
  Result<std::uint64_t> find(std::int32_t rank, std::uint32_t thread, std::uint64_t sequence) const;

  /// What threads computed: include merged/sample_reader.hpp. A trace without samples has none. errors: damaged; io.
  Result<SampleReader> samples() const;
  /// When threads had no processor: include merged/processor_reader.hpp. A trace may have no such intervals. errors: damaged; io.
  Result<ProcessorReader> processor() const;
  /// The memory of the processes over time: include merged/memory_reader.hpp. A trace may have none. errors: damaged; io.
  Result<MemoryReader> memory() const;
  /// The energy of the hosts over time; include merged/energy_reader.hpp. The reader is empty if the kernel showed no energy. errors: damaged; io.
  Result<EnergyReader> energy() const;

  /// The data of `meridian stats`. errors: not_found: there is none; damaged; unsupported: another version.
  Result<Summary> summary() const;
  /// The summary of a file whose events need not be readable. errors  also those of opening a file
  static Result<Summary> read_summary(const std::filesystem::path& path);
  /// The clock corrections. errors: damaged; io.
  Result<ClockReport> clock_report() const;
  /// Bounds of the times, by MergedRank::clock_domain. errors: not_found: the clock model gives no bounds; damaged; io.
  Result<ClockBounds> clock_bounds() const;

  struct Impl;

 private:
  friend class EventCursor;
  explicit MergedTrace(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace meridian
