# SPDX-License-Identifier: Apache-2.0
# Which versions of libraries Meridian can be built with, and what configure reports about the others.

# meridian_check_hdf5(VERSION): 1.10.5 is the first with H5Dget_chunk_info_by_coord().
set(MERIDIAN_OLDEST_HDF5 1.10.5)
set(MERIDIAN_TESTED_HDF5 1.14)   # the newest that the tests have run with
function(meridian_check_hdf5 version)
  if(version VERSION_LESS MERIDIAN_OLDEST_HDF5)
    message(FATAL_ERROR "HDF5 ${version} is too old: it cannot tell where the chunks of a dataset are stored, as merging needs; "
                        "install HDF5 ${MERIDIAN_OLDEST_HDF5} or later (libhdf5-dev), or name it with -DHDF5_ROOT=DIR")
  endif()
  string(REGEX MATCH "^[0-9]+[.][0-9]+" series "${version}")
  if(series VERSION_GREATER MERIDIAN_TESTED_HDF5)
    message(WARNING "HDF5 ${version} is newer than the newest that Meridian was tested with (${MERIDIAN_TESTED_HDF5}): "
                    "run the tests (scripts/test) before you rely on this build")
  endif()
endfunction()

# meridian_mpi_flavor(RESULT MACROS WRAPPER): openmpi or mpich, by the macros that its mpi.h defines (the output of -dM -E). Intel MPI,
# MVAPICH and Cray MPICH have the binary interface of MPICH, and define MPICH_VERSION or a macro of their own.
function(meridian_mpi_flavor result macros wrapper)
  if(macros MATCHES "#define OPEN_MPI ")
    set(${result} openmpi PARENT_SCOPE)
  elseif(macros MATCHES "#define (MPICH_VERSION|MPICH_NUMVERSION|MVAPICH2_VERSION|MVAPICH_VERSION|I_MPI_VERSION|CRAY_MPICH_VERSION) ")
    set(${result} mpich PARENT_SCOPE)
  elseif(macros MATCHES "#define MPI_VERSION ")
    message(FATAL_ERROR "${wrapper} belongs to an MPI library that is neither Open MPI nor one with the binary interface of MPICH, "
                        "so that Meridian cannot trace its programs; name another compiler wrapper with "
                        "-DMERIDIAN_MPICC_openmpi=PATH or -DMERIDIAN_MPICC_mpich=PATH")
  else()
    message(FATAL_ERROR "${wrapper} finds no mpi.h: install the development files of the MPI library "
                        "(libopenmpi-dev, libmpich-dev), or name another wrapper with -DMERIDIAN_MPICC_openmpi=PATH or -DMERIDIAN_MPICC_mpich=PATH")
  endif()
endfunction()

# meridian_check_calls(FLAVOR TABLE HAS DECLARED): what this mpi.h and the call table do not have in common. Lists of names without "MPI_".
function(meridian_check_calls flavor table has declared)
  list(LENGTH table rows)
  list(LENGTH has count)
  message(STATUS "MPI calls of ${flavor}: ${count} of ${rows} in the table")
  math(EXPR missing "${rows} - ${count}")
  if(missing GREATER 0)
    message(STATUS "  a newer ${flavor} may have the other ${missing}: only a Meridian that is built with it records calls of these")
  endif()
  set(unknown ${declared})
  list(REMOVE_ITEM unknown ${table})
  if(unknown)
    list(SORT unknown)
    list(JOIN unknown ", MPI_" names)
    message(STATUS "  not in the table, so never recorded: MPI_${names}")
  endif()
endfunction()
