# SPDX-License-Identifier: Apache-2.0
# User events: the same programs untraced, traced, and with everything compiled out.
set(user ${CMAKE_CURRENT_SOURCE_DIR}/user)
foreach(which a b)
  add_library(user_plugin_${which} MODULE ${user}/plugin.c)
  target_link_libraries(user_plugin_${which} PRIVATE meridian_user)
  set_target_properties(user_plugin_${which} PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF)
  target_compile_options(user_plugin_${which} PRIVATE -Wall -Wextra -Wconversion -Wshadow -pedantic)
endforeach()

function(add_user_test flavor language promise program)
  foreach(ranks 1 2 4)
    set(meridian_recorder_choice SUBJECT user_${language})
    if(language STREQUAL "c" AND ranks EQUAL 2)
      set(meridian_recorder_choice QUICK)
    endif()
    add_recorder_test(${flavor} ${ranks} ${promise} 120 check_user.py --disabled $<TARGET_FILE:${program}_off>
      --events ${user}/user.def ${language} $<TARGET_FILE:${program}>
      $<TARGET_FILE:user_plugin_a> $<TARGET_FILE:user_plugin_b>)
  endforeach()
endfunction()

foreach(flavor ${MERIDIAN_MPIS})
  set(meridian_recorder_choice "")
  add_recorder_test(${flavor} 1 the_user_header_works_in_every_way_of_linking 240 check_user_header.py
    --include ${PROJECT_SOURCE_DIR}/include --mpicc ${MERIDIAN_MPICC_${flavor}})
  foreach(language c cpp)
    set(program mpi_user_events_${language}_${flavor})
    foreach(suffix "" _off)
      meridian_mpi_program(${program}${suffix} ${flavor} SOURCES ${user}/user_events.${language}
        LIBRARIES pthread meridian_user)
      set_target_properties(${program}${suffix} PROPERTIES C_STANDARD 99 CXX_STANDARD 11 CXX_EXTENSIONS OFF)
      target_compile_definitions(${program}${suffix} PRIVATE _GNU_SOURCE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
    endforeach()
    target_compile_definitions(${program}_off PRIVATE MERIDIAN_DISABLE)
    add_user_test(${flavor} ${language} user_events_of_${language}_are_recorded ${program})
  endforeach()

  # Their values, from the program to all outputs.
  meridian_mpi_program(mpi_user_values_${flavor} ${flavor} SOURCES ${user}/values.c LIBRARIES pthread meridian_user)
  foreach(ranks 1 2 4)
    set(quick "")
    if(ranks EQUAL 2)
      set(quick QUICK)
    endif()
    meridian_run("UserValues.of_${ranks}_ranks_of_${flavor}_are_those_of_the_program_in_all_outputs" FLAVOR ${flavor} RANKS ${ranks}
      SUBJECT user_values ${quick}
      COMMAND ${MERIDIAN_PYTHON_H5PY} -B ${CMAKE_CURRENT_SOURCE_DIR}/check_values.py --meridian $<TARGET_FILE:meridian>
        --mpiexec ${MERIDIAN_MPIEXEC_${flavor}} --ranks ${ranks} --python ${PROJECT_SOURCE_DIR}/python --formats "$<$<BOOL:${MERIDIAN_HAS_OTF2}>:otf2>" $<TARGET_FILE:mpi_user_values_${flavor}>)
  endforeach()

  # Functions that the compiler makes report themselves.
  meridian_mpi_program(mpi_functions_${flavor} ${flavor} SOURCES ${user}/functions.cpp LIBRARIES pthread)
  target_compile_options(mpi_functions_${flavor} PRIVATE -finstrument-functions -O1)
  target_compile_definitions(mpi_functions_${flavor} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  foreach(ranks 1 2)
    meridian_run("Functions.of_${ranks}_ranks_of_${flavor}_that_the_compiler_reports_are_regions" FLAVOR ${flavor} RANKS ${ranks}
      SUBJECT functions
      COMMAND ${MERIDIAN_PYTHON_H5PY} -B ${CMAKE_CURRENT_SOURCE_DIR}/check_functions.py --meridian $<TARGET_FILE:meridian>
        --mpiexec ${MERIDIAN_MPIEXEC_${flavor}} --ranks ${ranks} $<TARGET_FILE:mpi_functions_${flavor}>)
  endforeach()

  if(NOT MERIDIAN_MPIFC_${flavor})
    message(STATUS "User events in Fortran are not tested with ${flavor}: there is no mpif90.${flavor}")
    continue()
  endif()
  set(module ${PROJECT_SOURCE_DIR}/include/meridian/meridian_user.F90)
  foreach(suffix _off "")   # the last one is MERIDIAN_PROGRAM below
    set(define)
    if(suffix)
      set(define -DMERIDIAN_DISABLE)
    endif()
    meridian_fortran_program(mpi_user_events_fortran_${flavor}${suffix} ${flavor} FLAGS ${define}
      SOURCES ${module} ${user}/user_events.F90)
  endforeach()
  foreach(ranks 1 2 4)
    set(meridian_recorder_choice SUBJECT user_fortran)
    add_recorder_test(${flavor} ${ranks} user_events_of_fortran_are_recorded 120 check_user.py --disabled ${MERIDIAN_PROGRAM}_off
      --events ${user}/fortran.def fortran ${MERIDIAN_PROGRAM})
  endforeach()
endforeach()
