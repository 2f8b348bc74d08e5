# SPDX-License-Identifier: Apache-2.0
# Clocks that are bent by known amounts: the round trips of real runs, and the clocks fitted to them.
set(clocks ${CMAKE_CURRENT_SOURCE_DIR}/clocks)
function(add_clocks_test flavor ranks promise how)
  set(name "Clocks.on_${ranks}_ranks_of_${flavor}_${promise}")
  set(choice "")
  if(promise STREQUAL "round_trips_follow_collectives_of_all_ranks")
    set(choice QUICK)
  endif()
  meridian_run(${name} FLAVOR ${flavor} RANKS ${ranks} ${choice} COMMAND ${MERIDIAN_PYTHON_H5PY} -B ${clocks}/check_clocks.py
    --meridian $<TARGET_FILE:meridian> --mpiexec ${MERIDIAN_MPIEXEC_${flavor}} --ranks ${ranks}
    --program $<TARGET_FILE:mpi_clocking_${flavor}> ${how} ${ARGN})
endfunction()

foreach(flavor ${MERIDIAN_MPIS})
  meridian_mpi_program(mpi_clocking_${flavor} ${flavor} SOURCES ${clocks}/clocking.c LIBRARIES pthread)
  set_target_properties(mpi_clocking_${flavor} PROPERTIES C_STANDARD 11)
  target_compile_definitions(mpi_clocking_${flavor} PRIVATE _GNU_SOURCE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  add_clocks_test(${flavor} 2 round_trips_follow_collectives_of_all_ranks epochs all copy pending errors)
  add_clocks_test(${flavor} 2 collectives_with_a_root_have_to_do_where_there_are_no_others epochs rooted)
  add_clocks_test(${flavor} 2 round_trips_follow_collectives_of_several_threads epochs threads)
  add_clocks_test(${flavor} 4 all_hosts_meet_the_first_one epochs all)
  foreach(ranks 3 4)
    add_clocks_test(${flavor} ${ranks} many_hosts_meet_along_a_hypercube rounds all)
  endforeach()
  add_clocks_test(${flavor} 2 nothing_is_added_to_parts_of_the_world_and_to_messages none parts messages)
  foreach(subject all killed exiting)
    add_clocks_test(${flavor} 2 no_time_of_a_short_run_misses_the_truth_by_more_than_its_bound_${subject} bounds ${subject})
  endforeach()
  add_clocks_test(${flavor} 4 no_time_of_a_short_run_misses_the_truth_by_more_than_its_bound_all bounds all)
  add_clocks_test(${flavor} 3 no_time_of_a_short_run_misses_the_truth_by_more_than_its_bound_parts bounds parts)
  add_clocks_test(${flavor} 1 one_rank_has_nobody_to_compare_its_clock_with none all)
endforeach()

# Real TCP between network namespaces; MPICH as it is packaged starts nothing on other hosts. On demand (scripts/test network):
# how busy the machine is decides what the network is like.
option(MERIDIAN_NETWORK_TESTS "Test clocks of several hosts over TCP between network namespaces: a minute" OFF)
if(MERIDIAN_NETWORK_TESTS AND TARGET mpi_clocking_openmpi)
  function(add_networks_test ranks)
    meridian_run(Clocks.of_${ranks}_hosts_over_tcp_certify_no_time_that_misses_the_truth FLAVOR openmpi RANKS ${ranks} BUDGET 240
      COMMAND ${MERIDIAN_PYTHON_H5PY} -B ${clocks}/check_networks.py --meridian $<TARGET_FILE:meridian>
        --mpiexec ${MERIDIAN_MPIEXEC_openmpi} --ranks ${ranks} --program $<TARGET_FILE:mpi_clocking_openmpi> --milliseconds 3000
        ${ARGN})
  endfunction()
  add_networks_test(2 all:bent oneway:bent sparse:both)
  add_networks_test(4 halo:bent random:bent sparse:bent copy:bent)
endif()

# MPICH as it is packaged starts no processes.
if(TARGET mpi_clocking_openmpi)
  meridian_mpi_program(mpi_spawning_openmpi openmpi SOURCES ${clocks}/spawning.c)
  set_target_properties(mpi_spawning_openmpi PROPERTIES C_STANDARD 11)
  target_compile_definitions(mpi_spawning_openmpi PRIVATE _GNU_SOURCE OMPI_SKIP_MPICXX)
  function(add_spawned_test ranks promise)
    set(name "Clocks.of_${ranks}_ranks_and_those_they_start_${promise}")
    meridian_run(${name} FLAVOR openmpi RANKS 4 COMMAND ${MERIDIAN_PYTHON_H5PY} -B ${clocks}/check_spawned.py
      --meridian $<TARGET_FILE:meridian> --mpiexec ${MERIDIAN_MPIEXEC_openmpi} --ranks ${ranks}
      --program $<TARGET_FILE:mpi_spawning_openmpi> ${ARGN})
  endfunction()
  add_spawned_test(1 are_put_together_by_messages_and_collectives talk merged)
  add_spawned_test(2 are_put_together_by_messages_and_collectives talk merged across oneway)
  add_spawned_test(2 stand_apart_and_are_flagged_where_nothing_is_said apart)
endif()
