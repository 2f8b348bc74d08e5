# SPDX-License-Identifier: Apache-2.0
"""Expected contents of a trace of each program in programs/ on n ranks, from reading the program. Nothing here comes from a trace.

Numbers are of all ranks together. Calls by function are not here: the independent counter knows them.
"""

import dataclasses


@dataclasses.dataclass
class Expected:
    messages: int = 0
    bytes: int = 0
    completed: int = 0  # requests
    cancelled: int = 0
    failed: int = 0  # calls
    collective_calls: int = 0
    instances: int = 0  # collectives, each counted once for any number of ranks
    collective_parts: int = None  # calls without the refused ones; None: none were refused
    collective_bytes: tuple = None  # as recorded, sent and received; None: not looked at
    threads: int = 1  # of each rank, in MPI
    nested: int = 0  # those of them that stand for calls from callbacks
    findings: frozenset = frozenset()  # that are the program's own fault or choice
    # Calls that the program makes while recording is off: counted, and rightly not recorded.
    unrecorded: dict = dataclasses.field(default_factory=dict)  # function -> calls of each rank, None: all; negative: more
    environment: dict = dataclasses.field(default_factory=dict)  # what the program needs, traced or not
    objects: dict = dataclasses.field(default_factory=dict)  # table of the summary -> rows, as far as they are known
    truncated: int = 0  # messages longer than their receive buffers; the library decides how much of them arrives


def blocking(n, **_):
    return Expected(messages=10 * n, bytes=n * (4 * (4 + 100000) + 8), completed=8 * n, collective_calls=8 * n, instances=8)


def nonblocking(n, **_):
    sent = 8 * 2 * 6 * n
    return Expected(messages=sent, bytes=4 * sent, completed=2 * sent, collective_calls=16 * n, instances=16)


def persistent(n, **_):
    return Expected(messages=12 * n, bytes=96 * n, completed=24 * n, collective_calls=3 * n, instances=3)


def sendrecv(n, mpi_version, **_):
    new = 2 * n if mpi_version >= 4 else 0
    return Expected(messages=5 * n + n - 1 + new, bytes=16 * n + 4 * (n - 1) + 4 * new, completed=new)


def probe(n, **_):
    return Expected(messages=6 * n, bytes=24 * n, completed=8 * n)


def wildcards(n, **_):
    return Expected(messages=40 * n, bytes=160 * n, completed=60 * n)


def cancel(n, **_):
    return Expected(messages=4 * n, bytes=28 * n, completed=7 * n, cancelled=3 * n, collective_calls=2 * n, instances=2)


def corners(n, **_):
    return Expected(messages=4 * n, bytes=88 * n, completed=6 * n)


def many_requests(n, **_):
    return Expected(messages=12500 * n, bytes=50000 * n, completed=25000 * n)


def collectives(n, **_):
    return Expected(collective_calls=47 * n, instances=47, completed=17 * n)


def between(n, **_):
    if n < 2:
        return Expected()
    pairs = n // 2 * 2
    return Expected(messages=pairs, bytes=4 * pairs, completed=n, collective_calls=10 * n, instances=10)


def onesided(n, **_):
    world = {"name": "", "comm": "MPI_COMM_WORLD", "windows": 1, "ranks": n, "exchanges": 0, "exchange_bytes": 0}
    return Expected(
        completed=2 * n,
        failed=n,
        collective_calls=2 * n,
        instances=2,
        environment={"OMPI_MCA_osc": "pt2pt"},  # the one kind of window that one rank can have without process_vm_readv
        objects={
            "windows": [
                # Bytes are those at the origin, for any target.
                {"name": "halo", "comm": "MPI_COMM_WORLD", "windows": 1, "ranks": n, "puts": 4 * n, "put_bytes": 20 * n,
                 "gets": n, "get_bytes": 8 * n, "exchanges": 3 * n, "exchange_bytes": 24 * n, "syncs": 7 * n + 1},
                {"name": "", "comm": "grid", "windows": 1, "ranks": n, "puts": n, "put_bytes": 8 * n, "gets": 0,
                 "get_bytes": 0, "syncs": 6 * n},
                {**world, "puts": 2 * n, "put_bytes": 8 * n, "gets": n, "get_bytes": 8 * n, "syncs": 10 * n},
            ],
            "communicators": [
                {"name": "MPI_COMM_WORLD", "kind": "world", "communicators": 1, "ranks": n, "p2p_calls": 0,
                 "collective_calls": n},
                {"name": "grid", "kind": "intra", "communicators": 1, "ranks": n, "p2p_calls": 0, "collective_calls": n},
            ],
        },
    )  # fmt: skip


def files(n, **_):
    return Expected(
        completed=4 * n,
        failed=n,
        collective_calls=3 * n,
        instances=3,
        objects={
            "files": [
                {"ranks": n, "opens": 2 * n, "reads": 12 * n, "read_bytes": 12 * 16 * n, "writes": 9 * n,
                 "write_bytes": 8 * 16 * n, "others": 10 * n},
            ],
        },
    )  # fmt: skip


def sessions(n, **_):
    return Expected(messages=2 * n, bytes=8 * n, collective_calls=n, instances=1)


def neighbourhood(n, **_):
    # Ten calls on each of four topologies, with two neighbours each way in two of them and one in the others.
    moved = n * 10 * 4 * (2 + 2 + 1 + 1)
    return Expected(collective_calls=40 * n, instances=40, completed=20 * n, collective_bytes=(moved, moved))


def communicators(n, **_):
    """(members, communicators of that size) of each use()."""
    half, rows = (n + 1) // 2, {1: 1, 2: 2, 4: 2}[n]
    parity = [(half, 1), (n // 2, 1)]
    uses = [(n, 1), (1, n), (n, 3), (n, 2), (1, n), (n, 1), (n, 1), *parity, (n - 1, 1), (n, 1), (1, 2), (n // rows, rows)]
    uses += [(n, 1), (half, 1), (n, 1)]
    used = sum(members * comms for members, comms in uses)
    instances = sum(comms for members, comms in uses if members)
    return Expected(messages=used, bytes=4 * used, collective_calls=used, instances=instances, completed=n)  # MPI_Comm_idup


def errors(n, **_):
    # 4 collectives are refused at every rank twice, one at one rank only; with 2 ranks, one fails that has taken part.
    with_truncated = 1 if n == 2 else 0
    done = 4 + with_truncated
    return Expected(failed=2 * 22 * n + 1 + with_truncated, collective_calls=2 * 4 * n + 1 + done * n, instances=done,
                    collective_parts=done * n)


def truncated(n, **_):
    # 15 ways; after each a message that fits, and one beside a long one. Sends but that of Sendrecv have a request.
    return Expected(messages=31 * n, bytes=n * (15 * 400000 + 16 * 4), completed=(14 + 12) * n, failed=15 * n,
                    truncated=15 * n, findings=frozenset({"message.truncated"}))


def callbacks(n, **_):
    # The counter takes a call through a pointer for the library's own. A thread number for each of two depths.
    passed = 8 * n
    return Expected(messages=passed, bytes=4 * passed, failed=2 * n, collective_calls=12 * n, instances=12,
                    unrecorded={"MPI_Comm_free": -1}, threads=3, nested=2, findings=frozenset({"site.in_mpi"}))


def outside(n, **_):
    return Expected(collective_calls=n, instances=1)


def first_calls(n, **_):
    return Expected(collective_calls=n, instances=1, threads=17)


def threads(n, **_):
    sent = 4 * (3 * 25 + 1) * n
    return Expected(messages=sent, bytes=4 * sent, completed=4 * (2 * 25 + 1) * n, collective_calls=4 * n, instances=4,
                    threads=5, findings=frozenset({"message.ambiguous"}))


def short_threads(n, **_):
    return Expected(messages=200 * n, bytes=800 * n, threads=201)


def forking(n, **_):
    return Expected(collective_calls=2 * n, instances=2)


def control(n, **_):
    hidden = {"MPI_Allreduce": 5, "MPI_Comm_split": 1, "MPI_Comm_set_name": 1, "MPI_Irecv": 1, "MPI_Isend": 1, "MPI_Comm_free": 1}
    return Expected(messages=n, bytes=4 * n, collective_calls=3 * n, instances=3, unrecorded=hidden,
                    findings=frozenset({"call.switched_off"}))


def escape(n, **_):
    return Expected(failed=50 * n, collective_calls=60 * n, instances=60)


SUBJECTS = {
    function.__name__: function
    for function in (
        blocking, nonblocking, persistent, sendrecv, probe, wildcards, cancel, corners, many_requests, collectives, between,
        neighbourhood, sessions, onesided, files, communicators, errors, truncated, callbacks, outside, first_calls, threads,
        short_threads, forking, control, escape,
    )
}  # fmt: skip
