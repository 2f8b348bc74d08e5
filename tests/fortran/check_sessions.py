# SPDX-License-Identifier: Apache-2.0
"""A Fortran program that has a session and never MPI_COMM_WORLD is recorded like any other, with and without the calls of sessions.

check_sessions.py --meridian M --mpiexec X --ranks N program
"""

import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parent / "mpi")]
import launch  # noqa: E402
import rank_trace  # noqa: E402

SESSION = {"MPI_Session_init": 1, "MPI_Session_finalize": 1}
CALLS = {
    "MPI_Group_from_session_pset": 2, "MPI_Comm_create_from_group": 2, "MPI_Group_free": 2, "MPI_Comm_rank": 1,
    "MPI_Comm_size": 1, "MPI_Sendrecv": 2, "MPI_Allreduce": 1, "MPI_Comm_free": 2,
}  # fmt: skip


def main():
    parser = launch.parser()
    parser.add_argument("program")
    options = parser.parse_args()
    check = launch.Checks()
    n = options.ranks
    with tempfile.TemporaryDirectory(prefix="meridian-fortran-") as work:
        for levels, calls in (("all", {**SESSION, **CALLS}), ("all,-MPI_Session_*", CALLS)):
            trace, scratch = (pathlib.Path(work) / levels / name for name in ("trace", "scratch"))
            traced = launch.traced(options.mpiexec, n, options.meridian, [options.program], trace, scratch, MERIDIAN_LEVELS=levels)
            check.equal(f"exit code, {levels}", traced.returncode, 0)
            check.equal(f"output, {levels}", traced.stdout, f"sessions on {n} ranks: done\n")
            check.equal(f"messages, {levels}", traced.stderr, "")
            files = sorted(trace.glob("rank-*.h5"))
            check.equal(f"rank files, {levels}", [file.name for file in files], [f"rank-{rank:05}.h5" for rank in range(n)])
            for file in files:
                check.equal(f"calls in {file.name}, {levels}", dict(rank_trace.RankTrace(file).counts()), calls)
            merged, summary = launch.merge(options.meridian, trace)
            messages = summary["messages"]
            check.equal(f"messages, {levels}", (messages["matched"], messages["bytes"]), (2 * n, 8 * n))
            check.equal(f"findings, {levels}", summary["findings"], [])
            left_out = sorted((row["rank"], row["name"], row["count"]) for row in summary["passed"])
            expected = sorted((rank, name, 1) for rank in range(n) for name in SESSION if name not in calls)
            check.equal(f"left out, {levels}", left_out, expected)
        return check.finish(traced, merged)


if __name__ == "__main__":
    sys.exit(main())
