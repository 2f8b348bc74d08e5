# SPDX-License-Identifier: Apache-2.0
"""An OTF2 archive, read by the reader of Debian's python3-otf2 and by otf2-print, against the merged file."""

import collections
import re
import shutil
import subprocess

import oracle

COLLECTIVES = "Barrier Bcast Gather Gatherv Scatter Scatterv Allgather Allgatherv Alltoall Alltoallv Alltoallw Allreduce Reduce".split() + [
    "Reduce_scatter", "Reduce_scatter_block", "Scan", "Exscan"]
KINDS = {"MpiSend", "MpiIsend", "MpiRecv", "MpiIrecv", "MpiIrecvRequest", "MpiCollectiveBegin", "MpiCollectiveEnd",
         "NonBlockingCollectiveRequest", "NonBlockingCollectiveComplete"}  # fmt: skip


def comm_number(expected, comm):
    """Communicators are counted in order, with all MPI_COMM_SELF as one."""
    selves = [i for i, known in enumerate(expected.comms) if known["kind"] == "self"]
    if comm in selves:
        comm = selves[0]
    return comm - sum(1 for i in selves[1:] if i < comm)


def rank_in(expected, comm, rank, partner):
    known = expected.comms[comm]
    if known["kind"] == "self":
        return 0
    group = expected.members[known["group"]]
    if known["kind"] == "inter" and partner in group:
        group = expected.members[known["remote"]]
    return group.index(rank)


def operation(call):
    """("BCAST", whether blocking) of "MPI_Ibcast"; (None, False): it is a call only."""
    name = re.fullmatch(r"MPI_(I?)([A-Za-z_]+?)(_init)?(_c)?", call)
    base = name[2].capitalize()
    return (base.upper() if base in COLLECTIVES else None), not name[1]


def check(expected, folder):
    import otf2

    anchor = folder / "traces.otf2"
    assert sorted(path.name for path in folder.iterdir()) == ["traces", "traces.def", "traces.otf2"]
    streams, found = collections.defaultdict(list), collections.defaultdict(list)
    sites = collections.Counter()
    with otf2.reader.open(str(anchor)) as trace:
        definitions = trace.definitions
        clock = definitions.clock_properties
        latest = max([leave for _, _, leave, _, _ in expected.items], default=0)
        assert (clock.timer_resolution, clock.global_offset, clock.trace_length) == (10**9, 0, latest + 1)
        assert clock.realtime_timestamp == expected.origin_ns
        number = {location._ref: i for i, location in enumerate(definitions.locations)}
        assert list(number.values()) == list(number), "locations are numbered like /threads"
        for location, (rank, thread) in zip(definitions.locations, expected.locations):
            assert re.fullmatch(rf"rank {rank} thread {thread}( \(callbacks\))?", location.name), location.name
            assert location.group.name == f"rank {rank}"
            if rank in expected.ranks:
                host = location.group.system_tree_parent
                assert (host.name, host.class_name) == (expected.hosts[expected.ranks.index(rank)], "node")
        per_location = collections.Counter()
        for location, event in trace.events:
            at = location._ref
            per_location[at] += 1
            kind = type(event).__name__
            if kind in ("Enter", "Leave"):
                streams[at].append((kind.lower(), event.time, event.region.name))
                if kind == "Enter" and event.attributes:
                    for attribute, value in event.attributes.items():
                        sites[attribute.name, str(value.file) + ":" + str(value.line_number) if attribute.name == "call site" else value] += 1
                continue
            assert streams[at] and streams[at][-1][0] == "enter", "communication is inside of a call"
            found[kind].append((at, event, streams[at][-1][2]))
        for location in definitions.locations:
            assert location.number_of_events == per_location[location._ref], location.name
        assert set(found) <= KINDS, set(found)
        regions = {region.name: region for region in definitions.regions}
        items = [(at, *item) for at, stream in streams.items() for item in oracle.nested_items(stream)]
        oracle.same("calls and regions", items, [item[:4] for item in expected.items])
        for name, region in regions.items():
            if name.startswith("MPI_"):
                assert region.paradigm == otf2.Paradigm.MPI, name
        if "MPI_Barrier" in regions:
            assert regions["MPI_Barrier"].region_role == otf2.RegionRole.BARRIER
        check_messages(expected, found)
        check_collectives(expected, found, otf2)
        for comm in {event.communicator for kind in ("MpiSend", "MpiIsend") for _, event, _ in found[kind]}:
            rows = [row for i, row in enumerate(expected.comms) if comm_number(expected, i) == comm._ref]
            assert comm.name == ("MPI_COMM_SELF" if rows[0]["kind"] == "self" else rows[0]["name"]), comm.name
    check_sites(expected, sites)
    if shutil.which("otf2-print"):
        done = subprocess.run(["otf2-print", str(anchor)], capture_output=True, text=True, errors="replace")
        assert done.returncode == 0 and done.stderr == "", (done.returncode, done.stderr[:2000])
        assert len(re.findall(r"^ENTER ", done.stdout, re.M)) == len(expected.items)
    return sum(per_location.values())


def check_messages(expected, found):
    sends, receives, posts = [], [], []
    for message in expected.messages:
        number = message["number"]
        send, post, completion = (message[f"{end}_row"] for end in ("send", "post", "completion"))
        comm, tag, size = comm_number(expected, message["comm"]), message["tag"], message["bytes"]
        source, target = message["send_rank"], message["receive_rank"]
        call = expected.call(send)
        is_request = call.startswith(("MPI_I", "MPI_Start"))
        sends.append((expected.location[send], expected.enter(send), rank_in(expected, message["comm"], target, source), comm, tag, size,
                      2 * number if is_request else -1))
        receives.append((expected.location[completion], expected.leave(completion), rank_in(expected, message["comm"], source, target), comm, tag,
                         size, -1 if post == completion else 2 * number))
        if post != completion:
            posts.append((expected.location[post], expected.enter(post), 2 * number))

    def got(kind, partner):
        return [(at, event.time, getattr(event, partner), event.communicator._ref, event.msg_tag, event.msg_length,
                 getattr(event, "request_id", -1)) for at, event, _ in found[kind]]

    oracle.same("sends", got("MpiSend", "receiver") + got("MpiIsend", "receiver"), sends)
    oracle.same("receives", got("MpiRecv", "sender") + got("MpiIrecv", "sender"), receives)
    oracle.same("posted receives", [(at, event.time, event.request_id) for at, event, _ in found["MpiIrecvRequest"]], posts)


def check_collectives(expected, found, otf2):
    begins, ends, requests, completions = [], [], [], []
    none = 2**32 - 1
    for part in expected.parts:
        number = part["number"]
        start, completion = part["start_row"], part["completion_row"]
        name, _ = operation(part["call"])
        if name is None:
            continue
        comm = comm_number(expected, part["comm"])
        root = none if part["root"] < 0 else part["root"]
        sent, received = expected.events["bytes_sent"][start], expected.events["bytes_received"][start]
        end = (expected.location[completion], expected.leave(completion), name, comm, root, sent, received)
        begin = (expected.location[start], expected.enter(start))
        if start == completion:
            begins.append(begin)
            ends.append(end)
        else:
            requests.append((*begin, 2 * number + 1))
            completions.append((*end, 2 * number + 1))

    def got_ends(kind, *more):
        return [(at, event.time, str(event.collective_op).rpartition(".")[2], event.communicator._ref,
                 getattr(event.root, "value", event.root), event.size_sent, event.size_received, *(getattr(event, name) for name in more))
                for at, event, _ in found[kind]]

    oracle.same("begins of collectives", [(at, event.time) for at, event, _ in found["MpiCollectiveBegin"]], begins)
    oracle.same("ends of collectives", got_ends("MpiCollectiveEnd"), ends)
    oracle.same("requests of collectives", [(at, event.time, event.request_id) for at, event, _ in found["NonBlockingCollectiveRequest"]], requests)
    oracle.same("completions of collectives", got_ends("NonBlockingCollectiveComplete", "request_id"), completions)


def check_sites(expected, found):
    wanted = collections.Counter()
    for row, site in enumerate(expected.events.get("site", [])):
        if row not in expected.kept:
            continue
        if expected.events["flags"][row] & oracle.ENDS and expected.groups[expected.events["call"][row]] == "user":
            continue
        function, file, line = expected.sites[site]
        if file:
            wanted["call site", f"{file}:{line}"] += 1
        if function:
            wanted["calling function", function] += 1
    got = collections.Counter({key: count for key, count in found.items() if key[0] != "calls"})
    assert got == wanted, (got - wanted, wanted - got)
