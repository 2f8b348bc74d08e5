// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <vector>

#include "analysis/analysis_list.hpp"
#include "processes/processes.hpp"
#include "summary/summary.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Runs the analyses of a request from SharedAnalyses in another process, and returns the answer: the tables of the summary
/// that they fill, or an Error.
///
/// request  without its first byte, Work::analyses
Message answer_analyses(std::span<const std::uint8_t> request);

/// Process 0's side: asks other processes for analyses of a merged file.
class SharedAnalyses {
 public:
  /// others  null: there are none. Outlives this
  /// file    open for writing here; nothing is written to it between a request and its answer
  SharedAnalyses(Processes* others, const std::filesystem::path& file);
  SharedAnalyses(const SharedAnalyses&) = delete;
  SharedAnalyses& operator=(const SharedAnalyses&) = delete;
  /// Receives the answers that were not taken: otherwise they would look like answers to later requests.
  ~SharedAnalyses();

  /// Number of processes, including this one.
  std::size_t count() const noexcept;
  /// Writes the data that HDF5 has flushed to the storage, where other hosts see them. Without other processes it does nothing.
  Status publish() const;
  /// Returns at once. A process has one request at a time.
  ///
  /// spans  of walk_backwards(); empty if no analysis goes forwards
  void ask(std::size_t process, AnalysisSet set, const std::vector<MeasuredSpan>& spans, const Summary& summary);
  /// Waits for all answers, and puts their tables in the summary.
  /// errors  the first one, by process, which it names
  Status take_answers(Summary& summary);

 private:
  struct Asked {
    AnalysisSet set;
    Status sent;
  };

  Processes* others_;
  std::filesystem::path file_;
  std::map<int, Asked> asked_;  // [process]
};

}  // namespace meridian
