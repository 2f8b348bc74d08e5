#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds the waits in one-sided communication and among neighbours with plain loops and compares them with those of the merged file.

Usage: check_window_waits.py merged.h5, beside its rank files. The definitions are those of docs/WAITS.md; one tick is one ns, one
window is in use, and neighbours are the next rank on either side of a ring.
"""

import collections
import dataclasses
import pathlib
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import merged_columns  # noqa: E402

RMA, HANDLE, COLLECTIVE, EXCLUSIVE = 8, 10, 5, 1
FENCE, LATE_POST, EARLY_WAIT, LATE_COMPLETE, LOCK, NEIGHBOURS = range(18, 24)


@dataclasses.dataclass(frozen=True)
class Call:
    rank: int
    number: int
    enter: int
    leave: int
    name: str
    target: int
    detail: int
    group: tuple
    sent: int

    @property
    def id(self):
        return self.rank, self.number


def calls_of(file):
    names = [name.decode() for name in file["calls/name"][()]]

    def rows(table, *columns):
        return zip(*(file[f"{table}/{column}"][()].tolist() for column in columns)) if table in file else iter(())

    accesses, collectives = rows("rma", "target", "displacement"), rows("coll", "send_bytes")
    members = iter(file["completions/source"][()].tolist() if "completions" in file else [])
    columns = [file[f"events/{name}"][()].tolist() for name in ("gap", "duration", "call", "payload", "completions")]
    assert len(file["segments"]) == 1
    leave, calls = int(file["segments"][0]["first_ticks"]), []
    for number, (gap, duration, call, payload, count) in enumerate(zip(*columns)):
        enter = leave + gap
        leave = enter + duration
        target, detail = next(accesses) if payload == RMA else (-1, 0)
        (sent,) = next(collectives) if payload == COLLECTIVE else (0,)
        group = tuple(next(members) for _ in range(count))
        calls.append(Call(int(file.attrs["rank"]), number, enter, leave, names[call], target, detail, group, sent))
    return calls


def waits_for_all(ranks, names):
    """The n-th of these calls of every rank belong together, and some wait for the last one."""
    for together in zip(*([call for call in calls if call.name in names] for calls in ranks)):
        last = max(together, key=lambda call: call.enter)
        for call in together:
            if call.enter < last.enter < call.leave:
                yield call, last, last.enter - call.enter, FENCE


def waits_in_epochs(ranks):
    accesses, exposures = collections.defaultdict(list), collections.defaultdict(list)
    for calls in ranks:
        for i, call in enumerate(calls):
            if call.name == "MPI_Win_start":
                end = next(k for k in range(i, len(calls)) if calls[k].name == "MPI_Win_complete")
                accesses[call.rank, call.group[0]].append((call, [c for c in calls[i:end] if c.name == "MPI_Put"], calls[end]))
            elif call.name == "MPI_Win_post":
                exposures[call.group[0], call.rank].append((call, next(c for c in calls[i:] if c.name == "MPI_Win_wait")))
    for pair in accesses:
        for (start, puts, complete), (post, wait) in zip(accesses[pair], exposures[pair], strict=True):
            longest = max(puts, key=lambda call: call.leave - call.enter, default=None)
            for call in (start, longest, complete):
                if call and call.enter < post.enter < call.leave:
                    yield call, post, post.enter - call.enter, LATE_POST
            last = puts[-1] if puts else start
            if wait.enter < complete.enter:
                accessed, until = min(last.leave, wait.leave), min(complete.enter, wait.leave)
                if accessed > wait.enter:
                    yield wait, last, min(accessed, complete.enter) - wait.enter, EARLY_WAIT
                if until > max(wait.enter, last.leave):
                    yield wait, complete, until - max(wait.enter, last.leave), LATE_COMPLETE


def waits_for_locks(ranks):
    under_lock, unlocks = [], []
    for calls in ranks:
        kind = None
        for call in calls:
            if call.name == "MPI_Win_lock":
                kind = call.detail
            if kind is not None and call.name in ("MPI_Win_lock", "MPI_Win_flush", "MPI_Win_unlock"):
                under_lock.append((call, kind))
            if call.name == "MPI_Win_unlock":
                unlocks.append((call, kind))
                kind = None
    for call, kind in under_lock:
        others = [other for other, its in unlocks if other.rank != call.rank and EXCLUSIVE in (kind, its) and
                  call.enter < other.enter < call.leave]
        if others:
            last = max(others, key=lambda other: other.enter)
            yield call, last, last.enter - call.enter, LOCK


def waits_for_neighbours(ranks):
    for together in zip(*([call for call in calls if call.name == "MPI_Neighbor_allgather"] for calls in ranks)):
        for call in together:
            sides = {(call.rank + 1) % len(ranks), (call.rank - 1) % len(ranks)}
            sending = [other for other in together if other.rank in sides and other.sent]
            last = max(sending, key=lambda other: other.enter, default=call)
            if call.enter < last.enter < call.leave:
                yield call, last, last.enter - call.enter, NEIGHBOURS


merged = pathlib.Path(sys.argv[1])
ranks = []
for path in sorted(merged.parent.glob("rank-*.h5")):
    with h5py.File(path) as file:
        ranks.append(calls_of(file))
expected = [*waits_for_all(ranks, ("MPI_Win_create", "MPI_Win_fence", "MPI_Win_free")), *waits_in_epochs(ranks),
            *waits_for_locks(ranks), *waits_for_neighbours(ranks)]
expected = sorted((call.id, causer.id, length, kind) for call, causer, length, kind in expected)
with h5py.File(merged) as file:
    events = merged_columns.event_columns(file)
    row = np.cumsum(file["waits/row_step"][:])
    causer = row + file["waits/causer"][:]
    name_of = list(zip(events["rank"].tolist(), events["sequence"].tolist()))
    found = sorted((name_of[a], name_of[b], length, kind) for a, b, length, kind in
                   zip(row, causer, file["waits/wait_ns"][:].tolist(), file["waits/kind"][:].tolist()))
assert len({kind for *_, kind in expected}) >= 4, "most kinds"
assert found == expected, (sorted(set(found) - set(expected))[:5], sorted(set(expected) - set(found))[:5])
