# SPDX-License-Identifier: Apache-2.0
"""`meridian watch` on programs of two ranks that hang, compute or are slow.

check_watch.py --meridian M --mpiexec X --program P --slow S --case CASE
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import stuck_run
from stuck_run import launch

RANKS = 2
STALLED = "No call of any rank has begun or ended for "


class Watch:
    """`meridian watch`, whose output goes into a file."""

    def __init__(self, options, work, trace, *words):
        self.path = pathlib.Path(work) / "watch.txt"
        with open(self.path, "w", encoding="utf-8") as out:
            self.process = subprocess.Popen(
                [options.meridian, "watch", trace, *words], stdout=out, stderr=subprocess.PIPE, text=True
            )

    def until(self, words):
        """The output as soon as it has these words, or when patience has ended."""
        deadline = time.monotonic() + stuck_run.PATIENCE_S
        while words not in self.path.read_text() and time.monotonic() < deadline:
            time.sleep(0.05)
        return self.path.read_text()

    def finish(self):
        _, errors = self.process.communicate(timeout=stuck_run.PATIENCE_S)
        return self.process.returncode, self.path.read_text(), errors


def are_in(call):
    return lambda report: [rank["threads"][0]["call"] for rank in report["ranks"]] == [call] * RANKS


def has_moved_on(report):
    return [rank["threads"][0]["call"] for rank in report["ranks"]] == ["MPI_Barrier", None]


def check_reports(check, options, work):
    """A deadlock is reported once, as `where` does it; the program is left alone."""
    run = stuck_run.StuckRun(options, [options.program, "ring"], work, RANKS)
    with run:
        run.until(are_in("MPI_Recv"))
        watch = Watch(options, work, run.trace, "--after", "1")
        text = watch.until("DEADLOCK")
        check.true(f"first line: {text}", text.startswith(STALLED))
        time.sleep(3)  # time for further reports, if there were any
        check.equal("watch goes on", watch.process.poll(), None)
        _, report = run.until(are_in("MPI_Recv"))
        check.equal("the ranks run", [rank["alive"] for rank in report["ranks"]], [True] * RANKS)
    code, text, errors = watch.finish()
    check.equal("exit code", code, 2)
    check.equal("errors", errors, "")
    check.equal(f"reports in {text}", text.count(STALLED), 1)
    for words in ("DEADLOCK", "MPI_Recv", "stuck.c"):
        check.true(f"{words} in {text}", words in text)
    check.true(f"nobody computes: {text}", "Computing" not in text)
    check.true(f"lines that fit: {text}", all(len(line) <= 80 for line in text.splitlines()))


def check_ends(check, options, work):
    """With --end-job the program ends, and its trace has all of its calls."""
    run = stuck_run.StuckRun(options, [options.program, "ring"], work, RANKS)
    with run:
        code, out, errors = Watch(options, work, run.trace, "--after", "1", "--end-job").finish()
        check.true("the launcher ends, too", run.process.wait(timeout=stuck_run.PATIENCE_S) != 0)
    check.equal("exit code", code, 2)
    check.equal("errors", errors, "")
    check.equal(f"reports in {out}", out.count(STALLED), 1)
    check.true(f"end in {out}", out.splitlines()[-1].startswith("Ended by SIGTERM: "))
    run.until_ended()
    merged = launch.run([options.meridian, "merge", "--json", run.trace])
    summary = json.loads(merged.stdout)
    check.equal("ranks in the merged trace", summary["run"]["ranks_present"], RANKS)
    calls = {row["name"]: row["count"] for row in summary["functions"] if row["name"] in ("MPI_Barrier", "MPI_Recv")}
    check.equal("calls", calls, {"MPI_Barrier": RANKS, "MPI_Recv": RANKS})
    first = summary["problems"][0]
    check.equal("first problem", (first["problem"], first["function"]), ("deadlock", "MPI_Recv"))
    circle = [f"rank {rank} {'waits ' if rank == 0 else ''}in MPI_Recv (stuck.c:" for rank in range(RANKS)]
    check.true(f"the circle is named in {first['text']}", all(part in first["text"] for part in circle) and f"for rank {RANKS - 1}" in first["text"])
    check.equal("call in which each rank ended", [rank["end_call"].split()[0] for rank in summary["ranks"]], ["MPI_Recv"] * RANKS)


def check_json(check, options, work):
    """With --json each report is an object on a line: the stall with what `where --json` prints, and the end."""
    run = stuck_run.StuckRun(options, [options.program, "ring"], work, RANKS)
    with run:
        run.until(are_in("MPI_Recv"))
        code, out, errors = Watch(options, work, run.trace, "--after", "1", "--end-job", "--json").finish()
        run.process.wait(timeout=stuck_run.PATIENCE_S)
    check.equal("exit code and errors", (code, errors), (2, ""))
    stall, end = (json.loads(line) for line in out.splitlines())
    check.equal("schemas", [(line["schema"], line["version"]) for line in (stall, end)], [("meridian-watch", 1)] * 2)
    check.equal("events", [line["event"] for line in (stall, end)], ["stall", "end"])
    check.true(f"time without progress: {stall['stalled_s']}", stall["stalled_s"] >= 1)
    check.equal("ranks", (stall["computing"], stall["idle"], stall["elsewhere"]), ([], [], 0))
    check.equal("schema of where", stall["where"]["schema"], "meridian-where")
    check.true("each rank is in its call", are_in("MPI_Recv")(stall["where"]))
    check.equal("ranks in the deadlock", stall["where"]["deadlock"]["ranks"], list(range(RANKS)))
    check.equal("ranks that were ended", end["ended"], RANKS)


def check_computing(check, options, work):
    """A rank that computes keeps the program alive, although the other one waits for it."""
    run = stuck_run.StuckRun(options, [options.program, "barrier"], work, RANKS)
    with run:
        run.until(has_moved_on)
        watch = Watch(options, work, run.trace, "--after", "1.5", "--end-job")
        lines = watch.until("The program is not ended.").splitlines()
        check.true(f"first line: {lines}", lines[0].startswith(STALLED))
        check.equal("who computes", lines[1], "Computing, so this may be no deadlock: rank 1.")
        time.sleep(2)
        _, report = run.until(has_moved_on)
        check.equal("the ranks run", [rank["alive"] for rank in report["ranks"]], [True] * RANKS)
    code, text, errors = watch.finish()
    check.equal("exit code", code, 0)
    check.equal("errors", errors, "")
    check.true(f"no deadlock: {text}", "DEADLOCK" not in text)


def slow_run(options, work, rounds, delay_us):
    trace = f"{work}/trace"
    command = [options.mpiexec, "-n", str(RANKS), options.meridian, "run", options.slow, str(rounds), str(delay_us)]
    return trace, subprocess.Popen(command, env=launch.environment(MERIDIAN_DIR=trace), stdout=subprocess.DEVNULL)


def check_slow(check, options, work):
    """A program that takes longer than --after, but never stands still for that long, is left alone."""
    trace, process = slow_run(options, work, 20, 400_000)
    code, out, errors = Watch(options, work, trace, "--after", "4", "--end-job", "--start", "30").finish()
    check.equal("exit code of watch", (code, out, errors), (0, "", ""))
    check.equal("exit code of the program", process.wait(timeout=stuck_run.PATIENCE_S), 0)


def check_again(check, options, work):
    """Each time that a program stands still is reported."""
    trace, process = slow_run(options, work, 2, 3_000_000)
    code, out, errors = Watch(options, work, trace, "--after", "1", "--start", "30").finish()
    check.equal("exit code of watch", (code, errors), (0, ""))
    check.true(f"two stalls are in {out}", out.count(STALLED) >= 2 and "DEADLOCK" not in out)
    check.equal("exit code of the program", process.wait(timeout=stuck_run.PATIENCE_S), 0)


def check_nothing(check, options, work):
    """Without a program there is an error."""
    done = subprocess.run([options.meridian, "watch", work, "--start", "0"], capture_output=True, text=True, check=False)
    check.equal("exit code", done.returncode, 1)
    check.true(f"what it says: {done.stderr}", done.stderr.startswith("meridian: no rank of a running program records into"))


CASES = {"reports": check_reports, "ends": check_ends, "computing": check_computing, "slow": check_slow,
         "again": check_again, "nothing": check_nothing, "json": check_json}  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    for name in ("meridian", "mpiexec", "program", "slow"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--case", required=True, choices=CASES)
    options = parser.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory() as work:
        CASES[options.case](check, options, work)
    return check.finish()


if __name__ == "__main__":
    sys.exit(main())
