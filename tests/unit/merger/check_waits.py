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

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / folder) for folder in ("support", "mpi")]
import merged_columns  # noqa: E402
import rank_trace  # noqa: E402

KINDS = ["late sender", "late receiver", "wait at barrier", "wait at N x N", "late broadcast", "early reduce",
         "wait at prefix", "wait at init", "wait at finalize", "wrong order, same source", "wrong order, other sources",
         "barrier completion", "N x N completion", "wait for lock", "wait for signal", "wait for semaphore",
         "wait for join", "wait at thread barrier", "wait at fence", "late post", "early wait", "late complete", "window lock",
         "wait at neighbours", "wait for parallel region", "wait at file"]
POLLS = {"MPI_Test", "MPI_Testany", "MPI_Testsome", "MPI_Testall", "MPI_Request_get_status"}
PROBE_POLLS = {"MPI_Iprobe", "MPI_Improbe"}
ANY_SOURCE = 256  # flag of a receive or probe
BLOCKING_SENDS = {"MPI_Send", "MPI_Ssend", "MPI_Rsend", "MPI_Sendrecv", "MPI_Sendrecv_replace"}


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def completed_sends(folder):
    """{(rank, number of the send in its thread): number of the call that completed its request}, for one thread a rank."""
    found = {}
    for path in sorted(folder.glob("rank-*.h5")):
        trace, templates, started = rank_trace.RankTrace(path), set(), {}
        for number, call in enumerate(trace.calls):
            requests = [request for request, *_ in call.completions]
            if call.name in rank_trace.SEND_TEMPLATES:
                templates.add(call.messages[0][-1])
            elif call.name in rank_trace.SENDS and call.messages[0][-1]:
                started[call.messages[0][-1]] = number
            elif call.name in rank_trace.STARTS:
                started |= {request: number for request in requests if request in templates}
            elif call.name not in rank_trace.NOT_COMPLETING:
                found |= {(trace.rank, started.pop(request)): number for request in requests if request in started}
    return found


def waits_for_messages(names, events, enter, leave, messages, completions):
    """The longest of the waits of each call, with those of probes and of polls. completions: row of a send -> row of the
    call that completed its request."""
    location = list(zip(events["rank"].tolist(), events["thread"].tolist()))
    received = collections.defaultdict(list)  # by completing call: the sends
    for send, completion in zip(messages["send_row"].tolist(), messages["completion_row"].tolist()):
        received[completion].append(send)
    longest = {}
    post_of = dict(zip(messages["send_row"].tolist(), messages["post_row"].tolist()))

    def wait_of(row, causer):
        return min(enter[causer], leave[row]) - enter[row]

    def consider(row, causer, kind):
        if wait_of(row, causer) > longest.get(row, (0,))[0]:
            longest[row] = (wait_of(row, causer), causer, kind)

    def order(row, send, post=None):
        rank, source = location[row][0], location[send][0]
        later = [other for end in received if end > row and location[end][0] == rank for other in received[end]
                 if enter[other] < enter[send]]
        if any(location[other][0] == source for other in later):
            return "wrong order, same source"
        takes_any = events["flags"][post_of[send] if post is None else post] & ANY_SOURCE
        return "wrong order, other sources" if later and not takes_any else "late sender"

    for row, sends in received.items():  # first: of equal waits this one is certain
        for send in sends:
            consider(row, send, "late sender")
    for send, post in zip(messages["send_row"].tolist(), messages["post_row"].tolist()):
        if names[send] in BLOCKING_SENDS and leave[send] > enter[post]:
            consider(send, post, "late receiver")
        completion = completions.get(send)
        if completion is not None and names[completion] not in POLLS and leave[completion] > enter[post]:
            consider(completion, post, "late receiver")
    found = [(row, causer, wait, order(row, causer) if kind == "late sender" else kind)
             for row, (wait, causer, kind) in longest.items()]

    calls_of = collections.defaultdict(list)
    for row, at in enumerate(location):
        calls_of[at].append(row)
    for calls in calls_of.values():
        for place, row in enumerate(calls):
            if row not in received:
                continue
            send = max(received[row], key=lambda other: enter[other])
            polls = POLLS if names[row] in POLLS else PROBE_POLLS
            for poll in reversed(calls[:place]):
                if names[poll] not in POLLS | PROBE_POLLS or poll in received:
                    break
                if names[poll] in polls and wait_of(poll, send) > 0:
                    found.append((poll, send, wait_of(poll, send), order(row, send)))
    for row, name in enumerate(names):
        if name in ("MPI_Probe", "MPI_Mprobe") and events["peer"][row] >= 0:
            same = [end for end in sorted(received) if end > row and len(received[end]) == 1 and
                    location[end][0] == location[row][0] and
                    all(events[column][end] == events[column][row] for column in ("peer", "comm", "tag"))]
            if same and wait_of(row, received[same[0]][0]) > 0:
                found.append((row, received[same[0]][0], wait_of(row, received[same[0]][0]), order(row, received[same[0]][0], row)))
    return found


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
            if others:
                wait(root[0], max((starts[i] for i in others), key=lambda row: enter[row]), "early reduce")
        elif shape == 3:
            for i in members:
                lower = [starts[k] for k in members if parts["comm_rank"][k] <= parts["comm_rank"][i]]
                wait(i, max(lower, key=lambda row: enter[row]), "wait at prefix")
    return found


def longest_of_each_call(of_messages, in_collectives):
    """A call waits for all that it completes at the same time. Polls that find nothing complete nothing."""
    longest = {}
    for wait in of_messages + in_collectives:
        longest[wait[0]] = max(longest.get(wait[0], wait), wait, key=lambda found: found[2])
    return list(longest.values())


def completions_of(names, enter, leave, parts):
    """Times in which participants of blocking N x N collectives had not returned, though another one had."""
    instances = collections.defaultdict(list)
    for i, number in enumerate(parts["instance"]):
        if parts["shape"][i] == 0:
            instances[number].append((parts["start_row"][i], parts["completion_row"][i]))
    times = []
    for members in instances.values():
        if all(start == end for start, end in members):
            since = max(min(leave[start] for start, _ in members), max(enter[start] for start, _ in members))
            times += [leave[start] - since for start, _ in members if leave[start] > since]
    return times


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


def delays_of(waits, events, names, regions):
    """{(rank, thread, what, region, function): [short-term, long-term]}, from whole timelines; places are unknown.

    timeline[location]: list of (begin, end, what it spent this time on); a wait is a list of shares of its causes.
    """
    enter = [int(time) for time in events["enter_ns"]]
    leave = [int(time) for time in events["enter_ns"] + events["duration_ns"]]
    location = list(zip(events["rank"].tolist(), events["thread"].tolist()))
    waiting = {row: (causer, wait) for row, causer, wait, _ in waits}
    assert len(waiting) == len(waits), "a call with two waits"
    timeline, instants = collections.defaultdict(list), collections.defaultdict(list)
    causes = collections.defaultdict(lambda: [0.0, 0.0])
    begun = {at: 0 for at in location if at[1] == 0}
    last = {at: ("compute", "", "") for at in location}
    pieces = []  # (begin, end, location, what) of all calls and of the time between them
    for row, at in enumerate(location):
        if at in begun and begun[at] < enter[row]:
            pieces.append((begun[at], enter[row], at, last[at]))
        if leave[row] > enter[row] and row not in waiting:
            pieces.append((enter[row], leave[row], at, ("call", regions[row], names[row])))
        if row in waiting and enter[row] + waiting[row][1] < leave[row]:
            pieces.append((enter[row] + waiting[row][1], leave[row], at, ("call", regions[row], names[row])))
        begun[at], last[at] = leave[row], ("compute", regions[row], names[row])
    for begin, end, at, what in pieces:
        timeline[at].append((begin, end, {what: end - begin}, {}))

    def spent(at, since, until):
        own, inherited = collections.Counter(), collections.Counter()
        for begin, end, activities, shares in timeline[at]:
            part = (min(end, until) - max(begin, since)) / (end - begin)
            if part > 0:
                for what, length in activities.items():
                    own[what] += part * length
                for what, length in shares.items():
                    inherited[what] += part * length
        return own, inherited

    in_order = sorted(waiting, key=lambda row: (enter[row] + waiting[row][1], row))
    while in_order:
        end_of = {row: enter[row] + waiting[row][1] for row in in_order}
        now = min(end_of.values())
        ending = [row for row in in_order if end_of[row] == now]
        free = [row for row in ending
                if not any(location[other] == location[waiting[row][0]] and other != row for other in ending)]
        row = free[0] if free else ending[0]
        in_order.remove(row)
        causer = waiting[row][0]
        here, there = location[row], location[causer]
        common = [instant for instant in instants[here] if instant in instants[there]]
        since = max((time for _, time in common), default=0)
        own, inherited = spent(there, since, now)
        own_here, inherited_here = spent(here, since, enter[row])
        excess = {what: own[what] - own_here[what] for what in {*own, *own_here}}
        shares = {}
        for what, more in excess.items():
            group = [other for other in excess if other == what or (what[0] == other[0] == "compute" and
                                                                    what[1] == other[1])]
            total = sum(excess[other] for other in group)
            longer = sum(excess[other] for other in group if excess[other] > 0)
            if more > 0 and total > 0:
                shares["own", (there, what)] = total * more / longer
        for what in {*inherited, *inherited_here}:
            if inherited[what] - inherited_here[what] > 1e-6:
                shares["inherited", what] = inherited[what] - inherited_here[what]
        assert shares, row
        all_shares = sum(shares.values())
        blame = collections.Counter()
        for (how, what), share in shares.items():
            part = waiting[row][1] * share / all_shares
            causes[what][0 if how == "own" else 1] += part
            blame[what] += part
        timeline[here].append((enter[row], now, {}, blame))
        for at in (here, there):
            instants[at].append((causer, now))
    return causes


def regions_of(events, names):
    """The innermost user region at each call."""
    open_regions, regions = collections.defaultdict(list), []
    for row, at in enumerate(zip(events["rank"].tolist(), events["thread"].tolist())):
        if events["flags"][row] & 128 and names[row] in open_regions[at]:
            open_regions[at].reverse()
            open_regions[at].remove(names[row])
            open_regions[at].reverse()
        if events["flags"][row] & 64:
            open_regions[at].append(names[row])
        regions.append(open_regions[at][-1] if open_regions[at] else "")
    return regions


with h5py.File(sys.argv[1], "r") as file:
    assert len(set(file["ranks/clock_domain"][:])) == 1
    events = merged_columns.event_columns(file)
    calls = [text(name) for name in file["calls/name"]]
    names = [calls[call] for call in events["call"]]
    enter = [int(time) for time in events["enter_ns"]]
    leave = [int(time) for time in events["enter_ns"] + events["duration_ns"]]
    row_of = {(rank, number): row for row, (rank, number) in enumerate(zip(events["rank"], events["sequence"]))}
    completions = {row_of[rank, send]: row_of[rank, end]
                   for (rank, send), end in completed_sends(pathlib.Path(sys.argv[1]).parent).items()}
    expected = waits_for_messages(names, events, enter, leave, merged_columns.message_columns(file, events), completions)
    expected = longest_of_each_call(
        expected, waits_in_collectives(names, enter, leave, merged_columns.part_columns(file, events)))
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
        if text(table["pattern"][i]).endswith("completion"):
            continue  # below
        sums = stored[text(table["pattern"][i]), int(table["rank"][i]), text(table["function"][i]),
                      int(table["causer"][i]), text(table["causer_function"][i])]
        sums[0] += int(table["count"][i])
        sums[1] += table["total_s"][i]
        sums[2] = max(sums[2], table["longest_s"][i])
    assert set(stored) == set(totals), (set(stored) ^ set(totals))
    for key, (count, total, longest) in totals.items():
        if key[2] in POLLS | PROBE_POLLS:
            assert stored[key][0] <= count and np.isclose(stored[key][1], total, rtol=1e-9), (key, stored[key], total)
            continue  # polls one after another are one wait
        assert stored[key][0] == count, (key, stored[key], count)
        assert np.allclose(stored[key][1:], [total, longest], rtol=1e-9, atol=0), (key, stored[key], total, longest)
    assert expected

    completions = completions_of(names, enter, leave, merged_columns.part_columns(file, events))
    listed = [i for i in range(len(table["count"])) if text(table["pattern"][i]).endswith("completion")]
    assert sum(int(table["count"][i]) for i in listed) == len(completions)
    assert sum(round(table["total_s"][i] * 1e9) for i in listed) == sum(completions)

    pairs = collections.Counter()
    for waiting, causing, wait, _ in expected:
        pairs[int(events["rank"][waiting]), int(events["rank"][causing])] += wait
    table = {name: column[:] for name, column in file["summary/wait_pairs"].items()}
    stored = {(int(table["rank"][i]), int(table["causer"][i])): round(table["total_s"][i] * 1e9)
              for i in range(len(table["count"]))}
    assert stored == dict(pairs), (stored, pairs)
    assert np.isclose(table["share"].sum(), 1) and table["count"].sum() == len(expected)

    delays = delays_of(expected, events, names, regions_of(events, names))
    table = {name: column[:] for name, column in file["summary/delays"].items()}
    stored = collections.defaultdict(lambda: [0, 0])
    for i in range(len(table["waits"])):
        key = ((int(table["rank"][i]), int(table["thread"][i])),
               tuple(text(table[name][i]) for name in ("what", "region", "function")))
        stored[key][0] += round(table["short_term_s"][i] * 1e9)
        stored[key][1] += round(table["long_term_s"][i] * 1e9)
    assert sum(map(sum, stored.values())) == sum(wait for _, _, wait, _ in expected)
    near = 2 * len(expected) + 1  # each wait is divided into whole ns, and so are the causes that it passes on
    for key in {*stored, *delays}:
        assert np.allclose(stored[key], delays[key], rtol=0, atol=near), (key, stored[key], delays[key])
    print(len(expected), "waits of", sorted({kind for *_, kind in expected}))
