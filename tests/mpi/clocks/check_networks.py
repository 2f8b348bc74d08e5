# SPDX-License-Identifier: Apache-2.0
"""Whole runs over real TCP between network namespaces, on clocks that are bent by known amounts: no certified time of the merged
file misses the truth, and the clocks are followed.

check_networks.py --meridian M --mpiexec X --ranks N --program P [--milliseconds MS] [--compare] SUBJECT:CLOCKS...
SUBJECT is one of clocking.c, CLOCKS is straight, bent or both.
Exit code 77 where namespaces are not permitted.
"""

import contextlib
import math
import sys
import tempfile

import clock_truth
import hosts
from clock_truth import Bend, Run, launch

SKIPPED = 77
PERIOD_MS = 1000
BENT = Bend(wave_ns=10_000, period_ns=8_000_000_000)
BENDS = {"straight": [("straight", Bend())], "bent": [("bent", BENT)], "both": [("straight", Bend()), ("bent", BENT)]}


def quantile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))] if values else math.nan


def check_run(check, options, subject, bend, what):
    with tempfile.TemporaryDirectory(prefix="meridian-hosts-") as work:
        run = Run(options, subject, options.milliseconds, work, bend, f"period_ms={PERIOD_MS}")
        merged, summary = run.merge(options)
        check.equal(f"{what}: exit code", run.process.returncode, 0)
        if summary is None or len(run.files) != options.ranks:
            check.true(f"{what}: merge gives a summary of {len(run.files)} ranks", False)
            return [run.process, merged]
        check.equal(f"{what}: reversed after", summary["reversed_after"], 0)
        distances = []
        bound, count, widths = clock_truth.check_bounds(check, run, summary, what, distances=distances)
        trips = [(one.stamps[3] - one.stamps[0]) - (one.stamps[2] - one.stamps[1]) for one in run.exchanges]
        shape = next(row["shape"] for row in summary["clock_models"] if row["is_chosen"])
        lines = []
        if options.compare:
            _, other = run.merge(options, "--clock-model", "linear")
            clock_truth.check_bounds(launch.Checks(), run, other, what, distances=lines)
    p99, half = quantile(distances, 0.99), min(trips) / 2
    print(f"{what}: {bound} of {count} certified, to {quantile(widths, .5) / 1e3:.1f} us (median); errors {quantile(distances, .5) / 1e3:.1f}, "
          f"99 % {p99 / 1e3:.1f} us; half of the smallest round trip {half / 1e3:.1f} us; {shape}")  # fmt: skip
    if lines:
        print(f"{what}: 99 % of the errors in smallest latencies: {p99 / half:.2f}; linear {quantile(lines, 0.99) / half:.2f}")
    check.true(f"{what}: the reference's times are certified", bound > 0)
    return [run.process, merged]


def main():
    parser = launch.parser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--milliseconds", type=int, default=4000)
    parser.add_argument("--compare", action="store_true", help="print the errors of the model linear as well")
    parser.add_argument("subject", nargs="+")
    options = parser.parse_args()
    check, context = launch.Checks(), []
    with contextlib.ExitStack() as stack:
        try:
            options.mpiexec = stack.enter_context(hosts.Hosts(options.ranks, options.mpiexec)).mpirun
        except OSError as error:
            print(f"skipped: {error}")
            return SKIPPED
        for subject in options.subject:
            subject, _, bends = subject.partition(":")
            for name, bend in BENDS[bends or "both"]:
                context = check_run(check, options, subject, bend, f"{subject}, {name} clocks")
                if check.differences:
                    return check.finish(*context)
    return check.finish(*context)


if __name__ == "__main__":
    sys.exit(main())
