// SPDX-License-Identifier: Apache-2.0
// Programs that need more room than there is. For each thread, the number of calls that have returned and of user events is
// in memory that outlives the program. The exit code is 4.
//
//   room DIR lose CALLS              CALLS calls in each of two threads while the writer of a rank is stopped, and
//                                    numbered messages before, during and after them
//   room DIR exchange ROUNDS         ROUNDS messages to the next rank
//   room DIR threads COUNT           COUNT threads at once, half of them without MPI calls; with NOFILE set, no file
//                                    can be opened any more; with AS_BYTES set, that is the limit of the address space
//   room DIR short COUNT             COUNT threads one after the other
//   room DIR fitting COUNT           at most COUNT threads one after the other, as many as can be made
//
// With NPROC set, no process and no thread can be made once MPI_Init has returned.
#include <dirent.h>
#include <meridian/user.h>
#include <mpi.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "shared.hpp"

namespace {

constexpr int kExitCode = 4;
constexpr int kThreadCalls = 50;

struct Shared {
  std::int64_t returned[2];    // calls, and events of the program, of the main thread and of all others
  std::int64_t resident[2];    // bytes of memory, when a quarter of the threads has ended, and all
  std::int64_t ring_bytes[2];  // that ring files take, then
  std::int64_t peak_bytes;     // of address space
  std::int64_t pid;
};
Shared* g_shared;
std::string g_directory;
int g_rank, g_size;

void returned(int thread = 0) { std::atomic_ref{g_shared->returned[thread]}.fetch_add(1, std::memory_order_relaxed); }
#define CALL(call) (static_cast<void>(call), returned())

void rank_calls(int calls, int thread) {
  int rank;
  for (int i = 0; i < calls; ++i) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    returned(thread);
  }
}

/// Messages of no bytes, by non-blocking calls and blocking ones in turn. Their counts say which they are, in both
/// records.
void exchange(MPI_Comm comm, MPI_Datatype nothing, int first, int count) {
  const int next = (g_rank + 1) % g_size;
  const int previous = (g_rank + g_size - 1) % g_size;
  for (int i = first; i < first + count; ++i) {
    MPI_Request request;
    CALL(MPI_Irecv(nullptr, i, nothing, i % 3 == 0 ? MPI_ANY_SOURCE : previous, 1, comm, &request));
    if (i % 2 == 0) {
      CALL(MPI_Send(nullptr, i, nothing, next, 1, comm));
    } else {
      MPI_Request sent;
      CALL(MPI_Isend(nullptr, i, nothing, next, 1, comm, &sent));
      CALL(MPI_Wait(&sent, MPI_STATUS_IGNORE));
    }
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (i % 8 == 0) CALL(MPI_Barrier(comm));
  }
}

/// Its caller is in progress: calls that it makes are not the program's.
pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
void take_lock(void* from, void* to, int* count, MPI_Datatype*) {
  pthread_mutex_lock(&g_mutex);
  for (int i = 0; i < *count; ++i) static_cast<int*>(to)[i] += static_cast<int*>(from)[i];
  pthread_mutex_unlock(&g_mutex);
}
void reduce_with_locks(int calls) {
  MPI_Op operation;
  int from = 1, to = 0;
  CALL(MPI_Op_create(&take_lock, 1, &operation));
  for (int i = 0; i < calls; ++i) CALL(MPI_Reduce_local(&from, &to, 1, MPI_INT, operation));
  CALL(MPI_Op_free(&operation));
  if (to != calls) std::exit(6);
}

void begin_region() {
  MERIDIAN_REGION_BEGIN("late");
  returned();
}
void end_region() {
  MERIDIAN_REGION_END("late");
  returned();
}
void pass_region() {
  MERIDIAN_REGION_BEGIN("whole");
  returned();
  MERIDIAN_REGION_END("whole");
  returned();
}

int g_calls;

void* lose_in_thread(void*) {
  rank_calls(100, 1);
  say(g_directory, "ready-thread");
  wait_for(g_directory, "stopped");
  rank_calls(g_calls, 1);
  say(g_directory, "flooded-thread");
  wait_for(g_directory, "going");
  rank_calls(g_calls, 1);
  return nullptr;
}

void lose(MPI_Datatype nothing) {
  constexpr int kBefore = 64, kMeanwhile = 40, kDups = 20, kInEach = 20;
  pthread_t thread;
  pthread_create(&thread, nullptr, &lose_in_thread, nullptr);
  exchange(MPI_COMM_WORLD, nothing, 0, kBefore);
  reduce_with_locks(10);
  pass_region();
  begin_region();
  end_region();
  say(g_directory, "ready");
  wait_for(g_directory, "stopped");
  rank_calls(g_calls, 0);
  reduce_with_locks(g_calls / 80);
  exchange(MPI_COMM_WORLD, nothing, kBefore, kMeanwhile);
  pass_region();
  begin_region();
  say(g_directory, "flooded");
  wait_for(g_directory, "going");
  exchange(MPI_COMM_WORLD, nothing, kBefore + kMeanwhile, g_calls / 80);
  pass_region();
  end_region();
  pthread_join(thread, nullptr);
  for (int i = 0; i < kDups; ++i) {
    MPI_Comm copy;
    CALL(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    exchange(copy, nothing, 1'000'000 + 1000 * i, kInEach);
    CALL(MPI_Comm_free(&copy));
  }
}

pthread_barrier_t g_all_live;

void* live_at_once(void* has_mpi) {
  pthread_barrier_wait(&g_all_live);
  if (has_mpi != nullptr) {
    rank_calls(kThreadCalls, 1);
  } else {
    for (int i = 0; i < kThreadCalls; ++i) {
      usleep(1);
      returned(1);
    }
  }
  pthread_barrier_wait(&g_all_live);
  return nullptr;
}

void* live_shortly(void*) {
  rank_calls(2, 1);
  usleep(1);
  returned(1);
  return nullptr;
}

/// Limits only the program, not its launcher.
void set_limit(int resource, rlim_t value) {
  const rlimit limit{value, value};
  if (setrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) std::exit(3);
}

/// Threads with small stacks. Threads that cannot be created are not counted: the tracer is not the cause.
void threads_at_once(int count) {
  if (std::getenv("NOFILE") != nullptr) {
    pthread_t first;  // the first one makes the counter of omitted calls
    pthread_create(
        &first, nullptr, [](void* unused) { return unused; }, nullptr);
    pthread_join(first, nullptr);
    set_limit(RLIMIT_NOFILE, 3);
  }
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 << 10);
  pthread_barrier_init(&g_all_live, nullptr, static_cast<unsigned>(count));
  std::vector<pthread_t> threads(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    if (pthread_create(&threads[static_cast<std::size_t>(i)], &attributes, &live_at_once,
                       i % 2 == 0 ? &threads : nullptr) != 0) {
      std::printf("no thread %d\n", i);
      std::exit(5);
    }
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  std::printf("rank %d: %d threads\n", g_rank, count);
}

std::int64_t ring_bytes() {
  const char* const scratch = std::getenv("MERIDIAN_SCRATCH");
  const std::string place =
      std::string{scratch != nullptr ? scratch : "/none"} + "/meridian-" + std::to_string(getuid());
  std::int64_t bytes = 0;
  DIR* const directory = opendir(place.c_str());
  if (directory == nullptr) return 0;
  std::string own = std::to_string(getpid());  // by parts: GCC 12 warns of copies that cannot be in "-" + a + "-"
  own.push_back('-');
  own.insert(own.begin(), '-');
  while (const dirent* const entry = readdir(directory)) {
    struct stat status {};
    const std::string name = entry->d_name;
    if (name.find(own) != std::string::npos && stat((place + "/" + name).c_str(), &status) == 0)
      bytes += std::int64_t{status.st_blocks} * 512;
  }
  closedir(directory);
  return bytes;
}

/// Bytes that a line of /proc/self/status says.
std::int64_t status_bytes(const char* format) {
  std::FILE* const file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return -1;
  char line[256];
  long long kilobytes = -1;
  while (std::fgets(line, sizeof line, file) != nullptr && std::sscanf(line, format, &kilobytes) != 1) continue;
  std::fclose(file);
  return kilobytes * 1024;
}

void threads_in_turn(int count) {
  for (int i = 1; i <= count; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, &live_shortly, nullptr) != 0) std::exit(5);
    pthread_join(thread, nullptr);
    const int at = i == count ? 1 : i == count / 4 ? 0 : -1;
    if (at < 0) continue;
    g_shared->resident[at] = status_bytes("VmRSS: %lld");
    g_shared->ring_bytes[at] = ring_bytes();
  }
  std::printf("rank %d: %d threads in turn\n", g_rank, count);
}

void threads_that_fit(int count) {
  int made = 0;
  for (int i = 0; i < count; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, &live_shortly, nullptr) != 0) continue;
    pthread_join(thread, nullptr);
    ++made;
  }
  rank_calls(kThreadCalls, 0);
  std::printf("rank %d: %d threads of %d\n", g_rank, made, count);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 3;
  g_directory = argv[1];
  const std::string what = argv[2];
  const int number = std::atoi(argv[3]);
  g_shared = share<Shared>(g_directory + "/rank-" + launched_rank());
  g_shared->pid = getpid();
  if (const char* const bytes = std::getenv("AS_BYTES")) set_limit(RLIMIT_AS, std::strtoull(bytes, nullptr, 10));
  int provided;
  CALL(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
  if (provided != MPI_THREAD_MULTIPLE) return 3;
  CALL(MPI_Comm_rank(MPI_COMM_WORLD, &g_rank));
  CALL(MPI_Comm_size(MPI_COMM_WORLD, &g_size));
  MPI_Datatype nothing;
  CALL(MPI_Type_contiguous(0, MPI_INT, &nothing));
  CALL(MPI_Type_commit(&nothing));
  if (std::getenv("NPROC") != nullptr) set_limit(RLIMIT_NPROC, 1);  // MPI_Init itself makes threads
  g_calls = number;
  if (what == "lose") lose(nothing);
  if (what == "exchange") exchange(MPI_COMM_WORLD, nothing, 0, number);
  if (what == "threads") threads_at_once(number);
  if (what == "short") threads_in_turn(number);
  if (what == "fitting") threads_that_fit(number);
  CALL(MPI_Type_free(&nothing));
  std::printf("rank %d of %d has done what it should\n", g_rank, g_size);
  std::fflush(stdout);
  g_shared->peak_bytes = status_bytes("VmPeak: %lld");
  CALL(MPI_Finalize());
  // The launcher kills the others when one returns that.
  say(g_directory, "finalized");
  for (int rank = 0; rank < g_size; ++rank) wait_for(g_directory, "finalized-" + std::to_string(rank));
  return kExitCode;
}
