# SPDX-License-Identifier: Apache-2.0
"""Traces a program whose problem is known, and asks whether the summary says so: the problem that costs most is the one of
the design, with its function, rank, line and cost.

check_kit.py --meridian M --mpiexec X --program P --ranks N [--set NAME=VALUE] [-- arguments of the program...]
A problem whose name has a dot is a finding, of which no cost is known.
"""

import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import launch  # noqa: E402

DESIGNED = re.compile(
    r"^designed: problem=(?P<problem>.*) waiter=(?P<waiter>-?\d+) function=(?P<function>\w+) seconds=(?P<seconds>[\d.]+)"
    r" causer=(?P<causer>-?\d+) line=(?P<line>\d+)$", re.MULTILINE)  # fmt: skip
# Also true of every program on a machine that does other work beside it.
OF_THE_MACHINE = ("lack of processors",)


def check_first(check, first, designed, name):
    check.equal("kind of the first problem", first["problem"], designed["problem"])
    if designed["function"] != "none":
        check.equal("function", first["function"], designed["function"])
    if int(designed["causer"]) >= 0:
        check.equal("rank that is the cause", first["causer"], int(designed["causer"]))
    if int(designed["line"]) > 0:
        place = f"{name}.c:{designed['line']}"
        check.true(f"{place} is named: {first}", any(place in each for each in (first["place"], first["causer_place"])))


def check_cost(check, first, designed):
    """The program measures its problem itself, by the clock that all ranks share."""
    seconds = float(designed["seconds"])
    if seconds > 0:
        cost = first["cost_s"] + first["shared_s"]  # on a busy machine a part counts for the lack of processors
        check.true(f"{cost} s is what the program measured, {seconds} s, within 2 %", abs(cost - seconds) <= 0.02 * seconds)


def check_finding(check, findings, designed, name):
    details = [finding["detail"] for finding in findings if finding["name"] == designed["problem"]]
    check.equal(f"findings of the kind of the design: {findings}", len(details), 1)
    for detail in details:
        check.true(f"the rank is named: {detail}", f"rank {designed['causer']}:" in detail)
        check.true(f"the place is named: {detail}", f"{name}.c:{designed['line']}" in detail)


def main():
    parser = launch.parser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--set", default=[], action="append", type=lambda text: text.split("=", 1), help="NAME=VALUE")
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-kit-") as work:
        trace = pathlib.Path(work) / "trace"
        words = [options.mpiexec, "-n", options.ranks, options.meridian, "run", options.program, *options.arguments]
        os.chdir(work)  # one program writes a file
        run = launch.run(words, MERIDIAN_DIR=trace, **dict(options.set))
        check.equal("exit code", run.returncode, 0)
        merged, summary = launch.merge(options.meridian, trace)
        check.equal("exit code of merge", merged.returncode, 0)
        designed = DESIGNED.search(run.stdout)
        check.true(f"the program says what its problem is: {run.stdout}", designed is not None)
        if designed is not None and summary is not None and "." in designed["problem"]:
            check_finding(check, summary["findings"], designed, pathlib.Path(options.program).name)
        elif designed is not None and summary is not None:
            name = pathlib.Path(options.program).name
            of_machine = OF_THE_MACHINE
            if any(row["problem"] in OF_THE_MACHINE for row in summary["problems"]):
                of_machine += ("transfer",)  # calls take longer while a rank has no processor
            if designed["problem"] in OF_THE_MACHINE:  # waits of other ranks follow from it, and may cost more
                of_machine = {row["problem"] for row in summary["problems"]}
            own = [row for row in summary["problems"] if row["problem"] not in of_machine or row["problem"] == designed["problem"]]
            check.true(f"there is a problem: {summary['problems']}", own)
            if own:
                check_first(check, own[0], designed, name)
                check_cost(check, own[0], designed)
            text = launch.run([options.meridian, "stats", trace])
            lines = text.stdout.splitlines()
            check.equal("the first section", lines[:1], ["VERDICT"])
            check.true("the verdict has at most 25 lines", "" in lines[:26])
        return check.finish(run, merged)


if __name__ == "__main__":
    sys.exit(main())
