#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds states, efficiencies and what-if times of a merged file with plain recursion and compares them with the file's.

Usage: check_efficiency.py merged.h5. For traces of MPI calls, parallel regions and mutexes, without regions of the program. The
main thread of a rank has number 0; all threads of a rank live at the same time.
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
MESSAGE, COLLECTIVE, THREAD = "message", "collective", "thread"
BLOCKING_SENDS = {"MPI_Send", "MPI_Ssend", "MPI_Rsend", "MPI_Sendrecv", "MPI_Sendrecv_replace"}
SYNC = {"omp_implicit_barrier", "pthread_mutex_lock"}
LATE_RECEIVER, LOCK, TEAM = 1, 13, 24  # kinds of waits


with h5py.File(sys.argv[1], "r") as file:
    events = merged_columns.event_columns(file)
    messages = merged_columns.message_columns(file, events)
    parts = merged_columns.part_columns(file, events)
    calls = [text(name) for name in file["calls/name"]]
    name = [calls[call] for call in events["call"]]
    place = list(zip(events["rank"].tolist(), events["thread"].tolist()))
    enter = [int(time) for time in events["enter_ns"]]
    leave = [int(time) for time in events["enter_ns"] + events["duration_ns"]]
    waiting = np.cumsum(file["waits/row_step"][:])
    waits = list(zip(waiting.tolist(), (waiting + file["waits/causer"][:]).tolist(), file["waits/kind"][:].tolist(),
                     file["waits/wait_ns"][:].tolist()))
    table = {group: {column: values[:] for column, values in file["summary"][group].items()}
             for group in ("states", "efficiencies", "what_if", "threads") if group in file["summary"]}

rows = collections.defaultdict(list)
previous = {}
for row, at in enumerate(place):
    previous[row] = rows[at][-1] if rows[at] else None
    rows[at].append(row)
begin, end = {p: enter[of[0]] for p, of in rows.items()}, {p: max(leave[row] for row in of) for p, of in rows.items()}
creator = {}
threads = table.get("threads", collections.defaultdict(list))  # of ranks with several
for r, t, c, since, life in zip(*(threads[column] for column in ("rank", "thread", "creator", "begin_s", "life_s"))):
    begin[r, t] = enter[0] + round(since * 1e9)
    end[r, t] = begin[r, t] + round(life * 1e9)
    if c >= 0 and c != t:
        creator[r, t] = (r, c)
ranks = sorted({r for r, _ in rows})
main = {r: (r, 0) for r in ranks}
threads_of = {r: [at for at in rows if at[0] == r] for r in ranks}
span_begin = {r: min(begin[p] for p in rows if p[0] == r) for r in ranks}
span_end = {r: max(leave[row] for p, of in rows.items() if p[0] == r for row in of) for r in ranks}
first, last = min(span_begin.values()), max(span_end.values())


def state(row):
    if name[row].startswith("MPI_"):
        return "mpi-transfer"
    return "sync-wait" if name[row] in SYNC else "compute"


# By row: the calls that must have begun before this call can end.
needs = collections.defaultdict(list)
for send, post, completion in zip(messages["send_row"], messages["post_row"], messages["completion_row"]):
    needs[completion].append((send, MESSAGE))
    if name[send] == "MPI_Ssend" or (name[send] in BLOCKING_SENDS and enter[post] > enter[send]):
        needs[send].append((post, MESSAGE))
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

# By row: the threads whose actions end its waits, and when.
ended_by = collections.defaultdict(list)
waited = np.zeros(len(enter), np.int64)
for row, causer, kind, ns in waits:
    waited[row] += ns
    if kind == LATE_RECEIVER and name[row] not in BLOCKING_SENDS:  # it completes a send
        needs[row].append((causer, MESSAGE))
    if state(row) == "sync-wait":
        since = ended_by[row][-1][1] if kind in (LOCK, TEAM) and ended_by[row] else enter[row]
        ended_by[row].append((place[causer], since + ns))


class Replay:
    """The run again, from `since` on; `free`: waits that cost nothing; with or without a network that costs time."""

    def __init__(self, has_network, free=None, since=None):
        self.has_network, self.free, self.since = has_network, free, since
        self.begins = functools.cache(self.begins)

    def is_free(self, row):
        return not self.has_network and state(row) == "mpi-transfer"

    def born(self, at):
        if at not in creator or (self.since is not None and begin[at] < self.since):
            return begin[at]
        return self.at(creator[at], begin[at])

    def begins(self, row):
        if self.since is not None and enter[row] < self.since:
            return self.since if self.is_free(row) else enter[row]
        before = previous[row]
        if before is None:
            return self.born(place[row]) + enter[row] - begin[place[row]]
        if self.since is not None and leave[before] <= self.since:
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
        for other, ended in ended_by[row]:
            if ended > until or other == place[row]:
                continue
            since = max(since, ended)
            if self.free != THREAD:
                time = max(time, ended if self.since is not None and ended < self.since else self.at(other, ended))
        return time + (0 if self.is_free(row) else until - since)

    @functools.cache
    def at(self, at, t):
        """Where the thread, which is at t in the run, is in the replay."""
        number = bisect.bisect_right(rows[at], t, key=lambda row: enter[row]) - 1
        # A call that begins at t has not taken any time, nor has what follows it at t.
        while number >= 0 and enter[rows[at][number]] == t:
            number -= 1
        if number < 0:
            return self.born(at) + t - begin[at]
        row = rows[at][number]
        if leave[row] > t:
            return self.ends(row, t)
        if self.since is not None and leave[row] <= self.since:
            return t
        return self.ends(row) + t - leave[row]


as_was, network = Replay(True), Replay(False)
for at in rows:
    assert as_was.at(at, end[at]) == end[at]

# States.
states = collections.Counter()
for row, at in enumerate(place):
    is_mpi = state(row) == "mpi-transfer"
    states[*at, "mpi-wait"] += int(waited[row]) if is_mpi else 0
    states[*at, state(row)] += leave[row] - enter[row] - (int(waited[row]) if is_mpi else 0)
    before = previous[row]
    states[*at, "compute"] += enter[row] - (begin[at] if before is None else leave[before])
for at, of in rows.items():
    states[*at, "compute"] += end[at] - leave[of[-1]]
found = {(int(r), int(t), text(s)): float(total) for r, t, s, total in
         zip(*(table["states"][column] for column in ("rank", "thread", "state", "total_s")))}
states = {key: time for key, time in states.items() if time != 0}
assert set(found) == set(states), set(found) ^ set(states)
for key, time in states.items():
    assert close(found[key], time * 1e-9), (key, found[key], time)
for at in rows:
    assert sum(time for (*whose, _), time in states.items() if tuple(whose) == at) == end[at] - begin[at]


def spent(at, what, since, until):
    """Time of a thread in a state, as far as its rank is measured."""
    since, until = max(since, span_begin[at[0]]), min(until, span_end[at[0]])
    sums, after = 0, begin[at]
    for row in rows[at]:
        times = [(after, enter[row])] if what == "compute" else []
        if state(row) == what:
            times.append((enter[row], leave[row]))
        sums += sum(max(0, min(until, b) - max(since, a)) for a, b in times)
        after = leave[row]
    return sums + (max(0, min(until, end[at]) - max(since, after)) if what == "compute" else 0)


def check(row, since, until, ideal):
    computed = {at: spent(at, "compute", since, until) for at in rows}
    # The main thread waits for other threads, if there are any.
    outside = [max(time + (spent(at, "sync-wait", since, until) if at == main[r] and len(threads_of[r]) > 1 else 0)
                   for at, time in computed.items() if at[0] == r) for r in ranks]
    mean, most = sum(outside) / len(outside), max(outside)
    ideal = min(max(ideal, most), until - since)

    def quotient(a, b):
        return a / b if b > 0 else 1

    expected = {"time_s": (until - since) * 1e-9, "ideal_s": ideal * 1e-9, "compute_s": sum(computed.values()) * 1e-9,
                "load_balance": quotient(mean, most), "serialisation": quotient(most, ideal), "threads": len(rows),
                "transfer": quotient(ideal, until - since), "mpi_factor": mean / (until - since),
                "parallel": sum(computed.values()) / (len(rows) * (until - since))}
    for column, value in expected.items():
        stored = float(table["efficiencies"][column][row])
        assert close(stored, value), (row, column, stored, value)


check(0, first, last, max(network.at(main[r], span_end[r]) for r in ranks) - first)
scopes = [text(scope) for scope in table["efficiencies"]["scope"]]
assert scopes == ["run"] + 20 * ["window"], scopes
bounds = [first + (last - first) * w // 20 for w in range(20)] + [last]
for w in range(20):
    window = Replay(False, since=bounds[w])
    ideal = max([window.at(main[r], min(bounds[w + 1], span_end[r])) for r in ranks if span_begin[r] < bounds[w + 1]
                 and span_end[r] > bounds[w]], default=bounds[w])
    check(1 + w, bounds[w], bounds[w + 1], max(ideal, bounds[w]) - bounds[w])


def busy_until(at):
    """A thread that waits at its end has nothing more to do."""
    row = rows[at][-1]
    until = min(end[at], span_end[at[0]])
    return enter[row] if at != main[at[0]] and state(row) == "sync-wait" and until <= leave[row] else until


stored = {text(n): float(t) for n, t in zip(table["what_if"]["name"], table["what_if"]["time_s"])}
scenarios = {"MPI and data under way": network, "waits for messages": Replay(True, MESSAGE),
             "waits in collectives": Replay(True, COLLECTIVE), "waits for threads and locks": Replay(True, THREAD)}
for what, replay in scenarios.items():
    time = max(replay.at(at, span_end[at[0]] if at == main[at[0]] else busy_until(at)) for at in rows
               if at == main[at[0]] or replay.free == THREAD) - first
    assert close(stored.pop(what, (last - first) * 1e-9), time * 1e-9), (what, time)
assert not stored, stored
print(len(enter), "events of", len(rows), "threads agree")
