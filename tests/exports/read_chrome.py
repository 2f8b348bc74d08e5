# SPDX-License-Identifier: Apache-2.0
"""Trace events of Chrome, read by Python's json, against the merged file."""

import collections
import decimal
import json

import oracle

PROGRAM = ("sample", "processor")  # what threads computed, in rows of their own: tests/mpi/samples/outputs.py
PROGRAM_ROWS = 1_000_000


def ns(text):
    value = decimal.Decimal(text) * 1000
    assert value == int(value), text
    return int(value)


def check(expected, folder):
    assert [path.name for path in folder.iterdir()] == ["trace.json"]
    with open(folder / "trace.json", encoding="utf-8") as file:
        document = json.load(file, parse_float=decimal.Decimal)
    assert document["otherData"]["time_origin_realtime_ns"] == str(expected.origin_ns)
    by_phase = collections.defaultdict(list)
    for event in document["traceEvents"]:
        if event.get("cat") in PROGRAM or event["tid"] >= PROGRAM_ROWS:
            continue
        by_phase[event["ph"]].append(event)
    assert set(by_phase) <= set("MXisf"), set(by_phase)
    number = {place: i for i, place in enumerate(expected.locations)}

    def at(event):
        return number[event["pid"], event["tid"]]

    items = [(at(e), ns(e["ts"]), ns(e["ts"]) + ns(e["dur"]), e["name"]) for e in by_phase["X"]]
    items += [(at(e), ns(e["ts"]), ns(e["ts"]), e["name"]) for e in by_phase["i"]]
    oracle.same("calls and regions", items, [item[:4] for item in expected.items])
    oracle.same("moments", [e["name"] for e in by_phase["i"]], [name for *_, name, kind in expected.items if kind == "moment"])
    check_details(expected, {(at(e), e["args"]["sequence"]): e for e in by_phase["X"]})
    names = {(e["name"], e["pid"], e["tid"]): e["args"] for e in by_phase["M"]}
    for rank, host in zip(expected.ranks, expected.hosts):
        assert names["process_name", rank, 0]["name"] == f"rank {rank} on {host}"
    for rank, thread in expected.locations:
        assert names["thread_name", rank, thread]["name"] == f"thread {thread}"

    begins, ends = {e["id"]: e for e in by_phase["s"]}, {e["id"]: e for e in by_phase["f"]}
    assert len(begins) == len(by_phase["s"]) == len(by_phase["f"]) == len(expected.messages)
    for message in expected.messages:
        begin, end = begins[message["number"]], ends[message["number"]]
        assert (begin["pid"], begin["tid"], ns(begin["ts"])) == (message["send_rank"], message["send_thread"], message["send_enter_ns"])
        row = message["completion_row"]
        inside = max(expected.enter(row), message["receive_leave_ns"] - 1)
        assert (end["pid"], end["tid"], ns(end["ts"])) == (message["receive_rank"], message["completion_thread"], inside)
        args = begin["args"]
        assert (args["bytes"], args["tag"], args["comm"]) == (message["bytes"], message["tag"], message["comm"])
        assert args["communicator"] == expected.comms[message["comm"]]["name"]
    return len(items) + 2 * len(begins)


def check_details(expected, found):
    for row in expected.kept:
        location = expected.location[row]
        values = {name: column[row] for name, column in expected.events.items()}
        if expected.groups[values["call"]] == "user":
            continue
        args = found[location, values["sequence"]]["args"]
        for name in ("comm", "peer", "tag"):
            assert args.get(name, -1) == values[name], (row, name)
        for name, nothing in (("bytes_sent", 0), ("bytes_received", 0), ("flags", 0), ("calls", 1), ("outside_ns", 0)):
            assert args.get(name, nothing) == values[name], (row, name)
        function, file, line = expected.sites[values["site"]] if expected.sites else ("", "", 0)
        assert (args.get("function", ""), args.get("file", ""), args.get("line", 0) if file else line) == (function, file, line)
