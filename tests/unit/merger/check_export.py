#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares exported CSV, read by the csv module, with the merged file, read by h5py. Usage: check_export.py merged.h5 DIR"""

import csv
import pathlib
import sys

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import merged_columns  # noqa: E402
from merged_columns import text  # noqa: E402

SHAPES = ["all-to-all", "one-to-all", "all-to-one", "prefix", "none"]


def harmless(value):
    return "'" + value if value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, strict=True))


def known(value):
    return "" if value < 0 else str(value)


def compare(path, expected):
    """`expected`: {column: texts}; columns that are not in it are not compared."""
    found = rows(path)
    count = len(next(iter(expected.values())))
    assert len(found) == count, (path.name, len(found), count)
    for column, values in expected.items():
        for number, (row, value) in enumerate(zip(found, values)):
            assert row[column] == value, (path.name, number, column, row[column], value)
    return found


with h5py.File(sys.argv[1]) as merged:
    folder = pathlib.Path(sys.argv[2])
    assert sorted(path.name for path in folder.iterdir()) == ["collectives.csv", "events.csv", "messages.csv"]
    calls, groups = ([text(name) for name in merged[f"calls/{column}"]] for column in ("name", "group"))
    comms = [harmless(text(name)) for name in merged["communicators/name"]]
    events = merged_columns.event_columns(merged)
    found = compare(folder / "events.csv", {
        **{name: [str(v) for v in events[name].tolist()] for name in (
            "enter_ns", "duration_ns", "rank", "thread", "sequence", "flags", "bytes_sent", "bytes_received",
            "calls", "outside_ns")},
        **{name: [known(v) for v in events[name].tolist()] for name in ("comm", "peer", "tag")},
        "function": [calls[number] for number in events["call"]],
        "function_group": [groups[number] for number in events["call"]],
        "communicator": ["" if number < 0 else comms[number] for number in events["comm"].tolist()],
    })  # fmt: skip
    messages = merged_columns.message_columns(merged, events)
    compare(folder / "messages.csv", {
        **{name: [str(v) for v in messages[name].tolist()] for name in (
            "send_rank", "send_thread", "send_sequence", "send_enter_ns", "receive_rank", "post_thread", "post_sequence",
            "post_enter_ns", "completion_thread", "completion_sequence", "receive_leave_ns", "comm", "tag", "bytes")},
        "communicator": [comms[number] for number in messages["comm"]],
    })  # fmt: skip
    parts = merged_columns.part_columns(merged, events)
    compare(folder / "collectives.csv", {
        **{name: [str(v) for v in parts[name].tolist()] for name in (
            "instance", "comm", "parts", "comm_rank", "rank", "start_thread", "start_sequence", "enter_ns",
            "completion_thread", "completion_sequence", "leave_ns")},
        "root": [known(v) for v in parts["root"].tolist()],
        "shape": [SHAPES[number] for number in parts["shape"]],
        "function": [calls[number] for number in events["call"][parts["start_row"]]],
    })  # fmt: skip
    print(len(found), "events", len(messages["tag"]), "messages", len(parts["instance"]), "parts")
