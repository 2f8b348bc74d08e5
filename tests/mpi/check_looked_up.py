# SPDX-License-Identifier: Apache-2.0
"""Programs that look up MPI functions in the library's handle are traced, or one line says why they are not.

check_looked_up.py --meridian M --mpiexec X --ranks 2 --linked P program own-function

    linked   a program that is linked with the MPI library, whose path it has
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import tracing
from tracing import launch, rank_trace

HERE = pathlib.Path(__file__).resolve().parent
FOUND = "meridian: the trace is in 'DIR'; next: meridian merge 'DIR'"


def start(check, options, work, what, words, **extra):
    """Returns (calls by rank, our lines)."""
    launcher = [options.mpiexec, "-n", options.ranks]
    folder, scratch = work / what.replace(" ", "-"), work / "scratch"
    scratch.mkdir(exist_ok=True)
    plain = tracing.launch_in(None, [*launcher, *words])
    settings = {"MERIDIAN_QUIET": "no", "MERIDIAN_DIR": folder, "MERIDIAN_SCRATCH": scratch} | extra
    done = tracing.launch_in(None, [*launcher, options.meridian, "run", *words], **settings)
    check.equal(f"{what}: exit codes", (done.returncode, plain.returncode), (0, 0))
    check.equal(f"{what}: output", sorted(done.stdout.splitlines()), sorted(plain.stdout.splitlines()))
    if folder.exists():
        tracing.wait_for_writers(scratch, folder, options.ranks)
    traces = [rank_trace.RankTrace(path) for path in sorted(folder.glob("rank-*.h5"))]
    lines = [line.replace(str(folder), "DIR") for line in done.stderr.splitlines() if line.startswith("meridian: ")]
    return {trace.rank: dict(trace.counts()) for trace in traces}, lines


def main():
    parser = launch.parser("linked")
    parser.add_argument("program")
    parser.add_argument("own")
    options = parser.parse_args()
    needed = subprocess.run(["ldd", options.linked], capture_output=True, text=True, check=True).stdout
    options.library = re.search(r"=> (\S*/libmpi(ch)?\.so\S*)", needed).group(1)
    check = launch.Checks()
    python = ["/usr/bin/python3", HERE / "tools" / "looks_up.py"]
    barriers = {"MPI_Init": 1, "MPI_Comm_size": 1, "MPI_Barrier": 20, "MPI_Finalize": 1}
    names = {"MPI_Init": 1, "MPI_Get_processor_name": 20, "MPI_Finalize": 1}
    with tempfile.TemporaryDirectory(prefix="meridian-mpi-") as folder:
        work = pathlib.Path(folder)
        for scope in ("local", "global"):
            for what, words, expected in (("a program", [options.program], barriers), ("ctypes", python, names)):
                calls, lines = start(check, options, work, f"{what}, {scope}", [*words, options.library, scope])
                check.equal(f"{what}, {scope}: calls", calls, dict.fromkeys(range(options.ranks), expected))
                check.equal(f"{what}, {scope}: lines", lines, [FOUND])
        calls, lines = start(check, options, work, "own function", [options.own, options.library, "global"])
        check.equal("own function: MPI_Init", [found.get("MPI_Init") for found in calls.values()], [1] * options.ranks)
        check.equal("own function: lines", lines, [FOUND])
        calls, lines = start(check, options, work, "off", [options.program, options.library, "local"], MERIDIAN_DLSYM="no")
        check.equal("off: calls", calls, {})
        check.equal("off: lines", len(lines), 1)
        for part in ("nothing was recorded: the program reaches '", "an address from dlsym()", "MERIDIAN_DLSYM=yes"):
            check.true(f"off: '{part}' in {lines}", part in "".join(lines))
        return check.finish()


if __name__ == "__main__":
    sys.exit(main())
