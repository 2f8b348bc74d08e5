# SPDX-License-Identifier: Apache-2.0
"""The summary agrees with what the program measured itself, and its advice names the cause.

check_telling.py --meridian M --tracer L --counter C --mpiexec X --ranks N program
"""

import pathlib
import sys
import tempfile

import tracing
from tracing import launch

SHORT_THREADS = 4
ALLTOALL_BYTES = 8 * 1000  # from each rank to each
SLACK = 0.1


def measured(output):
    """rank -> (seconds, those in MPI), as the program printed them."""
    words = (line.split() for line in output.splitlines())
    return {int(line[0]): (float(line[1]), float(line[2])) for line in words if len(line) == 3}


def check_ranks(check, summary, own, ranks):
    outside = {}
    for row in summary["ranks"]:
        rank = row["rank"]
        all_s, mpi_s = own[rank]
        outside[rank] = all_s - mpi_s
        check.true(f"share in MPI of rank {rank}: {row['mpi_share']}, measured {mpi_s / all_s}",
                   abs(row["mpi_share"] - mpi_s / all_s) < SLACK)  # fmt: skip
        check.equal(f"threads of rank {rank} that call MPI", row["threads"], 1 + SHORT_THREADS)
        check.equal(f"threads of rank {rank}", row["all_threads"], 1 + SHORT_THREADS + (rank == 0))
        sides = row["other_bytes_sent"], row["other_bytes_received"]
        check.equal(f"bytes of collectives of rank {rank}", sides, (ranks * ALLTOALL_BYTES,) * 2)
        check.equal(f"end of rank {rank}", (row["end"], row["end_call"]), ("MPI_Finalize", ""))
        check.true(f"rank {rank} lives longer than MPI_Init and MPI_Finalize", 0 < row["ends_s"] < row["time_s"])
    own_balance = sum(outside.values()) / ranks / max(outside.values())
    ours = [row["time_s"] * (1 - row["mpi_s"] / row["thread_s"]) for row in summary["ranks"]]
    check.true(f"load balance {ours}, measured {own_balance}", abs(sum(ours) / ranks / max(ours) - own_balance) < SLACK)
    check.true("no thread begins before the first event", all(row["begin_s"] >= 0 for row in summary["threads"]))
    shares = [row["share"] for row in summary["sites"] if row["share"] is not None]
    check.true(f"shares of call sites add up to 1: {sum(shares)}", abs(sum(shares) - 1) < 1e-9)
    check.equal("call sites without a share", sorted(row["function"] for row in summary["sites"] if row["share"] is None),
                ["MPI_Finalize", "MPI_Init_thread"])  # fmt: skip


def check_text(check, text):
    words = " ".join(text.split())
    check.true("the verdict names the rank and its mutex", "time: lock. Threads of rank 0 wait" in words and "for the mutex mutex in" in words)
    check.true("one line about the clock", "CLOCKS all ranks read the same clock: there is nothing to correct" in words)


def main():
    parser = tracing.parser()
    parser.add_argument("program")
    options = parser.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-telling-") as work:
        trace = pathlib.Path(work) / "trace"
        traced = launch.traced(options.mpiexec, options.ranks, options.meridian, [options.program], trace, f"{work}/scratch")
        own = measured(traced.stdout)
        check.equal("ranks that measured", sorted(own), list(range(options.ranks)))
        merged, summary = launch.merge(options.meridian, trace)
        check.true("merge takes it", merged.returncode == 0 and summary is not None)
        if summary is not None and len(own) == options.ranks:
            check_ranks(check, summary, own, options.ranks)
            check_text(check, launch.run([options.meridian, "stats", "--all", trace]).stdout)
        return check.finish(traced, merged)


if __name__ == "__main__":
    sys.exit(main())
