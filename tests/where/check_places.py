# SPDX-License-Identifier: Apache-2.0
"""`meridian where` says where calls stand in programs of several kinds, and looks at what is left of a trace."""

import argparse
import os
import pathlib
import shutil
import signal
import sys
import tempfile

import stuck_run
from stuck_run import launch

RANKS = 2


def hangs(report):
    return [rank["threads"][0]["call"] for rank in report["ranks"]] == ["MPI_Recv"] * RANKS


def places(report):
    return [rank["threads"][0]["place"] for rank in report["ranks"] if rank["threads"]]


def check_line(check, options, when, report, run):
    line = stuck_run.line_of(options.source, "MPI_Recv(&got, 1, MPI_INT, next, 7")
    for place in places(report):
        check.equal(f"line {when}", place and place["line"], line)
        check.equal(f"function {when}", place and place["function"], "main")
    check.equal(f"places {when}", len(places(report)), RANKS)
    check.true(f"line in the text {when}", f"stuck.c:{line} in main" in run.where()[1])


def check_offset(check, program, when, report, run):
    """Without lines: the offset in the file, the same in each rank."""
    found = places(report)
    check.equal(f"places {when}", len(found), RANKS)
    for place in found:
        check.equal(f"line {when}", (place["file"], place["line"]), ("", 0))
        check.equal(f"module {when}", place["module"], str(program))
        check.true(f"offset {when}: {place}", place["offset"] > 0 and place["offset"] == found[0]["offset"])
    name = f"{pathlib.Path(program).name}+{found[0]['offset']:#x}"
    check.true(f"{name} in the text {when}", name in run.where()[1])


def run_linked(check, options, work):
    """Linked with the tracer, and started as ever."""
    run = stuck_run.StuckRun(options, [options.program, "ring"], work, RANKS, command=["env"])
    with run:
        check_line(check, options, "while it runs", run.until(hangs)[1], run)
    check_line(check, options, "after it was killed", run.until_ended()[1], run)


def run_without_debug_information(check, options, work):
    run = stuck_run.StuckRun(options, [options.program, "ring"], work, RANKS)
    with run:
        check_offset(check, options.program, "while it runs", run.until(hangs)[1], run)
    check_offset(check, options.program, "after it was killed", run.until_ended()[1], run)


def run_rebuilt(check, options, work):
    """A program that was rebuilt is not the one that ran: its lines would be wrong."""
    program = pathlib.Path(work) / "program"
    shutil.copy(options.program, program)
    run = stuck_run.StuckRun(options, [program, "ring"], work, RANKS)
    with run:
        check_line(check, options, "while it runs", run.until(hangs)[1], run)
    program.unlink()
    shutil.copy(sys.executable, program)
    check_offset(check, program, "after it was built anew", run.until_ended()[1], run)
    program.unlink()
    check_offset(check, program, "after it is gone", run.until_ended()[1], run)


def run_partly_gone(check, options, work):
    """Writers and ranks were killed, and a ring is lost: the other rank's is there."""
    run = stuck_run.StuckRun(options, [options.program, "ring"], work, RANKS)
    with run:
        _, report = run.until(hangs)
        for rank in report["ranks"]:
            os.kill(rank["writer_pid"], signal.SIGKILL)
    code, report = run.until_ended()
    check.equal("exit code with all rings", code, 2)
    check_line(check, options, "with all rings", report, run)
    ring = pathlib.Path((run.trace / "rank-00001.ring").read_text().splitlines()[1])
    ring.unlink()
    code, report = run.until_ended()
    check.equal("exit code without one", code, 0)
    check.equal("ranks", [rank["rank"] for rank in report["ranks"]], [0])
    check.equal("call", report["ranks"][0]["threads"][0]["call"], "MPI_Recv")
    check.equal("problems", len(report["problems"]), 1)
    check.true(f"what it says: {report['problems']}", "rank-00001" in report["problems"][0] or str(ring) in report["problems"][0])
    check.true("it is in the text", "Not examined:" in run.where()[1])
    shutil.rmtree(ring.parent)
    code, report = run.until_ended()
    check.equal("ranks without any ring", report["ranks"], [])
    check.equal("problems without any ring", len(report["problems"]), RANKS)


WAYS = {
    "linked": run_linked,
    "without_debug_information": run_without_debug_information,
    "rebuilt": run_rebuilt,
    "partly_gone": run_partly_gone,
}


def main():
    parser = argparse.ArgumentParser()
    for name in ("meridian", "mpiexec", "program", "source"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--way", choices=WAYS, required=True)
    options = parser.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory() as work:
        WAYS[options.way](check, options, pathlib.Path(work))
    return check.finish()


if __name__ == "__main__":
    sys.exit(main())
