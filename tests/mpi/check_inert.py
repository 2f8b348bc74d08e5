# SPDX-License-Identifier: Apache-2.0
"""A program without MPI runs unchanged under `meridian run`, by itself and under mpiexec, and leaves only a line that says so.

check_inert.py --meridian M --tracer L --counter C --mpiexec X --ranks N program
"""

import pathlib
import sys
import tempfile

import tracing
from tracing import launch


def main():
    parser = tracing.parser()
    parser.add_argument("program", help="not_mpi")
    options = parser.parse_args()
    check = launch.Checks()
    for launcher in ([], [options.mpiexec, "-n", options.ranks]):
        for program in ([options.program], ["/bin/sh", "-c", "ls / > /dev/null; echo $((6 * 7)); exit 3"]):
            with tempfile.TemporaryDirectory(prefix="meridian-mpi-") as work:
                cwd, scratch = pathlib.Path(work, "cwd"), pathlib.Path(work, "scratch")
                cwd.mkdir()
                scratch.mkdir()
                untraced = tracing.launch_in(cwd, [*launcher, *program])
                traced = tracing.launch_in(
                    cwd, [*launcher, options.meridian, "run", *program], MERIDIAN_SCRATCH=scratch, MERIDIAN_QUIET="no"
                )
                check.equal("exit code", traced.returncode, untraced.returncode)
                check.equal("output", traced.stdout, untraced.stdout)
                ours = [line for line in traced.stderr.splitlines() if "meridian" in line]
                # Once a job. A shell may have had children that call MPI, so it says nothing.
                said = f"meridian: nothing was recorded: '{pathlib.Path(program[0]).name}' uses no MPI library"
                check.equal("messages of the tracer", ours, [said] if len(program) == 1 else [])
                check.equal("files in the working directory", list(cwd.iterdir()), [])
                check.equal("files in the scratch directory", list(scratch.rglob("*")), [])
    return check.finish(untraced, traced)


if __name__ == "__main__":
    sys.exit(main())
