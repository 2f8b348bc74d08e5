# meridian_mpi_program(TARGET FLAVOR [OUTPUT name] [DIRECTORY dir] SOURCES a.c... [LIBRARIES t...])
#
# A plain MPI program that knows nothing of Meridian, built for one flavor with what that flavor's compiler wrapper
# adds. Never sanitized: a preloaded library and a sanitizer's runtime both want to be first.

# Link flags of a flavor's wrapper, once per flavor: everything that its -show prints but the compiler and the -I.
foreach(flavor ${MERIDIAN_MPIS})
  execute_process(COMMAND ${MERIDIAN_MPICC_${flavor}} -show OUTPUT_VARIABLE shown OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(shown UNIX_COMMAND "${shown}")
  set(MERIDIAN_MPI_LINK_${flavor} ${shown})
  list(FILTER MERIDIAN_MPI_LINK_${flavor} INCLUDE REGEX "^-(L|l|Wl,|pthread)")
endforeach()

function(meridian_mpi_program target flavor)
  cmake_parse_arguments(arg "" "OUTPUT;DIRECTORY" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${target} ${arg_SOURCES})
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wshadow)
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND flavor STREQUAL "mpich")
    target_compile_options(${target} PRIVATE -Wno-stringop-overflow)  # GCC takes MPICH's MPI_STATUSES_IGNORE for an array
  endif()
  if(MERIDIAN_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  target_include_directories(${target} SYSTEM PRIVATE ${MERIDIAN_MPI_INCLUDE_${flavor}})
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} ${MERIDIAN_MPI_LINK_${flavor}})
  if(arg_OUTPUT)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${arg_OUTPUT})
  endif()
  if(arg_DIRECTORY)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${arg_DIRECTORY})
  endif()
endfunction()
