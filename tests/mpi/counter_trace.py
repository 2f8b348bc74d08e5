# SPDX-License-Identifier: Apache-2.0
"""Counters, usage and texts of a rank file, read with h5py and none of our code."""

import collections

import h5py

HAS_COUNTERS = 8


class Counted:
    """One event: name, thread, and by counter the increase between calls and in the call; None where it has none."""

    def __init__(self, name, thread, flags, between, value):
        self.name, self.thread, self.flags, self.between, self.value = name, thread, flags, between, value


class CounterTrace:
    def __init__(self, path):
        with h5py.File(path) as file:
            self.texts = collections.defaultdict(list)
            text_bytes = file["text_bytes"][()].tobytes()
            for row in file["texts"][()]:
                first = int(row["first"])
                key, _, value = text_bytes[first : first + int(row["bytes"])].partition(b"\0")
                self.texts[key.decode()].append(value.decode())
            self.usage = file["usage"][()] if "usage" in file else []
            self.threads = file["threads"][()]
            self.names = self.text("counters").split(",") if self.text("counters") else []
            self.units = self.text("counters.units").split(",") if self.names else []
            self.events = list(self._events(file))

    def text(self, key):
        return self.texts[key][0] if key in self.texts else ""

    def _events(self, file):
        count = int(file.attrs["counters_per_event"])
        values, between = ([], []) if "counters" not in file else (
            file[f"counters/{name}"][()].reshape(-1, count).tolist() for name in ("value", "between")
        )  # fmt: skip
        rows = iter(zip(values, between))
        names = file["calls/name"].asstr()[()]
        calls, flags = file["events/call"][()], file["events/flags"][()]
        at = 0
        for segment in file["segments"][()]:
            for _ in range(int(segment["events"])):
                value, gap = next(rows) if flags[at] & HAS_COUNTERS else (None, None)
                as_dict = (lambda row: None if row is None else dict(zip(self.names, row)))
                yield Counted(names[calls[at]], int(segment["thread"]), int(flags[at]), as_dict(gap), as_dict(value))
                at += 1

    def of_thread(self, thread):
        return [event for event in self.events if event.thread == thread]
