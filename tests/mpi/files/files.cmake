# SPDX-License-Identifier: Apache-2.0
# Files of the program.
foreach(flavor ${MERIDIAN_MPIS})
  meridian_mpi_program(mpi_file_calls_${flavor} ${flavor} SOURCES ${CMAKE_CURRENT_LIST_DIR}/file_calls.c)
  foreach(ranks 1 2 4)
    set(quick "")
    if(ranks EQUAL 2)
      set(quick QUICK)
    endif()
    meridian_run("Files.of_${ranks}_ranks_of_${flavor}_are_named_with_their_calls_bytes_and_times" FLAVOR ${flavor} RANKS ${ranks}
      SUBJECT files ${quick}
      COMMAND ${MERIDIAN_PYTHON_H5PY} -B ${CMAKE_CURRENT_LIST_DIR}/check_files.py --meridian $<TARGET_FILE:meridian>
        --mpiexec ${MERIDIAN_MPIEXEC_${flavor}} --ranks ${ranks} $<TARGET_FILE:mpi_file_calls_${flavor}>)
  endforeach()

  meridian_mpi_program(mpi_unusual_files_${flavor} ${flavor} SOURCES ${CMAKE_CURRENT_LIST_DIR}/unusual_files.c LIBRARIES pthread)
  target_compile_options(mpi_unusual_files_${flavor} PRIVATE -Wno-all -Wno-extra -Wno-unused-result -Wno-unused-parameter)
  meridian_run("Files.on_2_ranks_of_${flavor}_that_are_used_in_unusual_ways_are_as_without_the_tracer" FLAVOR ${flavor} RANKS 2
    SUBJECT files
    COMMAND ${MERIDIAN_PYTHON_H5PY} -B ${CMAKE_CURRENT_LIST_DIR}/check_unusual_files.py --meridian $<TARGET_FILE:meridian>
      --mpiexec ${MERIDIAN_MPIEXEC_${flavor}} --ranks 2 $<TARGET_FILE:mpi_unusual_files_${flavor}>)
endforeach()
