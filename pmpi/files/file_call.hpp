// hot
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Recording of a call on a file of the program. What MPI-IO and the MPI library do inside MPI calls is not recorded; descriptors are
// followed in all calls.

#include "pmpi/files/file_numbers.hpp"
#include "pmpi/libraries/libc_calls.hpp"
#include "pmpi/threads/recorded.hpp"

#define MERIDIAN_EXPORT extern "C" [[gnu::visibility("default")]]

namespace meridian {

inline constexpr std::uint64_t kFileWords = words_of<FileAccess>;

[[gnu::always_inline]] inline void fill_file(std::uint64_t* body, FileNumber file, std::int64_t offset) noexcept {
  body[0] = file;
  body[1] = static_cast<std::uint64_t>(offset);
  body[2] = 0;
  body[3] = 0;
}

/// Records a call that moves data, if its descriptor is that of a file. `call` returns the bytes, or -1.
template <CallId id, class Call>
[[gnu::always_inline]] inline ssize_t moves_data(int descriptor, std::int64_t offset, Call call) noexcept(false) {
  if (is_off(id, caller()) || !is_application()) return call();
  const FileNumber file = file_of(descriptor);
  if (file == kNoFile) return call();
  return recorded<id, Payload::io, kFileWords>([=](std::uint64_t* body) { fill_file(body, file, offset); }, call,
                                               [](std::uint64_t* body, ssize_t result) {
                                                 if (result > 0) body[2] = static_cast<std::uint64_t>(result);
                                                 return result >= 0;
                                               },
                                               caller());
}

/// Records another call on a descriptor. `call` returns 0, or -1.
template <CallId id, class Call>
[[gnu::always_inline]] inline int uses_file(int descriptor, Call call) noexcept(false) {
  if (is_off(id, caller()) || !is_application()) return call();
  const FileNumber file = file_of(descriptor);
  if (file == kNoFile) return call();
  return recorded<id, Payload::io, kFileWords>([=](std::uint64_t* body) { fill_file(body, file, -1); }, call,
                                               [](std::uint64_t*, int result) { return result == 0; }, caller());
}

/// Records a call that opens a file; `descriptor_of` its result: -1 if it has failed.
template <CallId id, class Call, class DescriptorOf>
[[gnu::always_inline]] inline auto opens_file(const char* path, Call call, DescriptorOf descriptor_of) noexcept(false) {
  if (is_off(id, caller()) || is_of_system(path) || !is_application()) return call();
  bool is_new = false;
  FileNumber file = kNoFile;
  const auto result =
      recorded<id, Payload::io, kFileWords>([](std::uint64_t* body) { fill_file(body, kNoFile, -1); }, call,
                                            [&](std::uint64_t* body, auto opened) {
                                              const int descriptor = descriptor_of(opened);
                                              if (descriptor < 0) return false;
                                              body[0] = file = find_opened_file(descriptor, is_new);
                                              return true;
                                            },
                                            caller());
  if (is_new) [[unlikely]]
    name_file(descriptor_of(result), file);
  return result;
}

/// Records a call that closes what is open under a descriptor.
template <CallId id, class Call>
[[gnu::always_inline]] inline int closes_file(int descriptor, Call call) noexcept(false) {
  const bool is_known = static_cast<unsigned>(descriptor) < kMostDescriptors;
  const FileNumber file = is_known ? g_file_of[descriptor].load(std::memory_order_relaxed) : kNoFile;
  forget_file(descriptor);  // before another thread can open one under the same descriptor
  if (is_off(id, caller()) || file == kNoFile || file == kFileUnknown || !is_application()) return call();
  return recorded<id, Payload::io, kFileWords>([=](std::uint64_t* body) { fill_file(body, file, -1); }, call,
                                               [](std::uint64_t*, int result) { return result == 0; }, caller());
}

}  // namespace meridian
