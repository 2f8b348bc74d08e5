// SPDX-License-Identifier: Apache-2.0
#include "cli/leftovers.hpp"

#include <fmt/format.h>

#include <thread>

#include "trace/ring/ring_file.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kNap{20};
constexpr std::chrono::milliseconds kBetweenMessages{1000};

bool is_program_running(const fs::path& ring) {
  const auto file = RingFile::open(ring, RingFile::Access::read_only);
  return file && file->is_process_alive();
}

}  // namespace

bool Leftovers::wait_a_little(const fs::path& note) {
  if (waited_ >= patience_) return false;
  std::this_thread::sleep_for(kNap);
  waited_ += kNap;
  silent_ += kNap;
  if (silent_ >= kBetweenMessages && waiting_) {
    waiting_(note);
    silent_ = std::chrono::milliseconds{0};
  }
  return true;
}

Status Leftovers::finish(const fs::path& note, const fs::path& directory) {
  const fs::path rank_file = directory / fs::path{note.filename()}.replace_extension(".h5");
  std::error_code problem;
  for (;;) {
    const auto recovered = recover_rank(note, directory, others_);
    // A writer removes its note when it ends.
    if (!recovered) return fs::exists(note, problem) ? Status{recovered.error()} : Status{};
    if (recovered->outcome == Recovery::finished) return {};
    if (recovered->outcome == Recovery::rank_unknown)
      return Error{Errc::damaged, fmt::format("'{}' refers to a recording without a rank", note.string()), ""};
    if (is_program_running(recovered->ring)) {
      if (fs::exists(rank_file, problem)) return {};
      return Error{Errc::unsupported, fmt::format("rank {} is still running", recovered->rank),
                   "merge after the program has ended"};
    }
    if (!wait_a_little(note))
      return Error{Errc::io, fmt::format("the writer of rank {} is still working", recovered->rank),
                   "merge again later"};
  }
}

}  // namespace meridian
