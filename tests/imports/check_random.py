# SPDX-License-Identifier: Apache-2.0
"""Archives that are valid, but whose records make no sense: written by Debian's python3-otf2, imported and merged.

check_random.py --meridian M
"""

import argparse
import pathlib
import sys
import tempfile

from imported import launch, oracle

try:
    import otf2
except ImportError:
    print("skipped: no Python module otf2 (Debian: python3-otf2)")
    sys.exit(77)

ARCHIVES, RECORDS = 25, 400
FUNCTIONS = """MPI_Send MPI_Isend MPI_Recv MPI_Irecv MPI_Sendrecv MPI_Send_init MPI_Recv_init MPI_Start MPI_Startall MPI_Wait MPI_Waitall
    MPI_Test MPI_Bcast MPI_Allreduce MPI_Ibarrier MPI_Comm_dup MPI_Request_free MPI_Cancel MPI_Mrecv MPI_Barrier solve main""".split()
AROUND = {6: "MPI_Send", 7: "MPI_Recv", 8: "MPI_Isend", 9: "MPI_Irecv", 10: "MPI_Wait", 11: "MPI_Bcast", 12: "MPI_Ibarrier"}

parser = argparse.ArgumentParser()
parser.add_argument("--meridian", required=True)
options = parser.parse_args()
draw = launch.generator(29)


def write(folder, ranks):
    with otf2.writer.open(str(folder), timer_resolution=draw.choice((1000, 10**9, 3 * 10**9))) as trace:
        definitions = trace.definitions
        regions = [
            definitions.region(name, region_role=otf2.RegionRole.FUNCTION, paradigm=otf2.Paradigm.MPI if name.startswith("MPI") else otf2.Paradigm.USER)
            for name in FUNCTIONS
        ]
        node = definitions.system_tree_node("node", "node")
        writers, locations = [], []
        for rank in range(ranks):
            group = definitions.location_group(f"rank {rank}", system_tree_parent=node)
            locations.append(definitions.location(f"thread {rank}", group=group))
            writers.append(trace.event_writer_from_location(locations[-1]))
        definitions.group("locations", group_type=otf2.GroupType.COMM_LOCATIONS, paradigm=otf2.Paradigm.MPI, members=locations)
        members = [tuple(range(ranks)), (0,), tuple(range(ranks))[::-1]]
        comms = [
            definitions.comm(
                f"comm {i}",
                group=definitions.group(f"group {i}", group_type=otf2.GroupType.COMM_GROUP, paradigm=otf2.Paradigm.MPI, members=ranks_of),
            )
            for i, ranks_of in enumerate(members)
        ]
        metric = definitions.metric("value", unit="number")
        for writer in writers:
            write_records(writer, regions, comms, metric, ranks)


def write_records(writer, regions, comms, metric, ranks):
    time = draw.randrange(1000)
    opened = []
    for _ in range(draw.randrange(RECORDS)):
        time += draw.choice((0, 1, 10, 1000))
        comm, peer = draw.choice(comms), draw.choice((0, ranks - 1, 0, ranks - 1, ranks))
        tag, size = draw.choice((0, 0, 1, 2**31)), draw.choice((0, 8, 2**40))
        request, root = draw.randrange(6), draw.choice((0, ranks))
        kind = draw.randrange(14)
        around = regions[FUNCTIONS.index(AROUND[kind])] if kind in AROUND and draw.random() < 0.8 else None  # where it belongs
        if around is not None:
            writer.enter(time, around)
        if kind < 3:
            opened.append(draw.choice(regions))
            writer.enter(time, opened[-1])
        elif kind < 6 and opened:
            writer.leave(time, opened.pop(-1 if draw.random() < 0.9 else 0))
        elif kind == 6:
            writer.mpi_send(time, peer, comm, tag, size)
        elif kind == 7:
            writer.mpi_recv(time, peer, comm, tag, size)
        elif kind == 8:
            writer.mpi_isend(time, peer, comm, tag, size, request)
        elif kind == 9:
            draw.choice((writer.mpi_isend_complete, writer.mpi_irecv_request, writer.mpi_request_cancelled, writer.mpi_request_test))(time, request)
        elif kind == 10:
            writer.mpi_irecv(time, peer, comm, tag, size, request)
        elif kind == 11:
            writer.mpi_collective_begin(time)
            writer.mpi_collective_end(time, otf2.CollectiveOp.BCAST, comm, root, size, size)
        elif kind == 12:
            writer.non_blocking_collective_request(time, request)
            if draw.random() < 0.5:
                writer.non_blocking_collective_complete(time, otf2.CollectiveOp.BARRIER, comm, root, 0, 0, request)
        else:
            writer.metric(time, metric, draw.random())
        if around is not None:
            writer.leave(time + 1, around)
            time += 1


with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    messages = 0
    for number in range(ARCHIVES):
        archive, folder = work / f"archive-{number}", work / f"trace-{number}"
        write(archive, 1 + number % 3)
        done = launch.run([options.meridian, "import", archive / "traces.otf2", "-o", folder])
        assert done.returncode == 0 and done.stderr == "", (number, done.returncode, done.stderr)
        merged, summary = launch.merge(options.meridian, folder)
        assert merged.returncode in (0, 2) and summary is not None, (number, merged.returncode, merged.stderr)
        trace = oracle.Expected(folder / "merged.h5")
        late = [one for one in trace.messages if trace.leave(one["completion_row"]) <= trace.enter(one["send_row"])]
        contradicts = "order.contradiction" in {finding["name"] for finding in summary["findings"]}
        assert contradicts or not late, (number, late)
        messages += len(trace.messages)
    print(ARCHIVES, "archives,", messages, "messages")
    assert messages > 20
