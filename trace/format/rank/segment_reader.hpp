// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads the events of a rank file: a whole segment, or the next piece of one.

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trace/format/rank/rank_columns.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian::rank_schema {

/// Parts of events that cannot be read, one bit each. They are lost for a whole segment.
struct LostParts {
  enum Part : std::uint32_t {
    p2p = 1 << 0,
    coll = 1 << 1,
    completions = 1 << 2,
    rma = 1 << 3,
    io = 1 << 4,
    handles = 1 << 5,
    user = 1 << 6,
    locks = 1 << 7,
    thread_ops = 1 << 8,
    polls = 1 << 9,
    counters = 1 << 10,
    nodes = 1 << 11,
    sites = 1 << 12,
  };
  std::uint32_t parts = 0;
  std::vector<std::pair<std::uint32_t, std::string>> reasons;  ///< by part

  bool has(Part part) const noexcept { return (parts & part) != 0; }
  /// Messages, requests or collectives.
  bool has_messages() const noexcept { return (parts & (p2p | coll | completions)) != 0; }
  void add(Part part, const std::string& reason) {
    if (!has(part)) reasons.emplace_back(part, reason);
    parts |= part;
  }
  const std::string& reason(Part part) const;
};

class SegmentReader {
 public:
  /// total  rows of all segments
  void open(hid_t file, const SegmentRow& total, RankMeta& meta);
  /// See ColumnReader::detach(): false if some column needs HDF5.
  bool detach(const std::shared_ptr<const RawFile>& file);
  void keep_in(const std::shared_ptr<PlaneStore>& store);

  /// Reads `rows.events` events and fills in how many rows of the tables they have.
  ///
  /// rows   also says the time at which the first event's gap begins, and, if `nodes` is not 0, that sites have them
  /// start  rows of the tables before the first event
  /// errors  damaged, io: the calls cannot be read
  Status read_events(const RankMeta& meta, const SegmentRow& start, SegmentRow& rows, EventBatch& batch);
  /// Reads what these events refer to. What cannot be read is added to `lost`; what is lost is omitted.
  void read_tables(const RankMeta& meta, const SegmentRow& start, SegmentRow& rows, EventBatch& batch, LostParts& lost);
  /// Omits the user events of a batch.
  static void lose_user(const std::string& reason, EventBatch& batch, LostParts& lost);

 private:
  Status read_times(const SegmentRow& rows, std::uint64_t offset, EventBatch& batch);
  template <class Row>
  void read_rows(TableColumns<Row>& table, LostParts::Part part, std::uint64_t offset, std::uint64_t count,
                 EventBatch& batch, std::vector<Row>& values, std::initializer_list<Payload> kinds, LostParts& lost);
  void read_completions(const SegmentRow& start, const SegmentRow& rows, EventBatch& batch, LostParts& lost);
  void read_user(const SegmentRow& start, SegmentRow& rows, EventBatch& batch, LostParts& lost);
  void read_counters(const SegmentRow& start, const SegmentRow& rows, EventBatch& batch, LostParts& lost);
  Status read_nodes(const RankMeta& meta, const SegmentRow& start, const SegmentRow& rows, EventBatch& batch);
  void read_sites(const RankMeta& meta, const SegmentRow& start, const SegmentRow& rows, EventBatch& batch,
                  LostParts& lost);
  /// Calls visit(column) for every column of events.
  void for_each(auto&& visit) {
    for (OptionalColumn* column : {&gap_, &duration_, &call_, &payload_, &flags_, &completions_, &sites_, &nodes_,
                                   &counters_, &counters_between_, &user_values_})
      visit(*column);
    for (AnyTableColumns* table : std::initializer_list<AnyTableColumns*>{
             &p2p_, &coll_, &completion_rows_, &rma_, &io_, &handles_, &user_, &locks_, &thread_ops_, &polls_})
      table->for_each(visit);
  }

  DictionaryRows dictionary_;
  OptionalColumn gap_, duration_, call_, payload_, flags_, completions_, sites_, nodes_, counters_, counters_between_,
      user_values_;
  TableColumns<PointToPoint> p2p_;
  TableColumns<Collective> coll_;
  TableColumns<Completion> completion_rows_;
  TableColumns<Rma> rma_;
  TableColumns<FileAccess> io_;
  TableColumns<HandleUse> handles_;
  TableColumns<UserUse> user_;
  TableColumns<LockUse> locks_;
  TableColumns<ThreadOp> thread_ops_;
  TableColumns<PollUse> polls_;
};

}  // namespace meridian::rank_schema
