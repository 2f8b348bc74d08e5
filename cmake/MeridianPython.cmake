# SPDX-License-Identifier: Apache-2.0
# MERIDIAN_PYTHON: the Python of tests. MERIDIAN_PYTHON_H5PY: one that has h5py, if there is one; Debian's has it, the first
# on PATH may be another one.
find_program(MERIDIAN_PYTHON NAMES python3 HINTS /usr/bin REQUIRED)
set(MERIDIAN_PYTHON_H5PY ${MERIDIAN_PYTHON})
set(MERIDIAN_HAS_H5PY OFF)
foreach(candidate ${MERIDIAN_PYTHON} /usr/bin/python3)
  execute_process(COMMAND ${candidate} -c "import h5py" RESULT_VARIABLE no_h5py OUTPUT_QUIET ERROR_QUIET)
  if(no_h5py EQUAL 0)
    set(MERIDIAN_PYTHON_H5PY ${candidate})
    set(MERIDIAN_HAS_H5PY ON)
    break()
  endif()
endforeach()
