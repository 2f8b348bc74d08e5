// SPDX-License-Identifier: Apache-2.0
#pragma once

// The record that a traced call leaves in the ring, word by word. Shared by the code inside the application
// (which writes it), the writer process and crash recovery (which read it). Includes only standard headers.

#include <cstddef>
#include <cstdint>

namespace meridian {

/// The kind of a record, which determines the words after the first three.
enum class Payload : std::uint8_t {
  none = 0,      ///< no record: end of the stored records
  pad = 1,       ///< skip `words`; the next record starts at the next block. Header word only
  local = 2,     ///< only enter and leave
  p2p = 3,       ///< PointToPoint, then `completions` Completion entries (blocking receive, probe: at most one)
  sendrecv = 4,  ///< PointToPoint (send part), PointToPoint (receive part), at most one Completion
  coll = 5,      ///< Collective
  requests = 6,  ///< no fixed part, `completions` entries: Wait*, Test*, Start*, Cancel, Request_free
  comm = 7,      ///< CommBirth: a communicator created by this call
  rma = 8,       ///< Rma
  io = 9,        ///< FileAccess
  handle = 10,   ///< HandleUse: the call refers to one object (Comm_free, Win_fence, File_close, Group_free...)
  lock = 11,  ///< LockUse: one acquisition, wait, release, init or destroy of an object that threads synchronize with
  user = 12,  ///< UserUse, then its words: a user event (meridian/user.h). Enter equals leave
  thread_op = 13,  ///< ThreadOp: create, join, detach, exit, cancel
  polls = 14,  ///< a phase of polls that found nothing: one PollPlace for each place. `call` is that of the first one
  // Records other than calls; `call` is 0 and `leave` equals `enter` unless stated otherwise.
  thread = 32,    ///< ThreadBegin: records from here on belong to this thread of the rank
  anchor = 33,    ///< Anchor: enter and leave are the clock reads before and after the two system clocks were read
  exchange = 34,  ///< Exchange: one ping-pong exchange, stored by the side that sent first
  members = 35,   ///< Members, then world ranks, two to a word, low half first
  text = 36,      ///< Text, then bytes, zero-padded to whole words: "key\0value"
  overhead = 37,  ///< Overhead: the tracer's own time in [enter, leave]
  usage = 38,     ///< Usage: resources that a thread or the process has used so far
  stack = 39,     ///< StackNode: a new node in the tree of this thread's call stacks
};

/// RecordHeader::flags
enum RecordFlag : std::uint8_t {
  kFlagFailed = 1,      ///< the call did not return MPI_SUCCESS
  kFlagUnfinished = 2,  ///< the call had not returned when the trace ended; leave is meaningless
  kFlagSite = 4,        ///< one more word after the completions: the return address of the call, or kStackSite
  kFlagCounters = 8,    ///< then two words per counter: all values read at enter, followed by all read at leave
  kFlagMore = 16,  ///< `requests` only: continues the completions of the thread's record before it; enter equals leave
  kFlagPolling = 16,    ///< in events with `polls`: the phase had not ended when the ring was read
  kFlagAbandoned = 32,  ///< left by longjmp or an exception; leave is when that was detected. With kFlagFailed
  kFlagHidden =
      64,  ///< recording is switched off: the call's definitions are recorded, the call is not an event. Not for `user`
  kFlagBegins = 64,  ///< `user` only: a region of the program begins
  kFlagEnds = 128,   ///< `user` only: a region ends
};

/// First word of every record. A zero payload marks the end of the stored records.
struct RecordHeader {
  std::uint16_t call = 0;  ///< CallId; 0 for records that are not calls
  std::uint8_t payload = 0;
  std::uint8_t flags = 0;
  std::uint16_t words = 0;        ///< length of the whole record, header included, in 8-byte words
  std::uint16_t completions = 0;  ///< number of Completion entries
};

/// First three words. `leave` is stored after the call has returned.
struct RecordHead {
  RecordHeader header;
  std::uint64_t enter_ticks = 0;
  std::uint64_t leave_ticks = 0;
};

// Special values of ranks and tags, the same for every MPI library. Ranks are those of the communicator, never world
// ranks.
inline constexpr std::int32_t kAnySource = -1;
inline constexpr std::int32_t kProcNull = -2;
inline constexpr std::int32_t kRootSelf = -3;  ///< MPI_ROOT (intercommunicators)
inline constexpr std::int32_t kNoRoot = -4;    ///< a collective without a root
inline constexpr std::int32_t kAnyTag = -1;

/// One side of a message, from the call's arguments. Handles are the library's own values: a handle identifies an
/// object only between the call that creates it and the call that frees it.
struct PointToPoint {
  std::uint64_t comm = 0;  ///< communicator handle; message handle for Mrecv and Imrecv
  std::int32_t peer = 0;   ///< dest or source in the communicator (remote group of an intercommunicator)
  std::int32_t tag = 0;
  std::int64_t count = 0;       ///< elements sent, or room for elements at a receive
  std::uint32_t type_size = 0;  ///< bytes of one element; 0 if the call failed and received nothing
  std::uint32_t reserved = 0;
  std::uint64_t request = 0;  ///< request handle (or message handle of Mprobe, Improbe); 0: none
};

/// A request of the call, or the message that a blocking receive or probe found. A failed call has one if a message was
/// too long for its buffer: the message was received. A failed blocking collective has an empty one if it took part in
/// the communication.
struct Completion {
  std::uint64_t request = 0;  ///< handle before the call; 0 for a blocking receive or probe
  std::int32_t source = 0;    ///< from the status; meaningful for receives only
  std::int32_t tag = 0;
  std::int64_t bytes = 0;  ///< from the status; kCancelled if it was cancelled
};
inline constexpr std::int64_t kCancelled = -1;
inline constexpr std::int64_t kNotKnown = -2;  ///< in rank files: the call with this request never returned

struct Collective {
  std::uint64_t comm = 0;
  std::int32_t root = kNoRoot;
  std::uint32_t reserved = 0;
  std::uint64_t send_bytes =
      0;  ///< of this rank's send argument as given (per-peer block, or sum over a vector or over neighbours)
  std::uint64_t receive_bytes = 0;  ///< of its receive argument; 0 for an argument that is not significant at this rank
  std::uint64_t request = 0;        ///< 0 if blocking
};

/// A communicator that the call created. Groups are compared by hash_rank() over their world ranks in group order. If
/// they have processes of another MPI_COMM_WORLD, which have no world rank here, the hash is over their ranks in the
/// parent's group (-1: not in it), and for an intracommunicator made from an intercommunicator over its size.
struct CommBirth {
  std::uint64_t comm = 0;
  std::uint64_t parent = 0;  ///< the communicator that it was made from; 0 for MPI_COMM_WORLD and MPI_COMM_SELF
  std::uint64_t local_hash = 0;
  std::uint64_t remote_hash = 0;  ///< 0 for an intracommunicator
  std::int32_t local_size = 0;
  std::int32_t local_rank = 0;
  std::int32_t remote_size = 0;
  std::uint32_t is_across = 0;  ///< 1: has processes of another MPI_COMM_WORLD
  std::uint64_t request = 0;    ///< of MPI_Comm_idup; 0: none
};

struct Rma {
  std::uint64_t window = 0;
  std::int32_t target = 0;
  std::uint32_t reserved = 0;
  std::int64_t displacement = 0;  ///< in the target's displacement units
  std::uint64_t bytes = 0;        ///< at the origin
  std::uint64_t request = 0;
};

/// Rma::displacement of MPI_Win_lock.
inline constexpr std::int64_t kLockExclusive = 1, kLockShared = 2;

struct FileAccess {
  std::uint64_t file = 0;  ///< handle; of CallGroup::files a number, see kProgramFileKey
  std::int64_t offset =
      -1;  ///< explicit offset in etypes, of CallGroup::files in bytes; -1: individual or shared pointer
  std::uint64_t bytes = 0;
  std::uint64_t request = 0;
};

struct HandleUse {
  std::uint64_t handle = 0;  ///< its value before the call if the call frees it, otherwise after the call
};

/// One user event. Its words follow, in the order of the definition's fields; a text consists of its length in bytes
/// and its bytes, padded with zeros to whole words. Signed integers and doubles are stored as bit patterns.
struct UserUse {
  std::uint32_t definition = 0;  ///< UserDefinitionRow::id
  std::uint32_t words = 0;
};

/// The kind of object of a lock call. Below 16.
enum class LockKind : std::uint8_t {
  none = 0,
  mutex = 1,
  condition = 2,
  read = 3,   ///< a read-write lock, for reading
  write = 4,  ///< the same, for writing, and calls that concern both
  barrier = 5,
  spin = 6,
  once = 7,
  semaphore = 8,
  busy = 9,        ///< in LockCount only: tries that found a lock taken
  unawaited = 10,  ///< in LockCount only: signals and broadcasts without a waiting thread
  team = 11,       ///< a team of OpenMP threads, by the address of its region: shares and barriers
  omp = 12,        ///< a lock or critical region of OpenMP
  count_ = 13
};
inline constexpr std::uint32_t kLockKindBits = 4;

/// enter: requested; leave: acquired or given up.
struct LockUse {
  std::uint64_t object = 0;       ///< address: the object from its init or first use to its destroy
  std::uint64_t mutex = 0;        ///< address of the mutex used with a condition; otherwise 0
  std::int32_t holder_tid = 0;    ///< kernel tid of the holder at the request; 0: none, or unknown
  std::int32_t result = 0;        ///< result of the call (sem_*: errno)
  std::uint8_t kind = 0;          ///< LockKind
  std::uint8_t is_contended = 0;  ///< 1: it was not available at once
  std::uint8_t reserved[6] = {};
};

struct ThreadOp {
  std::uint64_t handle = 0;   ///< pthread_t of the thread that the call refers to
  std::uint64_t routine = 0;  ///< pthread_create: address of the start routine
  std::uint32_t thread = 0;   ///< its ThreadId; kNoThread if unknown
  std::int32_t result = 0;
};
inline constexpr std::uint32_t kNoThread = 0xffffffff;

/// One place of a phase of polls: a call site, and for probes what it asks for. The clock is read at each poll, or if polls are
/// close together at some of them. The counts grow while the phase lasts.
struct PollPlace {
  std::uint64_t call = 0;   ///< CallId
  std::uint64_t site = 0;   ///< return address; 0: not recorded
  std::uint64_t comm = 0;   ///< handle; 0: not a probe
  std::int32_t peer = 0;    ///< source of a probe
  std::int32_t tag = 0;     ///< of a probe
  std::uint64_t calls = 0;  ///< all polls
  std::uint64_t timed = 0;  ///< those measured one by one
  std::uint64_t timed_ticks = 0;
  std::uint64_t samples = 0;  ///< measured ones of the rest
  std::uint64_t sampled_ticks = 0;
  double squares = 0;  ///< sum of the squares of the samples, ticks^2
};
inline constexpr std::size_t kMaxPollPlaces = 4;

/// The polls of one place of a phase, as rank files have them. The event lasts from the first enter to the last leave; a phase
/// with several places is divided among them by the time inside their calls.
struct PollUse {
  std::uint64_t comm = 0;  ///< handle; 0: not a probe
  std::int32_t peer = 0;   ///< source of a probe; -1 otherwise
  std::int32_t tag = 0;    ///< of a probe; -1 otherwise
  std::uint64_t calls = 0;
  std::uint64_t inside_ticks = 0;  ///< time inside the calls
  std::uint64_t error_ticks = 0;   ///< its standard error; 0: measured
};

/// One frame in the call stacks of a thread: a return address in the frame of its parent.
struct StackNode {
  std::uint32_t id = 0;              ///< from 1 on, in the order in which the thread stores them
  std::uint32_t parent = 0;          ///< 0: outermost frame
  std::uint64_t return_address = 0;  ///< without a parent possibly kStackDeeper or kStackLost
};
/// Used as return addresses: further callers are beyond MERIDIAN_STACK; the caller is unknown.
inline constexpr std::uint64_t kStackDeeper = 1;
inline constexpr std::uint64_t kStackLost = 2;
/// Flag in the word of a call site: the other bits are the id of a StackNode of the thread. Addresses of code are
/// smaller.
inline constexpr std::uint64_t kStackSite = std::uint64_t{1} << 63;
/// Used as return addresses: lines of a script, which an interpreter runs. Their names are texts (kScriptKey). No code lies
/// at these addresses.
inline constexpr std::uint64_t kFirstScriptSite = 0x1000;
inline constexpr std::uint64_t kFirstSampledSite = 0xc000;  ///< the numbers of sampled lines begin here
inline constexpr std::uint64_t kEndOfScriptSites = 0x10000;
constexpr bool is_script_site(std::uint64_t address) noexcept {
  return address >= kFirstScriptSite && address < kEndOfScriptSites;
}
/// Key of the texts that hold them: their handle is the address, their value "LINE US function US file", where US is the
/// character 31. LINE: 0 if it is unknown.
inline constexpr const char* kScriptKey = "script.site";
/// Key of the text about an interpreter whose frames cannot be read: its value is the version.
inline constexpr const char* kScriptUnreadKey = "script.unread";

struct ThreadBegin {
  std::uint32_t thread = 0;  ///< ThreadId
  std::int32_t kernel_tid = 0;
};

struct Anchor {
  std::uint64_t phase = 0;  ///< AnchorPhase
  std::int64_t monotonic_ns = 0;
  std::int64_t realtime_ns = 0;
};
/// Kinds of definitions of user events; the same numbers as MERIDIAN_KIND_* in meridian/user_abi.h.
enum class UserKind : std::uint8_t { none = 0, region = 1, marker = 2, event = 3, counter = 4, send = 5, receive = 6 };
inline constexpr std::size_t kUserKindCount = 7;
/// Longest text of a user event, in bytes; longer ones are truncated and counted.
inline constexpr std::size_t kMaxUserText = 1024;
/// Key of the texts that hold definitions: their handle is the id, their value "kind US level US name US fields", where
/// US is the character 31 and fields are "name:type ...".
inline constexpr const char* kUserDefinitionKey = "user.definition";
/// Key of the texts about lost calls of a thread (the handle), up to the time of the text: "FROM COUNT what", with FROM
/// in ticks; what: `messages` if messages, requests or collectives may be among them, otherwise `others`. FROM only:
/// lost from then on, permanently.
inline constexpr const char* kLostKey = "recording.lost";
/// Key of the texts about threads (the handle) that hold the calls which a thread makes inside its MPI calls, from
/// callbacks and signal handlers. Value: the ThreadId of that thread, or of another such thread.
inline constexpr const char* kInsideKey = "thread.inside";
/// Key of the text with the ranks that have the tracer (rank_list.hpp), where some do not. MERIDIAN_RANKS is stored as an option.
inline constexpr const char* kTracedRanksKey = "ranks.traced";
/// Key of the text that records that MERIDIAN_MAX_SIZE (its value) was reached.
inline constexpr const char* kFullKey = "filter.full";
/// Key of the text that records that a call (its value) has reached MERIDIAN_MAX_CALLS.
inline constexpr const char* kThrottledKey = "filter.throttled";
/// Key of the text `outside` before a switch of recording by a window or `meridian control`, not by the program.
inline constexpr const char* kSwitchedKey = "recording.switched";
/// Key of the texts about functions of the program that hide the tracer's: "PATH: MPI_Send MPI_Recv".
inline constexpr const char* kUnseenKey = "calls.unseen";
inline constexpr char kUserSeparator = '\x1f';

/// Keys of the texts about objects. They carry the object's handle and are stored after the call that caused them:
/// names that the program gave, the file that was opened, the handle (16 hexadecimal digits) of the communicator of a
/// window or file.
inline constexpr const char* kCommNameKey = "comm.name";
inline constexpr const char* kWindowNameKey = "win.name";
inline constexpr const char* kWindowCommKey = "win.comm";
/// The ranks of a communicator with a topology from which this rank receives in a neighbourhood collective: "1 3 4".
inline constexpr const char* kCommSourcesKey = "comm.sources";
inline constexpr const char* kFileNameKey = "file.name";
/// Path of a file of the program; the text's handle is FileAccess::file in its calls of CallGroup::files.
inline constexpr const char* kProgramFileKey = "file.path";
inline constexpr const char* kFileCommKey = "file.comm";
inline constexpr const char* kSemaphoreNameKey = "sem.name";  ///< the handle is its address
/// How a communicator was created, in data that several processes record. Between worlds: spawn TOKEN and spawned TOKEN
///   (parents, children; TOKEN was passed in kSpawnedVariable, "-" if that failed), accept PORT and connect PORT (name
///   of the port), join ENDS (both ends of the socket). In any world:
///   tag TAG, string HASH             of constructors that threads may call at the same time, at every member
///   leaders PEER LOCAL REMOTE TAG    MPI_Intercomm_create: handle of peer_comm (16 digits), the leaders' ranks in it
inline constexpr const char* kCommLinkKey = "comm.link";

enum class AnchorPhase : std::uint64_t { start = 0, finish = 1, epoch = 2 };

/// Four stamps of a ping-pong exchange: sent_ticks and returned_ticks on this rank's clock (also the record's enter and
/// leave), the other two on the peer's.
struct Exchange {
  std::int32_t peer = 0;    ///< world rank
  std::uint32_t phase = 0;  ///< AnchorPhase
  std::uint64_t peer_received_ticks = 0;
  std::uint64_t peer_replied_ticks = 0;
};

struct Members {
  std::uint64_t comm = 0;
  std::uint32_t first = 0;   ///< group rank of the first of the following world ranks
  std::uint32_t count = 0;   ///< number of the following world ranks
  std::uint32_t remote = 0;  ///< 1: the remote group of an intercommunicator
  std::uint32_t reserved = 0;
};

struct Text {
  std::uint32_t bytes = 0;   ///< size of "key\0value", without padding
  std::uint32_t more = 0;    ///< 1: the next text record continues the value (its key is repeated)
  std::uint64_t handle = 0;  ///< object to which the text belongs; 0 for the process
};

struct Overhead {
  std::uint64_t kind = 0;   ///< OverheadKind
  std::uint64_t count = 0;  ///< number of operations in that time
};
enum class OverheadKind : std::uint64_t {
  start = 0,
  finish = 1,
  clock_exchange = 2,
  flush_wait = 3,
  thread_attach = 4
};

/// From getrusage, since the beginning of the thread or the process.
struct Usage {
  std::uint32_t thread = 0;  ///< ThreadId; for the process: the thread that called getrusage
  std::uint32_t kind = 0;    ///< UsageKind
  std::uint64_t user_us = 0;
  std::uint64_t system_us = 0;
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t voluntary_switches = 0;
  std::uint64_t involuntary_switches = 0;
  std::uint64_t high_water_bytes = 0;  ///< largest resident memory; only for the process
  std::uint64_t ready_us = 0;          ///< time without a processor although ready to run; 0: not asked for
};
/// If an end has several records, the last one is valid: a thread may continue after it was queried. The process has a begin and an
/// end with ready_us for each span of its recording, the first from MPI_Init on, the last until MPI_Finalize.
enum class UsageKind : std::uint32_t { thread_begin = 0, thread_end = 1, process_begin = 2, process_end = 3 };

inline constexpr std::size_t kMaxCounters = 16;        ///< read at each enter and leave
inline constexpr std::size_t kCounterNameBytes = 128;  ///< longest name of a counter, with the terminating zero

inline constexpr std::size_t kWordBytes = 8;
template <class T>
inline constexpr std::size_t words_of = sizeof(T) / kWordBytes;
static_assert(sizeof(RecordHeader) == 8 && words_of<RecordHead> == 3 && words_of<PointToPoint> == 5 &&
              words_of<Completion> == 3 && words_of<Collective> == 5 && words_of<CommBirth> == 7 &&
              words_of<Rma> == 5 && words_of<FileAccess> == 4 && words_of<Exchange> == 3 && words_of<Members> == 3 &&
              words_of<Text> == 2 && words_of<Usage> == 9 && words_of<UserUse> == 1 && words_of<LockUse> == 4 &&
              words_of<ThreadOp> == 3 && words_of<StackNode> == 2 && words_of<PollPlace> == 10 &&
              words_of<PollUse> == 5);

/// Order-sensitive 64-bit hash of world ranks; feed ranks in group order, starting from kRanksHashSeed.
inline constexpr std::uint64_t kRanksHashSeed = 0x9e3779b97f4a7c15ULL;
constexpr std::uint64_t hash_rank(std::uint64_t hash, std::int32_t world_rank) noexcept {
  hash ^= static_cast<std::uint32_t>(world_rank) + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2);
  hash *= 0xff51afd7ed558ccdULL;
  return hash ^ (hash >> 32);
}

}  // namespace meridian
