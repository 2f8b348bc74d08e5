// SPDX-License-Identifier: Apache-2.0
#pragma once

// A program that knows where its MPI calls are: each is written as AT("name", call), on one line. At the end every rank
// prints a line for each place: "site FUNCTION CALLER FILE LINE COUNT".

#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { kMaxPlaces = 64 };
struct place {
  const char *function, *caller, *file;
  int line, count;
};
extern struct place g_places[kMaxPlaces];
extern int g_place_count;

static inline void note(const char* function, const char* caller, const char* file, int line) {
  for (int i = 0; i < g_place_count; ++i)
    if (g_places[i].line == line && strcmp(g_places[i].file, file) == 0 && strcmp(g_places[i].caller, caller) == 0) {
      ++g_places[i].count;
      return;
    }
  g_places[g_place_count++] = (struct place){function, caller, file, line, 1};
}

#define AT(function, call) (note(function, __func__, __FILE__, __LINE__), (call))

/// In the shared library; `deep` more calls of its own around the barrier.
void library_barrier(int deep);
/// Sends itself a message through a pointer to a function that the library has.
void library_exchange(void (*give)(int));
