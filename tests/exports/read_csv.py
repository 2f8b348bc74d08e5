# SPDX-License-Identifier: Apache-2.0
"""Rows of exported CSV, read by the csv module: which ones there are. Their cells are compared in tests/unit/merger."""

import csv

import oracle


def check(expected, folder):
    def keys(name, *columns):
        with open(folder / f"{name}.csv", newline="", encoding="utf-8") as file:
            return [tuple(int(row[column]) for column in columns) for row in csv.DictReader(file, strict=True)]

    events = expected.events
    found = keys("events", "rank", "thread", "sequence")
    oracle.same("events", found, [(events["rank"][row], events["thread"][row], events["sequence"][row]) for row in expected.kept])
    for name, wanted, columns in (
        ("messages", expected.messages, ("send_rank", "send_thread", "send_sequence", "completion_sequence", "bytes")),
        ("collectives", expected.parts, ("instance", "rank", "start_sequence", "completion_sequence")),
    ):
        oracle.same(name, keys(name, *columns), [tuple(row[column] for column in columns) for row in wanted])
    return len(found)
