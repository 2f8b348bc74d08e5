# SPDX-License-Identifier: Apache-2.0
"""`meridian top` on a program that hangs: no calls, all of the time in MPI, and the call that each rank is in."""

import argparse
import json
import subprocess
import sys
import tempfile
import time

import stuck_run
from stuck_run import launch

RANKS = 2


def are_in(call):
    return lambda report: [rank["threads"][0]["call"] for rank in report["ranks"]] == [call] * RANKS


def main():
    parser = argparse.ArgumentParser()
    for name in ("meridian", "mpiexec", "program"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory() as work:
        run = stuck_run.StuckRun(options, [options.program, "ring"], work, RANKS)

        def top(*words):
            return subprocess.run(
                [options.meridian, "top", *words, run.trace], capture_output=True, text=True,
                timeout=stuck_run.PATIENCE_S, check=False,
            )  # fmt: skip

        with run:
            _, report = run.until(are_in("MPI_Recv"))
            check.true("the ranks hang", are_in("MPI_Recv")(report))
            done = top("--json", "--count", "2", "--interval", "0.3")
            looks = [json.loads(line) for line in done.stdout.splitlines()]
            check.equal("looks", len(looks), 2)
            for look in looks:
                check.equal("ranks", [rank["rank"] for rank in look["ranks"]], list(range(RANKS)))
                check.equal("ranks on other hosts", look["elsewhere"], 0)
                for rank in look["ranks"]:
                    check.equal("call", rank["call"], "MPI_Recv")
                    check.equal("function of a rank that waits in MPI", rank["function"], None)
                    check.equal("calls per second", rank["calls_per_s"], 0)
                    check.equal("bytes per second", rank["sent_bytes_per_s"], 0)
                    check.true(f"share of MPI: {rank['mpi_share']}", 0.999 < rank["mpi_share"] <= 1)
                    check.true(f"window: {rank['window_s']}", rank["window_s"] >= 0.3)
            for first, second in zip(looks[0]["ranks"], looks[-1]["ranks"]):
                check.true("the call goes on", second["since_s"] - first["since_s"] > 0.29)
            text = top("--interval", "0.1")  # ends by itself: this is no terminal
            check.true(f"lines that fit: {text.stdout}", all(len(line) <= 80 for line in text.stdout.splitlines()))
            check.equal("escape sequences in a pipe", text.stdout.count("\033"), 0)
            check.equal(f"ranks in the text {text.stdout}", text.stdout.count("MPI_Recv"), RANKS)
            check_elsewhere(check, run, top)
        deadline = time.monotonic() + stuck_run.PATIENCE_S
        while time.monotonic() < deadline and top("--count", "1").returncode == 0:
            time.sleep(0.1)
        late = top()
        check.equal("exit code when nothing runs", late.returncode, 1)
        check.true(f"what it says: {late.stderr}", "no rank of a running program" in late.stderr)
    with tempfile.TemporaryDirectory() as work:
        check_computing(check, options, work)
    with tempfile.TemporaryDirectory() as work:
        check_steps(check, options, work)
    return check.finish()


def check_computing(check, options, work):
    """The last rank computes for ever. The others poll in MPI, so that it may have no processor for a while."""
    run = stuck_run.StuckRun(options, [options.program, "barrier"], work, RANKS)
    with run:
        run.until(lambda report: report["ranks"] and report["ranks"][0]["threads"][0]["call"] == "MPI_Barrier")
        for _ in range(20):
            words = [options.meridian, "top", "--json", "--count", "1", "--interval", "0.5", run.trace]
            done = subprocess.run(words, capture_output=True, text=True, timeout=stuck_run.PATIENCE_S, check=False)
            first, *_, last = json.loads(done.stdout)["ranks"]
            if last["function"] is not None:
                break
        check.equal("the call of a rank that waits, and its function", (first["call"], first["function"]), ("MPI_Barrier", None))
        check.equal("the function of a rank that computes", (last["call"], last["function"]), (None, "main"))
        check.true(f"its line: {last['place']}", last["place"].startswith("stuck.c:"))
        check.equal("its share of the time that the rank computes", last["function_share"], 1)
        for _ in range(20):  # as above, a rank may have no processor for a while
            words = [options.meridian, "top", "--count", "1", "--interval", "0.5", run.trace]
            done = subprocess.run(words, capture_output=True, text=True, timeout=stuck_run.PATIENCE_S, check=False)
            if "stuck.c:" in done.stdout:
                break
        check.true(f"the text has function and line: {done.stdout}", " main, stuck.c:" in done.stdout)


def check_steps(check, options, work):
    """The last rank is outside of MPI at both looks of `where`, and has been in MPI in between."""
    run = stuck_run.StuckRun(options, [options.program, "steps"], work, RANKS)
    with run:
        run.until(lambda report: report["ranks"] and report["ranks"][0]["threads"][0]["call"] == "MPI_Barrier")
        for _ in range(20):  # it may have no processor for a while
            last = json.loads(run.where("--json")[1])["ranks"][-1]["threads"][0]
            if (last["call"], last["since_s"]) == (None, None):
                break
        check.equal("since when a rank is outside of MPI that moves", (last["call"], last["since_s"]), (None, None))


def check_elsewhere(check, run, top):
    """The note of a rank on another host, as such a rank would leave it."""
    note = run.trace / "rank-00000.ring"
    other = run.trace / "rank-00007.ring"
    other.write_text("some-other-host\n" + note.read_text().split("\n", 1)[1])
    check.true("a rank elsewhere is said to be there", "1 on other hosts" in top("--interval", "0.1").stdout)
    _, text = run.where()
    check.true(f"where says so, too: {text}", "Not examined: rank-00007 runs on host 'some-other-host'" in text)
    other.unlink()


if __name__ == "__main__":
    sys.exit(main())
