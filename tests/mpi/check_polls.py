# SPDX-License-Identifier: Apache-2.0
"""Polls that find nothing: phases of them have the polls that the program made, and their time, however they are recorded.

check_polls.py --meridian M --tracer L --counter C --mpiexec X --ranks N program same|kill|threads
"""

import json
import pathlib
import struct
import sys
import tempfile

import h5py
import tracing
from tracing import launch

TRIALS = 8
MADE_BY_THREADS = 3 * 3000


def phases(trace, name=None):
    return [call for call in trace.calls if call.payload == "polls" and name in (None, call.name)]


def check_phases(check, trace):
    """What holds for every phase of a rank."""
    name = f"rank {trace.rank}"
    check.true(f"phases of {name} have their polls", all(call.count >= 1 for call in phases(trace)))
    check.true(f"phases of {name} have time for them", all(0 <= c.polls[3] <= c.leave - c.enter for c in phases(trace)))
    last = {}
    for call in trace.calls:
        check.true(f"{call.name} of {name} follows its predecessor", call.enter >= last.get(call.thread, 0))
        last[call.thread] = call.leave


def check_merged(check, folder, runs):
    """The merged file has the polls of the rank files, and time outside of the calls in phases only."""
    with h5py.File(folder / "merged.h5") as file:
        calls, outside = file["events/calls"][()], file["events/outside_ns"][()]
        check.equal("calls in the merged file", int(calls.sum()),
                    sum(call.count for trace in runs.traces.values() for call in [*trace.calls, *trace.others]))  # fmt: skip
        check.equal("events in the merged file", len(calls),
                    sum(len(trace.calls) + len(trace.others) for trace in runs.traces.values()))  # fmt: skip
        check.true("no time outside is negative", int(outside.min()) >= 0)


def check_same(check, options, work):
    """The same polls in phases and one by one."""
    waits, finished = {}, []
    for how in ("phases", "all"):
        runs = tracing.run(options, [options.program], pathlib.Path(work) / how, MERIDIAN_POLLS=how)
        tracing.check_same_result(check, runs)
        tracing.check_counts(check, runs, options.ranks)
        tracing.check_merge(check, options, runs)
        done = launch.run([options.meridian, "stats", "--json", runs.folder])
        summary = json.loads(done.stdout) if done.returncode == 0 else None
        finished += [runs.untraced, runs.traced]
        for trace in runs.traces.values():
            check_phases(check, trace)
            if how == "all":
                check.equal(f"phases of rank {trace.rank}", phases(trace), [])
                continue
            # On a machine with other work, a phase is ended by each loss of the processor.
            events, polls = len(phases(trace)), sum(call.count for call in phases(trace))
            check.true(f"{polls} polls of rank {trace.rank} in {events} events", events * 4 < polls)
            check.true(f"a phase of rank {trace.rank} has many polls", max(c.count for c in phases(trace)) >= 50)
            check.true(f"probes of rank {trace.rank} say for what they ask",
                       {c.polls[2] for c in phases(trace, "MPI_Iprobe")} >= {97, 98})  # fmt: skip
            check.equal(f"tags of tests of rank {trace.rank}", {c.polls[:3] for c in phases(trace, "MPI_Test")}, {(0, -1, -1)})
        check_merged(check, runs.folder, runs)
        if summary is not None:
            check.equal("messages", summary["messages"]["matched"], options.ranks * 52)
            waits[how] = sum(row["total_s"] for row in summary.get("waits", []) if row["pattern"] == "late sender")
    if options.ranks > 1 and len(waits) == 2:
        # Half of the ranks send 3 ms late, 12 times; the rest is the scheduler's.
        for how, total in waits.items():
            check.true(f"{total} s of waits with {how}", total > 0.5 * 0.003 * 12 * options.ranks // 2)
    return finished


def check_kill(check, options, work):
    """Every poll that has returned is in the trace, and at most the one in progress besides."""
    random = launch.generator()
    finished = []
    for trial in range(TRIALS):
        place = pathlib.Path(work) / str(trial)
        counted = place / "counted"
        place.mkdir()
        runs = tracing.run(options, [options.program, "kill", random.randrange(1, 60000), counted], place / "run",
                           both={"OMPI_MCA_mpi_yield_when_idle": "0"})  # fmt: skip
        if not counted.exists() or 0 not in runs.traces:
            check.true(f"trial {trial} has a trace", False)
            continue
        (made,) = struct.unpack("<Q", counted.read_bytes())  # of the traced run, which came later
        recorded = runs.traces[0].counts()["MPI_Test"]
        check.true(f"trial {trial}: {recorded} polls recorded, {made} made", recorded - made in (0, 1))
        check_phases(check, runs.traces[0])
        finished.append(runs.traced)
    return finished


def check_threads(check, options, work):
    runs = tracing.run(options, [options.program, "threads"], pathlib.Path(work) / "run")
    tracing.check_same_result(check, runs)
    tracing.check_counts(check, runs, options.ranks)
    tracing.check_merge(check, options, runs)
    for trace in runs.traces.values():
        check_phases(check, trace)
        by_thread = {call.thread for call in phases(trace)}
        check.equal(f"threads of rank {trace.rank} that polled", len(by_thread), 3)
        check.equal(f"probes of rank {trace.rank}", sum(c.count for c in phases(trace, "MPI_Iprobe")), MADE_BY_THREADS)
    return [runs.untraced, runs.traced]


def main():
    parser = tracing.parser()
    parser.add_argument("program")
    parser.add_argument("what", choices=("same", "kill", "threads"))
    options = parser.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-mpi-") as work:
        finished = {"same": check_same, "kill": check_kill, "threads": check_threads}[options.what](check, options, work)
        return check.finish(*finished)


if __name__ == "__main__":
    sys.exit(main())
