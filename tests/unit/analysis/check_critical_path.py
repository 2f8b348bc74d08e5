#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds the critical path and the active paths of a merged file with plain loops and compares them with the file's.

Usage: check_critical_path.py merged.h5. For traces of ranks with one thread each, without regions and call sites.
"""

import collections
import math
import pathlib
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import merged_columns  # noqa: E402
from merged_columns import close, text  # noqa: E402


with h5py.File(sys.argv[1], "r") as file:
    events = merged_columns.event_columns(file)
    calls = [text(name) for name in file["calls/name"]]
    name = [calls[call] for call in events["call"]]
    rank = [int(number) for number in events["rank"]]
    enter = [int(time) for time in events["enter_ns"]]
    leave = [int(time) for time in events["enter_ns"] + events["duration_ns"]]
    waiting = np.cumsum(file["waits/row_step"][:])
    causing = waiting + file["waits/causer"][:]
    lengths = file["waits/wait_ns"][:]
    ranks = [int(number) for number in file["threads/rank"][:]]
    tables = {group: {column: values[:] for column, values in file["summary"][group].items()}
              for group in ("critical_path", "critical_imbalance", "critical_segments", "critical_line", "active_paths")}
assert len(set(ranks)) == len(ranks)

# Waits as (begin, end, causing rank), by rank; tiles as (begin, end, function, state).
waits, tiles = collections.defaultdict(list), collections.defaultdict(list)
of_row = collections.defaultdict(list)
for row, causer, wait in zip(waiting.tolist(), causing.tolist(), lengths.tolist()):
    fits = enter[causer] - wait >= enter[row] and enter[causer] <= leave[row]
    end = enter[causer] if fits else enter[row] + wait
    of_row[row].append((end - wait, end, rank[causer]))
for row, of_call in of_row.items():
    at = enter[row]
    for begin, end, causer in sorted(of_call, key=lambda wait: (wait[1], wait[0])):
        begin = max(begin, at)
        if begin < end:
            waits[rank[row]].append((begin, end, causer))
        at = max(at, end)
for row, number in enumerate(rank):
    mine = tiles[number]
    if mine and mine[-1][1] < enter[row]:
        mine.append((mine[-1][1], enter[row], "", "compute"))
    at = enter[row]
    for begin, end, _ in waits[number]:
        if enter[row] <= begin and end <= leave[row] and begin >= at:
            mine += [(at, begin, name[row], "mpi-transfer"), (begin, end, name[row], "mpi-wait")]
            at = end
    mine.append((at, leave[row], name[row], "mpi-transfer"))
tiles = {number: [tile for tile in mine if tile[0] < tile[1]] for number, mine in tiles.items()}
begins = {number: mine[0][0] for number, mine in tiles.items()}
ends = {number: mine[-1][1] for number, mine in tiles.items()}

# The path backwards.
first, last = min(begins.values()), max(ends.values())
here = next(number for number in ranks if ends.get(number) == last)
t, path, left = last, [], {number: list(mine) for number, mine in waits.items()}
while t > first:
    known = [wait for wait in left.get(here, []) if wait[1] <= t]
    left[here] = known[:-1]
    if known:
        path.append((known[-1][1], t, here, False))
        t, here = known[-1][1], known[-1][2]
    else:
        path.append((begins[here], t, here, False))
        if begins[here] > first:
            path.append((first, begins[here], here, True))
        t = first
path = [visit for visit in reversed(path) if visit[0] < visit[1]]
assert path[0][0] == first and path[-1][1] == last and all(a[1] == b[0] for a, b in zip(path, path[1:]))

shares, segments, totals = collections.Counter(), [], collections.Counter()
for number, mine in tiles.items():
    for begin, end, function, state in mine:
        totals[function, state] += end - begin
for begin, end, number, is_unknown in path:
    if is_unknown:
        parts = [(begin, end, "", "unknown")]
    else:
        parts = [(max(begin, b), min(end, e), f, s) for b, e, f, s in tiles[number] if b < end and e > begin]
    assert sum(e - b for b, e, _, _ in parts) == end - begin
    for b, e, function, state in parts:
        shares[number, function, state] += e - b
        before = segments[-1] if segments else None
        if before and before[2:] == (number, function, state) and before[1] == b:
            segments[-1] = (before[0], e, number, function, state)
        else:
            segments.append((b, e, number, function, state))
assert sum(shares.values()) == last - first

table = tables["critical_path"]
found = {(int(r), text(f), text(s)): (float(t), float(share), int(n)) for r, f, s, t, share, n in
         zip(table["rank"], table["function"], table["state"], table["total_s"], table["share"], table["segments"])}
assert set(found) == set(shares), (set(found) ^ set(shares))
counts = collections.Counter(segment[2:] for segment in segments)
for key, time in shares.items():
    total, share, count = found[key]
    assert close(total, time * 1e-9) and close(share, time / (last - first)), (key, found[key], time)
    assert count == counts[key], (key, count, counts[key])

table = tables["critical_imbalance"]
on_path = collections.Counter()
for (_, function, state), time in shares.items():
    on_path[function, state] += time
assert len(table["state"]) == len(on_path)
for f, s, time, mean, imbalance in zip(*(table[c] for c in ("function", "state", "path_s", "mean_s", "imbalance_s"))):
    key = text(f), text(s)
    assert close(time, on_path[key] * 1e-9) and close(mean, totals[key] * 1e-9 / len(tiles)), key
    assert math.isclose(imbalance, time - mean, rel_tol=1e-9, abs_tol=1e-15), key

table = tables["critical_segments"]
assert len(table["rank"]) == min(1000, len(segments))
longest = sorted((end - begin for begin, end, *_ in segments), reverse=True)[:1000]
assert all(close(a, b * 1e-9) for a, b in zip(table["duration_s"], longest))
known = {(b, e - b, number, function, state) for b, e, number, function, state in segments}
for i in range(len(table["rank"])):
    key = (round(float(table["begin_s"][i]) * 1e9) + first, round(float(table["duration_s"][i]) * 1e9),
           int(table["rank"][i]), text(table["function"][i]), text(table["state"][i]))
    assert key in known, key

line = []
for begin, end, number, _ in path:
    if line and line[-1][2] == number:
        line[-1] = (line[-1][0], end, number)
    else:
        line.append((begin, end, number))
table = tables["critical_line"]
assert [(int(b), int(e), int(r)) for b, e, r in zip(table["begin_ns"], table["end_ns"], table["rank"])] == line

# At each moment the active path is on the rank at the end of the chain of waits.
moments = sorted({t for mine in waits.values() for wait in mine for t in wait[:2]} | set(begins.values()) | set(ends.values()))
active = collections.Counter()
at = dict.fromkeys(tiles, 0)
for begin, end in zip(moments, moments[1:]):
    causer = {}
    for number in tiles:
        mine = waits[number]
        while at[number] < len(mine) and mine[at[number]][1] <= begin:
            at[number] += 1
        if at[number] < len(mine) and mine[at[number]][0] <= begin:
            causer[number] = mine[at[number]][2]
    for number in tiles:
        if begins[number] <= begin and end <= ends[number]:
            on = number
            for _ in tiles:
                on = causer.get(on, on)
            active[number, on] += end - begin
table = tables["active_paths"]
found = {(int(r), int(on)): (float(t), float(share)) for r, on, t, share in
         zip(table["rank"], table["on_rank"], table["total_s"], table["share"])}
assert set(found) == set(active), set(found) ^ set(active)
for (number, on), time in active.items():
    total, share = found[number, on]
    assert close(total, time * 1e-9) and close(share, time / (ends[number] - begins[number])), (number, on)
for number in tiles:
    assert sum(time for (r, _), time in active.items() if r == number) == ends[number] - begins[number]

print(len(path), "visits and", len(segments), "segments agree")
