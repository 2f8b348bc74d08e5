// hot
// SPDX-License-Identifier: Apache-2.0

// Files by descriptors (POSIX), with the names for large files, and the entries of _FORTIFY_SOURCE.

#undef _FORTIFY_SOURCE  // its inline functions have the names of these

#include <fcntl.h>
#include <stdarg.h>

#include "pmpi/files/file_call.hpp"

namespace meridian {

namespace {

constexpr int descriptor_itself(int descriptor) noexcept { return descriptor; }

/// Whether open() has a third argument.
constexpr bool has_mode(int flags) noexcept { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

}  // namespace

#define MERIDIAN_READ_MODE(flags)                            \
  mode_t mode = 0;                                           \
  if (has_mode(flags)) {                                     \
    va_list arguments;                                       \
    va_start(arguments, flags);                              \
    mode = static_cast<mode_t>(va_arg(arguments, unsigned)); \
    va_end(arguments);                                       \
  }
MERIDIAN_EXPORT int open(const char* path, int flags, ...) {
  MERIDIAN_READ_MODE(flags)
  return opens_file<CallId::open>(
      path, [=] { return g_libc.open(path, flags, mode); }, descriptor_itself);
}

MERIDIAN_EXPORT int open64(const char* path, int flags, ...) {
  MERIDIAN_READ_MODE(flags)
  return opens_file<CallId::open64>(
      path, [=] { return g_libc.open64(path, flags, mode); }, descriptor_itself);
}

MERIDIAN_EXPORT int openat(int folder, const char* path, int flags, ...) {
  MERIDIAN_READ_MODE(flags)
  return opens_file<CallId::openat>(
      path, [=] { return g_libc.openat(folder, path, flags, mode); }, descriptor_itself);
}

MERIDIAN_EXPORT int openat64(int folder, const char* path, int flags, ...) {
  MERIDIAN_READ_MODE(flags)
  return opens_file<CallId::openat64>(
      path, [=] { return g_libc.openat64(folder, path, flags, mode); }, descriptor_itself);
}

MERIDIAN_EXPORT int __open_2(const char* path, int flags) {
  return opens_file<CallId::open>(
      path, [=] { return g_libc.__open_2(path, flags); }, descriptor_itself);
}

MERIDIAN_EXPORT int __open64_2(const char* path, int flags) {
  return opens_file<CallId::open64>(
      path, [=] { return g_libc.__open64_2(path, flags); }, descriptor_itself);
}

MERIDIAN_EXPORT int __openat_2(int folder, const char* path, int flags) {
  return opens_file<CallId::openat>(
      path, [=] { return g_libc.__openat_2(folder, path, flags); }, descriptor_itself);
}

MERIDIAN_EXPORT int __openat64_2(int folder, const char* path, int flags) {
  return opens_file<CallId::openat64>(
      path, [=] { return g_libc.__openat64_2(folder, path, flags); }, descriptor_itself);
}

MERIDIAN_EXPORT int creat(const char* path, mode_t mode) {
  return opens_file<CallId::creat>(
      path, [=] { return g_libc.creat(path, mode); }, descriptor_itself);
}

MERIDIAN_EXPORT int creat64(const char* path, mode_t mode) {
  return opens_file<CallId::creat64>(
      path, [=] { return g_libc.creat64(path, mode); }, descriptor_itself);
}

MERIDIAN_EXPORT int close(int file) {
  return closes_file<CallId::close>(file, [=] { return g_libc.close(file); });
}

// These close the other descriptor.
MERIDIAN_EXPORT int dup2(int file, int other) noexcept {
  if (file != other) forget_file(other);
  return g_libc.dup2(file, other);
}

MERIDIAN_EXPORT int dup3(int file, int other, int flags) noexcept {
  forget_file(other);
  return g_libc.dup3(file, other, flags);
}

MERIDIAN_EXPORT ssize_t read(int file, void* data, size_t bytes) {
  return moves_data<CallId::read>(file, -1, [=] { return g_libc.read(file, data, bytes); });
}

MERIDIAN_EXPORT ssize_t __read_chk(int file, void* data, size_t bytes, size_t room) {
  return moves_data<CallId::read>(file, -1, [=] { return g_libc.__read_chk(file, data, bytes, room); });
}

MERIDIAN_EXPORT ssize_t pread(int file, void* data, size_t bytes, off_t offset) {
  return moves_data<CallId::pread>(file, offset, [=] { return g_libc.pread(file, data, bytes, offset); });
}

MERIDIAN_EXPORT ssize_t __pread_chk(int file, void* data, size_t bytes, off_t offset, size_t room) {
  return moves_data<CallId::pread>(file, offset, [=] { return g_libc.__pread_chk(file, data, bytes, offset, room); });
}

MERIDIAN_EXPORT ssize_t pread64(int file, void* data, size_t bytes, off64_t offset) {
  return moves_data<CallId::pread64>(file, offset, [=] { return g_libc.pread64(file, data, bytes, offset); });
}

MERIDIAN_EXPORT ssize_t __pread64_chk(int file, void* data, size_t bytes, off64_t offset, size_t room) {
  return moves_data<CallId::pread64>(file, offset,
                                     [=] { return g_libc.__pread64_chk(file, data, bytes, offset, room); });
}

MERIDIAN_EXPORT ssize_t readv(int file, const iovec* pieces, int count) {
  return moves_data<CallId::readv>(file, -1, [=] { return g_libc.readv(file, pieces, count); });
}

MERIDIAN_EXPORT ssize_t preadv(int file, const iovec* pieces, int count, off_t offset) {
  return moves_data<CallId::preadv>(file, offset, [=] { return g_libc.preadv(file, pieces, count, offset); });
}

MERIDIAN_EXPORT ssize_t preadv64(int file, const iovec* pieces, int count, off64_t offset) {
  return moves_data<CallId::preadv64>(file, offset, [=] { return g_libc.preadv64(file, pieces, count, offset); });
}

MERIDIAN_EXPORT ssize_t write(int file, const void* data, size_t bytes) {
  return moves_data<CallId::write>(file, -1, [=] { return g_libc.write(file, data, bytes); });
}

MERIDIAN_EXPORT ssize_t pwrite(int file, const void* data, size_t bytes, off_t offset) {
  return moves_data<CallId::pwrite>(file, offset, [=] { return g_libc.pwrite(file, data, bytes, offset); });
}

MERIDIAN_EXPORT ssize_t pwrite64(int file, const void* data, size_t bytes, off64_t offset) {
  return moves_data<CallId::pwrite64>(file, offset, [=] { return g_libc.pwrite64(file, data, bytes, offset); });
}

MERIDIAN_EXPORT ssize_t writev(int file, const iovec* pieces, int count) {
  return moves_data<CallId::writev>(file, -1, [=] { return g_libc.writev(file, pieces, count); });
}

MERIDIAN_EXPORT ssize_t pwritev(int file, const iovec* pieces, int count, off_t offset) {
  return moves_data<CallId::pwritev>(file, offset, [=] { return g_libc.pwritev(file, pieces, count, offset); });
}

MERIDIAN_EXPORT ssize_t pwritev64(int file, const iovec* pieces, int count, off64_t offset) {
  return moves_data<CallId::pwritev64>(file, offset, [=] { return g_libc.pwritev64(file, pieces, count, offset); });
}

MERIDIAN_EXPORT int fsync(int file) {
  return uses_file<CallId::fsync>(file, [=] { return g_libc.fsync(file); });
}

MERIDIAN_EXPORT int fdatasync(int file) {
  return uses_file<CallId::fdatasync>(file, [=] { return g_libc.fdatasync(file); });
}

MERIDIAN_EXPORT int ftruncate(int file, off_t length) noexcept {
  return uses_file<CallId::ftruncate>(file, [=] { return g_libc.ftruncate(file, length); });
}

MERIDIAN_EXPORT int ftruncate64(int file, off64_t length) noexcept {
  return uses_file<CallId::ftruncate64>(file, [=] { return g_libc.ftruncate64(file, length); });
}

}  // namespace meridian
