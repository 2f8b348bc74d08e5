#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds states, efficiencies and what-if times of a merged file with plain recursion and compares them with the file's.

Usage: check_efficiency.py merged.h5. For traces of ranks with one thread each, of MPI calls and without regions.
"""

import bisect
import collections
import functools
import pathlib
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import merged_columns  # noqa: E402
from merged_columns import close, text  # noqa: E402

sys.setrecursionlimit(1_000_000)
MESSAGE, COLLECTIVE = "message", "collective"
BLOCKING_SENDS = {"MPI_Send", "MPI_Ssend", "MPI_Rsend", "MPI_Sendrecv", "MPI_Sendrecv_replace"}


with h5py.File(sys.argv[1], "r") as file:
    events = merged_columns.event_columns(file)
    messages = merged_columns.message_columns(file, events)
    parts = merged_columns.part_columns(file, events)
    calls = [text(name) for name in file["calls/name"]]
    name = [calls[call] for call in events["call"]]
    rank = [int(number) for number in events["rank"]]
    enter = [int(time) for time in events["enter_ns"]]
    leave = [int(time) for time in events["enter_ns"] + events["duration_ns"]]
    waited = np.zeros(len(enter), np.int64)
    waiting = np.cumsum(file["waits/row_step"][:])
    for row, wait in zip(waiting, file["waits/wait_ns"][:]):
        waited[row] += wait
    late_receivers = [(row, causer) for row, causer, kind in
                      zip(waiting.tolist(), (waiting + file["waits/causer"][:]).tolist(), file["waits/kind"][:]) if kind == 1]
    table = {group: {column: values[:] for column, values in file["summary"][group].items()}
             for group in ("states", "efficiencies", "what_if")}

rows = collections.defaultdict(list)
previous = {}
for row, number in enumerate(rank):
    previous[row] = rows[number][-1] if rows[number] else None
    rows[number].append(row)
begin, end = {r: enter[of[0]] for r, of in rows.items()}, {r: leave[of[-1]] for r, of in rows.items()}

# By row: the calls that must have begun before this call can end.
needs = collections.defaultdict(list)
for send, post, completion in zip(messages["send_row"], messages["post_row"], messages["completion_row"]):
    needs[completion].append((send, MESSAGE))
    if name[send] == "MPI_Ssend" or (name[send] in BLOCKING_SENDS and enter[post] > enter[send]):
        needs[send].append((post, MESSAGE))
for row, post in late_receivers:
    if name[row] not in BLOCKING_SENDS:  # it completes a send
        needs[row].append((post, MESSAGE))
instances = collections.defaultdict(list)
for i, number in enumerate(parts["instance"]):
    instances[number].append(i)
for members in instances.values():
    for i in members:
        for k in members:
            both = (parts["shape"][i], parts["shape"][k])
            if 4 in both:
                continue
            comm_rank, other, root = parts["comm_rank"][i], parts["comm_rank"][k], parts["root"][i]
            if (both[0] == 0 or (both[0] == 1 and other == root) or (both[0] == 2 and comm_rank == root)
                    or (both[0] == 3 and other < comm_rank)):
                needs[parts["completion_row"][i]].append((parts["start_row"][k], COLLECTIVE))


class Replay:
    """The run again, from `since` on; `free`: waits that cost nothing; with or without a network that costs time."""

    def __init__(self, has_network, free=None, since=None):
        self.has_network, self.free, self.since = has_network, free, since
        self.begins = functools.cache(self.begins)

    def begins(self, row):
        if self.since is not None and enter[row] < self.since:
            return self.since
        before = previous[row]
        if before is None or (self.since is not None and leave[before] <= self.since):
            return enter[row]
        return self.ends(before) + enter[row] - leave[before]

    def ends(self, row, until=None):
        until = leave[row] if until is None else until
        time, since = self.begins(row), enter[row]
        for other, what in needs[row]:
            if enter[other] > until:
                continue
            since = max(since, enter[other])
            if what != self.free:
                time = max(time, self.begins(other))
        return time + (until - since if self.has_network else 0)

    def at(self, number, t):
        """Where the rank, which is at t in the run, is in the replay."""
        place = bisect.bisect_right(rows[number], t, key=lambda row: enter[row]) - 1
        row = rows[number][place]
        if leave[row] > t:
            return self.ends(row, t)
        if self.since is not None and leave[row] <= self.since:
            return t
        return self.ends(row) + t - leave[row]


first, last = min(begin.values()), max(end.values())
as_was, network = Replay(True), Replay(False)
for number in rows:
    assert as_was.at(number, end[number]) == end[number]

# States.
states = collections.Counter()
for row, number in enumerate(rank):
    states[number, "mpi-wait"] += int(waited[row])
    states[number, "mpi-transfer"] += leave[row] - enter[row] - int(waited[row])
    if previous[row] is not None:
        states[number, "compute"] += enter[row] - leave[previous[row]]
found = {(int(r), text(s)): float(t) for r, s, t in
         zip(table["states"]["rank"], table["states"]["state"], table["states"]["total_s"])}
states = {key: time for key, time in states.items() if time != 0}
assert set(found) == set(states), set(found) ^ set(states)
for key, time in states.items():
    assert close(found[key], time * 1e-9), (key, found[key], time)
for number in rows:
    assert sum(time for (r, _), time in states.items() if r == number) == end[number] - begin[number]


def computing(number, since, until):
    return sum(max(0, min(until, enter[row]) - max(since, leave[previous[row]]))
               for row in rows[number] if previous[row] is not None)


def check(row, since, until, ideal):
    computed = [computing(number, since, until) for number in rows]
    mean, most = sum(computed) / len(computed), max(computed)
    ideal = min(max(ideal, most), until - since)

    def quotient(a, b):
        return a / b if b > 0 else 1

    expected = {"time_s": (until - since) * 1e-9, "ideal_s": ideal * 1e-9, "compute_s": sum(computed) * 1e-9,
                "load_balance": quotient(mean, most), "serialisation": quotient(most, ideal),
                "transfer": quotient(ideal, until - since), "parallel": mean / (until - since), "thread_factor": 1}
    for column, value in expected.items():
        stored = float(table["efficiencies"][column][row])
        assert close(stored, value), (row, column, stored, value)


check(0, first, last, max(network.at(number, end[number]) for number in rows) - first)
scopes = [text(scope) for scope in table["efficiencies"]["scope"]]
assert scopes == ["run"] + 20 * ["window"], scopes
bounds = [first + (last - first) * w // 20 for w in range(20)] + [last]
for w in range(20):
    window = Replay(False, since=bounds[w])
    ideal = max([window.at(number, min(bounds[w + 1], end[number])) for number in rows if begin[number] < bounds[w + 1]
                 and end[number] > bounds[w]], default=bounds[w])
    check(1 + w, bounds[w], bounds[w + 1], max(ideal, bounds[w]) - bounds[w])

stored = {text(n): float(t) for n, t in zip(table["what_if"]["name"], table["what_if"]["time_s"])}
scenarios = {"MPI and data under way": network, "waits for messages": Replay(True, MESSAGE),
             "waits in collectives": Replay(True, COLLECTIVE)}
for what, replay in scenarios.items():
    time = max(replay.at(number, end[number]) for number in rows) - first
    assert close(stored.pop(what, (last - first) * 1e-9), time * 1e-9), (what, time)
assert not stored, stored
print(len(enter), "events agree")
