# SPDX-License-Identifier: Apache-2.0
# Samples of what programs compute: functions with designed shares of processor time.
set(samples ${CMAKE_CURRENT_SOURCE_DIR}/samples)

function(add_samples_test flavor ranks promise how)
  set(program mpi_samples_${flavor})
  if(how STREQUAL noise)
    set(program mpi_noise_${flavor})
  endif()
  set(alone "")
  if(how MATCHES "^(shares|threads|imbalance|kill)$")
    set(alone ALONE "samples of processor time are compared with designed shares of it")
  endif()
  meridian_run("Samples.on_${ranks}_ranks_of_${flavor}_${promise}" FLAVOR ${flavor} RANKS ${ranks} BUDGET 200 ${alone}
    COMMAND ${MERIDIAN_PYTHON_H5PY} -B ${samples}/check_samples.py
      --meridian $<TARGET_FILE:meridian> --writer $<TARGET_FILE:meridian-writer>
      --mpiexec ${MERIDIAN_MPIEXEC_${flavor}} --ranks ${ranks} ${how} $<TARGET_FILE:${program}> ${ARGN})
endfunction()

foreach(flavor ${MERIDIAN_MPIS})
  meridian_mpi_program(mpi_samples_${flavor} ${flavor} SOURCES ${samples}/shares.c LIBRARIES -pthread m)
  target_compile_options(mpi_samples_${flavor} PRIVATE -g -O2 -fomit-frame-pointer)
  target_compile_definitions(mpi_samples_${flavor} PRIVATE _GNU_SOURCE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  add_samples_test(${flavor} 2 "designed_shares_are_found_at_100_hz" shares 100)
  add_samples_test(${flavor} 2 "designed_shares_are_found_at_1000_hz" shares 1000)
  add_samples_test(${flavor} 1 "designed_shares_are_found_in_each_of_4_threads" threads)
  add_samples_test(${flavor} 2 "the_verdict_names_the_function_that_makes_others_wait" imbalance)
  add_samples_test(${flavor} 2 "a_killed_program_keeps_its_samples" kill)
  add_samples_test(${flavor} 2 "files_without_samples_have_no_tables_of_them" off)
  add_samples_test(${flavor} 2 "a_kernel_that_refuses_samples_is_a_finding" refused)
  meridian_mpi_program(mpi_noise_${flavor} ${flavor} SOURCES ${samples}/noise.c)
  target_compile_options(mpi_noise_${flavor} PRIVATE -g -O2)
  target_compile_definitions(mpi_noise_${flavor} PRIVATE _GNU_SOURCE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  foreach(ranks 1 2)
    add_samples_test(${flavor} ${ranks} "time_without_a_processor_is_that_of_linux_and_no_imbalance" noise 200)
  endforeach()
endforeach()
