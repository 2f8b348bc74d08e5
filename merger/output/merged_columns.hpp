#pragma once

// The columns of the merged file: FORMAT.md, "Merged file".

#include <cstdint>
#include <tuple>

#include "merger/event_ref.hpp"
#include "merger/event_row.hpp"
#include "merger/output/row_columns.hpp"

namespace meridian {

inline constexpr std::tuple kEventColumns{
    RowColumn{"enter_ns", "ns", "global time at which the call began; ascends",
              [](const EventRow& row) { return row.enter_ns; }, false},
    RowColumn{"duration_ns", "ns", "from enter to leave", [](const EventRow& row) { return row.duration_ns; }},
    RowColumn{"rank", "", "in MPI_COMM_WORLD", [](const EventRow& row) { return row.rank; }},
    RowColumn{"thread", "", "number in its rank, in order of first appearance",
              [](const EventRow& row) { return row.thread; }},
    RowColumn{"call", "", "row of /calls", [](const EventRow& row) { return row.call; }},
    RowColumn{
        "flags", "",
        "1 failed, 2 unfinished, 4 has call site, 8 has counters, 32 abandoned, 64 region begins, 128 region ends",
        [](const EventRow& row) { return row.flags; }},
    RowColumn{"comm", "", "row of /communicators; -1: none",
              [](const EventRow& row) { return static_cast<std::int32_t>(row.comm); }},
    RowColumn{"peer", "", "world rank of the partner or of the root; -1: none",
              [](const EventRow& row) { return row.peer; }},
    RowColumn{"tag", "", "of the message; -1: none", [](const EventRow& row) { return row.tag; }},
    RowColumn{"bytes_sent", "B", "", [](const EventRow& row) { return row.bytes_sent; }},
    RowColumn{"bytes_received", "B", "", [](const EventRow& row) { return row.bytes_received; }},
    RowColumn{"sequence", "", "number of the call in its thread",
              [](const EventRow& row) { return std::uint64_t{row.sequence}; }},
};

inline constexpr std::tuple kMessageColumns{
    RowColumn{"send_rank", "", "world rank of the sender", [](const MatchedMessage& row) { return row.send.rank; }},
    RowColumn{"send_thread", "", "", [](const MatchedMessage& row) { return row.send.thread; }},
    RowColumn{"send_sequence", "", "call that sent it, or started the send request",
              [](const MatchedMessage& row) { return row.send.event; }},
    RowColumn{"receive_rank", "", "world rank of the receiver",
              [](const MatchedMessage& row) { return row.post.rank; }},
    RowColumn{"post_thread", "", "", [](const MatchedMessage& row) { return row.post.thread; }},
    RowColumn{"post_sequence", "", "call that received it, or started the receive request",
              [](const MatchedMessage& row) { return row.post.event; }},
    RowColumn{"completion_thread", "", "", [](const MatchedMessage& row) { return row.completion.thread; }},
    RowColumn{"completion_sequence", "", "call in which it was seen to be received",
              [](const MatchedMessage& row) { return row.completion.event; }},
    RowColumn{"comm", "", "row of /communicators", [](const MatchedMessage& row) { return row.comm; }},
    RowColumn{"tag", "", "", [](const MatchedMessage& row) { return row.tag; }},
    RowColumn{"bytes", "B", "as sent", [](const MatchedMessage& row) { return row.bytes; }},
    RowColumn{"send_enter_ns", "ns", "", [](const MatchedMessage& row) { return row.send_enter_ns; }, false},
    RowColumn{"post_enter_ns", "ns", "", [](const MatchedMessage& row) { return row.post_enter_ns; }, false},
    RowColumn{"receive_leave_ns", "ns", "leave of the completion; later than send_enter_ns",
              [](const MatchedMessage& row) { return row.receive_leave_ns; }, false},
};

inline constexpr std::tuple kCollectiveColumns{
    RowColumn{"instance", "", "number of the collective; its rows follow one another",
              [](const CollectivePart& row) { return row.instance; }},
    RowColumn{"comm", "", "row of /communicators", [](const CollectivePart& row) { return row.comm; }},
    RowColumn{"shape", "",
              "which exits follow which enters: 0 all-to-all, 1 one-to-all, 2 all-to-one, 3 prefix, 4 none",
              [](const CollectivePart& row) { return static_cast<std::uint8_t>(row.shape); }},
    RowColumn{"comm_rank", "", "of the participant in its group",
              [](const CollectivePart& row) { return row.comm_rank; }},
    RowColumn{"root", "", "group rank of the root; -1: none", [](const CollectivePart& row) { return row.root; }},
    RowColumn{"parts", "", "participants that the trace has", [](const CollectivePart& row) { return row.parts; }},
    RowColumn{"rank", "", "world rank of the participant", [](const CollectivePart& row) { return row.start.rank; }},
    RowColumn{"start_thread", "", "", [](const CollectivePart& row) { return row.start.thread; }},
    RowColumn{"start_sequence", "", "call that entered it", [](const CollectivePart& row) { return row.start.event; }},
    RowColumn{"completion_thread", "", "", [](const CollectivePart& row) { return row.completion.thread; }},
    RowColumn{"completion_sequence", "", "call that left it",
              [](const CollectivePart& row) { return row.completion.event; }},
    RowColumn{"enter_ns", "ns", "", [](const CollectivePart& row) { return row.enter_ns; }, false},
    RowColumn{"leave_ns", "ns", "", [](const CollectivePart& row) { return row.leave_ns; }, false},
};

}  // namespace meridian
