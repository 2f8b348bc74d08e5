// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads a merged file back for tests, column by column.

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "merger/model/event_ref.hpp"
#include "merger/model/event_row.hpp"
#include "summary/summary.hpp"
#include "trace/format/tables/column.hpp"
#include "trace/format/tables/table.hpp"

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
  /// A column of /events in the order of time. In each block of rows it is stored location by location.
  template <class T>
  std::vector<T> event_column(const std::string& name) const {
    constexpr std::size_t kBlock = 65536;
    const auto location = column<std::uint32_t>("events/location");
    const auto stored = column<T>(std::string{"events/"}.append(name));
    std::vector<std::size_t> order(location.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t row) { return std::pair{row / kBlock, location[row]}; });
    std::vector<T> values(stored.size());
    for (std::size_t i = 0; i < order.size(); ++i) values.at(order[i]) = stored.at(i);
    return values;
  }
  std::vector<std::string> strings(const std::string& path) const {
    auto values = h5::read_strings(file_.get(), path);
    if (!values) throw std::runtime_error(values.error().what);
    return *values;
  }

  std::vector<EventRow> events() const {
    const auto step = column<std::int64_t>("events/enter_step_ns");
    const auto duration = column<std::int64_t>("events/duration_ns");
    const auto location = column<std::uint32_t>("events/location");
    const auto skipped = event_column<std::int64_t>("skipped");
    const auto call = event_column<std::uint16_t>("call");
    const auto flags = event_column<std::uint32_t>("flags");
    const auto comm = event_column<std::int32_t>("comm");
    const auto peer = event_column<std::int32_t>("peer");
    const auto tag = event_column<std::int32_t>("tag");
    const auto sent = event_column<std::uint64_t>("bytes_sent");
    const auto received = event_column<std::uint64_t>("bytes_received");
    const auto rank = column<std::int32_t>("threads/rank");
    const auto thread = column<std::uint32_t>("threads/thread");
    std::vector<std::uint64_t> next(rank.size());
    std::int64_t enter = 0;
    std::vector<EventRow> rows;
    for (std::size_t i = 0; i < step.size(); ++i) {
      enter += step[i];
      const std::uint64_t sequence = next.at(location[i]) + static_cast<std::uint64_t>(skipped[i]);
      next[location[i]] = sequence + 1;
      rows.push_back({enter, duration[i], sent[i], received[i], sequence & EventRow::kMaxSequence, 0, rank[location[i]],
                      thread[location[i]], static_cast<std::uint32_t>(comm[i]), peer[i], tag[i], call[i],
                      static_cast<std::uint8_t>(flags[i] & 0xff), false, (flags[i] & kEventAnySource) != 0});
    }
    return rows;
  }

  std::vector<MatchedMessage> messages() const {
    const auto send_step = column<std::int64_t>("messages/send_step");
    const auto completion = column<std::int64_t>("messages/completion");
    const auto post = column<std::int64_t>("messages/post");
    const auto comm = column<std::int32_t>("messages/comm_difference");
    const auto tag = column<std::int32_t>("messages/tag_difference");
    const auto bytes = column<std::int64_t>("messages/bytes_difference");
    const std::vector<EventRow> calls = events();
    std::vector<MatchedMessage> rows;
    std::int64_t send = 0;
    for (std::size_t i = 0; i < send_step.size(); ++i) {
      send += send_step[i];
      const EventRow& from = calls.at(static_cast<std::size_t>(send));
      const EventRow& to = calls.at(static_cast<std::size_t>(send + completion[i]));
      const EventRow& posted = calls.at(static_cast<std::size_t>(send + completion[i] - post[i]));
      rows.push_back(
          {ref(from), ref(posted), ref(to),
           static_cast<std::uint32_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(from.comm)) + comm[i]),
           from.tag + tag[i], from.bytes_sent + static_cast<std::uint64_t>(bytes[i]), from.enter_ns, posted.enter_ns,
           to.enter_ns + to.duration_ns});
    }
    return rows;
  }

  std::vector<CollectivePart> collectives() const {
    const auto comm = column<std::uint32_t>("collectives/comm");
    const auto root = column<std::int32_t>("collectives/root");
    const auto parts = column<std::int32_t>("collectives/parts");
    const auto start_step = column<std::int64_t>("parts/start_step");
    const auto completion = column<std::int64_t>("parts/completion");
    const auto comm_rank = column<std::int32_t>("parts/comm_rank");
    const auto shape = column<std::uint8_t>("parts/shape");
    const std::vector<EventRow> calls = events();
    std::vector<CollectivePart> rows;
    std::int64_t start = 0;
    for (std::size_t instance = 0; instance < comm.size(); ++instance)
      for (std::int32_t part = 0; part < parts[instance]; ++part) {
        const std::size_t i = rows.size();
        start += start_step.at(i);
        const EventRow& from = calls.at(static_cast<std::size_t>(start));
        const EventRow& to = calls.at(static_cast<std::size_t>(start + completion[i]));
        rows.push_back({instance, comm[instance], static_cast<CollectiveShape>(shape[i]), comm_rank[i], root[instance],
                        parts[instance],
                        0,  // of intercommunicators; not in the file
                        false, false, ref(from), ref(to), from.enter_ns, to.enter_ns + to.duration_ns});
      }
    return rows;
  }

 private:
  static EventRef ref(const EventRow& row) { return {row.rank, row.thread, row.sequence}; }

  h5::File file_;
};

/// (send rank, send number) -> (receive rank, number of the completing call), sorted: what most tests want to know.
using Pairing = std::array<std::int64_t, 4>;
inline std::vector<Pairing> pairings(const std::vector<MatchedMessage>& messages) {
  std::vector<Pairing> pairs;
  pairs.reserve(messages.size());
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
