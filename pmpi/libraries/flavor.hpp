// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The differences between MPI libraries: handles as words, special ranks, and the fields of a status.

#include <mpi.h>

#include <cstdint>
#include <type_traits>

#ifdef MERIDIAN_STANDARD_ABI
#include "pmpi/libraries/real.hpp"
#endif
#include "trace/model/event.hpp"

namespace meridian {

/// A library handle as stored in a record: a pointer in Open MPI and the standard ABI, an int in MPICH.
template <class Handle>
[[gnu::always_inline]] inline std::uint64_t handle_word(Handle handle) noexcept {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<std::uintptr_t>(handle);
  } else {
    return static_cast<std::uint32_t>(handle);
  }
}

// MPI_Message is an int in MPICH and a pointer in Open MPI: handle_word() serves both.

/// A rank argument or status source with the trace's own special values.
[[gnu::always_inline]] inline std::int32_t rank_word(int rank) noexcept {
  if constexpr (MPI_ANY_SOURCE == kAnySource && MPI_PROC_NULL == kProcNull) {
    return rank == MPI_ROOT ? kRootSelf : rank;
  } else {
    if (rank >= 0) [[likely]]
      return rank;
    if (rank == MPI_ANY_SOURCE) return kAnySource;
    if (rank == MPI_PROC_NULL) return kProcNull;
    return rank == MPI_ROOT ? kRootSelf : rank;
  }
}

/// Maps the standard ABI's MPI_ANY_TAG (-2), MPI_ANY_SOURCE (-1) and MPI_PROC_NULL (-3) to the trace's -1, -1 and -2 without a branch:
/// in the status of a send they are undefined.
[[gnu::always_inline]] constexpr std::int32_t halved_if_negative(std::int32_t value) noexcept {
  return value >> (static_cast<std::uint32_t>(value) >> 31);
}

/// The tag of a call or of a status, with the trace's own value for MPI_ANY_TAG.
[[gnu::always_inline]] inline std::int32_t tag_word(int tag) noexcept {
  static_assert(MPI_ANY_TAG == kAnyTag || halved_if_negative(MPI_ANY_TAG) == kAnyTag);
  if constexpr (MPI_ANY_TAG == kAnyTag) {
    return tag;
  } else {
    return halved_if_negative(tag);
  }
}

/// Bytes received, kCancelled for a cancelled operation. Reads the public fields of the status where it has them: no call, no handle.
[[gnu::always_inline]] inline std::int64_t status_bytes(const MPI_Status& status) noexcept {
#if defined(MERIDIAN_STANDARD_ABI)
  int is_cancelled = 0;
  MPI_Count count = 0;
  g_real.Test_cancelled(&status, &is_cancelled);
  if (is_cancelled != 0) return kCancelled;
  return g_real.Get_count_c(&status, MPI_BYTE, &count) == MPI_SUCCESS && count >= 0 ? count : 0;
#elif defined(OPEN_MPI)
  if (status._cancelled) return kCancelled;
  return static_cast<std::int64_t>(status._ucount);
#else
  if (status.count_hi_and_cancelled & 1) return kCancelled;
  const auto high = static_cast<std::uint64_t>(static_cast<std::uint32_t>(status.count_hi_and_cancelled) >> 1);
  return static_cast<std::int64_t>((high << 32) | static_cast<std::uint32_t>(status.count_lo));
#endif
}

/// Constants that are addresses inside Open MPI, known only after the library has been found. Written by find_mpi().
struct MpiConstants {
  MPI_Comm world;
  MPI_Comm self;
  MPI_Comm comm_null;
  MPI_Request request_null;
  MPI_Datatype datatype_null;
  MPI_Group group_null;
  MPI_Datatype byte;
  MPI_Datatype uint64;
  MPI_Op min;
  MPI_Win win_null;
  MPI_File file_null;
  MPI_Message message_no_proc;
  MPI_Message message_null;
  MPI_Errhandler errors_return;
  MPI_Info info_null;
};
extern constinit MpiConstants g_mpi;

}  // namespace meridian
