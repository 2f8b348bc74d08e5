// SPDX-License-Identifier: Apache-2.0
#pragma once

// The producing side of a ring, for tests: written from ring_layout.hpp and event.hpp only, obvious rather than fast.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>
#include <vector>

#include "trace/model/call_id.hpp"
#include "trace/model/event.hpp"
#include "trace/ring/ring_layout.hpp"

namespace meridian::test {

using Words = std::vector<std::uint64_t>;

template <class T>
void append_words(Words& words, const T& value) {
  const std::size_t at = words.size();
  words.resize(at + words_of<T>);
  std::memcpy(words.data() + at, &value, sizeof value);
}

inline std::uint64_t header_word(CallId call, Payload payload, std::size_t words, std::size_t completions, int flags) {
  return static_cast<std::uint64_t>(call) | static_cast<std::uint64_t>(payload) << 16 |
         static_cast<std::uint64_t>(flags) << 24 | static_cast<std::uint64_t>(words) << 32 |
         static_cast<std::uint64_t>(completions) << 48;
}

/// A record: head, body, completions.
template <class... Parts>
Words record(CallId call, Payload payload, std::uint64_t enter, std::uint64_t leave,
             const std::vector<Completion>& completions, int flags, const Parts&... parts) {
  Words words(3);
  (append_words(words, parts), ...);
  for (const Completion& completion : completions) append_words(words, completion);
  words[0] = header_word(call, payload, words.size(), completions.size(), flags);
  words[1] = enter;
  words[2] = leave;
  return words;
}

inline Words thread_record(std::uint32_t thread, std::uint64_t ticks) {
  return record(CallId::none, Payload::thread, ticks, ticks, {}, 0,
                ThreadBegin{thread, 1000 + static_cast<std::int32_t>(thread)});
}
inline Words local_record(CallId call, std::uint64_t enter, std::uint64_t leave) {
  return record(call, Payload::local, enter, leave, {}, 0);
}
inline Words send_record(std::uint64_t enter, std::uint64_t leave, std::int32_t peer, std::uint64_t request = 0) {
  return record(request != 0 ? CallId::Isend : CallId::Send, Payload::p2p, enter, leave, {}, 0,
                PointToPoint{0xc0, peer, 7, 100, 8, 0, request});
}
inline Words text_record(std::uint64_t ticks, const std::string& key, const std::string& value, bool more = false) {
  std::string both = key + '\0' + value;
  const auto bytes = static_cast<std::uint32_t>(both.size());
  both.resize((both.size() + 7) / 8 * 8);
  Words words = record(CallId::none, Payload::text, ticks, ticks, {}, 0, Text{bytes, more ? 1u : 0u, 0});
  const std::size_t at = words.size();
  words.resize(at + both.size() / 8);
  std::memcpy(words.data() + at, both.data(), both.size());
  words[0] = header_word(CallId::none, Payload::text, words.size(), 0, 0);
  return words;
}
inline Words members_record(std::uint64_t ticks, std::uint64_t comm, std::uint32_t first,
                            const std::vector<std::int32_t>& ranks, bool remote = false) {
  Words words = record(CallId::none, Payload::members, ticks, ticks, {}, 0,
                       Members{comm, first, static_cast<std::uint32_t>(ranks.size()), remote ? 1u : 0u, 0});
  for (std::size_t i = 0; i < ranks.size(); i += 2) {
    const std::uint64_t low = static_cast<std::uint32_t>(ranks[i]);
    const std::uint64_t high = i + 1 < ranks.size() ? static_cast<std::uint32_t>(ranks[i + 1]) : 0;
    words.push_back(low | high << 32);
  }
  words[0] = header_word(CallId::none, Payload::members, words.size(), 0, 0);
  return words;
}

inline std::uint64_t start_of(std::int32_t pid) {
  std::ifstream in{"/proc/" + std::to_string(pid) + "/stat"};
  std::string text;
  std::getline(in, text);
  text.erase(0, text.rfind(')') + 2);
  for (int i = 3; i < 22; ++i) text.erase(0, text.find(' ') + 1);
  return text.empty() ? 0 : std::stoull(text);
}

/// A ring file that this process made and maps whole.
class TestRing {
 public:
  struct Shape {
    std::uint32_t slots = 4;
    std::uint64_t ring_bytes = 64 * 1024;
    std::uint64_t block_bytes = 4096;
  };

  TestRing(const std::filesystem::path& path, Shape shape) : path_{path}, shape_{shape} {
    data_offset_ =
        (kRingPageBytes + shape.slots * sizeof(RingSlot) + kRingPageBytes - 1) / kRingPageBytes * kRingPageBytes;
    bytes_ = data_offset_ + shape.slots * shape.ring_bytes;
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
    EXPECT_GE(fd, 0);
    EXPECT_EQ(::ftruncate(fd, static_cast<off_t>(bytes_)), 0);
    base_ = static_cast<char*>(::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    ::close(fd);
    auto* const made = new (base_) RingFileHeader;
    made->magic = kRingMagic;
    made->version = kRingVersion;
    made->slot_count = shape.slots;
    made->ring_bytes = shape.ring_bytes;
    made->block_bytes = shape.block_bytes;
    made->data_offset = data_offset_;
    made->domain = 77;
    made->pid = ::getpid();
    made->process_start = start_of(::getpid());
    std::strcpy(made->executable, "/bin/app");
    ::gethostname(made->hostname, sizeof made->hostname - 1);
    for (std::uint32_t i = 0; i < shape.slots; ++i) new (base_ + kRingPageBytes + i * sizeof(RingSlot)) RingSlot;
  }
  ~TestRing() { ::munmap(base_, bytes_); }
  TestRing(const TestRing&) = delete;
  TestRing& operator=(const TestRing&) = delete;

  RingFileHeader& header() { return *reinterpret_cast<RingFileHeader*>(base_); }
  RingSlot& slot(std::uint32_t index) {
    return *reinterpret_cast<RingSlot*>(base_ + kRingPageBytes + index * sizeof(RingSlot));
  }
  std::uint64_t* word(std::uint32_t slot, std::uint64_t position) {
    return reinterpret_cast<std::uint64_t*>(base_ + data_offset_ + slot * shape_.ring_bytes +
                                            position % shape_.ring_bytes);
  }
  const std::filesystem::path& path() const { return path_; }
  const Shape& shape() const { return shape_; }

  void set_output(const std::filesystem::path& dir, std::int32_t rank, std::int32_t size = 100) {
    std::strncpy(header().output_dir, dir.c_str(), kPathBytes - 1);
    header().world_size.store(size, std::memory_order_release);
    header().world_rank.store(rank, std::memory_order_release);
    std::ofstream note{dir /
                       ("rank-" + std::string(5 - std::to_string(rank).size(), '0') + std::to_string(rank) + ".ring")};
    note << header().hostname << '\n' << path_.string() << '\n';
  }

  /// One for each ThreadId that was given out, behind the rings.
  void put_cards(const std::vector<ThreadCard>& cards) {
    const std::size_t bytes = cards.size() * sizeof(ThreadCard);
    const int fd = ::open(path_.c_str(), O_RDWR);
    EXPECT_EQ(::pwrite(fd, static_cast<const void*>(cards.data()), bytes, static_cast<off_t>(bytes_)),
              static_cast<ssize_t>(bytes));
    ::close(fd);
    header().cards_offset = bytes_;
    header().card_count = static_cast<std::uint32_t>(cards.size());
    header().next_thread.store(header().card_count);
  }

  void wake() {
    header().wake.fetch_add(1);
    if (header().writer_asleep.load() != 0)
      ::syscall(SYS_futex, &header().wake, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
  }

  /// Waits a little for the writer's next answer.
  void wait_served(std::uint32_t seen) {
    const timespec slice{0, 10'000'000};
    ::syscall(SYS_futex, &header().served, FUTEX_WAIT, seen, &slice, nullptr, 0);
  }

  /// Asks for the rank file and waits until it was tried.
  void finish() {
    const std::uint32_t wanted = header().finish_requested.fetch_add(1) + 1;
    while (header().finish_served.load() < wanted) {
      const std::uint32_t seen = header().served.load();
      wake();
      if (header().finish_served.load() >= wanted) break;
      wait_served(seen);
    }
  }

 private:
  std::filesystem::path path_;
  Shape shape_;
  std::uint64_t data_offset_ = 0;
  std::uint64_t bytes_ = 0;
  char* base_ = nullptr;
};

/// One thread's way into its slot.
class TestProducer {
 public:
  TestProducer(TestRing& ring, std::uint32_t slot) : ring_{ring}, slot_{slot} {
    ring.slot(slot).state.store(SlotState::active);
  }

  std::uint64_t head() { return ring_.slot(slot_).head.load(std::memory_order_relaxed); }

  /// Stores a complete record, waiting for room as long as it takes.
  void put(const Words& words) {
    std::uint64_t head = make_room(words.size() * 8);
    store(head, words);
    head += words.size() * 8;
    if (head % ring_.shape().block_bytes != 0) *ring_.word(slot_, head) = 0;
    ring_.slot(slot_).head.store(head, std::memory_order_release);
  }

  /// Stores a record that does not become complete: the call under way.
  void put_under_way(const Words& words) { store(make_room(words.size() * 8 + 8), words); }

 private:
  void store(std::uint64_t position, const Words& words) {
    for (std::size_t i = words.size(); i-- > 1;) *ring_.word(slot_, position + 8 * i) = words[i];
    __atomic_store_n(ring_.word(slot_, position), words[0], __ATOMIC_RELEASE);
  }

  // Position for a record of `bytes`: pads when the block's rest is too small, and waits until the next one is free.
  std::uint64_t make_room(std::uint64_t bytes) {
    const std::uint64_t block = ring_.shape().block_bytes;
    std::uint64_t head = this->head();
    const std::uint64_t left = block - head % block;
    if (left < bytes) {
      store(head, {header_word(CallId::none, Payload::pad, left / 8, 0, 0)});
      head += left;
      ring_.slot(slot_).head.store(head, std::memory_order_release);
    }
    if (head % block == 0) {
      while (head + block - ring_.slot(slot_).tail.load(std::memory_order_acquire) > ring_.shape().ring_bytes) {
        const std::uint32_t seen = ring_.header().served.load();
        ring_.wake();
        if (head + block - ring_.slot(slot_).tail.load(std::memory_order_acquire) <= ring_.shape().ring_bytes) break;
        ring_.wait_served(seen);
      }
    }
    return head;
  }

  TestRing& ring_;
  std::uint32_t slot_;
};

}  // namespace meridian::test
