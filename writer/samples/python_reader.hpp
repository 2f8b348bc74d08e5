// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/ring/process_memory.hpp"
#include "trace/unwind/python_layout.hpp"

namespace meridian {

/// Reads the lines of Python that a thread of another process is in, while it runs: copies the frames that the
/// interpreter keeps in memory; nothing runs in that process for it, and what does not look like a frame ends the stack. Not
/// thread-safe.
class PythonReader {
 public:
  /// A line, as the texts with kScriptKey have it.
  struct Line {
    std::uint64_t site = 0;
    std::string text;
  };

  PythonReader(std::int32_t pid, const PythonPlace& place);

  /// Sets `sites` to the lines, the innermost first: numbers from kFirstSampledSite on. Empty: the thread runs no Python now, or its
  /// memory cannot be read.
  void read(std::vector<std::uint64_t>& sites);
  /// The lines that were new since the last call.
  std::vector<Line> take_lines();
  /// errno with which the kernel refused to copy memory of the process; 0: it did not.
  int refusal() const noexcept { return memory_.refusal(); }

 private:
  struct Frame {
    std::uint64_t code = 0;
    std::uint64_t instruction = 0;
    bool operator==(const Frame&) const = default;
  };
  struct Point {
    Frame frame;
    std::uint64_t identity = 0;  // of the code object: another one may get its memory
    bool operator==(const Point&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Point& point) const noexcept;
  };

  template <class Value>
  bool load(std::uint64_t from, Value& value);
  /// The address of the innermost frame now; 0: the thread runs no Python.
  std::uint64_t innermost();
  bool read_frames();
  std::uint64_t site_of(const Frame& frame);
  std::uint64_t name(const Frame& frame, std::span<const unsigned char> code);
  std::uint32_t line_of(const Frame& frame, std::span<const unsigned char> code);

  ProcessMemory memory_;
  PythonPlace place_;
  std::vector<Frame> frames_;
  std::vector<unsigned char> frame_, code_, object_, characters_, table_;
  std::unordered_map<Point, std::uint64_t, Hash> known_;
  std::unordered_map<std::string, std::uint64_t> site_of_text_;
  std::vector<Line> new_lines_;
};

}  // namespace meridian
