# SPDX-License-Identifier: Apache-2.0
# What an installation holds; included at the end of the top CMakeLists.txt. Each part installs its own targets, here is
# what makes them one installation.
#
#   bin/meridian                                  the command
#   share/man/, share/bash-completion/ ...        manual pages, completions for bash, zsh and fish
#   libexec/meridian/meridian-writer              the process that turns rings into rank files
#   lib/meridian/<flavor>/libmeridian.so          the tracer, once for each MPI, and `abi` for the standard ABI
#   lib/meridian/<flavor>/libmeridian-processes.so  messages between the processes of `mpirun meridian merge`
#   lib/meridian/libmeridian-annotations.so       what Kokkos, NVTX and ITT load; include/meridian/for_scorep/: Score-P's user macros
#   lib/libmeridian.so                            a link to the default flavor's, so that -lmeridian alone works
#   lib/pkgconfig/meridian.pc, meridian-<flavor>.pc
#   include/meridian/                             user events: user.h for C and C++, meridian_user.F90 to compile along
#   lib/pkgconfig/meridian-user.pc                the include path alone
#   include/meridian/gfortran/, lib/libmeridian_user_fortran.a, lib/pkgconfig/meridian-user-fortran.pc
#                                                 the Fortran module as gfortran compiles it; only if there is a gfortran
#   include/meridian-merged/, lib/libmeridian_{merged,merged_model,summary,format}.a   the reader of merged.h5 for C++ programs
#   lib/cmake/Meridian/                           find_package(Meridian): Meridian::meridian, Meridian::<flavor>, Meridian::user,
#                                                 and with COMPONENTS merged, Meridian::merged
#
#   lib/python3/dist-packages/meridian/           the Python package (MERIDIAN_PYTHON_DIR)
#   share/doc/meridian/                           documents and examples
#   share/meridian/meridian.lua, meridian.tcl     module files for Lmod and Environment Modules; they find the prefix by themselves
#
# Nothing installed holds a path of the build; the tree may be moved as a whole. Each file belongs to a component, which
# is a package: tool, runtime, openmpi, mpich, dev, python, doc (cmake/MeridianPackages.cmake).
include(CMakePackageConfigHelpers)

list(GET MERIDIAN_MPIS 0 first_flavor)
set(MERIDIAN_DEFAULT_MPI ${first_flavor} CACHE STRING "MPI whose tracer is lib/libmeridian.so")
if(NOT MERIDIAN_DEFAULT_MPI IN_LIST MERIDIAN_MPIS)
  message(FATAL_ERROR "MERIDIAN_DEFAULT_MPI is '${MERIDIAN_DEFAULT_MPI}', must be one of: ${MERIDIAN_MPIS}")
endif()

set(MERIDIAN_DOC_DIR ${CMAKE_INSTALL_DATADIR}/doc/meridian)
foreach(component tool runtime ${MERIDIAN_MPIS} dev python doc)
  set(folder ${MERIDIAN_DOC_DIR})
  if(NOT component STREQUAL "doc")
    string(APPEND folder -${component})
  endif()
  install(FILES LICENSE DESTINATION ${folder} COMPONENT ${component})
endforeach()
file(GLOB documents CONFIGURE_DEPENDS docs/*.md)
install(FILES README.md CHANGELOG.md ARCHITECTURE.md DESTINATION ${MERIDIAN_DOC_DIR} COMPONENT doc)
install(FILES ${documents} DESTINATION ${MERIDIAN_DOC_DIR}/docs COMPONENT doc)
foreach(file trace/format/FORMAT.md merged/FORMAT.md)  # where links of the documents lead
  get_filename_component(folder ${file} DIRECTORY)
  install(FILES ${file} DESTINATION ${MERIDIAN_DOC_DIR}/${folder} COMPONENT doc)
endforeach()
install(DIRECTORY examples/ DESTINATION ${MERIDIAN_DOC_DIR}/examples COMPONENT doc PATTERN CMakeLists.txt EXCLUDE)
install(FILES contrib/modules/meridian.lua contrib/modules/meridian.tcl
  DESTINATION ${CMAKE_INSTALL_DATADIR}/meridian COMPONENT tool)

# In Debian's place; in another prefix, PYTHONPATH leads there (the module files set it).
set(MERIDIAN_PYTHON_DIR lib/python3/dist-packages CACHE STRING "Folder of the Python package, below the prefix")
install(DIRECTORY python/meridian DESTINATION ${MERIDIAN_PYTHON_DIR} COMPONENT python FILES_MATCHING PATTERN "*.py")

install(FILES include/meridian/user.h include/meridian/user_abi.h include/meridian/meridian_user.F90
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/meridian COMPONENT dev)

install(DIRECTORY include/meridian/for_scorep DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/meridian COMPONENT dev)

# Modules of Fortran can be read only by the compiler, and the version, that made them.
find_program(MERIDIAN_GFORTRAN NAMES gfortran)
if(MERIDIAN_GFORTRAN)
  set(module ${CMAKE_BINARY_DIR}/install/gfortran)
  set(fortran_library ${module}/libmeridian_user_fortran.a)
  file(MAKE_DIRECTORY ${module})
  add_custom_command(OUTPUT ${module}/meridian_user.mod ${fortran_library}
    COMMAND ${MERIDIAN_GFORTRAN} -O2 -fPIC -c -J ${module} ${PROJECT_SOURCE_DIR}/include/meridian/meridian_user.F90 -o ${module}/meridian_user.o
    COMMAND ${CMAKE_COMMAND} -E rm -f ${fortran_library}
    COMMAND ${CMAKE_AR} qc ${fortran_library} ${module}/meridian_user.o
    COMMAND ${CMAKE_RANLIB} ${fortran_library}
    DEPENDS ${PROJECT_SOURCE_DIR}/include/meridian/meridian_user.F90 VERBATIM)
  add_custom_target(meridian_user_fortran DEPENDS ${module}/meridian_user.mod ${fortran_library})
  add_dependencies(meridian meridian_user_fortran)  # whatever is built can be installed
  install(FILES ${module}/meridian_user.mod DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/meridian/gfortran COMPONENT dev)
  install(FILES ${fortran_library} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
endif()

# The reader of merged files: its headers as they include each other.
set(merged_includes ${CMAKE_INSTALL_INCLUDEDIR}/meridian-merged)
install(TARGETS meridian_merged meridian_merged_model meridian_summary meridian_format
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
# Adds `header` and what it includes of ours to the list `headers`.
function(meridian_add_header header)
  if(header IN_LIST headers)
    return()
  endif()
  list(APPEND headers ${header})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(STRINGS ${header} lines REGEX "^#include \"")
  foreach(line ${lines})
    string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" included ${line})
    meridian_add_header(${included})
  endforeach()
  set(headers ${headers} PARENT_SCOPE)
endfunction()
set(headers "")
meridian_add_header(merged/merged_trace.hpp)
meridian_add_header(merged/energy_reader.hpp)
meridian_add_header(merged/memory_reader.hpp)
meridian_add_header(merged/processor_reader.hpp)
meridian_add_header(merged/sample_functions.hpp)
meridian_add_header(merged/sample_reader.hpp)
foreach(header ${headers})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${header} DESTINATION ${merged_includes}/${folder} COMPONENT dev)
endforeach()

# The way back to the prefix from a folder of the installation.
function(meridian_up from result)
  file(RELATIVE_PATH up /prefix/${from} /prefix)
  string(REGEX REPLACE "/$" "" up ${up})
  set(${result} ${up} PARENT_SCOPE)
endfunction()

meridian_up(${CMAKE_INSTALL_LIBDIR}/pkgconfig MERIDIAN_UP)
foreach(flavor ${MERIDIAN_TRACERS})
  set(MERIDIAN_FLAVOR ${flavor})
  configure_file(cmake/meridian.pc.in ${CMAKE_BINARY_DIR}/install/meridian-${flavor}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/install/meridian-${flavor}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
  if(flavor STREQUAL MERIDIAN_DEFAULT_MPI)
    install(FILES ${CMAKE_BINARY_DIR}/install/meridian-${flavor}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
      COMPONENT dev RENAME meridian.pc)
  endif()
endforeach()

set(user_files meridian-user)
if(MERIDIAN_GFORTRAN)
  list(APPEND user_files meridian-user-fortran)
endif()
foreach(name ${user_files})
  configure_file(cmake/${name}.pc.in ${CMAKE_BINARY_DIR}/install/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/install/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endforeach()

file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/install)
file(CREATE_LINK meridian/${MERIDIAN_DEFAULT_MPI}/libmeridian.so ${CMAKE_BINARY_DIR}/install/libmeridian.so SYMBOLIC)
install(FILES ${CMAKE_BINARY_DIR}/install/libmeridian.so DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)

get_target_property(format_libraries meridian_format LINK_LIBRARIES)
set(MERIDIAN_USES_LIBDEFLATE OFF)
if(format_libraries MATCHES "deflate")
  set(MERIDIAN_USES_LIBDEFLATE ON)
endif()
configure_package_config_file(cmake/MeridianConfig.cmake.in ${CMAKE_BINARY_DIR}/install/MeridianConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Meridian PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/install/MeridianConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/install/MeridianConfig.cmake ${CMAKE_BINARY_DIR}/install/MeridianConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Meridian COMPONENT dev)

# cmake --build DIR --target uninstall: removes what the last `cmake --install DIR` has written.
add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DMANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt
  -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)
