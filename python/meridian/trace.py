# SPDX-License-Identifier: Apache-2.0
"""A merged trace, open for reading."""

import html
import os
import pathlib

import h5py
import numpy as np
import pandas as pd

from . import program
from .columns import in_global_order, sequences, texts, wide
from .errors import TraceError, read_once, reading
from .query import run_query

VERSION = 3
UNFINISHED = 2  # RecordFlag of merged/FORMAT.md
REGION_BEGINS, REGION_ENDS = 64, 128
WAIT_KINDS = {
    0: "late sender", 1: "late receiver", 2: "wait at barrier", 3: "wait at N x N", 4: "late broadcast", 5: "early reduce",
    6: "wait at prefix", 7: "wait at init", 8: "wait at finalize", 9: "wrong order, same source", 10: "wrong order, other sources",
    13: "wait for lock", 14: "wait for signal", 15: "wait for semaphore", 16: "wait for join", 17: "wait at thread barrier",
    18: "wait at fence", 19: "late post", 20: "early wait", 21: "late complete", 22: "window lock", 23: "wait at neighbours",
    24: "wait for parallel region", 25: "wait at file",
}


def _nested(spans):
    """(time, "Enter" or "Leave", name) of spans (enter, leave, name) of a thread, which are nested or apart."""
    is_open = []
    for enter, leave, name in sorted(spans, key=lambda span: (span[0], -span[1])):
        while is_open and is_open[-1][0] <= enter:
            yield is_open[-1][0], "Leave", is_open.pop()[1]
        yield enter, "Enter", name
        is_open.append((leave, name))
    while is_open:
        yield is_open[-1][0], "Leave", is_open.pop()[1]


class Trace:
    """Tables of a merged trace. Each is read when it is first asked for, and kept.

    Rows of `events` are numbered in global order; `messages`, `parts` and `waits` refer to these numbers. Times are ns since the
    earliest event of the trace, as integers; in `table()` they are seconds, as in the summary.

    Raises TraceError if there is no merged file, or one of another version.
    """

    def __init__(self, path="latest"):
        path = pathlib.Path(path)
        self.path = path / "merged.h5" if path.is_dir() else path
        try:
            self._file = h5py.File(self.path, "r")
        except FileNotFoundError:
            raise TraceError(f"there is no merged trace '{self.path}': `meridian merge` makes one") from None
        except OSError as problem:
            raise TraceError(f"'{self.path}' cannot be read: {problem}") from None
        schema, version = reading(self, lambda: [self._file.attrs.get(name) for name in ("schema", "version")])
        if schema not in (b"meridian-merged", "meridian-merged"):
            self.close()
            raise TraceError(f"'{self.path}' is no merged trace")
        if version != VERSION:
            self.close()
            raise TraceError(f"'{self.path}' has version {version}, this package reads version {VERSION}: merge the trace again")

    def close(self):
        self._file.close()

    @property
    def is_open(self):
        return bool(self._file)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # Definitions.

    def _names(self, column):
        return texts(self._file[column]) if column in self._file else np.array([], dtype=object)

    def _definitions(self, group):
        columns = {}
        for name, column in self._file[group].items() if group in self._file else ():
            columns[name] = texts(column) if column.dtype.kind == "S" else wide(column[:])
        return pd.DataFrame(columns)

    @read_once
    def ranks(self):
        """A row for each rank: host, executable, pid, world, clock_domain."""
        return self._definitions("ranks")

    @read_once
    def threads(self):
        """A row for each thread: rank, thread, kernel_tid, events."""
        return self._definitions("threads")

    @read_once
    def communicators(self):
        """A row for each communicator: name, kind."""
        return self._definitions("communicators")[["name", "kind"]]

    @read_once
    def sites(self):
        """A row for each call site: caller (function of the program), outer, file, line, column, module, offset. Row 0 is "unknown"."""
        sites = self._definitions("sites")
        if not sites.empty:
            sites["module"] = self._names("modules/path")[sites["module"].to_numpy()]
            sites = sites.rename(columns={"function": "caller"})
        return sites

    def _communicators_of(self, comm):
        """Names of communicators by their numbers; -1: none."""
        names = np.append(self._names("communicators/name"), "")
        return pd.Categorical(names[comm])

    # Rows of the trace.

    @read_once
    def events(self):
        """A row for each recorded call, in global order; for polls that found nothing, a row for each phase of them.

        enter_ns, leave_ns, duration_ns, rank, thread, sequence (number in the thread), function (MPI_Send), function_group, flags, communicator, peer (world
        rank; -1: none), tag, bytes_sent, bytes_received, calls (of a phase of polls or of fused calls, otherwise 1), outside_ns, caller, file, line (of
        the place in the program; empty and 0: unknown), location (row of `threads`).
        """
        group = self._file["events"]
        location = group["location"][:]
        get = lambda name: in_global_order(group[name], location)  # noqa: E731
        enter, duration = np.cumsum(group["enter_step_ns"][:]), group["duration_ns"][:]
        call, comm = get("call"), get("comm")
        names, groups = self._names("calls/name"), self._names("calls/group")
        columns = {
            "enter_ns": enter, "leave_ns": enter + duration, "duration_ns": duration,
            "rank": wide(self._file["threads/rank"][:])[location], "thread": wide(self._file["threads/thread"][:])[location],
            "sequence": sequences(get("skipped"), location),
            "function": pd.Categorical.from_codes(call, names) if len(set(names)) == len(names) else pd.Categorical(names[call]),
            "function_group": pd.Categorical(groups[call]), "flags": get("flags"),
            "communicator": self._communicators_of(comm),
            "peer": get("peer"), "tag": get("tag"), "bytes_sent": get("bytes_sent"), "bytes_received": get("bytes_received"),
            "calls": get("calls"), "outside_ns": get("outside_ns"),
        }
        if "site" in group:
            site, sites = get("site"), self.sites
            for name in ("caller", "file"):
                columns[name] = pd.Categorical(sites[name].to_numpy()[site])
            columns["line"] = sites["line"].to_numpy()[site]
        columns["location"] = wide(location)
        return pd.DataFrame(columns)

    @read_once
    def messages(self):
        """A row for each message with both its ends.

        send, post, completion (rows of `events`: the call that sent it, the one that posted the receive, the one that found it received),
        source, dest (world ranks), send_ns (enter of the send), post_ns (enter of the post), receive_ns (leave of the completion), bytes (as
        sent), tag, communicator, send_function, receive_function (of the send and of the completion).
        """
        group, events = self._file["messages"], self.events
        send = np.cumsum(group["send_step"][:])
        completion = send + group["completion"][:]
        column = lambda name, rows: events[name].to_numpy()[rows]  # noqa: E731
        return pd.DataFrame({
            "send": send, "post": completion - group["post"][:], "completion": completion,
            "source": column("rank", send), "dest": column("rank", completion),
            "send_ns": column("enter_ns", send), "post_ns": column("enter_ns", completion - group["post"][:]),
            "receive_ns": column("leave_ns", completion),
            "bytes": column("bytes_sent", send) + group["bytes_difference"][:],
            "tag": column("tag", send) + group["tag_difference"][:],
            "communicator": self._communicators_of(in_global_order(self._file["events/comm"], self._file["events/location"][:])[send] + group["comm_difference"][:]),
            "send_function": events["function"].array[send], "receive_function": events["function"].array[completion],
        })

    @read_once
    def parts(self):
        """A row for each participant of a collective: instance, function, communicator, root, comm_rank, rank, start, completion (rows of
        `events`), enter_ns, leave_ns."""
        group, parts, events = self._file["collectives"], self._file["parts"], self.events
        instance = np.repeat(np.arange(len(group["parts"])), group["parts"][:])
        start = np.cumsum(parts["start_step"][:])
        completion = start + parts["completion"][:]
        return pd.DataFrame({
            "instance": instance, "function": events["function"].to_numpy()[start] if len(start) else np.array([], dtype=object),
            "communicator": self._communicators_of(group["comm"][:][instance]),
            "root": wide(group["root"][:])[instance], "comm_rank": wide(parts["comm_rank"][:]), "rank": events["rank"].to_numpy()[start],
            "start": start, "completion": completion,
            "enter_ns": events["enter_ns"].to_numpy()[start], "leave_ns": events["leave_ns"].to_numpy()[completion],
        })

    @read_once
    def waits(self):
        """A row for each wait of a call: event (row of `events`), rank, function, kind, wait_ns, causer (row of the call that was waited
        for), causer_rank (-1: unknown), causer_function."""
        group, events = self._file["waits"], self.events
        event = np.cumsum(group["row_step"][:])
        causer, kind = event + group["causer"][:], group["kind"][:]
        is_known = causer != event
        function, rank = events["function"].to_numpy(), events["rank"].to_numpy()
        return pd.DataFrame({
            "event": event, "rank": rank[event], "function": function[event],
            "kind": [WAIT_KINDS.get(number, f"kind {number}") for number in kind], "wait_ns": group["wait_ns"][:],
            "causer": np.where(is_known, causer, -1), "causer_rank": np.where(is_known, rank[causer], -1),
            "causer_function": np.where(is_known, np.asarray(function, dtype=object)[causer], ""),
        })

    @read_once
    def regions(self):
        """A row for each instance of a user region that ended: rank, thread, name, depth (0: outermost), enter_ns, leave_ns."""
        events = self.events
        marks = events[(events["flags"] & (REGION_BEGINS | REGION_ENDS)) != 0]
        rows, open_regions = [], {}
        for at, flags, name, rank, thread in zip(marks["enter_ns"], marks["flags"], marks["function"], marks["rank"], marks["thread"]):
            stack = open_regions.setdefault((rank, thread), [])
            if flags & REGION_BEGINS:
                stack.append((name, at))
            elif any(begun == name for begun, _ in stack):
                while True:  # regions inside that have no end of their own end here
                    begun, since = stack.pop()
                    rows.append((rank, thread, begun, len(stack), since, at))
                    if begun == name:
                        break
        columns = ["rank", "thread", "name", "depth", "enter_ns", "leave_ns"]
        return pd.DataFrame(rows, columns=columns).sort_values(["enter_ns", "rank", "thread", "depth"], ignore_index=True)

    # The program.

    @read_once
    def user_values(self):
        """A row for each value of each user event and counter: event (row of `events`), function (the event's name there), field (of a
        counter `value`), number (NaN: a text), text."""
        return program.user_values(self)

    def user_event(self, name):
        """A row for each time that the user event happened, with a column for each of its values: event (row of `events`), enter_ns, rank,
        thread, and the values. `name` is that of `events.function`, such as "pool.STEAL". A value that is named like another column has
        "value_" in front of it. Raises TraceError if no such event has values."""
        return reading(self, lambda: program.user_event(self, name))

    @read_once
    def samples(self):
        """A row for each sample of what a thread computed: time_ns, rank, thread, function, file, line, module, path (for `callers()`).

        The function is the innermost one, be it of the C library. The functions that verdict and summary name are those of the table
        `samples` of `query()`, which passes over code that the program did not write."""
        return program.samples(self)

    def callers(self, path):
        """The frames of a sample's path, innermost first: (function, file, line)."""
        return reading(self, lambda: program.callers(self, path))

    @read_once
    def processor(self):
        """A row for each interval in which a thread had no processor: start_ns, end_ns, away_ns (less than end - start where short
        intervals are summed), rank, thread, state (ready: it could have gone on; slept), count (of such intervals)."""
        return program.processor(self)

    @read_once
    def memory(self):
        """A row for each time at which the memory of a process had changed: rank, time_ns, resident_bytes, peak_bytes (most that was
        resident until then), swapped_bytes, minor_faults, major_faults (page faults since the process began)."""
        return program.memory(self)

    @read_once
    def energy(self):
        """A row for each time at which the energy of a zone of a host was read: host, zone (as the kernel names it), kind, is_added (the
        energy of the host is the sum of such zones), time_ns, joules (since the first reading)."""
        return program.energy(self)

    # The summary.

    @read_once
    def tables(self):
        """The names for `table()`."""
        return sorted(self._file["summary"]) if "summary" in self._file else []

    def table(self, name):
        """A table of the summary, as `meridian stats --columns` describes it."""
        if name not in self.tables:
            raise TraceError(f"'{self.path}' has no table '{name}'; it has: {', '.join(self.tables)}")
        return reading(self, lambda: self._definitions(f"summary/{name}"))

    # Questions.

    def query(self, sql, command="meridian"):
        """The answer to a question in SQL: `meridian query --tables` lists the tables, docs/QUERY.md has examples. Times are seconds.

        The command `meridian` runs the query; `command` is its name or path. Raises TraceError if the command is missing, or the query is
        not valid.
        """
        return run_query(self.path, sql, command)

    # For others.

    def pipit(self):
        """Enter and leave events with the columns of Pipit's Trace.events: "Timestamp (ns)", "Event Type", "Name", "Process", "Thread"."""
        calls = self.events[(self.events["flags"] & (REGION_BEGINS | REGION_ENDS) == 0) & (self.events["function_group"] != "user")]
        leave = np.where(calls["flags"] & UNFINISHED, calls["enter_ns"], calls["leave_ns"])
        spans = {}
        for span in (*zip(calls["rank"], calls["thread"], calls["enter_ns"], leave, calls["function"].astype(str)),
                     *self.regions[["rank", "thread", "enter_ns", "leave_ns", "name"]].itertuples(index=False)):
            spans.setdefault(tuple(span[:2]), []).append(span[2:])
        rows = []
        for thread, own in spans.items():
            rows += [(*row, *thread) for row in _nested(own)]
        frame = pd.DataFrame(rows, columns=["Timestamp (ns)", "Event Type", "Name", "Process", "Thread"])
        return frame.sort_values("Timestamp (ns)", kind="stable", ignore_index=True)

    def __repr__(self):
        if not self.is_open:
            return f"Trace('{self.path}'): closed"
        return f"Trace('{self.path}'): {len(self.ranks)} ranks, {len(self._file['events/location'])} events"

    def _repr_html_(self):
        run = self.table("run").iloc[0] if "run" in self.tables else {}
        rows = {"program": os.path.basename(str(run.get("executable", ""))), "ranks": len(self.ranks),
                "time": f"{run.get('time_s', 0):.6g} s", "events": len(self._file["events/location"]),
                "messages": len(self._file["messages/send_step"]), "collectives": len(self._file["collectives/parts"])}
        cells = "".join(f"<tr><th>{name}</th><td>{html.escape(str(value))}</td></tr>" for name, value in rows.items())
        problems = "".join(f"<li>{html.escape(text)}</li>" for text in self.table("problems")["text"][:3]) if "problems" in self.tables else ""
        return f"<table>{cells}</table><ol>{problems}</ol>"
