# SPDX-License-Identifier: Apache-2.0
# Debian packages: cpack --config build/release/CPackConfig.cmake -G DEB. One for each component of the installation.
#
#   meridian           the command, manual pages, completions, module files
#   meridian-runtime   the tracer and its writer: what a compute node needs for programs that are linked with the tracer
#   meridian-openmpi   what `mpirun meridian merge` needs with Open MPI, the only part that depends on the MPI library;
#   meridian-mpich     the same with MPICH
#   meridian-dev       headers, pkg-config, CMake package, Fortran module, the reader of merged files
#   python3-meridian   merged traces as pandas tables
#   meridian-doc       documents and examples
#
# Dependencies on shared libraries are found by dpkg-shlibdeps.
set(CPACK_PACKAGE_NAME meridian)
string(REPLACE "-rc" "~rc" CPACK_PACKAGE_VERSION ${MERIDIAN_VERSION})   # Debian sorts 1.0.0~rc1 before 1.0.0
set(CPACK_PACKAGE_VENDOR "Meridian")
set(CPACK_PACKAGE_CONTACT "Meridian's developers <meridian@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Tracer for MPI programs: timeline, clock corrections, waits, summary")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL tool runtime ${MERIDIAN_MPIS} dev python doc)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_TOOL_PACKAGE_NAME meridian)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME meridian-runtime)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME meridian-dev)
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-meridian)
set(CPACK_DEBIAN_DOC_PACKAGE_NAME meridian-doc)
set(CPACK_DEBIAN_TOOL_PACKAGE_DEPENDS "meridian-runtime (= ${CPACK_PACKAGE_VERSION})")
list(TRANSFORM MERIDIAN_MPIS PREPEND "meridian-" OUTPUT_VARIABLE mpi_packages)
list(JOIN mpi_packages ", " mpi_packages)
set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS "meridian-doc, python3-meridian, ${mpi_packages}")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "meridian-runtime (= ${CPACK_PACKAGE_VERSION})")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS "libhdf5-dev, libdeflate-dev")
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3, python3-h5py, python3-numpy, python3-pandas")
foreach(component PYTHON DOC)
  set(CPACK_DEBIAN_${component}_PACKAGE_ARCHITECTURE all)
  set(CPACK_DEBIAN_${component}_PACKAGE_SHLIBDEPS OFF)
endforeach()
set(CPACK_DEBIAN_OPENMPI_PACKAGE_NAME meridian-openmpi)
set(CPACK_DEBIAN_MPICH_PACKAGE_NAME meridian-mpich)
foreach(component OPENMPI MPICH)
  set(CPACK_DEBIAN_${component}_PACKAGE_DEPENDS "meridian (= ${CPACK_PACKAGE_VERSION})")
endforeach()
set(CPACK_COMPONENT_OPENMPI_DESCRIPTION "Merging of traces by several processes that Open MPI's mpirun starts.")
set(CPACK_COMPONENT_MPICH_DESCRIPTION "Merging of traces by several processes that MPICH's mpirun starts.")
set(CPACK_COMPONENT_TOOL_DESCRIPTION "The command meridian: traces, merges, summarizes and exports runs of MPI programs.")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "The tracer, a library between program and MPI, and the process that writes its rank files.")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Headers, pkg-config files and CMake package: user events, linking the tracer, reading merged files.")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Merged traces as pandas tables.")
set(CPACK_COMPONENT_DOC_DESCRIPTION "Documents, the description of the formats, and example programs.")
include(CPack)
