/* SPDX-License-Identifier: Apache-2.0 */
/* Stands for the part of the ITT API that programs link: it loads the library that INTEL_LIBITTNOTIFY64 names and has its list of
   functions filled in. 3 tasks "solve" around one "assemble" each. itt */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  unsigned long long words[3];
} Id;
typedef struct {
  const char* text;
} StringHandle;
typedef struct {
  const char* name;
  void** function;
  void* init_function;
  void* null_function;
  int group;
} ApiInfo;
typedef struct {
  unsigned char magic[8];
  unsigned long version[3];
  volatile long counters[3];
  pthread_mutex_t mutex;
  void* library;
  void* error_handler;
  const char** library_path;
  ApiInfo* functions;
  void* rest[8];
} Global;

static void do_nothing(void) {}
static void* create(const char* name) { return (void*)(size_t)name; }
static void *task_begin = (void*)(size_t)do_nothing, *task_end = (void*)(size_t)do_nothing,
            *domain_create = (void*)(size_t)create, *metadata_add = NULL;
static ApiInfo functions[] = {{"__itt_task_begin", &task_begin, NULL, (void*)(size_t)do_nothing, 1},
                              {"__itt_task_end", &task_end, NULL, (void*)(size_t)do_nothing, 1},
                              {"__itt_domain_create", &domain_create, NULL, NULL, 1},
                              {"__itt_metadata_add", &metadata_add, NULL, (void*)(size_t)do_nothing, 1},
                              {NULL, NULL, NULL, NULL, 0}};
static Global global = {.mutex = PTHREAD_MUTEX_INITIALIZER, .functions = functions};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* const path = getenv("INTEL_LIBITTNOTIFY64");
  void* const library = path != NULL ? dlopen(path, RTLD_LAZY) : NULL;
  if (library != NULL) ((void (*)(Global*, int))dlsym(library, "__itt_api_init"))(&global, -1);
  void (*const begin)(const void*, Id, Id, const StringHandle*) =
      (void (*)(const void*, Id, Id, const StringHandle*))task_begin;
  void (*const end)(const void*) = (void (*)(const void*))task_end;
  const StringHandle solve = {"solve"}, assemble = {"assemble"};
  const Id none = {{0, 0, 0}};
  for (int step = 0; step < 3; ++step) {
    begin(NULL, none, none, &solve);
    begin(NULL, none, none, &assemble);
    end(NULL);
    end(NULL);
  }
  if (rank == 0)
    printf("%d %d\n", domain_create == (void*)(size_t)create,
           library == NULL || metadata_add == (void*)(size_t)do_nothing);
  MPI_Finalize();
  return 0;
}
