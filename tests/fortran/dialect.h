/* SPDX-License-Identifier: Apache-2.0 */
!One program in three dialects : DIALECT_F08(use mpi_f08), DIALECT_MODULE(use mpi), DIALECT_MPIF(include 'mpif.h').
#ifdef DIALECT_F08
#define USES use mpi_f08
#define INCLUDES
#define COMM type(MPI_Comm)
#define DATATYPE type(MPI_Datatype)
#define GROUP type(MPI_Group)
#define INFO type(MPI_Info)
#define FILE_HANDLE type(MPI_File)
#define MESSAGE type(MPI_Message)
#define OPERATION type(MPI_Op)
#define REQUEST type(MPI_Request)
#define STATUS(name) type(MPI_Status)::name
#define STATUSES(name, count) type(MPI_Status)::name(count)
#define WINDOW type(MPI_Win)
#define SOURCE_OF(status) status % MPI_SOURCE
#define TAG_OF(status) status % MPI_TAG
#define SOURCE_OF_ONE(statuses, i) statuses(i) % MPI_SOURCE
#define VALUE(handle) handle % MPI_VAL
#else
#ifdef DIALECT_MODULE
#define USES use mpi
#define INCLUDES
#else
#define USES
#define INCLUDES include 'mpif.h'
#endif
#define COMM integer
#define DATATYPE integer
#define GROUP integer
#define INFO integer
#define FILE_HANDLE integer
#define MESSAGE integer
#define OPERATION integer
#define REQUEST integer
#define STATUS(name) integer ::name(MPI_STATUS_SIZE)
#define STATUSES(name, count) integer ::name(MPI_STATUS_SIZE, count)
#define WINDOW integer
#define SOURCE_OF(status) status(MPI_SOURCE)
#define TAG_OF(status) status(MPI_TAG)
#define SOURCE_OF_ONE(statuses, i) statuses(MPI_SOURCE, i)
#define VALUE(handle) handle
#endif
