# SPDX-License-Identifier: Apache-2.0
# meridian_mpi_has(FLAVOR OUTPUT_DIR)
#
# Writes OUTPUT_DIR/mpi_has.h: for each row of trace/model/mpi_calls.def a line `#define MERIDIAN_HAS_<name> 1` or `0`.
# 1: this MPI's mpi.h declares PMPI_<name> and its library exports it. (MPICH declares conversions of Fortran 2008
# statuses that only its Fortran library has; a wrapper of one could not forward.) What mpi.h makes a macro beside the
# function is undefined there, so that wrappers can be defined: the header includes mpi.h itself, and comes before them.
#
# For the same rows, how Fortran names them, where it does:
#   MERIDIAN_HAS_F77_<name>   1: mpif.h and the module mpi have it, as
#   MERIDIAN_LOWER_<name>       send   of mpi_send_, mpi_send, mpi_send__
#   MERIDIAN_UPPER_<name>       SEND   of MPI_SEND
#   MERIDIAN_HAS_F08_<name>   1: the module mpi_f08 has it, as
#   MERIDIAN_F08_<name>         mpi_send_f08_; a choice buffer may make it mpi_send_f08ts_, a large count mpi_send_f08ts_large_
#
# OUTPUT_DIR belongs to one flavor. Runs when CMake does, and CMake runs again when the table or mpi.h has changed.
# Reads MERIDIAN_MPICC_<flavor>.

include(MeridianVersions)

# Open MPI hides what MPI-3.0 removed, but still exports it to programs that were built long ago.
set(MERIDIAN_MPI_REMOVED_CALLS -DOMPI_OMIT_MPI1_COMPAT_DECLS=0)

function(meridian_mpi_has flavor output_dir)
  set(mpicc ${CMAKE_COMMAND} -E env LC_ALL=C ${MERIDIAN_MPICC_${flavor}})
  set(work ${output_dir}/mpi_has.dir)

  _meridian_table_names(names)
  file(WRITE ${work}/declared.c "#include <mpi.h>\n")
  execute_process(COMMAND ${mpicc} ${MERIDIAN_MPI_REMOVED_CALLS} -E ${work}/declared.c
                  OUTPUT_VARIABLE text ERROR_VARIABLE complaint RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${MERIDIAN_MPICC_${flavor}} cannot preprocess mpi.h: ${complaint}")
  endif()
  string(REGEX MATCHALL "PMPI_[A-Za-z0-9_]+[ \n]*\\(" declared "${text}")
  list(TRANSFORM declared REPLACE "^PMPI_([A-Za-z0-9_]+).*" "\\1")
  list(REMOVE_DUPLICATES declared)

  string(REGEX MATCHALL "# [0-9]+ \"[^\"\n]*/mpi[^\"/\n]*\\.h\"" headers "${text}")
  list(TRANSFORM headers REPLACE ".*\"(.*)\"" "\\1")
  list(REMOVE_DUPLICATES headers)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})

  set(undeclared ${names})
  list(REMOVE_ITEM undeclared ${declared})
  set(has ${names})
  list(REMOVE_ITEM has ${undeclared})
  _meridian_linkable(has "${has}" ${work} ${mpicc})

  set(lines "")
  _meridian_choice_buffers(with_buffer)
  _meridian_without_f08(without_f08)
  foreach(name IN LISTS names)
    if(name IN_LIST has)
      string(APPEND lines "#undef MPI_${name}\n#define MERIDIAN_HAS_${name} 1\n")
    else()
      string(APPEND lines "#define MERIDIAN_HAS_${name} 0\n")
    endif()
    _meridian_fortran_lines(fortran ${name} "${has}" "${with_buffer}" "${without_f08}" ${flavor})
    string(APPEND lines "${fortran}")
  endforeach()
  file(CONFIGURE OUTPUT ${output_dir}/mpi_has.h @ONLY
       CONTENT "#pragma once\n\n// Written by cmake/mpi_has.cmake: what this MPI has of the call table.\n\n#include <mpi.h>\n\n${lines}")
  meridian_check_calls(${flavor} "${names}" "${has}" "${declared}")
endfunction()

# meridian_abi_has(OUTPUT_DIR): the same file for the standard ABI of MPI 5, without a library: all rows, and nothing of Fortran. A library
# need not have all of them: what it lacks, no program can call.
function(meridian_abi_has output_dir)
  _meridian_table_names(names)
  set(lines "")
  foreach(name IN LISTS names)
    string(APPEND lines "#define MERIDIAN_HAS_${name} 1\n#define MERIDIAN_HAS_F77_${name} 0\n#define MERIDIAN_HAS_F08_${name} 0\n")
  endforeach()
  file(CONFIGURE OUTPUT ${output_dir}/mpi_has.h @ONLY
       CONTENT "#pragma once\n\n// Written by cmake/mpi_has.cmake: what the standard ABI has of the call table.\n\n#include <mpi.h>\n\n${lines}")
endfunction()

# The names in the first column of the call table.
function(_meridian_table_names result)
  set(table ${PROJECT_SOURCE_DIR}/trace/model/mpi_calls.def)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(READ ${table} text)
  string(REGEX MATCHALL "\nMERIDIAN_CALL(_AS\\([A-Za-z_0-9]+, *|\\()[A-Za-z0-9_]+," names "${text}")
  list(TRANSFORM names REPLACE "^.*[(, ]([A-Za-z0-9_]+),$" "\\1")
  set(${result} ${names} PARENT_SCOPE)
endfunction()

# The names of rows with a choice buffer: a parameter that Fortran declares TYPE(*), DIMENSION(..). Where C has `void*`
# for something else, Fortran has another type: for an attribute's value, the state of a callback, an address that MPI
# returns.
function(_meridian_choice_buffers result)
  file(READ ${PROJECT_SOURCE_DIR}/trace/model/mpi_calls.def text)
  string(REGEX REPLACE "void\\* (attribute_val|extra_state|baseptr|buffer_addr)" "" text "${text}")
  string(REGEX MATCHALL "\nMERIDIAN_CALL\\([A-Za-z0-9_]+, [a-z0-9]+, \\([^)]*void\\* " rows "${text}")
  list(TRANSFORM rows REPLACE "^.MERIDIAN_CALL.([A-Za-z0-9_]+),.*" "\\1")
  set(${result} ${rows} PARENT_SCOPE)
endfunction()

# The names of rows that say NoF08.
function(_meridian_without_f08 result)
  file(READ ${PROJECT_SOURCE_DIR}/trace/model/mpi_calls.def text)
  string(REGEX MATCHALL "\nMERIDIAN_CALL\\([A-Za-z0-9_]+, [a-z0-9]+, \\([^()]*\\),[ \n]*\\([^()]*\\), NoF08" rows "${text}")
  list(TRANSFORM rows REPLACE "^.MERIDIAN_CALL.([A-Za-z0-9_]+),.*" "\\1")
  set(${result} ${rows} PARENT_SCOPE)
endfunction()

# The lines of one row about Fortran. Only C has conversions of handles and MPI_T; mpif.h has no large counts.
function(_meridian_fortran_lines result name has with_buffer without_f08 flavor)
  set(f77 0)
  set(f08 0)
  if(name IN_LIST has AND NOT name MATCHES "^T_|_(c2f|f2c|c2f08|f082c|toint|fromint)$")
    set(f08 1)
    if(NOT name MATCHES "_c$")
      set(f77 1)
    endif()
    if(name IN_LIST without_f08)
      set(f08 0)
    endif()
  endif()
  set(lines "#define MERIDIAN_HAS_F77_${name} ${f77}\n#define MERIDIAN_HAS_F08_${name} ${f08}\n")
  string(TOLOWER ${name} lower)
  if(f77)
    string(TOUPPER ${name} upper)
    string(APPEND lines "#define MERIDIAN_LOWER_${name} ${lower}\n#define MERIDIAN_UPPER_${name} ${upper}\n")
  endif()
  if(f08)
    set(suffix f08)
    if(flavor STREQUAL "mpich" AND name IN_LIST with_buffer)   # by descriptor
      set(suffix f08ts)
    endif()
    if(name MATCHES "_c$")
      string(REGEX REPLACE "_c$" "" lower ${lower})
      string(APPEND suffix _large)
    endif()
    string(APPEND lines "#define MERIDIAN_F08_${name} mpi_${lower}_${suffix}_\n")
  endif()
  set(${result} "${lines}" PARENT_SCOPE)
endfunction()

# Those of `wanted` whose PMPI_ symbol the library has: links a program that refers to all, drops what the linker misses.
function(_meridian_linkable result wanted work)
  set(mpicc ${ARGN})
  foreach(attempt RANGE 50)   # some linkers name only the first few that are missing
    list(TRANSFORM wanted PREPEND "PMPI_" OUTPUT_VARIABLE symbols)
    list(TRANSFORM symbols APPEND "(void)" OUTPUT_VARIABLE declarations)
    list(JOIN symbols ", " symbols)
    list(JOIN declarations ", " declarations)
    file(WRITE ${work}/exported.c
      "void ${declarations};\nvoid (*const all[])(void) = {${symbols}};\nint main(void) { return all[0] == 0; }\n")
    execute_process(COMMAND ${mpicc} -O0 ${work}/exported.c -o ${work}/exported
                    OUTPUT_QUIET ERROR_VARIABLE complaint RESULT_VARIABLE failed)
    if(NOT failed)
      set(${result} ${wanted} PARENT_SCOPE)
      return()
    endif()
    string(REGEX MATCHALL "undefined (reference to|symbol:?) *[`'\"]?PMPI_[A-Za-z0-9_]+" missing "${complaint}")
    list(TRANSFORM missing REPLACE ".*PMPI_" "")
    if(missing STREQUAL "")
      break()
    endif()
    list(REMOVE_ITEM wanted ${missing})
  endforeach()
  message(FATAL_ERROR "cannot link an MPI program (${mpicc}): ${complaint}")
endfunction()
