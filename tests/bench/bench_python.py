# SPDX-License-Identifier: Apache-2.0
"""Nanoseconds of a call of mpi4py, the quickest of many short rounds: untraced, traced, and with MERIDIAN_PYTHON=no.

mpirun -n 1 [meridian run] python3 tests/bench/bench_python.py
"""

import sys
import time

from mpi4py import MPI

CALLS, ROUNDS = 500, 400


def probe(comm):
    for _ in range(CALLS):
        comm.Iprobe()


def barrier(comm):
    for _ in range(CALLS):
        comm.Barrier()


def message(comm):
    sent, received = bytearray(8), bytearray(8)
    for _ in range(CALLS):
        comm.Sendrecv(sent, 0, recvbuf=received)


for function in (probe, barrier, message):
    quickest = float("inf")
    for _ in range(ROUNDS):
        begin = time.perf_counter_ns()
        function(MPI.COMM_SELF)
        quickest = min(quickest, time.perf_counter_ns() - begin)
    sys.stdout.write(f"{function.__name__} {quickest / CALLS:.0f} ns\n")
