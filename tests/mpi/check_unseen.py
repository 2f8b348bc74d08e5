# SPDX-License-Identifier: Apache-2.0
"""A program that defines MPI functions itself: the trace names them, and the other sides of their messages are no errors.

check_unseen.py --meridian M --tracer L --counter C --mpiexec X --ranks N program
"""

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
        runs = tracing.run(options, [options.program], work)
        tracing.check_same_result(check, runs)
        merged, summary = tracing.check_merge(check, options, runs, {"call.unseen"})
        found = [finding for finding in summary["findings"] if finding["name"] == "call.unseen"]
        check.equal("findings", len(found), 1)
        # The program's file on each rank. In each round a receive lacks its send; the other message may be paired with it,
        # so both its sides count, too.
        check.equal("count", found[0]["count"], options.ranks + 5 * 3 * options.ranks)
        check.true(f"names of the functions: {found[0]['detail']}", "MPI_Send MPI_Barrier" in found[0]["detail"])
        names = {name for trace in runs.traces.values() for name in trace.counts()}
        check.equal("recorded nevertheless", names & {"MPI_Send", "MPI_Barrier"}, set())
        return check.finish(runs.untraced, runs.traced, merged)


if __name__ == "__main__":
    sys.exit(main())
