/* SPDX-License-Identifier: Apache-2.0 */
/* User events: a program's own events in its trace, besides its MPI calls. C99 and C++11, GCC or clang.
 *
 *   MERIDIAN_REGION("solve");                             from here to the end of the block
 *   MERIDIAN_REGION_BEGIN("io"); ... MERIDIAN_REGION_END("io");   in one thread, properly nested
 *   MERIDIAN_MARKER("restart");                           a moment
 *   MERIDIAN_COUNTER("residual", value);                  a double that changes
 *   MERIDIAN_EVENT(pool, STEAL_REQUEST, i64(thief), i64(victim));   a moment with up to 8 values: i64, u64, f64, text
 *   MERIDIAN_FIRE(pool, STEAL_REQUEST, thief, victim);    the same with integers that the definition file names
 *   MERIDIAN_SEND("queue", peer, tag, bytes);             a message of the program's own communication layer; peers are
 *   MERIDIAN_RECV("queue", peer, tag, bytes);             ranks of MPI_COMM_WORLD; equal tags do not overtake
 *   MERIDIAN_OFF(); MERIDIAN_ON();                        stops and starts recording, MPI calls included
 *   MERIDIAN_LEVEL_OFF("pool"); MERIDIAN_LEVEL_ON("pool.STEAL*");   the same for levels and user events
 *
 * Names are literals. Nothing has to be linked (glibc before 2.34: -ldl). Without the tracer each line costs two loads
 * and two branches that are always predicted correctly. -DMERIDIAN_DISABLE compiles all of it out. */
#ifndef MERIDIAN_USER_H
#define MERIDIAN_USER_H

#include <stdint.h>

#define MERIDIAN_CAT2_(a, b) a##b
#define MERIDIAN_CAT_(a, b) MERIDIAN_CAT2_(a, b)

/* The values of an event, as 64-bit words. i64(x) in MERIDIAN_EVENT becomes MERIDIAN_FIELD_i64(x). */
#define MERIDIAN_FIELD_i64(value) ((uint64_t)(int64_t)(value))
#define MERIDIAN_FIELD_u64(value) ((uint64_t)(value))
#define MERIDIAN_FIELD_f64(value) meridian_word_of_(value)
#define MERIDIAN_FIELD_text(value) ((uint64_t)(uintptr_t)(const char*)(value))

#define MERIDIAN_WORDS_1_(name) 0
#define MERIDIAN_WORDS_2_(name, a) MERIDIAN_FIELD_##a
#define MERIDIAN_WORDS_3_(name, a, b) MERIDIAN_FIELD_##a, MERIDIAN_FIELD_##b
#define MERIDIAN_WORDS_4_(name, a, b, c) MERIDIAN_WORDS_3_(name, a, b), MERIDIAN_FIELD_##c
#define MERIDIAN_WORDS_5_(name, a, b, c, d) MERIDIAN_WORDS_3_(name, a, b), MERIDIAN_FIELD_##c, MERIDIAN_FIELD_##d
#define MERIDIAN_WORDS_6_(name, a, b, c, d, e) MERIDIAN_WORDS_5_(name, a, b, c, d), MERIDIAN_FIELD_##e
#define MERIDIAN_WORDS_7_(name, a, b, c, d, e, f) \
  MERIDIAN_WORDS_5_(name, a, b, c, d), MERIDIAN_FIELD_##e, MERIDIAN_FIELD_##f
#define MERIDIAN_WORDS_8_(name, a, b, c, d, e, f, g) MERIDIAN_WORDS_7_(name, a, b, c, d, e, f), MERIDIAN_FIELD_##g
#define MERIDIAN_WORDS_9_(name, a, b, c, d, e, f, g, h) \
  MERIDIAN_WORDS_7_(name, a, b, c, d, e, f), MERIDIAN_FIELD_##g, MERIDIAN_FIELD_##h

#define MERIDIAN_NUMBERS_1_(name) 0
#define MERIDIAN_NUMBERS_2_(name, a) MERIDIAN_FIELD_i64(a)
#define MERIDIAN_NUMBERS_3_(name, a, b) MERIDIAN_FIELD_i64(a), MERIDIAN_FIELD_i64(b)
#define MERIDIAN_NUMBERS_4_(name, a, b, c) MERIDIAN_NUMBERS_3_(name, a, b), MERIDIAN_FIELD_i64(c)
#define MERIDIAN_NUMBERS_5_(name, a, b, c, d) MERIDIAN_NUMBERS_4_(name, a, b, c), MERIDIAN_FIELD_i64(d)
#define MERIDIAN_NUMBERS_6_(name, a, b, c, d, e) MERIDIAN_NUMBERS_5_(name, a, b, c, d), MERIDIAN_FIELD_i64(e)
#define MERIDIAN_NUMBERS_7_(name, a, b, c, d, e, f) MERIDIAN_NUMBERS_6_(name, a, b, c, d, e), MERIDIAN_FIELD_i64(f)
#define MERIDIAN_NUMBERS_8_(name, a, b, c, d, e, f, g) \
  MERIDIAN_NUMBERS_7_(name, a, b, c, d, e, f), MERIDIAN_FIELD_i64(g)
#define MERIDIAN_NUMBERS_9_(name, a, b, c, d, e, f, g, h) \
  MERIDIAN_NUMBERS_8_(name, a, b, c, d, e, f, g), MERIDIAN_FIELD_i64(h)

#define MERIDIAN_TENTH_(a, b, c, d, e, f, g, h, i, j, ...) j
#define MERIDIAN_HOW_MANY_(...) MERIDIAN_TENTH_(__VA_ARGS__, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define MERIDIAN_SPREAD_(prefix, ...) \
  MERIDIAN_CAT_(MERIDIAN_CAT_(prefix, MERIDIAN_HOW_MANY_(__VA_ARGS__)), _)(__VA_ARGS__)

#define MERIDIAN_EVENT(level, ...)                                               \
  MERIDIAN_RECORD_(MERIDIAN_KIND_EVENT, #level, #__VA_ARGS__, MERIDIAN_HAPPENED, \
                   MERIDIAN_SPREAD_(MERIDIAN_WORDS_, __VA_ARGS__))
#define MERIDIAN_FIRE(level, ...)                                                  \
  MERIDIAN_RECORD_(MERIDIAN_KIND_NUMBERS, #level, #__VA_ARGS__, MERIDIAN_HAPPENED, \
                   MERIDIAN_SPREAD_(MERIDIAN_NUMBERS_, __VA_ARGS__))
#define MERIDIAN_MARKER(text) MERIDIAN_RECORD_(MERIDIAN_KIND_MARKER, "marker", "" text, MERIDIAN_HAPPENED, 0)
#define MERIDIAN_COUNTER(name, value) \
  MERIDIAN_RECORD_(MERIDIAN_KIND_COUNTER, "counter", "" name, MERIDIAN_HAPPENED, MERIDIAN_FIELD_f64(value))
#define MERIDIAN_SEND(layer, peer, tag, bytes) \
  MERIDIAN_RECORD_(MERIDIAN_KIND_SEND, "message", "" layer, MERIDIAN_HAPPENED, MERIDIAN_NUMBERS_4_(~, peer, tag, bytes))
#define MERIDIAN_RECV(layer, peer, tag, bytes)                                    \
  MERIDIAN_RECORD_(MERIDIAN_KIND_RECEIVE, "message", "" layer, MERIDIAN_HAPPENED, \
                   MERIDIAN_NUMBERS_4_(~, peer, tag, bytes))
#define MERIDIAN_REGION_BEGIN(name) MERIDIAN_RECORD_(MERIDIAN_KIND_REGION, "region", "" name, MERIDIAN_BEGINS, 0)
#define MERIDIAN_REGION_END(name) MERIDIAN_RECORD_(MERIDIAN_KIND_REGION, "region", "" name, MERIDIAN_ENDS, 0)

#define MERIDIAN_ON() MERIDIAN_SET_(0, 1)
#define MERIDIAN_OFF() MERIDIAN_SET_(0, 0)
#define MERIDIAN_LEVEL_ON(what) MERIDIAN_SET_(what, 1)
#define MERIDIAN_LEVEL_OFF(what) MERIDIAN_SET_(what, 0)

/* Hidden: a shared object that exports one of these functions could not be unloaded. */
#ifdef __cplusplus
#define MERIDIAN_INLINE_ inline __attribute__((visibility("hidden"), no_instrument_function))
#define MERIDIAN_COLD_ inline __attribute__((visibility("hidden"), cold, noinline, no_instrument_function))
#else
#define MERIDIAN_INLINE_ static inline __attribute__((unused, no_instrument_function))
#define MERIDIAN_COLD_ static __attribute__((unused, cold, noinline, no_instrument_function))
#endif

/* The bit pattern of a double. */
MERIDIAN_INLINE_ uint64_t meridian_word_of_(double value) {
  uint64_t word;
  __builtin_memcpy(&word, &value, sizeof word);
  return word;
}

#ifdef MERIDIAN_DISABLE

/* The values are compiled, so that no variable becomes unused, but never evaluated. */
#define MERIDIAN_RECORD_(kind, level, name, what, ...)  \
  do {                                                  \
    if (0) {                                            \
      const uint64_t meridian_words_[] = {__VA_ARGS__}; \
      (void)meridian_words_;                            \
    }                                                   \
  } while (0)
#define MERIDIAN_SET_(what, on) ((void)0)
#define MERIDIAN_REGION(name) ((void)sizeof("" name))

#else

#include <dlfcn.h>

#include <meridian/user_abi.h>

/* One call site of a user event. All zero until it is reached for the first time. */
struct meridian_site_ {
  const struct meridian_gate* gate;
  struct meridian_gate closed; /* `gate` points here without a tracer; lives as long as the site */
};

/* Looks for the tracer and the gate of this definition; called once per site. */
MERIDIAN_INLINE_ const struct meridian_user_api* meridian_user_api_(void) {
  /* The null handle is RTLD_DEFAULT: all loaded objects. */
  return (const struct meridian_user_api*)dlsym((void*)0, MERIDIAN_USER_SYMBOL);
}

MERIDIAN_COLD_ const struct meridian_gate* meridian_user_ask_(struct meridian_site_* site, int kind, const char* level,
                                                              const char* name) {
  const struct meridian_user_api* const api = meridian_user_api_();
  const struct meridian_gate* const gate = api != 0 ? api->define(kind, level, name) : &site->closed;
  __atomic_store_n(&site->gate, gate, __ATOMIC_RELEASE);
  return gate != 0 ? gate : &site->closed;
}

MERIDIAN_COLD_ void meridian_user_set_(const char* what, int on) {
  const struct meridian_user_api* const api = meridian_user_api_();
  if (api != 0) api->set(what, on);
}
#define MERIDIAN_SET_(what, on) meridian_user_set_(what, on)

/* `result` becomes the gate of `site`, which belongs to one definition permanently. */
#define MERIDIAN_ASK_(result, site, kind, level, name)                                   \
  const struct meridian_gate* result = __atomic_load_n(&(site)->gate, __ATOMIC_ACQUIRE); \
  if (__builtin_expect(result == 0, 0)) result = meridian_user_ask_(site, kind, level, name)
#define MERIDIAN_IS_OPEN_(gate) __builtin_expect(__atomic_load_n(&(gate)->on, __ATOMIC_RELAXED) != 0, 0)

#define MERIDIAN_RECORD_(kind, level, name, what, ...)                 \
  do {                                                                 \
    static struct meridian_site_ meridian_here_;                       \
    MERIDIAN_ASK_(meridian_gate_, &meridian_here_, kind, level, name); \
    if (MERIDIAN_IS_OPEN_(meridian_gate_)) {                           \
      const uint64_t meridian_words_[] = {__VA_ARGS__};                \
      meridian_gate_->record(meridian_gate_, what, meridian_words_);   \
    }                                                                  \
  } while (0)

/* A region that has begun in the trace also ends in it, even if recording was switched off in between. */
MERIDIAN_INLINE_ const struct meridian_gate* meridian_region_begin_(struct meridian_site_* site, const char* name) {
  MERIDIAN_ASK_(gate, site, MERIDIAN_KIND_REGION, "region", name);
  if (!MERIDIAN_IS_OPEN_(gate)) return 0;
  gate->record(gate, MERIDIAN_BEGINS, 0);
  return gate;
}

#ifdef __cplusplus

class __attribute__((visibility("hidden"))) meridian_region_ {
 public:
  meridian_region_(struct meridian_site_* site, const char* name) : gate_(meridian_region_begin_(site, name)) {}
  ~meridian_region_() {
    if (__builtin_expect(gate_ != 0, 0)) gate_->record(gate_, MERIDIAN_ENDS, 0);
  }
  meridian_region_(const meridian_region_&) = delete;
  meridian_region_& operator=(const meridian_region_&) = delete;

 private:
  const struct meridian_gate* const gate_;
};
#define MERIDIAN_REGION(name)                                           \
  static struct meridian_site_ MERIDIAN_CAT_(meridian_here_, __LINE__); \
  const meridian_region_ MERIDIAN_CAT_(meridian_region_, __LINE__)(&MERIDIAN_CAT_(meridian_here_, __LINE__), "" name)

#else

MERIDIAN_INLINE_ void meridian_region_end_(const struct meridian_gate* const* gate) {
  if (__builtin_expect(*gate != 0, 0)) (*gate)->record(*gate, MERIDIAN_ENDS, 0);
}
#define MERIDIAN_REGION(name)                                                 \
  static struct meridian_site_ MERIDIAN_CAT_(meridian_here_, __LINE__);       \
  const struct meridian_gate* const MERIDIAN_CAT_(meridian_region_, __LINE__) \
      __attribute__((cleanup(meridian_region_end_), unused)) =                \
          meridian_region_begin_(&MERIDIAN_CAT_(meridian_here_, __LINE__), "" name)

#endif
#endif /* MERIDIAN_DISABLE */
#endif
