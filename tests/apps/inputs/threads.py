# SPDX-License-Identifier: Apache-2.0
"""mpi4py: MPI_THREAD_MULTIPLE, its default, used: three Python threads of each rank exchange messages."""

import threading

import numpy
from mpi4py import MPI

assert MPI.Query_thread() == MPI.THREAD_MULTIPLE
world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
sums = {}


def exchange(number, comm):
    total = 0
    for step in range(20):
        into = numpy.empty(1, dtype="i")
        comm.Sendrecv(numpy.array([rank + step], dtype="i"), (rank + 1) % size, step, into, (rank - 1) % size, step)
        total += int(into[0])
    sums[number] = total


comms = [world.Dup() for _ in range(3)]
threads = [threading.Thread(target=exchange, args=(i, comm)) for i, comm in enumerate(comms)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert set(sums.values()) == {20 * ((rank - 1) % size) + 190}
for comm in comms:
    comm.Free()
if rank == 0:
    print(f"threads on {size} ranks: done")
