// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// close(2), unless it is no descriptor.
int close_descriptor(int descriptor) noexcept;
using Descriptor = Unique<&close_descriptor, -1>;

/// A ring file as seen by the writer and by the recovery. What the header says is checked once, when it is opened, and
/// the geometry is kept here: the mapped header belongs to a process that may be damaged or hostile. Positions are
/// checked at each use. Record data are read with pread(), so that a file that somebody cut gives an Error, no SIGBUS.
class RingFile {
 public:
  enum class Access { read_only, drain };

  struct Geometry {
    std::uint32_t slot_count = 0;
    std::uint64_t ring_bytes = 0;
    std::uint64_t block_bytes = 0;
    std::uint64_t data_offset = 0;
  };

  /// What a slot holds at one moment: stream positions in bytes.
  struct Range {
    std::uint64_t tail = 0;
    std::uint64_t head = 0;
  };

  /// errors  not_found; io; damaged: no ring file, or its header cannot be true; unsupported: a newer version.
  static Result<RingFile> open(const std::filesystem::path& path, Access access);
  RingFile(RingFile&& other) noexcept;
  RingFile& operator=(RingFile&& other) noexcept;
  ~RingFile();

  const std::filesystem::path& path() const noexcept { return path_; }
  const Geometry& geometry() const noexcept { return geometry_; }
  const RingFileHeader& header() const noexcept { return *header_; }
  const RingSlot& slot(std::uint32_t index) const noexcept { return slots_[index]; }
  /// Only after Access::drain.
  RingFileHeader& shared_header() noexcept { return *header_; }
  RingSlot& shared_slot(std::uint32_t index) noexcept { return slots_[index]; }

  /// What is stored and not drained; head is read with acquire. errors: damaged (positions that cannot be true).
  Result<Range> range(std::uint32_t slot) const;
  /// Copies the stream from `position` on, which must be stored. errors: io, damaged.
  Status read(std::uint32_t slot, std::uint64_t position, std::span<std::uint64_t> words) const;

  /// [CallId] calls that the process did not record, all its threads together; empty: there are none.
  /// errors  io; damaged: the counters are not those of this version, or cannot be where they are said to be
  Result<std::vector<std::uint64_t>> passed_calls(std::size_t calls) const;

  /// Has the process look at what its header asks for. Only after Access::drain.
  void ask_all_threads() noexcept;
  /// What is known of the process' threads, by ThreadId, up to the last that was given one; empty: the file has none.
  /// errors  io; damaged: what it says of them cannot be true
  Result<std::vector<ThreadCard>> cards() const;

  /// Takes the file for this process until it ends or closes; false: another process has it.
  bool lock() const noexcept;
  /// Whether path() still names this file: a process that called exec() may have made a new one there.
  bool is_at_its_path() const noexcept;

  // The header's texts and numbers, safe whatever is in it.
  std::string output_dir() const;  ///< empty until the program has agreed on it, or when it is no absolute path
  std::string hostname() const;
  std::string executable() const;
  std::int32_t world_rank() const noexcept;  ///< -1: not known
  std::int32_t world_size() const noexcept;  ///< -1: not known
  ClockKind clock() const noexcept;
  /// Whether the process that made the file is still running (not a zombie, not another one with the same pid).
  bool is_process_alive() const;

 private:
  RingFile() = default;
  /// errors  io; damaged: the file ends before
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
