# SPDX-License-Identifier: Apache-2.0
# Memory over time: programs whose growth is known.
set(memory ${CMAKE_CURRENT_SOURCE_DIR}/memory)
foreach(flavor ${MERIDIAN_MPIS})
  meridian_mpi_program(mpi_memory_${flavor} ${flavor} SOURCES ${memory}/memory.c LIBRARIES meridian_user)
  target_compile_definitions(mpi_memory_${flavor} PRIVATE _GNU_SOURCE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  foreach(case "regions 100 is_named_with_its_region" "regions 0 is_found_without_samples" "grow 100 is_named_with_a_call_of_mpi"
               "once 100 is_not_found_in_a_program_that_allocates_at_its_start" "freed 100 is_not_found_in_a_program_that_frees")
    separate_arguments(words UNIX_COMMAND "${case}")
    list(GET words 0 how)
    list(GET words 1 rate)
    list(GET words 2 promise)
    meridian_run("Memory.growth_on_2_ranks_of_${flavor}_${promise}" FLAVOR ${flavor} RANKS 2
      COMMAND ${MERIDIAN_PYTHON_H5PY} -B ${memory}/check_memory.py --meridian $<TARGET_FILE:meridian>
        --mpiexec ${MERIDIAN_MPIEXEC_${flavor}} --ranks 2
        ${how} ${rate} $<TARGET_FILE:mpi_memory_${flavor}>)
  endforeach()
endforeach()
