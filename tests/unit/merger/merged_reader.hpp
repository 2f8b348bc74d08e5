#pragma once

// Reads a merged file back for tests, column by column.

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "merger/event_ref.hpp"
#include "merger/event_row.hpp"
#include "trace/format/column.hpp"
#include "trace/format/summary.hpp"
#include "trace/format/table.hpp"

namespace meridian::test {

class MergedReader {
 public:
  explicit MergedReader(const std::filesystem::path& path) {
    auto file = h5::open_read_only(path);
    if (!file) throw std::runtime_error(file.error().what);
    file_ = *std::move(file);
  }

  template <class T>
  std::vector<T> column(const std::string& path) const {
    auto reader = ColumnReader::open(file_.get(), path);
    if (!reader) throw std::runtime_error(reader.error().what);
    std::vector<T> values(reader->size());
    if (values.empty()) return values;
    if (auto status = reader->template read<T>(0, values); !status) throw std::runtime_error(status.error().what);
    return values;
  }
  std::vector<std::string> strings(const std::string& path) const {
    auto values = h5::read_strings(file_.get(), path);
    if (!values) throw std::runtime_error(values.error().what);
    return *values;
  }

  std::vector<EventRow> events() const {
    const auto enter = column<std::int64_t>("events/enter_ns");
    const auto duration = column<std::int64_t>("events/duration_ns");
    const auto rank = column<std::int32_t>("events/rank");
    const auto thread = column<std::uint32_t>("events/thread");
    const auto call = column<std::uint16_t>("events/call");
    const auto flags = column<std::uint8_t>("events/flags");
    const auto comm = column<std::int32_t>("events/comm");
    const auto peer = column<std::int32_t>("events/peer");
    const auto tag = column<std::int32_t>("events/tag");
    const auto sent = column<std::uint64_t>("events/bytes_sent");
    const auto received = column<std::uint64_t>("events/bytes_received");
    const auto sequence = column<std::uint64_t>("events/sequence");
    std::vector<EventRow> rows;
    for (std::size_t i = 0; i < enter.size(); ++i)
      rows.push_back({enter[i], duration[i], sent[i], received[i], sequence[i] & EventRow::kMaxSequence, 0, rank[i],
                      thread[i], static_cast<std::uint32_t>(comm[i]), peer[i], tag[i], call[i], flags[i]});
    return rows;
  }

  std::vector<MatchedMessage> messages() const {
    const std::string in = "messages/";
    const auto send_rank = column<std::int32_t>(in + "send_rank");
    const auto send_thread = column<std::uint32_t>(in + "send_thread");
    const auto send = column<std::uint64_t>(in + "send_sequence");
    const auto receive_rank = column<std::int32_t>(in + "receive_rank");
    const auto post_thread = column<std::uint32_t>(in + "post_thread");
    const auto post = column<std::uint64_t>(in + "post_sequence");
    const auto completion_thread = column<std::uint32_t>(in + "completion_thread");
    const auto completion = column<std::uint64_t>(in + "completion_sequence");
    const auto comm = column<std::uint32_t>(in + "comm");
    const auto tag = column<std::int32_t>(in + "tag");
    const auto bytes = column<std::uint64_t>(in + "bytes");
    const auto send_enter = column<std::int64_t>(in + "send_enter_ns");
    const auto post_enter = column<std::int64_t>(in + "post_enter_ns");
    const auto leave = column<std::int64_t>(in + "receive_leave_ns");
    std::vector<MatchedMessage> rows;
    for (std::size_t i = 0; i < send.size(); ++i)
      rows.push_back({{send_rank[i], send_thread[i], send[i]},
                      {receive_rank[i], post_thread[i], post[i]},
                      {receive_rank[i], completion_thread[i], completion[i]},
                      comm[i],
                      tag[i],
                      bytes[i],
                      send_enter[i],
                      post_enter[i],
                      leave[i]});
    return rows;
  }

  std::vector<CollectivePart> collectives() const {
    const std::string in = "collectives/";
    const auto instance = column<std::uint64_t>(in + "instance");
    const auto comm = column<std::uint32_t>(in + "comm");
    const auto shape = column<std::uint8_t>(in + "shape");
    const auto comm_rank = column<std::int32_t>(in + "comm_rank");
    const auto root = column<std::int32_t>(in + "root");
    const auto parts = column<std::int32_t>(in + "parts");
    const auto rank = column<std::int32_t>(in + "rank");
    const auto start_thread = column<std::uint32_t>(in + "start_thread");
    const auto start = column<std::uint64_t>(in + "start_sequence");
    const auto completion_thread = column<std::uint32_t>(in + "completion_thread");
    const auto completion = column<std::uint64_t>(in + "completion_sequence");
    const auto enter = column<std::int64_t>(in + "enter_ns");
    const auto leave = column<std::int64_t>(in + "leave_ns");
    std::vector<CollectivePart> rows;
    for (std::size_t i = 0; i < instance.size(); ++i)
      rows.push_back({instance[i],
                      comm[i],
                      static_cast<CollectiveShape>(shape[i]),
                      comm_rank[i],
                      root[i],
                      parts[i],
                      0,  // of intercommunicators; not in the file
                      false,
                      false,
                      {rank[i], start_thread[i], start[i]},
                      {rank[i], completion_thread[i], completion[i]},
                      enter[i],
                      leave[i]});
    return rows;
  }

 private:
  h5::File file_;
};

/// (send rank, send number) -> (receive rank, number of the completing call), sorted: what most tests want to know.
using Pairing = std::array<std::int64_t, 4>;
inline std::vector<Pairing> pairings(const std::vector<MatchedMessage>& messages) {
  std::vector<Pairing> pairs;
  for (const MatchedMessage& message : messages)
    pairs.push_back({message.send.rank, static_cast<std::int64_t>(message.send.event), message.completion.rank,
                     static_cast<std::int64_t>(message.completion.event)});
  std::ranges::sort(pairs);
  return pairs;
}

inline const Finding* find(const Summary& summary, const std::string& name) {
  for (const Finding& finding : summary.findings)
    if (finding.name == name) return &finding;
  return nullptr;
}
inline std::uint64_t count_of(const Summary& summary, const std::string& name) {
  const Finding* finding = find(summary, name);
  return finding == nullptr ? 0 : finding->count;
}

}  // namespace meridian::test
