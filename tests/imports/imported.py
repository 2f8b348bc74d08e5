# SPDX-License-Identifier: Apache-2.0
"""Imports an archive, merges it, and reads the merged file with h5py."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "exports"), str(HERE.parent / "support")]
import launch  # noqa: E402
import oracle  # noqa: E402


def imported(meridian, archive, folder):
    """(output of the import, oracle.Expected of the merged file, summary of the merge)."""
    done = launch.run([meridian, "import", archive, "-o", folder])
    assert done.returncode == 0 and done.stderr == "", (done.returncode, done.stdout, done.stderr)
    merged, summary = launch.merge(meridian, folder)
    assert summary is not None, (merged.returncode, merged.stdout, merged.stderr)
    return done.stdout, oracle.Expected(folder / "merged.h5"), summary


def findings(summary):
    return {finding["name"]: finding["count"] for finding in summary["findings"]}


def message_of(trace, message):
    """What identifies a message, with the times and functions of both ends."""
    send, completion = message["send_row"], message["completion_row"]
    return (
        message["send_rank"], message["receive_rank"], message["tag"], message["bytes"], group_of(trace, message["comm"]),
        trace.call(send), trace.enter(send), trace.call(completion), trace.leave(completion), trace.call(message["post_row"]),
    )  # fmt: skip


def group_of(trace, comm):
    """The world ranks of a communicator, and its name."""
    known = trace.comms[comm]
    return tuple(trace.members[known["group"]]), known["name"]


def parts_of(trace, is_known):
    """Each participant of a collective: function, communicator, root, bytes, times; and the number of instances."""
    rows = []
    for part in trace.parts:
        start, completion = part["start_row"], part["completion_row"]
        if is_known(part["call"]):
            rows.append((
                part["call"], group_of(trace, part["comm"]), part["root"], trace.location[start], trace.enter(start),
                trace.leave(completion), trace.events["bytes_sent"][start], trace.events["bytes_received"][start],
            ))  # fmt: skip
    return sorted(rows), len({part["instance"] for part in trace.parts if is_known(part["call"])})
