// SPDX-License-Identifier: Apache-2.0
// The ring of a program that runs: `meridian top` and `meridian where` look at it while the program writes to it. The
// input is a list of changes, [count, {place, value}...], and the ring file behind it.

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "cli/top/top_text.hpp"
#include "live/activity.hpp"
#include "live/look.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "trace/ring/ring_note.hpp"

namespace {

using namespace meridian;

struct Change {
  std::uint32_t at = 0;
  std::uint64_t value = 0;
};

/// Words of the file change, and change back, until it is destroyed.
class Meddler {
 public:
  Meddler(const std::filesystem::path& ring, std::vector<Change> changes)
      : file_{::open(ring.c_str(), O_RDWR | O_CLOEXEC)}, changes_{std::move(changes)}, thread_{[this] { run(); }} {}
  ~Meddler() {
    is_over_ = true;
    thread_.join();
    ::close(file_);
  }
  Meddler(const Meddler&) = delete;
  Meddler& operator=(const Meddler&) = delete;

 private:
  void run() {
    do {
      for (Change& change : changes_) {
        std::uint64_t before = 0;
        const bool is_whole = ::pread(file_, &before, sizeof before, change.at) == sizeof before;
        // No longer, and no shorter: a program does not do that to its ring.
        if (is_whole && ::pwrite(file_, &change.value, sizeof change.value, change.at) == sizeof change.value)
          change.value = before;
      }
    } while (!is_over_);
  }

  int file_;
  std::vector<Change> changes_;
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMostChanges = 16, kChangeBytes = 12;
  if (size == 0) return 0;
  const std::size_t count = data[0] % kMostChanges, head = 1 + count * kChangeBytes;
  if (size < head) return 0;
  fuzz::Bytes bytes{data + 1, head - 1};
  std::vector<Change> changes;
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = bytes.take<std::uint32_t>();
    changes.push_back({at % static_cast<std::uint32_t>(size) & ~7u, bytes.take<std::uint64_t>()});
  }
  const fuzz::InputFile ring{data + head, size - head};
  const auto& directory = fuzz::work_directory();
  std::ofstream{directory / "rank-00000.ring"} << own_hostname() << "\n" << ring.path().string() << "\n";

  const Meddler meddler{ring.path(), std::move(changes)};
  if (auto opened = RingFile::open(ring.path(), RingFile::Access::read_only)) {
    ActivityReader reader{*std::move(opened), ""};
    for (int look = 0; look < 3; ++look)
      for (const char c : top_text({reader.look()}, 10, 0))
        if (c == '\x1b') std::abort();
  }
  std::vector<std::string> problems;
  const auto now = look_at_ranks(directory, problems);
  if (!now) fuzz::require_words(now.error().what);
  for (const std::string& problem : problems) fuzz::require_words(problem);
  return 0;
}
