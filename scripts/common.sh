# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts; sourced, from the root of the repository.
# shellcheck shell=bash

# Open MPI: root may start programs, and a machine may have fewer cores than ranks.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none # containers forbid it, and Open MPI says so at every start
export OMPI_MCA_plm_rsh_agent=false                  # one machine: no ssh to look for
export PRTE_MCA_plm_ssh_agent=false # the same from Open MPI 5 on
case $(mpirun.openmpi --version 2>/dev/null) in
  *'Open MPI) 5.'*) export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe ;;
  *) export PRTE_MCA_mapby=:oversubscribe ;; # its name from Open MPI 6 on, whose launcher complains about the old one
esac
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 # what one clone has compiled serves the next one
fi

# mpirun_of FLAVOR: the launcher of one MPI library; Debian installs both beside each other.
mpirun_of() {
  command -v "mpirun.$1" || command -v mpirun
}

# quietly WHAT COMMAND...: one line while it works, the end of its output when it fails.
quietly() {
  local what=$1 log status=0
  shift
  echo "$what ..."
  log=$(mktemp)
  "$@" >"$log" 2>&1 </dev/null || status=$?
  [ "$status" -eq 0 ] || tail -n 100 "$log"
  rm -f "$log"
  return "$status"
}

# visibly WHAT COMMAND...: on a terminal with the output of the command, such as ninja's line of progress with its share of the steps;
# elsewhere quietly.
visibly() {
  if [ -t 1 ]; then
    echo "$1 ..."
    NINJA_STATUS='[%p, %es] ' "${@:2}" </dev/null
  else
    quietly "$@"
  fi
}
