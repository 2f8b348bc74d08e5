# SPDX-License-Identifier: Apache-2.0
"""The contents of an export, derived from merged.h5 by plain loops over its columns. h5py and NumPy only."""

import fnmatch
import pathlib
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import merged_columns  # noqa: E402

BEGINS, ENDS = 64, 128


def text(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


class Expected:
    """items: [(location, enter_ns, leave_ns, name, kind)], kind "call", "region" or "moment".
    messages: dictionaries with both ends; parts: dictionaries of participants with the name of the call."""

    def __init__(self, path, selection=None):
        with h5py.File(path) as file:
            self.names = [text(name) for name in file["calls/name"]]
            self.groups = [text(group) for group in file["calls/group"]]
            self.ranks = [int(rank) for rank in file["ranks/rank"]]
            self.hosts = [text(host) for host in file["ranks/host"]]
            self.locations = list(zip(file["threads/rank"][:].tolist(), file["threads/thread"][:].tolist()))
            self.origin_ns = int(file.attrs["time_origin_realtime_ns"])
            self.comms = [{"name": text(n), "kind": text(k), "group": int(g), "remote": int(r)} for n, k, g, r in zip(
                *(file[f"communicators/{c}"][:] for c in ("name", "kind", "group", "remote_group")))]
            member = file["groups/member"][:].tolist()
            self.members = [member[first : first + size] for first, size in zip(file["groups/first"][:], file["groups/size"][:])]
            self.sites = ([(text(f), text(p), int(n)) for f, p, n in zip(*(file[f"sites/{c}"][:] for c in ("function", "file", "line")))]
                          if "sites" in file else [])
            self.location = file["events/location"][:].tolist()
            self.events = {name: column.tolist() for name, column in merged_columns.event_columns(file).items()}
            arrays = merged_columns.event_columns(file)
            self.messages = self._rows(merged_columns.message_columns(file, arrays))
            self.parts = self._rows(merged_columns.part_columns(file, arrays))
        for number, message in enumerate(self.messages):
            message["number"] = number
        for number, part in enumerate(self.parts):
            part["number"] = number
            part["call"] = self.names[self.events["call"][part["start_row"]]]
        self.kept = set(range(len(self.location)))
        if selection:
            self._select(**selection)
        self.items = self._items()

    @staticmethod
    def _rows(columns):
        columns = {name: np.asarray(values).tolist() for name, values in columns.items()}
        return [dict(zip(columns, values)) for values in zip(*columns.values())]

    def enter(self, row):
        return self.events["enter_ns"][row]

    def leave(self, row):
        return self.events["enter_ns"][row] + self.events["duration_ns"][row]

    def call(self, row):
        return self.names[self.events["call"][row]]

    def _regions(self):
        """[(location, row of the beginning, row of the end, name)]; the regions of these programs nest."""
        regions, stacks = [], {}
        for row, location in enumerate(self.location):
            call, flags = self.events["call"][row], self.events["flags"][row]
            if self.groups[call] == "user" and flags & BEGINS:
                stacks.setdefault(location, []).append(row)
            elif self.groups[call] == "user" and flags & ENDS and stacks.get(location):
                begin = stacks[location].pop()
                assert self.call(begin) == self.call(row)
                regions.append((location, begin, row, self.call(row)))
        return regions + [(location, begin, None, self.call(begin)) for location, rows in stacks.items() for begin in rows]

    def _select(self, ranks=None, begin_ns=None, end_ns=None, functions=None, regions=None):
        """Keeps what is selected, and what is at the other end of its messages and collectives."""

        def fits(pattern, name):
            return fnmatch.fnmatchcase(name.upper(), pattern.upper())

        def is_chosen(location, enter, leave):
            is_rank = ranks is None or self.locations[location][0] in ranks
            return is_rank and (begin_ns is None or leave >= begin_ns) and (end_ns is None or enter < end_ns)

        marks = self._regions()
        around = [(location, begin, end) for location, begin, end, name in marks if regions and fits(regions, name)]
        ends = {end for _, _, end, _ in marks}
        begins = {begin for _, begin, _, _ in marks}
        selected = set()
        for location, begin, end, name in marks:
            pattern = regions or functions or "*"
            if fits(pattern, name) and is_chosen(location, self.enter(begin), self.enter(end) if end is not None else 2**63):
                selected |= {begin, end} - {None}
        for row, location in enumerate(self.location):
            if row in begins or row in ends or not is_chosen(location, self.enter(row), self.leave(row)):
                continue
            is_inside = not regions or any(at == location and begin < row and (end is None or row < end) for at, begin, end in around)
            if is_inside and fits(functions or "*", self.call(row)):
                selected.add(row)
        message_rows = ("send_row", "post_row", "completion_row")
        self.messages = [m for m in self.messages if any(m[row] in selected for row in message_rows)]
        instances = {p["instance"] for p in self.parts if p["start_row"] in selected or p["completion_row"] in selected}
        self.parts = [p for p in self.parts if p["instance"] in instances]
        self.kept = selected | {m[row] for m in self.messages for row in message_rows}
        self.kept |= {p[row] for p in self.parts for row in ("start_row", "completion_row")}

    def _items(self):
        items, open_regions, latest = [], {}, 0
        for row in sorted(self.kept):
            location, call, flags = self.location[row], self.events["call"][row], self.events["flags"][row]
            enter, leave = self.enter(row), self.leave(row)
            latest = max(latest, leave)
            is_user = self.groups[call] == "user"
            if is_user and flags & BEGINS:
                open_regions.setdefault(location, []).append((enter, call))
            elif is_user and flags & ENDS:
                regions = open_regions.get(location, [])
                if call not in [open_call for _, open_call in regions]:
                    continue
                while True:
                    begin, open_call = regions.pop()
                    items.append((location, begin, enter, self.names[open_call], "region"))
                    if open_call == call:
                        break
            else:
                items.append((location, enter, leave, self.names[call], "moment" if is_user and enter == leave else "call"))
        for location, regions in open_regions.items():
            items += [(location, begin, latest, self.names[call], "region") for begin, call in regions]
        return sorted(items)


def nested_items(location_events):
    """[(enter_ns, leave_ns, name)] of ("enter" or "leave", time, name) in order of one location; they must nest."""
    stack, items, last = [], [], 0
    for what, time, name in location_events:
        assert time >= last, (what, time, last)
        last = time
        if what == "enter":
            stack.append((time, name))
        else:
            begin, open_name = stack.pop()
            assert open_name == name, (open_name, name)
            items.append((begin, time, name))
    assert not stack, stack
    return items


def same(what, found, wanted):
    """Both lists hold the same, in any order."""
    found, wanted = sorted(found), sorted(wanted)
    for a, b in zip(found, wanted):
        assert a == b, f"{what}: found {a}, wanted {b}"
    assert len(found) == len(wanted), f"{what}: found {len(found)}, wanted {len(wanted)}; {(found + wanted)[min(len(found), len(wanted)):][:3]}"
