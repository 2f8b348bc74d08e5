# SPDX-License-Identifier: Apache-2.0
"""`meridian where` on programs that hang in MPI, while they do and after they were killed."""

import argparse
import json
import pathlib
import sys
import tempfile

import stuck_run
from stuck_run import launch

RANKS = 3


def expected(how):
    """By rank: its call and its first wait (kind, peer, tag); then the ranks in a deadlock, its cycle, and the ranks that
    have finished."""
    last, everybody = RANKS - 1, list(range(RANKS))
    all_but_last = everybody[:-1]
    to_next = {rank: (rank + 1) % RANKS for rank in everybody}
    collective = ("collective", None, None)
    return {
        "ring": ({r: ("MPI_Recv", ("receive", to_next[r], 7)) for r in everybody}, everybody, everybody, []),
        "wait": ({r: ("MPI_Waitall", ("receive", to_next[r], 9)) for r in everybody}, everybody, everybody, []),
        "callback": ({r: ("MPI_Recv", ("receive", to_next[r], 8)) for r in everybody}, everybody, everybody, []),
        "barrier": ({r: ("MPI_Barrier", collective) for r in all_but_last} | {last: (None, None)}, [], [], []),
        "mismatch": ({r: ("MPI_Bcast", collective) for r in all_but_last} | {last: ("MPI_Barrier", collective)},
                     everybody, [0, last], []),
        "left": ({r: ("MPI_Recv", ("receive", last, 7)) for r in all_but_last} | {last: ("MPI_Finalize", collective)},
                 everybody, [0, last], []),
    }[how]  # fmt: skip


# The source line of the first rank's call.
SOURCE_LINES = {
    "ring": "MPI_Recv(&got, 1, MPI_INT, next, 7",
    "wait": "MPI_Waitall(2, requests",
    "callback": "MPI_Recv(&got, 1, MPI_INT, *(int*)next",
    "barrier": "MPI_Barrier(MPI_COMM_WORLD);  // the last comes never",
    "mismatch": "MPI_Bcast(&got",
    "left": "MPI_Recv(&got, 1, MPI_INT, last, 7",
}


def seen(report):
    calls = {}
    for rank in report["ranks"]:
        thread = rank["threads"][0]
        first = thread["waits"][0] if thread["waits"] else None
        calls[rank["rank"]] = (thread["call"], first and (first["kind"], first.get("peer"), first.get("tag")))
    deadlock = report["deadlock"]
    return calls, deadlock["ranks"], ranks_of(deadlock["cycle"]), ranks_of(deadlock["ended"])


def ranks_of(parties):
    return [party["rank"] for party in parties]


def main():
    parser = argparse.ArgumentParser()
    for name in ("meridian", "mpiexec", "program", "source", "how"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    check, wanted = launch.Checks(), expected(options.how)
    line = stuck_run.line_of(options.source, SOURCE_LINES[options.how])
    function = "receive_from" if options.how == "callback" else "main"
    with tempfile.TemporaryDirectory() as work:
        run = stuck_run.StuckRun(options, [options.program, options.how], work, RANKS)

        def check_report(when, code, report, running):
            check.equal(f"calls, waits and deadlock {when}", seen(report), wanted)
            check.equal(f"exit code {when}", code, 2 if wanted[1] else 0)
            place = report["ranks"][0]["threads"][0]["place"] or {}
            check.equal(f"line of the call {when}", place.get("line"), line)
            check.equal(f"file of the call {when}", pathlib.Path(place.get("file", "")).name, pathlib.Path(options.source).name)
            check.equal(f"function of the call {when}", place.get("function"), function)
            _, text = run.where()
            check.true(f"text {when}: {text}", f"{running} of {RANKS} ranks run" in text)
            check.equal(f"DEADLOCK in the text {when}", "DEADLOCK" in text, bool(wanted[1]))
            check.true(f"the call's line in the text {when}: {text}", f"stuck.c:{line} in {function}" in text)
            check.true(f"lines that fit {when}: {text}", all(len(each) <= 80 for each in text.splitlines()))

        def check_function(report):
            """Where a thread computes; the other ranks poll in MPI, so that it may have no processor for a while."""
            for _ in range(20):
                place = report["ranks"][-1]["threads"][0]["place"]
                if place is not None:
                    break
                report = json.loads(run.where("--json")[1])
            found = place and (place["function"], pathlib.Path(place["file"]).name, place["line"])
            wanted_line = stuck_run.line_of(options.source, "for (volatile double x = 1;")
            check.equal("the function of a rank that computes", found, ("main", pathlib.Path(options.source).name, wanted_line))
            check.true(f"its text: {run.where()[1]}", "outside MPI" in run.where()[1])

        with run:
            code, report = run.until(lambda report: seen(report) == wanted)
            check_report("while it runs", code, report, RANKS)
            if options.how == "barrier":
                check_function(report)
            check.true("each thread waits since a while", all(
                0 <= thread["since_s"] for rank in report["ranks"] for thread in rank["threads"]))  # fmt: skip
        code, report = run.until_ended()
        check_report("after it was killed", code, report, 0)
    return check.finish()


if __name__ == "__main__":
    sys.exit(main())
