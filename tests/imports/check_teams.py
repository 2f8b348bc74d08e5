# SPDX-License-Identifier: Apache-2.0
"""Efficiencies of archives with OpenMP threads, and with regions inside MPI calls. Written by Debian's python3-otf2.

check_teams.py --meridian M
"""

import argparse
import pathlib
import sys
import tempfile

from imported import findings, imported

try:
    import otf2
    from otf2.enums import GroupType, Paradigm, RegionRole
except ImportError:
    print("skipped: no Python module otf2 (Debian: python3-otf2)")
    sys.exit(77)

parser = argparse.ArgumentParser()
parser.add_argument("--meridian", required=True)
options = parser.parse_args()
MS, END = 10**6, 1000  # ms


class Archive:
    """Ranks of some threads each, as Score-P writes them; times are ms."""

    def __init__(self, trace, ranks, threads):
        definitions = trace.definitions
        node = definitions.system_tree_node("node", class_name="node")
        self.definitions, self.regions, self.writers = definitions, {}, {}
        masters = []
        for rank in range(ranks):
            group = definitions.location_group(f"MPI Rank {rank}", system_tree_parent=node)
            for thread in range(threads):
                location = definitions.location("Master thread" if thread == 0 else f"OMP thread {thread}", group=group)
                self.writers[rank, thread] = trace.event_writer_from_location(location)
                masters += [location] if thread == 0 else []
        definitions.group("", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=masters)
        group = definitions.group("", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, members=list(range(ranks)))
        self.world = definitions.comm("MPI_COMM_WORLD", group=group)

    def region(self, name):
        if name not in self.regions:
            paradigm = Paradigm.MPI if name.startswith("MPI_") else Paradigm.OPENMP if name.startswith("!$omp") else Paradigm.USER
            role = RegionRole.FUNCTION
            if name.startswith("!$omp"):
                role = RegionRole.IMPLICIT_BARRIER if "implicit" in name else RegionRole.PARALLEL
            self.regions[name] = self.definitions.region(name, region_role=role, paradigm=paradigm)
        return self.regions[name]

    def inside(self, place, name, begin, end, inner=()):
        self.writers[place].enter(round(begin * MS), self.region(name))
        for each in inner:
            self.inside(place, *each)
        self.writers[place].leave(round(end * MS), self.region(name))

    def whole(self, rank, inner):
        """The main thread, with the calls inside `main`."""
        self.inside((rank, 0), "main", 0, END, [("MPI_Init", 1, 2), *inner, ("MPI_Finalize", END - 2, END - 1)])


def efficiency(name, ranks, threads, fill):
    folder = pathlib.Path(work) / name
    with otf2.writer.open(str(folder), timer_resolution=10**9) as trace:
        fill(Archive(trace, ranks, threads))
    _, trace, summary = imported(options.meridian, folder / "traces.otf2", folder / "trace")
    assert not findings(summary), findings(summary)
    row = summary["efficiencies"][0]
    assert row["scope"] == "run", row
    print(name, {key: round(value, 4) for key, value in row.items() if isinstance(value, float)})
    return row, trace


def near(value, expected):
    assert abs(value - expected) < 0.002, (value, expected)


with tempfile.TemporaryDirectory() as work:
    T = END - 4  # between MPI_Init and MPI_Finalize

    # Workers compute in ten regions of 10 ms, and do nothing in between.
    def idle(archive):
        times = [(10 + k * 95, 20 + k * 95) for k in range(10)]
        archive.whole(0, [("!$omp parallel @a.c:5", *at) for at in times])
        for thread in (1, 2, 3):
            for at in times:
                archive.inside((0, thread), "!$omp parallel @a.c:5", *at)

    row, trace = efficiency("idle", 1, 4, idle)
    near(row["parallel"], (T + 3 * 100) / (4 * T))
    assert row["threads"] == 4 and abs(row["mpi_factor"] - 1) < 1e-9, row
    waits = [trace.call(i) for i in range(len(trace.location)) if trace.call(i) == "omp_implicit_barrier"]
    assert len(waits) == 3 * 9, len(waits)

    # The master works for 10 ms of each region, the other thread for 2 ms and then waits at the barrier.
    def uneven(archive):
        times = [(10 + k * 95, 20 + k * 95) for k in range(10)]
        name, barrier = "!$omp parallel @a.c:5", "!$omp implicit barrier @a.c:9"
        archive.whole(0, [(name, a, b, [(barrier, b - 0.5, b)]) for a, b in times])
        for a, b in times:
            archive.inside((0, 1), name, a, b, [(barrier, a + 2, b)])

    row, _ = efficiency("uneven", 1, 2, uneven)
    near(row["parallel"], (T - 10 * 0.5 + 10 * 2) / (2 * T))

    # A library's region inside MPI_Barrier is no thread; the ranks compute for all but 4 ms of MPI each.
    def inner(archive):
        for rank in (0, 1):
            archive.whole(rank, [("MPI_Barrier", 10 + 100 * k, 10.5 + 100 * k, [("progress", 10.1 + 100 * k, 10.4 + 100 * k)]) for k in range(8)])

    row, _ = efficiency("inner", 2, 1, inner)
    assert row["threads"] == 2 and row["thread_factor"] == 1, row
    near(row["parallel"], (T - 4) / T)
