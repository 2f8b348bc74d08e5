// SPDX-License-Identifier: Apache-2.0
#include "writer/recover.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "child.hpp"
#include "known_calls.hpp"
#include "tests/support/temp_dir.hpp"
#include "trace/format/rank/rank_end.hpp"
#include "trace/records/finish/places.hpp"
#include "trace/ring/ring_head.hpp"
#include "trace/ring/ring_note.hpp"
#include "writer/drain.hpp"

namespace {
int g_removals_left = -1;  // files that this process may still remove or rename before it is killed; -1: all
void count_removal() {
  if (g_removals_left == 0) ::_exit(9);
  --g_removals_left;
}
}  // namespace

// In the place of the C library's, for std::filesystem.
extern "C" int remove(const char* path) noexcept {
  count_removal();
  const auto removed = static_cast<int>(::syscall(SYS_unlinkat, AT_FDCWD, path, 0));
  return removed != 0 && errno == EISDIR ? ::rmdir(path) : removed;
}
extern "C" int rename(const char* from, const char* to) noexcept {
  count_removal();
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

namespace meridian {
namespace {

using namespace test;

class Recover : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(out); }
  // Ten calls of a program that has ended.
  void store_and_die(bool knows_its_rank = true) {
    start_program(made, [&] {
      if (knows_its_rank) made.set_output(out, 2);
      TestProducer producer{made, 0};
      producer.put(thread_record(0, 1));
      for (std::uint64_t i = 0; i < 10; ++i) producer.put(known_call(i));
    }).wait();
  }
  TempDir dir;
  std::filesystem::path out = dir / "out";
  TestRing made{dir / "a.ring", {}};
};

TEST_F(Recover, FinishesARankFromItsNoteAndCleansUp) {
  store_and_die();
  const auto recovered = recover_rank(out / "rank-00002.ring", out);
  ASSERT_TRUE(recovered) << recovered.error().what;
  EXPECT_EQ(recovered->outcome, Recovery::finished);
  EXPECT_EQ(recovered->rank, 2);
  EXPECT_EQ(recovered->events, 10u);
  EXPECT_EQ(recovered->damaged, 0u);
  EXPECT_EQ(recovered->ring, made.path());
  EXPECT_FALSE(std::filesystem::exists(made.path()));
  EXPECT_FALSE(std::filesystem::exists(out / "rank-00002.ring"));
  auto file = RankFile::open(out / "rank-00002.h5");
  ASSERT_TRUE(file) << file.error().what;
  EXPECT_EQ(count_known_calls(*file, 0), 10u);
}

// The directory holds the drained calls and the copy of the ring head; three more calls were only in the ring.
TEST_F(Recover, MakesTheRankOfALostHostFromWhatHadReachedTheDirectory) {
  made.set_output(out, 2);
  TestProducer producer{made, 0};
  producer.put(thread_record(0, 1));
  for (std::uint64_t i = 0; i < 7; ++i) producer.put(known_call(i));
  {
    auto ring = RingFile::open(made.path(), RingFile::Access::drain);
    ASSERT_TRUE(ring) << ring.error().what;
    Drain drain{*ring};
    ASSERT_TRUE(drain.run());
    ASSERT_TRUE(write_ring_head(*ring, head_in_output(out, 2), kCallCount));
  }
  for (std::uint64_t i = 7; i < 10; ++i) producer.put(known_call(i));
  std::filesystem::remove(made.path());
  const auto note = out / "rank-00002.ring";
  for (const std::string& host : {own_hostname(), std::string{"another"}}) {
    std::ofstream{note} << host << "\n" << made.path().string() << "\n";
    const auto refused = recover_rank(note, out);
    ASSERT_FALSE(refused) << host;
    EXPECT_NE(refused.error().hint.find("if they are lost, `meridian merge --lost-hosts`"), std::string::npos) << host;
    const auto recovered = recover_rank(note, out, OtherHosts::are_gone);
    ASSERT_TRUE(recovered) << recovered.error().what;
    EXPECT_EQ(recovered->outcome, Recovery::finished);
    EXPECT_EQ(recovered->events, 7u);
    EXPECT_FALSE(std::filesystem::exists(note));
    EXPECT_TRUE(std::filesystem::exists(out / "rank-00002.spool"));  // the host may be there after all
    auto file = RankFile::open(out / "rank-00002.h5");
    ASSERT_TRUE(file) << file.error().what;
    EXPECT_EQ(count_known_calls(*file, 0), 7u);
    const auto text = std::ranges::find(file->meta().texts, kHostLostKey, &TextRow::key);
    ASSERT_NE(text, file->meta().texts.end());
    EXPECT_EQ(text->value, file->meta().hostname);
  }
}

TEST_F(Recover, OfALostHostNeedsACopyOfTheRingsHeadThatIsWhole) {
  made.set_output(out, 2);
  const auto note = out / "rank-00002.ring", head = head_in_output(out, 2);
  std::ofstream{note} << "another\n" << made.path().string() << "\n";
  auto refused = recover_rank(note, out, OtherHosts::are_gone);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::not_found);
  EXPECT_NE(refused.error().what.find("without its ring, which was on host 'another'"), std::string::npos);
  EXPECT_EQ(recover_rank(note, out).error().hint.find("--lost-hosts"), std::string::npos);  // it could not help
  {
    auto ring = RingFile::open(made.path(), RingFile::Access::drain);
    ASSERT_TRUE(write_ring_head(*ring, head, kCallCount));
  }
  std::filesystem::resize_file(head, 5000);
  refused = recover_rank(note, out, OtherHosts::are_gone);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("it is truncated"), std::string::npos) << refused.error().what;
  EXPECT_TRUE(std::filesystem::exists(note));
}

// One after the other, every state that removing can be interrupted in.
TEST_F(Recover, CompletesACleanUpThatWasInterruptedAfterTheRankFile) {
  store_and_die();
  for (const char* piece : {"rank-00002.spool", "rank-00002.spill"}) std::ofstream{out / piece};
  const auto kept = dir / "kept";
  std::filesystem::create_directory(kept);
  const auto copy_all = [&](const std::filesystem::path& from, const std::filesystem::path& to) {
    std::filesystem::remove_all(to);
    std::filesystem::create_directory(to);
    for (const auto& entry : std::filesystem::directory_iterator{from})
      if (entry.is_regular_file()) std::filesystem::copy_file(entry.path(), to / entry.path().filename());
  };
  copy_all(out, kept / "out");
  std::filesystem::copy_file(made.path(), kept / "a.ring");
  int interrupted = 0;
  for (int removals = 0;; ++removals) {
    copy_all(kept / "out", out);
    std::filesystem::copy_file(kept / "a.ring", made.path(), std::filesystem::copy_options::overwrite_existing);
    const pid_t pid = ::fork();
    if (pid == 0) {
      g_removals_left = removals;
      ::_exit(recover_rank(out / "rank-00002.ring", out) ? 0 : 1);
    }
    const int code = Child{pid}.wait();
    ASSERT_TRUE(code == 0 || code == 9) << removals;
    interrupted += code == 9;
    std::vector<std::filesystem::path> notes;
    for (const auto& entry : std::filesystem::directory_iterator{out})
      if (entry.path().extension() == ".ring" || entry.path().extension() == ".done") notes.push_back(entry.path());
    EXPECT_LE(notes.size(), 1u) << removals;
    for (const auto& note : notes) {
      const auto recovered = recover_rank(note, out);
      ASSERT_TRUE(recovered) << removals << ": " << recovered.error().what;
      EXPECT_EQ(recovered->outcome, Recovery::finished) << removals;
    }
    std::vector<std::string> left;
    for (const auto& entry : std::filesystem::directory_iterator{out}) left.push_back(entry.path().filename());
    EXPECT_EQ(left, std::vector<std::string>{"rank-00002.h5"}) << removals;
    EXPECT_FALSE(std::filesystem::exists(made.path())) << removals;
    auto file = RankFile::open(out / "rank-00002.h5");
    ASSERT_TRUE(file) << removals << ": " << file.error().what;
    EXPECT_EQ(count_known_calls(*file, 0), 10u) << removals;
    if (code == 0) break;
  }
  EXPECT_GE(interrupted, 6);  // rename of the file, of the note; two pieces, ring, note
}

TEST_F(Recover, DoesNotTouchAFinishedRankOfAnotherHost) {
  std::ofstream{out / "rank-00002.done"} << "farnode\n/dev/shm/x.ring\n";
  const auto recovered = recover_rank(out / "rank-00002.done", out);
  ASSERT_FALSE(recovered);
  EXPECT_EQ(recovered.error().code, Errc::invalid_argument);
  EXPECT_TRUE(std::filesystem::exists(out / "rank-00002.done"));
}

TEST_F(Recover, WorksInADirectoryThatWasRenamedSince) {
  store_and_die();
  std::filesystem::rename(out, dir / "elsewhere");
  const auto recovered = recover_rank(dir / "elsewhere" / "rank-00002.ring", dir / "elsewhere");
  ASSERT_TRUE(recovered) << recovered.error().what;
  EXPECT_TRUE(RankFile::open(dir / "elsewhere" / "rank-00002.h5"));
  EXPECT_FALSE(std::filesystem::exists(dir / "elsewhere" / "rank-00002.ring"));
}

TEST_F(Recover, TouchesNothingWhileTheProcessLives) {
  auto program = start_program(made, [&] {
    made.set_output(out, 2);
    sleep_for_good();
  });
  ASSERT_TRUE(eventually([&] {
    return made.header().world_rank.load() == 2 && std::filesystem::exists(out / "rank-00002.ring") &&
           std::filesystem::file_size(out / "rank-00002.ring") > 0;
  }));
  const auto recovered = recover_rank(out / "rank-00002.ring", out);
  ASSERT_TRUE(recovered) << recovered.error().what;
  EXPECT_EQ(recovered->outcome, Recovery::still_running);
  EXPECT_TRUE(std::filesystem::exists(made.path()));
}

TEST_F(Recover, TouchesNothingWhileAnotherProcessWorksOnIt) {
  store_and_die();
  const int fd = ::open(made.path().c_str(), O_RDWR);
  ASSERT_EQ(::flock(fd, LOCK_EX), 0);
  const auto recovered = recover_rank(out / "rank-00002.ring", out);
  ASSERT_TRUE(recovered);
  EXPECT_EQ(recovered->outcome, Recovery::still_running);
  ::close(fd);
  EXPECT_EQ(recover_rank(out / "rank-00002.ring", out)->outcome, Recovery::finished);
}

TEST_F(Recover, LeavesARingWhoseRankIsUnknown) {
  store_and_die(false);
  const auto recovered = recover_rank(made.path(), out);
  ASSERT_TRUE(recovered) << recovered.error().what;
  EXPECT_EQ(recovered->outcome, Recovery::rank_unknown);
  EXPECT_TRUE(std::filesystem::exists(made.path()));
}

TEST_F(Recover, FollowsANoteOnlyToARingOfItsOwner) {
  store_and_die();
  const auto path = out / "rank-00002.ring";
  auto note = read_ring_note(path);
  ASSERT_TRUE(note);
  EXPECT_EQ(note->owner, ::geteuid());
  note->owner = ::geteuid() + 1;
  const auto refused = open_noted_ring(path, *note, RingFile::Access::drain);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "'" + path.string() + "' leads to the ring file '" + made.path().string() + "', which is of another user");
  note->owner = 0;
  EXPECT_TRUE(open_noted_ring(path, *note, RingFile::Access::drain));
}

TEST_F(Recover, ReportsTheHostOfTheRecords) {
  std::ofstream{out / "rank-00002.ring"} << "farnode\n/dev/shm/x.ring\n";
  const auto recovered = recover_rank(out / "rank-00002.ring", out);
  ASSERT_FALSE(recovered);
  EXPECT_EQ(recovered.error().code, Errc::invalid_argument);
  EXPECT_EQ(recovered.error().what, "cannot finish the rank of '" + (out / "rank-00002.ring").string() +
                                        "': its records are on host 'farnode'");
}

TEST_F(Recover, ReportsAMissingRing) {
  store_and_die();
  std::filesystem::remove(made.path());
  const auto recovered = recover_rank(out / "rank-00002.ring", out);
  ASSERT_FALSE(recovered);
  EXPECT_EQ(recovered.error().code, Errc::not_found);
  EXPECT_EQ(recovered.error().what, "cannot open ring file '" + made.path().string() + "': No such file or directory");
}

TEST_F(Recover, RefusesAnInvalidNote) {
  std::ofstream{out / "rank-00002.ring"} << "whatever this is";
  const auto recovered = recover_rank(out / "rank-00002.ring", out);
  ASSERT_FALSE(recovered);
  EXPECT_EQ(recovered.error().code, Errc::damaged);
}

TEST_F(Recover, KeepsTheRingWhenTheRankFileCannotBeMade) {
  store_and_die();
  const auto recovered = recover_rank(out / "rank-00002.ring", "/nonexistent");
  ASSERT_FALSE(recovered);
  EXPECT_TRUE(std::filesystem::exists(made.path()));
  EXPECT_TRUE(std::filesystem::exists(out / "rank-00002.ring"));
}

}  // namespace
}  // namespace meridian
