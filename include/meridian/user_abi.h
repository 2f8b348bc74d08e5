/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between <meridian/user.h>, its Fortran module and the tracer. Programs include <meridian/user.h>.
 *
 * A program asks the dynamic linker for MERIDIAN_USER_SYMBOL at the first user event: nothing has to be linked, and a
 * missing symbol means that the program is not traced. A struct here grows only at its end; other changes need a new
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

/* The kind of occurrence. */
enum { MERIDIAN_HAPPENED = 0, MERIDIAN_BEGINS = 64, MERIDIAN_ENDS = 128 };

/* One definition in the tracer; lives as long as the process. */
struct meridian_gate {
  unsigned char on; /* 0: not recorded, record() need not be called. Changes at any time */
  /* words: one for each field; for a text the address of its zero-terminated characters. */
  void (*record)(const struct meridian_gate* gate, unsigned what, const uint64_t* words);
};

struct meridian_user_api {
  uint32_t bytes; /* of this struct */
  uint32_t reserved;
  /* The gate of this definition; equal definitions have the same gate. Null: ask again later. */
  const struct meridian_gate* (*define)(int kind, const char* level, const char* name);
  /* Switches recording on or off: of everything (what is null), a level ("pool") or an event ("pool.STEAL"), with * and
     ?. */
  void (*set)(const char* what, int on);
};

#ifdef __cplusplus
}
#endif
#endif
