// SPDX-License-Identifier: Apache-2.0
#include "merger/match/calls/user_tracker.hpp"

#include <bit>
#include <span>

#include "trace/model/user_fields.hpp"

namespace meridian {
namespace {

/// Number of truncated texts of the event.
std::uint64_t cut_texts(const UserDefinition& definition, std::span<const std::uint64_t> words) {
  std::uint64_t cut = 0;
  if (definition.fields.find(":text") == std::string::npos) return cut;
  for_each_user_field(user_fields(definition.fields), words,
                      [&](const UserField& field, std::span<const std::uint64_t> value) {
                        cut += field.type == "text" && value[0] > kMaxUserText;
                      });
  return cut;
}

}  // namespace

void UserTracker::enter(const Call& call, EventRow& row) {
  const UserDefinition* const definition =
      at_.user == nullptr ? nullptr : at_.user->find(at_.rank_index, call.user->definition);
  if (definition == nullptr) {
    if (at_.matchers != nullptr) at_.findings->add(FindingId::user_unknown);
    return;
  }
  row.call = definition->call;
  const std::uint64_t* const values = call.user_values;
  if (definition->kind == UserKind::counter && call.user->words == 1 && at_.matchers != nullptr) {
    const auto place = static_cast<std::size_t>(definition - at_.user->list.data());
    at_.matchers->counters[place].add(std::bit_cast<double>(values[0]), row.enter_ns);
  } else if (definition->kind == UserKind::event && at_.matchers != nullptr) {
    if (const std::uint64_t cut = cut_texts(*definition, {values, call.user->words}); cut != 0)
      at_.findings->add(FindingId::user_text_cut, cut, definition->name);
  } else if (definition->layer != kNoComm && call.user->words == 3) {
    enter_message(call, *definition, row);
  }
}

void UserTracker::enter_message(const Call& call, const UserDefinition& definition, EventRow& row) {
  const bool is_send = definition.kind == UserKind::send;
  const LocalComm& layer = at_.user->layers[at_.rank_index][definition.layer];
  const auto peer = static_cast<std::int32_t>(call.user_values[0]);
  const auto tag = static_cast<std::int32_t>(call.user_values[1]);
  const std::uint64_t bytes = call.user_values[2];
  describe(row, &layer, peer, tag);
  (is_send ? row.bytes_sent : row.bytes_received) = bytes;
  if (at_.matchers == nullptr) return;
  if (layer.world_rank(peer) < 0 || tag < 0) {
    at_.findings->add(FindingId::user_message_nobody, 1, definition.name);
  } else if (sides_.is_unsure(call)) {
    return;
  } else if (is_send) {
    at_.matchers->user_messages.send(at_.caller(call), layer, peer, tag, bytes);
  } else {
    const ReceiveId receive = at_.matchers->user_messages.post(at_.caller(call), layer, peer, tag);
    at_.matchers->user_messages.complete(receive, at_.caller(call), peer, tag, static_cast<std::int64_t>(bytes));
  }
}

}  // namespace meridian
