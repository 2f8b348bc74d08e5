#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads a merged file with h5py only and checks the promises of FORMAT.md. Usage: check_merged.py merged.h5"""

import pathlib
import re
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import merged_columns  # noqa: E402
from merged_columns import text  # noqa: E402

EVENTS = ["enter_ns", "duration_ns", "rank", "thread", "call", "flags", "comm", "peer", "tag", "bytes_sent",
          "bytes_received", "sequence", "calls", "outside_ns"]


FORMAT = pathlib.Path(__file__).resolve().parents[3] / "merged" / "FORMAT.md"


def documented(file, first):
    """The results of the code in FORMAT.md, block by block."""
    blocks = re.findall(r"```python\n(.*?)```", FORMAT.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 7 and all(block.count("\n") <= 5 for block in blocks), blocks
    names = {"file": file, "np": np, "first": first, "b": first // 65536}
    for block in blocks:
        exec(block, names)
        yield dict(names)


def columns(group):
    return {name: column[:] for name, column in group.items()}


with h5py.File(sys.argv[1], "r") as file:
    assert text(file.attrs["schema"]) == "meridian-merged", file.attrs["schema"]
    assert file.attrs["version"] == 3
    assert file.attrs["time_origin_realtime_ns"] > 0

    for group in ("events", "messages", "collectives", "parts", "waits", "index"):
        for name, column in file[group].items():
            assert column.dtype in (np.int32, np.int64), (group, name, column.dtype)
    events = merged_columns.event_columns(file)
    assert sorted(set(events) - {"site", "path"}) == sorted(EVENTS), sorted(events)
    rows = len(events["enter_ns"])
    assert all(len(column) == rows for column in events.values())
    order = np.lexsort((events["sequence"], events["thread"], events["rank"], events["enter_ns"]))
    assert (order == np.arange(rows)).all(), "the order is not (time, rank, thread, sequence)"
    assert (events["duration_ns"] >= 0).all()
    assert (events["calls"] >= 1).all() and (events["outside_ns"] >= 0).all()
    assert (events["outside_ns"] <= events["duration_ns"]).all()

    names = [text(name) for name in file["calls/name"]]
    assert names[events["call"][0]].startswith("MPI_"), names[events["call"][0]]

    place = {}
    for row in range(rows):
        key = (int(events["rank"][row]), int(events["thread"][row]), int(events["sequence"][row]))
        assert key not in place, f"two rows are call {key}"
        place[key] = row

    messages = merged_columns.message_columns(file, events)
    for i in range(len(messages["tag"])):
        send = place[int(messages["send_rank"][i]), int(messages["send_thread"][i]), int(messages["send_sequence"][i])]
        end = place[int(messages["receive_rank"][i]), int(messages["completion_thread"][i]),
                    int(messages["completion_sequence"][i])]
        post = place[int(messages["receive_rank"][i]), int(messages["post_thread"][i]), int(messages["post_sequence"][i])]
        assert messages["send_enter_ns"][i] == events["enter_ns"][send]
        assert messages["post_enter_ns"][i] == events["enter_ns"][post]
        assert messages["receive_leave_ns"][i] == events["enter_ns"][end] + events["duration_ns"][end]
        assert messages["receive_leave_ns"][i] > messages["send_enter_ns"][i], "received before it was sent"

    parts = merged_columns.part_columns(file, events)
    assert (np.diff(parts["instance"].astype(np.int64)) >= 0).all()
    for i in range(len(parts["instance"])):
        start = place[int(parts["rank"][i]), int(parts["start_thread"][i]), int(parts["start_sequence"][i])]
        assert parts["enter_ns"][i] == events["enter_ns"][start]
    for number in np.unique(parts["instance"]):
        own = (parts["instance"] == number) & (parts["shape"] == 0)
        for i in np.flatnonzero(own):
            others = own.copy()
            others[i] = False
            assert (parts["enter_ns"][others] < parts["leave_ns"][i]).all(), "left before all had entered"

    first = min(3, rows - 1)
    enters, others, numbers, ends, participants, waits, some = documented(file, first)
    assert (enters["enter_ns"] == events["enter_ns"]).all()
    assert (enters["rank"] == events["rank"]).all() and (enters["thread"] == events["thread"]).all()
    assert (others["bytes_sent"] == events["bytes_sent"]).all()
    assert (numbers["sequence"] == events["sequence"]).all()
    assert (ends["send"] == messages["send_row"]).all() and (ends["post"] == messages["post_row"]).all()
    assert (ends["completion"] == messages["completion_row"]).all()
    assert (ends["bytes_as_sent"] == messages["bytes"]).all()
    assert (participants["start"] == parts["start_row"]).all()
    assert (participants["completion"] == parts["completion_row"]).all()
    assert (participants["instance"] == parts["instance"]).all() and (participants["comm"] == parts["comm"]).all()
    assert (np.diff(waits["waiting"]) >= 0).all() and (file["waits/wait_ns"][:] > 0).all()
    assert (waits["waiting_rank"] == events["rank"][waits["waiting"]]).all()
    assert (waits["causing_rank"] == events["rank"][waits["causing"]]).all()
    assert (some["enter_ns"] == events["enter_ns"][first:65536]).all()

    comms = columns(file["communicators"])
    assert text(comms["name"][0]) == "MPI_COMM_WORLD"
    first, size, member = (file["groups"][name][:] for name in ("first", "size", "member"))
    world = comms["group"][0]
    ranks = member[first[world]:first[world] + size[world]]
    assert (ranks == np.arange(size[world])).all()
    assert set(file["ranks/rank"][:]) <= set(ranks)
    assert file["threads/events"][:].sum() == rows
    assert file["findings"].name and file["findings"] == file["summary/findings"]
    print(rows, "events", len(messages["tag"]), "messages", len(parts["instance"]), "parts")
