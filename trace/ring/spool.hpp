// SPDX-License-Identifier: Apache-2.0
#pragma once

// Spool files: drained records of rings, in order, until the rank file is made. A sequence of SpoolSegment headers,
// each followed by its records. The last segment may be torn; its checksum reveals that. A spool that was restarted has
// old bytes behind its end, which is a header of zeros.

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "trace/model/result.hpp"
#include "trace/ring/ring_file.hpp"

namespace meridian {

/// Appends segments. Not thread-safe.
class SpoolWriter {
 public:
  /// Creates the file, readable only by its owner. errors: io (it exists, is a link, cannot be created).
  static Result<SpoolWriter> create(const std::filesystem::path& path);

  /// After an Error the spool ends where it ended before the call. errors: io (no space left...).
  Status append(std::uint32_t slot, std::uint64_t position, std::span<const std::uint64_t> words);
  /// Empties the spool, whose segments nobody needs any more. The same file is written again, because its memory is
  /// there already; a file that somebody reads is replaced by a new one instead. errors: io (the spool is unchanged).
  Status restart();
  /// Makes the spool begin at `position`, where a segment begins, because nobody needs those before it. The file is replaced by a copy
  /// of the rest; readers keep the old one. errors: io (the spool is unchanged).
  Status drop_before(std::uint64_t position);
  const std::filesystem::path& path() const noexcept { return path_; }
  std::uint64_t bytes() const noexcept { return end_; }

 private:
  Result<Descriptor> create_next() const;
  Status put_in_place(Descriptor next, std::uint64_t bytes);

  std::filesystem::path path_;
  Descriptor file_;
  std::uint64_t end_ = 0;
  bool has_old_bytes_ = false;  // behind the end
};

/// The name of a file that will replace a spool.
std::filesystem::path next_spool(std::filesystem::path spool);

/// Reads segments until the end, or until the first incomplete one.
class SpoolReader {
 public:
  struct Segment {
    std::uint32_t slot = 0;
    std::uint64_t position = 0;
    std::span<const std::uint64_t> words;  ///< valid until the next call
  };

  /// While this exists, the writer does not write over the segments.
  /// `position`: where a segment begins. errors: not_found, io
  static Result<SpoolReader> open(const std::filesystem::path& path, const RingFile::Geometry& geometry,
                                  std::uint64_t position = 0);

  /// False at the end. Does not examine data after a damaged segment: positions determine later which data are missing.
  bool next(Segment& segment);
  /// Bytes of the file before what next() reads.
  std::uint64_t position() const noexcept { return position_; }
  /// Whether there were data after the last complete segment.
  bool is_torn() const noexcept { return is_torn_; }
  /// Why the file could not be read to its end; ok if it was. Segments after an I/O error are not lost.
  const Status& status() const noexcept { return status_; }

 private:
  bool read(void* out, std::uint64_t bytes);
  std::filesystem::path path_;
  Descriptor file_;
  RingFile::Geometry geometry_;
  Status status_;
  std::vector<std::uint64_t> buffer_;
  std::uint64_t position_ = 0;
  std::uint64_t left_ = 0;  // bytes of the file that were not read yet
  bool is_torn_ = false;
};

}  // namespace meridian
