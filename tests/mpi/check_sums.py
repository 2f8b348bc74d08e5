# SPDX-License-Identifier: Apache-2.0
"""Whatever is left out is counted: recorded and left-out calls of every function of MPI and rank are those that the program made.

check_sums.py --meridian M --tracer L --counter C --mpiexec X --ranks N program...
"""

import sys
import tempfile

import check_selection
import tracing
from tracing import launch

LEVELS = ("none", "all,-io,-rma", "all,-coll", "all,-comm", "all,-MPI_Finalize,-attr", "p2p,request")


def main():
    parser = tracing.parser()
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    check = launch.Checks()
    for program in options.programs:
        runs = None
        for levels in LEVELS:
            with tempfile.TemporaryDirectory(prefix="meridian-sums-") as work:
                runs = tracing.run(options, [program], work, untraced=runs, MERIDIAN_LEVELS=levels)
                tracing.check_same_result(check, runs)
                check.equal(f"{levels}: ranks with files", sorted(runs.traces), list(range(options.ranks)))
                for rank, counted in runs.counted.items():
                    if rank not in runs.traces:
                        continue
                    recorded = runs.traces[rank].counts()
                    passed = check_selection.passed(runs.folder / f"rank-{rank:05}.h5")
                    both = {name: recorded.get(name, 0) + passed.get(name, 0) for name in {*recorded, *passed} if name.startswith("MPI_")}
                    check.equal(f"{program}, {levels}: calls of rank {rank}", both, dict(counted))
    return check.finish(runs.untraced, runs.traced)


if __name__ == "__main__":
    sys.exit(main())
