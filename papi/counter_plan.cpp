// SPDX-License-Identifier: Apache-2.0
#include "papi/counter_plan.hpp"

#include <dlfcn.h>
#include <string.h>

#include "trace/model/nearest_name.hpp"
#include "trace/model/option_text.hpp"

namespace meridian {
namespace {

void copy(char* to, std::size_t room, std::string_view text) noexcept {
  const std::size_t length = text.size() < room - 1 ? text.size() : room - 1;
  memcpy(to, text.data(), length);
  to[length] = '\0';
}

/// The smallest distance so far, and the word that has it.
struct Nearest {
  std::string_view word;
  std::size_t distance;
  char* name;
};

void consider(const char* name, int, void* context) noexcept {
  auto& nearest = *static_cast<Nearest*>(context);
  const std::size_t distance = edit_distance(nearest.word, name);
  if (distance >= nearest.distance) return;
  nearest.distance = distance;
  copy(nearest.name, kCounterNameBytes, name);
}

void find_nearest(const PapiApi* papi, CounterRequest& request) noexcept {
  const std::string_view word{request.name};
  Nearest nearest{word, (word.size() / 3 > 1 ? word.size() / 3 : 1) + 1, request.nearest};
  for (const std::string_view name : kRusageNames) consider(name.data(), 0, &nearest);
  if (papi != nullptr) visit_events(*papi, &consider, &nearest);
}

constexpr std::string_view kSdePrefix = "sde:::";

/// Asks the libsde that the program itself uses. It also finds events that are not registered yet: the program may
/// register them later.
bool look_up_sde(CounterPlan& plan, CounterRequest& request) noexcept {
  using NameToCode = int(const char* name, std::uint32_t* code);
  auto* const name_to_code = reinterpret_cast<NameToCode*>(dlsym(RTLD_DEFAULT, "sde_ti_name_to_code"));
  plan.read_sde = reinterpret_cast<int (*)(std::uint32_t, long long*)>(dlsym(RTLD_DEFAULT, "sde_ti_read_counter"));
  if (name_to_code == nullptr || plan.read_sde == nullptr) return false;
  std::uint32_t code = 0;
  if (name_to_code(request.name + kSdePrefix.size(), &code) != 0) return false;
  request.source = CounterSource::sde;
  request.code = static_cast<int>(code);
  request.status = CounterStatus::counted;
  return true;
}

void look_up(const PapiApi* papi, const char* why, CounterRequest& request) noexcept {
  for (std::size_t i = 0; i < kRusageFields; ++i)
    if (kRusageNames[i] == request.name) {
      request.source = CounterSource::rusage;
      request.field = static_cast<RusageField>(i);
      request.status = CounterStatus::counted;
      return;
    }
  request.status = CounterStatus::unknown;
  if (starts_with(request.name, kRusagePrefix)) return find_nearest(nullptr, request);
  if (papi == nullptr) {
    request.status = CounterStatus::no_papi;
    request.why = why;
    return;
  }
  if (papi->event_name_to_code(request.name, &request.code) != kPapiOk) return find_nearest(papi, request);
  request.component = papi->get_event_component(request.code);
  request.source = CounterSource::papi;
  const int answer = papi->query_event(request.code);
  request.status = answer == kPapiOk ? CounterStatus::counted : CounterStatus::unavailable;
  if (answer != kPapiOk) request.why = "this machine does not count it";
}

void add_request(std::string_view name, CounterPlan& plan) noexcept {
  for (int i = 0; i < plan.requested; ++i)
    if (plan.requests[i].name == name) return;
  if (plan.requested == kMaxRequests) {
    plan.is_cut = true;
    return;
  }
  copy(plan.requests[plan.requested++].name, kCounterNameBytes, name);
}

void split(std::string_view list, CounterPlan& plan) noexcept {
  while (!list.empty()) {
    const std::string_view item = take_item(list, ',');
    if (item.empty() || item == "none") continue;
    if (item == "rusage") {
      for (const std::string_view name : kRusageNames) add_request(name, plan);
    } else {
      add_request(item, plan);
    }
  }
}

bool needs_papi(const CounterPlan& plan) noexcept {
  for (int i = 0; i < plan.requested; ++i)
    if (plan.requests[i].source == CounterSource::papi && !starts_with(plan.requests[i].name, kRusagePrefix))
      return true;
  return false;
}

/// Appends the values of `source`.
void add_values(CounterSource source, CounterPlan& plan) noexcept {
  for (int i = 0; i < plan.requested; ++i) {
    CounterRequest& request = plan.requests[i];
    if (request.source != source || request.status != CounterStatus::counted) continue;
    if (plan.count < static_cast<int>(kMaxCounters)) {
      plan.order[plan.count++] = i;
    } else {
      request.status = CounterStatus::too_many;
    }
  }
}

bool is_papi_of(const CounterRequest& request, int component) noexcept {
  return request.source == CounterSource::papi && request.status == CounterStatus::counted &&
         request.component == component;
}

void end_set(const PapiApi& papi, int& set) noexcept {
  if (set == kPapiNull) return;
  papi.cleanup_eventset(set);
  papi.destroy_eventset(&set);
  set = kPapiNull;
}

/// Makes a set for events of the component, multiplexed if `takes_turns`. Returns kPapiOk or PAPI's error.
int make_set(const PapiApi& papi, int component, bool takes_turns, int& set) noexcept {
  int answer = papi.create_eventset(&set);
  if (answer != kPapiOk) set = kPapiNull;
  if (answer != kPapiOk || !takes_turns) return answer;
  answer = papi.assign_eventset_component(set, component);
  if (answer == kPapiOk) answer = papi.set_multiplex(set);
  if (answer != kPapiOk) end_set(papi, set);
  return answer;
}

/// Fills one event set with those requests of `component` that can be counted together. Returns kPapiOk, or an error if
/// there are none.
int fill_set(int component, bool takes_turns, CounterPlan& plan) noexcept {
  int set = kPapiNull;
  if (plan.sets == kMaxSets) return kPapiConflict;
  int answer = make_set(*plan.papi, component, takes_turns, set);
  if (answer != kPapiOk) return answer;
  const int first = plan.count;
  for (int i = 0; i < plan.requested; ++i) {
    CounterRequest& request = plan.requests[i];
    if (!is_papi_of(request, component)) continue;
    if (plan.count == static_cast<int>(kMaxCounters)) {
      request.status = CounterStatus::too_many;
      continue;
    }
    answer = plan.papi->add_event(set, request.code);
    if (answer == kPapiOk) {
      plan.order[plan.count++] = i;
      continue;
    }
    request.status = answer == kPapiConflict ? CounterStatus::conflict : CounterStatus::unavailable;
    request.why = plan.papi->strerror(answer);
  }
  long long values[kMaxCounters];
  answer = plan.count > first ? plan.papi->start(set) : kPapiOk;
  if (plan.count > first && answer == kPapiOk) plan.papi->stop(set, values);
  end_set(*plan.papi, set);
  if (answer != kPapiOk) {
    for (int i = first; i < plan.count; ++i) {
      plan.requests[plan.order[i]].status = CounterStatus::unavailable;
      plan.requests[plan.order[i]].why = plan.papi->strerror(answer);
    }
    plan.count = first;
  }
  if (plan.count > first) {
    plan.takes_turns[plan.sets] = takes_turns;
    plan.set_first[++plan.sets] = plan.count;
  }
  return kPapiOk;
}

/// Puts those requests of `component` that can be counted together into one event set: at the same time, or multiplexed
/// if the user asked for it and some do not fit.
void plan_set(int component, CounterPlan& plan) noexcept {
  static constinit CounterPlan before, at_once;  // too large for a thread's stack; only one thread at a time makes a
                                                 // plan
  before = plan;
  const int answer = fill_set(component, false, plan);
  bool is_left_out = answer != kPapiOk;
  for (int i = 0; i < plan.requested; ++i) {
    CounterRequest& request = plan.requests[i];
    if (answer != kPapiOk && is_papi_of(request, component)) {
      request.status = CounterStatus::conflict;
      request.why = plan.papi->strerror(answer);
    }
    is_left_out |= before.requests[i].status == CounterStatus::counted && request.status == CounterStatus::conflict;
  }
  if (!is_left_out || !plan.may_take_turns) return;
  at_once = plan;
  plan = before;
  int refused = plan.papi->multiplex_init();
  if (refused == kPapiOk) refused = fill_set(component, true, plan);
  if (refused == kPapiOk && plan.sets > before.sets) return;
  plan = at_once;
  for (int i = 0; i < plan.requested; ++i)
    if (plan.requests[i].status == CounterStatus::conflict && before.requests[i].status == CounterStatus::counted)
      plan.requests[i].why = "and PAPI cannot multiplex here";
}

void append(char* text, std::size_t room, std::size_t& used, const char* piece) noexcept {
  while (*piece != '\0' && used + 1 < room) text[used++] = *piece++;
  text[used] = '\0';
}

/// Appends "a 'X', 'Y'" for all requests with this status; nothing if there are none.
void append_names(const CounterPlan& plan, CounterStatus status, const char* before, char* text, std::size_t room,
                  std::size_t& used) noexcept {
  const char* separator = used > 0 ? "; " : "";
  const char* why = "";
  for (int i = 0; i < plan.requested; ++i) {
    const CounterRequest& request = plan.requests[i];
    if (request.status != status) continue;
    append(text, room, used, separator);
    if (*separator != ',') append(text, room, used, before);
    append(text, room, used, request.name);
    if (request.nearest[0] != '\0') {
      append(text, room, used, " (did you mean ");
      append(text, room, used, request.nearest);
      append(text, room, used, "?)");
    }
    separator = ", ";
    why = request.why;
  }
  if (*why == '\0') return;
  append(text, room, used, " (");
  append(text, room, used, why);
  append(text, room, used, ")");
}

}  // namespace

bool CounterPlan::has_problems() const noexcept {
  for (int i = 0; i < requested; ++i)
    if (requests[i].status != CounterStatus::counted) return true;
  return is_cut;
}

void plan_counters(std::string_view list, bool has_fallback, CounterPlan& plan, bool may_take_turns) noexcept {
  plan = CounterPlan{};
  plan.may_take_turns = may_take_turns;
  split(list, plan);
  if (plan.requested == 0) return;
  for (int i = 0; i < plan.requested; ++i)
    if (starts_with(plan.requests[i].name, kSdePrefix)) look_up_sde(plan, plan.requests[i]);
  const char* why = "";
  const PapiApi* const papi = needs_papi(plan) ? load_papi(why) : nullptr;
  plan.papi = papi;
  for (int i = 0; i < plan.requested; ++i)
    if (plan.requests[i].source == CounterSource::papi) look_up(papi, why, plan.requests[i]);
  const int components = papi != nullptr ? papi->num_components() : 0;
  for (int c = 0; c < components; ++c)
    for (int i = 0; i < plan.requested; ++i)
      if (is_papi_of(plan.requests[i], c)) {
        plan_set(c, plan);
        break;
      }
  if (plan.sets == 0) plan.papi = nullptr;
  add_values(CounterSource::sde, plan);
  plan.sde_count = plan.count - plan.set_first[plan.sets];
  add_values(CounterSource::rusage, plan);
  if (plan.count > 0 || !has_fallback) return;
  plan.is_fallback = true;
  for (std::size_t i = 0; i < kRusageFields && plan.requested < kMaxRequests; ++i) {
    CounterRequest& request = plan.requests[plan.requested];
    copy(request.name, kCounterNameBytes, kRusageNames[i]);
    request.source = CounterSource::rusage;
    request.field = static_cast<RusageField>(i);
    plan.order[plan.count++] = plan.requested++;
  }
}

void describe_problems(const CounterPlan& plan, char* text, std::size_t room) noexcept {
  std::size_t used = 0;
  text[0] = '\0';
  append_names(plan, CounterStatus::unknown, "there is no event ", text, room, used);
  append_names(plan, CounterStatus::no_papi, "PAPI cannot be used for ", text, room, used);
  append_names(plan, CounterStatus::unavailable, "cannot count ", text, room, used);
  append_names(plan, CounterStatus::conflict, "cannot count at the same time ", text, room, used);
  append_names(plan, CounterStatus::too_many, "more than 16 counters: without ", text, room, used);
  if (plan.is_cut) append(text, room, used, used > 0 ? "; the list is too long" : "the list is too long");
  append(text, room, used, plan.count == 0 ? "; nothing is counted" : "; counting ");
  list_counters(plan, false, text + used, room - used);
  used += strlen(text + used);
  if (plan.is_fallback) append(text, room, used, " instead");
}

void list_counters(const CounterPlan& plan, bool units, char* text, std::size_t room) noexcept {
  std::size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < plan.count; ++i) {
    if (i > 0) append(text, room, used, ",");
    append(text, room, used, units ? counter_unit(plan.at(i).name).data() : plan.at(i).name);
  }
}

bool CounterPlan::has_estimates() const noexcept {
  for (int s = 0; s < sets; ++s)
    if (takes_turns[s]) return true;
  return false;
}

void list_estimates(const CounterPlan& plan, char* text, std::size_t room) noexcept {
  std::size_t used = 0;
  text[0] = '\0';
  for (int s = 0; s < plan.sets; ++s)
    for (int i = plan.set_first[s]; plan.takes_turns[s] && i < plan.set_first[s + 1]; ++i) {
      if (used > 0) append(text, room, used, ",");
      append(text, room, used, plan.at(i).name);
    }
}

bool start_sets(const CounterPlan& plan, int* sets, const char*& why) noexcept {
  for (int s = 0; s < kMaxSets; ++s) sets[s] = kPapiNull;
  for (int s = 0; s < plan.sets; ++s) {
    int answer = make_set(*plan.papi, plan.at(plan.set_first[s]).component, plan.takes_turns[s], sets[s]);
    for (int i = plan.set_first[s]; answer == kPapiOk && i < plan.set_first[s + 1]; ++i)
      answer = plan.papi->add_event(sets[s], plan.at(i).code);
    if (answer == kPapiOk) answer = plan.papi->start(sets[s]);
    if (answer == kPapiOk) continue;
    why = plan.papi->strerror(answer);
    stop_sets(plan, sets);
    return false;
  }
  return true;
}

void stop_sets(const CounterPlan& plan, int* sets) noexcept {
  long long values[kMaxCounters];
  for (int s = 0; s < plan.sets; ++s) {
    if (sets[s] == kPapiNull) continue;
    plan.papi->stop(sets[s], values);
    plan.papi->cleanup_eventset(sets[s]);
    plan.papi->destroy_eventset(&sets[s]);
    sets[s] = kPapiNull;
  }
  if (plan.papi != nullptr) plan.papi->unregister_thread();
}

void visit_events(const PapiApi& papi, void (*visit)(const char* name, int code, void* context),
                  void* context) noexcept {
  char name[kPapiNameBytes];
  const auto tell = [&](int code) {
    name[0] = '\0';
    if (papi.event_code_to_name(code, name) == kPapiOk && name[0] != '\0') visit(name, code, context);
  };
  int code = kPapiPresetMask;
  for (int step = kPapiEnumFirst; papi.enum_event(&code, step) == kPapiOk; step = kPapiEnumEvents) tell(code);
  const int components = papi.num_components();
  for (int c = 0; c < components; ++c) {
    code = kPapiNativeMask;
    for (int step = kPapiEnumFirst; papi.enum_cmp_event(&code, step, c) == kPapiOk; step = kPapiEnumEvents) tell(code);
  }
}

}  // namespace meridian
