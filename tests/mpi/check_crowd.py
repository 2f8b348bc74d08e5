# SPDX-License-Identifier: Apache-2.0
"""A thread that gets no ring asks again at its 1025th call, and every call that it could not record is counted.

check_crowd.py --meridian M --tracer L --counter C --mpiexec X --ranks N program
"""

import sys
import tempfile

import tracing
from tracing import launch


def main():
    parser = tracing.parser()
    parser.add_argument("program", help="crowd")
    options = parser.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-mpi-") as work:
        runs = tracing.run(options, [options.program], work, MERIDIAN_MAX_THREADS=2, MERIDIAN_LEVELS="all,-thread,-lock")
        tracing.check_same_result(check, runs)
        check.equal("ranks that were traced", sorted(runs.traces), list(range(options.ranks)))
        for rank, trace in runs.traces.items():
            check.equal(f"losses of rank {rank}", trace.losses, {"lost_no_slot": 1024})
            missing = runs.counted[rank] - trace.counts()
            check.equal(f"calls that rank {rank} misses", dict(missing), {"MPI_Comm_rank": 1024})
    return check.finish(runs.untraced, runs.traced)


if __name__ == "__main__":
    sys.exit(main())
