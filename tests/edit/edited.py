# SPDX-License-Identifier: Apache-2.0
"""What an edited trace has to hold, derived from the original by plain loops. h5py and NumPy only."""

import collections
import math
import pathlib
import sys

import h5py
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parent / "exports")]
import merged_columns  # noqa: E402

FINDING = "edit.left_out"
BLOCK = 65536
UNFINISHED = 2


def text(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def contents(path):
    """{name: values} of every dataset and attribute of a file."""
    found = {}
    with h5py.File(path) as file:
        found.update({f"@{name}": value for name, value in file.attrs.items()})
        file.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
    return found


def are_equal(a, b):
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape or a.dtype.kind != b.dtype.kind:
        return False
    return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def differing(one, other, besides=()):
    """Names of what differs between two files."""
    one, other = contents(one), contents(other)
    return sorted(name for name in one.keys() | other.keys()
                  if not name.startswith(tuple(besides)) and (name not in one or name not in other or not are_equal(one[name], other[name])))


def table(file, name):
    """The rows of a table of the summary, as dictionaries."""
    columns = {column: [text(v) if isinstance(v, bytes) else v for v in data[()].tolist()] for column, data in file[f"summary/{name}"].items()}
    return [dict(zip(columns, values)) for values in zip(*columns.values())]


class Trace:
    def __init__(self, path):
        self.path = path
        with h5py.File(path) as file:
            self.names = [text(name) for name in file["calls/name"]]
            self.groups = [text(group) for group in file["calls/group"]]
            self.kinds = [text(kind) for kind in file["communicators/kind"]]
            self.thread_events = file["threads/events"][:].tolist()
            self.location = file["events/location"][:]
            self.events = merged_columns.event_columns(file)
            self.messages = merged_columns.message_columns(file, self.events)
            self.parts = merged_columns.part_columns(file, self.events)
            self.index = {name: file[f"index/{name}"][:] for name in ("enter_ns", "latest_leave_ns", "sequence")}
            self.orders = {name: file[name][:] for name in ("messages/by_completion", "messages/by_post", "parts/by_start", "parts/by_completion")}
            self.functions = {row["name"]: row for row in table(file, "functions")}
            self.pairs = {(row["source"], row["dest"]): (row["messages"], row["bytes"]) for row in table(file, "pairs")}
            self.ranks = {row["rank"]: row for row in table(file, "ranks")}
            self.findings = {row["name"]: row for row in table(file, "findings")} if "findings" in file["summary"] else {}
            self.run = {name: value[0] for name, value in file["summary/run"].items()}
            self.matched = int(file["summary/messages/matched"][0])
        self.leave = self.events["enter_ns"] + self.events["duration_ns"]

    def keys(self):
        """(rank, thread, sequence) of each event."""
        return list(zip(*(self.events[name].tolist() for name in ("rank", "thread", "sequence"))))


def check_orders(trace):
    """/index and the orders of links, by their definitions."""
    events = trace.events
    for block in range(len(trace.index["enter_ns"])):
        rows = slice(block * BLOCK, (block + 1) * BLOCK)
        assert trace.index["enter_ns"][block] == events["enter_ns"][rows][0]
        assert trace.index["latest_leave_ns"][block] == trace.leave[rows].max()
    assert len(trace.index["enter_ns"]) == -(-len(trace.leave) // BLOCK)
    for name, columns, end in (("messages/by_completion", trace.messages, "completion_row"), ("messages/by_post", trace.messages, "post_row"),
                               ("parts/by_start", trace.parts, "start_row"), ("parts/by_completion", trace.parts, "completion_row")):
        numbers = trace.orders[name] + np.arange(len(trace.orders[name]))
        assert np.array_equal(numbers, np.argsort(columns[end], kind="stable")), name
    assert np.all(np.diff(trace.messages["send_row"]) >= 0)


def check_events(whole, edited, rows):
    """The edited trace has these rows of the original, and nothing else changed in them."""
    rows = np.array(sorted(rows), int)
    assert len(edited.leave) == len(rows), (len(edited.leave), len(rows))
    for name, column in whole.events.items():
        assert np.array_equal(column[rows], edited.events[name]), name
    before = collections.Counter(whole.location.tolist())
    after = collections.Counter(edited.location.tolist())
    for number, events in enumerate(edited.thread_events):
        assert whole.thread_events[number] - events == before[number] - after[number], number


def check_links(whole, edited, rows):
    """Messages and collectives are those of which all ends remain."""
    place = {row: number for number, row in enumerate(sorted(rows))}
    ends = ("send_row", "post_row", "completion_row")
    kept = [n for n in range(len(whole.messages["send_row"])) if all(whole.messages[end][n] in place for end in ends)]
    for name, column in whole.messages.items():
        expected = [place[row] for row in column[kept]] if name in ends else column[kept]
        assert np.array_equal(expected, edited.messages[name]), name
    ends = ("start_row", "completion_row")
    gone = {whole.parts["instance"][n] for n in range(len(whole.parts["start_row"])) if not all(whole.parts[end][n] in place for end in ends)}
    kept = [n for n in range(len(whole.parts["start_row"])) if whole.parts["instance"][n] not in gone]
    for name, column in whole.parts.items():
        if name != "instance":
            expected = [place[row] for row in column[kept]] if name in ends else column[kept]
            assert np.array_equal(expected, edited.parts[name]), name
    return len(whole.messages["send_row"]) - len(edited.messages["send_row"]), len(gone)


def check_statistics(trace, whole):
    """The summary against loops over the events. Rates of open calls are not compared: their end is not in /events."""
    count, total, sent, received = (collections.Counter() for _ in range(4))
    mpi = collections.Counter()
    has_open = set()
    events = {name: trace.events[name].tolist() for name in ("call", "calls", "duration_ns", "outside_ns", "bytes_sent", "bytes_received", "flags", "rank")}
    for row, call in enumerate(events["call"]):
        if trace.groups[call] == "user":
            continue
        name = trace.names[call]
        count[name] += events["calls"][row]
        total[name] += events["duration_ns"][row] - events["outside_ns"][row]
        sent[name] += events["bytes_sent"][row]
        received[name] += events["bytes_received"][row]
        if name.startswith("MPI_"):
            mpi[events["rank"][row]] += events["calls"][row]
        if events["flags"][row] & UNFINISHED:
            has_open.add(name)
    assert set(trace.functions) == set(count), (sorted(trace.functions), sorted(count))
    for name, row in trace.functions.items():
        assert row["count"] == count[name], (name, row, count[name])
        assert (row["bytes_sent"], row["bytes_received"]) == (sent[name], received[name]), name
        assert name in has_open or math.isclose(row["total_s"], total[name] / 1e9, rel_tol=1e-12, abs_tol=1e-15), (name, row["total_s"], total[name])
    for rank, row in trace.ranks.items():
        assert row["calls"] == mpi[rank], (rank, row["calls"], mpi[rank])
    assert trace.run["calls"] == sum(mpi.values())
    pairs = collections.defaultdict(lambda: [0, 0])
    for comm, source, dest, size in zip(*(trace.messages[name].tolist() for name in ("comm", "send_rank", "receive_rank", "bytes"))):
        if trace.kinds[comm] != "user":
            pairs[source, dest][0] += 1
            pairs[source, dest][1] += size
    assert trace.matched == sum(messages for messages, _ in pairs.values())
    for pair, (messages, size) in trace.pairs.items():  # also those without a partner, which are in the original
        more = whole.pairs[pair][0] - sum(1 for s, d, c in zip(whole.messages["send_rank"], whole.messages["receive_rank"], whole.messages["comm"])
                                          if (s, d) == pair and whole.kinds[c] != "user")
        assert messages == pairs[pair][0] + more, pair
        assert more or size == pairs[pair][1], pair
