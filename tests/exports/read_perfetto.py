# SPDX-License-Identifier: Apache-2.0
"""A trace of Perfetto, read by Google's protobuf library, against the merged file."""

import collections

import oracle

SLICE_BEGIN, SLICE_END, INSTANT = 1, 2, 3


def check(expected, folder):
    import perfetto_messages

    assert [path.name for path in folder.iterdir()] == ["trace.perfetto-trace"]
    trace = perfetto_messages.trace_class()()
    data = (folder / "trace.perfetto-trace").read_bytes()
    assert trace.ParseFromString(data) == len(data)
    first = trace.packet[0]
    assert first.sequence_flags == 1 and all(packet.trusted_packet_sequence_id == 1 for packet in trace.packet)
    names = {entry.iid: entry.name for entry in first.interned_data.event_names}
    groups = {entry.iid: entry.name for entry in first.interned_data.event_categories}
    notes = {entry.iid: entry.name for entry in first.interned_data.debug_annotation_names}

    tracks = {p.track_descriptor.uuid: p.track_descriptor for p in trace.packet if p.HasField("track_descriptor")}
    ranks = {uuid: track.process.pid - 1 for uuid, track in tracks.items() if track.HasField("process")}
    assert sorted(ranks.values()) == sorted(expected.ranks)
    for uuid, rank in ranks.items():
        assert tracks[uuid].name == f"rank {rank} on {expected.hosts[expected.ranks.index(rank)]}"
    threads = {uuid: (ranks[track.parent_uuid], track.name) for uuid, track in tracks.items() if track.parent_uuid in ranks}
    number = {(rank, f"thread {thread}"): i for i, (rank, thread) in enumerate(expected.locations)}

    open_slices, items, moments = collections.defaultdict(list), [], []
    begins, ends, details = {}, {}, {}
    last = 0
    for packet in trace.packet:
        if not packet.HasField("track_event"):
            continue
        event, time = packet.track_event, packet.timestamp
        if event.track_uuid not in threads:  # what threads computed: tests/mpi/samples/outputs.py
            assert tracks[event.track_uuid].name == "functions, processor", tracks[event.track_uuid].name
            continue
        assert packet.sequence_flags == 2 and time >= last
        last = time
        at = number[threads[event.track_uuid]]
        if event.type != SLICE_END:
            name = names[event.name_iid]
            assert groups[event.category_iids[0]] in expected.groups
            args = {notes[note.name_iid]: next(value for field, value in note.ListFields() if field.name != "name_iid")
                    for note in event.debug_annotations}
            details[at, args["sequence"]] = args
        if event.type == INSTANT:
            moments.append((at, time, time, name))
        elif event.type == SLICE_BEGIN:
            open_slices[at].append((time, name))
        else:
            items.append((at, open_slices[at][-1][0], time, open_slices[at][-1][1]))
            open_slices[at].pop()
        for flow in event.flow_ids:
            assert flow not in begins
            begins[flow] = (at, time)
        for flow in event.terminating_flow_ids:
            assert flow not in ends
            ends[flow] = (at, time)
    assert not any(open_slices.values()), open_slices
    oracle.same("calls and regions", items + moments, [item[:4] for item in expected.items])
    oracle.same("moments", [item[3] for item in moments], [item[3] for item in expected.items if item[4] == "moment"])
    wanted_begins = {m["number"] + 1: (expected.location[m["send_row"]], m["send_enter_ns"]) for m in expected.messages}
    wanted_ends = {m["number"] + 1: (expected.location[m["completion_row"]], m["receive_leave_ns"]) for m in expected.messages}
    assert begins == wanted_begins and ends == wanted_ends
    for row in expected.kept:
        location = expected.location[row]
        values = {name: column[row] for name, column in expected.events.items()}
        if expected.groups[values["call"]] == "user":
            continue
        args = details[location, values["sequence"]]
        for name, nothing in (("peer", -1), ("tag", -1), ("bytes_sent", 0), ("bytes_received", 0), ("calls", 1), ("flags", 0)):
            assert args.get(name, nothing) == values[name], (row, name)
        comm = values["comm"]
        assert args.get("communicator") == (expected.comms[comm]["name"] if comm >= 0 else None)
        function, file, line = expected.sites[values["site"]] if expected.sites else ("", "", 0)
        assert (args.get("function", ""), args.get("file", ""), args.get("line", 0)) == (function, file, line)
    return len(items) + len(moments) + 2 * len(begins)

