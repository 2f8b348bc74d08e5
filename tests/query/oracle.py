# SPDX-License-Identifier: Apache-2.0
"""The tables of `meridian query` as pandas frames, made from merged.h5 by h5py with the lines of merged/FORMAT.md."""

import pathlib
import sys

import h5py
import numpy as np
import pandas as pd

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import merged_columns  # noqa: E402

BEGINS, ENDS = 64, 128
# Of docs/WAITS.md and merged/FORMAT.md.
KINDS = ("late sender", "late receiver", "wait at barrier", "wait at N x N", "late broadcast", "early reduce", "wait at prefix",
         "wait at init", "wait at finalize", "wrong order, same source", "wrong order, other sources", "", "", "wait for lock",
         "wait for signal", "wait for semaphore", "wait for join", "wait at thread barrier", "wait at fence", "late post", "early wait",
         "late complete", "window lock", "wait at neighbours", "wait for parallel region", "wait at file")
FOLLOWS = {13, 20, 21, 24}  # waits that begin where the wait before them in the same call ends


def words(column):
    """The bytes of names, as JSON has them: what is no UTF-8 is replaced."""
    return np.array([value.decode("utf-8", "replace") for value in column[:]], dtype=object)


def none_if(values, condition):
    return [None if is_none else value for value, is_none in zip(np.asarray(values).tolist(), condition)]


class Oracle:
    """Frames by the names of the tables. Seconds are ns / 1e9, missing values are None."""

    def __init__(self, path):
        with h5py.File(path) as file:
            self.file = file
            self.raw = merged_columns.event_columns(file)
            self.calls, self.groups = words(file["calls/name"]), words(file["calls/group"])
            self.comms = words(file["communicators/name"])
            self.messages_raw = merged_columns.message_columns(file, self.raw)
            self.parts_raw = merged_columns.part_columns(file, self.raw)
            self.events = self._events()
            self.messages = self._messages()
            self.participants = self._participants()
            self.collectives = self._collectives()
            self.waits = self._waits()
            self.regions = self._regions()
            self.threads = pd.DataFrame({name: file[f"threads/{name}"][:] for name in ("rank", "thread", "kernel_tid", "events")})
        del self.file

    def _comm(self, numbers):
        names = [self.comms[number] if number >= 0 else "" for number in numbers]
        return [name or None for name in names]

    def _events(self):
        raw, file = self.raw, self.file
        enter, duration = raw["enter_ns"], raw["duration_ns"]
        rank, thread, sequence = raw["rank"], raw["thread"], raw["sequence"]
        self.labels = [f"{r}:{s}" if t == 0 else f"{r}.{t}:{s}" for r, t, s in zip(rank, thread, sequence)]
        count = len(enter)
        site = raw.get("site", np.zeros(count, int))
        sites = {name: words(file[f"sites/{name}"]) for name in ("function", "file")} if "sites" in file else {}
        place = lambda name: [sites[name][s] or None if s else None for s in site]  # noqa: E731
        lines = file["sites/line"][:] if "sites" in file else np.zeros(1, int)
        flags = raw["flags"]
        frame = pd.DataFrame({
            "event": np.arange(count), "call": self.labels, "start_s": enter / 1e9, "end_s": (enter + duration) / 1e9,
            "duration_s": duration / 1e9, "rank": rank, "thread": thread, "function": self.calls[raw["call"]],
            "function_group": self.groups[raw["call"]], "communicator": self._comm(raw["comm"]),
            "peer": pd.array(none_if(raw["peer"], raw["peer"] < 0), dtype=object), "tag": pd.array(none_if(raw["tag"], raw["tag"] < 0), dtype=object),
            "bytes_sent": raw["bytes_sent"], "bytes_received": raw["bytes_received"], "calls": raw["calls"],
            "outside_s": raw["outside_ns"] / 1e9, "caller": place("function"), "file": place("file"),
            "line": pd.array([int(lines[s]) or None for s in site], dtype=object), "path": self._paths(), "fields": [None] * count,
            "is_failed": flags & 1, "is_unfinished": flags >> 1 & 1, "flags": flags,
        })
        return frame

    def _paths(self):
        if "paths" not in self.file:
            return [None] * len(self.raw["enter_ns"])
        parent, site, function = self.file["paths/parent"][:], self.file["paths/site"][:], words(self.file["sites/function"])

        def text(at):
            names = []
            while at:
                names.insert(0, (function[site[at]] if site[at] else "") or "?")
                at = parent[at]
            return " > ".join(names) or None

        return [text(at) for at in self.raw["path"]]

    def _messages(self):
        raw, events = self.messages_raw, self.events
        frame = pd.DataFrame({
            "message": np.arange(len(raw["send_row"])), "source": raw["send_rank"], "dest": raw["receive_rank"],
            "send_s": raw["send_enter_ns"] / 1e9, "post_s": raw["post_enter_ns"] / 1e9, "receive_s": raw["receive_leave_ns"] / 1e9,
            "transfer_s": (raw["receive_leave_ns"] - raw["send_enter_ns"]) / 1e9, "bytes": raw["bytes"], "tag": raw["tag"],
            "communicator": self._comm(raw["comm"]),
        })
        ends = {"send": raw["send_row"], "post": raw["post_row"], "receive": raw["completion_row"]}
        for what in ("function", "call", "event"):
            for end, rows in ends.items():
                frame[f"{end}_{what}"] = events[what].to_numpy()[rows]
        return frame

    def _participants(self):
        raw, events = self.parts_raw, self.events
        frame = pd.DataFrame({
            "collective": raw["instance"], "function": events["function"].to_numpy()[raw["start_row"]], "communicator": self._comm(raw["comm"]),
            "rank": raw["rank"], "rank_in_communicator": raw["comm_rank"], "enter_s": raw["enter_ns"] / 1e9, "leave_s": raw["leave_ns"] / 1e9,
            "bytes_sent": self.raw["bytes_sent"][raw["start_row"]], "bytes_received": self.raw["bytes_received"][raw["start_row"]],
            "enter_call": events["call"].to_numpy()[raw["start_row"]], "leave_call": events["call"].to_numpy()[raw["completion_row"]],
            "enter_event": raw["start_row"], "leave_event": raw["completion_row"],
        })
        self.by_number = frame
        return frame.sort_values("enter_event", kind="stable", ignore_index=True)

    def _collectives(self):
        rows = []
        for number, own in self.by_number.groupby("collective"):
            own = own.sort_values("enter_event")
            first, last = own.iloc[0], own.iloc[-1]
            at = int(self.by_number.index[self.by_number["collective"] == number][0])
            root = int(self.parts_raw["root"][at])
            start, end = (int(self.raw["enter_ns"][row["enter_event"]]) for row in (first, last))
            rows.append({
                "collective": number, "function": first["function"], "communicator": first["communicator"], "root": None if root < 0 else root,
                "participants": len(own), "start_s": start / 1e9, "last_enter_s": end / 1e9, "end_s": own["leave_s"].max(),
                "spread_s": (end - start) / 1e9, "first_rank": first["rank"], "last_rank": last["rank"],
                "bytes_sent": own["bytes_sent"].sum(), "bytes_received": own["bytes_received"].sum(), "at": first["enter_event"],
            })
        frame = pd.DataFrame(rows)
        return frame.sort_values("at", ignore_index=True).drop(columns="at") if rows else frame

    def _waits(self):
        group, events = self.file["waits"], self.events
        row, kind, wait = np.cumsum(group["row_step"][:]), group["kind"][:], group["wait_ns"][:]
        causer = row + group["causer"][:]
        rows, end_ns, before = [], 0, -1
        for at, why, how_long, other in zip(row.tolist(), kind.tolist(), wait.tolist(), causer.tolist()):
            start_ns = end_ns if before == at and why in FOLLOWS else int(self.raw["enter_ns"][at])
            before, end_ns = at, start_ns + how_long
            waiting, causing = events.iloc[at], events.iloc[other] if other != at else None
            rows.append({
                "event": at, "kind": KINDS[why], "start_s": start_ns / 1e9, "wait_s": how_long / 1e9, "rank": waiting["rank"],
                "thread": waiting["thread"], "function": waiting["function"], "call": waiting["call"],
                "causer_rank": None if causing is None else causing["rank"], "causer_function": None if causing is None else causing["function"],
                "causer_call": None if causing is None else causing["call"], "causer_event": None if causing is None else other,
            })
        return pd.DataFrame(rows, dtype=object)

    def _regions(self):
        raw, rows, stacks = self.raw, [], {}
        location = self.file["events/location"][:]
        for at in np.flatnonzero(self.groups[raw["call"]] == "user").tolist():
            stack, call, flags = stacks.setdefault(int(location[at]), []), int(raw["call"][at]), int(raw["flags"][at])
            if flags & BEGINS:
                stack.append(at)
            elif flags & ENDS and call in [int(raw["call"][begin]) for begin in stack]:
                while True:
                    rows.append((stack.pop(), at, len(stack)))
                    if raw["call"][rows[-1][0]] == call:
                        break
        for _, stack in sorted(stacks.items()):
            while stack:
                rows.append((stack.pop(), None, len(stack)))
        return pd.DataFrame([{
            "name": self.calls[raw["call"][begin]], "rank": raw["rank"][begin], "thread": raw["thread"][begin], "depth": depth,
            "start_s": raw["enter_ns"][begin] / 1e9, "end_s": None if end is None else raw["enter_ns"][end] / 1e9,
            "duration_s": None if end is None else (raw["enter_ns"][end] - raw["enter_ns"][begin]) / 1e9, "start_event": begin, "end_event": end,
        } for begin, end, depth in rows], dtype=object)
