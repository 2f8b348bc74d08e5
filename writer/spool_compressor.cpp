// SPDX-License-Identifier: Apache-2.0
#include "writer/spool_compressor.hpp"

#include <exception>
#include <system_error>

#include "trace/format/chunk_codec.hpp"
#include "trace/records/places.hpp"
#include "writer/compress_spool.hpp"

namespace meridian {

SpoolCompressor::SpoolCompressor(RingFile& ring)
    : ring_{ring}, limit_{has_own_deflate() ? ring.header().spool_bytes / 2 : 0} {}

void SpoolCompressor::wait() {
  if (thread_.joinable()) thread_.join();
}

void SpoolCompressor::take(std::optional<SpoolWriter>& spool) {
  const std::filesystem::path output_dir = ring_.output_dir();
  const std::int32_t rank = ring_.world_rank();
  if (output_dir.empty() || rank < 0) return;
  wait();
  if (has_failed_) return;
  const auto full = full_spool(spool->path());
  std::error_code problem;
  if (std::filesystem::exists(std::filesystem::symlink_status(full, problem))) return;
  std::filesystem::rename(spool->path(), full, problem);
  if (problem) {
    has_failed_ = true;
    return;
  }
  spool.reset();
  const auto compress = [this, full, pieces = pieces_of(ring_.path(), output_dir, rank)] {
    try {
      has_failed_ = !compress_spool(ring_, full, pieces);
    } catch (const std::exception&) {  // out of memory: the spool remains
      has_failed_ = true;
    }
  };
  try {
    thread_ = std::thread{compress};
  } catch (const std::system_error&) {  // the limit on threads is reached
    compress();
  }
}

}  // namespace meridian
