# SPDX-License-Identifier: Apache-2.0
"""A program with ways of its own sees the same traced and untraced: what it prints, line by line, and its exit code.

check_manners.py --meridian M --mpiexec X --ranks N [--preload LIBRARY] [--calls MPI_X=N...] program argument...

--preload  the program's own library, besides the tracer.   --calls  that every rank's file has, at least one.
An argument DIRECTORY becomes the path of a directory that may be used up.
"""

import pathlib
import sys
import tempfile

import both_ways
from both_ways import launch


def main():
    parser = launch.parser()
    parser.add_argument("--preload")
    parser.add_argument("--counters", default="none", help="that the tracer is to read")
    parser.add_argument("--calls", nargs="+", default=[])
    parser.add_argument("--lost", action="store_true", help="the file may lack calls that it counts as lost")
    parser.add_argument("--findings", nargs="+", default=[], help="that a merge has, besides none")
    parser.add_argument("program")
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-manners-") as work:
        place = pathlib.Path(work) / "place"
        place.mkdir()
        words = [options.program, *(str(place) if word == "DIRECTORY" else word for word in options.arguments)]
        own = {"LD_PRELOAD": options.preload} if options.preload else {}
        # Relative, as a user may say it: the program goes elsewhere.
        untraced = both_ways.run(options, words, work, False, cwd=work, **own)
        if untraced.returncode == both_ways.SKIPPED:
            print(f"skipped: this machine cannot do what the program wants\n{untraced.stderr}")
            return both_ways.SKIPPED
        traced = both_ways.run(
            options, words, work, True, cwd=work, MERIDIAN_DIR="trace", MERIDIAN_SCRATCH="scratch",
            MERIDIAN_COUNTERS=options.counters, **own,
        )  # fmt: skip
        what = f"{pathlib.Path(options.program).name} {' '.join(options.arguments)}"
        both_ways.check_same(check, what, untraced, traced)
        for trace in both_ways.check_trace(check, what, work, options.ranks):
            counts = trace.counts()
            for call in options.calls:
                name, count = call.split("=")
                check.equal(f"{what}: {name} of rank {trace.rank}", counts.get(name, 0), int(count))
            if not options.lost:
                check.equal(f"{what}: losses of rank {trace.rank}", trace.losses, {})
        check.equal(f"{what}: files left for the children and elsewhere", [p.name for p in place.rglob("*")], [])
        merged, summary = launch.merge(options.meridian, pathlib.Path(work) / "trace")
        check.true(f"{what}: merge makes a summary", summary is not None)
        if summary is not None and not options.lost:
            check.equal(f"{what}: findings", [f["name"] for f in summary["findings"]], options.findings)
        return check.finish(untraced, traced, merged)


if __name__ == "__main__":
    sys.exit(main())
