// SPDX-License-Identifier: Apache-2.0
#include "summary/recorded_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "summary/measures.hpp"
#include "trace/model/call_facts.hpp"

namespace meridian {
namespace {

constexpr double kLeastPart = 0.01;  ///< of all calls: fewer missing ones are not mentioned
constexpr double kMisleading = 0.1;  ///< of all calls: from here on, shares of the time are those of another program

struct ReasonRow {
  std::string_view finding, reason;
};
constexpr ReasonRow kReasons[] = {
    {"filter.full", "MERIDIAN_MAX_SIZE"},        {"filter.throttled", "MERIDIAN_MAX_CALLS"},
    {"loss.ring_full", "MERIDIAN_FULL=drop"},    {"loss.no_memory", "no memory for rings"},
    {"loss.no_slot", "more threads than rings"}, {"loss.too_long", "records that are too long"},
    {"loss.writer_gone", "the writer ended"},    {"loss.no_card", "no room for records"},
    {"loss.other", "unknown reasons"},
};

bool has_finding(const Summary& summary, std::string_view name) {
  return std::ranges::find(summary.findings, name, &Finding::name) != summary.findings.end();
}

}  // namespace

RecordedPart recorded_part(const Summary& summary) {
  RecordedPart part;
  for (const PassedSummary& row : summary.passed)
    if (is_mpi_name(row.name)) part.missing += row.count;
  const bool are_filtered = part.missing != 0;
  for (const ReasonRow& row : kReasons) {
    const auto finding = std::ranges::find(summary.findings, row.finding, &Finding::name);
    if (finding == summary.findings.end()) continue;
    part.reason += (part.reason.empty() ? "" : ", ") + std::string{row.reason};
    if (row.finding.starts_with("loss.")) part.missing += finding->count;
  }
  if (part.reason.empty() && are_filtered) part.reason = "levels, filters, or times without recording";
  part.calls = summary.run.calls + part.missing;
  const auto share = static_cast<double>(part.missing) / static_cast<double>(std::max<std::uint64_t>(part.calls, 1));
  part.misleads = share > kMisleading && std::ranges::any_of(kReasons, [&](const ReasonRow& row) {
                    return part.reason.find(row.reason) != std::string::npos;
                  });
  return part;
}

bool is_profile(const Summary& summary) { return has_finding(summary, "recording.profile"); }

bool is_last_part(const Summary& summary) { return has_finding(summary, "recording.recorder"); }

bool was_switched_off(const Summary& summary) {
  return std::ranges::any_of(summary.ranks, [](const RankSummary& rank) { return rank.unrecorded_s > 0; });
}

std::string_view measured_time(const Summary& summary) {
  if (was_switched_off(summary)) return " while recording was on";
  return ends_seconds(summary) > 0 ? " between MPI_Init and MPI_Finalize" : "";
}

std::string_view analysed_time(const Summary& summary) {
  const bool has_holes = std::ranges::any_of(
      summary.ranks, [](const RankSummary& rank) { return rank.unrecorded_s > 0 && rank.recorded_from_s < 0; });
  return has_holes ? " between MPI_Init and MPI_Finalize, also while recording was off" : measured_time(summary);
}

bool may_be_a_part(const Summary& summary) {
  return is_last_part(summary) || was_switched_off(summary) || has_finding(summary, "edit.left_out");
}

bool lacks_ranks(const Summary& summary) {
  return summary.run.ranks_present > 0 && summary.run.ranks_present < summary.run.ranks_expected;
}

bool has_lost_calls(const Summary& summary) {
  const auto has = [&](std::string_view finding) { return has_finding(summary, finding); };
  return has("rank.host_lost") || std::ranges::any_of(kReasons, [&](const ReasonRow& row) {
           return row.finding.starts_with("loss.") && row.finding != "loss.ring_full" && has(row.finding);
         });
}

std::string describe_part(const Summary& summary) {
  std::string ranks;
  if (lacks_ranks(summary))
    ranks = fmt::format("{} of {} ranks {} recorded: waits for the others are not known.", summary.run.ranks_present,
                        summary.run.ranks_expected, summary.run.ranks_present == 1 ? "is" : "are");
  const RecordedPart part = recorded_part(summary);
  if (static_cast<double>(part.missing) < kLeastPart * static_cast<double>(part.calls) || part.missing == 0)
    return ranks;
  if (!ranks.empty()) ranks += " ";
  const std::string calls =
      fmt::format("Of {} calls of MPI {} were not recorded ({}): all figures are of the recorded part.", part.calls,
                  part.missing, part.reason);
  if (was_switched_off(summary) && !part.misleads) return ranks + calls + " Times without recording are in no share.";
  return ranks + fmt::format("{} The time of the others counts as time outside MPI{}.", calls,
                             part.misleads ? ", so no shares are given" : "");
}

}  // namespace meridian
