// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "query/event_walk.hpp"
#include "query/trace_tables.hpp"

namespace meridian {
namespace {

// The ends of a message that a column needs.
constexpr std::uint32_t kNeedsSend = 1;
constexpr std::uint32_t kNeedsPost = 2;
constexpr std::uint32_t kNeedsCompletion = 4;

constexpr std::uint8_t kSenderEnd = 0;
constexpr std::uint8_t kReceiverEnd = 1;

struct MessageRow {
  MergedMessage message;
  MergedEvent send, post, completion;
  const MergedDefinitions* names = nullptr;
};

std::vector<QueryColumn> message_columns() {
  using Row = MessageRow;
  return {
      {.column = column<Row>("message", "", "number, in the order of sends, from 0",
                             [](const Row& row) { return row.message.number; }),
       .role = ColumnRole::number},
      {.column = column<Row>("source", "", "rank that sent it", [](const Row& row) { return row.send.rank; }),
       .role = ColumnRole::rank,
       .end = kSenderEnd,
       .needs = kNeedsSend},
      {.column = column<Row>("dest", "", "rank that received it", [](const Row& row) { return row.completion.rank; }),
       .role = ColumnRole::rank,
       .end = kReceiverEnd,
       .needs = kNeedsCompletion},
      {.column = column<Row>("send_s", "s", "when the call that sent it was entered, since the start of the trace",
                             [](const Row& row) { return seconds_of(row.send.enter_ns); }),
       .role = ColumnRole::time,
       .end = kSenderEnd,
       .has_order = true,
       .needs = kNeedsSend},
      {.column = column<Row>("post_s", "s", "when the call that posted the receive was entered",
                             [](const Row& row) { return seconds_of(row.post.enter_ns); }),
       .needs = kNeedsPost},
      {.column = column<Row>("receive_s", "s", "when the call that found it received was left",
                             [](const Row& row) { return seconds_of(row.completion.leave_ns()); }),
       .role = ColumnRole::time,
       .end = kReceiverEnd,
       .needs = kNeedsCompletion},
      {.column = column<Row>("transfer_s", "s", "receive_s minus send_s",
                             [](const Row& row) { return seconds_of(row.completion.leave_ns() - row.send.enter_ns); }),
       .needs = kNeedsSend | kNeedsCompletion},
      {.column = column<Row>("bytes", "bytes", "as sent", [](const Row& row) { return row.message.bytes; })},
      {.column = column<Row>("tag", "", "of the message", [](const Row& row) { return row.message.tag; })},
      {.column = column<Row>("communicator", "", "its name; NULL: unknown",
                             [](const Row& row) { return communicator_name(*row.names, row.message.comm); })
                     .nullable()},
      {.column = column<Row>("send_function", "", "that sent it, or started the send request",
                             [](const Row& row) { return function_name(*row.names, row.send.call); }),
       .needs = kNeedsSend},
      {.column = column<Row>("post_function", "", "that received it, or started the receive request",
                             [](const Row& row) { return function_name(*row.names, row.post.call); }),
       .needs = kNeedsPost},
      {.column = column<Row>("receive_function", "", "that found it received; of a blocking receive post_function",
                             [](const Row& row) { return function_name(*row.names, row.completion.call); }),
       .needs = kNeedsCompletion},
      {.column = column<Row>("send_call", "", "RANK:CALL of send_function",
                             [](const Row& row) { return call_label(row.send); }),
       .needs = kNeedsSend},
      {.column = column<Row>("post_call", "", "RANK:CALL of post_function",
                             [](const Row& row) { return call_label(row.post); }),
       .needs = kNeedsPost},
      {.column = column<Row>("receive_call", "", "RANK:CALL of receive_function",
                             [](const Row& row) { return call_label(row.completion); }),
       .needs = kNeedsCompletion},
      {.column =
           column<Row>("send_event", "", "event of send_function", [](const Row& row) { return row.message.send; })},
      {.column =
           column<Row>("post_event", "", "event of post_function", [](const Row& row) { return row.message.post; })},
      {.column = column<Row>("receive_event", "", "event of receive_function",
                             [](const Row& row) { return row.message.completion; })},
  };
}

/// Reads the ends of messages that the columns need.
class MessageReader {
 public:
  MessageReader(const MergedTrace& trace, std::uint32_t needs) : trace_{&trace}, needs_{needs} {}

  /// end, at  the event at one end, if it is at hand; nullptr otherwise
  Status read(std::uint64_t number, std::uint8_t end, const MergedEvent* at, MessageRow& row) const {
    if (at != nullptr && end == kSenderEnd) {
      MERIDIAN_TRY(row.message, trace_->message(number, *at));
    } else {
      MERIDIAN_TRY(row.message, trace_->message(number));
    }
    row.names = &trace_->definitions();
    const auto fill = [&](std::uint32_t part, std::uint64_t event, MergedEvent& target) -> Status {
      if (at != nullptr && at->row == event) {
        target = *at;
      } else if ((needs_ & part) != 0) {
        MERIDIAN_TRY(target, trace_->event(event));
      }
      return {};
    };
    MERIDIAN_TRY_DO(fill(kNeedsSend, row.message.send, row.send));
    MERIDIAN_TRY_DO(fill(kNeedsPost, row.message.post, row.post));
    return fill(kNeedsCompletion, row.message.completion, row.completion);
  }

 private:
  const MergedTrace* trace_;
  std::uint32_t needs_;
};

/// The messages with one end in a window, in the order of the events at that end.
class MessageSource final : public RowSource {
 public:
  MessageSource(MessageReader reader, LinkWalk walk, std::uint8_t end)
      : reader_{reader}, walk_{std::move(walk)}, end_{end} {}

  Result<bool> next() override {
    MERIDIAN_TRY(const EventLink* const link, walk_.next());
    if (link == nullptr) return false;
    MERIDIAN_TRY_DO(reader_.read(link->number, end_, &walk_.event(), row_));
    return true;
  }
  const void* row() const override { return &row_; }

 private:
  MessageReader reader_;
  LinkWalk walk_;
  std::uint8_t end_;
  MessageRow row_;
};

class OneMessage final : public RowSource {
 public:
  OneMessage(MessageReader reader, std::uint64_t number, std::uint64_t messages)
      : reader_{reader}, number_{number}, is_left_{number < messages} {}
  Result<bool> next() override {
    if (!is_left_) return false;
    is_left_ = false;
    MERIDIAN_TRY_DO(reader_.read(number_, kSenderEnd, nullptr, row_));
    return true;
  }
  const void* row() const override { return &row_; }

 private:
  MessageReader reader_;
  std::uint64_t number_;
  bool is_left_;
  MessageRow row_;
};

Result<std::unique_ptr<RowSource>> open_messages(const QueryTrace& trace, const RowWindow& window) {
  const MessageReader reader{trace.trace(), window.needs};
  if (window.number)
    return std::unique_ptr<RowSource>{new OneMessage{reader, *window.number, trace.trace().messages()}};
  const LinkKind kind = window.end == kSenderEnd ? LinkKind::sent : LinkKind::received;
  constexpr std::uint32_t kFields = kFieldSequence | kFieldCall | kFieldComm | kFieldTag | kFieldBytesSent;
  MERIDIAN_TRY(LinkWalk walk, LinkWalk::open(trace, window, kFields, kind, "messages"));
  return std::unique_ptr<RowSource>{new MessageSource{reader, std::move(walk), window.end}};
}

}  // namespace

QueryTable messages_table() {
  return {.name = "messages",
          .text = "one row for each message with both its ends, in the order of sends",
          .columns = message_columns(),
          .count = [](const QueryTrace& trace) { return trace.trace().messages(); },
          .open = &open_messages};
}

}  // namespace meridian
