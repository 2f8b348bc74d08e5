# SPDX-License-Identifier: Apache-2.0
# Flight recorders: the last calls of a run, and sums of all.
set(recorder ${CMAKE_CURRENT_SOURCE_DIR}/recorder)
add_executable(mpi_make_last_part ${recorder}/make_last_part.cpp)
meridian_target(mpi_make_last_part)
target_link_libraries(mpi_make_last_part PRIVATE meridian_records)
foreach(flavor ${MERIDIAN_MPIS})
  foreach(subject blocking nonblocking persistent sendrecv probe wildcards many_requests collectives between neighbourhood communicators)
    meridian_run("Recorder.on_4_ranks_of_${flavor}_the_last_part_of_${subject}_is_matched_as_in_its_trace" FLAVOR ${flavor} RANKS 4
      COMMAND ${MERIDIAN_PYTHON_H5PY} -B ${recorder}/check_last_part.py --meridian $<TARGET_FILE:meridian>
        --mpiexec ${MERIDIAN_MPIEXEC_${flavor}} --ranks 4 --make-last-part $<TARGET_FILE:mpi_make_last_part> $<TARGET_FILE:mpi_${subject}_${flavor}>)
  endforeach()
  foreach(case "finished 1 has_the_last_calls_and_the_sums_of_all" "finished 2 has_the_last_calls_and_the_sums_of_all"
               "killed 2 has_the_last_calls_before_the_kill" "short 2 that_is_not_full_is_a_trace" "timed 2 keeps_calls_for_a_time"
               "looked_at 2 is_shown_while_it_runs")
    separate_arguments(words UNIX_COMMAND "${case}")
    list(GET words 0 how)
    list(GET words 1 ranks)
    list(GET words 2 promise)
    meridian_run("Recorder.on_${ranks}_ranks_of_${flavor}_a_flight_recorder_${promise}" FLAVOR ${flavor} RANKS ${ranks} BUDGET 120
      COMMAND ${MERIDIAN_PYTHON_H5PY} -B ${recorder}/check_recorder.py --meridian $<TARGET_FILE:meridian>
        --mpiexec ${MERIDIAN_MPIEXEC_${flavor}} --ranks ${ranks} ${how} $<TARGET_FILE:mpi_counted_${flavor}>)
  endforeach()
endforeach()
