# SPDX-License-Identifier: Apache-2.0
# MERIDIAN_PYTHON_H5PY: a Python that has h5py. Debian's has it; the first on PATH may be another one.
find_program(MERIDIAN_PYTHON NAMES python3 HINTS /usr/bin REQUIRED)
set(MERIDIAN_PYTHON_H5PY ${MERIDIAN_PYTHON})
execute_process(COMMAND ${MERIDIAN_PYTHON} -c "import h5py" RESULT_VARIABLE no_h5py OUTPUT_QUIET ERROR_QUIET)
if(no_h5py AND EXISTS /usr/bin/python3)
  set(MERIDIAN_PYTHON_H5PY /usr/bin/python3)
endif()
