# SPDX-License-Identifier: Apache-2.0
"""A rank file, read with h5py and none of our code: calls in order, and a slow, obvious tally of their effects."""

import collections
import dataclasses

import h5py
import numpy

FAILED, UNFINISHED = 1, 2
PAYLOADS = {3: "p2p", 4: "sendrecv", 5: "coll", 6: "requests", 7: "comm", 8: "rma", 9: "io", 10: "handle", 14: "polls"}
PROC_NULL = -2
CANCELLED = -1

SENDS = {"MPI_" + mode + "end" for mode in ("S", "Bs", "Ss", "Rs", "Is", "Ibs", "Iss", "Irs")}
SEND_TEMPLATES = {f"MPI_{mode}_init" for mode in ("Send", "Bsend", "Ssend", "Rsend")}
PROBES = {"MPI_Probe", "MPI_Iprobe", "MPI_Mprobe", "MPI_Improbe"}
STARTS = {"MPI_Start", "MPI_Startall"}
NOT_COMPLETING = STARTS | {"MPI_Cancel", "MPI_Request_free", "MPI_Request_get_status"}


@dataclasses.dataclass
class Call:
    """One event. `messages`: (comm, peer, tag, count, type_size, request); `completions`: (request, source, tag, bytes)."""

    name: str
    thread: int
    enter: int
    leave: int
    flags: int
    payload: str
    messages: list
    completions: list
    collective: tuple  # (comm, root, send_bytes, receive_bytes, request) or None
    made_request: int = 0  # of a call that makes a communicator, accesses a window or a file
    count: int = 1  # of a phase of polls: their number
    polls: tuple = None  # of a phase: (comm, peer, tag, inside, error)

    @property
    def inside(self):
        return self.polls[3] if self.polls else self.leave - self.enter


class RankTrace:
    def __init__(self, path):
        with h5py.File(path) as file:
            self.attributes = dict(file.attrs)
            self.rank = int(file.attrs["rank"])
            every = list(self._calls(file))
            self.calls = [call for call in every if call.name.startswith("MPI_")]
            self.others = [call for call in every if not call.name.startswith("MPI_")]
            self.threads = file["threads"][()] if "threads" in file else []
            self.losses = {key: int(value) for key, value in file.attrs.items() if key.startswith("lost_")}
            self.comm_count = len(file["comms"]) if "comms" in file else 0

    @staticmethod
    def _calls(file):
        def column(path):
            return file[path][()] if path in file else numpy.zeros(0, dtype=numpy.uint64)

        def rows(table, columns, handles):
            """Iterator over the rows of one table, with handles as the library's own values."""
            values = [column(f"{table}/{name}") for name in columns]
            for i, name in enumerate(columns):
                if name in handles and len(values[i]):
                    values[i] = column("dictionary")[values[i]]
            return zip(*(value.tolist() for value in values))

        p2p = rows("p2p", ("comm", "peer", "tag", "count", "type_size", "request"), ("comm", "request"))
        coll = rows("coll", ("comm", "root", "send_bytes", "receive_bytes", "request"), ("comm", "request"))
        completions = rows("completions", ("request", "source", "tag", "bytes"), ("request",))
        names = [name.decode() for name in column("calls/name")]
        events = [column(f"events/{name}").tolist() for name in ("gap", "duration", "call", "payload", "flags", "completions")]
        polls = rows("polls", ("comm", "peer", "tag", "inside", "error", "calls"), ("comm",))
        accesses = {kind: rows(kind, ("request",), ("request",)) for kind in ("rma", "io")}
        comms = file["comms"][()] if "comms" in file else []
        made = {(int(row["thread"]), int(row["enter_ticks"])): int(row["request"]) for row in comms}
        first = 0
        for segment in file["segments"][()] if "segments" in file else []:
            last = first + int(segment["events"])
            leave = int(segment["first_ticks"])
            for gap, duration, call, payload, flags, completed in zip(*(values[first:last] for values in events)):
                enter = leave + gap
                leave = enter + duration
                kind = PAYLOADS.get(payload, "local")
                messages = [next(p2p) for _ in range({"p2p": 1, "sendrecv": 2}.get(kind, 0))]
                found = [next(completions) for _ in range(completed)]
                collective = next(coll) if kind == "coll" else None
                thread = int(segment["thread"])
                request = made.get((thread, enter), 0) if kind == "comm" else 0
                if kind in accesses:
                    (request,) = next(accesses[kind])
                *phase, count = next(polls) if kind == "polls" else (1,)
                yield Call(names[call], thread, enter, leave, flags, kind, messages, found, collective, request, count,
                           tuple(phase) or None)  # fmt: skip
            first = last

    def counts(self):
        """Recorded calls by function."""
        counts = collections.Counter()
        for call in self.calls:
            counts[call.name] += call.count
        return counts


@dataclasses.dataclass
class Tally:
    """Totals of the calls of one rank."""

    sends: int = 0
    bytes_sent: int = 0
    receives: int = 0
    bytes_received: int = 0
    cancelled: int = 0
    completed: int = 0  # requests that some call of the Wait and Test families completed, the inactive not counted
    failed: int = 0
    collectives: int = 0


class Requests:
    """The present meaning of each handle. Libraries give one handle to several requests that are complete at once."""

    def __init__(self):
        self.active = collections.defaultdict(collections.deque)
        self.templates = {}

    def add(self, handle, kind, message):
        if handle:
            self.active[handle].append((kind, message))

    def take(self, handle):
        """(kind, message) of the request that a call completed; None for one that was not active."""
        return self.active[handle].popleft() if self.active.get(handle) else None


class Tallier:
    def __init__(self):
        self.result = Tally()
        self.requests = Requests()
        self.seen = {}  # handle -> completion that MPI_Request_get_status has shown

    def send(self, message):
        if message[1] != PROC_NULL:
            self.result.sends += 1
            self.result.bytes_sent += message[3] * message[4]

    def receive(self, message, completion):
        if completion[3] == CANCELLED:
            self.result.cancelled += 1
        elif message[1] != PROC_NULL and completion[1] != PROC_NULL:
            self.result.receives += 1
            self.result.bytes_received += completion[3]

    def start(self, call):
        for completion in call.completions:
            kind, message = self.requests.templates[completion[0]]
            self.requests.add(completion[0], kind, message)
            if kind == "send":
                self.send(message)

    def complete(self, call):
        for completion in call.completions:
            known = self.requests.take(completion[0])
            self.seen.pop(completion[0], None)
            if known:
                self.result.completed += 1
                if known[0] == "receive":
                    self.receive(known[1], completion)

    def message(self, call):
        message = call.messages[0]
        is_send = call.name in SENDS or call.name in SEND_TEMPLATES
        kind = "send" if is_send else "receive"
        if call.name.endswith("_init"):
            self.requests.templates[message[5]] = (kind, message)
            return
        if is_send:
            self.send(message)
        self.requests.add(message[5], kind, message)
        for completion in call.completions:
            self.receive(message, completion)

    def exchange(self, call):
        self.send(call.messages[0])
        self.requests.add(call.messages[1][5], "receive", call.messages[1])
        for completion in call.completions:
            self.receive(call.messages[1], completion)

    def see(self, call):
        if call.flags & FAILED:
            self.result.failed += 1
        if call.payload == "requests" and call.name in STARTS:
            self.start(call)
        elif call.payload == "requests" and call.name == "MPI_Request_free":
            for completion in call.completions:
                known = self.requests.take(completion[0])
                seen = self.seen.pop(completion[0], None)
                if known and seen and known[0] == "receive":
                    self.receive(known[1], seen)
        elif call.payload == "requests" and call.name == "MPI_Request_get_status":
            for completion in call.completions:
                self.seen[completion[0]] = completion
        elif call.payload == "requests" and call.name != "MPI_Cancel" and not call.flags & UNFINISHED:
            self.complete(call)
        elif call.payload == "comm":
            self.requests.add(call.made_request, "communicator", None)
        elif call.payload == "coll":
            self.result.collectives += 1
            self.requests.add(call.collective[4], "collective", None)
        elif call.payload in ("rma", "io"):
            self.requests.add(call.made_request, "access", None)
        elif call.flags & UNFINISHED or call.flags & FAILED and not call.completions:
            return  # one that failed with a completion has received a message that was too long
        elif call.payload == "sendrecv":
            self.exchange(call)
        elif call.payload == "p2p" and call.name not in PROBES:
            self.message(call)


def tally(trace):
    """Replays the calls in order of time: those that make requests count when they return, those that complete requests
    when they begin, because a handle may be given out again before the call that completed it has returned."""
    tallier = Tallier()
    for call in sorted(trace.calls, key=lambda call: call.enter if call.payload == "requests" else call.leave):
        tallier.see(call)
    return tallier.result
