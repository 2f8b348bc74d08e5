// SPDX-License-Identifier: Apache-2.0
#include "import/otf2/rank_output.hpp"

#include <algorithm>
#include <cstddef>

namespace meridian::imported {
namespace {

constexpr std::size_t kEventsAtOnce = 16384;  // as the writer of a traced program
constexpr std::size_t kCompletionsAtOnce = 4 * kEventsAtOnce;

}  // namespace

std::uint32_t RankOutput::definition(UserKind kind, const std::string& level, const std::string& name) {
  const auto id = static_cast<std::uint32_t>(definitions_.size() + 1);
  const auto [known, is_new] = definitions_.try_emplace({kind, level, name}, id);
  if (is_new) meta_.user_definitions.push_back({id, kind, level, name, kind == UserKind::counter ? "value:f64" : ""});
  return known->second;
}

ThreadId RankOutput::nested_thread(ThreadId outer) {
  const ThreadId made{next_thread_++};
  meta_.texts.push_back({kInsideKey, std::to_string(outer.value), made.value, 0});
  return made;
}

void RankOutput::describe_left_out() {
  const auto describe = [&](const char* key, std::uint64_t count, std::string_view what) {
    meta_.texts.push_back({key, std::to_string(count) + " " + std::string{what}, 0, 0});
  };
  for (const auto& [what, count] : left_out.counts()) describe(kImportLeftOutKey, count, what);
  if (one_sided_messages != 0) describe(kImportOneSidedKey, one_sided_messages, "messages");
}

Status RankOutput::append(ThreadId thread, EventBatch& batch) {
  if (batch.call.empty()) return {};
  events_ += batch.call.size();
  Status status = writer_.append(thread, batch);
  batch = {};
  return status;
}

EventBatch& EventStream::add(CallId call, std::uint64_t enter_ticks, std::uint64_t leave_ticks, std::uint8_t flags) {
  if (events_++ == 0) begin_ticks_ = enter_ticks;
  end_ticks_ = std::max(end_ticks_, leave_ticks);
  batch_.call.push_back(call);
  batch_.enter_ticks.push_back(enter_ticks);
  batch_.leave_ticks.push_back(leave_ticks);
  batch_.payload.push_back(Payload::local);
  batch_.flags.push_back(flags);
  batch_.completion_count.push_back(0);
  return batch_;
}

EventBatch& EventStream::add_user(CallId call, std::uint64_t at_ticks, std::uint8_t flags, std::uint32_t definition) {
  EventBatch& batch = add(call, at_ticks, at_ticks, flags);
  batch.payload.back() = Payload::user;
  batch.user.push_back({definition, 0});
  return batch;
}

bool EventStream::is_full() const {
  return batch_.call.size() >= kEventsAtOnce || batch_.completions.size() >= kCompletionsAtOnce;
}

}  // namespace meridian::imported
