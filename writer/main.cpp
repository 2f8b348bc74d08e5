// SPDX-License-Identifier: Apache-2.0
// meridian-writer RINGFILE: drains the ring of one traced process and makes its rank file. The tracer starts one for
// each rank; it lives as long as the rank, and is not killed with it. At SIGUSR1 it makes a snapshot, for which it
// starts itself: meridian-writer --snapshot RINGFILE.

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>

#include "trace/format/tables/h5.hpp"
#include "trace/model/private_files.hpp"
#include "trace/records/finish/snapshot_rank.hpp"
#include "writer/left_rings.hpp"
#include "writer/writer_process.hpp"

namespace meridian {
namespace {

std::atomic<WriterProcess*> g_writer{nullptr};

int make_snapshot(const char* path) {
  auto ring = RingFile::open(path, RingFile::Access::drain);
  if (!ring || ring->output_dir().empty()) return 1;
  const std::filesystem::path folder = std::filesystem::path{ring->output_dir()} / kSnapshotFolder;
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  return !problem && snapshot_rank(*ring, folder, kSnapshotPatience) ? 0 : 1;
}

// In every case the program must not wait for a writer that has ended, and no core file may be written to its
// directory.
Status run(WriterProcess& writer) {
  try {
    return writer.run();
  } catch (const std::exception& problem) {
    return Error{Errc::io, problem.what(), ""};
  }
}

}  // namespace
}  // namespace meridian

int main(int argc, char** argv) {
  using namespace meridian;
  const bool is_snapshot = argc == 3 && std::string_view{argv[1]} == kMakeSnapshot;
  if (argc != 2 && !is_snapshot) {
    std::fprintf(stderr,
                 "usage: meridian-writer RINGFILE\n(started by libmeridian.so; nothing that one starts by hand)\n");
    return 1;
  }
  // Launchers kill whole process groups; the second that this process continues saves the rank's records.
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2})
    std::signal(signal, SIG_IGN);
  keep_files_private();
  ::setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
  h5::refuse_plugins();

  if (is_snapshot) return make_snapshot(argv[2]);
  auto ring = RingFile::open(argv[1], RingFile::Access::drain);
  if (!ring) {
    std::fprintf(stderr, "meridian-writer: %s\n", ring.error().what.c_str());
    return 1;
  }
  if (!ring->lock()) {
    std::fprintf(stderr, "meridian-writer: another process drains '%s'\n", argv[1]);
    return 1;
  }
  const std::int32_t pid = ring->header().pid;
  const std::uint64_t start = ring->header().process_start;
  const std::filesystem::path scratch = ring->path().parent_path();
  WriterProcess writer{*std::move(ring)};
  g_writer.store(&writer);
  struct sigaction action {};
  action.sa_flags = SA_RESTART | SA_NOCLDSTOP;
  action.sa_handler = [](int) { g_writer.load()->wake(); };
  ::sigaction(SIGCHLD, &action, nullptr);
  action.sa_handler = [](int) { g_writer.load()->want_snapshot(); };
  ::sigaction(SIGUSR1, &action, nullptr);
  try {
    std::thread{[&, scratch] {
      remove_empty_rings(scratch);  // of processes killed earlier
      writer.end(wait_for_process(pid, start));
    }}.detach();
  } catch (const std::system_error&) {  // the limit on threads is reached
    writer.watch();
  }
  const Status done = run(writer);
  if (!done) std::fprintf(stderr, "meridian-writer: %s\n", done.error().what.c_str());
  std::fflush(nullptr);
  ::_exit(done ? 0 : 1);  // the watching thread may still be waiting
}
