# SPDX-License-Identifier: Apache-2.0
# meridian_mpi_program(TARGET FLAVOR [OUTPUT name] [DIRECTORY dir] SOURCES a.c... [LIBRARIES t...])
#
# A plain MPI program that knows nothing of Meridian, built for one flavor with what that flavor's compiler wrapper
# adds. Never sanitized: a preloaded library and a sanitizer's runtime both want to be first.

function(meridian_mpi_program target flavor)
  cmake_parse_arguments(arg "" "OUTPUT;DIRECTORY" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${target} ${arg_SOURCES})
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wshadow)
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND flavor STREQUAL "mpich")
    target_compile_options(${target} PRIVATE -Wno-stringop-overflow)  # GCC takes MPICH's MPI_STATUSES_IGNORE for an array
  endif()
  if(MERIDIAN_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  target_include_directories(${target} SYSTEM PRIVATE ${MERIDIAN_MPI_INCLUDE_${flavor}})
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} ${MERIDIAN_MPI_LINK_${flavor}})
  if(arg_OUTPUT)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${arg_OUTPUT})
  endif()
  if(arg_DIRECTORY)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${arg_DIRECTORY})
  endif()
endfunction()

# meridian_fortran_program(TARGET FLAVOR SOURCES a.F90... [DIALECT mpif|module|f08] [FLAGS f...] [DEPENDS d...])
#
# A Fortran program, compiled by MERIDIAN_MPIFC_<flavor> in one go into the current binary folder, under the target's name;
# its path is in MERIDIAN_PROGRAM afterwards. A dialect is one of Fortran's ways to MPI (tests/fortran/dialect.h).
foreach(flavor ${MERIDIAN_MPIS})
  find_program(MERIDIAN_MPIFC_${flavor} NAMES mpif90.${flavor})
endforeach()

function(meridian_fortran_program target flavor)
  cmake_parse_arguments(arg "" "DIALECT" "SOURCES;FLAGS;DEPENDS" ${ARGN})
  set(program ${CMAKE_CURRENT_BINARY_DIR}/${target})
  set(modules ${program}.modules)   # each its own: two may be compiled at once
  file(MAKE_DIRECTORY ${modules})
  if(arg_DIALECT)
    string(TOUPPER ${arg_DIALECT} upper)
    list(PREPEND arg_FLAGS -DDIALECT_${upper} -I${PROJECT_SOURCE_DIR}/tests/fortran)
    list(APPEND arg_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fortran/dialect.h)
  endif()
  add_custom_command(OUTPUT ${program}
    COMMAND ${MERIDIAN_MPIFC_${flavor}} -O1 -w -ffree-line-length-none -fallow-argument-mismatch -J${modules} ${arg_FLAGS}
            ${arg_SOURCES} -o ${program}
    DEPENDS ${arg_SOURCES} ${arg_DEPENDS} VERBATIM)
  add_custom_target(fortran_${target} ALL DEPENDS ${program})
  set(MERIDIAN_PROGRAM ${program} PARENT_SCOPE)
endfunction()
