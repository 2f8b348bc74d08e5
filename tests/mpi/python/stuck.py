# SPDX-License-Identifier: Apache-2.0
"""Each rank waits for another one."""

import sys

from mpi4py import MPI

world = MPI.COMM_WORLD


class Ring:
    def exchange(self):
        world.Recv(bytearray(8), source=(world.rank + 1) % world.size)  #= MPI_Recv Ring.exchange 1


if world.rank == 0:
    sys.stdout.write("ready\n")
    sys.stdout.flush()
Ring().exchange()
