# SPDX-License-Identifier: Apache-2.0
# What an installation holds; included at the end of the top CMakeLists.txt. Each part installs its own targets, here is
# what makes them one installation.
#
#   bin/meridian                                  the command
#   libexec/meridian/meridian-writer              the process that turns rings into rank files
#   lib/meridian/<flavor>/libmeridian.so          the tracer, once for each MPI
#   lib/libmeridian.so                            a link to the default flavor's, so that -lmeridian alone works
#   lib/pkgconfig/meridian.pc, meridian-<flavor>.pc
#   include/meridian/                             user events: user.h for C and C++, meridian_user.F90 to compile along
#   lib/pkgconfig/meridian-user.pc                the include path alone
#   include/meridian-merged/, lib/libmeridian_{merged,merged_model,summary,format}.a   the reader of merged.h5 for C++ programs
#   lib/cmake/Meridian/                           find_package(Meridian): Meridian::meridian, Meridian::<flavor>, Meridian::user,
#                                                 and with COMPONENTS merged, Meridian::merged
#
# Nothing installed holds a path of the build; the tree may be moved as a whole.
include(CMakePackageConfigHelpers)

list(GET MERIDIAN_MPIS 0 first_flavor)
set(MERIDIAN_DEFAULT_MPI ${first_flavor} CACHE STRING "MPI whose tracer is lib/libmeridian.so")
if(NOT MERIDIAN_DEFAULT_MPI IN_LIST MERIDIAN_MPIS)
  message(FATAL_ERROR "MERIDIAN_DEFAULT_MPI is '${MERIDIAN_DEFAULT_MPI}', must be one of: ${MERIDIAN_MPIS}")
endif()

install(FILES LICENSE README.md CHANGELOG.md docs/GLOSSARY.md TYPE DOC)

install(FILES include/meridian/user.h include/meridian/user_abi.h include/meridian/meridian_user.F90
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/meridian)

# The reader of merged files: its headers as they include each other.
set(merged_includes ${CMAKE_INSTALL_INCLUDEDIR}/meridian-merged)
install(TARGETS meridian_merged meridian_merged_model meridian_summary meridian_format
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
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
foreach(header ${headers})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${header} DESTINATION ${merged_includes}/${folder})
endforeach()
install(FILES merged/FORMAT.md TYPE DOC)

# The way back to the prefix from a folder of the installation.
function(meridian_up from result)
  file(RELATIVE_PATH up /prefix/${from} /prefix)
  string(REGEX REPLACE "/$" "" up ${up})
  set(${result} ${up} PARENT_SCOPE)
endfunction()

meridian_up(${CMAKE_INSTALL_LIBDIR}/pkgconfig MERIDIAN_UP)
foreach(flavor ${MERIDIAN_MPIS})
  set(MERIDIAN_FLAVOR ${flavor})
  configure_file(cmake/meridian.pc.in ${CMAKE_BINARY_DIR}/install/meridian-${flavor}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/install/meridian-${flavor}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  if(flavor STREQUAL MERIDIAN_DEFAULT_MPI)
    install(FILES ${CMAKE_BINARY_DIR}/install/meridian-${flavor}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
      RENAME meridian.pc)
  endif()
endforeach()

configure_file(cmake/meridian-user.pc.in ${CMAKE_BINARY_DIR}/install/meridian-user.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/install/meridian-user.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/install)
file(CREATE_LINK meridian/${MERIDIAN_DEFAULT_MPI}/libmeridian.so ${CMAKE_BINARY_DIR}/install/libmeridian.so SYMBOLIC)
install(FILES ${CMAKE_BINARY_DIR}/install/libmeridian.so DESTINATION ${CMAKE_INSTALL_LIBDIR})

get_target_property(format_libraries meridian_format LINK_LIBRARIES)
set(MERIDIAN_USES_LIBDEFLATE OFF)
if(format_libraries MATCHES "deflate")
  set(MERIDIAN_USES_LIBDEFLATE ON)
endif()
configure_package_config_file(cmake/MeridianConfig.cmake.in ${CMAKE_BINARY_DIR}/install/MeridianConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Meridian PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/install/MeridianConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/install/MeridianConfig.cmake ${CMAKE_BINARY_DIR}/install/MeridianConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Meridian)
