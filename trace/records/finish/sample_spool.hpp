// SPDX-License-Identifier: Apache-2.0
#pragma once

// Samples of a rank, its intervals without a processor, its memory and the energy of its host, on their way from the writer to the rank
// file: a file to which stacks, samples, intervals, readings and texts are appended. A reader meets a torn end where the writer is appending or was killed.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "trace/format/rank/energy_table.hpp"
#include "trace/format/rank/memory_table.hpp"
#include "trace/format/rank/processor_table.hpp"
#include "trace/format/rank/sample_table.hpp"
#include "trace/model/result.hpp"
#include "trace/ring/ring_file.hpp"

namespace meridian {

class SampleSpoolWriter {
 public:
  /// Replaces a file that an earlier run has left. errors: io
  static Result<SampleSpoolWriter> create(const std::filesystem::path& path, const RingFile& ring);

  /// Takes the next row of the stacks; row 0, which is no stack, is not passed.
  void add(const StackRow& row);
  /// Takes a sample whose stack has been added, in order of time.
  void add(const SampleRow& row);
  /// Takes an interval without a processor, in order of its end.
  void add(const ProcessorRow& row);
  /// Takes a reading of the memory, in order of time.
  void add(const MemoryRow& row);
  /// Takes a reading of the energy, in order of time.
  void add(const EnergyRow& row);
  /// Takes a text about the samples; it replaces an earlier one of that key and handle.
  void add(std::string_view key, std::string_view value, std::uint64_t handle);
  /// Appends everything to the file. errors: io (nothing is stored from then on)
  Status store();

 private:
  explicit SampleSpoolWriter(Descriptor file) : file_{std::move(file)} {}
  void put(std::uint64_t value);
  void put(std::string_view text);

  Descriptor file_;
  std::vector<std::uint8_t> bytes_;  // not stored yet
  std::uint64_t ticks_ = 0;          // of the last sample
  std::uint64_t off_ticks_ = 0;      // of the last interval
  MemoryRow memory_;                 // the last reading
  EnergyRow energy_;                 // the same
};

/// Reads such a file in order.
class SampleSpoolReader {
 public:
  /// errors  not_found: there is none, or it is of another process than the ring; io
  static Result<SampleSpoolReader> open(const std::filesystem::path& path, const RingFile& ring);

  using Row = std::variant<SampleRow, ProcessorRow, MemoryRow, EnergyRow>;

  /// False at the end. Fills in stacks() and texts() on the way.
  bool next(Row& row);
  /// The stacks so far, beginning with row 0.
  const std::vector<StackRow>& stacks() const noexcept { return stacks_; }
  /// The texts so far, each with its last value.
  const std::vector<TextRow>& texts() const noexcept { return texts_; }
  /// Whether something that the writer cannot have stored was found; reading ended there.
  bool is_damaged() const noexcept { return is_damaged_; }

 private:
  explicit SampleSpoolReader(Descriptor file) : file_{std::move(file)}, stacks_(1) {}
  bool byte(std::uint8_t& value);
  bool number(std::uint64_t& value);
  bool text(std::string& value);
  bool take_stack();
  bool take_text();
  bool take_sample(Row& row);
  bool take_interval(Row& row);
  bool take_memory(Row& row);
  bool take_energy(Row& row);
  bool fail();

  Descriptor file_;
  std::vector<std::uint8_t> bytes_;
  std::size_t at_ = 0;
  std::vector<StackRow> stacks_;
  std::vector<TextRow> texts_;
  std::uint64_t ticks_ = 0, off_ticks_ = 0;
  MemoryRow memory_;
  EnergyRow energy_;
  std::uint8_t tag_ = 0;  // of the entry
  bool is_damaged_ = false;
};

}  // namespace meridian
