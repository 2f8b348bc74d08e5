// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The data recorded for a call besides its enter and leave: the `recorded` column of mpi_calls.def. Each builder holds
// the call's arguments and fills the record's words after the first three. before() stores the arguments; after()
// stores data that only a successful call permits to query (an MPI_Type_size of an invalid datatype would raise another
// error); failed() stores the data that is known although the call returned the error `result`.

#include "pmpi/libraries/flavor.hpp"
#include "pmpi/libraries/real.hpp"
#include "trace/model/event.hpp"

namespace meridian::record {

/// Interprets ring words as a struct of event.hpp.
template <class Body>
[[gnu::always_inline]] inline Body& body(std::uint64_t* words) noexcept {
  return *reinterpret_cast<Body*>(words);
}

/// Size of one element in bytes; 0 for MPI_DATATYPE_NULL.
[[gnu::always_inline]] inline std::uint32_t type_bytes(MPI_Datatype type) noexcept {
  int bytes = 0;
  if (type == g_mpi.datatype_null) return 0;
  g_real.Type_size(type, &bytes);
  return bytes > 0 ? static_cast<std::uint32_t>(bytes) : 0;
}

/// Stores the whole word: what is stored as halves can be read again only after a while.
[[gnu::always_inline]] inline void set_type_size(PointToPoint& p2p, std::uint32_t bytes) noexcept {
  const std::uint64_t word = bytes;
  __builtin_memcpy(&p2p.type_size, &word, sizeof word);
}

template <class Count>
[[gnu::always_inline]] inline std::uint64_t block_bytes(Count count, MPI_Datatype type) noexcept {
  return count > 0 ? static_cast<std::uint64_t>(count) * type_bytes(type) : 0;
}

/// The defaults of a builder.
struct Basic {
  static constexpr Payload kPayload = Payload::local;
  static constexpr std::uint64_t kWords = words_of<RecordHead>;
  static constexpr bool kReceives = false;      ///< the call may return data that another process sent
  static constexpr bool kMayComplete = false;   ///< after() may return 1: a Completion follows the fixed part
  static constexpr bool kIsRare = false;        ///< recorded out of line (traced.hpp)
  static constexpr bool kDefines = false;       ///< recorded with kFlagHidden while the call is switched off
  static constexpr bool kReadsText = false;     ///< reads text arguments
  static constexpr bool kMayTruncate = false;   ///< failed() may return 1, too
  static constexpr std::uint64_t kPending = 0;  ///< Completion entries that before() fills for observers of the running
                                                ///< call
  void before(std::uint64_t*) const noexcept {}
  bool has_received() const noexcept { return true; }  ///< for calls with kReceives: asked after the call
  std::uint64_t after(std::uint64_t*) const noexcept { return 0; }
  std::uint64_t failed(std::uint64_t*, int) const noexcept { return 0; }
  void done() const noexcept {}  ///< called when the record of a successful call is complete; may store further records
};

[[gnu::always_inline]] inline Basic Local() noexcept { return {}; }
[[gnu::always_inline]] inline Basic Asked() noexcept { return {}; }

template <class Body>
struct With : Basic {
  static constexpr std::uint64_t kWords = words_of<RecordHead> + words_of<Body>;
};

struct Message : With<PointToPoint> {
  static constexpr Payload kPayload = Payload::p2p;
  std::int64_t count;
  MPI_Datatype type;
  int peer, tag;
  MPI_Comm comm;
  MPI_Request* request;

  Message(std::int64_t count_, MPI_Datatype type_, int peer_, int tag_, MPI_Comm comm_, MPI_Request* request_) noexcept
      : count{count_}, type{type_}, peer{peer_}, tag{tag_}, comm{comm_}, request{request_} {}
  [[gnu::always_inline]] void before(std::uint64_t* words) const noexcept {
    auto& p2p = body<PointToPoint>(words);
    p2p.comm = handle_word(comm);
    p2p.peer = rank_word(peer);
    p2p.tag = tag_word(tag);
    p2p.count = count;
    p2p.type_size = 0;
    p2p.reserved = 0;
    p2p.request = 0;
  }
  [[gnu::always_inline]] std::uint64_t after(std::uint64_t* words) const noexcept {
    auto& p2p = body<PointToPoint>(words);
    set_type_size(p2p, type_bytes(type));
    if (request != nullptr) p2p.request = handle_word(*request);
    return 0;
  }
};

[[gnu::always_inline]] inline Message Send(std::int64_t count, MPI_Datatype type, int dest, int tag,
                                           MPI_Comm comm) noexcept {
  return {count, type, dest, tag, comm, nullptr};
}
[[gnu::always_inline]] inline Message Bsend(std::int64_t count, MPI_Datatype type, int dest, int tag,
                                            MPI_Comm comm) noexcept {
  return Send(count, type, dest, tag, comm);
}
[[gnu::always_inline]] inline Message Ssend(std::int64_t count, MPI_Datatype type, int dest, int tag,
                                            MPI_Comm comm) noexcept {
  return Send(count, type, dest, tag, comm);
}
[[gnu::always_inline]] inline Message Isend(std::int64_t count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                                            MPI_Request* request) noexcept {
  return {count, type, dest, tag, comm, request};
}
[[gnu::always_inline]] inline Message Irecv(std::int64_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                                            MPI_Request* request) noexcept {
  return {count, type, source, tag, comm, request};
}
[[gnu::always_inline]] inline Message SendInit(std::int64_t count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                                               MPI_Request* request) noexcept {
  return {count, type, dest, tag, comm, request};
}
[[gnu::always_inline]] inline Message RecvInit(std::int64_t count, MPI_Datatype type, int source, int tag,
                                               MPI_Comm comm, MPI_Request* request) noexcept {
  return {count, type, source, tag, comm, request};
}
[[gnu::always_inline]] inline Message PsendInit(int partitions, std::int64_t count, MPI_Datatype type, int dest,
                                                int tag, MPI_Comm comm, MPI_Request* request) noexcept {
  return {partitions * count, type, dest, tag, comm, request};
}
[[gnu::always_inline]] inline Message PrecvInit(int partitions, std::int64_t count, MPI_Datatype type, int source,
                                                int tag, MPI_Comm comm, MPI_Request* request) noexcept {
  return {partitions * count, type, source, tag, comm, request};
}

struct OneSided : With<Rma> {
  static constexpr bool kIsRare = true;
  static constexpr Payload kPayload = Payload::rma;
  std::int64_t count;
  MPI_Datatype type;
  int target;
  MPI_Aint displacement;
  MPI_Win window;

  OneSided(std::int64_t count_, MPI_Datatype type_, int target_, MPI_Aint displacement_, MPI_Win window_) noexcept
      : count{count_}, type{type_}, target{target_}, displacement{displacement_}, window{window_} {}
  void before(std::uint64_t* words) const noexcept {
    auto& rma = body<Rma>(words);
    rma.window = handle_word(window);
    rma.target = rank_word(target);
    rma.reserved = 0;
    rma.displacement = displacement;
    rma.bytes = 0;
    rma.request = 0;
  }
  std::uint64_t after(std::uint64_t* words) const noexcept {
    body<Rma>(words).bytes = block_bytes(count, type);
    return 0;
  }
};
[[gnu::always_inline]] inline OneSided Put(std::int64_t count, MPI_Datatype type, int target, MPI_Aint displacement,
                                           MPI_Win window) noexcept {
  return {count, type, target, displacement, window};
}
[[gnu::always_inline]] inline OneSided Get(std::int64_t count, MPI_Datatype type, int target, MPI_Aint displacement,
                                           MPI_Win window) noexcept {
  return {count, type, target, displacement, window};
}
[[gnu::always_inline]] inline OneSided PutGet(std::int64_t count, MPI_Datatype type, int target, MPI_Aint displacement,
                                              MPI_Win window) noexcept {
  return {count, type, target, displacement, window};
}

/// A call on a window about one target, without data. `detail`: kLockExclusive or kLockShared of a lock.
struct AtTarget : With<Rma> {
  static constexpr bool kIsRare = true;
  static constexpr Payload kPayload = Payload::rma;
  static constexpr bool kReceives = true;
  int target;
  std::int64_t detail;
  MPI_Win window;

  AtTarget(int target_, std::int64_t detail_, MPI_Win window_) noexcept
      : target{target_}, detail{detail_}, window{window_} {}
  void before(std::uint64_t* words) const noexcept {
    auto& rma = body<Rma>(words);
    rma = {};
    rma.window = handle_word(window);
    rma.target = rank_word(target);
    rma.displacement = detail;
  }
};
[[gnu::always_inline]] inline AtTarget LockWin(int lock_type, int target, MPI_Win window) noexcept {
  return {target, lock_type == MPI_LOCK_EXCLUSIVE ? kLockExclusive : kLockShared, window};
}
[[gnu::always_inline]] inline AtTarget TargetWin(int target, MPI_Win window) noexcept { return {target, 0, window}; }

struct FileCall : With<FileAccess> {
  static constexpr bool kIsRare = true;
  static constexpr Payload kPayload = Payload::io;
  MPI_File file;
  std::int64_t offset;
  std::int64_t count;
  MPI_Datatype type;

  FileCall(MPI_File file_, std::int64_t offset_, std::int64_t count_, MPI_Datatype type_) noexcept
      : file{file_}, offset{offset_}, count{count_}, type{type_} {}
  void before(std::uint64_t* words) const noexcept {
    auto& io = body<FileAccess>(words);
    io.file = reinterpret_cast<std::uintptr_t>(file);
    io.offset = offset;
    io.bytes = 0;
    io.request = 0;
  }
  std::uint64_t after(std::uint64_t* words) const noexcept {
    body<FileAccess>(words).bytes = block_bytes(count, type);
    return 0;
  }
};
[[gnu::always_inline]] inline FileCall Read(MPI_File file, std::int64_t count, MPI_Datatype type) noexcept {
  return {file, -1, count, type};
}
[[gnu::always_inline]] inline FileCall ReadAt(MPI_File file, MPI_Offset offset, std::int64_t count,
                                              MPI_Datatype type) noexcept {
  return {file, offset, count, type};
}
[[gnu::always_inline]] inline FileCall Write(MPI_File file, std::int64_t count, MPI_Datatype type) noexcept {
  return {file, -1, count, type};
}
[[gnu::always_inline]] inline FileCall WriteAt(MPI_File file, MPI_Offset offset, std::int64_t count,
                                               MPI_Datatype type) noexcept {
  return {file, offset, count, type};
}

/// A call on one object, identified by its handle before the call.
struct ByHandle : With<HandleUse> {
  static constexpr bool kIsRare = true;
  static constexpr Payload kPayload = Payload::handle;
  static constexpr bool kReceives = true;  // fences and disconnects wait for other ranks
  std::uint64_t handle;
  explicit ByHandle(std::uint64_t handle_) noexcept : handle{handle_} {}
  void before(std::uint64_t* words) const noexcept { words[0] = handle; }
};
[[gnu::always_inline]] inline ByHandle Win(MPI_Win window) noexcept { return ByHandle{handle_word(window)}; }
[[gnu::always_inline]] inline ByHandle TestWin(MPI_Win window) noexcept { return Win(window); }
[[gnu::always_inline]] inline ByHandle FreeWin(MPI_Win* window) noexcept {
  return ByHandle{window != nullptr ? handle_word(*window) : 0};
}
[[gnu::always_inline]] inline ByHandle File(MPI_File file) noexcept {
  return ByHandle{reinterpret_cast<std::uintptr_t>(file)};
}
[[gnu::always_inline]] inline ByHandle ReadEnd(MPI_File file) noexcept { return File(file); }
[[gnu::always_inline]] inline ByHandle WriteEnd(MPI_File file) noexcept { return File(file); }
[[gnu::always_inline]] inline ByHandle CloseFile(MPI_File* file) noexcept {
  return ByHandle{file != nullptr ? reinterpret_cast<std::uintptr_t>(*file) : 0};
}
[[gnu::always_inline]] inline ByHandle FreeComm(MPI_Comm* comm) noexcept {
  return ByHandle{comm != nullptr ? handle_word(*comm) : 0};
}

/// A call that makes one object: its handle is known after the call has succeeded.
template <class Handle>
struct NewHandle : With<HandleUse> {
  static constexpr bool kIsRare = true;
  static constexpr Payload kPayload = Payload::handle;
  static constexpr bool kReceives = true;
  const Handle* made;
  explicit NewHandle(const Handle* made_) noexcept : made{made_} {}
  void before(std::uint64_t* words) const noexcept { words[0] = 0; }
  std::uint64_t after(std::uint64_t* words) const noexcept {
    if constexpr (sizeof(Handle) == sizeof(void*)) {
      words[0] = reinterpret_cast<std::uintptr_t>(*made);
    } else {
      words[0] = handle_word(*made);
    }
    return 0;
  }
};

/// Adds the request of a non-blocking or persistent call to the record of `Inner`, as the last word of the body.
template <class Inner>
struct WithRequest : Inner {
  const MPI_Request* request;
  WithRequest(Inner inner, const MPI_Request* request_) noexcept : Inner{inner}, request{request_} {}
  std::uint64_t after(std::uint64_t* words) noexcept {
    Inner::after(words);
    words[Inner::kWords - words_of<RecordHead> - 1] = handle_word(*request);
    return 0;
  }
  std::uint64_t failed(std::uint64_t*, int) const noexcept { return 0; }  // there is no request
};
template <class Inner>
[[gnu::always_inline]] inline WithRequest<Inner> Requested(Inner inner, const MPI_Request* request) noexcept {
  return {inner, request};
}

}  // namespace meridian::record
