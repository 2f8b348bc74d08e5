// SPDX-License-Identifier: Apache-2.0
#include "export/program.hpp"

#include <optional>

#include "merged/processor_reader.hpp"
#include "merged/sample_functions.hpp"
#include "merged/sample_reader.hpp"

namespace meridian {
namespace {

/// The ranks that a selection has; nullopt: all.
std::optional<std::vector<std::int32_t>> ranks_of(const ExportSource& source) {
  if (source.selection == nullptr || source.selection->ranks.empty()) return std::nullopt;
  std::vector<std::int32_t> ranks;
  for (const MergedRank& rank : source.trace.definitions().ranks)
    if (source.selection->has_rank(rank.rank)) ranks.push_back(rank.rank);
  return ranks;
}

bool is_of_calls(const ExportSource& source) {
  return source.selection != nullptr && (!source.selection->functions.empty() || !source.selection->regions.empty());
}

template <class Selection>
Selection window_of(const ExportSource& source) {
  Selection window;
  if (source.selection != nullptr) {
    window.from_ns = source.selection->from_ns;
    window.to_ns = source.selection->to_ns;
  }
  window.ranks = ranks_of(source);
  return window;
}

}  // namespace

std::string path_text(const std::vector<std::string>& frames) {
  std::string text;
  for (const std::string& frame : frames) {
    if (!text.empty()) text += " > ";
    text += frame;
  }
  return text;
}

Status walk_samples(ExportSource& source, const std::function<Status(const SampleItem&)>& take) {
  MERIDIAN_TRY(const SampleReader reader, source.trace.samples());
  if (is_of_calls(source)) {
    source.left_out.add("samples of functions: calls or regions are selected", reader.size());
    return {};
  }
  const SampleFunctions functions{reader.names()};
  struct Path {
    bool is_known = false;
    std::vector<std::string> frames;
    std::string place;
  };
  std::vector<Path> paths(reader.names().paths.size());
  SampleCursor cursor{reader, window_of<SampleSelection>(source)};
  std::vector<MergedSample> rows;
  for (;;) {
    MERIDIAN_TRY(const bool has_more, cursor.next(rows));
    if (!has_more) return {};
    for (const MergedSample& sample : rows) {
      Path& path = paths[static_cast<std::size_t>(sample.path)];
      if (!path.is_known) {
        const auto number = static_cast<std::uint32_t>(sample.path);
        for (const SampleFunctions::Line& line : functions.frames_of(number))
          path.frames.insert(path.frames.begin(), functions.functions()[line.function].name);
        const SampleFunctions::Line& line = functions.line_of(number);
        if (line.function != SampleFunctions::kNone)
          path.place = function_place(functions.functions()[line.function], line.line);
        path.is_known = true;
      }
      MERIDIAN_TRY_DO(take(
          {static_cast<std::uint32_t>(sample.location), cursor.rank(), sample.time_ns, &path.frames, &path.place}));
    }
  }
}

Status walk_intervals(ExportSource& source, const std::function<Status(const MergedInterval&)>& take) {
  MERIDIAN_TRY(const ProcessorReader reader, source.trace.processor());
  if (is_of_calls(source)) {
    source.left_out.add("intervals without a processor: calls or regions are selected", reader.size());
    return {};
  }
  ProcessorCursor cursor{reader, window_of<ProcessorSelection>(source)};
  std::vector<MergedInterval> rows;
  for (;;) {
    MERIDIAN_TRY(const bool has_more, cursor.next(rows));
    if (!has_more) return {};
    for (const MergedInterval& row : rows) MERIDIAN_TRY_DO(take(row));
  }
}

Status leave_out_program(ExportSource& source) {
  MERIDIAN_TRY(const SampleReader samples, source.trace.samples());
  MERIDIAN_TRY(const ProcessorReader intervals, source.trace.processor());
  source.left_out.add("samples of functions, which the format does not show", samples.size());
  source.left_out.add("intervals without a processor, which the format does not show", intervals.size());
  return {};
}

}  // namespace meridian
