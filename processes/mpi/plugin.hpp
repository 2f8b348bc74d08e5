// SPDX-License-Identifier: Apache-2.0
#pragma once

// The interface of libmeridian-processes.so, which is built once for each MPI: `meridian` itself links none.

#include <cstdint>

namespace meridian {

inline constexpr std::int32_t kMpiPluginVersion = 1;

enum class Arrival : std::int32_t { nothing, part, whole };

/// No function waits, except `start` and `finalize`, which wait for all processes. The functions that return text return
/// nullptr on success, and otherwise the reason, which is valid until the next call.
struct MpiPlugin {
  /// Starts MPI. Longer messages than `piece_bytes` go in pieces of that size. `release` gets the `owner` of each message
  /// that was sent, when its bytes are no longer needed.
  const char* (*start)(std::uint64_t piece_bytes, void (*release)(void* owner), std::int32_t* rank,
                       std::int32_t* count);
  /// The bytes belong to the plugin until it releases `owner`.
  const char* (*send)(std::int32_t to, const void* data, std::uint64_t bytes, void* owner);
  /// Receives as much as is there of the next message of process `from`. Must be called again for the same process until
  /// the message is whole. `allocate` returns the memory for it, or nullptr if there is none.
  const char* (*receive)(std::int32_t from, void* (*allocate)(void* context, std::uint64_t bytes), void* context,
                         Arrival* arrival);
  /// Releases what has been sent. `released` is the number of pieces, `left` that of the ones still under way.
  const char* (*advance)(std::uint64_t* released, std::uint64_t* left);
  /// Whether all processes have called this.
  const char* (*meet)(bool* is_met);
  const char* (*finalize)();
  /// Ends all processes, this one included.
  void (*abort)(std::int32_t code);
};

}  // namespace meridian

/// The only symbol of the plugin. nullptr: it has another version of this interface.
extern "C" [[gnu::visibility("default")]] const meridian::MpiPlugin* meridian_mpi_plugin(std::int32_t version);
