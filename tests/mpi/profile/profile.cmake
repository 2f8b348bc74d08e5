# SPDX-License-Identifier: Apache-2.0
# Profiles: sums in place of calls.
set(profile ${CMAKE_CURRENT_SOURCE_DIR}/profile)
add_executable(mpi_make_profile ${profile}/make_profile.cpp)
meridian_target(mpi_make_profile)
target_link_libraries(mpi_make_profile PRIVATE meridian_records)
foreach(flavor ${MERIDIAN_MPIS})
  meridian_mpi_program(mpi_counted_${flavor} ${flavor} SOURCES ${profile}/counted.c)
  target_compile_definitions(mpi_counted_${flavor} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  foreach(subject blocking nonblocking persistent sendrecv probe wildcards many_requests collectives between neighbourhood communicators onesided
                  files callbacks)
    meridian_run("Profile.on_4_ranks_of_${flavor}_the_sums_of_${subject}_are_those_of_its_trace" FLAVOR ${flavor} RANKS 4
      COMMAND ${MERIDIAN_PYTHON_H5PY} -B ${profile}/check_same_sums.py --meridian $<TARGET_FILE:meridian>
        --mpiexec ${MERIDIAN_MPIEXEC_${flavor}} --ranks 4 --make-profile $<TARGET_FILE:mpi_make_profile> $<TARGET_FILE:mpi_${subject}_${flavor}>)
  endforeach()
  foreach(case "whole 1 has_the_calls_of_the_run_in_a_file_of_constant_size" "whole 2 has_the_calls_of_the_run_in_a_file_of_constant_size"
               "spooled 2 is_added_to_during_the_run" "killed 2 has_all_calls_before_the_kill" "commands 2 is_taken_by_every_command"
               "short 2 of_short_calls_is_a_part_of_a_trace")
    separate_arguments(words UNIX_COMMAND "${case}")
    list(GET words 0 how)
    list(GET words 1 ranks)
    list(GET words 2 promise)
    meridian_run("Profile.on_${ranks}_ranks_of_${flavor}_a_profile_${promise}" FLAVOR ${flavor} RANKS ${ranks} BUDGET 120
      COMMAND ${MERIDIAN_PYTHON_H5PY} -B ${profile}/check_profile.py --meridian $<TARGET_FILE:meridian>
        --mpiexec ${MERIDIAN_MPIEXEC_${flavor}} --ranks ${ranks} ${how} $<TARGET_FILE:mpi_counted_${flavor}>)
  endforeach()
endforeach()
