# SPDX-License-Identifier: Apache-2.0
"""A program that never reaches MPI_Finalize: same output and exit code, and everything that it did is in the rank files.

check_ending.py --meridian M --tracer L --counter C --mpiexec X --ranks N program exit|_exit|return|abort|kill
"""

import pathlib
import platform
import sys
import tempfile

import tracing
from tracing import launch, rank_trace

EXCHANGES = 10
ENDS = {"exit": "exit 0", "_exit": "exit 0", "return": "exit 0", "abort": "MPI_Abort", "kill": "signal 9 (SIGKILL)"}
# Before Linux 6.15, only the parent of a process can read its status.
TELLS_STATUS = tuple(int(part) for part in platform.release().split(".")[:2]) >= (6, 15)


def check_end(check, summary, how, ranks):
    """How the last rank ended, and in which call the first one then was."""
    first, last = summary["ranks"][0], summary["ranks"][-1]
    ends = {ENDS[how]} if TELLS_STATUS or how == "abort" else {ENDS[how], "exit", ""}
    check.true(f"end of rank {last['rank']} is one of {ends}: {last['end']}", last["end"] in ends)
    check.true("its end was seen after the messages", last["end_s"] > 0.2)
    if how in ("abort", "kill") and ranks > 1:
        check.equal("call in which rank 0 ended", first["end_call"].split()[0], "MPI_Barrier")
        barrier = next(row for row in summary["functions"] if row["name"] == "MPI_Barrier")
        check.true("a call that did not return has its time", barrier["total_s"] >= first["end_call_s"] > 0)


def main():
    parser = tracing.parser()
    parser.add_argument("program")
    parser.add_argument("how")
    options = parser.parse_args()
    ranks = options.ranks
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-mpi-") as work:
        runs = tracing.run(options, [options.program, options.how], work)
        # If a program ends without MPI_Finalize, the exit code of MPICH's launcher is 1 or that of the program, and the end
        # of the output may be lost: a race, in untraced runs as well. So only runs with Open MPI are compared.
        if "mpich" not in pathlib.Path(options.program).name:
            tracing.check_same_result(check, runs, clean=lambda text: text.split("\n=====")[0])  # without the launcher's words
        tracing.check_counts(check, runs, ranks)
        tracing.check_nothing_left(check, runs)
        for rank, trace in runs.traces.items():
            check.equal(f"rank {rank} is finalized", int(trace.attributes["finalized"]), 0)
            tally = rank_trace.tally(trace)
            sides = (tally.sends, tally.receives, tally.bytes_sent, tally.bytes_received)
            check.equal(f"messages of rank {rank}", sides, (EXCHANGES, EXCHANGES, 4 * EXCHANGES, 4 * EXCHANGES))
            check.true(f"only the last call of rank {rank} is unfinished",
                       not any(call.flags & rank_trace.UNFINISHED for call in trace.calls[:-1]))  # fmt: skip
        if options.how == "abort" and ranks - 1 in runs.traces:
            last = runs.traces[ranks - 1].calls[-1]
            check.equal("last call of the rank that aborts", last.name, "MPI_Abort")
            check.true("MPI_Abort is unfinished", last.flags & rank_trace.UNFINISHED)
        merged, summary = launch.merge(options.meridian, runs.folder)
        check.true("merge takes it", merged.returncode in (0, 2) and summary is not None)
        if summary is not None:
            check.equal("matched messages", summary["messages"]["matched"], EXCHANGES * ranks)
            check.equal("unmatched sends", summary["messages"]["unmatched_sends"], 0)
            check.equal("unmatched receives", summary["messages"]["unmatched_receives"], 0)
            findings = {finding["name"]: finding["count"] for finding in summary["findings"]}
            check_end(check, summary, options.how, ranks)
            check.equal("ranks that the summary calls unfinished", findings.get("rank.unfinished"), ranks)
        return check.finish(runs.untraced, runs.traced, merged)


if __name__ == "__main__":
    sys.exit(main())
