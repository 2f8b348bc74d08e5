// meridian-writer RINGFILE: drains the ring of one traced process and makes its rank file. Started by the tracer, one
// for each rank; lives as long as the rank, and is not killed with it.

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "writer/writer_process.hpp"

int main(int argc, char** argv) {
  using namespace meridian;
  if (argc != 2) {
    std::fprintf(stderr,
                 "usage: meridian-writer RINGFILE\n(started by libmeridian.so; nothing that one starts by hand)\n");
    return 1;
  }
  // Launchers kill whole process groups; what the rank has stored is worth the second that this process lives longer.
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
  ::umask(077);  // what a program does, and with whom, is its user's affair
  ::setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);

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
  WriterProcess writer{*std::move(ring)};
  std::thread{[&] {
    wait_for_process(pid, start);
    writer.end();
  }}.detach();
  const Status done = writer.run();
  if (!done) std::fprintf(stderr, "meridian-writer: %s\n", done.error().what.c_str());
  std::fflush(nullptr);
  ::_exit(done ? 0 : 1);  // the watching thread may still be waiting
}
