# SPDX-License-Identifier: Apache-2.0
"""Expected contents of a trace of each example, computed only from the example's arguments: how often each MPI function is
called over all ranks, and which messages go from which rank to which. Nothing here comes from a trace."""

import collections
import dataclasses


@dataclasses.dataclass
class Prediction:
    result: str = None  # the program's output, where it is known in advance
    calls: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    pairs: dict = dataclasses.field(default_factory=dict)  # (source, dest) -> (messages, bytes)
    collectives: int = 0  # instances, each counted once for any number of ranks
    collective_calls: int = 0
    traffic: collections.Counter = dataclasses.field(default_factory=collections.Counter)  # function -> bytes
    regions: dict = dataclasses.field(default_factory=dict)  # that the program marks: name -> times over all ranks
    own_events: dict = dataclasses.field(default_factory=dict)  # its other events
    own_messages: dict = dataclasses.field(default_factory=lambda: {"matched": 0, "bytes": 0})

    def call(self, count, *names):
        for name in names:
            if count:
                self.calls["MPI_" + name] += count

    def collective(self, instances, calls, *names, traffic=0):
        """`instances` of each of the functions, by `calls` calls over all ranks. `traffic`: bytes that one instance moves,
        which are those that each rank contributes to the result of each rank, summed over the pairs; None: not
        predicted."""
        self.call(calls, *names)
        for name in names if traffic is not None else ():
            self.traffic["MPI_" + name] += instances * traffic
        self.collectives += instances * len(names)
        self.collective_calls += calls * len(names)

    def send(self, source, dest, messages, each_bytes):
        if messages:
            before = self.pairs.get((source, dest), (0, 0))
            self.pairs[source, dest] = (before[0] + messages, before[1] + messages * each_bytes)

    @property
    def messages(self):
        return sum(messages for messages, _ in self.pairs.values())

    @property
    def bytes(self):
        return sum(size for _, size in self.pairs.values())


def begun(ranks, init="Init"):
    """Every example starts, asks who it is, and ends."""
    prediction = Prediction()
    prediction.call(ranks, init, "Comm_rank", "Comm_size", "Finalize")
    return prediction


def ring(ranks, laps):
    p = begun(ranks)
    p.result = f"ring: {laps} laps, token {laps * ranks * (ranks + 1) // 2}\n"
    p.call(laps * ranks, *(["Sendrecv"] if ranks == 1 else ["Send", "Recv"]))
    for rank in range(ranks):
        p.send(rank, (rank + 1) % ranks, laps, 8)
    return p


def late_sender(ranks, rounds, _delay_us):
    p = begun(ranks)
    if ranks == 1:
        p.result = "late_sender: needs two ranks, nothing to do\n"
        return p
    total = 0
    for receiver in range(1, ranks, 2):
        p.call(2 * rounds, "Send", "Recv")
        p.send(receiver, receiver - 1, rounds, 0)
        p.send(receiver - 1, receiver, rounds, 8)
        total += sum((receiver - 1) * 1000 + i for i in range(rounds))
    p.result = f"late_sender: {rounds} rounds, sum {total}\n"
    p.collective(1, ranks, "Reduce", traffic=8 * ranks)
    return p


def repeated(factor, summand, times):
    """(factor, summand) of the map x -> factor * x + summand modulo 2^64 applied `times` times."""
    result = (1, 0)
    while times:
        if times % 2:
            result = (factor * result[0] % 2**64, (factor * result[1] + summand) % 2**64)
        factor, summand = factor * factor % 2**64, (factor * summand + summand) % 2**64
        times //= 2
    return result


def imbalance(ranks, steps, work):
    p = begun(ranks)
    checksum = 0
    for rank in range(ranks):
        factor, summand = repeated(6364136223846793005, 1442695040888963407, steps * work * (rank + 1))
        checksum += factor * rank + summand
    p.result = f"imbalance: {steps} steps, checksum {checksum % 2**64:016x}\n"
    p.collective(steps, steps * ranks, "Barrier")
    p.collective(1, ranks, "Reduce", traffic=8 * ranks)
    return p


def regions(ranks, iterations, _cells):
    p = begun(ranks)
    p.result = f"regions: {iterations} iterations, residual is a number\n"
    p.call(2 * ranks * iterations, "Sendrecv")
    p.collective(iterations, ranks * iterations, "Allreduce", traffic=8 * ranks**2)
    for rank in range(1, ranks):
        p.send(rank, rank - 1, iterations, 8)
        p.send(rank - 1, rank, iterations, 8)
    p.regions = {name: ranks * iterations for name in ("iteration", "exchange", "relax")}
    p.own_messages = {"matched": 2 * (ranks - 1) * iterations, "bytes": 16 * (ranks - 1) * iterations}
    p.own_events = {"residual": ranks * iterations, "PROGRESS": ranks * ((iterations + 9) // 10), "solver starts": ranks}
    return p


def part(cells, parts, index):
    return cells * (index + 1) // parts - cells * index // parts


def halo2d(ranks, iterations, rows, columns, _threads):
    p = begun(ranks, "Init_thread")
    p.call(ranks, "Dims_create")
    down, across = {1: (1, 1), 2: (2, 1), 4: (2, 2)}[ranks]  # what MPI_Dims_create must answer
    if rows < down or columns < across:
        p.result = ""
        return p
    p.call(ranks, "Cart_create", "Cart_coords", "Type_vector", "Type_commit", "Type_free", "Comm_free")
    p.call(2 * ranks, "Cart_shift")
    p.call(4 * ranks * iterations, "Irecv", "Isend")
    p.call(ranks * iterations, "Waitall")
    p.collective(iterations, ranks * iterations, "Allreduce", traffic=8 * ranks**2)
    p.collective(1, ranks, "Reduce", traffic=8 * ranks)
    for row in range(down):
        for column in range(across):
            for row_step, column_step in ((-1, 0), (1, 0), (0, -1), (0, 1)):
                if 0 <= row + row_step < down and 0 <= column + column_step < across:
                    edge = part(columns, across, column) if row_step else part(rows, down, row)
                    neighbour = (row + row_step) * across + column + column_step
                    p.send(row * across + column, neighbour, iterations, 8 * edge)
    return p


BLOCK = 16  # bytes that a rank gives to another where the call has no vector
INT = 4

# Bytes from rank s to rank d in a communicator whose last rank is `last`, the root of some.
BLOCKING = {
    "Barrier": lambda s, d, last: 0,
    "Bcast": lambda s, d, last: BLOCK * (s == last),
    "Gather": lambda s, d, last: BLOCK * (d == 0),
    "Gatherv": lambda s, d, last: INT * (s + 1) * (d == last),
    "Scatter": lambda s, d, last: BLOCK * (s == 0),
    "Scatterv": lambda s, d, last: INT * (d + 1) * (s == last),
    "Allgather": lambda s, d, last: BLOCK,
    "Allgatherv": lambda s, d, last: INT * (s + 1),
    "Alltoall": lambda s, d, last: BLOCK,
    "Alltoallv": lambda s, d, last: INT * (d + 1),
    "Alltoallw": lambda s, d, last: INT * (d + 1),
    "Reduce": lambda s, d, last: BLOCK * (d == 0),
    "Allreduce": lambda s, d, last: BLOCK,
    "Reduce_scatter": lambda s, d, last: BLOCK,
    "Reduce_scatter_block": lambda s, d, last: BLOCK,
    "Scan": lambda s, d, last: BLOCK * (s <= d),
    "Exscan": lambda s, d, last: BLOCK * (s < d),
}
IN_PLACE = ("Allreduce", "Allgather", "Alltoall", "Reduce")
NEIGHBOURHOOD = (
    "Neighbor_allgather",
    "Neighbor_allgatherv",
    "Neighbor_alltoall",
    "Neighbor_alltoallv",
    "Neighbor_alltoallw",
    "Ineighbor_alltoall",
)


def traffic(name, size):
    return sum(BLOCKING[name](s, d, size - 1) for s in range(size) for d in range(size))


def collectives(ranks, rounds):
    p = begun(ranks)
    p.call(3 * ranks, "Comm_rank", "Comm_size")  # each of the three teams asks again
    p.call(ranks, "Comm_dup", "Comm_split")
    p.call(2 * ranks, "Comm_free")
    p.collective(1, ranks, "Reduce", traffic=8 * ranks)
    first, second = (ranks + 1) // 2, ranks // 2  # sizes of the halves
    for size in filter(None, (ranks, ranks, first, second)):  # the world, its duplicate, the halves
        calls = size * rounds
        p.call(calls, "Wait", "Wait", "Waitall", "Cart_create", "Comm_free")
        for name in BLOCKING:
            p.collective(rounds, calls, name, "I" + name.lower(), traffic=traffic(name, size))
        for name in IN_PLACE:
            p.collective(rounds, calls, name, traffic=traffic(name, size))
        p.collective(rounds, calls, *NEIGHBOURHOOD, traffic=None)  # the line's ends have neighbours that are none
    if second:
        calls = ranks * rounds
        p.call(calls, "Intercomm_create", "Intercomm_merge", "Comm_free", "Comm_free")
        p.collective(rounds, calls, "Bcast", traffic=second * BLOCK)  # from one rank of the first half
        p.collective(rounds, calls, "Allreduce", traffic=2 * first * second * BLOCK)  # each half gets the other's
        p.collective(2 * rounds, 2 * calls, "Barrier")
    return p


EXAMPLES = {f.__name__: f for f in (ring, late_sender, imbalance, halo2d, collectives, regions)}
