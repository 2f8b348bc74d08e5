// SPDX-License-Identifier: Apache-2.0
// Lines of Python in the memory of a process. Here it is the test's own memory, laid out as by CPython 3.11.

#include "writer/samples/python_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string_view>

#include "trace/model/event.hpp"

namespace meridian {
namespace {

using ::testing::ElementsAre;

using Bytes = std::array<unsigned char, 512>;

std::uint64_t at(const Bytes& memory) { return reinterpret_cast<std::uintptr_t>(memory.data()); }

template <class Value>
void put(Bytes& memory, std::size_t offset, Value value) {
  std::memcpy(memory.data() + offset, &value, sizeof value);
}

/// solve() in solver.py is in its line 12, called from line 20 of <module>.
class PythonLinesOfAProcess : public testing::Test {
 protected:
  struct Function {
    Bytes code{}, name{}, file{}, lines{};
  };

  void SetUp() override {
    place.thread_state = at(thread_);
    place.code_type = at(code_type_);
    place.text_type = at(text_type_);
    place.bytes_type = at(bytes_type_);
    place.layout = layout;
    put(thread_, layout.thread_frame, at(record_));
    put(record_, layout.record_frame, at(inner_));
    make_function(solve, "solve", "solver.py", 10);
    make_function(module, "<module>", "solver.py", 20);
    make_frame(inner_, solve, 4, at(between_), 0);
    make_frame(between_, module, 0, at(outer_), kPythonFrameOfC);
    make_frame(outer_, module, 0, 0, 0);
  }
  void make_text(Bytes& object, std::string_view text) const {
    put(object, kPythonType, at(text_type_));
    put(object, kPythonSize, std::uint64_t{text.size()});
    put(object, kPythonTextState, std::uint32_t{1U << 2 | 1U << 5 | 1U << 6});  // one byte a character, compact, ASCII
    std::memcpy(object.data() + layout.ascii_bytes, text.data(), text.size());
  }
  /// A function of eight code units, two for each line.
  void make_function(Function& function, std::string_view name, std::string_view file, std::int32_t first_line) const {
    make_text(function.name, name);
    make_text(function.file, file);
    put(function.lines, kPythonType, at(bytes_type_));
    constexpr std::array<unsigned char, 12> kTable{0xd1, 0, 0, 0xd9, 0, 0,
                                                   0xd9, 0, 0, 0xd9, 0, 0};  // a line, the next one...
    put(function.lines, kPythonSize, std::uint64_t{kTable.size()});
    std::memcpy(function.lines.data() + kPythonBytes, kTable.data(), kTable.size());
    put(function.code, kPythonType, at(code_type_));
    put(function.code, kPythonSize, std::uint64_t{8});
    put(function.code, layout.qualname, at(function.name));
    put(function.code, layout.filename, at(function.file));
    put(function.code, layout.linetable, at(function.lines));
    put(function.code, layout.firstlineno, first_line);
  }
  void make_frame(Bytes& frame, const Function& function, std::uint64_t unit, std::uint64_t previous,
                  unsigned char owner) const {
    put(frame, layout.frame_code, at(function.code));
    put(frame, layout.frame_instruction, at(function.code) + layout.instructions + unit * kPythonInstruction);
    put(frame, layout.frame_previous, previous);
    frame[layout.frame_owner] = owner;
  }
  static std::string text(std::string_view line, std::string_view function, std::string_view file) {
    std::string all{line};
    return all.append("\x1f").append(function).append("\x1f").append(file);
  }
  static std::vector<std::string> texts(PythonReader& reader) {
    std::vector<std::string> found;
    for (const PythonReader::Line& line : reader.take_lines()) found.push_back(line.text);
    return found;
  }

  PythonLayout layout = kPythonLayouts[0];
  PythonPlace place;
  Function solve, module;
  std::vector<std::uint64_t> sites;

 private:
  Bytes code_type_{}, text_type_{}, bytes_type_{}, thread_{}, record_{};

 protected:
  Bytes inner_{}, between_{}, outer_{};
};

TEST_F(PythonLinesOfAProcess, AreReadFromTheInnermostOutwardsWithoutFramesOfC) {
  PythonReader reader{::getpid(), place};
  reader.read(sites);
  EXPECT_THAT(sites, ElementsAre(kFirstSampledSite, kFirstSampledSite + 1));
  EXPECT_THAT(texts(reader), ElementsAre(text("12", "solve", "solver.py"), text("20", "<module>", "solver.py")));
  EXPECT_EQ(reader.refusal(), 0);
}

TEST_F(PythonLinesOfAProcess, HaveOneNumberHoweverOftenTheyAreRead) {
  PythonReader reader{::getpid(), place};
  reader.read(sites);
  (void)reader.take_lines();
  make_frame(inner_, solve, 5, at(outer_), 0);  // another instruction of the same line
  reader.read(sites);
  EXPECT_THAT(sites, ElementsAre(kFirstSampledSite, kFirstSampledSite + 1));
  EXPECT_THAT(texts(reader), ElementsAre());
  make_frame(inner_, solve, 6, at(outer_), 0);
  reader.read(sites);
  EXPECT_THAT(sites, ElementsAre(kFirstSampledSite + 2, kFirstSampledSite + 1));
  EXPECT_THAT(texts(reader), ElementsAre(text("13", "solve", "solver.py")));
}

TEST_F(PythonLinesOfAProcess, AreThoseOfTheFunctionThatNowHasTheMemoryOfAnotherOne) {
  PythonReader reader{::getpid(), place};
  reader.read(sites);
  (void)reader.take_lines();
  make_function(solve, "check", "solver.py", 30);
  reader.read(sites);
  EXPECT_THAT(texts(reader), ElementsAre(text("32", "check", "solver.py")));
}

TEST_F(PythonLinesOfAProcess, OfTheInterpretersOwnCodeArePassedOver) {
  make_function(solve, "_load", "<frozen importlib._bootstrap>", 10);
  PythonReader reader{::getpid(), place};
  reader.read(sites);
  EXPECT_THAT(texts(reader), ElementsAre(text("20", "<module>", "solver.py")));
  EXPECT_THAT(sites, ElementsAre(kFirstSampledSite));
}

TEST_F(PythonLinesOfAProcess, EndWhereMemoryDoesNotLookLikeAFrame) {
  PythonReader reader{::getpid(), place};
  put(module.code, kPythonType, std::uint64_t{7});
  reader.read(sites);
  EXPECT_THAT(texts(reader), ElementsAre(text("12", "solve", "solver.py")));
  put(solve.code, kPythonSize, UINT64_MAX);
  reader.read(sites);
  EXPECT_THAT(sites, ElementsAre());
  put(solve.code, kPythonSize, std::uint64_t{8});
  put(solve.name, kPythonTextState, std::uint32_t{0});
  PythonReader{::getpid(), place}.read(sites);
  EXPECT_THAT(sites, ElementsAre());
}

TEST_F(PythonLinesOfAProcess, OfFramesThatGoInACircleEnd) {
  make_frame(outer_, module, 0, at(inner_), 0);
  PythonReader reader{::getpid(), place};
  reader.read(sites);
  EXPECT_GT(sites.size(), 2u);
  EXPECT_THAT(texts(reader), ElementsAre(text("12", "solve", "solver.py"), text("20", "<module>", "solver.py")));
}

TEST_F(PythonLinesOfAProcess, AreNoneWithoutMemoryOrProcess) {
  PythonPlace nowhere = place;
  nowhere.thread_state = 8;
  PythonReader{::getpid(), nowhere}.read(sites);
  EXPECT_THAT(sites, ElementsAre());
  constexpr std::int32_t kNoProcess = 1 << 30;
  PythonReader reader{kNoProcess, place};
  reader.read(sites);
  EXPECT_THAT(sites, ElementsAre());
  EXPECT_EQ(reader.refusal(), 0);
}

}  // namespace
}  // namespace meridian
