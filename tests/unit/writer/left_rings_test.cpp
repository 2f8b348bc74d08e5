// SPDX-License-Identifier: Apache-2.0
#include "writer/left_rings.hpp"

#include <sys/file.h>

#include <fstream>
#include <memory>

#include "child.hpp"
#include "known_calls.hpp"
#include "tests/support/temp_dir.hpp"
#include "trace/ring/process_start.hpp"
#include "trace/ring/ring_name.hpp"

namespace meridian {
namespace {

using namespace test;

std::string name_of(std::int32_t pid, std::uint64_t start, std::uint64_t pid_namespace, const char* host = nullptr) {
  char own[256] = {}, path[512];
  ::gethostname(own, sizeof own - 1);
  RingName name{.host = "", .pid = pid, .start = start, .pid_namespace = pid_namespace};
  set_host(name, host != nullptr ? host : own);
  EXPECT_TRUE(write_ring_path(".", name, path, sizeof path));
  return std::string{path}.substr(2);
}

TEST(RingName, IsReadAsItWasWritten) {
  RingName read;
  ASSERT_TRUE(read_ring_name(name_of(17, 123456789012345, 4026531836).c_str(), read));
  EXPECT_EQ(read.pid, 17);
  EXPECT_EQ(read.start, 123456789012345u);
  EXPECT_EQ(read.pid_namespace, 4026531836u);
  for (const char* other : {"", ".ring", "a.ring", "a-1.ring", "a-1-2.ring", "1-2-3.ring", "a-1-2-3.spool",
                            "a-1-2-3.ring.spool", "a-1-2-x.ring", "a-0-2-3.ring", "a-1--3.ring"})
    EXPECT_FALSE(read_ring_name(other, read)) << other;
}

TEST(RingName, HoldsNoCharacterOfTheHostThatIsUnsuitableForAFile) {
  RingName read;
  const std::string name = name_of(1, 2, 3, "../../etc/no de\n");
  EXPECT_EQ(name, ".._.._etc_no_de_-1-2-3.ring");
  ASSERT_TRUE(read_ring_name(name.c_str(), read));
  EXPECT_STREQ(read.host, ".._.._etc_no_de_");
}

class LeftRings : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(out);
    std::filesystem::create_directory(scratch);
  }
  /// The ring of a process that runs `body` and ends; it bears the process's name.
  std::filesystem::path left_by(const std::function<void(TestRing&)>& body) {
    const auto unnamed = scratch / ("new" + std::to_string(made.size()));
    TestRing& ring = *made.emplace_back(std::make_unique<TestRing>(unnamed, TestRing::Shape{}));
    start_program(ring, [&] { body(ring); }).wait();
    auto path = scratch / name_of(ring.header().pid, ring.header().process_start, own_pid_namespace());
    std::filesystem::rename(unnamed, path);
    return path;
  }
  static void put_calls(TestRing& ring, std::uint64_t calls) {
    TestProducer producer{ring, 0};
    producer.put(thread_record(0, 1));
    for (std::uint64_t i = 0; i < calls; ++i) producer.put(known_call(i));
    producer.put_under_way(record(CallId::Init, Payload::local, 5000, 0, {}, 0));
  }
  RingFate fate_of(const std::filesystem::path& path) {
    for (const LeftRing& ring : find_left_rings(scratch))
      if (ring.path == path) return ring.fate;
    ADD_FAILURE() << path << " was not found";
    return {};
  }
  void write_note(const std::filesystem::path& ring, int rank) {
    char host[256] = {};
    ::gethostname(host, sizeof host - 1);
    std::ofstream{out / ("rank-0000" + std::to_string(rank) + ".ring")} << host << '\n' << ring.string() << '\n';
  }
  TempDir dir;
  std::filesystem::path out = dir / "out", scratch = dir / "scratch";
  std::vector<std::unique_ptr<TestRing>> made;
};

TEST_F(LeftRings, OfAProgramThatEndedInMpiInitAreRemoved) {
  const auto ring = left_by([](TestRing& in) { put_calls(in, 0); });
  std::ofstream{ring.string() + ".spool"} << "";
  EXPECT_EQ(fate_of(ring), RingFate::empty);
  remove_empty_rings(scratch);
  EXPECT_TRUE(std::filesystem::is_empty(scratch));
}

TEST_F(LeftRings, OfAProgramThatWasKilledWhileItLaidOutTheFileAreRemoved) {
  const auto ring = left_by([](TestRing&) {});
  std::ofstream{ring, std::ios::trunc} << std::string(8192, '\0');
  EXPECT_EQ(fate_of(ring), RingFate::empty);
  remove_empty_rings(scratch);
  EXPECT_TRUE(std::filesystem::is_empty(scratch));
}

TEST_F(LeftRings, OfAProgramWithoutARankAreRemovedWithItsCallsBeforeMpiInit) {
  const auto ring = left_by([](TestRing& in) { put_calls(in, 3); });
  EXPECT_EQ(fate_of(ring), RingFate::empty);
  remove_empty_rings(scratch);
  EXPECT_TRUE(std::filesystem::is_empty(scratch));
}

TEST_F(LeftRings, WithCompletedCallsOfARankAreKept) {
  const auto with_trace = left_by([&](TestRing& in) {
    in.set_output(out, 2);
    put_calls(in, 1);
  });
  write_note(with_trace, 2);
  const auto without_trace = left_by([&](TestRing& in) {
    in.set_output(out, 3);
    put_calls(in, 1);
  });
  std::filesystem::remove(out / "rank-00003.ring");
  EXPECT_EQ(fate_of(with_trace), RingFate::mergeable);
  EXPECT_EQ(fate_of(without_trace), RingFate::unreachable);
  remove_empty_rings(scratch);
  for (const auto& ring : {with_trace, without_trace}) EXPECT_TRUE(std::filesystem::exists(ring));
}

TEST_F(LeftRings, OfARankWhoseFileIsCompleteAreRemovedWithTheNote) {
  const auto ring = left_by([&](TestRing& in) {
    in.set_output(out, 2);
    put_calls(in, 1);
    in.header().is_complete.store(1);
  });
  write_note(ring, 2);
  EXPECT_EQ(fate_of(ring), RingFate::empty);
  remove_empty_rings(scratch);
  EXPECT_TRUE(std::filesystem::is_empty(scratch));
  EXPECT_TRUE(std::filesystem::is_empty(out));
}

TEST_F(LeftRings, ThatAreInUseAreNotTouched) {
  const auto locked = left_by([](TestRing& in) { put_calls(in, 0); });
  const int fd = ::open(locked.c_str(), O_RDWR);
  ASSERT_EQ(::flock(fd, LOCK_EX), 0);
  const auto empty = left_by([](TestRing& in) { put_calls(in, 0); });
  const RingFileHeader& header = made.back()->header();
  const auto of_this_process = scratch / name_of(::getpid(), process_start(::getpid()), own_pid_namespace());
  const auto elsewhere = scratch / name_of(header.pid, header.process_start, own_pid_namespace(), "farnode");
  const auto in_container = scratch / name_of(header.pid, header.process_start, own_pid_namespace() + 1);
  for (const auto& copy : {of_this_process, elsewhere, in_container}) std::filesystem::copy_file(empty, copy);
  remove_empty_rings(scratch);
  EXPECT_FALSE(std::filesystem::exists(empty));
  for (const auto& kept : {locked, of_this_process, elsewhere, in_container}) {
    EXPECT_TRUE(std::filesystem::exists(kept)) << kept;
    EXPECT_EQ(fate_of(kept), RingFate::in_use) << kept;
  }
  ::close(fd);
}

}  // namespace
}  // namespace meridian
