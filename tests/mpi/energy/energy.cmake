# SPDX-License-Identifier: Apache-2.0
# Energy: a folder like that of the kernel, whose counters rise with known power.
set(energy ${CMAKE_CURRENT_SOURCE_DIR}/energy)
foreach(flavor ${MERIDIAN_MPIS})
  meridian_mpi_program(mpi_energy_${flavor} ${flavor} SOURCES ${energy}/energy.c LIBRARIES meridian_user)
  target_compile_definitions(mpi_energy_${flavor} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  foreach(case "regions 100 is_that_of_known_power_by_region" "plain 0 is_that_of_known_power_by_iteration"
               "profile 0 is_that_of_known_power_in_a_profile" "sockets 100 is_that_of_sensors_without_packages" "none 100 is_not_mentioned_where_there_is_none")
    separate_arguments(words UNIX_COMMAND "${case}")
    list(GET words 0 how)
    list(GET words 1 rate)
    list(GET words 2 promise)
    meridian_run("Energy.on_2_ranks_of_${flavor}_${promise}" FLAVOR ${flavor} RANKS 2
      ALONE "the counters are advanced by a thread of the test, which other tests would hold up"
      COMMAND ${MERIDIAN_PYTHON_H5PY} -B ${energy}/check_energy.py --meridian $<TARGET_FILE:meridian>
        --mpiexec ${MERIDIAN_MPIEXEC_${flavor}} --ranks 2
        ${how} ${rate} $<TARGET_FILE:mpi_energy_${flavor}>)
  endforeach()
endforeach()
