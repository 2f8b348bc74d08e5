# SPDX-License-Identifier: Apache-2.0
"""MERIDIAN_LEVELS: only the groups asked for are recorded, all of them, and the program does not notice.

check_choice.py --meridian M --tracer L --counter C --mpiexec X --ranks N program
"""

import sys
import tempfile

import tracing
from tracing import launch

P2P = {"MPI_Sendrecv", "MPI_Sendrecv_replace", "MPI_Isendrecv", "MPI_Isendrecv_replace"}


def main():
    parser = tracing.parser()
    parser.add_argument("program", help="sendrecv")
    options = parser.parse_args()
    check = launch.Checks()
    for levels, is_recorded in (
        ("p2p", lambda name: name in P2P),
        ("all,-p2p", lambda name: name not in P2P),
        ("request,env", lambda name: name in ("MPI_Wait", "MPI_Init", "MPI_Finalize")),
    ):
        with tempfile.TemporaryDirectory(prefix="meridian-mpi-") as work:
            runs = tracing.run(options, [options.program], work, MERIDIAN_LEVELS=levels)
            tracing.check_same_result(check, runs)
            for rank, counted in runs.counted.items():
                expected = {name: count for name, count in counted.items() if is_recorded(name)}
                recorded = dict(runs.traces[rank].counts()) if rank in runs.traces else None
                check.equal(f"levels {levels}: calls of rank {rank}", recorded, expected)
            merged, _ = launch.merge(options.meridian, runs.folder)
            check.true(f"levels {levels}: merge takes it", merged.returncode in (0, 2))
    return check.finish(runs.untraced, runs.traced, merged)


if __name__ == "__main__":
    sys.exit(main())
