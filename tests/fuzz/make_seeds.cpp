// SPDX-License-Identifier: Apache-2.0
// make_seeds DIR: writes the first inputs of every target, DIR/TARGET/seed-N. Fuzzing adds to them. Run again when a
// format changes.

#include <cstdio>
#include <fstream>
#include <random>

#include "summary/summary_file.hpp"
#include "tests/cli/elf_builder.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "trace/format/chunks/chunk_log.hpp"
#include "trace/format/chunks/state_archive.hpp"
#include "trace/format/rank/rank_container_writer.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/format/tables/h5.hpp"
#include "trace/model/small_records.hpp"
#include "trace/records/record_decoder.hpp"
#include "trace/ring/spool.hpp"

namespace {

using namespace meridian;
namespace fs = std::filesystem;
using Words = std::vector<std::uint64_t>;

fs::path seed(const fs::path& corpus, const char* target, int number) {
  fs::create_directories(corpus / target);
  return corpus / target / ("seed-" + std::to_string(number));
}
void put(const fs::path& path, std::string_view bytes) {
  std::ofstream{path, std::ios::binary | std::ios::trunc} << bytes;
}
std::string_view as_bytes(const Words& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * kWordBytes};
}

template <class... Parts>
void add_record(Words& words, CallId call, Payload payload, std::uint64_t enter, std::uint64_t leave,
                std::uint64_t completions, const Parts&... parts) {
  const std::size_t begin = words.size();
  words.insert(words.end(), {0, enter, leave});
  [[maybe_unused]] const auto add = [&](const auto& part) {
    const std::size_t at = words.size();
    words.resize(at + words_of<std::decay_t<decltype(part)>>);
    std::memcpy(words.data() + at, &part, sizeof part);
  };
  (add(parts), ...);
  words[begin] = static_cast<std::uint64_t>(call) | static_cast<std::uint64_t>(payload) << 16 |
                 static_cast<std::uint64_t>(words.size() - begin) << 32 | completions << 48;
}

Words some_records() {
  Words words;
  add_record(words, CallId::none, Payload::thread, 1, 1, 0, ThreadBegin{0, 100});
  add_record(words, CallId::Comm_rank, Payload::local, 2, 3, 0);
  add_record(words, CallId::Recv, Payload::p2p, 4, 5, 1, PointToPoint{1, 0, 7, 4, 8, 0, 0}, Completion{0, 0, 7, 32});
  add_record(words, CallId::Allreduce, Payload::coll, 6, 9, 0, Collective{1, kNoRoot, 0, 8, 8, 0});
  add_record(words, CallId::Waitall, Payload::requests, 10, 11, 2, Completion{5, 1, 2, 3}, Completion{6, 1, 2, 3});
  add_record(words, CallId::Comm_dup, Payload::comm, 12, 13, 0, CommBirth{});
  add_record(words, CallId::Put, Payload::rma, 14, 15, 0, Rma{});
  add_record(words, CallId::File_write, Payload::io, 16, 17, 0, FileAccess{});
  add_record(words, CallId::Comm_free, Payload::handle, 18, 19, 0, HandleUse{1});
  add_record(words, CallId::none, Payload::anchor, 20, 21, 0, Anchor{});
  add_record(words, CallId::none, Payload::overhead, 20, 21, 0, Overhead{});
  add_record(words, CallId::none, Payload::stack, 22, 22, 0, StackNode{1, 0, 0x401000});
  add_record(words, CallId::none, Payload::stack, 22, 22, 0, StackNode{2, 1, 0x401100});
  const std::size_t at = words.size();
  add_record(words, CallId::Wtime, Payload::local, 23, 24, 0, kStackSite | 2);
  words[at] |= std::uint64_t{kFlagSite} << 24;
  const std::size_t learned = words.size();
  add_record(words, CallId::Send, Payload::p2p, 25, 26, 0, PointToPoint{1, 2, 3, 4, 8, 0, 0});
  const std::size_t entry = learned_place({words[learned], 0});
  words[learned] |= kLearnedRecord;
  words.insert(words.end(), {small_word(entry, 2, 1, 3), 5, small_word(entry, 0, 2, 4)});
  return words;
}

void make_rings(const fs::path& corpus) {
  constexpr std::uint64_t kBlock = 512, kRing = 1024;
  Words words = some_records();
  words.resize(std::min<std::size_t>(words.size(), kBlock / kWordBytes - 8));
  put(seed(corpus, "records", 0), as_bytes(some_records()));
  std::vector<char> file(2 * kRingPageBytes + kRing);
  auto& header = *new (file.data()) RingFileHeader;
  header.magic = kRingMagic;
  header.version = kRingVersion;
  header.slot_count = 1;
  header.ring_bytes = kRing;
  header.block_bytes = kBlock;
  header.data_offset = 2 * kRingPageBytes;
  header.world_rank = 0;
  header.world_size = 1;
  auto& slot = *new (file.data() + kRingPageBytes) RingSlot;
  Words whole;
  add_record(whole, CallId::none, Payload::thread, 1, 1, 0, ThreadBegin{0, 100});
  add_record(whole, CallId::Comm_rank, Payload::local, 2, 3, 0);
  slot.head = whole.size() * kWordBytes;
  add_record(whole, CallId::Recv, Payload::p2p, 4, 0, 1, PointToPoint{1, 0, 7, 4, 8, 0, 0}, Completion{});
  std::memcpy(file.data() + header.data_offset, whole.data(), whole.size() * kWordBytes);
  put(seed(corpus, "ring_file", 0), {file.data(), file.size()});
}

/// Without chunks, and with one that the state does not have.
bool make_checkpoints(const fs::path& corpus) {
  const fs::path log_path = seed(corpus, "checkpoint", 9);
  fs::remove(log_path);
  auto log = ChunkLogWriter::create(log_path);
  if (!log) return false;
  RankMeta meta;
  RankFileWriter encoder = RankFileWriter::into_log(*log);
  RecordDecoder decoder{3, 4096, meta,
                        [&](ThreadId thread, const EventBatch& batch) { return encoder.append(thread, batch); }};
  if (!decoder.feed(0, 0, some_records()) || !decoder.feed(1, 0, some_records())) return false;
  StateWriter state;
  decoder.save(state);
  encoder.save(state);
  fs::remove(log_path);
  const std::string_view bytes{reinterpret_cast<const char*>(state.bytes().data()), state.bytes().size()};
  using namespace std::string_literals;
  put(seed(corpus, "checkpoint", 0), "\0"s.append(bytes));
  put(seed(corpus, "checkpoint", 1), "\1\2\0\5\0"s.append(bytes));
  return true;
}

void add_profile(RankMeta& meta) {
  meta.texts.push_back({kProfileKey, "1", 0, 0});
  ProfileCallRow sums;
  sums.call = static_cast<std::uint32_t>(CallId::Send);
  sums.comm = 1;
  sums.calls = 1;
  meta.profile = {
      .calls = {sums}, .peers = {{1, 0, 0, 1, 8}}, .times = {{sums.call, 3, 1}}, .sizes = {{sums.call, 4, 1, 8}}};
}

void add_dropped_part(RankMeta& meta) {
  meta.texts.push_back({kRecorderKey, "100", 0, 0});
  OpenRequestRow request;
  request.request = 9;
  request.call = static_cast<std::uint32_t>(CallId::Send);
  request.comm = 1;
  meta.dropped = {.messages = {{.comm = 1, .peer = 0, .tag = 7, .sent = 5, .received = 4}},
                  .collectives = {{.comm = 1, .entered = 3, .initialised = 1}},
                  .requests = {request}};
}

enum class SeedKind { trace, profile, last_part };

/// A rank file with two events.
bool make_rank_file(const fs::path& path, SeedKind kind) {
  auto file = RankFileWriter::create(path);
  RankMeta meta;
  meta.rank = 0;
  meta.size = 1;
  meta.hostname = "node";
  CommRow world;
  world.birth = {.comm = 1, .local_hash = hash_rank(kRanksHashSeed, 0), .local_size = 1};
  meta.comms = {world, {}};
  meta.members.push_back({1, 2, false, {0, 1, 2}});
  meta.anchors.push_back({});
  meta.exchanges.push_back({});
  meta.overheads.push_back({});
  meta.texts.push_back({"run", "r", 0, 0});
  meta.threads.push_back({0, 1, 0, 2});
  if (kind == SeedKind::profile) add_profile(meta);
  if (kind == SeedKind::last_part) add_dropped_part(meta);
  EventBatch batch;
  for (std::uint64_t i = 0; i < 2; ++i) {
    batch.enter_ticks.push_back(10 * i);
    batch.leave_ticks.push_back(10 * i + 5);
    batch.call.push_back(CallId::Send);
    batch.payload.push_back(Payload::p2p);
    batch.flags.push_back(0);
    batch.completion_count.push_back(0);
    batch.p2p.push_back({1, 0, 7, 4, 8, 0, 0});
    batch.flags.back() |= kFlagSite;
    batch.sites.push_back(0x401100);
    batch.nodes.push_back(2);
  }
  meta.stacks = {{0, 0}, {0, 0x401000}, {1, 0x401100}};
  return file && file->append(ThreadId{0}, batch) && file->finish(meta);
}

bool make_files(const fs::path& corpus) {
  const fs::path spool_path = seed(corpus, "spool", 0);
  fs::remove(spool_path);
  auto spool = SpoolWriter::create(spool_path);
  if (!spool || !spool->append(0, 0, some_records()) || !spool->append(1, 4096, some_records())) return false;

  const fs::path rank_path = seed(corpus, "rank_file", 0);
  if (!make_rank_file(rank_path, SeedKind::trace) || !make_rank_file(seed(corpus, "rank_file", 2), SeedKind::profile) ||
      !make_rank_file(seed(corpus, "rank_file", 3), SeedKind::last_part))
    return false;
  auto container = RankContainerWriter::create(seed(corpus, "rank_file", 1), "node");
  if (!container || !container->add(rank_path, rank_group_name(0)) || !container->close() || !container->put_in_place())
    return false;

  const fs::path merged = seed(corpus, "summary_file", 0);
  auto h5 = h5::create_file(merged);
  Summary summary;
  summary.functions.emplace_back();
  summary.ranks.emplace_back();
  return h5 && write_summary(h5->get(), summary) && h5::close_file(*h5, merged);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 1;
  const fs::path corpus = argv[1];
  make_rings(corpus);
  if (!make_files(corpus) || !make_checkpoints(corpus)) return 1;
  put(seed(corpus, "settings", 0), "BUFFER = 4M\nMERIDIAN_LEVELS=all,-tool\n# comment\nSTRICT=yes\nCLOCK=tsc\n");
  put(seed(corpus, "elf_file", 0), ElfBuilder{}.needs("libmpi.so.40").runpath("$ORIGIN/../lib").interpreter().bytes());
  std::mt19937_64 random{1};
  for (int i = 0; i < 3; ++i) {
    std::string bytes;
    for (int k = 0; k < 600 * (i + 1); ++k) bytes += static_cast<char>(random() % 256);
    put(seed(corpus, "merge", i), bytes);
  }
  return 0;
}
