# SPDX-License-Identifier: Apache-2.0
"""A program that calls an extension of its MPI library: the trace names it, because what it starts is not recorded.

check_extension.py --meridian M --tracer L --counter C --mpiexec X --ranks N program
"""

import pathlib
import sys
import tempfile

import tracing
from tracing import launch


def main():
    parser = tracing.parser()
    parser.add_argument("program")
    options = parser.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-mpi-") as work:
        runs = tracing.run(options, [options.program], pathlib.Path(work))
        tracing.check_same_result(check, runs)
        merged, summary = tracing.check_merge(check, options, runs, {"call.unwrapped"})
    found = [f["detail"] for f in summary["findings"]]
    if runs.traced.stdout.startswith("no extension"):
        check.equal("findings without the extension", found, [])
    else:
        check.true(f"the extension is named: {found}", len(found) == 1 and "MPIX_Barrier_init" in found[0])
        check.equal("other collectives", summary["collectives"]["count"], 1)
    return check.finish(runs.untraced, runs.traced, merged)


if __name__ == "__main__":
    sys.exit(main())
