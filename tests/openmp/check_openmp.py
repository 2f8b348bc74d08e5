# SPDX-License-Identifier: Apache-2.0
"""An OpenMP program: same results and exit code traced and untraced, and its rank files have each share of each thread in each
parallel region, by the program's own count.

check_openmp.py --meridian M --mpiexec X --ranks N [--off] program
--off: with MERIDIAN_OPENMP=no, of which nothing remains in the trace
"""

import collections
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support")]
import h5py  # noqa: E402
import launch  # noqa: E402

UNFINISHED = 2


def counted(output):
    """rank -> {name: count}"""
    found = collections.defaultdict(dict)
    for line in output.splitlines():
        words = line.split()
        if len(words) == 4 and words[1] == "counted":
            found[int(words[0])][words[2]] = int(words[3])
    return found


def calls(path):
    """(Counter of calls, {thread: [(call, flags)] in order}) of a rank file."""
    with h5py.File(path) as file:
        names = [name.decode() for name in file["calls/name"][()]]
        columns = [file[f"events/{name}"][()] for name in ("call", "flags")]
        threads = []
        for segment in file["segments"][()]:
            threads += [int(segment["thread"])] * int(segment["events"])
    of_thread = collections.defaultdict(list)
    for thread, call, flags in zip(threads, *columns):
        of_thread[thread].append((names[call], int(flags)))
    return collections.Counter(names[call] for call in columns[0]), of_thread


def check_threads(check, of_thread, has_tasks):
    """Each share of a thread ends; only a wait for the next share never returns, and it is the thread's last call."""
    for thread, events in of_thread.items():
        names = collections.Counter(name for name, _ in events)
        shares, ends = names["omp_parallel"] + names["omp_share"], names["omp_implicit_barrier"]
        check.true(f"thread {thread} has {shares} shares and ends {ends}", ends >= shares if has_tasks else ends == shares)
        open_calls = [at for at, (name, flags) in enumerate(events) if name.startswith("omp_") and flags & UNFINISHED]
        check.true(f"calls of thread {thread} that never returned: {open_calls}", open_calls in ([], [len(events) - 1]))
        check.true("it is a wait for a share", all(events[at][0] == "omp_implicit_barrier" for at in open_calls))


def check_merged(check, summary, tally, ranks):
    rows = summary["openmp_regions"]
    for rank in range(ranks):
        own = [row for row in rows if row["rank"] == rank]
        check.equal("regions in the table", sum(row["regions"] for row in own), tally[rank]["regions"])
        check.equal("shares in the table", sum(row["shares"] for row in own), tally[rank]["shares"])
        check.true(f"each region has a place: {own}", all(".c:" in row["place"] or ".F90:" in row["place"] for row in own))
    unfinished = [finding for finding in summary["findings"] if finding["name"] in ("call.unfinished", "order.contradiction")]
    check.equal("findings", unfinished, [])


def main():
    parser = launch.parser()
    parser.add_argument("--off", action="store_true")
    parser.add_argument("program")
    options = parser.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-openmp-") as work:
        trace = pathlib.Path(work) / "trace"
        words = [options.mpiexec, "-n", options.ranks]
        plain = launch.run([*words, options.program])
        settings = {"MERIDIAN_DIR": trace, **({"MERIDIAN_OPENMP": "no"} if options.off else {})}
        run = launch.run([*words, options.meridian, "run", options.program], **settings)
        check.equal("exit code", run.returncode, plain.returncode)
        check.equal("output", sorted(run.stdout.splitlines()), sorted(plain.stdout.splitlines()))
        tally = counted(plain.stdout)
        check.equal("ranks that counted", len(tally), int(options.ranks))
        for rank, counts in tally.items():
            number, of_thread = calls(trace / f"rank-{rank:05}.h5")
            if options.off:
                check.equal("OpenMP events", [name for name in number if name.startswith("omp_")], [])
                continue
            check.equal("regions", number["omp_parallel"], counts["regions"])
            check.equal("shares", number["omp_parallel"] + number["omp_share"], counts["shares"])
            if "tasks" in counts:
                check.equal("tasks", number["omp_task"], counts["tasks"])
                check.true("barriers, continued after tasks", number["omp_barrier"] >= counts["barriers"])
            check_threads(check, of_thread, "tasks" in counts)
        merged, summary = launch.merge(options.meridian, trace)
        check.equal("exit code of merge", merged.returncode, 0)
        if summary is not None and not options.off:
            check_merged(check, summary, tally, int(options.ranks))
        return check.finish(run, merged)


if __name__ == "__main__":
    sys.exit(main())
