# SPDX-License-Identifier: Apache-2.0
"""A merged file as another program may leave it: rows of events in any order, references to them right, indexes stale."""

import pathlib
import shutil
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import merged_columns  # noqa: E402

BLOCK = 65536


def steps(values):
    return np.diff(values, prepend=0)


def write(source, target, random):
    """Copies the file with its events in another order, in which those of each thread stay in theirs. Returns the number of
    events whose row changed."""
    shutil.copyfile(source, target)
    with h5py.File(target, "r+") as file:
        location = file["events/location"][:]
        rows = len(location)
        # New order: threads take turns at random.
        turns = location.tolist()
        random.shuffle(turns)
        queues = {at: iter(np.flatnonzero(location == at).tolist()) for at in set(turns)}
        order = np.array([next(queues[at]) for at in turns], int)  # [new row]: old row
        place = np.empty(rows, int)  # [old row]: new row
        place[order] = np.arange(rows)
        enter = np.cumsum(file["events/enter_step_ns"][:])
        messages, parts = merged_columns.message_columns(file), merged_columns.part_columns(file)
        ends = {"awaited": np.cumsum(file["awaited/row_step"][:])} if "awaited" in file else {}
        causers = {name: first + file[f"{name}/causer"][:] for name, first in ends.items()}
        by_place = np.lexsort((location, np.arange(rows) // BLOCK))
        new_by_place = np.lexsort((location[order], np.arange(rows) // BLOCK))
        for name, column in file["events"].items():
            values = column[:]
            if name == "enter_step_ns":
                column[:] = steps(enter[order])
            elif name in ("duration_ns", "location"):
                column[:] = values[order]
            else:
                by_time = np.empty_like(values)
                by_time[by_place] = values
                column[:] = by_time[order][new_by_place]
        send = place[messages["send_row"]]
        file["messages/send_step"][:] = steps(send)
        file["messages/completion"][:] = place[messages["completion_row"]] - send
        file["messages/post"][:] = place[messages["completion_row"]] - place[messages["post_row"]]
        start = place[parts["start_row"]]
        file["parts/start_step"][:] = steps(start)
        file["parts/completion"][:] = place[parts["completion_row"]] - start
        for name, first in ends.items():
            file[f"{name}/row_step"][:] = steps(place[first])
            file[f"{name}/causer"][:] = place[causers[name]] - place[first]
        if "counters" in file:
            file["counters/event_step"][:] = steps(place[np.cumsum(file["counters/event_step"][:])])
        if "user_values" in file:
            file["user_values/row_step"][:] = steps(place[np.cumsum(file["user_values/row_step"][:])])
        for name in ("enter_ns", "latest_leave_ns"):
            file[f"index/{name}"][:] = 0
    return int(np.count_nonzero(order != np.arange(rows)))
