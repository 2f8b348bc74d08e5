// hot
// SPDX-License-Identifier: Apache-2.0

// Files by streams (stdio). The C library's own calls on descriptors inside them do not come to the tracer, so that a stream's data
// count once. Calls that move little usually end in the stream's buffer; they are passed on as they are.

#undef _FORTIFY_SOURCE  // its inline functions have the names of these

#include "pmpi/files/file_call.hpp"

namespace meridian {

namespace {

constexpr size_t kLeastBytes = 4096;  // the usual size of a stream's buffer

int descriptor_of(FILE* stream) noexcept { return stream == nullptr ? -1 : ::fileno(stream); }

template <CallId id, class Call>
[[gnu::always_inline]] inline size_t moves_stream(FILE* stream, size_t bytes, size_t count, Call call) noexcept(false) {
  size_t all = 0;
  if (__builtin_mul_overflow(bytes, count, &all) || all < kLeastBytes) return call();
  if (is_off(id, caller()) || !is_application()) return call();
  const FileNumber file = file_of(descriptor_of(stream));
  if (file == kNoFile) return call();
  return recorded<id, Payload::io, kFileWords>([=](std::uint64_t* body) { fill_file(body, file, -1); }, call,
                                               [=](std::uint64_t* body, size_t items) {
                                                 body[2] = items * bytes;
                                                 return items == count;
                                               },
                                               caller());
}

}  // namespace

MERIDIAN_EXPORT FILE* fopen(const char* path, const char* mode) {
  return opens_file<CallId::fopen>(
      path, [=] { return g_libc.fopen(path, mode); }, descriptor_of);
}

MERIDIAN_EXPORT FILE* fopen64(const char* path, const char* mode) {
  return opens_file<CallId::fopen64>(
      path, [=] { return g_libc.fopen64(path, mode); }, descriptor_of);
}

MERIDIAN_EXPORT FILE* freopen(const char* path, const char* mode, FILE* stream) {
  forget_file(descriptor_of(stream));
  return opens_file<CallId::freopen>(
      path, [=] { return g_libc.freopen(path, mode, stream); }, descriptor_of);
}

MERIDIAN_EXPORT FILE* freopen64(const char* path, const char* mode, FILE* stream) {
  forget_file(descriptor_of(stream));
  return opens_file<CallId::freopen64>(
      path, [=] { return g_libc.freopen64(path, mode, stream); }, descriptor_of);
}

MERIDIAN_EXPORT int fclose(FILE* stream) {
  return closes_file<CallId::fclose>(descriptor_of(stream), [=] { return g_libc.fclose(stream); });
}

MERIDIAN_EXPORT int fflush(FILE* stream) {
  if (stream == nullptr) return g_libc.fflush(stream);
  return uses_file<CallId::fflush>(descriptor_of(stream), [=] { return g_libc.fflush(stream); });
}

MERIDIAN_EXPORT size_t fread(void* data, size_t bytes, size_t count, FILE* stream) {
  return moves_stream<CallId::fread>(stream, bytes, count, [=] { return g_libc.fread(data, bytes, count, stream); });
}

MERIDIAN_EXPORT size_t __fread_chk(void* data, size_t room, size_t bytes, size_t count, FILE* stream) {
  return moves_stream<CallId::fread>(stream, bytes, count,
                                     [=] { return g_libc.__fread_chk(data, room, bytes, count, stream); });
}

MERIDIAN_EXPORT size_t fwrite(const void* data, size_t bytes, size_t count, FILE* stream) {
  return moves_stream<CallId::fwrite>(stream, bytes, count, [=] { return g_libc.fwrite(data, bytes, count, stream); });
}

}  // namespace meridian
