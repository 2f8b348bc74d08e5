// SPDX-License-Identifier: Apache-2.0
#pragma once

// Written by generate_trampolines.py, used by count_calls.c.

struct CounterEntry {
  const char* symbol;
  unsigned number;  ///< in counter_names
  void* next;       ///< the definition behind this library's, once it has been looked up
};

extern const char* const counter_names[];
extern const unsigned counter_name_count;
extern struct CounterEntry counter_entries[];

/// The instructions of a trampoline; count_calls.c has what they jump to.
#if defined(__aarch64__)
#define COUNTER_ENTER(position) "bti c\nmov w16, #" position "\nb counter_trampoline\n"
#else
#define COUNTER_ENTER(position) "endbr64\nmovl $" position ", %r11d\njmp counter_trampoline\n"
#endif
