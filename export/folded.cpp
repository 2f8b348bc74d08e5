// SPDX-License-Identifier: Apache-2.0
#include "export/folded.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "export/program.hpp"
#include "export/sink_buffer.hpp"
#include "export/texts.hpp"

namespace meridian {
namespace {

/// A semicolon parts frames, and a blank is before the count.
std::string frame_of(const std::string& name) {
  std::string text = plain_text(name);
  std::ranges::replace(text, ';', ':');
  return text;
}

}  // namespace

Status export_folded(ExportSource& source, ExportSink& sink) {
  MERIDIAN_TRY(const bool is_wanted, sink.begin("trace.folded"));
  if (!is_wanted) return {};
  std::map<std::pair<std::int32_t, std::vector<std::string>>, std::uint64_t> counts;
  MERIDIAN_TRY_DO(walk_samples(source, [&](const SampleItem& item) {
    ++counts[{item.rank, *item.frames}];
    return Status{};
  }));
  source.left_out.add("calls and user events: the format has samples of functions alone", source.trace.events());
  SinkBuffer out{sink};
  for (const auto& [path, count] : counts) {
    out << "rank " << path.first;
    for (const std::string& frame : path.second) out << ';' << frame_of(frame);
    if (path.second.empty()) out << ";[unknown]";
    out << ' ' << count << '\n';
    MERIDIAN_TRY_DO(out.pass_on());
  }
  return out.flush();
}

}  // namespace meridian
