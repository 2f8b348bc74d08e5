// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "trace/model/event.hpp"
#include "trace/model/handles.hpp"
#include "trace/model/result.hpp"
#include "trace/ring/process_start.hpp"
#include "trace/ring/ring_layout.hpp"

namespace meridian {

/// Closes a descriptor, unless it is negative.
int close_descriptor(int descriptor) noexcept;
using Descriptor = Unique<&close_descriptor, -1>;

/// A ring file for the writer and for recovery. The header is checked once, when the file is opened, and the geometry
/// is copied: the mapped header belongs to a process that may be damaged or hostile. Positions are checked at each use.
/// Records are read with pread(), so that a truncated file gives an Error, not a SIGBUS.
class RingFile {
 public:
  /// head: a copy without records (write_ring_head()), to read.
  enum class Access { read_only, drain, head };

  struct Geometry {
    std::uint32_t slot_count = 0;
    std::uint64_t ring_bytes = 0;
    std::uint64_t block_bytes = 0;
    std::uint64_t data_offset = 0;
  };

  /// The contents of a slot at one moment: stream positions in bytes.
  struct Range {
    std::uint64_t tail = 0;
    std::uint64_t head = 0;
  };

  /// errors  not_found; io; damaged: not a ring file, or an invalid header; unsupported: a newer version.
  static Result<RingFile> open(const std::filesystem::path& path, Access access);
  RingFile(RingFile&& other) noexcept;
  RingFile& operator=(RingFile&& other) noexcept;
  ~RingFile();

  const std::filesystem::path& path() const noexcept { return path_; }
  const Geometry& geometry() const noexcept { return geometry_; }
  const RingFileHeader& header() const noexcept { return *header_; }
  const RingSlot& slot(std::uint32_t index) const noexcept { return slots_[index]; }
  /// Only with Access::drain.
  RingFileHeader& shared_header() noexcept { return *header_; }
  RingSlot& shared_slot(std::uint32_t index) noexcept { return slots_[index]; }

  /// The stored range that is not drained yet; head is read with acquire. errors: damaged (invalid positions).
  Result<Range> range(std::uint32_t slot) const;
  /// Copies the stream from `position` on, which must be stored. errors: io, damaged.
  Status read(std::uint32_t slot, std::uint64_t position, std::span<std::uint64_t> words) const;

  /// [CallId]: number of calls that the process did not record, over all threads; empty: none.
  /// errors  io; damaged: the counters are not those of this version, or have an invalid position
  Result<std::vector<std::uint64_t>> passed_calls(std::size_t calls) const;

  /// Tells the process to read the requests in its header. Only with Access::drain.
  void ask_all_threads() noexcept;
  /// The cards of the process's threads, by ThreadId, up to the highest in use; empty: the file has none.
  /// errors  io; damaged: invalid data
  Result<std::vector<ThreadCard>> cards() const;

  /// Of the open file.
  int descriptor() const noexcept { return file_.get(); }
  /// Locks the file for this process until it ends or closes it; false: another process has it.
  bool lock() const noexcept;
  /// Whether path() still names this file: a process that called exec() may have made a new one there.
  bool is_at_its_path() const noexcept;

  // The header's texts and numbers, safe for any contents.
  std::string output_dir() const;  ///< empty until the program has agreed on it, or if it is not an absolute path
  std::string hostname() const;
  std::string executable() const;
  std::int32_t world_rank() const noexcept;  ///< -1: unknown
  std::int32_t world_size() const noexcept;  ///< -1: unknown
  ClockKind clock() const noexcept;
  /// Of the open file, whatever is at path() now; nobody if it is not known.
  uid_t owner() const noexcept;
  /// Whether the process that made the file is still running (not a zombie, not another one with the same pid).
  bool is_process_alive() const;

 private:
  RingFile() = default;
  /// errors  io; damaged: the file is too short
  Status read_at(std::uint64_t offset, std::span<std::byte> out) const;
  std::filesystem::path path_;
  Descriptor file_;
  Geometry geometry_;
  RingFileHeader* header_ = nullptr;
  RingSlot* slots_ = nullptr;
};

/// End of the piece of a slot's stream that begins at `position`: a block boundary or `head`, so that no record is cut.
/// A piece is small enough to be in the cache still when it is passed on.
std::uint64_t piece_end(const RingFile::Geometry& geometry, std::uint64_t position, std::uint64_t head) noexcept;

}  // namespace meridian
