// SPDX-License-Identifier: Apache-2.0
// Section CALL PATHS: the paths through the program with the most time.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "cli/summary/printable.hpp"
#include "cli/summary/table.hpp"
#include "cli/summary/text/text.hpp"
#include "summary/units.hpp"
#include "trace/model/source_place.hpp"

namespace meridian {
namespace {

using Frames = std::vector<const PathFrameSummary*>;

constexpr std::size_t kPathIndent = 4;
constexpr std::size_t kDeepest = 8;           // levels with indentation
constexpr std::size_t kMostLinesOfPath = 24;  // of one path; the middle of longer ones is omitted

std::string place_of(const PathFrameSummary& frame) {
  return line_text({frame.caller, frame.file, frame.line, frame.module, frame.offset});
}

/// Without arguments, which would fill the line.
std::string name_of(const PathFrameSummary& frame) {
  const std::string name = without_parameters(without_copy_marks(frame.caller));
  return name.empty() ? "?" : name;
}

/// Consecutive equal frames: recursion.
struct Repeated {
  const PathFrameSummary* frame = nullptr;
  std::size_t times = 0;
};

std::vector<Repeated> join(const Frames& frames) {
  const auto is_same = [](const PathFrameSummary& a, const PathFrameSummary& b) {
    return a.caller == b.caller && a.file == b.file && a.line == b.line && a.module == b.module &&
           (a.line != 0 || a.offset == b.offset);
  };
  std::vector<Repeated> joined;
  for (const PathFrameSummary* frame : frames) {
    if (joined.empty() || !is_same(*joined.back().frame, *frame)) joined.push_back({frame, 0});
    ++joined.back().times;
  }
  return joined;
}

/// Columns of the source lines; names have the rest.
std::size_t place_width() { return text_width() / 3; }

std::string indent(std::size_t level) { return std::string(kPathIndent + 2 * std::min(level, kDeepest), ' '); }

std::string line_of(const Repeated& frame, std::size_t level) {
  const std::string times = frame.times == 1 ? "" : fmt::format(" ({} times)", frame.times);
  const std::size_t name_end = text_width() - place_width();
  const std::size_t room = name_end - 1 - indent(level).size() - times.size();
  const std::string name = indent(level) + shortened_function(printable(name_of(*frame.frame)), room) + times;
  return fmt::format("{:<{}}{}\n", name, name_end, shortened(printable(place_of(*frame.frame)), place_width()));
}

std::string path_text(const PathSummary& path, const Frames& frames, const Paint& paint) {
  const double bytes = static_cast<double>(path.bytes_sent) + static_cast<double>(path.bytes_received);
  const std::string title = fmt::format("  {}: {} {}, {}, {}, {}", printable(path.function), human_count(path.count),
                                        path.count == 1 ? "call" : "calls", human_duration(path.total_s),
                                        human_percent(path.share), human_bytes(bytes));
  std::string text = paint.title(shortened(title, text_width())) + "\n";
  if (path.begins == "deeper") text += indent(0) + "(further callers: MERIDIAN_STACK was too small)\n";
  if (path.begins == "lost") text += indent(0) + "(unknown callers)\n";
  const std::vector<Repeated> joined = join(frames);
  const std::size_t left_out = joined.size() > kMostLinesOfPath ? joined.size() - kMostLinesOfPath : 0;
  for (std::size_t i = 0; i < joined.size(); ++i) {
    if (left_out != 0 && i == kMostLinesOfPath / 2) {
      text += fmt::format("{}... {} more ...\n", indent(i), left_out);
      i += left_out;
    }
    text += line_of(joined[i], i);
  }
  return text;
}

}  // namespace

std::string paths_section(const Summary& summary, const Paint& paint, std::size_t most) {
  const std::size_t shown = std::min(most - most / 2, summary.paths.size());
  if (shown == 0) return {};
  std::map<std::uint64_t, Frames> frames;
  for (const PathFrameSummary& frame : summary.path_frames) frames[frame.path].push_back(&frame);
  std::string text = paint.heading(fmt::format("CALL PATHS BY TIME ({}; share: without MPI_Init and MPI_Finalize)",
                                               how_many(shown, summary.paths.size()))) +
                     "\n";
  for (std::size_t i = 0; i < shown; ++i) text += path_text(summary.paths[i], frames[summary.paths[i].path], paint);
  return text;
}

}  // namespace meridian
