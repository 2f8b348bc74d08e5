// SPDX-License-Identifier: Apache-2.0
#include "analysis/shared_analyses.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "analysis/analysis_walks.hpp"
#include "merged/merged_trace.hpp"
#include "processes/work.hpp"
#include "summary/summary_bytes.hpp"
#include "trace/format/chunks/state_archive.hpp"
#include "trace/model/handles.hpp"

namespace meridian {
namespace {

struct AnalysisRequest {
  std::string file;
  std::uint32_t set = 0;  // bits
  std::vector<MeasuredSpan> spans;
  std::vector<std::uint8_t> summary;  // tables_for_analyses()

  template <class Archive>
  void archive(Archive& archive) {
    archive(file, set);
    archive_rows(archive, spans, 25, [](Archive& parts, MeasuredSpan& span) {
      parts(span.rank, span.begin_ns, span.end_ns, span.main);
      archive_flag(parts, span.has_events);
    });
    archive(summary);
  }
};

struct AnalysisAnswer {
  bool has_failed = false;
  Error error;
  std::vector<std::uint8_t> tables;

  template <class Archive>
  void archive(Archive& archive) {
    auto code = static_cast<std::uint8_t>(error.code);
    archive_flag(archive, has_failed);
    archive(code, error.what, error.hint, tables);
    error.code = static_cast<Errc>(std::min(code, static_cast<std::uint8_t>(Errc::unsupported)));
  }
};

Error unreadable_request() {
  return {Errc::damaged, "the request for analyses is not one of this version",
          "start the same version of meridian on all hosts"};
}

bool are_spans_of(const std::vector<MeasuredSpan>& spans, const MergedDefinitions& definitions) {
  const auto is_of = [&](const MeasuredSpan& span, const MergedRank& rank) {
    return span.rank == rank.rank && (span.main < definitions.locations.size() || !span.has_events);
  };
  return std::ranges::equal(spans, definitions.ranks, is_of);
}

Result<std::vector<std::uint8_t>> run(std::span<const std::uint8_t> bytes) {
  AnalysisRequest request;
  StateReader reader{bytes};
  request.archive(reader);
  const AnalysisSet set{request.set};
  const AnalysisSet forwards = set & AnalysisSet::forwards();
  const AnalysisSet backwards = (set & AnalysisSet::backwards()).without(AnalysisSet::waits());
  Summary summary;
  if (!reader.is_good() || !reader.is_at_end() || !((forwards | backwards) == set) ||
      !take_summary_bytes(request.summary, tables_for_analyses(), summary))
    return unreadable_request();
  MERIDIAN_TRY(const MergedTrace trace, MergedTrace::open_flushed(request.file));
  const std::function<void(double)> is_not_shown;
  AnalysisProgress progress{trace, is_not_shown};
  if (!backwards.is_empty()) {
    const auto spans = walk_backwards(trace, backwards, summary, nullptr, {}, progress);
    if (!spans) return spans.error();
  }
  if (!forwards.is_empty()) {
    if (!are_spans_of(request.spans, trace.definitions())) return unreadable_request();
    MERIDIAN_TRY_DO(walk_forwards(trace, forwards, request.spans, summary, progress));
  }
  return summary_bytes(summary, set.tables());
}

Status take_answer(const Message& message, AnalysisSet set, Summary& summary) {
  AnalysisAnswer answer;
  StateReader reader{message};
  answer.archive(reader);
  if (reader.is_good() && reader.is_at_end()) {
    if (answer.has_failed) return std::move(answer.error);
    if (take_summary_bytes(answer.tables, set.tables(), summary)) return {};
  }
  return Error{Errc::damaged, "the answer is not one of this version",
               "start the same version of meridian on all hosts"};
}

}  // namespace

Message answer_analyses(std::span<const std::uint8_t> request) {
  AnalysisAnswer answer;
  auto tables = run(request);
  answer.has_failed = !tables;
  if (tables)
    answer.tables = *std::move(tables);
  else
    answer.error = std::move(tables).error();
  StateWriter writer;
  answer.archive(writer);
  return writer.take();
}

SharedAnalyses::SharedAnalyses(Processes* others, const std::filesystem::path& file)
    : others_{others}, file_{others == nullptr ? file : std::filesystem::absolute(file)} {}

SharedAnalyses::~SharedAnalyses() {
  Summary ignored;
  (void)take_answers(ignored);
}

std::size_t SharedAnalyses::count() const noexcept {
  return others_ == nullptr ? 1 : static_cast<std::size_t>(others_->count());
}

Status SharedAnalyses::publish() const {
  if (count() == 1) return {};
  const Unique<&::close, -1> file{::open(file_.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.get() < 0 || ::fsync(file.get()) != 0)
    return Error{Errc::io, "cannot write '" + file_.string() + "': " + std::strerror(errno), ""};
  return {};
}

void SharedAnalyses::ask(std::size_t process, AnalysisSet set, const std::vector<MeasuredSpan>& spans,
                         const Summary& summary) {
  AnalysisRequest request{file_.string(), set.bits(), spans, summary_bytes(summary, tables_for_analyses())};
  StateWriter writer;
  auto work = static_cast<std::uint8_t>(Work::analyses);
  writer(work);
  request.archive(writer);
  const int number = static_cast<int>(process);
  asked_[number] = {set, others_->send(number, writer.take())};
}

Status SharedAnalyses::take_answers(Summary& summary) {
  Status first;
  for (auto& [process, asked] : std::exchange(asked_, {})) {
    Status status = std::move(asked.sent);
    if (status) {
      auto answer = others_->receive(process);
      status = answer ? take_answer(*answer, asked.set, summary) : Status{std::move(answer).error()};
    }
    if (first && !status) first = named("process " + std::to_string(process), std::move(status));
  }
  return first;
}

}  // namespace meridian
