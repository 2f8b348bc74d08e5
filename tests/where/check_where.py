"""`meridian where` on programs that hang, while they do and after they were killed."""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
for name in ("meridian", "mpiexec", "program", "how"):
    parser.add_argument(f"--{name}", required=True)
parser.add_argument("--ranks", type=int, default=3)
arguments = parser.parse_args()
N = arguments.ranks
last = N - 1


def where(directory, *options):
    done = subprocess.run([arguments.meridian, "where", *options, directory], capture_output=True, text=True, timeout=60)
    assert done.stderr == "", done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80 or options, done.stdout
    return done.returncode, done.stdout


# What each rank is in, what it waits for first (kind, peer, tag), who is in a deadlock, in which cycle, who is through.
everybody = list(range(N))
all_but_last = everybody[:-1]
expected = {
    "ring": ({r: ("MPI_Recv", ("receive", (r + 1) % N, 7)) for r in everybody}, everybody, everybody, []),
    "wait": ({r: ("MPI_Waitall", ("receive", (r + 1) % N, 9)) for r in everybody}, everybody, everybody, []),
    "barrier": ({r: ("MPI_Barrier", ("collective", None, None)) for r in all_but_last} | {last: (None, None)}, [], [], []),
    "mismatch": ({r: ("MPI_Bcast", ("collective", None, None)) for r in all_but_last}
                 | {last: ("MPI_Barrier", ("collective", None, None))}, everybody, [0, last], []),
    "left": ({r: ("MPI_Recv", ("receive", last, 7)) for r in all_but_last}
             | {last: ("MPI_Finalize", ("collective", None, None))}, everybody, [0, last], []),
}[arguments.how]


def seen(report):
    calls = {}
    for rank in report["ranks"]:
        thread = rank["threads"][0]
        first = thread["waits"][0] if thread["waits"] else None
        calls[rank["rank"]] = (thread["call"], first and (first["kind"], first.get("peer"), first.get("tag")))
    deadlock = report["deadlock"]
    return calls, deadlock["ranks"], deadlock["cycle"], deadlock["ended"]


def kill_everything(process):
    """The launcher and the ranks at once, as a batch system does it."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


with tempfile.TemporaryDirectory() as work:
    directory = pathlib.Path(work) / "trace"
    process = subprocess.Popen(
        [arguments.mpiexec, "-n", str(N), arguments.meridian, "run", arguments.program, arguments.how],
        env=os.environ | {"MERIDIAN_DIR": str(directory)}, stdout=subprocess.PIPE, text=True, start_new_session=True)
    pids = []
    try:
        assert process.stdout.readline() == "ready\n"
        for _ in range(100):
            code, text = where(directory, "--json")
            report = json.loads(text)
            if seen(report) == expected:
                break
            time.sleep(0.1)
        assert seen(report) == expected, text
        assert code == (2 if expected[1] else 0)
        assert all(rank["alive"] for rank in report["ranks"])
        pids = [rank["pid"] for rank in report["ranks"]]
        code, text = where(directory)
        assert f"{N} of {N} ranks run" in text and ("DEADLOCK" in text) == bool(expected[1]), text
    finally:
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        kill_everything(process)

    # The same from what is left.
    for _ in range(100):
        code, text = where(directory, "--json")
        report = json.loads(text)
        if not any(rank["alive"] for rank in report["ranks"]):
            break
        time.sleep(0.1)
    assert seen(report) == expected, text
    code, text = where(directory)
    assert f"0 of {N} ranks run" in text, text
    print(text)
sys.exit(0)
