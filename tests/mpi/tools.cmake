# SPDX-License-Identifier: Apache-2.0
# Other tools that define MPI functions: linked, preloaded, in the program, in front of the tracer and behind it.
set(here ${CMAKE_CURRENT_SOURCE_DIR})
foreach(flavor ${MERIDIAN_MPIS})
  add_library(other_tool_${flavor} SHARED tools/other_tool.c)
  target_include_directories(other_tool_${flavor} SYSTEM PRIVATE ${MERIDIAN_MPI_INCLUDE_${flavor}})
  target_link_libraries(other_tool_${flavor} PRIVATE ${MERIDIAN_MPI_LINK_${flavor}})
  meridian_mpi_program(tools_plain_${flavor} ${flavor} SOURCES tools/ring.c)
  meridian_mpi_program(tools_linked_${flavor} ${flavor} SOURCES tools/ring.c LIBRARIES other_tool_${flavor})
  meridian_mpi_program(tools_tracer_${flavor} ${flavor} SOURCES tools/ring.c
    LIBRARIES -Wl,--no-as-needed $<TARGET_FILE:meridian_${flavor}> other_tool_${flavor})
  add_dependencies(tools_tracer_${flavor} meridian_${flavor})
  meridian_mpi_program(tools_inside_${flavor} ${flavor} SOURCES tools/ring.c tools/other_tool.c)
  meridian_mpi_program(tools_inside_init_${flavor} ${flavor} SOURCES tools/ring.c tools/other_tool.c)
  target_compile_definitions(tools_inside_init_${flavor} PRIVATE HAS_INIT)
  set(fortran "")
  if(MERIDIAN_MPIFC_${flavor})
    meridian_fortran_program(tools_send_${flavor} ${flavor} SOURCES ${here}/tools/send.f90)
    add_library(other_fortran_tool_${flavor} SHARED tools/other_fortran_tool.c)
    set(fortran --fortran $<TARGET_FILE:other_fortran_tool_${flavor}> ${MERIDIAN_PROGRAM})
  endif()
  meridian_run(Recorder.on_2_ranks_of_${flavor}_other_tools_see_every_call_or_are_named FLAVOR ${flavor} RANKS 2 BUDGET 240
    COMMAND ${MERIDIAN_PYTHON_H5PY} -B ${here}/check_tools.py --meridian $<TARGET_FILE:meridian>
      --tracer $<TARGET_FILE:meridian_${flavor}> --mpiexec ${MERIDIAN_MPIEXEC_${flavor}} --ranks 2
      --tool $<TARGET_FILE:other_tool_${flavor}> ${fortran} $<TARGET_FILE:tools_plain_${flavor}>
      $<TARGET_FILE:tools_linked_${flavor}> $<TARGET_FILE:tools_tracer_${flavor}> $<TARGET_FILE:tools_inside_${flavor}>
      $<TARGET_FILE:tools_inside_init_${flavor}>)
endforeach()

# Wrappers, scripts and launchers in any order, and environments that lose the tracer.
set(promise_wrapped a_program_is_traced_in_whichever_order_it_is_started)
set(promise_lost a_program_that_is_started_without_the_tracer_is_named)
foreach(flavor ${MERIDIAN_MPIS})
  set(other_tracer "")
  foreach(other ${MERIDIAN_MPIS})
    if(NOT other STREQUAL flavor)
      set(other_tracer --other $<TARGET_FILE:meridian_${other}> ${other})
    endif()
  endforeach()
  foreach(what wrapped lost)
    meridian_run(Recorder.on_2_ranks_of_${flavor}_${promise_${what}} FLAVOR ${flavor} RANKS 2 BUDGET 300
      COMMAND ${MERIDIAN_PYTHON_H5PY} -B ${here}/check_start.py --meridian $<TARGET_FILE:meridian>
        --mpiexec ${MERIDIAN_MPIEXEC_${flavor}} --ranks 2 ${other_tracer} ${what} $<TARGET_FILE:tools_plain_${flavor}>)
  endforeach()
endforeach()

# Functions that the program looks up in the library's handle.
foreach(flavor ${MERIDIAN_MPIS})
  foreach(program looks_up looks_up_own)
    add_executable(tools_${program}_${flavor} tools/looks_up.c)
    target_include_directories(tools_${program}_${flavor} SYSTEM PRIVATE ${MERIDIAN_MPI_INCLUDE_${flavor}})
    target_compile_definitions(tools_${program}_${flavor} PRIVATE _GNU_SOURCE)
    target_compile_options(tools_${program}_${flavor} PRIVATE -Wall -Wextra)
    target_link_libraries(tools_${program}_${flavor} PRIVATE ${CMAKE_DL_LIBS})
  endforeach()
  target_compile_definitions(tools_looks_up_own_${flavor} PRIVATE HAS_OWN)
  set_target_properties(tools_looks_up_own_${flavor} PROPERTIES ENABLE_EXPORTS ON)
  meridian_run(Recorder.on_2_ranks_of_${flavor}_calls_of_functions_that_were_looked_up_are_recorded FLAVOR ${flavor} RANKS 2 BUDGET 240
    COMMAND ${MERIDIAN_PYTHON_H5PY} -B ${here}/check_looked_up.py --meridian $<TARGET_FILE:meridian>
      --mpiexec ${MERIDIAN_MPIEXEC_${flavor}} --ranks 2 --linked $<TARGET_FILE:tools_plain_${flavor}>
      $<TARGET_FILE:tools_looks_up_${flavor}> $<TARGET_FILE:tools_looks_up_own_${flavor}>)
endforeach()

foreach(flavor ${MERIDIAN_MPIS})
  meridian_run(Recorder.on_2_ranks_of_${flavor}_the_directory_may_have_signs_and_must_be_the_users_own FLAVOR ${flavor} RANKS 2
    COMMAND ${MERIDIAN_PYTHON} -B ${here}/check_directory.py --meridian $<TARGET_FILE:meridian>
      --mpiexec ${MERIDIAN_MPIEXEC_${flavor}} --ranks 2 $<TARGET_FILE:tools_plain_${flavor}>)
endforeach()
