// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rank file for its readers: all small tables in RankMeta, the events in batches.
// Layout, types and units on disk: FORMAT.md.

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "trace/format/rank/dropped_rows.hpp"
#include "trace/format/rank/profile_rows.hpp"
#include "trace/model/call_id.hpp"
#include "trace/model/event.hpp"
#include "trace/model/ids.hpp"
#include "trace/model/result.hpp"
#include "trace/ring/ring_layout.hpp"

namespace meridian {

inline constexpr int kRankSchemaVersion = 2;

struct AnchorRow {
  AnchorPhase phase{};
  std::uint64_t before_ticks = 0;
  std::uint64_t after_ticks = 0;
  std::int64_t monotonic_ns = 0;
  std::int64_t realtime_ns = 0;
};

struct ExchangeRow {
  std::int32_t peer = 0;  ///< world rank
  AnchorPhase phase{};
  std::uint64_t sent_ticks = 0;      ///< this rank's clock
  std::uint64_t received_ticks = 0;  ///< peer's clock
  std::uint64_t replied_ticks = 0;   ///< peer's clock
  std::uint64_t returned_ticks = 0;  ///< this rank's clock
};

struct CommRow {
  CommBirth birth;
  std::uint32_t call = 0;    ///< id in RankMeta::call_names; 0: MPI_COMM_WORLD, MPI_COMM_SELF, MPI_Comm_get_parent's
  std::uint32_t thread = 0;  ///< ThreadId of the maker
  std::uint64_t enter_ticks = 0;  ///< of the creating call
  std::uint64_t leave_ticks = 0;  ///< the handle means this communicator from this time on
};

struct MembersRow {
  std::uint64_t comm = 0;        ///< handle
  std::uint64_t born_ticks = 0;  ///< leave_ticks of the CommRow to which the members belong
  bool remote = false;
  std::vector<std::int32_t> world_ranks;  ///< in group order; -1: a process of another MPI_COMM_WORLD
};

struct TextRow {
  std::string key;
  std::string value;
  std::uint64_t handle = 0;
  std::uint64_t ticks = 0;
};

struct OverheadRow {
  OverheadKind kind{};
  std::uint32_t thread = 0;
  std::uint64_t enter_ticks = 0;
  std::uint64_t leave_ticks = 0;
  std::uint64_t count = 0;
};

struct ThreadRow {
  std::uint32_t thread = 0;
  std::int32_t kernel_tid = 0;
  std::uint64_t begin_ticks = 0;  ///< its first instruction, or its first event for the tracer
  std::uint64_t events = 0;
  std::uint64_t end_ticks = 0;  ///< 0: running when the file was made
  std::int64_t creator = -1;    ///< thread that created it; -1: unknown
  std::uint64_t routine = 0;    ///< address of its start routine; 0: unknown
};

/// Number of times that a thread took a lock that was free. Other acquisitions are events.
struct LockCountRow {
  std::uint32_t thread = 0;
  LockKind kind{};
  std::uint64_t object = 0;  ///< address; 0: all objects that a thread does not count individually
  std::uint64_t count = 0;
};

/// The resources that a thread or the process had used by `ticks`.
struct UsageRow {
  std::uint64_t ticks = 0;
  Usage usage;
};

/// Calls of one function that were filtered out.
struct PassedRow {
  std::uint32_t call = 0;  ///< id in RankMeta::call_names
  std::uint64_t count = 0;
};

/// The definition of a kind of user event; UserUse::definition is its id.
struct UserDefinitionRow {
  std::uint32_t id = 0;
  UserKind kind{};
  std::string level;
  std::string name;
  std::string fields;  ///< "name:type ...", types i64, u64, f64, text
};

/// A node in the call stacks of a rank: a return address in the frame of the row `parent`, which is an earlier row. Row
/// 0 is no node.
struct StackRow {
  std::uint32_t parent = 0;   ///< 0: outermost frame
  std::uint64_t address = 0;  ///< without a parent possibly kStackDeeper or kStackLost
};
inline constexpr std::size_t kMaxStackRows = std::size_t{1} << 20;

/// A run of consecutive events of one thread, stored together. The segments of a thread are in order of time.
struct SegmentRow {
  std::uint32_t thread = 0;
  std::uint64_t first_ticks = 0;  ///< enter of the first event
  std::uint64_t events = 0;       ///< rows in each table
  std::uint64_t p2p = 0;
  std::uint64_t coll = 0;
  std::uint64_t completions = 0;
  std::uint64_t rma = 0;
  std::uint64_t io = 0;
  std::uint64_t handles = 0;
  std::uint64_t locks = 0;
  std::uint64_t thread_ops = 0;
  std::uint64_t polls = 0;
  std::uint64_t sites = 0;
  std::uint64_t nodes = 0;     ///< as many as sites, or 0
  std::uint64_t counters = 0;  ///< values
  std::uint64_t user = 0;
  std::uint64_t user_values = 0;
};

/// A part of a rank file that cannot be read.
struct Unreadable {
  std::string what;         ///< the reason, as in an Error
  std::uint64_t count = 0;  ///< events without these data; in a RankMeta: 1
};

struct RankMeta {
  int version = kRankSchemaVersion;
  std::int32_t rank = -1;  ///< in MPI_COMM_WORLD; -1: the process ended before its rank was known
  std::int32_t size = -1;
  std::int32_t pid = 0;
  std::string hostname;
  std::string executable;
  ClockKind clock{};
  std::uint64_t domain = 0;
  bool is_finalized = false;  ///< MPI_Finalize was reached
  std::array<std::uint64_t, static_cast<std::size_t>(Loss::count_)> losses{};
  std::uint32_t counters_per_event = 0;  ///< number of values of each event with kFlagCounters
  std::vector<CallId> calls;             ///< index: number in this file; CallId::none for a call unknown to this build
  std::vector<std::string> call_names;
  std::vector<AnchorRow> anchors;
  std::vector<ExchangeRow> exchanges;
  std::vector<CommRow> comms;
  std::vector<MembersRow> members;
  std::vector<TextRow> texts;
  std::vector<OverheadRow> overheads;
  std::vector<ThreadRow> threads;
  std::vector<UsageRow> usages;
  std::vector<PassedRow> passed;
  std::vector<UserDefinitionRow> user_definitions;  ///< by id
  std::vector<LockCountRow> lock_counts;
  std::vector<StackRow> stacks;  ///< empty, or including row 0
  std::vector<SegmentRow> segments;
  RankProfile profile;
  DroppedPart dropped;

  // Not in the file: unreadable tables, which are empty here.
  std::vector<Unreadable> unreadable;

  // Not in the file: position in a trace with several worlds. `rank` and all other world ranks here are then those of
  // the trace.
  std::uint32_t world = 0;
  std::int32_t first_rank = 0;  ///< of that world
};

/// The events of one segment, by columns, and the rows that they refer to, in order: an event with payload p2p uses the
/// next row of `p2p` (sendrecv: the next two), and so on; every event uses as many Completion rows as its
/// completion_count. A batch is reused: read() resizes it, so that later segments need no allocation.
struct EventBatch {
  std::vector<std::uint64_t> enter_ticks;
  std::vector<std::uint64_t> leave_ticks;
  std::vector<CallId> call;  ///< CallId::none for a call unknown to this build
  std::vector<Payload> payload;
  std::vector<std::uint8_t> flags;              ///< RecordFlag
  std::vector<std::uint32_t> completion_count;  ///< total number, even if the ring needed several records (kFlagMore)
  std::vector<PointToPoint> p2p;
  std::vector<Collective> coll;
  std::vector<Completion> completions;
  std::vector<Rma> rma;
  std::vector<FileAccess> io;
  std::vector<HandleUse> handles;
  std::vector<UserUse> user;
  std::vector<std::uint64_t> user_values;  ///< UserUse::words for each of `user`
  std::vector<LockUse> locks;
  std::vector<ThreadOp> thread_ops;
  std::vector<PollUse> polls;
  std::vector<std::uint64_t> sites;  ///< return addresses: one for every event with kFlagSite
  std::vector<std::uint32_t> nodes;  ///< rows of RankMeta::stacks, 0: none; one for each element of `sites`, or empty
  /// RankMeta::counters_per_event values for every event with kFlagCounters: the increase from enter to leave, followed
  /// by the increase from the leave of the thread's previous counted event to enter (0 for the first event of a
  /// thread).
  std::vector<std::int64_t> counters;
  std::vector<std::int64_t> counters_between;
  /// Parts of these events that cannot be read; they are omitted as if they had not been recorded.
  std::vector<Unreadable> unreadable;
};

class DistantRank;
class PlaneStore;
class RankFile;

/// The place in a segment from which its next events are read; movable.
class SegmentPieces {
 public:
  SegmentPieces();  ///< at the end
  SegmentPieces(SegmentPieces&&) noexcept;
  SegmentPieces& operator=(SegmentPieces&&) noexcept;
  ~SegmentPieces();

  /// Events that were not read yet.
  std::uint64_t left() const noexcept { return left_; }

 private:
  friend class RankFile;
  struct State;
  std::size_t index_ = 0;
  std::uint64_t left_ = 0;
  std::unique_ptr<State> state_;
};

struct RankSource;

/// One rank's file, or its group in a container, for reading. Not thread-safe; movable. Of a file as our writer makes it,
/// no descriptor stays open.
class RankFile {
 public:
  /// Unreadable tables are listed in meta().unreadable.
  /// errors  not_found, damaged (not HDF5, not a rank file, segments that cannot be read), unsupported (newer schema)
  static Result<RankFile> open(const std::filesystem::path& path);
  /// One that another process has open.
  static RankFile at(RankMeta meta, std::unique_ptr<DistantRank> rank);
  RankFile(RankFile&&) noexcept;
  RankFile& operator=(RankFile&&) noexcept;
  ~RankFile();

  const RankMeta& meta() const;
  /// See the free function.
  void place_in_world(std::uint32_t world, std::int32_t first_rank);
  /// Reads segment `index` of meta().segments. If calls, or their messages, requests or collectives, cannot be read,
  /// adds a text to meta().texts that they are lost (kLostKey). errors: damaged, io.
  Status read(std::size_t index, EventBatch& batch);

  /// Segment `index`, to be read by pieces.
  SegmentPieces pieces(std::size_t index) const;
  /// Reads the next events of the segment. The first call looks at the whole segment: what cannot be read in one piece is
  /// omitted in all of them. errors: as of the other read(); the rest of the segment cannot be read either.
  Status read(SegmentPieces& pieces, EventBatch& batch);
  /// Segment `index` will be read by pieces soon: another process that has the file can begin. Changes no result.
  void announce(std::size_t index);
  /// From now on pieces have at most that many events (at first: whole segments), and decoded chunks are kept in the
  /// store, in place of memory, if it is not null.
  void read_by_pieces(std::size_t events, const std::shared_ptr<PlaneStore>& store);

  /// Whether read() calls HDF5. Otherwise it reads the file's bytes itself.
  bool needs_hdf5() const;
  /// Number of segments in which read() found such damage.
  std::size_t flaws() const;

 private:
  friend class RankContainer;
  struct Impl;
  static Result<RankFile> open(RankSource source);
  explicit RankFile(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

class ChunkLogReader;
class ChunkLogWriter;
class StateReader;
class StateWriter;

/// Writes one rank file under a temporary name that finish() changes to the final one. Without finish() it leaves no
/// file.
class RankFileWriter {
 public:
  static Result<RankFileWriter> create(const std::filesystem::path& path);
  /// Writes chunks to `log`, which must outlive the writer, as soon as they are complete. There is no finish(): another
  /// writer continues from save().
  static RankFileWriter into_log(ChunkLogWriter& log);
  RankFileWriter(RankFileWriter&&) noexcept;
  RankFileWriter& operator=(RankFileWriter&&) noexcept;
  ~RankFileWriter();

  /// Appends the events of one thread; the batch is filled as in EventBatch, call numbers are CallId values.
  Status append(ThreadId thread, const EventBatch& batch);
  /// The HDF5 file (hid_t), for tables beside those of events.
  std::int64_t id() const;
  /// Stores everything else, closes and renames the file. `meta.segments` and `meta.calls` are ignored: the writer
  /// knows them.
  Status finish(const RankMeta& meta);

  /// Saves the rows outside of complete chunks, and the numbering of handles and calls.
  void save(StateWriter& archive) const;
  /// Continues from the state that a writer into a log has saved. A writer of a file takes the `chunks` of that log.
  /// errors  damaged: the state contradicts itself or the log; io
  Status restore(StateReader& archive, ChunkLogReader* chunks);

 private:
  struct Impl;
  explicit RankFileWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Converts world ranks to those of a trace with several worlds, in which `world` begins at `first_rank`. Call only
/// once.
void place_in_world(RankMeta& meta, std::uint32_t world, std::int32_t first_rank);

/// "rank-00003.h5"
std::string rank_file_name(std::int32_t rank);

}  // namespace meridian
