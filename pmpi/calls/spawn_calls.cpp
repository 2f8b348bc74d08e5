// SPDX-License-Identifier: Apache-2.0
// MPI_Comm_spawn and MPI_Comm_spawn_multiple: MPI gets the settings that the children need to be traced. Cold, except
// for the traced call itself.

#include "pmpi/calls/spawn.hpp"
#include "pmpi/calls/traced.hpp"

#define MERIDIAN_EXPORT extern "C" [[gnu::visibility("default")]]

namespace meridian {

MERIDIAN_EXPORT int MPI_Comm_spawn(const char* command, char* argv[], int maxprocs, MPI_Info info, int root,
                                   MPI_Comm comm, MPI_Comm* intercomm, int* array_of_errcodes) {
  Offspring offspring{comm, root};
  MPI_Info told = offspring.info(info);
  return traced<CallId::Comm_spawn>(record::Spawned(comm, intercomm, offspring), [&] {
    return g_next.Comm_spawn(command, argv, maxprocs, told, root, comm, intercomm, array_of_errcodes);
  });
}

MERIDIAN_EXPORT int MPI_Comm_spawn_multiple(int count, char* array_of_commands[], char** array_of_argv[],
                                            const int array_of_maxprocs[], const MPI_Info array_of_info[], int root,
                                            MPI_Comm comm, MPI_Comm* intercomm, int* array_of_errcodes) {
  Offspring offspring{comm, root};
  const MPI_Info* const told = offspring.infos(count, array_of_info);
  return traced<CallId::Comm_spawn_multiple>(record::Spawned(comm, intercomm, offspring), [&] {
    return g_next.Comm_spawn_multiple(count, array_of_commands, array_of_argv, array_of_maxprocs, told, root, comm,
                                      intercomm, array_of_errcodes);
  });
}

}  // namespace meridian
