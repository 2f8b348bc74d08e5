# SPDX-License-Identifier: Apache-2.0
"""The columns of merged.h5 as absolute numbers, made by the lines that merged/FORMAT.md gives. h5py and NumPy only."""

import math

import numpy as np


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def close(a, b):
    """Whether two times in seconds are equal but for rounding."""
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-15)


def event_columns(file):
    """{column: values} of /events, with enter_ns, rank, thread and sequence."""
    location = file["events/location"][:]
    # FORMAT.md: events
    order = np.lexsort((location, np.arange(len(location)) // 65536))
    events = {}
    for name, column in file["events"].items():
        events[name] = column[:]
        if name not in ("enter_step_ns", "duration_ns", "location"):
            events[name][order] = column[:]
    skipped = events.pop("skipped")
    del events["location"]
    # FORMAT.md: absolute times
    events["enter_ns"] = np.cumsum(events.pop("enter_step_ns"))
    # FORMAT.md: who called
    events["rank"], events["thread"] = file["threads/rank"][:][location], file["threads/thread"][:][location]
    # FORMAT.md: numbers of calls
    order = np.argsort(location, kind="stable")
    total = np.cumsum(skipped[order] + 1)
    first = np.searchsorted(location[order], location[order])
    events["sequence"] = np.empty(len(location), np.int64)
    events["sequence"][order] = total - (total - skipped[order] - 1)[first] - 1
    return events


def message_columns(file, events=None):
    """{column: values} of /messages, with the calls at both ends and their times."""
    events = event_columns(file) if events is None else events
    messages = {name: column[:] for name, column in file["messages"].items()}
    # FORMAT.md: ends of messages
    send = np.cumsum(messages["send_step"])
    completion = send + messages["completion"]
    post = completion - messages["post"]
    result = {name: messages[name + "_difference"] + events[of][send]
              for name, of in (("comm", "comm"), ("tag", "tag"), ("bytes", "bytes_sent"))}
    result |= {"send_rank": events["rank"][send], "receive_rank": events["rank"][completion]}
    for name, row in (("send", send), ("post", post), ("completion", completion)):
        result |= {f"{name}_row": row, f"{name}_thread": events["thread"][row], f"{name}_sequence": events["sequence"][row]}
    result |= {"send_enter_ns": events["enter_ns"][send], "post_enter_ns": events["enter_ns"][post],
               "receive_leave_ns": (events["enter_ns"] + events["duration_ns"])[completion]}
    return result


def part_columns(file, events=None):
    """{column: values} of the participants of collectives, with what their instance says and their times."""
    events = event_columns(file) if events is None else events
    collectives = {name: column[:] for name, column in file["collectives"].items()}
    parts = {name: column[:] for name, column in file["parts"].items()}
    # FORMAT.md: participants
    instance = np.repeat(np.arange(len(collectives["parts"])), collectives["parts"])
    start = np.cumsum(parts["start_step"])
    completion = start + parts["completion"]
    result = {name: collectives[name][instance] for name in ("comm", "root", "parts")}
    result |= {"instance": instance, "shape": parts["shape"], "comm_rank": parts["comm_rank"],
               "rank": events["rank"][start], "enter_ns": events["enter_ns"][start],
               "leave_ns": (events["enter_ns"] + events["duration_ns"])[completion]}
    for name, row in (("start", start), ("completion", completion)):
        result |= {f"{name}_row": row, f"{name}_thread": events["thread"][row], f"{name}_sequence": events["sequence"][row]}
    return result
