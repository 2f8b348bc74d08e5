// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "merged/merged_trace.hpp"
#include "merged/sample_reader.hpp"

namespace meridian {

/// The functions of the program in which the critical path computes, by the samples of the threads that it is on.
class PathSamples {
 public:
  /// errors  those of MergedTrace::samples()
  static Result<PathSamples> open(const MergedTrace& trace);

  /// A stretch of the path in which a thread computes. Stretches of one thread come in order of time. errors: damaged; io
  Status add(std::uint32_t location, std::int64_t begin_ns, std::int64_t end_ns);
  /// Fills path_functions. length_ns: of the path
  void finish(std::int64_t length_ns, Summary& summary) const;

 private:
  PathSamples(const MergedDefinitions& definitions, SampleReader reader);

  struct Thread {
    std::uint64_t next = 0, end = 0;   // rows of its rank that were not read
    std::vector<MergedSample> rows{};  // read last, of all threads of the rank
    std::size_t at = 0;
    std::int64_t ns = 0;                                        // of its stretches
    std::uint64_t samples = 0;                                  // in them
    std::unordered_map<std::uint32_t, std::uint64_t> counts{};  // of these, by path
  };

  SampleReader reader_;
  std::vector<Thread> threads_;  // by location; empty: there are no samples
};

}  // namespace meridian
