#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# try_packages.sh NEEDED: in a root of its own, with the packages in /packages and the sources in /sources. Installs NEEDED and the
# packages with apt; with an empty NEEDED, the packages alone with dpkg: the machine has the rest.
set -eu
export DEBIAN_FRONTEND=noninteractive OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_plm_rsh_agent=false
export HOME=/tmp MERIDIAN_QUIET=yes
unset PYTHONPATH LD_LIBRARY_PATH LD_PRELOAD || true

# What may be ours in the system. Other packages have the word in names as well, as Boost in headers about the Earth: these stay as they were.
named() { find /usr /etc /var/lib/meridian ! -path '/usr/share/doc/*' -iname '*meridian*' 2>/dev/null | sort; }
named >/tmp/before
! grep -E '^/usr/(bin/meridian|.*/libmeridian)' /tmp/before || { echo "already here"; exit 1; }

if [ -n "$1" ]; then
  # shellcheck disable=SC2086 # a list
  apt-get -q -o Dpkg::Use-Pty=0 install -y --no-install-recommends $1 /packages/*.deb >/tmp/apt.log 2>&1 || { tail -n 30 /tmp/apt.log; exit 1; }
else
  dpkg --install /packages/*.deb >/tmp/dpkg.log 2>&1 || { cat /tmp/dpkg.log; exit 1; }
fi

mkdir /tmp/try
cd /tmp/try
echo "+ the command, and a program that knows nothing of it"
meridian --version
mpicc.openmpi /sources/examples/ring.c -o ring
MERIDIAN_DIR=trace mpirun.openmpi -n 2 meridian run ./ring 25
meridian merge trace >summary
grep -q 'MPI_Init' summary
meridian check trace
meridian report trace
test -s trace/report.html

echo "+ a program that is linked with the tracer and marks regions"
# shellcheck disable=SC2046 # a list
mpicc.openmpi /sources/examples/regions.c $(pkg-config --cflags --libs meridian-openmpi) -o regions
MERIDIAN_DIR=linked mpirun.openmpi -n 2 ./regions
meridian merge --quiet linked
test -s linked/merged.h5

if command -v gfortran >/dev/null && pkg-config --exists meridian-user-fortran; then
  echo "+ the Fortran module"
  printf 'program marked\n  use meridian_user\n  call meridian_marker("here")\nend program\n' >marked.f90
  # shellcheck disable=SC2046 # a list
  gfortran marked.f90 $(pkg-config --cflags --libs meridian-user-fortran) -o marked
  ./marked
fi

echo "+ Python"
/usr/bin/python3 -c 'import meridian; print(len(meridian.Trace("trace").events), "events")'

echo "+ manual pages and completion"
if command -v man >/dev/null; then man --where meridian-merge meridian.conf; fi
bash -n /usr/share/bash-completion/completions/meridian
meridian help clocks >/dev/null

echo "+ removal"
for package in /packages/*.deb; do dpkg-deb --field "$package" Package; done | xargs dpkg --purge >/tmp/purge.log 2>&1 || { cat /tmp/purge.log; exit 1; }
named | diff /tmp/before - || { echo "left, or taken away: see above"; exit 1; }
test ! -e /usr/bin/meridian
echo "all is well"
