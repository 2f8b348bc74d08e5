// SPDX-License-Identifier: Apache-2.0
// Finds the MPI library of this process.

#include "pmpi/libraries/real.hpp"

#include <dlfcn.h>
#include <string.h>

#include "pmpi/libraries/flavor.hpp"
#include "pmpi/libraries/interface.hpp"
#include "pmpi/libraries/library_objects.hpp"

namespace meridian {

constinit Real g_real{};
constinit Real g_next{};
constinit MpiConstants g_mpi{};

namespace {

/// Used if this process has no such function. Because the tracer is preloaded, a program that tests for MPI (a weak
/// symbol, dlsym) finds our wrappers even without MPI: they must then return an error.
int no_such_call() noexcept { return MPI_ERR_OTHER; }
int answer_no(int* flag) noexcept {
  if (flag != nullptr) *flag = 0;
  return MPI_SUCCESS;
}

template <class Function>
void resolve(Function*& slot, void* scope, const char* name) noexcept {
  void* const found = dlsym(scope, name);
  slot = reinterpret_cast<Function*>(found != nullptr ? found : reinterpret_cast<void*>(&no_such_call));
}

/// Whether `next` belongs to neither the MPI library nor a tracer of ours.
bool is_of_tool(const void* next, const Library& library) noexcept {
  Dl_info where{};
  Dl_info mpi{};
  if (library.init == nullptr || dladdr(next, &where) == 0 || where.dli_fname == nullptr) return false;
  if (dladdr(library.init, &mpi) != 0 && where.dli_fbase == mpi.dli_fbase) return false;
  return strstr(where.dli_fname, "/libmeridian.so") == nullptr;
}

/// Usually MPI_X is another name of the library's PMPI_X, and nothing else has to be asked.
template <class Function>
void resolve_next(Function*& slot, Function* real, const Library& library, const char* name) noexcept {
  void* const next = dlsym(RTLD_NEXT, name);
  const bool is_tool = next != nullptr && next != reinterpret_cast<void*>(real) && is_of_tool(next, library);
  slot = is_tool ? reinterpret_cast<Function*>(next) : real;
}

#ifdef OPEN_MPI
template <class Handle>
bool resolve_constant(Handle& slot, void* scope, const char* name) noexcept {
  slot = reinterpret_cast<Handle>(dlsym(scope, name));
  return slot != nullptr;
}

bool find_constants(void* scope) noexcept {
  // An executable may hold copies of these objects: the global scope finds the one in use.
  return resolve_constant(g_mpi.world, scope, "ompi_mpi_comm_world") &&
         resolve_constant(g_mpi.self, scope, "ompi_mpi_comm_self") &&
         resolve_constant(g_mpi.comm_null, scope, "ompi_mpi_comm_null") &&
         resolve_constant(g_mpi.request_null, scope, "ompi_request_null") &&
         resolve_constant(g_mpi.datatype_null, scope, "ompi_mpi_datatype_null") &&
         resolve_constant(g_mpi.group_null, scope, "ompi_mpi_group_null") &&
         resolve_constant(g_mpi.byte, scope, "ompi_mpi_byte") &&
         resolve_constant(g_mpi.uint64, scope, "ompi_mpi_uint64_t") &&
         resolve_constant(g_mpi.min, scope, "ompi_mpi_op_min") &&
         resolve_constant(g_mpi.win_null, scope, "ompi_mpi_win_null") &&
         resolve_constant(g_mpi.file_null, scope, "ompi_mpi_file_null") &&
         resolve_constant(g_mpi.message_no_proc, scope, "ompi_message_no_proc") &&
         resolve_constant(g_mpi.errors_return, scope, "ompi_mpi_errors_return") &&
         resolve_constant(g_mpi.info_null, scope, "ompi_mpi_info_null");
}
#else
bool find_constants(void*) noexcept {
  g_mpi = {MPI_COMM_WORLD,   MPI_COMM_SELF,     MPI_COMM_NULL, MPI_REQUEST_NULL, MPI_DATATYPE_NULL, MPI_GROUP_NULL,
           MPI_BYTE,         MPI_UINT64_T,      MPI_MIN,       MPI_WIN_NULL,     MPI_FILE_NULL,     MPI_MESSAGE_NO_PROC,
           MPI_MESSAGE_NULL, MPI_ERRORS_RETURN, MPI_INFO_NULL};
  return true;
}
#endif

}  // namespace

bool find_mpi() noexcept {
  const Library library = find_library();
  void* const scope = library.scope;
#define MERIDIAN_CALL_AS(type, name, group, params, args, recorded)            \
  MERIDIAN_IF(MERIDIAN_HAS_##name, resolve(g_real.name, scope, "PMPI_" #name); \
              resolve_next(g_next.name, g_real.name, library, "MPI_" #name);)
#include "trace/model/mpi_calls.def"
  if (library.init == nullptr) {
    g_real.Initialized = &answer_no;
    g_real.Finalized = &answer_no;
    g_next.Initialized = g_real.Initialized;
    g_next.Finalized = g_real.Finalized;
    return false;
  }
  note_library_code(reinterpret_cast<const void*>(g_real.Init));
  return find_constants(scope);
}

}  // namespace meridian
