/* SPDX-License-Identifier: Apache-2.0 */
/* What <meridian/user.h>, its Fortran module and the tracer agree on. Programs include <meridian/user.h>.
 *
 * A program finds the tracer by asking the dynamic linker for MERIDIAN_USER_SYMBOL when it needs it first: nothing to
 * link with, and nothing found is the answer "not traced". A struct here grows at its end only; what cannot, gets a new
 * symbol. */
#ifndef MERIDIAN_USER_ABI_H
#define MERIDIAN_USER_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MERIDIAN_USER_SYMBOL "meridian_user_1"

/* Kinds of definitions. */
enum {
  MERIDIAN_KIND_REGION = 1,
  MERIDIAN_KIND_MARKER = 2,
  MERIDIAN_KIND_EVENT = 3,   /* name: "NAME" or "NAME, type(field), ..." with i64, u64, f64 or text as type */
  MERIDIAN_KIND_COUNTER = 4, /* one word: a double */
  MERIDIAN_KIND_SEND = 5,    /* three words: peer, tag, bytes */
  MERIDIAN_KIND_RECEIVE = 6,
  MERIDIAN_KIND_NUMBERS = 7 /* an event of 64-bit integers whose fields the definition file names: "NAME, value, ..." */
};

/* What happened. */
enum { MERIDIAN_HAPPENED = 0, MERIDIAN_BEGINS = 64, MERIDIAN_ENDS = 128 };

/* One definition as the tracer keeps it; lives as long as the process. */
struct meridian_gate {
  unsigned char on; /* 0: nobody wants it, record() need not be called. Changes at any time */
  /* words: one for each field; a text's is the address of its characters, which end with a zero. */
  void (*record)(const struct meridian_gate* gate, unsigned what, const uint64_t* words);
};

struct meridian_user_api {
  uint32_t bytes; /* of this struct */
  uint32_t reserved;
  /* The gate of this definition, equal ones have one. Null: ask again later. */
  const struct meridian_gate* (*define)(int kind, const char* level, const char* name);
  /* Recording on or off: of everything (what is null), a level ("pool") or an event ("pool.STEAL"), with * and ?. */
  void (*set)(const char* what, int on);
};

#ifdef __cplusplus
}
#endif
#endif
