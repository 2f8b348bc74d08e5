// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "live/rank_now.hpp"
#include "merger/sites/debug_info.hpp"
#include "writer/samples/loaded_files.hpp"
#include "writer/samples/python_watch.hpp"
#include "writer/samples/thread_event.hpp"

namespace meridian {

/// The functions of the program in which threads of this host compute, as the kernel samples them, or in which they sleep. The program is
/// neither stopped nor changed. A thread has no function where the kernel refuses.
class ThreadFunctions {
 public:
  struct Found {
    CallPlace place;   ///< the function with most samples, and its line with most
    double share = 0;  ///< of the thread's samples outside MPI that are in this function
  };

  enum class Calls : std::uint8_t {
    none,  ///< the threads are outside MPI
    some,  ///< they call MPI in between: of a stack whose outer frames are unknown, it is unknown, too, whether that is inside
  };
  /// period_ns  of processor time from one sample to the next
  ThreadFunctions(std::uint64_t period_ns, Calls calls) : period_ns_{period_ns}, calls_{calls} {}
  /// Samples a thread of this rank from now on. `rank` must outlive this.
  void watch(const RankNow& rank, std::int32_t kernel_tid);
  bool watches_any() const noexcept { return !watched_.empty(); }
  /// Looks once at a thread of this rank that sleeps. `rank` must outlive this.
  void look_at_sleeper(const RankNow& rank, std::int32_t kernel_tid);
  /// By kernel tid, of the samples since the last time.
  std::map<std::int32_t, Found> find();

 private:
  using Stack = std::vector<std::uint64_t>;  // addresses, innermost first
  struct Watched {
    const RankMeta* meta = nullptr;
    std::optional<ThreadEvent> event;         // none: it sleeps
    std::map<Stack, std::uint32_t> stacks{};  // with their samples
    std::unique_ptr<PythonWatch> python{};    // of a thread that runs Python
    std::vector<PythonReader::Line> lines{};  // in these stacks
  };
  void take();
  LoadedFiles& files_of(const RankMeta& meta);

  std::uint64_t period_ns_;
  Calls calls_;
  std::map<std::int32_t, Watched> watched_;                             // by kernel tid
  std::map<std::int32_t, LoadedFiles> files_;                           // by process
  std::map<std::pair<std::string, std::uint64_t>, SourcePlace> known_;  // by file and offset
};

/// Sets the place of each thread of a running rank of this host that computes or sleeps outside of recorded calls: its function within
/// 0.1 s.
void find_thread_functions(std::vector<RankNow>& ranks);

}  // namespace meridian
