// SPDX-License-Identifier: Apache-2.0
#include "trace/model/call_facts.hpp"

#include <array>
#include <initializer_list>
#include <string_view>

namespace meridian {
namespace {

enum class Kind : std::uint8_t {
  none,
#define MERIDIAN_WORD(word, role, blocks, poll)
#define MERIDIAN_COLLECTIVE(word, shape, bytes) word,
#include "trace/model/call_words.def"
};

struct Word {
  std::string_view text;
  CallFacts meaning;
};
constexpr Word kWords[] = {
#define MERIDIAN_WORD(word, role, blocks, poll) {#word, {Role::role, Blocks::blocks, Poll::poll}},
#define MERIDIAN_COLLECTIVE(word, shape, bytes)                                            \
  {#word,                                                                                  \
   {Role::collective, Blocks::for_all, Poll::no, CollectiveShape::shape, BytesRule::bytes, \
    static_cast<std::uint8_t>(Kind::word)}},
#include "trace/model/call_words.def"
};

/// `what` with a request: it does not wait.
consteval CallFacts with_request(CallFacts what, Role collective) {
  if (what.role == Role::collective) what.role = collective;
  what.blocks = Blocks::no;
  return what;
}

/// The content of the column `recorded`: "Persistent(Bcast(count, datatype, root, comm), request)".
consteval CallFacts meaning_of(std::string_view recorded) {
  const std::size_t end = recorded.find_first_of("()");
  const std::string_view word = recorded.substr(0, end);
  for (const Word& known : kWords)
    if (known.text == word) return known.meaning;
  const std::string_view inner = recorded.substr(end + 1);
  if (word == "Requested") return with_request(meaning_of(inner), Role::icollective);
  if (word == "Persistent") return with_request(meaning_of(inner), Role::collective_init);
  if (word == "WithStatus" || word == "ByHand" || word == "COnly" || word == "NoF08") return meaning_of(inner);
  throw "not a word of call_words.def";  // the compiler stops here
}

/// The content of the column `recorded`.
consteval bool names_new_comm(std::string_view recorded) {
  for (const std::string_view word :
       {"NewComm(", "TaggedComm(", "LabelledComm(", "Accepted(", "Connected(", "Joined(", "ThroughLeaders(", "Spawn"})
    if (recorded.find(word) != std::string_view::npos) return true;
  return false;
}

consteval bool has_any(std::string_view name, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts)
    if (name.find(part) != std::string_view::npos) return true;
  return false;
}

consteval CallFacts facts_from(std::string_view name, CallGroup group, std::string_view recorded) {
  CallFacts facts = meaning_of(recorded);
  facts.makes_comm = names_new_comm(recorded);
  if (group != CallGroup::io) return facts;
  // The names of MPI-IO are regular.
  facts.is_collective_io = has_any(name, {"_all", "_ordered", "_open", "_close", "_set_size", "_preallocate",
                                          "_set_view", "_set_info", "_set_atomicity", "_seek_shared", "_sync"});
  facts.requests_collective_io = facts.is_collective_io && has_any(name, {"_iread", "_iwrite"});
  // The end of a split transfer belongs to its begin.
  facts.starts_collective_io = facts.is_collective_io && !facts.requests_collective_io && !has_any(name, {"_end"});
  facts.is_metadata_io = has_any(name, {"_open", "_close", "_delete", "_set_size", "_preallocate", "_sync"});
  return facts;
}

/// Calls other than MPI's are plain, but for those on files.
consteval CallFacts facts_of_other(std::string_view name, CallGroup group) {
  CallFacts facts;
  if (group != CallGroup::files) return facts;
  if (has_any(name, {"read"})) facts.role = Role::get;
  if (has_any(name, {"write"})) facts.role = Role::put;
  if (has_any(name, {"open", "creat"})) facts.role = Role::open_file;
  return facts;
}

constexpr std::array<CallFacts, kCallCount> kFacts{{
    {},
#define MERIDIAN_CALL_AS(type, name, group, params, args, recorded) facts_from(#name, CallGroup::group, #recorded),
#include "trace/model/mpi_calls.def"
#define MERIDIAN_OTHER_CALL(id, printed, group, use, waits) facts_of_other(printed, CallGroup::group),
#include "trace/model/other_calls.def"
}};

}  // namespace

const CallFacts& facts_of(CallId call) noexcept {
  const auto index = static_cast<std::size_t>(call);
  return kFacts[index < kCallCount ? index : 0];
}

NamedFacts facts_of(std::string_view name) noexcept {
  const CallId id = call_by_name(name);
  return {id, info(id).group, facts_of(id)};
}

CallGroup group_by_name(std::string_view name) noexcept {
  for (std::size_t i = 1; i < kGroups.size(); ++i)
    if (kGroups[i].name == name) return static_cast<CallGroup>(i);
  return CallGroup::none;
}

}  // namespace meridian
