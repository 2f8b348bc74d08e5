# SPDX-License-Identifier: Apache-2.0
"""Programs with a sanitizer: the same results, exit codes and reports traced and untraced, and a complete trace.

check_sanitizers.py --meridian M --mpiexec X --ranks N thread|address|undefined program flaw...

The program has a flaw that the sanitizer must find, untraced and traced: race, overflow, leak. Or none.
"""

import pathlib
import re
import sys
import tempfile

import both_ways
from both_ways import launch

FLAWS = ("none", "race", "overflow", "leak")
REPORT = {
    "thread": re.compile(r"^SUMMARY: ThreadSanitizer: (.*)"),
    "address": re.compile(r"^SUMMARY: AddressSanitizer: (?!\d+ byte)(.*)"),
    "undefined": re.compile(r"runtime error: (.*)"),
}
EXCHANGES = {"MPI_Irecv": 1, "MPI_Isend": 1, "MPI_Waitall": 1, "MPI_Allreduce": 1, "MPI_Finalize": 1}
THREADS = 5  # that the program makes, without a flaw


def reports(kind, process):
    return sorted({match[1] for line in process.stderr.splitlines() if (match := REPORT[kind].search(line))})


def leaks(texts):
    """(of the program, of the tracer): how many stacks of allocations that were lost begin there."""
    blocks = [block for text in texts for block in re.split(r"\n\n", text[text.find("LeakSanitizer") :])]
    stacks = [block for block in blocks if " leak of " in block]
    first = [next((line for line in block.splitlines() if line.lstrip().startswith("#1 ")), "") for block in stacks]
    return sum("sanitized.c" in line for line in first), sum("libmeridian" in line for line in first)


def check_flaw(check, options, flaw, work):
    what = f"{options.kind}, {flaw}"
    variables = {"ASAN_OPTIONS": "detect_leaks=" + ("1" if flaw == "leak" else "0")} if options.kind == "address" else {}
    if flaw == "leak":  # reported at the end: Open MPI would end one rank before its report, because of the other's code
        variables["OMPI_MCA_orte_abort_on_non_zero_status"] = "0"
    words = [options.program, flaw]

    def run(is_traced):
        """The process, and what each rank says of its leaks: in files, because lines of two ranks would mix."""
        here = dict(variables)
        logs = work.parent / f"{flaw}-leaks-{'traced' if is_traced else 'untraced'}"
        if flaw == "leak":
            here["ASAN_OPTIONS"] += f":log_path={logs}"
        process = both_ways.run(options, words, work, is_traced, **here)
        return process, [path.read_text(errors="replace") for path in sorted(logs.parent.glob(logs.name + ".*"))]

    untraced, untraced_leaks = run(False)
    if flaw == "none" and not both_ways.lines_of(untraced):
        print(f"this MPI does not run with {options.kind} sanitizer, untraced: {untraced.returncode}\n{untraced.stderr}")
        sys.exit(both_ways.SKIPPED)
    if flaw == "leak" and any("LeakSanitizer has encountered a fatal error" in text for text in [untraced.stderr, *untraced_leaks]):
        print(f"leaks are not compared: LeakSanitizer may not look here, untraced\n{untraced.stderr}")
        return untraced
    traced, traced_leaks = run(True)
    if flaw == "overflow":  # which of the ranks ends the other, and how, is the launcher's race
        check.true(f"{what}: both runs fail", untraced.returncode != 0 and traced.returncode != 0)
    else:
        check.equal(f"{what}: exit code", traced.returncode, untraced.returncode)
    check.equal(f"{what}: reports", reports(options.kind, traced), reports(options.kind, untraced))
    check.equal(f"{what}: there are reports", bool(reports(options.kind, untraced)), flaw in ("race", "overflow"))
    if flaw == "leak":
        check.equal(f"{what}: leaks of the program and of the tracer", leaks(traced_leaks), (options.ranks, 0))
        check.equal(f"{what}: leaks untraced", leaks(untraced_leaks), (options.ranks, 0))
    if flaw == "overflow":  # one rank ends the others before they have printed anything
        return traced
    both_ways.check_same(check, what, untraced, traced)
    traces = both_ways.check_trace(check, what, work, options.ranks)
    for trace in traces:
        counts = trace.counts()
        check.equal(f"{what}: messages of rank {trace.rank}", {name: counts.get(name, 0) for name in EXCHANGES}, EXCHANGES)
        made = sum(call.name == "pthread_create" for call in trace.others)
        check.equal(f"{what}: threads of rank {trace.rank}", made, THREADS + (2 if flaw == "race" else 0))
        waits = sum(call.name.startswith("pthread_cond_") for call in trace.others)
        check.true(f"{what}: rank {trace.rank} waited for conditions", waits > 0 or options.is_in_front)
    return traced


def main():
    parser = launch.parser()
    parser.add_argument("--is-in-front", action="store_true", help="the sanitizer passes conditions on to the C library alone")
    parser.add_argument("kind", choices=REPORT)
    parser.add_argument("program")
    parser.add_argument("flaws", nargs="+", choices=FLAWS)
    options = parser.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-sanitizers-") as work:
        runs = [check_flaw(check, options, flaw, pathlib.Path(work) / flaw) for flaw in options.flaws]
        return check.finish(*runs)


if __name__ == "__main__":
    sys.exit(main())
