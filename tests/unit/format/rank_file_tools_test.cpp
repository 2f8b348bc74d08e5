// SPDX-License-Identifier: Apache-2.0
// Rank files are readable without Meridian: by h5py with the snippet of FORMAT.md, and by h5dump.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <sstream>

#include "sample_rank.hpp"
#include "tests/support/temp_dir.hpp"

namespace meridian {
namespace {

using test::TempDir;

std::string output_of(const std::string& command) {
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::string text;
  std::array<char, 65536> piece;
  for (std::size_t got = 0; (got = std::fread(piece.data(), 1, piece.size(), pipe)) > 0;)
    text.append(piece.data(), got);
  EXPECT_EQ(::pclose(pipe), 0) << command << '\n' << text.substr(0, 2000);
  return text;
}

// Like EXPECT_EQ, but shows only the first line that differs: gtest's own comparison of long texts takes minutes.
void expect_same_lines(const std::string& actual, const std::string& expected) {
  std::istringstream a{actual}, b{expected};
  std::string x, y;
  for (int line = 1;; ++line) {
    const bool has_x = static_cast<bool>(std::getline(a, x));
    const bool has_y = static_cast<bool>(std::getline(b, y));
    ASSERT_EQ(has_x, has_y) << "in length, at line " << line << ": " << (has_x ? x : y);
    if (!has_x) return;
    ASSERT_EQ(x, y) << "line " << line;
  }
}

// The first python block of FORMAT.md.
std::string documented_snippet() {
  const auto bytes = test::bytes_of(MERIDIAN_FORMAT_MD);
  const std::string text{bytes.begin(), bytes.end()};
  const std::size_t begin = text.find("```python\n") + 10;
  return text.substr(begin, text.find("```", begin) - begin);
}

TEST(RankFileInH5py, HasTheTimesAndNamesThatWereStored) {
  if (std::string{MERIDIAN_PYTHON_H5PY}.empty()) GTEST_SKIP() << "no python with h5py found";
  const TempDir dir;
  auto sample = test::sample_rank(5, 15'000);  // more than one chunk
  ASSERT_TRUE(test::write_sample(dir / "rank-00003.h5", sample));
  const std::string script = documented_snippet() + R"(
import sys
for enter, leave, name in zip(*read_events(sys.argv[1])):
    print(enter, leave, name)
)";
  test::put_bytes(dir / "read.py", {script.begin(), script.end()});
  std::ostringstream expected;
  for (const auto& [thread, batch] : sample.batches)
    for (std::size_t i = 0; i < batch.call.size(); ++i)
      expected << batch.enter_ticks[i] << ' ' << batch.leave_ticks[i] << ' ' << info(batch.call[i]).name << '\n';
  expect_same_lines(output_of(std::string{MERIDIAN_PYTHON_H5PY} + " " + (dir / "read.py").string() + " " +
                              (dir / "rank-00003.h5").string()),
                    expected.str());
}

TEST(RankFileInH5py, HasEveryTableThatWasStored) {
  if (std::string{MERIDIAN_PYTHON_H5PY}.empty()) GTEST_SKIP() << "no python with h5py found";
  const TempDir dir;
  const auto sample = test::sample_rank(4, 2000);
  ASSERT_TRUE(test::write_sample(dir / "a.h5", sample));
  const std::string script = R"(
import h5py, sys
with h5py.File(sys.argv[1]) as f:
    handle = f["dictionary"][:]
    def show(table, indexes, numbers):
        columns = [handle[f[table + "/" + c][:]] for c in indexes] + [f[table + "/" + c][:] for c in numbers]
        for row in zip(*columns): print(table, *row)
    show("p2p", ["comm", "request"], ["peer", "tag", "count", "type_size"])
    show("coll", ["comm", "request"], ["root", "send_bytes", "receive_bytes"])
    show("completions", ["request"], ["source", "tag", "bytes"])
    show("rma", ["window", "request"], ["target", "displacement", "bytes"])
    show("io", ["file", "request"], ["offset", "bytes"])
    show("handles", ["handle"], [])
    show("sites", ["address"], [])
    show("counters", [], ["value", "between"])
    for row in f["usage"]: print("usage", *row)
    for row in f["comms"]: print("comms", row["comm"], row["parent"], row["local_size"], row["leave_ticks"], f["calls/name"][row["call"]].decode())
    ranks = f["member_ranks"][:]
    for row in f["members"]: print("members", row["comm"], row["remote"], *ranks[row["first"]:row["first"] + row["count"]])
    for row in f["exchanges"]: print("exchanges", *row)
    for row in f["anchors"]: print("anchors", *row)
    blob = f["text_bytes"][:].tobytes()
    for row in f["texts"]: print("texts", *blob[row["first"]:row["first"] + row["bytes"]].split(b"\0", 1))
    for name in "rank size pid domain finalized lost_ring_full lost_damaged".split(): print(name, f.attrs[name])
    for name in "schema hostname executable clock".split(): print(name, f.attrs[name].decode())
    print(f["events/duration"].attrs["unit"].decode())
)";
  test::put_bytes(dir / "read.py", {script.begin(), script.end()});

  std::ostringstream out;
  const auto each = [&](auto show) {
    for (const auto& [thread, batch] : sample.batches) show(batch);
  };
  each([&](const EventBatch& b) {
    for (const auto& r : b.p2p)
      out << "p2p " << r.comm << ' ' << r.request << ' ' << r.peer << ' ' << r.tag << ' ' << r.count << ' '
          << r.type_size << '\n';
  });
  each([&](const EventBatch& b) {
    for (const auto& r : b.coll)
      out << "coll " << r.comm << ' ' << r.request << ' ' << r.root << ' ' << r.send_bytes << ' ' << r.receive_bytes
          << '\n';
  });
  each([&](const EventBatch& b) {
    for (const auto& r : b.completions)
      out << "completions " << r.request << ' ' << r.source << ' ' << r.tag << ' ' << r.bytes << '\n';
  });
  each([&](const EventBatch& b) {
    for (const auto& r : b.rma)
      out << "rma " << r.window << ' ' << r.request << ' ' << r.target << ' ' << r.displacement << ' ' << r.bytes
          << '\n';
  });
  each([&](const EventBatch& b) {
    for (const auto& r : b.io) out << "io " << r.file << ' ' << r.request << ' ' << r.offset << ' ' << r.bytes << '\n';
  });
  each([&](const EventBatch& b) {
    for (const auto& r : b.handles) out << "handles " << r.handle << '\n';
  });
  each([&](const EventBatch& b) {
    for (const auto r : b.sites) out << "sites " << r << '\n';
  });
  each([&](const EventBatch& b) {
    for (std::size_t i = 0; i < b.counters.size(); ++i)
      out << "counters " << b.counters[i] << ' ' << b.counters_between[i] << '\n';
  });
  out << "usage 60 1 0 10 20 30 40 50 60 0 70\nusage 90 0 3 11 21 31 41 51 61 1099511627776 71\n";
  out << "comms 2748 0 8 5 \ncomms 3567 2748 4 60 MPI_Comm_split\n"
         "members 3567 0 3 1 -1\nmembers 3567 1\nmembers 3567 1 7\n"
         "exchanges 1 0 10 20 30 40\nexchanges 2 2 11 21 31 18446744073709551615\n"
         "anchors 0 100 130 -5 1700000000000000000\nanchors 1 900 931 7 8\n"
         "texts b'mpi_library' b'Open MPI'\ntexts b'comm.name' b'a\\x00b'\ntexts b'empty' b''\n"
         "rank 3\nsize 8\npid 4711\ndomain 18364758544493064720\nfinalized 1\nlost_ring_full 12\nlost_damaged 1\n"
         "schema meridian-rank\nhostname node17\nexecutable /opt/app/größer\nclock monotonic_raw\nticks\n";
  expect_same_lines(output_of("PYTHONIOENCODING=utf-8 " + std::string{MERIDIAN_PYTHON_H5PY} + " " +
                              (dir / "read.py").string() + " " + (dir / "a.h5").string()),
                    out.str());
}

// Numbers between "DATA {" and its brace.
std::vector<std::int64_t> dumped(const std::filesystem::path& path, const std::string& dataset) {
  const std::string text = output_of(std::string{MERIDIAN_H5DUMP} + " -y -w 1 -d " + dataset + " " + path.string());
  std::istringstream in{text.substr(text.find("DATA {") + 6)};
  std::vector<std::int64_t> values;
  for (std::string word; in >> word && word != "}";) values.push_back(std::stoll(word));
  return values;
}

TEST(RankFileInH5dump, HasTheValuesThatWereStored) {
  if (std::string{MERIDIAN_H5DUMP}.empty()) GTEST_SKIP() << "h5dump not found";
  const TempDir dir;
  const auto sample = test::sample_rank(3, 5000);
  ASSERT_TRUE(test::write_sample(dir / "a.h5", sample));
  std::vector<std::int64_t> durations, peers, bytes;
  for (const auto& [thread, batch] : sample.batches) {
    for (std::size_t i = 0; i < batch.call.size(); ++i)
      durations.push_back(static_cast<std::int64_t>(batch.leave_ticks[i] - batch.enter_ticks[i]));
    for (const auto& row : batch.p2p) peers.push_back(row.peer);
    for (const auto& row : batch.completions) bytes.push_back(row.bytes);
  }
  EXPECT_EQ(dumped(dir / "a.h5", "/events/duration"), durations);
  EXPECT_EQ(dumped(dir / "a.h5", "/p2p/peer"), peers);
  EXPECT_EQ(dumped(dir / "a.h5", "/completions/bytes"), bytes);
}

}  // namespace
}  // namespace meridian
