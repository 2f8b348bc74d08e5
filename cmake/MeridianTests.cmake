# SPDX-License-Identifier: Apache-2.0
# How tests are added: one budget, one set of labels, one choice of MPI runs.
#
# meridian_check(NAME COMMAND c... [BUDGET s] [FOLDER dir] [SLOW] [SANITIZED])
#   a test without a launcher, label unit. Never repeated. SLOW: takes over ten seconds, so `scripts/test quick` leaves it out.
#   SANITIZED: with sanitizers, too; else without them alone.
# meridian_run(NAME FLAVOR f RANKS n COMMAND c... [SUBJECT text] [BUDGET s] [ALONE reason] [LOCK resource] [QUICK])
#   a test that starts programs of an MPI library, label mpi. scripts/test repeats it at most once and counts that.
#
# BUDGET   seconds after which ctest ends the test; 120 unless given. With sanitizers, which make programs ten times slower, 360.
# SUBJECT  what is tested, without rank count and library. Runs of one subject are chosen pairwise: each rank count once and
#          each library at least once, not each rank count on each library. MERIDIAN_ALL_RUNS chooses all of them.
# ALONE    why nothing else may run meanwhile: a measurement of time, or a limit of the whole machine.
# LOCK     what only one test at a time may use.
# QUICK    also part of `scripts/test quick`: one test of each kind on each library.
# A test that exits with 77 is skipped; the last line that it has printed is the reason.
option(MERIDIAN_ALL_RUNS "Test each subject on each rank count of each MPI library, not on chosen pairs" OFF)
option(MERIDIAN_TEST_ONCE "Leave out unit tests that scripts/test runs with sanitizers in another tree: they take long to compile" OFF)
set(MERIDIAN_TEST_BUDGET_S 120)
if(MERIDIAN_SANITIZE)
  set(MERIDIAN_TEST_BUDGET_S 360)
endif()

function(_meridian_add_test name label command budget)
  if(NOT budget OR budget LESS MERIDIAN_TEST_BUDGET_S)
    set(budget ${MERIDIAN_TEST_BUDGET_S})
  endif()
  add_test(NAME "${name}" COMMAND ${command} ${ARGN})
  set_tests_properties("${name}" PROPERTIES LABELS "${label}" TIMEOUT ${budget} SKIP_RETURN_CODE 77)
endfunction()

# Targets whose files a command names belong to a set of tests: they are what meridian_test_targets() builds for it.
function(_meridian_needs set command)
  string(REGEX MATCHALL "<TARGET_FILE(_DIR)?:[^>]+>" named "${command}")
  list(TRANSFORM named REPLACE "<TARGET_FILE(_DIR)?:([^>]+)>" "\\2")
  set_property(GLOBAL APPEND PROPERTY MERIDIAN_TARGETS_${set} ${named})
endfunction()

function(meridian_check name)
  if(CMAKE_CROSSCOMPILING)   # an emulator runs what the test starts, and not what that starts
    return()
  endif()
  cmake_parse_arguments(arg "SLOW;SANITIZED" "BUDGET;FOLDER" "COMMAND" ${ARGN})
  if(MERIDIAN_SANITIZE AND NOT arg_SANITIZED)
    return()
  endif()
  set(label unit)
  if(arg_SLOW)
    list(APPEND label slow)
  endif()
  set(folder "")
  if(arg_FOLDER)
    set(folder WORKING_DIRECTORY ${arg_FOLDER})
  endif()
  _meridian_add_test("${name}" "${label}" "${arg_COMMAND}" "${arg_BUDGET}" ${folder})
  _meridian_needs(UNIT "${arg_COMMAND}")
endfunction()

# Whether a run is one of the pairs: libraries alternate with the rank counts. One subject in four begins with the other
# library; it is not every second one because four of MPICH's ranks, which spin, take long on two cores.
function(meridian_is_chosen result flavor ranks subject)
  string(MD5 hash "${subject}")
  string(SUBSTRING ${hash} 0 1 first)
  list(FIND MERIDIAN_MPIS ${flavor} index)
  list(LENGTH MERIDIAN_MPIS flavors)
  list(FIND MERIDIAN_RANK_COUNTS ${ranks} row)
  math(EXPR turn "((0x${first} % 4) / 3 + ${row} + ${index}) % ${flavors}")
  if(turn EQUAL 0 OR MERIDIAN_ALL_RUNS)
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()
set(MERIDIAN_RANK_COUNTS 1 2 4 3)

function(meridian_run name)
  cmake_parse_arguments(arg "QUICK" "FLAVOR;RANKS;SUBJECT;BUDGET;ALONE;LOCK" "COMMAND" ${ARGN})
  if(NOT MERIDIAN_MPIEXEC_${arg_FLAVOR})
    message(STATUS "Not tested, there is no mpiexec of ${arg_FLAVOR}: ${name}")
    return()
  endif()
  if(arg_SUBJECT)
    meridian_is_chosen(chosen ${arg_FLAVOR} ${arg_RANKS} "${arg_SUBJECT}")
    if(NOT chosen)
      return()
    endif()
  endif()
  set(label mpi)
  if(arg_QUICK)
    list(APPEND label quick)
    _meridian_needs(QUICK "${arg_COMMAND}")
  endif()
  _meridian_add_test("${name}" "${label}" "${arg_COMMAND}" "${arg_BUDGET}")
  set(processors ${arg_RANKS})
  if(arg_FLAVOR STREQUAL "openmpi" AND arg_RANKS GREATER 2)   # its ranks yield while they wait; MPICH's spin
    math(EXPR processors "(${arg_RANKS} + 1) / 2")
  endif()
  set_tests_properties("${name}" PROPERTIES PROCESSORS ${processors})
  if(arg_ALONE)
    set_tests_properties("${name}" PROPERTIES RUN_SERIAL ON)
  endif()
  if(arg_LOCK)
    set_tests_properties("${name}" PROPERTIES RESOURCE_LOCK "${arg_LOCK}")
  endif()
endfunction()

# meridian_test_targets(): at the end, `unit_tests` and `quick_tests` build what the tests of these labels need.
function(meridian_test_targets)
  get_property(unit GLOBAL PROPERTY MERIDIAN_TARGETS_UNIT)
  get_property(quick GLOBAL PROPERTY MERIDIAN_TARGETS_QUICK)
  if(NOT MERIDIAN_SANITIZE)   # then no test records anything
    list(TRANSFORM MERIDIAN_TRACERS PREPEND meridian_ OUTPUT_VARIABLE tracers)
    list(APPEND unit ${tracers})
  endif()
  get_property(programs GLOBAL PROPERTY MERIDIAN_TEST_PROGRAMS)
  file(WRITE ${CMAKE_BINARY_DIR}/test_programs.txt "${programs}")   # for `scripts/test unit`
  add_custom_target(unit_tests DEPENDS meridian meridian-writer ${unit})
  add_custom_target(quick_tests DEPENDS unit_tests meridian_annotations ${quick})   # an installation has it, too
endfunction()
