// SPDX-License-Identifier: Apache-2.0
#pragma once

// A program that knows how it came to its MPI calls: each is written as CALL("name", call). What backtrace() of the C
// library says just before it goes to the file PATHS_DIR/<process id>: "FUNCTION ADDRESS...", innermost first, from the
// caller of note_path() on.

#ifdef __cplusplus
extern "C" {
#endif

void note_path(const char* function);
/// Calls what it is given; compiled without unwind information.
void blind(void (*call)(void));
/// In the shared library: calls `deep` levels further down.
void library_call(int deep, void (*call)(void));

#ifdef __cplusplus
}
#endif

#define CALL(function, call) (note_path(function), (call))
#define KEEP __asm__ volatile("" : : : "memory")  // without it the call before would be a tail call
