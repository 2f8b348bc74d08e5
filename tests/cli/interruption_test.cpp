// SPDX-License-Identifier: Apache-2.0
#include "cli/support/interruption.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <functional>
#include <string>

#include "cli/progress.hpp"
#include "cli/support/output_lock.hpp"
#include "tests/support/temp_dir.hpp"
#include "trace/format/tables/h5.hpp"
#include "trace/format/tables/temporary_files.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

struct Ended {
  int signal = 0;      // that ended the process
  std::string errors;  // what it wrote on standard error
};

/// Runs `work` in a process of its own, sends it `signal` when the work is done, and waits for its end.
Ended interrupt(const std::function<void()>& work, int signal) {
  std::array<int, 2> ready{}, errors{};
  EXPECT_EQ(::pipe(ready.data()), 0);
  EXPECT_EQ(::pipe(errors.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(errors[1], STDERR_FILENO);
    work();
    EXPECT_EQ(::write(ready[1], "", 1), 1);
    for (;;) ::pause();
  }
  ::close(ready[1]);
  ::close(errors[1]);
  char done = 0;
  EXPECT_EQ(::read(ready[0], &done, 1), 1);
  ::kill(child, signal);
  int status = 0;
  ::waitpid(child, &status, 0);
  Ended ended{WIFSIGNALED(status) ? WTERMSIG(status) : 0, std::string(4096, '\0')};
  const ssize_t length = ::read(errors[0], ended.errors.data(), ended.errors.size());
  ended.errors.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  ::close(ready[0]);
  ::close(errors[0]);
  return ended;
}

TEST(Interruption, RemovesTemporaryFilesAndTheBarAndEndsByTheSignal) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const test::TempDir dir;
    const Ended ended = interrupt(
        [&] {
          clean_up_when_interrupted(&wipe_progress);
          // Never destroyed: the signal comes in the middle of the work.
          static auto lock = OutputLock::take(dir / "merged.h5");
          static auto file = h5::create_file(dir / "merged.h5.part");
          static auto other = h5::create_file(dir / "rank-00000.h5.part");
          static ProgressBar bar{true};
          ASSERT_TRUE(file && other && lock);
          std::ofstream{dir / "rank-00001.h5"} << "complete";
          bar.show(0.5, "matching");
        },
        signal);
    EXPECT_EQ(ended.signal, signal);
    for (const char* name : {"merged.h5.part", "rank-00000.h5.part", "merged.h5.lock"})
      EXPECT_FALSE(fs::exists(dir / name)) << name;
    EXPECT_TRUE(fs::exists(dir / "rank-00001.h5"));
    EXPECT_TRUE(ended.errors.ends_with("\r\033[K")) << ended.errors;
  }
}

TEST(Interruption, LeavesFilesThatHaveTheirFinalName) {
  const test::TempDir dir;
  const Ended ended = interrupt(
      [&] {
        clean_up_when_interrupted(&wipe_progress);
        auto file = h5::create_file(dir / "a.h5.part");
        ASSERT_TRUE(file && h5::put_in_place(*file, dir / "a.h5.part", dir / "a.h5"));
        std::ofstream{dir / "a.h5.part"} << "of another process";
      },
      SIGINT);
  EXPECT_EQ(ended.signal, SIGINT);
  EXPECT_TRUE(fs::exists(dir / "a.h5"));
  EXPECT_TRUE(fs::exists(dir / "a.h5.part"));
  EXPECT_EQ(ended.errors, "");
}

TEST(Interruption, LeavesIgnoredSignalsAlone) {
  const test::TempDir dir;
  const Ended ended = interrupt(
      [&] {
        (void)std::signal(SIGHUP, SIG_IGN);
        clean_up_when_interrupted(&wipe_progress);
        ::kill(::getpid(), SIGHUP);
        std::ofstream{dir / "continues"} << "";
      },
      SIGKILL);
  EXPECT_EQ(ended.signal, SIGKILL);
  EXPECT_TRUE(fs::exists(dir / "continues"));
}

TEST(OutputLock, KeepsOthersOutUntilItEnds) {
  const test::TempDir dir;
  const fs::path output = dir / "merged.h5";
  {
    const auto lock = OutputLock::take(output);
    ASSERT_TRUE(lock);
    EXPECT_FALSE(OutputLock::take(output));
    EXPECT_TRUE(OutputLock::take(dir / "other.h5"));
  }
  EXPECT_TRUE(OutputLock::take(output));
  EXPECT_FALSE(fs::exists(dir / "merged.h5.lock"));
}

TEST(OutputLock, IsNotTakenThroughALink) {
  const test::TempDir dir;
  fs::create_symlink(dir / "precious", dir / "merged.h5.lock");
  EXPECT_TRUE(OutputLock::take(dir / "merged.h5"));
  EXPECT_FALSE(fs::exists(dir / "precious"));
  EXPECT_TRUE(fs::is_symlink(dir / "merged.h5.lock"));
}

}  // namespace
}  // namespace meridian
