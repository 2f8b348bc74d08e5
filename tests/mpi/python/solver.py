# SPDX-License-Identifier: Apache-2.0
"""Calls from all kinds of Python functions. A comment after a call has the MPI function, the Python function and the number of
calls of each rank; ?: at least one."""

import sys
import threading

from mpi4py import MPI  #= MPI_Init_thread <module> 1

world = MPI.COMM_WORLD
one, sums = bytearray([1]), bytearray(1)
total = 0


class Solver:
    def assemble(self):
        world.Barrier()  #= MPI_Barrier Solver.assemble 1
        world.Barrier()  #= MPI_Barrier Solver.assemble 1
        world.Allreduce([one, MPI.BYTE], [sums, MPI.BYTE])  #= MPI_Allreduce Solver.assemble 1
        return sums[0]

    @staticmethod
    def steps(count):
        for i in range(count):
            world.Barrier()  #= MPI_Barrier Solver.steps 3
            yield i


def outer():
    def inner():
        world.Barrier()  #= MPI_Barrier outer.<locals>.inner 1

    inner()
    (lambda: world.Barrier())()  #= MPI_Barrier outer.<locals>.<lambda> 1
    return sum(bool(MPI.Get_processor_name()) for _ in range(2))  #= MPI_Get_processor_name outer.<locals>.<genexpr> 2


def größe():
    requests = [world.isend(world.rank, dest=world.rank), world.irecv(source=world.rank)]
    while not requests[0].Test():  #= MPI_Test größe ?
        pass
    while not requests[1].Test():  #= MPI_Test größe ?
        pass


def over_lines():
    world.Bcast(  #= MPI_Bcast over_lines 1
        [
            bytearray(8),
            MPI.BYTE,
        ],
        root=0,
    )


def in_thread(comm):
    for _ in range(50):
        comm.Barrier()  #= MPI_Barrier in_thread 100
    if comm.rank == 0:
        comm.Get_group().Free()  #= MPI_Comm_group in_thread 2


def code_that_is_made(number):
    """Code objects that take the place of others."""
    source = "\n" * number + f"def made_{number}():\n    world.Barrier()\n\nmade_{number}()\n"
    exec(compile(source, f"made_{number}.py", "exec"), {"world": world})


total += Solver().assemble()
total += sum(Solver.steps(3))
total += outer()
größe()
over_lines()
threads = [threading.Thread(target=in_thread, args=(MPI.COMM_SELF.Dup(),)) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for number in range(20):
    code_that_is_made(number)
world.Barrier()  #= MPI_Barrier <module> 1
sys.stdout.write(f"rank {world.rank}: {total}\n")
