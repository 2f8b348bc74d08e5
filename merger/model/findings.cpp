// SPDX-License-Identifier: Apache-2.0
#include "merger/model/findings.hpp"

#include <algorithm>
#include <string_view>

namespace meridian {
namespace {

struct Row {
  const char* name;
  Severity severity;
  const char* text;
  const char* remedy;
};
constexpr Row kRows[] = {
#define MERIDIAN_FINDING(id, name, severity, text, remedy) {name, Severity::severity, text, remedy},
#include "merger/model/findings.def"
};

/// Whether a text can be printed as it is: not empty, and ends with a full stop.
constexpr bool is_sentence(std::string_view text) { return text.ends_with('.') && !text.ends_with(".."); }
static_assert(std::ranges::all_of(kRows, is_sentence, &Row::text), "the text of a finding is made of sentences");
static_assert(std::ranges::all_of(kRows, is_sentence, &Row::remedy), "the remedy of a finding is made of sentences");

}  // namespace

Finding describe(FindingId id) {
  const Row& row = kRows[static_cast<std::size_t>(id)];
  return {row.name, row.severity, 0, row.text, row.remedy, ""};
}

std::string describe(const EventRef& call) {
  return "rank " + std::to_string(call.rank) + " thread " + std::to_string(call.thread) + " call " +
         std::to_string(call.event);
}

bool Findings::may_be_gap(FindingId id) noexcept {
  switch (id) {
    case FindingId::message_unmatched_send:
    case FindingId::message_unmatched_receive:
    case FindingId::message_open_receive:
    case FindingId::message_truncated:
    case FindingId::message_size_mismatch:
    case FindingId::request_unknown:
    case FindingId::collective_mismatch:
    case FindingId::collective_incomplete:
      return true;
    default:
      return false;
  }
}

std::vector<Finding> Findings::list() const {
  std::vector<Finding> found;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& at = entries_[i];
    if (at.count == 0) continue;
    Finding finding = describe(static_cast<FindingId>(i));
    finding.count = at.count;
    for (const std::string& example : at.examples) finding.detail += (finding.detail.empty() ? "" : "; ") + example;
    if (at.has_more) finding.detail += "; ...";
    found.push_back(std::move(finding));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  return found;
}

}  // namespace meridian
