"""`meridian top` on a program that hangs: no calls, all of the time in MPI, and the call that each rank is in."""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import launch  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    for name in ("meridian", "mpiexec", "program"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    check, ranks = launch.Checks(), 2

    def top(directory, *words):
        return subprocess.run([options.meridian, "top", *words, directory], capture_output=True, text=True, timeout=60, check=False)

    with tempfile.TemporaryDirectory() as work:
        trace, scratch = pathlib.Path(work) / "trace", pathlib.Path(work) / "scratch"
        scratch.mkdir()
        process = subprocess.Popen(
            [options.mpiexec, "-n", str(ranks), options.meridian, "run", options.program, "ring"],
            env=launch.environment(MERIDIAN_DIR=trace, MERIDIAN_SCRATCH=scratch), stdout=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
        try:
            check.equal("line of the program", process.stdout.readline(), "ready\n")
            time.sleep(0.5)
            done = top(trace, "--json", "--count", "2", "--interval", "0.3")
            looks = [json.loads(line) for line in done.stdout.splitlines()]
            check.equal("looks", len(looks), 2)
            for look in looks:
                check.equal("ranks", [rank["rank"] for rank in look["ranks"]], list(range(ranks)))
                for rank in look["ranks"]:
                    check.equal("call", rank["call"], "MPI_Recv")
                    check.equal("calls per second", rank["calls_per_s"], 0)
                    check.equal("bytes per second", rank["sent_bytes_per_s"], 0)
                    check.true(f"share of MPI: {rank['mpi_share']}", 0.999 < rank["mpi_share"] <= 1)
                    check.true(f"window: {rank['window_s']}", rank["window_s"] >= 0.3)
            for first, second in zip(looks[0]["ranks"], looks[1]["ranks"]):
                check.true("the call goes on", second["since_s"] - first["since_s"] > 0.29)
            text = top(trace, "--count", "1", "--interval", "0.1")
            check.true(f"lines that fit: {text.stdout}", all(len(line) <= 80 for line in text.stdout.splitlines()))
            check.equal("escape sequences in a pipe", text.stdout.count("\033"), 0)
            check.equal("ranks in the text", text.stdout.count("MPI_Recv"), ranks)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and top(trace, "--count", "1").returncode == 0:
            time.sleep(0.1)
        late = top(trace)
        check.equal("exit code when nothing runs", late.returncode, 1)
        check.true(f"what it says: {late.stderr}", "no rank of a running program" in late.stderr)
    return check.finish()


if __name__ == "__main__":
    sys.exit(main())
