// SPDX-License-Identifier: Apache-2.0
#pragma once

// The long tables of merged.h5, by columns: FORMAT.md. Columns are signed and at least 32 bits wide, in every trace: sums
// and products in NumPy stay integers and do not wrap.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "trace/format/tables/table_column.hpp"

namespace meridian {

inline constexpr const char* kEvents = "events";
inline constexpr const char* kMessages = "messages";
inline constexpr const char* kInstances = "collectives";
inline constexpr const char* kParts = "parts";
inline constexpr const char* kWaits = "waits";
inline constexpr const char* kAwaited = "awaited";
inline constexpr const char* kCounters = "counters";
inline constexpr const char* kUserValues = "user_values";
inline constexpr const char* kIndex = "index";

/// When an event was, and whose it is; rows are in global order.
struct StoredTime {
  std::int64_t step_ns = 0;
  std::int64_t duration_ns = 0;
  std::int32_t location = 0;
};
inline constexpr Columns kEventTimeColumns{
    column<&StoredTime::step_ns>("enter_step_ns", "ns", "enter less the enter of the row before"),
    column<&StoredTime::duration_ns>("duration_ns", "ns", "from enter to leave"),
    column<&StoredTime::location>("location", "", "thread that called: row of /threads"),
};

/// The other columns of an event. Each block of 65536 rows is sorted by location.
struct StoredEvent {
  std::int64_t skipped = 0;
  std::int64_t bytes_sent = 0;
  std::int64_t bytes_received = 0;
  std::int64_t calls = 1;
  std::int64_t outside_ns = 0;
  std::int32_t call = 0;
  std::int32_t flags = 0;
  std::int32_t comm = -1;
  std::int32_t peer = -1;
  std::int32_t tag = -1;
  std::int32_t site = 0;
  std::int32_t path = 0;
};
inline constexpr Columns kEventColumns{
    column<&StoredEvent::skipped>("skipped", "", "calls of the thread that are missing before this one"),
    column<&StoredEvent::call>("call", "", "row of /calls"),
    column<&StoredEvent::flags>("flags", "",
                                "1 failed, 2 unfinished, 4 has call site, 8 has counters, 16 polls that had not ended, "
                                "32 abandoned, 64 region begins, 128 region ends, 256 from any source"),
    column<&StoredEvent::comm>("comm", "", "row of /communicators; -1: none"),
    column<&StoredEvent::peer>("peer", "", "world rank of the partner or of the root; -1: none"),
    column<&StoredEvent::tag>("tag", "", "of the message; -1: none"),
    column<&StoredEvent::bytes_sent>("bytes_sent", "B"),
    column<&StoredEvent::bytes_received>("bytes_received", "B"),
    column<&StoredEvent::calls>("calls", "", "1; of a phase of polls that found nothing their number"),
    column<&StoredEvent::outside_ns>("outside_ns", "ns", "of a phase, time between enter and leave outside the calls"),
    column<&StoredEvent::site>("site", "", "source location of the call: row of /sites; 0: not known"),
    column<&StoredEvent::path>("path", "", "call path: row of /paths; 0: not known"),
};
/// Those that every file has; `site` is only in files with call sites, `path` only in those with stacks.
inline constexpr std::size_t kEventColumnsAlways = 10;

/// The event rows of a message, of a participant of a collective, or of a wait.
struct StoredLink {
  std::int64_t step = 0;
  std::int64_t completion = 0;  ///< of a wait the causer
  std::int64_t post = 0;        ///< of messages
};
inline constexpr Columns kMessageLinkColumns{
    column<&StoredLink::step>("send_step", "", "event row of the sending call, less that of the message before"),
    column<&StoredLink::completion>(
        "completion", "", "event row of the call that saw the message received, less that of the sending call"),
    column<&StoredLink::post>("post", "", "event row of that call, less that of the call that posted the receive"),
};
inline constexpr Columns kPartLinkColumns{
    column<&StoredLink::step>("start_step", "", "event row of the call that entered, less that of the row before"),
    column<&StoredLink::completion>("completion", "",
                                    "event row of the call that left, less that of the call that entered"),
};

/// The columns of /messages that do not refer to events.
struct StoredMessage {
  std::int32_t comm = 0;
  std::int32_t tag = 0;
  std::int64_t bytes = 0;
};
inline constexpr Columns kMessageColumns{
    column<&StoredMessage::comm>("comm_difference", "", "row of /communicators, less comm of the sending call"),
    column<&StoredMessage::tag>("tag_difference", "", "tag, less tag of the sending call"),
    column<&StoredMessage::bytes>("bytes_difference", "B", "bytes as sent, less bytes_sent of the sending call"),
};

/// A row of /collectives.
struct StoredInstance {
  std::int32_t comm = 0;
  std::int32_t root = -1;
  std::int32_t parts = 0;
};
inline constexpr Columns kInstanceColumns{
    column<&StoredInstance::comm>("comm", "", "row of /communicators"),
    column<&StoredInstance::root>("root", "", "group rank of the root; -1: none"),
    column<&StoredInstance::parts>("parts", "",
                                   "participants that the trace has; their rows of /parts follow one another"),
};

/// The columns of /parts that do not refer to events.
struct StoredPart {
  std::int32_t comm_rank = 0;
  std::int32_t shape = 0;
};
inline constexpr Columns kPartColumns{
    column<&StoredPart::comm_rank>("comm_rank", "", "of the participant in its group"),
    column<&StoredPart::shape>(
        "shape", "", "which exits follow which enters: 0 all-to-all, 1 one-to-all, 2 all-to-one, 3 prefix, 4 none"),
};

inline constexpr Columns kWaitLinkColumns{
    column<&StoredLink::step>("row_step", "", "event row of the call that waited, less that of the row before"),
    column<&StoredLink::completion>("causer", "",
                                    "event row of the call that was waited for, less that of the call that waited"),
};

/// The columns of /waits that do not refer to events.
struct StoredWait {
  std::int64_t wait_ns = 0;
  std::int32_t kind = 0;
};
inline constexpr Columns kWaitColumns{
    column<&StoredWait::wait_ns>("wait_ns", "ns", "time waited in the call"),
    column<&StoredWait::kind>("kind", "", "what it waited for: FORMAT.md has the numbers"),
};

inline constexpr Columns kAwaitedLinkColumns{
    column<&StoredLink::step>("row_step", "",
                              "event row of the call that may have waited, less that of the row before"),
    column<&StoredLink::completion>("causer", "", "event row of the call that it may have waited for, less that row"),
};

/// The column of /awaited that does not refer to events.
struct StoredAwaited {
  std::int32_t kind = 0;
};
inline constexpr Columns kAwaitedColumns{
    column<&StoredAwaited::kind>("kind", "", "what it may have waited for: numbers as in /waits"),
};

inline constexpr Columns kUserValueLinkColumns{
    column<&StoredLink::step>("row_step", "", "event row of the user event, less that of the row before"),
};

/// The column of /user_values that does not refer to events.
struct StoredWord {
  std::int64_t word = 0;
};
inline constexpr Columns kUserValueColumns{
    column<&StoredWord::word>("word", "",
                              "64 bits of a value: /user_definitions has the fields of the event, in their order"),
};

/// One counter in one call. A call with counters has a row for each row of /counters/name.
struct StoredCount {
  std::int64_t value = 0;
  std::int64_t between = 0;
};
inline constexpr Columns kCountColumns{
    column<&StoredCount::value>("value", "", "increase in the call: one value for each row of /counters/name"),
    column<&StoredCount::between>("between", "", "increase since the counted call of the thread before it, likewise"),
};

/// A column with a length of its own.
struct NumberColumn {
  const char* group;
  Columns<std::int64_t, 1> columns;

  constexpr NumberColumn(const char* of, std::string_view name, std::string_view unit, std::string_view text)
      : group{of}, columns{value_column<std::int64_t>(name, unit, text)} {}
};
inline constexpr NumberColumn kCounterEvents{kCounters, "event_step", "",
                                             "event row of the call, less that of the row before"};

// Other orders of a table.
inline constexpr NumberColumn kMessagesByCompletion{kMessages, "by_completion", "",
                                                    "message that is k-th by completion row, less k"};
inline constexpr NumberColumn kMessagesByPost{kMessages, "by_post", "", "message that is k-th by post row, less k"};
inline constexpr NumberColumn kPartsByStart{kParts, "by_start", "", "row of /parts that is k-th by start row, less k"};
inline constexpr NumberColumn kPartsByCompletion{kParts, "by_completion", "",
                                                 "row of /parts that is k-th by completion row, less k"};

// One element for each 65536 rows of what they index, for random access.
inline constexpr NumberColumn kIndexEnter{kIndex, "enter_ns", "ns", "enter of the block's first event"};
inline constexpr NumberColumn kIndexLeave{kIndex, "latest_leave_ns", "ns", "latest leave of the block's events"};
inline constexpr NumberColumn kIndexSequence{
    kIndex, "sequence", "",
    "for each location, number of its next call: every `sequence_rows` events (attribute of the root)"};
inline constexpr NumberColumn kIndexSend{kIndex, "send", "",
                                         "event row of the sending call of the block's first message"};
inline constexpr NumberColumn kIndexCompletion{kIndex, "completion", "",
                                               "completion row of the block's first message by completion"};
inline constexpr NumberColumn kIndexPost{kIndex, "post", "", "post row of the block's first message by post"};
inline constexpr NumberColumn kIndexPartStart{kIndex, "part_start", "", "start row of the block's first row of /parts"};
inline constexpr NumberColumn kIndexByStart{kIndex, "part_by_start", "", "start row of the block's first row by start"};
inline constexpr NumberColumn kIndexByCompletion{kIndex, "part_by_completion", "",
                                                 "completion row of the block's first row by completion"};
inline constexpr NumberColumn kIndexWait{kIndex, "wait", "", "event row of the call of the block's first wait"};
inline constexpr NumberColumn kIndexAwaited{kIndex, "awaited", "",
                                            "event row of the call of the block's first row of /awaited"};
inline constexpr NumberColumn kIndexUserValue{kIndex, "user_value", "",
                                              "event row of the user event of the block's first row of /user_values"};
inline constexpr NumberColumn kIndexPartInstance{kIndex, "part_instance", "",
                                                 "row of /collectives of the block's first row of /parts"};
inline constexpr NumberColumn kIndexInstancePart{kIndex, "instance_part", "",
                                                 "first row of /parts of the block's first row of /collectives"};

}  // namespace meridian
