# SPDX-License-Identifier: Apache-2.0
"""Samples of a Python program have its functions and lines, with the shares that the program measures by itself.

check_shares.py --meridian M --mpiexec X --ranks N
"""

import ctypes
import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]
import tracing  # noqa: E402
from tracing import launch  # noqa: E402

SKIPPED = 77
PYTHON = "/usr/bin/python3"
NAMES = {"assemble": "Solver.assemble", "solve": "work_until", "check": "Solver.check"}
FACTOR = 3  # of rank 1 in assemble()


def run_program(options, work, wrapper=(), seconds=2, **settings):
    folder, scratch = work / "trace", work / "scratch"
    scratch.mkdir(parents=True)
    command = [*wrapper, options.meridian, "run", PYTHON, "-B", HERE / "shares.py", seconds, FACTOR]
    run = tracing.launch_in(work, [options.mpiexec, "-n", options.ranks, *command],
                            MERIDIAN_DIR=folder, MERIDIAN_SCRATCH=scratch, MERIDIAN_SAMPLES=500, **settings)  # fmt: skip
    tracing.wait_for_writers(scratch, folder, options.ranks)
    return run, *launch.merge(options.meridian, folder)


def check_functions(check, run, summary):
    said = {int(rank): dict(zip(NAMES, map(float, seconds))) for rank, *seconds in map(str.split, run.stdout.splitlines())}
    rows = {(row["rank"], row["function"]): row for row in summary["rank_functions"]}
    of_rank = {rank: sum(row["samples"] for key, row in rows.items() if key[0] == rank) for rank in said}
    samples = {row["function"]: row["samples"] for row in summary["program_functions"]}
    for rank, seconds in said.items():
        computed = sum(row["self_s"] for key, row in rows.items() if key[0] == rank)
        for name, function in NAMES.items():
            # zlib's function is below the line of Python that calls it.
            found = rows[rank, function]["inclusive_s"] / computed if (rank, function) in rows else 0
            expected = seconds[name] / sum(seconds.values())
            error = math.sqrt(expected * (1 - expected) / max(of_rank[rank], 1))
            near = abs(found - expected) <= 0.02 + 3 * error
            check.true(f"rank {rank}: {function} has {found:.3f} of the time, the program says {expected:.3f}", near)
    # On a host that is busy with something else some are read too late (docs/FUNCTIONS.md).
    interpreter = sum(count for name, count in samples.items() if name.startswith(("_PyEval", "PyObject", "_PyObject")))
    check.true(f"samples without a line: {interpreter} of {sum(samples.values())}", interpreter <= 0.2 * sum(samples.values()))


def check_problem(check, summary):
    named = [row for row in summary["problem_functions"] if summary["problems"][row["problem"]]["causer"] == 1]
    check.equal("function, rank", (named[0]["function"], named[0]["rank"]) if named else None, ("Solver.assemble", 1))
    texts = " ".join(row["text"] for row in summary["problems"])
    for words in ("in Solver.assemble (shares.py:", " <- Solver.timed (shares.py:", " <- Solver.iterate (shares.py:"):
        check.true(f"the problems have {words!r}: {texts}", words in texts)


CALLS = {"process_vm_readv": {"x86_64": 310, "aarch64": 270}, "preadv": {"x86_64": 295, "aarch64": 69}}


def refuse(names, command):
    """What a container does that does not know these system calls; then runs the command."""
    load, jump_equal, give = 0x20, 0x15, 0x06
    code = [(load, 0, 0, 0)]
    for name in names:
        code += [(jump_equal, 0, 1, CALLS[name][os.uname().machine]), (give, 0, 0, 0x00050000 | 1)]
    code.append((give, 0, 0, 0x7FFF0000))
    buffer = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in code))
    filter_of = struct.pack("HxxxxxxP", len(code), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, set_seccomp, filter_mode = 38, 22, 2
    if libc.prctl(no_new_privileges, 1, 0, 0, 0) != 0 or libc.prctl(set_seccomp, filter_mode, filter_of, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
    os.execvp(command[0], command)


def refusal_of(*names):
    return sys.executable, "-B", pathlib.Path(__file__).resolve(), "--refuse", ",".join(names)


def check_without_call(check, options, work):
    """/proc/PID/mem in place of process_vm_readv(2)."""
    run, merged, summary = run_program(options, work, refusal_of("process_vm_readv"), 0.5)
    check.equal("one call refused: exit codes", (run.returncode, merged.returncode), (0, 0))
    found = {row["function"] for row in summary["program_functions"]}
    check.true(f"one call refused: {found}", found >= set(NAMES.values()))
    findings = {row["name"] for row in summary["findings"]}
    check.true(f"one call refused: {findings}", "samples.python_refused" not in findings)


def check_refused(check, options, work):
    run, merged, summary = run_program(options, work, refusal_of("process_vm_readv", "preadv"), 0.5)
    check.equal("refused: exit codes", (run.returncode, merged.returncode), (0, 0))
    found = {row["name"]: row for row in summary["findings"]}
    check.equal("refused: ranks", found.get("samples.python_refused", {}).get("count"), options.ranks)
    check.true("refused: the reason", "EPERM" in found.get("samples.python_refused", {}).get("detail", ""))


def check_by_signal(check, options, work):
    """The same lines where the program takes its samples by a signal."""
    run, merged, summary = run_program(options, work, seconds=0.5, MERIDIAN_SAMPLES_BY="signal")
    check.equal("by a signal: exit codes", (run.returncode, merged.returncode), (0, 0))
    found = {row["function"] for row in summary["program_functions"]}
    check.true(f"by a signal: {found}", found >= set(NAMES.values()))
    samples = {row["function"]: row["samples"] for row in summary["program_functions"]}
    interpreter = sum(count for name, count in samples.items() if name.startswith("_PyEval"))
    check.true(f"by a signal, without a line: {interpreter} of {sum(samples.values())}", interpreter <= 0.3 * sum(samples.values()))


def check_live(check, options, work):
    """`where` and `top` name the function of a program that computes."""
    work.mkdir()
    trace = work / "trace"
    program = launch.started(options.mpiexec, options.ranks, options.meridian, [PYTHON, "-B", HERE / "shares.py", 600, FACTOR], trace,
                             work / "scratch")  # fmt: skip
    looks = {"where": lambda report: [rank["threads"][0]["place"] for rank in report["ranks"] if rank["threads"]],
             "top": lambda report: [{"function": rank["function"], "file": str(rank["place"]).split(":")[0]} for rank in report["ranks"]]}  # fmt: skip
    try:
        for command, places in looks.items():
            deadline, found = time.monotonic() + 30, []
            while time.monotonic() < deadline and not any(place and place["function"] in NAMES.values() for place in found):
                time.sleep(0.1)
                said = launch.run([options.meridian, command, "--json", *(["--count", 1] if command == "top" else []), trace])
                found = places(json.loads(said.stdout)) if said.returncode == 0 else []
            files = {pathlib.Path(place["file"]).name for place in found if place and place["function"] in NAMES.values()}
            check.equal(f"{command}: file of {found}", files, {"shares.py"})
    finally:
        program.terminate()
        program.wait()


def main():
    if sys.argv[1:2] == ["--refuse"]:
        refuse(sys.argv[2].split(","), sys.argv[3:])
    options = launch.parser().parse_args()
    known = "import sys, mpi4py; sys.exit(sys.version_info[:2] not in ((3, 11), (3, 12), (3, 13)))"
    if subprocess.run([PYTHON, "-c", known], capture_output=True, check=False).returncode != 0:
        print(f"skipped: {PYTHON} is of another version, or has no mpi4py")
        return SKIPPED
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-python-") as folder:
        run, merged, summary = run_program(options, pathlib.Path(folder) / "shares")
        check.equal("exit codes", (run.returncode, merged.returncode), (0, 0))
        if any(row["name"] == "samples.refused" for row in summary["findings"]):
            print("skipped: the kernel permits no samples")
            return SKIPPED
        check_functions(check, run, summary)
        if int(options.ranks) > 1:
            check_problem(check, summary)
        check_without_call(check, options, pathlib.Path(folder) / "without-call")
        check_refused(check, options, pathlib.Path(folder) / "refused")
        check_by_signal(check, options, pathlib.Path(folder) / "by-signal")
        check_live(check, options, pathlib.Path(folder) / "live")
    return check.finish(run, merged)


if __name__ == "__main__":
    sys.exit(main())
