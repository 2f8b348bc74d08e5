# SPDX-License-Identifier: Apache-2.0
"""Programs that have the tracer of another MPI library run as untraced, and one line says why nothing is recorded.

check_foreign.py --mpiexec X --ranks N --tracer L --names OWN OTHER --linked P L program...

    tracer   libmeridian.so for the other library
    names    of the program's library and of the tracer's, as messages have them
    linked   a program, and the same one linked with that tracer
"""

import pathlib
import sys
import tempfile

import tracing
from tracing import launch


def check_program(check, options, program, command, work):
    launcher = [options.mpiexec, "-n", options.ranks]
    untraced = tracing.launch_in(work, [*launcher, program])
    traced = tracing.launch_in(work, [*launcher, *command], MERIDIAN_DIR=work / "trace")
    what = pathlib.Path(command[-1]).name
    own, other = options.names
    said = [line for line in traced.stderr.splitlines() if line.startswith("meridian: ")]
    check.equal(f"{what}: exit codes", (traced.returncode, untraced.returncode), (0, 0))
    check.equal(f"{what}: output", sorted(traced.stdout.splitlines()), sorted(untraced.stdout.splitlines()))
    check.equal(f"{what}: lines of the tracer", len(said), 1)
    for words in ("nothing is recorded: the MPI library '", f"is one of {own}, and '{options.tracer}' is for {other}. `meridian run` "):
        check.equal(f"{what}: '{words}' is said", words in "".join(said), True)
    check.equal(f"{what}: what was stored", list(work.glob("trace*")), [])
    return traced


def main():
    parser = launch.parser("tracer")
    parser.add_argument("--names", nargs=2, required=True)
    parser.add_argument("--linked", nargs=2, required=True)
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    check = launch.Checks()
    outputs = []
    with tempfile.TemporaryDirectory(prefix="meridian-mpi-") as work:
        folder = pathlib.Path(work)
        for program in options.programs:
            preloaded = ["/usr/bin/env", f"LD_PRELOAD={options.tracer}", program]
            outputs.append(check_program(check, options, program, preloaded, folder))
        plain, linked = options.linked
        outputs.append(check_program(check, options, plain, [linked], folder))
    return check.finish(*outputs)


if __name__ == "__main__":
    sys.exit(main())
