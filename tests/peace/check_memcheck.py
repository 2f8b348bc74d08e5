# SPDX-License-Identifier: Apache-2.0
"""Valgrind's memcheck finds nothing in a traced program that it does not find in the untraced one.

check_memcheck.py --meridian M --valgrind V --mpiexec X --ranks N program...

Every rank writes what was found to an XML file of its own. Where the application's call goes through the tracer, its
frames stand between those of the program and those of MPI: an error is the tracer's own when its innermost frames are the
tracer's, or when what lies below the tracer is not an error of the untraced run.
"""

import collections
import pathlib
import re
import sys
import tempfile
import xml.etree.ElementTree

import both_ways
from both_ways import launch, tracing

tracing.TIMEOUT_S = 250  # programs are many times slower than else
OURS = "libmeridian"
LEAKS = "Leak_DefinitelyLost"
UNKNOWN = "?"  # in a library that has been unloaded: its addresses differ from run to run


def flat(name):
    return re.sub(r"^P(?=MPI_)", "", name)  # two names of one function


def findings(path):
    """(kind, frames, innermost first, as (function, object)) of every error and every definite leak in the file."""
    root = xml.etree.ElementTree.parse(path).getroot()
    states = [state.text for state in root.findall("status/state")]
    found = []
    for error in root.findall("error"):
        kind = error.findtext("kind")
        if kind.startswith("Leak_") and kind != LEAKS:
            continue
        frames = [
            (flat(frame.findtext("fn") or UNKNOWN), pathlib.PurePath(frame.findtext("obj") or "?").name)
            for frame in error.find("stack").findall("frame")
        ]
        found.append((kind, frames))
    return states, found


def below(frames):
    """The frames below the tracer's innermost one; None: it is not in there."""
    at = next((i for i, (_, obj) in enumerate(frames) if obj.startswith(OURS)), None)
    return None if at is None else tuple(name for name, _ in frames[:at])


def is_known(kind, inner, untraced):
    return any(kind == other and inner == tuple(name for name, _ in frames[: len(inner)]) for other, frames in untraced)


def own_findings(traced, untraced):
    """Those of `traced` that are the tracer's, as texts."""
    return [
        f"{kind}: {' < '.join(f'{name} ({obj})' for name, obj in frames[:8])}"
        for kind, frames in traced
        if (inner := below(frames)) is not None and (not inner or not is_known(kind, inner, untraced))
    ]


def memcheck(options, program, work, traced):
    reports = pathlib.Path(work) / "reports"
    reports.mkdir()
    valgrind = [
        options.valgrind, "--xml=yes", f"--xml-file={reports}/%p.xml", "--leak-check=full", "--show-leak-kinds=definite",
        "--child-silent-after-fork=yes", "--num-callers=40", "--error-limit=no", "-q",
    ]  # fmt: skip
    done = both_ways.run(options, [*valgrind, program], work, traced, MERIDIAN_FINALIZE_TIMEOUT=60)
    files = sorted(reports.glob("*.xml"))
    return done, files


def check_program(check, options, program, work):
    name = pathlib.Path(program).name
    found = {}
    runs = {}
    for way in ("untraced", "traced"):
        place = pathlib.Path(work) / name / way
        place.mkdir(parents=True)
        runs[way], files = memcheck(options, program, place, way == "traced")
        check.equal(f"{name}: reports of the {way} run", len(files), options.ranks)
        found[way] = []
        for file in files:
            states, errors = findings(file)
            check.equal(f"{name}: {file.name} of the {way} run was finished", states[-1:], ["FINISHED"])
            found[way] += errors
    check.equal(f"{name}: exit code", runs["traced"].returncode, runs["untraced"].returncode)
    check.equal(f"{name}: output", sorted(runs["traced"].stdout.splitlines()), sorted(runs["untraced"].stdout.splitlines()))
    check.true(f"{name}: it printed something: {runs['untraced'].stderr}", runs["untraced"].stdout)
    both_ways.check_trace(check, name, pathlib.Path(work) / name / "traced", options.ranks)
    own = own_findings(found["traced"], found["untraced"])
    check.equal(f"{name}: findings that are the tracer's", dict(collections.Counter(own)), {})
    print(f"{name}: {len(found['untraced'])} findings untraced, {len(found['traced'])} traced")
    return runs["traced"]


def check_the_judge(check):
    """The comparison above can fail."""
    main, send, write = ("main", "app"), ("MPI_Send", "libmpi.so"), ("writev", "libc.so")
    wrapper, deeper = ("MPI_Send", "libmeridian.so"), ("is_kept", "libmeridian.so")
    untraced = [("UninitValue", [write, send, main])]
    check.equal("an error below the wrapper is MPI's", own_findings([("UninitValue", [write, send, wrapper, main])], untraced), [])
    check.equal("another one is the tracer's", len(own_findings([("UninitCondition", [write, send, wrapper, main])], untraced)), 1)
    check.equal("one in the tracer as well", len(own_findings([("UninitValue", [deeper, wrapper, main])], untraced)), 1)
    check.equal("also when called from there", len(own_findings([(LEAKS, [("malloc", "vg"), wrapper, main])], untraced)), 1)
    check.equal("not one of the program", own_findings([(LEAKS, [("malloc", "vg"), main])], untraced), [])


def main():
    parser = launch.parser("valgrind")
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    check = launch.Checks()
    check_the_judge(check)
    with tempfile.TemporaryDirectory(prefix="meridian-memcheck-") as work:
        runs = [check_program(check, options, program, work) for program in options.programs]
        return check.finish(*runs)


if __name__ == "__main__":
    sys.exit(main())
