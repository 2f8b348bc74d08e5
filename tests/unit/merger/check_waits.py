#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds the waits of a merged file with plain loops and compares them with the file's. Usage: check_waits.py merged.h5

The definitions are those of docs/WAITS.md; all ranks of the trace share a clock.
"""

import collections
import pathlib
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import merged_columns  # noqa: E402

KINDS = ["late sender", "late receiver", "wait at barrier", "wait at N x N", "late broadcast", "early reduce",
         "wait at prefix", "wait at init", "wait at finalize"]
BLOCKING_SENDS = {"MPI_Send", "MPI_Ssend", "MPI_Rsend", "MPI_Sendrecv", "MPI_Sendrecv_replace"}


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def waits_for_messages(names, enter, leave, messages):
    """The longest of the waits of each call."""
    longest = {}

    def consider(row, causer, kind):
        wait = min(enter[causer], leave[row]) - enter[row]
        if wait > 0 and wait > longest.get(row, (0,))[0]:
            longest[row] = (wait, causer, kind)

    ends = list(zip(messages["send_row"], messages["completion_row"], messages["post_row"]))
    for send, completion, post in ends:
        if names[send] in BLOCKING_SENDS and leave[send] > enter[post]:
            consider(send, post, "late receiver")
    for send, completion, _ in ends:
        consider(completion, send, "late sender")
    return [(row, causer, wait, kind) for row, (wait, causer, kind) in longest.items()]


def waits_in_collectives(names, enter, leave, parts):
    found = []
    instances = collections.defaultdict(list)
    for i, number in enumerate(parts["instance"]):
        if parts["shape"][i] != 4:
            instances[number].append(i)
    for members in instances.values():
        def wait(i, causer, kind):
            start, end = parts["start_row"][i], parts["completion_row"][i]
            length = min(enter[causer], leave[end]) - max(enter[end], enter[start])
            if length > 0:
                found.append((end, causer, length, kind))

        starts = {i: parts["start_row"][i] for i in members}
        shape = min(parts["shape"][i] for i in members)
        root = [i for i in members if parts["comm_rank"][i] == parts["root"][i]]
        if shape == 0:
            last = max(members, key=lambda i: enter[starts[i]])
            is_barrier = names[starts[last]] in ("MPI_Barrier", "MPI_Ibarrier")
            for i in members:
                wait(i, starts[last], "wait at barrier" if is_barrier else "wait at N x N")
        elif shape == 1 and root:
            for i in members:
                if i != root[0]:
                    wait(i, starts[root[0]], "late broadcast")
        elif shape == 2 and root:
            others = [i for i in members if i != root[0]]
            if others and all(enter[starts[i]] >= enter[starts[root[0]]] for i in others):
                wait(root[0], max((starts[i] for i in others), key=lambda row: enter[row]), "early reduce")
        elif shape == 3:
            for i in members:
                lower = [starts[k] for k in members if parts["comm_rank"][k] <= parts["comm_rank"][i]]
                wait(i, max(lower, key=lambda row: enter[row]), "wait at prefix")
    return found


def waits_at_ends(names, enter, leave):
    found = []
    for functions, kind in ((("MPI_Init", "MPI_Init_thread"), "wait at init"), (("MPI_Finalize",), "wait at finalize")):
        rows = [row for row, name in enumerate(names) if name in functions]
        last = max(rows, key=lambda row: enter[row], default=None)
        for row in rows:
            length = min(enter[last], leave[row]) - enter[row]
            if length > 0:
                found.append((row, last, length, kind))
    return found


with h5py.File(sys.argv[1], "r") as file:
    assert len(set(file["ranks/clock_domain"][:])) == 1
    events = merged_columns.event_columns(file)
    calls = [text(name) for name in file["calls/name"]]
    names = [calls[call] for call in events["call"]]
    enter = [int(time) for time in events["enter_ns"]]
    leave = [int(time) for time in events["enter_ns"] + events["duration_ns"]]
    expected = waits_for_messages(names, enter, leave, merged_columns.message_columns(file, events))
    expected += waits_in_collectives(names, enter, leave, merged_columns.part_columns(file, events))
    expected += waits_at_ends(names, enter, leave)
    expected = sorted((int(row), int(causer), int(wait), kind) for row, causer, wait, kind in expected)

    row = np.cumsum(file["waits/row_step"][:])
    found = sorted(zip(row.tolist(), (row + file["waits/causer"][:]).tolist(), file["waits/wait_ns"][:].tolist(),
                       [KINDS[kind] for kind in file["waits/kind"][:]]))
    assert found == expected, (sorted(set(found) - set(expected))[:5], sorted(set(expected) - set(found))[:5])

    totals = collections.defaultdict(lambda: [0, 0.0, 0.0])
    for waiting, causing, wait, kind in expected:
        sums = totals[kind, int(events["rank"][waiting]), names[waiting], int(events["rank"][causing]), names[causing]]
        sums[0] += 1
        sums[1] += wait / 1e9
        sums[2] = max(sums[2], wait / 1e9)
    table = {name: column[:] for name, column in file["summary/waits"].items()}
    stored = collections.defaultdict(lambda: [0, 0.0, 0.0])
    for i in range(len(table["count"])):
        sums = stored[text(table["pattern"][i]), int(table["rank"][i]), text(table["function"][i]),
                      int(table["causer"][i]), text(table["causer_function"][i])]
        sums[0] += int(table["count"][i])
        sums[1] += table["total_s"][i]
        sums[2] = max(sums[2], table["longest_s"][i])
    assert set(stored) == set(totals), (set(stored) ^ set(totals))
    for key, (count, total, longest) in totals.items():
        assert stored[key][0] == count, (key, stored[key], count)
        assert np.allclose(stored[key][1:], [total, longest], rtol=1e-9, atol=0), (key, stored[key], total, longest)
    assert expected
    print(len(expected), "waits of", sorted({kind for *_, kind in expected}))
