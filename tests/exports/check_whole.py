# SPDX-License-Identifier: Apache-2.0
"""Runs a program under the tracer, merges, and compares each export with the merged file.

check_whole.py --meridian M --mpiexec X --ranks N --formats a,b [--counters LIST] program
"""

import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import check_export  # noqa: E402
import launch  # noqa: E402
import oracle  # noqa: E402



def selections(whole):
    """Arguments of oracle.Expected._select()."""
    ranks = sorted({rank for rank, _ in whole.locations})
    times = sorted(whole.enter(row) for row in whole.kept)
    third = len(times) // 3
    yield {"ranks": [0]}
    yield {"begin_ns": times[third], "end_ns": times[2 * third]}
    yield {"functions": "mpi_i*"}
    yield {"regions": "exch?nge"}
    yield {"ranks": ranks[len(ranks) // 2 :], "begin_ns": times[third], "functions": "MPI_*", "regions": "step*"}
    yield {"functions": "MPI_Reduce", "end_ns": times[third]}
    yield {"ranks": [ranks[-1]], "functions": "MPI_Recv", "regions": "in the thread"}  # nothing but the region


REFUSED = (
    (["--ranks", "4-"], "'4-' is not a list of ranks\n"),
    (["--ranks", "100-200"], "--ranks 100-200: the trace has no such rank\n"),
    (["--from", "soon"], "'soon' is not a time\n"),
    (["--from", "2s", "--to", "1s"], "--to 1s is not after --from 2s\n"),
    (["--functions", "MPI_Sned"], "--functions MPI_Sned: the trace has no such function\n"),
    (["--regions", "MPI_Send"], "--regions MPI_Send: the trace has no such region\n"),
)


def words_of(selection):
    """The same as options of the command."""
    for name, value in selection.items():
        if name == "ranks":
            yield f"--ranks={value[0]}-{value[-1]}"
        elif name.endswith("_ns"):
            yield f"--{'from' if name == 'begin_ns' else 'to'}={value}ns"
        else:
            yield f"--{name}={value}"


parser = launch.parser("formats")
parser.add_argument("--counters", default="")
parser.add_argument("program")
options = parser.parse_args()

with tempfile.TemporaryDirectory() as work:
    trace = pathlib.Path(work) / "trace"
    done = launch.traced(options.mpiexec, options.ranks, options.meridian, [options.program], trace, pathlib.Path(work) / "scratch", MERIDIAN_COUNTERS=options.counters)
    assert done.returncode == 0, (done.stdout, done.stderr)
    merged, summary = launch.merge(options.meridian, trace)
    assert summary is not None, (merged.stdout, merged.stderr)
    forms = options.formats.split(",")
    whole = oracle.Expected(trace / "merged.h5")
    for number, selection in enumerate(selections(whole)):
        folder = pathlib.Path(work) / str(number)
        form = forms[(number + options.ranks) % len(forms)]
        done = launch.run([options.meridian, "export", "--format", form, "-o", folder, *words_of(selection), trace])
        assert done.returncode == 0 and done.stderr == "", (form, selection, done.returncode, done.stdout, done.stderr)
        check_export.check(form, trace / "merged.h5", folder, selection)
        kept = oracle.Expected(trace / "merged.h5", selection)
        for what, count in (
            ("calls and user events", len(whole.kept) - len(kept.kept)),
            ("messages", len(whole.messages) - len(kept.messages)),
            ("collectives", len({p["instance"] for p in whole.parts} - {p["instance"] for p in kept.parts})),
        ):
            line = f"Left out: {count} {what} that are not selected\n"
            assert (line in done.stdout) == (count > 0), (line, done.stdout)
        print(form, selection, len(kept.kept), "of", len(whole.kept), "events")
    for words, what in REFUSED:
        done = launch.run([options.meridian, "export", *words, "-o", pathlib.Path(work) / "refused", trace])
        assert done.returncode == 1 and done.stdout == "" and done.stderr.startswith(f"meridian: {what}"), (words, done)
        assert not (pathlib.Path(work) / "refused").exists(), words
    for form in forms:
        done = launch.run([options.meridian, "export", "--format", form, trace])
        assert done.returncode == 0 and done.stderr == "", (form, done.returncode, done.stdout, done.stderr)
        assert done.stdout.startswith(f"Exported to {trace / form}\n"), done.stdout
        counted = sum(1 for flags in whole.events["flags"] if flags & 8)
        line = f"Left out: {counted} calls and user events whose hardware counters are not exported\n"
        assert (line in done.stdout) == (counted > 0 and form != "csv"), done.stdout
        assert counted > 100 or not options.counters, counted
        count = check_export.check(form, trace / "merged.h5", trace / form)
        assert count is None or count > 100, (form, count)
        print(form, count, "compared;", done.stdout.replace("\n", "; "))
