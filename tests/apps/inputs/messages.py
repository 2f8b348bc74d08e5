# SPDX-License-Identifier: Apache-2.0
"""mpi4py: pickled objects and buffers, blocking and not, persistent, probed."""

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
to, source = (rank + 1) % size, (rank - 1) % size

got = world.sendrecv({"rank": rank, "list": list(range(100))}, dest=to, source=source)
assert got["rank"] == source and len(got["list"]) == 100
request = world.isend(("tuple", rank), dest=to, tag=5)
assert world.recv(source=MPI.ANY_SOURCE, tag=5) == ("tuple", source)
request.wait()
request = world.irecv(source=source, tag=6)
world.send("text " * 1000, dest=to, tag=6) if size > 1 else world.isend("text " * 1000, dest=to, tag=6).Free()
assert request.wait() == "text " * 1000

out, into = numpy.full(5000, float(rank)), numpy.empty(5000)
requests = [world.Irecv([into, MPI.DOUBLE], source=source, tag=7), world.Isend([out, MPI.DOUBLE], dest=to, tag=7)]
MPI.Request.Waitall(requests)
assert (into == source).all()
status = MPI.Status()
request = world.Isend(out[:10], dest=to, tag=8)
message = world.Mprobe(source=source, tag=8, status=status)
assert status.Get_count(MPI.DOUBLE) == 10
message.Recv(into[:10])
request.Wait()
sender, receiver = world.Send_init(out, dest=to, tag=9), world.Recv_init(into, source=source, tag=9)
for step in range(3):
    out[:] = step + rank
    MPI.Prequest.Startall([receiver, sender])
    MPI.Request.Waitall([receiver, sender])
    assert (into == step + source).all()
sender.Free()
receiver.Free()
try:
    world.Send(out, dest=size + 3)
except MPI.Exception as error:
    assert error.Get_error_class() == MPI.ERR_RANK
world.Barrier()
if rank == 0:
    print(f"messages on {size} ranks: done")
