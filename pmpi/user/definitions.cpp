// SPDX-License-Identifier: Apache-2.0
// Definitions of user events: made once, found by content, opened and closed by levels.

#include "pmpi/user/definitions.hpp"

#include <stdio.h>
#include <string.h>

#include <new>

#include "pmpi/process/kept_memory.hpp"
#include "pmpi/process/session_state.hpp"
#include "pmpi/rings/counting.hpp"
#include "pmpi/rings/drops.hpp"
#include "pmpi/rings/emit.hpp"
#include "pmpi/rings/thread_state.hpp"
#include "pmpi/stacks/stacks.hpp"
#include "pmpi/user/turn.hpp"
#include "trace/model/level_rules.hpp"

namespace meridian {
namespace {

constexpr std::uint32_t kMostDefinitions = 32768;
constexpr std::size_t kMostNameBytes = 1024;
constexpr std::size_t kBuckets = 4096;

/// The program's own switches, in order; for each event the last one counts.
struct Switch {
  char what[128];
  bool is_on;
};

UserEventDefinition* g_buckets[kBuckets];
std::atomic<UserEventDefinition*> g_all{nullptr};
std::uint32_t g_defined = 0;
Switch g_switches[kMostUserSwitches];
std::size_t g_switch_count = 0;
bool g_is_recording = false;
bool (*g_is_chosen)(const Choosable&) noexcept = nullptr;
std::atomic<std::uint32_t> g_asked_early{0};  // unsuccessful queries while this process had no MPI

/// For definitions that cannot be kept.
constinit meridian_gate g_closed{};

constinit std::atomic<long> g_turn{0};

std::size_t hash_of(UserKind kind, std::string_view level, std::string_view name, std::string_view fields) noexcept {
  std::size_t hash = static_cast<std::size_t>(kind);
  for (const std::string_view text : {level, name, fields}) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    hash = (hash ^ 0x1f) * 0x100000001b3ULL;
  }
  return (hash >> 20 ^ hash) % kBuckets;
}

bool is_open(const UserEventDefinition& definition) noexcept {
  if (!g_is_recording) return false;
  const Choosable what{definition.name, kGroupNames[static_cast<std::size_t>(CallGroup::user)], definition.level};
  bool is_chosen = g_is_chosen(what);
  for (std::size_t i = 0; i < g_switch_count; ++i)
    if (names_user_event(g_switches[i].what, definition.level, definition.name)) is_chosen = g_switches[i].is_on;
  return is_chosen;
}

void set_gate(UserEventDefinition& definition, bool is_on) noexcept {
  __atomic_store_n(&definition.gate.on, static_cast<unsigned char>(is_on), __ATOMIC_RELAXED);
}

UserEventDefinition* make(UserKind kind, std::string_view level, std::string_view name, const UserFields& fields,
                          std::size_t bucket) noexcept {
  if (g_defined == kMostDefinitions) return nullptr;
  void* const memory = keep_bytes(sizeof(UserEventDefinition));
  if (memory == nullptr) return nullptr;
  auto* const made = new (memory) UserEventDefinition;
  made->gate.record = is_counting() ? &record_counted_user_event : &record_user_event;
  made->id = ++g_defined;
  made->call = kind == UserKind::region ? CallId::UserRegion : CallId::UserEvent;
  made->words = fields.words;
  made->texts = fields.texts;
  made->kind = kind;
  made->level = keep_text(level);
  made->name = keep_text(name);
  made->fields = keep_text({fields.text, fields.bytes});
  made->next = g_all.load(std::memory_order_relaxed);
  made->next_equal = g_buckets[bucket];
  set_gate(*made, is_open(*made));
  g_buckets[bucket] = made;
  g_all.store(made, std::memory_order_release);
  return made;
}

void set_fields(UserFields& fields, const char* text, std::uint8_t words) noexcept {
  fields.bytes = strlen(text);
  memcpy(fields.text, text, fields.bytes);
  fields.words = words;
}

bool store_definition(UserEventDefinition& definition) noexcept {
  char text[2 * kMostNameBytes + UserFields::kMostBytes + 64];
  const int length = snprintf(text, sizeof text, "%d%c%.*s%c%.*s%c%.*s", static_cast<int>(definition.kind),
                              kUserSeparator, static_cast<int>(definition.level.size()), definition.level.data(),
                              kUserSeparator, static_cast<int>(definition.name.size()), definition.name.data(),
                              kUserSeparator, static_cast<int>(definition.fields.size()), definition.fields.data());
  return emit_text(kUserDefinitionKey, text, static_cast<std::uint64_t>(length), definition.id);
}

/// Number of words of the event after its UserUse.
std::uint64_t words_needed(const UserEventDefinition& definition, const std::uint64_t* words) noexcept {
  std::uint64_t needed = definition.words;
  for (std::uint8_t i = 0; i < definition.words; ++i)
    if ((definition.texts >> i & 1) != 0) {
      const char* const text = reinterpret_cast<const char*>(words[i]);
      const std::size_t bytes = text == nullptr ? 0 : strnlen(text, kMaxUserText);
      needed += (bytes + kWordBytes - 1) / kWordBytes;
    }
  return needed;
}

void fill(const UserEventDefinition& definition, const std::uint64_t* words, std::uint64_t* to) noexcept {
  for (std::uint8_t i = 0; i < definition.words; ++i) {
    if ((definition.texts >> i & 1) == 0) {
      *to++ = words[i];
      continue;
    }
    const char* const text = reinterpret_cast<const char*>(words[i]);
    const std::size_t length = text == nullptr ? 0 : strlen(text);
    const std::size_t kept = length < kMaxUserText ? length : kMaxUserText;
    *to++ = length;
    const std::size_t text_words = (kept + kWordBytes - 1) / kWordBytes;
    if (text_words == 0) continue;
    to[text_words - 1] = 0;  // padding
    memcpy(to, text, kept);
    to += text_words;
  }
}

}  // namespace

UserEventDefinition* define_user_event(int kind, std::string_view level, std::string_view name) noexcept {
  UserFields fields;
  fields.name = name;
  const bool is_event = kind == MERIDIAN_KIND_EVENT || kind == MERIDIAN_KIND_NUMBERS;
  if (is_event) {
    parse_user_fields(kind, name, fields);
    take_declared_fields(kind, level, fields);
  } else if (kind == MERIDIAN_KIND_COUNTER) {
    set_fields(fields, "value:f64", 1);
  } else if (kind == MERIDIAN_KIND_SEND || kind == MERIDIAN_KIND_RECEIVE) {
    set_fields(fields, "peer:i64 tag:i64 bytes:i64", 3);
  }
  const bool is_good = kind >= MERIDIAN_KIND_REGION && kind <= MERIDIAN_KIND_NUMBERS && fields.is_valid &&
                       level.size() <= kMostNameBytes && fields.name.size() <= kMostNameBytes;
  if (!is_good) return nullptr;
  const UserKind stored = is_event ? UserKind::event : static_cast<UserKind>(kind);
  const std::string_view text{fields.text, fields.bytes};
  const std::size_t bucket = hash_of(stored, level, fields.name, text);
  const Turn turn{g_turn};
  if (!turn.has_it()) return nullptr;
  for (UserEventDefinition* at = g_buckets[bucket]; at != nullptr; at = at->next_equal)
    if (at->kind == stored && at->level == level && at->name == fields.name && at->fields == text) return at;
  return make(stored, level, fields.name, fields, bucket);
}

void record_user_event_slowly(UserEventDefinition& definition, unsigned what, const std::uint64_t* words,
                              const void* frame) noexcept {
  if (*g_is_same_process == 0) return stop_in_child();
  ThreadState& thread = t_state;
  const std::uint64_t body = words_of<UserUse> + words_needed(definition, words);
  const std::uint64_t length = words_of<RecordHead> + body;
  if (!definition.is_stored.load(std::memory_order_relaxed) && store_definition(definition))
    definition.is_stored.store(true, std::memory_order_relaxed);
  const std::uint64_t room = length + 1 + (is_counting() ? kMaxCounterWords : 0);
  // Regions stay in pairs: an end is lost only together with its begin, and a lost begin is remembered.
  const bool begins = (what & kFlagBegins) != 0;
  const bool ends = (what & kFlagEnds) != 0;
  if (ends && thread.block_limit == nullptr && end_lost_region(thread)) return;
  const bool is_region_kept = ends || (begins && (thread.stacks != nullptr || !has_room_for_lost_region(thread)));
  const KeptRecord kept{thread, is_region_kept};
  std::uint64_t* at = make_room(thread, room, frame);
  if (at == nullptr || !definition.is_stored.load(std::memory_order_relaxed)) {
    // Other causes have been counted, or the session has ended.
    if (thread.block_limit != nullptr && thread.limit == nullptr) count_loss(Loss::user_nested);
    const bool is_lost = thread.slot != nullptr && thread.slot->lost.load(std::memory_order_relaxed) != 0;
    if (begins && is_lost && thread.block_limit == nullptr) begin_lost_region(thread, {definition.id, definition.call});
    if (definition.kind == UserKind::send || definition.kind == UserKind::receive) miss_call(thread);
    return;
  }
  enter_call(thread, frame);
  std::uint64_t site = 0;
  if (thread.stacks != nullptr) {
    at = note_stack(thread, room, frame);
    if (at == nullptr) return;
    site = append_site(thread, at, length);
  }
  count_point(thread);
  at[1] = at[2] = read_ticks();
  at[words_of<RecordHead>] = definition.id | (body - words_of<UserUse>) << 32;
  fill(definition, words, at + words_of<RecordHead> + words_of<UserUse>);
  std::uint64_t stored = length + words_in(site);
  std::uint64_t flags = what | site_flag(site);
  append_counters(thread, at, stored, flags);
  store_release(at[0], header_word(definition.call, Payload::user, stored, 0, flags));
  leave_call(thread, at, stored);
}

void apply_user_levels(bool recording, bool (*is_chosen)(const Choosable&) noexcept) noexcept {
  const Turn turn{g_turn};
  g_is_chosen = is_chosen;
  g_is_recording = recording;
  for (UserEventDefinition* at = g_all.load(std::memory_order_acquire); at != nullptr; at = at->next)
    set_gate(*at, is_open(*at));
}

void close_user_gates() noexcept {
  g_is_recording = false;
  for (UserEventDefinition* at = g_all.load(std::memory_order_acquire); at != nullptr; at = at->next)
    set_gate(*at, false);
}

void record_named_region(std::string_view name, unsigned what) noexcept {
  if (UserEventDefinition* const region = define_user_event(MERIDIAN_KIND_REGION, "region", name))
    if (__atomic_load_n(&region->gate.on, __ATOMIC_RELAXED) != 0) region->gate.record(&region->gate, what, nullptr);
}

namespace {

/// False: the name is too long, or there are too many.
bool remember_switch(const char* what, bool is_on) noexcept {
  const Turn turn{g_turn};
  if (!turn.has_it() || strlen(what) >= sizeof g_switches[0].what) return false;
  std::size_t to = g_switch_count;
  for (std::size_t i = 0; i < g_switch_count; ++i)
    if (strcmp(g_switches[i].what, what) == 0) to = i;
  if (to == kMostUserSwitches) return false;
  // Makes it the last one, so that it counts.
  for (std::size_t i = to; i + 1 < g_switch_count; ++i) g_switches[i] = g_switches[i + 1];
  if (to < g_switch_count) --g_switch_count;
  strcpy(g_switches[g_switch_count].what, what);
  g_switches[g_switch_count++].is_on = is_on;
  return true;
}

}  // namespace

bool is_ready_for_events() noexcept {
  const SessionState state = g_session.state.load(std::memory_order_acquire);
  if (state == SessionState::on) return true;
  const std::uint32_t asked = g_asked_early.fetch_add(1, std::memory_order_relaxed) + 1;
  if ((asked & (asked - 1)) != 0 || !start_session()) return false;
  g_asked_early.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

bool switch_user_events(const char* what, bool is_on) noexcept {
  if (!remember_switch(what, is_on)) return false;
  apply_user_levels(g_is_recording, g_is_chosen);
  return true;
}

const meridian_gate* define_for_program(int kind, const char* level, const char* name) {
  if (level == nullptr || name == nullptr) return &g_closed;
  if (!is_ready_for_events()) {
    // Permanently ended: no site asks again.
    return g_session.state.load(std::memory_order_acquire) == SessionState::off ? &g_closed : nullptr;
  }
  const std::uint32_t early = g_asked_early.exchange(0, std::memory_order_relaxed);
  if (early != 0) g_session.ring->losses[static_cast<std::size_t>(Loss::user_refused)].fetch_add(early);
  const UserEventDefinition* const definition = define_user_event(kind, level, name);
  if (definition != nullptr) return &definition->gate;
  count_loss(Loss::user_refused);
  return &g_closed;
}

void note_switch(const char* what, bool is_on) noexcept {
  UserEventDefinition* const note = define_user_event(MERIDIAN_KIND_EVENT, "meridian", "switch, text(what), i64(on)");
  const std::uint64_t words[] = {reinterpret_cast<std::uintptr_t>(what), is_on ? 1u : 0u};
  if (note != nullptr) note->gate.record(&note->gate, MERIDIAN_HAPPENED, words);
}

}  // namespace meridian
