// SPDX-License-Identifier: Apache-2.0
#include "merger/model/call_roles.hpp"

#include <array>
#include <string_view>

namespace meridian {
namespace {

enum class Kind : std::uint8_t {
  none,
#define MERIDIAN_WORD(word, role, blocks)
#define MERIDIAN_COLLECTIVE(word, shape, bytes) word,
#include "trace/model/call_words.def"
};

struct Word {
  std::string_view text;
  CallRole meaning;
};
constexpr Word kWords[] = {
#define MERIDIAN_WORD(word, role, blocks) {#word, {Role::role, Blocks::blocks}},
#define MERIDIAN_COLLECTIVE(word, shape, bytes)                                  \
  {#word,                                                                        \
   {Role::collective, Blocks::for_all, CollectiveShape::shape, BytesRule::bytes, \
    static_cast<std::uint8_t>(Kind::word)}},
#include "trace/model/call_words.def"
};

/// `what` with a request: it does not wait.
consteval CallRole with_request(CallRole what, Role collective) {
  if (what.role == Role::collective) what.role = collective;
  what.blocks = Blocks::no;
  return what;
}

/// The content of the column `recorded`: "Persistent(Bcast(count, datatype, root, comm), request)".
consteval CallRole meaning_of(std::string_view recorded) {
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

constexpr std::array<CallRole, kCallCount> kRoles{{
    {},
#define MERIDIAN_CALL_AS(type, name, group, params, args, recorded) meaning_of(#recorded),
#include "trace/model/mpi_calls.def"
}};  // the others are plain

/// The content of the column `recorded`.
consteval bool names_new_comm(std::string_view recorded) {
  for (const std::string_view word :
       {"NewComm(", "TaggedComm(", "LabelledComm(", "Accepted(", "Connected(", "Joined(", "ThroughLeaders(", "Spawn"})
    if (recorded.find(word) != std::string_view::npos) return true;
  return false;
}

constexpr std::array<bool, kCallCount> kMakesComm{{
    false,
#define MERIDIAN_CALL_AS(type, name, group, params, args, recorded) names_new_comm(#recorded),
#include "trace/model/mpi_calls.def"
}};

}  // namespace

const CallRole& role_of(CallId call) noexcept {
  const auto index = static_cast<std::size_t>(call);
  return kRoles[index < kCallCount ? index : 0];
}

bool makes_comm(CallId call) noexcept {
  const auto index = static_cast<std::size_t>(call);
  return index < kCallCount && kMakesComm[index];
}

}  // namespace meridian
