# SPDX-License-Identifier: Apache-2.0
"""A program that has removed its environment runs as untraced, and is traced with the default options. With MPICH over UCX such a
program crashes untraced, too.

check_clearenv.py --meridian M --mpiexec X --ranks 1 program
"""

import pathlib
import subprocess
import sys
import tempfile

import both_ways
from both_ways import launch, rank_trace


def main():
    parser = launch.parser()
    parser.add_argument("program")
    options = parser.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-clearenv-") as work:
        # Without the launcher, whose variables the program would remove, too.
        untraced, traced = (
            subprocess.run([*before, options.program], cwd=work, capture_output=True, text=True, timeout=100)
            for before in ([], [options.meridian, "run"])
        )
        check.equal("exit code", traced.returncode, untraced.returncode)
        check.equal("output", both_ways.lines_of(traced), both_ways.lines_of(untraced))
        files = list(pathlib.Path(work).rglob("rank-00000.h5"))
        # Open MPI does not start without an environment where there is no ssh.
        check.equal("rank files", len(files), 1 if untraced.returncode == 3 else 0)
        for path in files:
            check.equal("MPI_Sendrecv", rank_trace.RankTrace(path).counts().get("MPI_Sendrecv", 0), 20)
        return check.finish(untraced, traced)


if __name__ == "__main__":
    sys.exit(main())
