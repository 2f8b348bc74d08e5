# SPDX-License-Identifier: Apache-2.0
"""mpi4py: collectives of objects and of buffers, in place, vectors, non-blocking, sub-communicators, topologies."""

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()

assert world.bcast({"key": "value"} if rank == 0 else None)["key"] == "value"
assert world.gather(rank, root=0) == (list(range(size)) if rank == 0 else None)
assert world.scatter([i * i for i in range(size)] if rank == 0 else None) == rank * rank
assert world.allgather(str(rank)) == [str(i) for i in range(size)]
assert world.alltoall([rank] * size) == list(range(size))
assert world.allreduce(rank, op=MPI.MAX) == size - 1

values = numpy.full(1000, rank + 1, dtype="i")
world.Allreduce(MPI.IN_PLACE, values, op=MPI.SUM)
assert (values == size * (size + 1) // 2).all()
counts = numpy.arange(1, size + 1)
parts = numpy.empty(counts.sum(), dtype="i")
world.Allgatherv(numpy.full(rank + 1, rank, dtype="i"), [parts, counts])
assert (parts == numpy.repeat(numpy.arange(size), counts)).all()
total = numpy.empty(1000, dtype="i")
request = world.Iallreduce(values, total)
request.Wait()
assert (total == values * size).all()

half = world.Split(rank % 2, rank)
assert half.allreduce(1) == (size + 1 - rank % 2) // 2
half.Free()
line = world.Create_cart([size], periods=[True])
left, right = line.Shift(0, 1)
near = numpy.empty(2, dtype="i")
line.Neighbor_allgather(numpy.array([rank], dtype="i"), near)
assert sorted(near) == sorted([left, right])
line.Free()
window = MPI.Win.Allocate(8, comm=world)
window.Fence()
window.Put(numpy.array([float(rank)]), (rank + 1) % size)
window.Fence()
window.Free()
if rank == 0:
    print(f"collectives on {size} ranks: done")
