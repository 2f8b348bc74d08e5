#%Module1.0
# SPDX-License-Identifier: Apache-2.0
# Module file for Environment Modules. Link it into a folder of MODULEPATH, as meridian/VERSION: the prefix is found from
# where the link leads, PREFIX/share/meridian/meridian.tcl. Or give it: MERIDIAN_PREFIX.
proc ModulesHelp { } {
  puts stderr "Meridian traces MPI programs: mpirun -n 4 meridian run ./app; meridian merge latest"
}
module-whatis "Meridian: tracer for MPI programs"
conflict meridian

if { [info exists env(MERIDIAN_PREFIX)] && $env(MERIDIAN_PREFIX) ne "" } {
  set prefix $env(MERIDIAN_PREFIX)
} else {
  set prefix [file dirname [file dirname [file dirname [exec readlink -f $ModulesCurrentModulefile]]]]
}

prepend-path PATH $prefix/bin
prepend-path MANPATH $prefix/share/man
append-path MANPATH {}
prepend-path CMAKE_PREFIX_PATH $prefix
prepend-path PKG_CONFIG_PATH $prefix/lib/pkgconfig
prepend-path PYTHONPATH $prefix/lib/python3/dist-packages
