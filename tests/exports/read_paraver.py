# SPDX-License-Identifier: Apache-2.0
"""A trace of Paraver, parsed here, against the merged file."""

import collections
import datetime
import re

import oracle

TYPES = {"p2p": 50000001, "request": 50000001, "coll": 50000002, "rma": 50000004, "io": 50000005, "thread": 61000000, "lock": 61000000,
         "sleep": 61000000, "files": 40000004, "openmp": 60000001, "user": 60000019}  # fmt: skip


def check(expected, folder):
    assert sorted(path.name for path in folder.iterdir()) == ["trace.pcf", "trace.prv", "trace.row"]
    lines = (folder / "trace.prv").read_text(encoding="utf-8").splitlines()
    begin = datetime.datetime.fromtimestamp(expected.origin_ns // 10**9, datetime.timezone.utc)
    header = re.fullmatch(r"#Paraver \(([^)]*)\):(\d+)_ns:(\d+)\(([\d,]*)\):1:(\d+)\(([\d:,]*)\),(\d+)", lines[0])
    assert header and header[1] == begin.strftime("%d/%m/%Y at %H:%M"), lines[0]
    assert int(header[2]) == max((expected.leave(row) for row in range(len(expected.location))), default=0)
    ranks = sorted({rank for rank, _ in expected.locations} | set(expected.ranks))
    threads = [[i for i, (of, _) in enumerate(expected.locations) if of == rank] for rank in ranks]
    tasks = [tuple(map(int, task.split(":"))) for task in header[6].split(",")]
    assert [count for count, _ in tasks] == [max(1, len(of_rank)) for of_rank in threads] and int(header[5]) == len(ranks)
    assert sum(map(int, header[4].split(","))) == len(expected.locations)
    groups = [line.split(":") for line in lines[1:] if line.startswith("c:")]
    assert len(groups) == len(expected.comms) == int(header[7])
    for i, (words, comm) in enumerate(zip(groups, expected.comms)):
        members = [ranks.index(rank) + 1 for rank in expected.members[comm["group"]] if rank in ranks] if comm["group"] < len(expected.members) else []
        assert list(map(int, words[1:])) == [1, i + 1, len(members), *members], words

    types = [TYPES.get(group, 50000003) for group in expected.groups]
    labels, kind = {}, None
    for line in (folder / "trace.pcf").read_text(encoding="utf-8").split("\n"):
        if found := re.fullmatch(r"9 (\d+) \S.*", line):
            kind = int(found[1])
        elif (found := re.fullmatch(r"(\d+) (.*)", line)) and kind:
            labels[kind, int(found[1])] = found[2]

    def at(words):
        processor, application, task, thread = words
        assert application == 1 and processor - 1 == threads[task - 1][thread - 1]
        return processor - 1

    records = [list(map(int, line.split(":"))) for line in lines[1:] if not line.startswith("c:")]
    assert all(a[5] <= b[5] for a, b in zip(records, records[1:])), "records are in order of time"
    found, messages = collections.defaultdict(list), []
    for words in records:
        if words[0] == 2:
            place, (time, type_, value) = at(words[1:5]), words[5:]
            found[place, type_].append((time, value))
        else:
            assert words[0] == 3 and words[5] == words[6]
            messages.append((at(words[1:5]), words[5], at(words[7:11]), *words[11:]))
    call_number = {name: i for i, name in enumerate(expected.names)}
    for (place, type_), events in found.items():
        for _, value in events:
            assert value == 0 or types[value - 1] == type_ and (type_, value) in labels
    by_type = collections.defaultdict(list)
    for place, enter, leave, name, _ in expected.items:
        by_type[place, types[call_number[name]]].append((enter, leave, call_number[name] + 1))
    assert set(found) == set(by_type)
    for key, items in by_type.items():
        times = [time for enter, leave, _ in items for time in (enter, leave)]
        oracle.same(f"times of {key}", [time for time, _ in found[key]], times)
        begins = collections.Counter((enter, value) for enter, _, value in items)
        got = collections.Counter(found[key])
        assert not begins - got, (key, begins - got)
        assert found[key][-1][1] == 0
    oracle.same("messages", messages, [
        (expected.location[m["send_row"]], m["send_enter_ns"], expected.location[m["completion_row"]], m["post_enter_ns"],
         m["receive_leave_ns"], m["bytes"], m["tag"]) for m in expected.messages])  # fmt: skip
    for number, name in enumerate(expected.names):
        if name:
            assert labels[types[number], number + 1] == "".join(
                " " if ord(c) < 32 or ord(c) == 127 else "'" if c == '"' else c for c in name)  # fmt: skip
    rows = (folder / "trace.row").read_text(encoding="utf-8").split("\n")
    first = rows.index(f"LEVEL THREAD SIZE {len(expected.locations)}") + 1
    assert rows[first : first + len(expected.locations)] == [
        "rank {} thread {}".format(*expected.locations[i]) for of_rank in threads for i in of_rank]  # fmt: skip
    return len(records)
