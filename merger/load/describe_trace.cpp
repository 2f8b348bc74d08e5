// SPDX-License-Identifier: Apache-2.0
#include "merger/load/describe_trace.hpp"

#include <cstdint>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "merger/load/find_sources.hpp"
#include "merger/load/unify_definitions.hpp"
#include "merger/load/unify_objects.hpp"
#include "merger/load/unify_user_definitions.hpp"

namespace meridian {
namespace {

/// Fills in the rows of /calls: the calls that this build knows, then the names of the unknown ones. Event batches do
/// not record which unknown call an event belongs to, so a rank with several unknown calls uses row 0 for all of them.
void name_calls(Trace& trace) {
  std::vector<std::string> unknown_of;  // [files]: empty unless the rank has exactly one unknown call
  std::set<std::string> unknown;
  for (const RankFile* file : trace.files) {
    const RankMeta& meta = file->meta();
    std::set<std::string> names;
    for (std::size_t i = 0; i < meta.calls.size() && i < meta.call_names.size(); ++i)
      if (meta.calls[i] == CallId::none && !meta.call_names[i].empty()) names.insert(meta.call_names[i]);
    unknown_of.push_back(names.size() == 1 ? *names.begin() : "");
    if (names.size() == 1) unknown.insert(*names.begin());
  }
  for (const CallInfo& call : kCalls)
    trace.calls.push_back({std::string{call.name}, std::string{kGroups[static_cast<std::size_t>(call.group)].name}});
  trace.calls.front().name = "(unknown call)";
  for (const std::string& name : unknown) trace.calls.push_back({name, ""});
  for (const std::string& name : unknown_of) {
    const auto row = std::distance(unknown.begin(), unknown.find(name));
    trace.unknown_call.push_back(
        static_cast<std::uint16_t>(name.empty() ? 0 : kCallCount + static_cast<std::size_t>(row)));
  }
}

/// The row under which messages, requests and collectives count whose other side is missing.
FindingId gap_finding(const TraceGaps& gaps) {
  if (gaps.is_switched) return FindingId::call_switched_off;
  return gaps.has_unwrapped ? FindingId::call_unwrapped : FindingId::call_unseen;
}

}  // namespace

std::vector<const RankMeta*> metas_of(std::span<const RankFile> files) {
  std::vector<const RankMeta*> metas;
  for (const RankFile& file : files) metas.push_back(&file.meta());
  return metas;
}

Trace describe_trace(LoadedRanks& ranks, Findings& findings) {
  Trace trace;
  trace.sites = std::make_unique<SiteTable>();
  trace.paths = std::make_unique<PathTable>();
  trace.rank_index.assign(static_cast<std::size_t>(ranks.ranks), kMissingRank);
  for (RankFile& file : ranks.files) {
    trace.rank_index[static_cast<std::size_t>(file.meta().rank)] = static_cast<std::uint32_t>(trace.files.size());
    trace.files.push_back(&file);
    trace.rank_sites.emplace_back(file.meta(), *trace.sites, *trace.paths);
    std::vector<std::uint32_t>& routines = trace.routines.emplace_back();
    for (const ThreadRow& thread : file.meta().threads)
      routines.push_back(trace.rank_sites.back().function(thread.routine));
    for (const SegmentRow& segment : file.meta().segments) {
      trace.events += segment.events;
      trace.has_sites |= segment.sites != 0;
      trace.has_stacks |= segment.nodes != 0;
    }
  }
  const std::vector<const RankMeta*> metas = metas_of(ranks.files);
  trace.gaps = find_gaps(metas);
  if (trace.gaps.has_gaps) findings.expect_gaps(gap_finding(trace.gaps));
  if (trace.gaps.lacks_comms) findings.expect_unknown_comms();
  if (trace.gaps.has_selection) findings.expect_unknown_requests();
  name_calls(trace);
  trace.communicators = unify_definitions(metas, ranks.worlds, findings);
  trace.communicators.sources = find_sources(metas, trace.communicators);
  trace.worlds = ranks.worlds;
  trace.objects = unify_objects(metas, trace.communicators);
  trace.user = unify_user_definitions(metas, trace.calls, trace.communicators);
  return trace;
}

std::size_t count_damaged_parts(std::span<const RankFile> files) {
  std::size_t parts = 0;
  for (const RankFile& file : files) parts += file.flaws();
  return parts;
}

void find_damaged_parts(std::span<RankFile> files) {
  EventBatch batch;
  for (RankFile& file : files)
    for (std::size_t i = 0; i < file.meta().segments.size(); ++i) static_cast<void>(bool{file.read(i, batch)});
}

}  // namespace meridian
