#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds phases and iterations of a merged file with plain loops and compares them with the file's: docs/PHASES.md.

Usage: check_iterations.py merged.h5. For traces of ranks with one thread each, of MPI calls, without regions and stacks.
"""

import collections
import itertools
import math
import pathlib
import statistics
import sys

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import merged_columns  # noqa: E402
from merged_columns import text  # noqa: E402

POLLS = ("MPI_Test", "MPI_Iprobe", "MPI_Improbe", "MPI_Request_get_status", "MPI_Win_test", "MPI_Parrived", "MPI_Wtime", "MPI_Wtick")
ANY = "any place"

with h5py.File(sys.argv[1], "r") as file:
    events = merged_columns.event_columns(file)
    calls = [text(name) for name in file["calls/name"]]
    groups = [text(name) for name in file["calls/group"]]
    sites = [int(site) for site in events["site"]] if "site" in events else [0] * len(events["call"])
    table = {group: collections.defaultdict(list) for group in ("phases", "iterations")}
    for group in file["summary"].keys() & table.keys():  # an empty table is not there
        table[group] |= {column: list(values[:]) for column, values in file["summary"][group].items()}
ranks = sorted(set(int(rank) for rank in events["rank"]))
names = [calls[call] for call in events["call"]]
collective = [groups[call] == "coll" for call in events["call"]]
enter = [int(time) for time in events["enter_ns"]]
leave = [int(time) + int(length) for time, length in zip(events["enter_ns"], events["duration_ns"])]
start = enter[0]

# The rows of each rank between MPI_Init and MPI_Finalize.
rows = {rank: [row for row in range(len(names)) if events["rank"][row] == rank] for rank in ranks}
begin, end = {}, {}
for rank, own in rows.items():
    begin[rank] = next((leave[row] for row in own if names[row].startswith("MPI_Init")), enter[own[0]])
    end[rank] = next((enter[row] for row in own if names[row] == "MPI_Finalize"), max(leave[row] for row in own))
    rows[rank] = [row for row in own if begin[rank] <= enter[row] < end[rank]]
run_ns = max(end.values()) - min(begin.values())
marks = {rank: [row for row in own if not names[row].startswith(POLLS)] for rank, own in rows.items()}


def same(stored, value, what):
    assert math.isclose(stored, value, rel_tol=1e-9, abs_tol=1e-13), f"{what}: {stored}, but by plain loops {value}"


def place(row):
    return names[row], sites[row]


def is_regular(numbers):
    gaps = [b - a for a, b in zip(numbers, numbers[1:])]
    return statistics.pstdev(gaps) <= 0.5 * statistics.fmean(gaps)


def period(chosen, key, of_runs):
    """chosen: {rank: [position in its marks]}. None, if these begin no iterations."""
    members = [rank for rank in ranks if chosen[rank]]
    counts = {len(chosen[rank]) for rank in members}
    if len(counts) != 1 or min(counts) < 5 or not all(is_regular(chosen[rank]) for rank in members):
        return None
    if len(members) != len(ranks) and (len(members) < 2 or 2 * len(members) < len(ranks)):
        return None
    times = [leave[marks[rank][position]] for rank in members for position in (chosen[rank][0], chosen[rank][-1])]
    count, first, last = counts.pop(), min(times), max(times)
    covered = (last - first) * count / (count - 1)
    if last <= first or covered < 0.05 * run_ns:
        return None
    row = marks[members[0]][chosen[members[0]][0]]
    better = (-len(members), count, not collective[row], key[1] == ANY, of_runs, first)
    return {"key": key, "members": members, "count": count, "first": first, "last": last, "covered": covered,
            "better": better, "chosen": {rank: [marks[rank][p] for p in chosen[rank]] for rank in members}}


def candidates():
    keys = {place(row) for own in marks.values() for row in own}
    for key in keys:
        all_of = {rank: [p for p, row in enumerate(own) if place(row) == key] for rank, own in marks.items()}
        found = period(all_of, key, False)
        if found is None:
            runs = {rank: [p for p in at if p == 0 or place(marks[rank][p - 1]) != key] for rank, at in all_of.items()}
            found = period(runs, key, True)
        if found is not None:
            yield found
    called_at = collections.defaultdict(lambda: collections.defaultdict(set))
    for rank, row in ((rank, row) for rank, own in marks.items() for row in own if collective[row]):
        called_at[names[row]][rank].add(sites[row])
    for name, of_rank in called_at.items():
        if any(of_rank[a] != of_rank[b] for a, b in itertools.combinations(ranks, 2)):
            found = period({rank: [p for p, row in enumerate(own) if names[row] == name] for rank, own in marks.items()},
                           (name, ANY), False)
            if found is not None:
                yield found


def phases():
    open_periods, found = list(candidates()), []
    while open_periods and len(found) < 8:
        longest = max(period["covered"] for period in open_periods)
        best = min((period for period in open_periods if period["covered"] >= 0.75 * longest), key=lambda p: p["better"])
        found.append(best)
        open_periods = [other for other in open_periods
                        if min(other["last"], best["last"]) - max(other["first"], best["first"])
                        <= 0.1 * (other["last"] - other["first"])]
    return sorted(found, key=lambda period: period["first"])


expected = phases()
assert len(expected) == len(table["phases"]["function"]), (len(expected), table["phases"]["function"])
for number, phase in enumerate(expected):
    stored = {column: values[number] for column, values in table["phases"].items()}
    assert text(stored["function"]) == phase["key"][0], (stored, phase["key"])
    lengths, outside, made = {}, {}, []
    for rank in phase["members"]:
        for i, (a, b) in enumerate(zip(phase["chosen"][rank], phase["chosen"][rank][1:])):
            inside = [row for row in rows[rank] if a < row <= b]
            lengths[i, rank] = (leave[b] - leave[a]) * 1e-9
            outside[i, rank] = lengths[i, rank] - sum(leave[row] - enter[row] for row in inside) * 1e-9
            made.append(len(inside))
    assert stored["iterations"] == phase["count"] - 1
    for column, value in (("calls", statistics.fmean(made)), ("mean_s", statistics.fmean(lengths.values())),
                          ("sd_s", statistics.pstdev(lengths.values())), ("min_s", min(lengths.values())),
                          ("max_s", max(lengths.values())), ("compute_s", statistics.fmean(outside.values())),
                          ("begin_s", (phase["first"] - start) * 1e-9), ("end_s", (phase["last"] - start) * 1e-9)):
        same(stored[column], value, f"{column} of phase {number}")
    picked = [row for row, of in enumerate(table["iterations"]["phase"]) if of == number]
    assert len(picked) == phase["count"] - 1, "below a thousand, each iteration has a row"
    for i, row in enumerate(picked):
        line = {column: values[row] for column, values in table["iterations"].items()}
        of_ranks = [outside[i, rank] for rank in phase["members"]]
        begins = min(leave[phase["chosen"][rank][i]] for rank in phase["members"])
        assert (line["iteration"], line["count"]) == (i + 1, 1)
        same(line["begin_s"], (begins - start) * 1e-9, f"begin of iteration {i + 1}")
        same(line["mean_s"], statistics.fmean(lengths[i, rank] for rank in phase["members"]), f"length of iteration {i + 1}")
        same(line["compute_s"], statistics.fmean(of_ranks), f"computing in iteration {i + 1}")
        same(line["slowest_s"], max(of_ranks), f"computing of the slowest in iteration {i + 1}")
        same(outside[i, int(line["slowest"])], max(of_ranks), f"the slowest in iteration {i + 1}")
print(f"{len(expected)} phases, {len(table['iterations']['phase'])} iterations")
