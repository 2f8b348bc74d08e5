# SPDX-License-Identifier: Apache-2.0
"""An archive by the conventions of Score-P, which write_archive makes: everything that it has is imported or counted.

check_archive.py --meridian M write_archive
"""

import argparse
import collections
import pathlib
import subprocess
import tempfile

import h5py

from imported import findings, imported, launch

parser = argparse.ArgumentParser()
parser.add_argument("--meridian", required=True)
parser.add_argument("writer")
options = parser.parse_args()

LEFT_OUT = """\
Left out: 4 records of processes that are no MPI ranks, and of accelerators
Left out: 3 collective parts of calls such as MPI_Comm_dup: they are calls only
Left out: 3 records of one-sided accesses
Left out: 3 parameters of regions
Left out: 2 records of locks
Left out: 1 leaves of regions that were not entered
"""


def refused(arguments, what, hint):
    done = launch.run([options.meridian, "import", *arguments])
    assert done.returncode == 1 and done.stdout == "", done
    assert done.stderr == f"meridian: {what}\nhint: {hint}\n", done.stderr


with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    subprocess.run([options.writer, work / "scorep"], check=True)
    anchor = work / "scorep" / "traces.otf2"
    output, trace, summary = imported(options.meridian, anchor, work / "trace")
    print(output, findings(summary))
    lines = output.splitlines(keepends=True)
    assert sorted(line for line in lines if line.startswith("Left out")) == sorted(LEFT_OUT.splitlines(keepends=True)), output
    assert lines[-1] == f"meridian merge {work / 'trace'}\n"
    assert sorted(path.name for path in (work / "trace").iterdir()) == ["merged.h5", *(f"rank-0000{n}.h5" for n in range(3))]

    assert trace.hosts == ["host1", "host1", "host2"] and trace.locations == [(0, 0), (0, 1), (1, 0), (2, 0)]
    calls = collections.Counter((trace.locations[at][0], name) for at, _, _, name, _ in trace.items)
    for rank in range(3):
        for name, count in {"MPI_Send": 1, "MPI_Irecv": 1, "MPI_Wait": 7, "MPI_Bcast": 1, "MPI_Comm_dup": 1, "MPI_Start": 6,
                            "MPI_Send_init": 1, "MPI_Recv_init": 1, "MPI_Put": 1, "solve": 3 if rank == 0 else 1,
                            "evil \x1b[2J \"\n\\ \ufffd\ufffd": 1, "PAPI_TOT_INS": 2}.items():  # fmt: skip
            assert calls[rank, name] == count, (rank, name, calls[rank, name])
    assert calls[0, "open at the end"] == 1

    messages = collections.Counter((m["send_rank"], m["receive_rank"], m["tag"], m["bytes"], trace.call(m["send_row"])) for m in trace.messages)
    expected = {(rank, (rank + 1) % 3, 4, 80, "MPI_Send"): 1 for rank in range(3)}
    expected |= {(rank, (rank + 1) % 3, 9, 24, "MPI_Start"): 3 for rank in range(3)}
    assert messages == expected, messages
    assert all(trace.enter(m["send_row"]) < trace.leave(m["completion_row"]) for m in trace.messages)
    assert [(p["call"], p["root"]) for p in trace.parts] == [("MPI_Bcast", 1)] * 3
    sent = [(trace.events["bytes_sent"][p["start_row"]], trace.events["bytes_received"][p["start_row"]]) for p in trace.parts]
    assert sorted(sent) == [(0, 16), (0, 16), (48, 16)], sent

    with h5py.File(work / "trace" / "rank-00002.h5") as rank:  # 10 MHz; its clock was 3000 ticks late
        assert rank.attrs["hostname"] == b"host2" and rank.attrs["clock"] == b"monotonic"
        assert rank["segments"][0]["first_ticks"] == 500_000_001
        assert [tuple(row)[1:4] for row in rank["anchors"][:1]] == [(499_700_001, 499_700_001, 499_700_001)]
        assert rank["overhead"][0]["kind"] == 3 and rank["overhead"][0]["leave_ticks"] - rank["overhead"][0]["enter_ticks"] == 1000
    with h5py.File(work / "trace" / "rank-00001.h5") as rank:  # its counter is the time in ticks of the archive
        names = rank["calls/name"].asstr()[:][rank["events/call"][:]]
        assert rank.attrs["counters_per_event"] == 1 and all(rank["events/flags"][:][names != "meridian_event"] & 8)
        counted = dict(zip(names[rank["events/flags"][:] & 8 != 0], rank["counters/value"][:].tolist()))
        assert (counted["MPI_Send"], counted["MPI_Bcast"], counted["meridian_region"]) == (2000, 3000, 0), counted
        last = max(leave for at, _, leave, _, _ in trace.items if trace.locations[at] == (1, 0)) // 100  # read a step before
        assert sum(rank["counters/value"][:].tolist()) + sum(rank["counters/between"][:].tolist()) == last - 3000 - 1000, last
    for at, enter, leave, name, _ in trace.items:
        if trace.locations[at] == (1, 0) and name == "MPI_Send":
            assert (enter, leave) == (500_000, 700_000), (enter, leave)  # since the first of all times, the offset of the clock
    found = findings(summary)
    assert found["import.left_out"] == 12 and found["user.region_open"] == 1, found
    assert set(found) <= {"import.left_out", "user.region_open", "counters.missing", "clock.rate_assumed", "clock.no_final_exchange", "clock.uncertified"}, found

    refused([anchor, "-o", work / "trace"], f"directory '{work / 'trace'}' is not empty",
            "choose a new directory with --output, or replace an earlier import with --force")  # fmt: skip
    again = launch.run([options.meridian, "import", anchor, "-o", work / "trace", "--force"])
    assert again.returncode == 0 and again.stdout == output, (again.stdout, again.stderr)
    assert sorted(path.name for path in (work / "trace").iterdir()) == [f"rank-0000{n}.h5" for n in range(3)]
    made = launch.run([options.meridian, "generate", work / "made", "--ranks", 1, "--calls", 10])
    assert made.returncode == 0, made.stderr
    refused([anchor, "-o", work / "made", "--force"], f"'{work / 'made' / 'rank-00000.h5'}' was not made by `meridian import`",
            "choose another directory with --output: --force replaces imported rank files only")  # fmt: skip
    refused([work / "nothing.otf2", "-o", work / "new"], f"there is no file '{work / 'nothing.otf2'}'",
            "give the anchor file of an OTF2 archive, such as scorep-run/traces.otf2")  # fmt: skip
    refused([work / "scorep", "-o", work / "new"], f"'{work / 'scorep'}' is a directory", f"give the anchor file in it, such as {anchor}")
    assert not (work / "new").exists()
