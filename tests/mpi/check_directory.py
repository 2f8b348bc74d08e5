# SPDX-License-Identifier: Apache-2.0
"""MERIDIAN_DIR with signs for host, rank, job, process and variables; directories of other users are refused.

check_directory.py --meridian M --mpiexec X --ranks 2 program
"""

import os
import pathlib
import socket
import sys
import tempfile

import tracing
from tracing import launch

OTHER_USER = 12345


def start(options, work, directory, **extra):
    settings = {"MERIDIAN_QUIET": "no", "MERIDIAN_DIR": directory, "MERIDIAN_SCRATCH": work / "scratch"} | extra
    done = tracing.launch_in(work, [options.mpiexec, "-n", options.ranks, options.meridian, "run", options.program], **settings)
    return done, [line for line in done.stderr.splitlines() if line.startswith("meridian: ")]


def main():
    parser = launch.parser()
    parser.add_argument("program")
    options = parser.parse_args()
    check = launch.Checks()
    host = socket.gethostname()
    files = [f"rank-0000{rank}.h5" for rank in range(options.ranks)]
    with tempfile.TemporaryDirectory(prefix="meridian-mpi-") as folder:
        work = pathlib.Path(folder)
        (work / "scratch").mkdir()
        cases = [
            ("%h/r%r", f"{host}/r0"),
            ("job-%j", "job-77"),
            ("%{CASE_NAME}/%{CASE_NAME}-x", "a case/a case-x"),
            ("100%%-%q-%{open-%", "100%-%q-%{open-%"),
        ]
        for pattern, expected in cases:
            done, lines = start(options, work, pattern, CASE_NAME="a case", SLURM_JOB_ID="77")
            check.equal(f"{pattern}: exit code", done.returncode, 0)
            trace = work / expected
            tracing.wait_for_writers(work / "scratch", trace, options.ranks)
            check.equal(f"{pattern}: files", sorted(path.name for path in trace.glob("*")), files)
            check.equal(f"{pattern}: lines", lines, [f"meridian: the trace is in '{trace}'; next: meridian merge '{trace}'"])
        done, lines = start(options, work, "p-%p")
        made = [path.name for path in work.glob("p-*")]
        check.true(f"process: {made}", len(made) == 1 and made[0][2:].isdigit())
        done, lines = start(options, work, "%{NOT_SET}")
        check.equal("not set: files", len(list((work / "unset").glob("rank-*.h5"))), options.ranks)
        check.equal("not set: lines", lines[0], "meridian: MERIDIAN_DIR names the variable 'NOT_SET', which is not set")

        if os.geteuid() == 0:  # others cannot make a directory of somebody else's
            theirs = work / "theirs"
            theirs.mkdir(mode=0o777)
            os.chown(theirs, OTHER_USER, OTHER_USER)
            done, lines = start(options, work, theirs)
            check.equal("another user's: exit code and files", (done.returncode, list(theirs.iterdir())), (0, []))
            check.equal("another user's: first line", lines[0], f"meridian: cannot create the output directory '{theirs}': a directory of this name belongs to another user; set MERIDIAN_DIR to a writable one")  # fmt: skip
        return check.finish()


if __name__ == "__main__":
    sys.exit(main())
