// SPDX-License-Identifier: Apache-2.0
// Frames of CPython in memory that is laid out as each version does it, and its tables of lines as Python itself reads them.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "pmpi/process/program.hpp"
#include "pmpi/stacks/python_frames.hpp"
#include "tests/support/temp_dir.hpp"
#include "trace/unwind/python_lines.hpp"

namespace meridian {
constinit Python g_python;  // of this test: that of the tracer needs a ring

namespace {

constexpr const char* kPython = "/usr/bin/python3";

std::vector<unsigned char> bytes_of(const std::string& hex) {
  std::vector<unsigned char> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<unsigned char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

TEST(PythonLines, AreThoseThatPythonReads) {
  const std::string is_new = std::string{kPython} + " -c 'import sys; sys.exit(sys.version_info < (3, 11))'";
  if (std::system(is_new.c_str()) != 0) GTEST_SKIP() << "no Python from 3.11 on";
  const test::TempDir work;
  const std::string list = (work / "lines").string();
  const std::string command =
      std::string{kPython} + " -B '" MERIDIAN_SOURCE_DIR "/tests/unit/pmpi/python_lines.py' '" + list + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::ifstream file{list};
  std::size_t functions = 0, units = 0;
  for (std::string row; std::getline(file, row); ++functions) {
    std::istringstream words{row};
    std::int32_t first = 0;
    std::string hex;
    words >> first >> hex;
    const std::vector<unsigned char> table = bytes_of(hex);
    std::uint32_t line = 0;
    for (std::uint64_t unit = 0; words >> line; ++unit, ++units)
      ASSERT_EQ(python_line(table.data(), table.size(), first, unit), line) << row.substr(0, 200) << ", unit " << unit;
  }
  EXPECT_GT(functions, 1000u);
  EXPECT_GT(units, 50000u);
}

TEST(PythonLines, OfDamagedTablesAreNone) {
  EXPECT_EQ(python_line(nullptr, 0, 7, 0), 0u);
  const std::array<unsigned char, 3> open_number{0xf0, 0x7f, 0x7f};  // a number that does not end
  EXPECT_LE(python_line(open_number.data(), open_number.size(), 7, 0), UINT32_MAX);
  EXPECT_EQ(python_line(open_number.data(), open_number.size(), 7, 1), 0u);
  std::vector<unsigned char> bytes(64);
  std::srand(1);
  for (int round = 0; round < 10000; ++round) {
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(std::rand());
    EXPECT_EQ(python_line(bytes.data(), bytes.size(), 7, 10000), 0u);
  }
}

/// Words as at the beginning of _PyRuntime of CPython 3.13.0, as far as they are read.
std::array<std::uint64_t, kPythonDebugWords> debug_offsets() {
  std::array<std::uint64_t, kPythonDebugWords> words{};
  std::memcpy(words.data(), "xdebugpy", 8);
  words[1] = 0x030d00f0;
  words[23] = 72;   // thread_state.current_frame
  words[29] = 8;    // interpreter_frame.previous
  words[31] = 56;   // instr_ptr
  words[33] = 70;   // owner
  words[35] = 112;  // code_object.filename
  words[37] = 128;
  words[38] = 136;
  words[39] = 68;
  words[43] = 200;
  words[45] = 8;  // pyobject.ob_type
  words[65] = 16;
  words[66] = 32;
  words[68] = 32;
  words[69] = 16;
  words[70] = 40;
  return words;
}

TEST(PythonLayout, Of313IsThatOfItsDebugOffsets) {
  const PythonLayout layout = read_debug_offsets(debug_offsets().data());
  EXPECT_EQ(layout.version, 0x030du);
  EXPECT_EQ(layout.thread_frame, 72);
  EXPECT_EQ(layout.record_frame, PythonLayout::kNoRecord);
  EXPECT_EQ(layout.frame_code, 0);
  EXPECT_EQ(layout.frame_previous, 8);
  EXPECT_EQ(layout.frame_instruction, 56);
  EXPECT_EQ(layout.frame_owner, 70);
  EXPECT_EQ(layout.filename, 112);
  EXPECT_EQ(layout.qualname, 128);
  EXPECT_EQ(layout.linetable, 136);
  EXPECT_EQ(layout.firstlineno, 68);
  EXPECT_EQ(layout.instructions, 200);
  EXPECT_EQ(layout.ascii_bytes, 40);
}

TEST(PythonLayout, OfOtherVersionsIsUnknown) {
  for (const std::size_t changed : {0U, 1U, 2U, 45U, 65U, 66U, 68U, 69U}) {  // cookie, version, free threading, objects
    auto words = debug_offsets();
    words[changed] += std::uint64_t{1} << 16;
    EXPECT_EQ(read_debug_offsets(words.data()).version, 0u) << changed;
  }
}

/// A thread in a function that another one called; between them a frame without code of the program.
class PythonFrames : public testing::TestWithParam<std::uint32_t> {
 protected:
  void SetUp() override {
    for (const PythonLayout& known : kPythonLayouts)
      if (known.version == GetParam()) layout_ = known;
    if (GetParam() == kSelfDescribing) layout_ = read_debug_offsets(debug_offsets().data());
    ASSERT_EQ(layout_.version, GetParam());
    g_python.layout = layout_;
    g_python.code_type = at(type_);
    g_python.thread_state = []() noexcept -> void* { return g_thread; };
    g_python.is_initialized = []() noexcept { return g_is_initialized; };
    g_is_initialized = 1;
    g_thread = thread_.data();
    const bool has_record = layout_.record_frame != PythonLayout::kNoRecord;
    put(thread_, layout_.thread_frame, has_record ? at(record_) : at(inner_));
    if (has_record) put(record_, layout_.record_frame, at(inner_));
    for (Memory* code : {&code_, &outer_code_}) put(*code, kPythonType, at(type_));
    make_frame(inner_, code_, at(code_) + layout_.instructions + 6, at(between_), 0);
    make_frame(between_, code_, at(code_), at(outer_), kPythonFrameOfC);
    make_frame(outer_, outer_code_, at(outer_code_) + layout_.instructions, 0, 1);
  }

  using Memory = std::array<unsigned char, 512>;
  static std::uintptr_t at(const Memory& memory) { return reinterpret_cast<std::uintptr_t>(memory.data()); }
  static void put(Memory& memory, std::size_t offset, std::uintptr_t value) {
    std::memcpy(memory.data() + offset, &value, sizeof value);
  }
  void make_frame(Memory& frame, const Memory& code, std::uintptr_t instruction, std::uintptr_t previous,
                  unsigned char owner) const {
    put(frame, layout_.frame_code, at(code));
    put(frame, layout_.frame_instruction, instruction);
    put(frame, layout_.frame_previous, previous);
    frame[layout_.frame_owner] = owner;
  }

  static inline void* g_thread = nullptr;
  static inline int g_is_initialized = 1;
  PythonLayout layout_;
  Memory type_{}, thread_{}, record_{}, code_{}, outer_code_{}, inner_{}, between_{}, outer_{};
};

TEST_P(PythonFrames, AreReadFromTheInnermostOutwards) {
  const PythonFrame frame = innermost_python_frame();
  EXPECT_EQ(frame.at, at(inner_));
  EXPECT_EQ(frame.code, at(code_));
  EXPECT_EQ(frame.instruction, at(code_) + layout_.instructions + 6);
  const PythonFrame caller = python_caller(frame);
  EXPECT_EQ(caller.code, at(outer_code_));
  EXPECT_EQ(python_caller(caller).at, 0u);
}

TEST_P(PythonFrames, OfThreadsWithoutPythonAreNone) {
  g_thread = nullptr;
  EXPECT_EQ(innermost_python_frame().at, 0u);
}

TEST_P(PythonFrames, AreNotReadWhileTheInterpreterEnds) {
  g_is_initialized = 0;
  EXPECT_EQ(innermost_python_frame().at, 0u);
}

TEST_P(PythonFrames, WithOtherObjectsThanCodeArePassedOver) {
  put(code_, kPythonType, at(thread_));
  EXPECT_EQ(innermost_python_frame().at, at(outer_));
}

INSTANTIATE_TEST_SUITE_P(Versions, PythonFrames, testing::Values(0x030b, 0x030c, 0x030d));

std::string_view script(std::string_view words) {
  const char* const found = find_script(words.data(), words.size());
  return found != nullptr ? found : "";
}

TEST(PythonProgram, IsTheScriptOfTheCommandLine) {
  using namespace std::string_view_literals;
  EXPECT_EQ(script("python3\0solver.py\0-m\0"sv), "solver.py");
  EXPECT_EQ(script("python3\0-B\0-u\0solver.py\0"sv), "solver.py");
  EXPECT_EQ(script("python3\0-X\0dev\0-Wignore\0-bW\0error\0solver.py\0"sv), "solver.py");
  EXPECT_EQ(script("python3\0--check-hash-based-pycs\0never\0solver.py\0"sv), "solver.py");
  EXPECT_EQ(script("python3\0-m\0solver\0more\0"sv), "solver");
  EXPECT_EQ(script("python3\0-msolver\0"sv), "solver");
  EXPECT_EQ(script("python3\0-m\0mpi4py\0solver.py\0"sv), "solver.py");
  EXPECT_EQ(script("python3\0-Im\0mpi4py.run\0solver.py\0"sv), "solver.py");
  EXPECT_EQ(script("python3\0-c\0print(1)\0solver.py\0"sv), "");
  EXPECT_EQ(script("python3\0-m\0"sv), "");
  EXPECT_EQ(script("python3\0-\0solver.py\0"sv), "");
  EXPECT_EQ(script("python3\0"sv), "");
}

}  // namespace
}  // namespace meridian
