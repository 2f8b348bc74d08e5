// SPDX-License-Identifier: Apache-2.0
#include "report/data/encoding.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <new>

namespace meridian {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    const std::size_t digits = std::min<std::size_t>(bytes.size() - i, 3) + 1;
    for (std::size_t k = 0; k < 4; ++k) text += k < digits ? kDigits[group >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

}  // namespace

std::string packed_text(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit(&stream, Z_BEST_COMPRESSION) != Z_OK) throw std::bad_alloc{};
  std::string packed;
  std::array<char, 65536> buffer{};
  std::size_t done = 0;
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    if (stream.avail_in == 0 && done < bytes.size()) {
      const std::size_t count = std::min<std::size_t>(bytes.size() - done, std::numeric_limits<int>::max());
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + done));
      stream.avail_in = static_cast<uInt>(count);
      done += count;
    }
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    state = deflate(&stream, done == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    packed.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  return base64(packed);
}

}  // namespace meridian
