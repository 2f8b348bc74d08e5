# SPDX-License-Identifier: Apache-2.0
"""Archives of tools whose ranks count time from their own starts: known clocks, known messages. Written by Debian's python3-otf2.

check_clocks.py --meridian M
"""

import argparse
import pathlib
import sys
import tempfile

from imported import findings, imported, launch

try:
    import otf2
except ImportError:
    print("skipped: no Python module otf2 (Debian: python3-otf2)")
    sys.exit(77)

ROUNDS, SHIFT_NS, DRIFT = 2000, 5_000_000, 20e-6
FUNCTIONS = ("MPI_Send", "MPI_Recv", "MPI_Irecv", "MPI_Waitall", "MPI_Sendrecv")

parser = argparse.ArgumentParser()
parser.add_argument("--meridian", required=True)
options = parser.parse_args()
draw = launch.generator(31)


class Archive:
    """Two ranks on one host. Times of call() are true; rank 1 writes those of its own clock."""

    def __init__(self, trace, shift_ns, drift):
        self.shift_ns, self.drift = shift_ns, drift
        definitions = trace.definitions
        self.regions = {name: definitions.region(name, paradigm=otf2.Paradigm.MPI) for name in FUNCTIONS}
        node = definitions.system_tree_node("node", "node")
        locations = [definitions.location("thread", group=definitions.location_group(f"rank {rank}", system_tree_parent=node)) for rank in (0, 1)]
        self.writers = [trace.event_writer_from_location(location) for location in locations]
        kinds = otf2.GroupType
        definitions.group("locations", group_type=kinds.COMM_LOCATIONS, paradigm=otf2.Paradigm.MPI, members=locations)
        group = definitions.group("world", group_type=kinds.COMM_GROUP, paradigm=otf2.Paradigm.MPI, members=(0, 1))
        self.world = definitions.comm("MPI_COMM_WORLD", group=group)

    def clock(self, rank, true_ns):
        return true_ns if rank == 0 else round(true_ns * (1 + self.drift)) - self.shift_ns

    def call(self, rank, function, begin_ns, end_ns, record=None):
        writer = self.writers[rank]
        writer.enter(self.clock(rank, begin_ns), self.regions[function])
        if record is not None:
            record(writer, self.clock(rank, end_ns if function == "MPI_Recv" else begin_ns))
        writer.leave(self.clock(rank, end_ns), self.regions[function])

    def message(self, source, sent_ns, received_ns, tag=1):
        self.call(source, "MPI_Send", sent_ns, sent_ns + 300, lambda writer, ns: writer.mpi_send(ns, 1 - source, self.world, tag, 8))
        self.call(1 - source, "MPI_Recv", received_ns - 500, received_ns, lambda writer, ns: writer.mpi_recv(ns, source, self.world, tag, 8))


def written(folder, fill, shift_ns=SHIFT_NS, drift=0.0):
    with otf2.writer.open(str(folder), timer_resolution=10**9) as trace:
        fill(Archive(trace, shift_ns, drift))
    return folder / "traces.otf2"


truth = []


def ping_pong(archive):
    now = 10**9
    truth.clear()
    for _ in range(ROUNDS):
        for source in (0, 1):
            received = now + 1000 + draw.randrange(1000)
            archive.message(source, now, received)
            truth.append((now, received))
            now = received + 2000
        now += 1_000_000


with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    for drift in (0.0, DRIFT):
        _, trace, summary = imported(options.meridian, written(work / f"a{drift}", ping_pong, drift=drift), work / f"t{drift}")
        messages = sorted((trace.enter(m["send_row"]), trace.leave(m["completion_row"])) for m in trace.messages)
        assert len(messages) == 2 * ROUNDS and all(sent < received for sent, received in messages)
        # Rank 0 has the reference clock: its ends of messages are true up to the begin of the trace.
        origin = truth[0][0] - messages[0][0]
        errors = [abs(got + origin - true) for pair, truths in zip(messages, truth) for got, true in zip(pair, truths)]
        print("drift", drift, "largest error", max(errors), "ns", findings(summary))
        assert max(errors) < 1500, max(errors)
        assert findings(summary)["import.clocks"] == 2
        assert not {f["name"] for f in summary["findings"] if f["severity"] == "error"}, findings(summary)

    _, trace, summary = imported(options.meridian, written(work / "exact", ping_pong, shift_ns=0), work / "exact-trace")
    messages = sorted((trace.enter(m["send_row"]), trace.leave(m["completion_row"])) for m in trace.messages)
    assert [(s - messages[0][0], r - messages[0][0]) for s, r in messages] == [(s - truth[0][0], r - truth[0][0]) for s, r in truth]
    assert findings(summary) == {}, findings(summary)

    def one_sided(archive):
        """Like EZTrace: no completions of MPI_Irecv, no messages of MPI_Sendrecv."""
        for number in range(100):
            now = 10**9 + number * 10**6
            archive.message(0, now, now + 1500, tag=1)  # both sides of each
            archive.call(1, "MPI_Irecv", now + 2000, now + 2100, lambda writer, ns, n=number: writer.mpi_irecv_request(ns, n))
            archive.call(1, "MPI_Waitall", now + 2200, now + 9000)
            archive.message(0, now + 10_000, now + 12_000, tag=2)
            if number % 2 == 0:  # for the receive that has no completion: the wrong order from here on
                archive.call(0, "MPI_Send", now + 15_000, now + 15_300, lambda writer, ns: writer.mpi_send(ns, 1, archive.world, 2, 8))
            for rank in (0, 1):
                archive.call(rank, "MPI_Sendrecv", now + 20_000, now + 22_000)

    output, trace, summary = imported(options.meridian, written(work / "one-sided", one_sided, shift_ns=0), work / "one-sided-trace")
    assert {(m["send_rank"], m["tag"]) for m in trace.messages} == {(0, 1)} and len(trace.messages) == 100
    assert findings(summary) == {"import.one_sided": 100 + 100 + 50 + 100}, findings(summary)
    assert "Left out: 350 sends and receives of messages whose other side the tool did not record\n" in output, output
