#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds the waits of threads in the rank files with plain loops and compares them with those of the merged file.

Usage: check_thread_waits.py merged.h5, beside its rank files. The definitions are those of docs/WAITS.md; one tick is one ns.
"""

import dataclasses
import pathlib
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import merged_columns  # noqa: E402

LOCK, THREAD_OP, FAILED, UNFINISHED = 11, 13, 1, 2
MUTEX, CONDITION, BARRIER, SEMAPHORE = 1, 2, 5, 8
KINDS = {13: "lock", 14: "signal", 15: "semaphore", 16: "join", 17: "barrier"}


@dataclasses.dataclass
class Call:
    thread: int
    number: int
    enter: int
    leave: int
    name: str
    flags: int
    lock: dict
    joined: int

    def takes(self, kinds, thing):
        return (self.lock and self.lock["kind"] in kinds and self.lock["object"] == thing and not self.flags & (FAILED | UNFINISHED)
                and self.name.endswith("lock") and not self.name.endswith("unlock"))


def calls_of(file):
    """All calls of a rank by their ends, without any code of ours."""
    names = [name.decode() for name in file["calls/name"][()]]
    dictionary = file["dictionary"][()] if "dictionary" in file else [0]
    locks = {name: column[()].tolist() for name, column in file["locks"].items()} if "locks" in file else {}
    joined = iter(file["thread_ops/thread"][()].tolist() if "thread_ops" in file else [])
    rows = iter(range(len(locks.get("kind", []))))
    columns = [file[f"events/{name}"][()].tolist() for name in ("gap", "duration", "call", "payload", "flags")]
    first, calls, numbers = 0, [], {}
    for segment in file["segments"][()]:
        last, thread = first + int(segment["events"]), int(segment["thread"])
        leave = int(segment["first_ticks"])
        for gap, duration, call, payload, flags in zip(*(column[first:last] for column in columns)):
            enter = leave + gap
            leave = enter + duration
            lock = None
            if payload == LOCK:
                row = next(rows)
                lock = {name: column[row] for name, column in locks.items()}
                lock["object"], lock["mutex"] = int(dictionary[lock["object"]]), int(dictionary[lock["mutex"]])
            number = numbers[thread] = numbers.get(thread, -1) + 1
            calls.append(Call(thread, number, enter, leave, names[call], flags, lock, next(joined) if payload == THREAD_OP else -1))
        first = last
    return calls


def last_call(calls, thread, before):
    return max((c for c in calls if c.thread == thread and c.enter < before), key=lambda c: c.enter, default=None)


def holders_of(wait, calls, thread_of_tid, has_releases):
    """The call of each holder in turn, and when it had the lock; None: unknown."""
    kinds, thing = ({3, 4} if wait.lock["kind"] in (3, 4) else {wait.lock["kind"]}), wait.lock["object"]

    def taken():  # (when, call)
        for c in calls:
            if c.takes(kinds, thing):
                yield c.leave, c
            if c.lock and c.lock["kind"] == CONDITION and c.lock["mutex"] == thing and MUTEX in kinds:
                yield c.leave, c

    def is_before(when, call):  # a free lock is taken somewhere within its call
        is_free = call.lock["kind"] != CONDITION and not call.lock["is_contended"]
        return when <= wait.enter or (is_free and (call.enter, call.thread) < (wait.enter, wait.thread))

    before = max((t for t in taken() if is_before(*t)), key=lambda t: t[0], default=(0, None))
    first, thread = None, thread_of_tid.get(wait.lock["holder_tid"])
    if before[1] is not None and before[1].thread != wait.thread:
        released = any(c.lock and c.name.endswith("unlock") and c.lock["object"] == thing and c.thread == before[1].thread and
                       before[0] <= c.enter <= wait.enter for c in calls)
        if thread == before[1].thread or (thread is None and has_releases and not released):
            first = before[1]
    if first is None and thread is not None:
        first = last_call(calls, thread, wait.leave)
    turns = [(wait.enter, first)]
    for when, call in sorted((t for t in taken() if wait.enter < t[0] < wait.leave), key=lambda t: t[0]):
        if call.thread != wait.thread and (turns[-1][1] is None or turns[-1][1].thread != call.thread):
            turns.append((when, call))
    return turns


def waits_of(calls, thread_of_tid, ends):
    """[(waiting call, causing call or None, ns, kind)], those of one call in order of time."""
    found, used = [], set()
    has_releases = any(c.lock and c.name.endswith("unlock") for c in calls)

    def add(wait, causer, until, kind):
        if until > wait.enter:
            found.append((wait, causer, min(until, wait.leave) - wait.enter, kind))

    for wait in sorted(calls, key=lambda c: c.leave):
        if wait.flags & UNFINISHED:
            continue
        if "join" in wait.name:
            causer = last_call(calls, wait.joined, wait.leave)
            add(wait, causer, wait.leave if causer is None else ends[wait.joined], "join")
        if not wait.lock:
            continue
        kind, thing = wait.lock["kind"], wait.lock["object"]
        if kind in (CONDITION, SEMAPHORE) and wait.name.endswith("wait") and wait.lock["is_contended"] and not wait.flags & FAILED:
            wakes = [c for c in calls if c.lock and c.lock["kind"] == kind and c.lock["object"] == thing and
                     c.name.endswith(("_signal", "_post", "_broadcast")) and wait.enter <= c.enter < wait.leave and
                     (c.thread, c.number) not in used and c.thread != wait.thread]
            if wakes:
                wake = min(wakes, key=lambda c: c.enter)
                if not wake.name.endswith("_broadcast"):
                    used.add((wake.thread, wake.number))
                add(wait, wake, wake.enter, "signal" if kind == CONDITION else "semaphore")
        if kind in (MUTEX, 3, 4, 6) and wait.lock["is_contended"]:
            turns = holders_of(wait, calls, thread_of_tid, has_releases)
            for (since, causer), (until, _) in zip(turns, turns[1:] + [(wait.leave, None)]):
                if until > since:
                    found.append((wait, causer, until - since, "lock"))
    for thing in {c.lock["object"] for c in calls if c.lock and c.lock["kind"] == BARRIER}:
        arrivals = sorted((c for c in calls if c.lock and c.lock["object"] == thing), key=lambda c: c.enter)
        while arrivals:
            leave = min(c.leave for c in arrivals[: next((i for i, c in enumerate(arrivals) if i and c.enter >= min(
                d.leave for d in arrivals[:i])), len(arrivals))])
            together = [c for c in arrivals if c.enter < leave]
            arrivals = arrivals[len(together):]
            for wait in together:
                add(wait, together[-1], together[-1].enter, "barrier")
    return found


with h5py.File(sys.argv[1]) as file:
    events = merged_columns.event_columns(file)
    row = np.cumsum(file["waits/row_step"][:])
    table = list(zip(row.tolist(), (row + file["waits/causer"][:]).tolist(), file["waits/wait_ns"][:].tolist(), file["waits/kind"][:].tolist()))
row_of = {key: i for i, key in enumerate(zip(events["rank"].tolist(), events["thread"].tolist(), events["sequence"].tolist()))}
expected = []
for path in sorted(pathlib.Path(sys.argv[1]).parent.glob("rank-*.h5")):
    with h5py.File(path) as file:
        calls, rank = calls_of(file), int(file.attrs["rank"])
        thread_of_tid = {int(t["kernel_tid"]): int(t["thread"]) for t in file["threads"][()] if t["kernel_tid"]}
        ends = {int(t["thread"]): int(t["end_ticks"]) for t in file["threads"][()]}
        offset = min((row_of[rank, c.thread, c.number], c.enter) for c in calls)
        shift = int(events["enter_ns"][offset[0]]) - offset[1]
        ends = {thread: end or max(c.leave for c in calls) for thread, end in ends.items()}
    assert all(int(events["enter_ns"][row_of[rank, c.thread, c.number]]) == c.enter + shift for c in calls)
    for wait, causer, ns, kind in waits_of(calls, thread_of_tid, ends):
        waiting = row_of[rank, wait.thread, wait.number]
        expected.append((waiting, waiting if causer is None else row_of[rank, causer.thread, causer.number], ns, kind))
expected.sort(key=lambda wait: wait[0])  # stable: turns of one call stay in order
found = [(row, causer, ns, KINDS[kind]) for row, causer, ns, kind in table if kind in KINDS]
assert found == expected, (sorted(set(found) - set(expected))[:5], sorted(set(expected) - set(found))[:5])
assert expected
print(len(expected), "waits of", sorted({kind for *_, kind in expected}))
