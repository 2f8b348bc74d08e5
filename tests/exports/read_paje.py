# SPDX-License-Identifier: Apache-2.0
"""A trace of Paje, read by pj_dump of PajeNG, against the merged file."""

import re
import shutil
import subprocess

import oracle


def plain(name):
    return "".join(" " if ord(c) < 32 or ord(c) == 127 else "'" if c == '"' else c for c in name) or "(no name)"


def ns(text):
    return round(float(text) * 1e9)


def check(expected, folder):
    assert [path.name for path in folder.iterdir()] == ["trace.paje"]
    if shutil.which("pj_dump") is None:
        print("not compared: there is no pj_dump (Debian: pajeng)")
        return None
    done = subprocess.run(["pj_dump", "--float-precision=17", folder / "trace.paje"], capture_output=True, timeout=100)
    assert done.returncode == 0 and done.stderr == b"", done.stderr[:2000]
    states, moments, links, containers = [], [], [], set()
    number = {f"rank {rank} thread {thread}": i for i, (rank, thread) in enumerate(expected.locations)}
    time = r"([-0-9.e]+)"
    for line in done.stdout.decode("utf-8").splitlines():
        if found := re.fullmatch(rf"State, ([^,]*), state, {time}, {time}, {time}, {time}, (.*)", line):
            states.append((number[found[1]], ns(found[2]), ns(found[3]), found[6]))
        elif found := re.fullmatch(rf"Event, ([^,]*), event, {time}, (.*)", line):
            moments.append((number[found[1]], ns(found[2]), ns(found[2]), found[3]))
        elif found := re.fullmatch(rf"Link, run, message, {time}, {time}, {time}, (.*), (rank \d+ thread \d+), (rank \d+ thread \d+), m(\d+)", line):
            links.append((int(found[7]), ns(found[1]), ns(found[2]), found[4], number[found[5]], number[found[6]]))
        else:
            found = re.fullmatch(rf"Container, (.*), (0|run|rank|thread), {time}, {time}, {time}, (.*)", line)
            assert found, line
            containers.add((found[2], found[6]))
    wanted = [(at, begin, end, plain(name)) for at, begin, end, name, _ in expected.items]
    oracle.same("calls and regions", states + moments, wanted)
    oracle.same("moments", [item[3] for item in moments], [plain(item[3]) for item in expected.items if item[4] == "moment"])
    oracle.same("messages", links, [
        (m["number"], m["send_enter_ns"], m["receive_leave_ns"], plain(expected.comms[m["comm"]]["name"]),
         expected.location[m["send_row"]], expected.location[m["completion_row"]]) for m in expected.messages])  # fmt: skip
    assert {name for kind, name in containers if kind == "thread"} == set(number)
    assert {name for kind, name in containers if kind == "rank"} == {
        plain(f"rank {rank} on {host}") for rank, host in zip(expected.ranks, expected.hosts)}  # fmt: skip
    return len(states) + len(moments) + 2 * len(links)
