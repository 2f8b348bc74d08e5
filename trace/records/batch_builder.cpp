// SPDX-License-Identifier: Apache-2.0
#include "trace/records/batch_builder.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMaxBatch = std::size_t{1} << 22;  // events in a restored batch; more mean damage

template <class Row>
void append(std::vector<Row>& rows, const std::uint64_t* words) {
  rows.push_back(load_words<Row>(words));
}

}  // namespace

void BatchBuilder::clear() {
  batch_.enter_ticks.clear();
  batch_.leave_ticks.clear();
  batch_.call.clear();
  batch_.payload.clear();
  batch_.flags.clear();
  batch_.completion_count.clear();
  batch_.p2p.clear();
  batch_.coll.clear();
  batch_.completions.clear();
  batch_.rma.clear();
  batch_.io.clear();
  batch_.handles.clear();
  batch_.user.clear();
  batch_.user_values.clear();
  batch_.locks.clear();
  batch_.thread_ops.clear();
  batch_.sites.clear();
  batch_.nodes.clear();
  batch_.counters.clear();
  batch_.counters_between.clear();
}

void BatchBuilder::begin_thread() {
  is_more_expected_ = false;
  counters_.clear();
}

bool BatchBuilder::is_continuation(const Record& record) noexcept {
  const bool continues =
      record.payload() == Payload::requests && !record.has(kFlagCounters) && !batch_.call.empty() &&
      (record.has(kFlagMore) || is_more_expected_) && record.head.enter_ticks == record.head.leave_ticks &&
      batch_.payload.back() == Payload::requests && batch_.call.back() == static_cast<CallId>(record.head.header.call);
  is_more_expected_ = record.has(kFlagMore);
  return continues;
}

void BatchBuilder::add_row(const Record& record, std::span<const std::uint64_t> values) {
  batch_.payload.back() = record.payload();
  const std::uint64_t* const body = record.body();
  switch (record.payload()) {
    case Payload::sendrecv:
      append(batch_.p2p, body);
      append(batch_.p2p, body + words_of<PointToPoint>);
      break;
    case Payload::p2p:
      append(batch_.p2p, body);
      break;
    case Payload::coll:
      append(batch_.coll, body);
      break;
    case Payload::rma:
      append(batch_.rma, body);
      break;
    case Payload::io:
      append(batch_.io, body);
      break;
    case Payload::user:
      append(batch_.user, body);
      batch_.user_values.insert(batch_.user_values.end(), values.begin(), values.end());
      break;
    case Payload::handle:
      append(batch_.handles, body);
      break;
    case Payload::lock:
      append(batch_.locks, body);
      break;
    case Payload::thread_op:
      append(batch_.thread_ops, body);
      break;
    default:
      break;
  }
}

bool BatchBuilder::add_completions(std::span<const std::uint64_t> words, Payload payload, bool has_outcome) {
  const bool has_requests = payload == Payload::requests;
  if (!has_outcome && !has_requests) return true;
  std::uint32_t& count = batch_.completion_count.back();
  for (std::size_t at = 0; at < words.size(); at += words_of<Completion>) {
    auto entry = load_words<Completion>(words.data() + at);
    if (has_requests && entry.request == 0) continue;  // an unused entry, left by a null request
    if (!has_outcome) entry = {.request = entry.request, .source = 0, .tag = 0, .bytes = kNotKnown};
    if (count == kMaxCompletions) return false;
    batch_.completions.push_back(entry);
    ++count;
  }
  return true;
}

void BatchBuilder::add_site(const ThreadStacks::Site& site) {
  batch_.sites.push_back(site.address);
  if (site.row == 0 && batch_.nodes.empty()) return;
  batch_.nodes.resize(batch_.sites.size());  // earlier events have none
  batch_.nodes.back() = site.row;
}

void BatchBuilder::add_counters(std::span<const std::uint64_t> words) {
  const std::size_t count = words.size() / 2;
  const auto at_enter = words.first(count);
  const auto at_leave = words.last(count);
  if (counters_.size() != count) counters_.assign(at_enter.begin(), at_enter.end());
  for (std::size_t i = 0; i < count; ++i) {
    batch_.counters.push_back(static_cast<std::int64_t>(at_leave[i] - at_enter[i]));
    batch_.counters_between.push_back(static_cast<std::int64_t>(at_enter[i] - counters_[i]));
  }
  counters_.assign(at_leave.begin(), at_leave.end());
}

bool BatchBuilder::is_consistent(std::uint32_t counters_per_event) const {
  const std::size_t events = batch_.call.size();
  if (events > kMaxBatch || batch_.enter_ticks.size() != events || batch_.leave_ticks.size() != events ||
      batch_.payload.size() != events || batch_.flags.size() != events || batch_.completion_count.size() != events ||
      batch_.counters.size() != batch_.counters_between.size() ||
      (!batch_.nodes.empty() && batch_.nodes.size() != batch_.sites.size()))
    return false;
  std::uint64_t by_payload[256] = {}, completions = 0, sites = 0, counted = 0, words = 0;
  for (std::size_t i = 0; i < events; ++i) {
    ++by_payload[static_cast<std::size_t>(batch_.payload[i])];
    completions += batch_.completion_count[i];
    sites += (batch_.flags[i] & kFlagSite) != 0;
    counted += (batch_.flags[i] & kFlagCounters) != 0;
  }
  for (const UserUse& use : batch_.user) words += use.words;
  const auto of = [&](Payload payload) { return by_payload[static_cast<std::size_t>(payload)]; };
  return of(Payload::p2p) + 2 * of(Payload::sendrecv) == batch_.p2p.size() && of(Payload::coll) == batch_.coll.size() &&
         of(Payload::rma) == batch_.rma.size() && of(Payload::io) == batch_.io.size() &&
         of(Payload::handle) == batch_.handles.size() && of(Payload::user) == batch_.user.size() &&
         of(Payload::lock) == batch_.locks.size() && of(Payload::thread_op) == batch_.thread_ops.size() &&
         completions == batch_.completions.size() && sites == batch_.sites.size() &&
         counted * counters_per_event == batch_.counters.size() && words == batch_.user_values.size();
}

}  // namespace meridian
