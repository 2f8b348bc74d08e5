# SPDX-License-Identifier: Apache-2.0
# Lines of Python as the places of calls. Debian's mpi4py is that of Open MPI; ctypes calls any library.
foreach(flavor ${MERIDIAN_MPIS})
  foreach(ranks 1 2)
    foreach(what ctypes mpi4py)
      if(what STREQUAL "ctypes" OR flavor STREQUAL "openmpi")
        meridian_run(Recorder.on_${ranks}_ranks_of_${flavor}_calls_through_${what}_have_the_lines_of_Python FLAVOR ${flavor} RANKS ${ranks}
          COMMAND ${MERIDIAN_PYTHON_H5PY} -B ${CMAKE_CURRENT_SOURCE_DIR}/python/check_lines.py --meridian $<TARGET_FILE:meridian>
            --mpiexec ${MERIDIAN_MPIEXEC_${flavor}} --ranks ${ranks} --linked $<TARGET_FILE:tools_plain_${flavor}> ${what})
      endif()
    endforeach()
    if(flavor STREQUAL "openmpi")
      meridian_run(Recorder.on_${ranks}_ranks_of_${flavor}_samples_of_Python_have_its_functions_and_lines FLAVOR ${flavor} RANKS ${ranks}
        COMMAND ${MERIDIAN_PYTHON_H5PY} -B ${CMAKE_CURRENT_SOURCE_DIR}/python/check_shares.py --meridian $<TARGET_FILE:meridian>
          --mpiexec ${MERIDIAN_MPIEXEC_${flavor}} --ranks ${ranks})
    endif()
  endforeach()
endforeach()
