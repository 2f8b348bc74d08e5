// SPDX-License-Identifier: Apache-2.0
// A PAPI whose values are known. LD_LIBRARY_PATH selects it in place of the machine's own, because it has the name of the
// newest version. The n-th reading of a thread gives n times the event's step. It has two counters, like a small PMU, and
// multiplexes more. FAKE_PAPI=mismatch: it does not accept its own version; refused: no event can be started; no_turns:
// multiplexing is refused.
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { kEvents = 5, kRoom = 2, kTurns = 4, kSets = 4096, kPreset = (int)0x80000000 };
enum { kOk = 0, kInvalid = -1, kNoEvent = -7, kConflict = -8, kRefused = -15 };

static const char* const names[kEvents] = {"PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_L2_TCM", "PAPI_L2_TCA", "PAPI_FP_OPS"};
static const long long steps[kEvents] = {1000, 500, 7, 70, 0};  // step 0: in the table, but not on this machine

struct Set {
  int count;
  int room;
  int events[kTurns];
  long long readings;
};
static struct Set sets[kSets];
static int made;

static int is_mode(const char* mode) {
  const char* const wanted = getenv("FAKE_PAPI");
  return wanted != NULL && strcmp(wanted, mode) == 0;
}

EXPORT int PAPI_library_init(int version) { return is_mode("mismatch") ? kInvalid : version; }
EXPORT int PAPI_is_initialized(void) { return 1; }
EXPORT int PAPI_thread_init(unsigned long (*thread_id)(void)) { return thread_id != NULL ? kOk : kInvalid; }
EXPORT int PAPI_unregister_thread(void) { return kOk; }
EXPORT int PAPI_num_components(void) { return 1; }
EXPORT const void* PAPI_get_component_info(int component) {
  static const char name[4096] = "fake";
  return component == 0 ? name : NULL;
}
EXPORT int PAPI_num_cmp_hwctrs(int component) { return component == 0 ? kRoom : 0; }
EXPORT int PAPI_get_event_component(int code) { return code < 0 ? 0 : kInvalid; }
EXPORT const char* PAPI_strerror(int code) {
  return code == kConflict  ? "Event exists, but cannot be counted due to hardware resource limits"
         : code == kRefused ? "Permission level does not permit operation"
                            : "Event does not exist";
}

EXPORT int PAPI_event_name_to_code(const char* name, int* code) {
  for (int i = 0; i < kEvents; ++i)
    if (strcmp(name, names[i]) == 0) {
      *code = kPreset | i;
      return kOk;
    }
  return kNoEvent;
}
EXPORT int PAPI_event_code_to_name(int code, char* name) {
  const int i = code & 0xff;
  if (code >= 0 || i >= kEvents) return kNoEvent;
  strcpy(name, names[i]);
  return kOk;
}
EXPORT int PAPI_get_event_info(int code, void* info) {
  memcpy(info, &code, sizeof code);
  strcpy((char*)info + 4, names[code & 0xff]);
  strcpy((char*)info + 4 + 1024, "short");
  strcpy((char*)info + 4 + 1024 + 64, "An event of which every value is known");
  return kOk;
}
EXPORT int PAPI_query_event(int code) { return steps[code & 0xff] != 0 ? kOk : kNoEvent; }
EXPORT int PAPI_enum_event(int* code, int modifier) {
  if (*code >= 0) return kNoEvent;
  if (modifier == 1) return kOk;
  if ((*code & 0xff) + 1 >= kEvents) return kNoEvent;
  ++*code;
  return kOk;
}
EXPORT int PAPI_enum_cmp_event(int* code, int modifier, int component) {
  (void)code, (void)modifier, (void)component;
  return kNoEvent;
}

EXPORT int PAPI_create_eventset(int* set) {
  *set = __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED) % kSets;
  memset(&sets[*set], 0, sizeof sets[*set]);
  sets[*set].room = kRoom;
  return kOk;
}
EXPORT int PAPI_add_event(int set, int code) {
  if (steps[code & 0xff] == 0) return kNoEvent;
  if (sets[set].count == sets[set].room) return kConflict;
  sets[set].events[sets[set].count++] = code & 0xff;
  return kOk;
}
EXPORT int PAPI_multiplex_init(void) { return is_mode("no_turns") ? kRefused : kOk; }
EXPORT int PAPI_assign_eventset_component(int set, int component) {
  return set >= 0 && component == 0 ? kOk : kInvalid;
}
EXPORT int PAPI_set_multiplex(int set) {
  sets[set].room = kTurns;
  return kOk;
}
EXPORT int PAPI_start(int set) {
  sets[set].readings = 0;
  return is_mode("refused") ? kRefused : kOk;
}
EXPORT int PAPI_read(int set, long long* values) {
  ++sets[set].readings;
  for (int i = 0; i < sets[set].count; ++i) values[i] = sets[set].readings * steps[sets[set].events[i]];
  return kOk;
}
EXPORT int PAPI_stop(int set, long long* values) { return PAPI_read(set, values); }
EXPORT int PAPI_cleanup_eventset(int set) {
  sets[set].count = 0;
  return kOk;
}
EXPORT int PAPI_destroy_eventset(int* set) {
  *set = -1;
  return kOk;
}
