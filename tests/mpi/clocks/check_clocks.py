# SPDX-License-Identifier: Apache-2.0
"""Round trips and bounds of real runs whose clocks are bent by known amounts (clocking.c, clock_truth.py).

check_clocks.py --meridian M --mpiexec X --ranks N --program P epochs|rounds|none|bounds SUBJECT...
  epochs  there are round trips during the run, in the pairs that there should be; the program does what it does untraced
  rounds  the same along the dimensions of a hypercube
  none    no round trips during the run; the report on the clocks
  bounds  no certified time misses the truth, in short runs and in killed ones
"""

import sys
import tempfile

import clock_truth
from clock_truth import EPOCH, FINISH, START, Bend, Run, launch

PERIOD_MS = 50
#: Milliseconds: a pair meets when both sides are on a processor. On a busy machine that may take a while.
DURATIONS = (700, 4000, 16000)


def pairs_of(ranks, is_hypercube):
    if not is_hypercube:
        return {(0, rank) for rank in range(1, ranks)}
    dimensions = [1 << d for d in range((ranks - 1).bit_length())]
    return {(a, a ^ bit) for a in range(ranks) for bit in dimensions if a < (a ^ bit) < ranks}


def check_epochs(check, options, subject, is_hypercube):
    wanted = pairs_of(options.ranks, is_hypercube)
    for milliseconds in DURATIONS:
        with tempfile.TemporaryDirectory(prefix="meridian-clocks-") as work:
            more = ["large"] if is_hypercube else []
            run = Run(options, subject, milliseconds, work, Bend(), f"period_ms={PERIOD_MS}", *more)
            merged, summary = run.merge(options)
        if set(run.pairs(EPOCH)) == wanted:
            break
    untraced = launch.mpirun(options.mpiexec, options.ranks, [options.program, subject, 1])
    check.equal("exit code", run.process.returncode, untraced.returncode)
    check.equal("output", run.process.stdout, untraced.stdout)
    check.equal("pairs during the run", set(run.pairs(EPOCH)), wanted)
    for phase, name in ((START, "start"), (FINISH, "end")):
        check.equal(f"pairs at the {name}", set(run.pairs(phase)), wanted)
        check.true(f"the pairs at the {name} tie all ranks", clock_truth.connected(options.ranks, run.pairs(phase)))
    run.check_exchanges(check)
    check.equal("exit code of merge", merged.returncode, 0)
    if summary is not None:
        exchanged = [row for row in summary["overhead"] if row["name"] == "clock exchange"]
        check.equal("rows of overhead", len(exchanged), 1)
        spent = sum(ticks for (_, kind), ticks in run.overheads.items() if kind == 2) * 1e-9
        total = sum(row["total_s"] for row in exchanged)  # by clocks whose rates a short run knows roughly
        check.true(f"the overhead is what the ranks spent: {total}, {spent}", abs(total - spent) < 0.05 * spent)
        check.equal("reversed after", summary["reversed_after"], 0)
    return [run.process, merged]


def check_none(check, options, subject):
    with tempfile.TemporaryDirectory(prefix="meridian-clocks-") as work:
        run = Run(options, subject, 300, work, Bend(), f"period_ms={PERIOD_MS}")
        merged, summary = run.merge(options)
    check.equal("exit code", run.process.returncode, 0)
    check.equal("exit code of merge", merged.returncode, 0)
    check.equal("pairs during the run", run.pairs(EPOCH), {})
    if options.ranks > 1:
        run.check_exchanges(check)
        check.equal("pairs at the start", set(run.pairs(START)), pairs_of(options.ranks, False))
        check.equal("pairs at the end", set(run.pairs(FINISH)), pairs_of(options.ranks, False))
    else:
        check.equal("round trips", run.exchanges, [])
    if summary is not None:
        check.equal("clocks", len(summary["clocks"]), options.ranks)
        check.equal("reference", [row["model"] for row in summary["clocks"]].count("reference"), 1)
        names = {finding["name"] for finding in summary["findings"] if finding["name"].startswith("clock.")}
        names.discard("clock.uncertified")  # on a busy machine round trips are too slow to determine the rate in a short run
        check.equal("findings about clocks", names, set())
    return [run.process, merged]


def check_bounds(check, options, subject):
    """Short runs, with and without round trips in between."""
    context, compared = [], 0
    for milliseconds, period_ms in options.times:
        bend = Bend(drift_ppb=15_000 if period_ms == PERIOD_MS else -40_000)
        what = f"{milliseconds} ms, epochs every {period_ms} ms"
        with tempfile.TemporaryDirectory(prefix="meridian-clocks-") as work:
            run = Run(options, subject, milliseconds, work, bend, f"period_ms={period_ms}")
            merged, summary = run.merge(options)
            context += [run.process, merged]
            check.equal(f"{what}: rank files", sorted(run.files), list(range(options.ranks)))
            if summary is None:
                check.true(f"{what}: merge gives a summary", False)
                continue
            bound, count, widths = clock_truth.check_bounds(check, run, summary, what)
            compared += len(widths)  # the reference itself is right by definition
            middle = sorted(widths)[len(widths) // 2] if widths else float("nan")
            print(f"{what}: {bound} of {count} times are certified, to {middle:.0f} ns as a median")
    check.true("certified times of other ranks than the reference were compared", compared > 0)
    return context


def main():
    parser = launch.parser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--long", action="store_true", help="bounds: many runs")
    parser.add_argument("how", choices=["epochs", "rounds", "none", "bounds"])
    parser.add_argument("subject", nargs="+")
    options = parser.parse_args()
    options.times = [(30, 100_000), (150, PERIOD_MS), (600, 100_000)]
    if options.long:
        options.times = [(ms, period) for ms in (20, 100, 300, 1000, 2000) for period in (PERIOD_MS, 100_000)]
    check = launch.Checks()
    context = []
    for subject in options.subject:
        if options.how == "none":
            context = check_none(check, options, subject)
        elif options.how == "bounds":
            context = check_bounds(check, options, subject)
        else:
            context = check_epochs(check, options, subject, options.how == "rounds")
        if check.differences:
            print(f"subject {subject}")
            break
    return check.finish(*context)


if __name__ == "__main__":
    sys.exit(main())
