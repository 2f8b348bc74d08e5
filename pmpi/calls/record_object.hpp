// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Objects that the merger identifies by more than a handle: by their names and the communicator they were created on.

#include "pmpi/calls/record.hpp"
#include "trace/model/call_id.hpp"

namespace meridian {

/// Stores a text about an object; ignores a null pointer.
[[gnu::cold, gnu::noinline]] void store_name(std::uint64_t handle, const char* key, const char* name) noexcept;

/// Stores the communicator on which a window or file was created or opened. `key` is one of event.hpp.
[[gnu::cold, gnu::noinline]] void store_comm_of(std::uint64_t object, const char* key, std::uint64_t comm) noexcept;

/// Fills an entry for each of the first `most` processes of a group. Returns their number.
[[gnu::cold, gnu::noinline]] std::uint64_t list_group(MPI_Group group, std::uint64_t window, std::uint64_t* words,
                                                      int most) noexcept;
/// Stores the entries of the processes from `first` on as further records of this thread.
[[gnu::cold, gnu::noinline]] void store_rest_of_group(CallId id, MPI_Group group, std::uint64_t window,
                                                      int first) noexcept;

namespace record {

/// Gives an object a name. `key` is one of event.hpp.
struct NamedObject : ByHandle {
  static constexpr bool kDefines = true;
  static constexpr bool kReadsText = true;
  const char* key;
  const char* name;
  NamedObject(std::uint64_t handle_, const char* key_, const char* name_) noexcept
      : ByHandle{handle_}, key{key_}, name{name_} {}
  void done() const noexcept { store_name(handle, key, name); }
};
[[gnu::always_inline]] inline NamedObject NameComm(MPI_Comm comm, const char* name) noexcept {
  return {handle_word(comm), kCommNameKey, name};
}
[[gnu::always_inline]] inline NamedObject NameWin(MPI_Win window, const char* name) noexcept {
  return {handle_word(window), kWindowNameKey, name};
}

struct MadeWindow : NewHandle<MPI_Win> {
  static constexpr bool kDefines = true;
  MPI_Comm comm;
  MadeWindow(MPI_Comm comm_, const MPI_Win* window) noexcept : NewHandle<MPI_Win>{window}, comm{comm_} {}
  void done() const noexcept { store_comm_of(handle_word(*made), kWindowCommKey, handle_word(comm)); }
};
[[gnu::always_inline]] inline MadeWindow NewWin(MPI_Comm comm, const MPI_Win* window) noexcept {
  return {comm, window};
}

/// The begin of an epoch of a group: an entry for each of its processes, with the window as request, its world rank as
/// source. Those beyond the first kMostInRecord are in further records.
struct EpochOfGroup : ByHandle {
  static constexpr bool kMayComplete = true;
  static constexpr int kMostInRecord = 12;
  CallId id;
  MPI_Group group;
  EpochOfGroup(CallId id_, MPI_Group group_, MPI_Win window) noexcept
      : ByHandle{handle_word(window)}, id{id_}, group{group_} {}
  std::uint64_t after(std::uint64_t* words) const noexcept {
    return list_group(group, handle, words + words_of<HandleUse>, kMostInRecord);
  }
  void done() const noexcept { store_rest_of_group(id, group, handle, kMostInRecord); }
};
[[gnu::always_inline]] inline EpochOfGroup StartEpoch(MPI_Group group, MPI_Win window) noexcept {
  return {CallId::Win_start, group, window};
}
[[gnu::always_inline]] inline EpochOfGroup PostEpoch(MPI_Group group, MPI_Win window) noexcept {
  return {CallId::Win_post, group, window};
}

[[gnu::always_inline]] inline NewHandle<MPI_Request> NewRequest(const MPI_Request* request) noexcept {
  return NewHandle<MPI_Request>{request};
}

struct OpenedFile : NewHandle<MPI_File> {
  static constexpr bool kDefines = true;
  static constexpr bool kReadsText = true;
  MPI_Comm comm;
  const char* name;
  OpenedFile(MPI_Comm comm_, const char* name_, const MPI_File* file) noexcept
      : NewHandle<MPI_File>{file}, comm{comm_}, name{name_} {}
  void done() const noexcept {
    const std::uint64_t file = reinterpret_cast<std::uintptr_t>(*made);
    store_name(file, kFileNameKey, name);
    store_comm_of(file, kFileCommKey, handle_word(comm));
  }
};
[[gnu::always_inline]] inline OpenedFile OpenFile(MPI_Comm comm, const char* name, const MPI_File* file) noexcept {
  return {comm, name, file};
}

}  // namespace record
}  // namespace meridian
