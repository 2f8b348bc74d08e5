// SPDX-License-Identifier: Apache-2.0
// Finds the MPI library of this process.

#include "pmpi/libraries/real.hpp"

#include <dlfcn.h>
#include <link.h>

#include "pmpi/libraries/flavor.hpp"
#include "pmpi/libraries/library_objects.hpp"

namespace meridian {

constinit Real g_real{};
constinit MpiConstants g_mpi{};

namespace {

/// A loaded object that defines PMPI_Init but is not in the global scope: an MPI that was loaded by dlopen.
int keep_if_mpi(dl_phdr_info* object, std::size_t, void* found) {
  if (object->dlpi_name == nullptr || object->dlpi_name[0] == '\0') return 0;
  void* const handle = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return 0;
  // The library itself, not one that depends on it: dlsym searches dependencies, too.
  void* const symbol = dlsym(handle, "PMPI_Init");
  Dl_info where{};
  if (symbol != nullptr && dladdr(symbol, &where) != 0 &&
      where.dli_fbase == reinterpret_cast<void*>(object->dlpi_addr)) {
    *static_cast<void**>(found) = handle;  // stays open, so that MPI is never unloaded
    return 1;
  }
  dlclose(handle);
  return 0;
}

void* mpi_scope() noexcept {
  if (dlsym(RTLD_DEFAULT, "PMPI_Init") != nullptr) return RTLD_DEFAULT;
  void* found = nullptr;
  dl_iterate_phdr(&keep_if_mpi, &found);
  return found;
}

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
  void* const scope = mpi_scope();
#define MERIDIAN_CALL_AS(type, name, group, params, args, recorded) \
  MERIDIAN_IF(MERIDIAN_HAS_##name, resolve(g_real.name, scope, "PMPI_" #name);)
#include "trace/model/mpi_calls.def"
  if (dlsym(scope, "PMPI_Init") == nullptr) {
    g_real.Initialized = &answer_no;
    g_real.Finalized = &answer_no;
    return false;
  }
  note_library_code(reinterpret_cast<const void*>(g_real.Init));
  return find_constants(scope);
}

}  // namespace meridian
