# SPDX-License-Identifier: Apache-2.0
"""Runs a program under the tracer, merges, edits the trace in each way, and compares with the original.

check_edit.py --meridian M --mpiexec X --ranks N [--counters LIST] program
"""

import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support"), str(HERE.parent / "exports")]
import edited  # noqa: E402
import launch  # noqa: E402
import oracle  # noqa: E402
import scrambled  # noqa: E402

parser = launch.parser()
parser.add_argument("--counters", default="")
parser.add_argument("program")
options = parser.parse_args()
work = tempfile.TemporaryDirectory()
here = pathlib.Path(work.name)
trace = here / "trace"


def meridian(*words, code=0):
    done = launch.run([options.meridian, *words])
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done


def edit(name, *words, of=None, code=0):
    done = meridian(*words, of or trace, "-o", here / name, code=code)
    assert code or done.stderr == "", done.stderr
    assert sorted(path.name for path in (here / name).iterdir()) == ["merged.h5"], list((here / name).iterdir())
    assert done.stdout.startswith(f"Wrote {here / name / 'merged.h5'}\n"), done.stdout
    return edited.Trace(here / name / "merged.h5"), done.stdout


def check_opens(name, by_all=True):
    """Every command that reads a merged trace reads this one, too; without `by_all`, the two that read most of it."""
    directory = here / name
    assert launch.run([options.meridian, "check", directory]).returncode == checked, name
    if not by_all:
        assert launch.run([options.meridian, "stats", "--json", directory]).returncode == checked, name
        return
    calls = [f"{rank}.{thread}:{sequence}" for rank, thread, sequence in edited.Trace(directory / "merged.h5").keys()]
    call = calls[-1] if calls else "none"
    for words in (["info", directory], ["stats", "--all", directory], ["stats", "--json", directory], ["events", directory], ["events", "--follow", call, directory],
                  ["order", directory, call, f"{call}:leave"], ["clocks", directory], ["report", directory], ["query", directory, "select count(*) from events"],
                  ["export", directory], ["export", "--format", "chrome", directory], ["export", "--format", "perfetto", "--ranks", "0", directory]):
        if "none" in words:
            continue
        done = launch.run([options.meridian, *words])
        assert done.returncode == (checked if words[0] == "stats" else 0) and done.stderr == "", (words, done.returncode, done.stdout, done.stderr)


def check_selection(number, selection, words):
    """A cut or filter has what the oracle of exports selects."""
    name = f"part{number}"
    part, printed = edit(name, *words)
    rows = oracle.Expected(trace / "merged.h5", selection).kept
    edited.check_events(whole, part, rows)
    messages, collectives = edited.check_links(whole, part, rows)
    edited.check_orders(part)
    edited.check_statistics(part, whole)
    gone = len(whole.leave) - len(rows)
    assert (edited.FINDING in part.findings) == (gone > 0)
    if gone:
        counts = f"{gone} event{'s' * (gone != 1)}, {messages} message{'s' * (messages != 1)}, {collectives} collective{'s' * (collectives != 1)}"
        assert f"Left out: {counts}\n" in printed, (printed, counts)
        finding = part.findings[edited.FINDING]
        assert finding["count"] == gone and finding["severity"] == 0 and finding["remedy"], finding
        assert finding["detail"].startswith(words[0]), finding
    check_opens(name, by_all=number in (0, 3))  # a part of the time, a part of the ranks
    print(*words, ":", len(rows), "of", len(whole.leave), "events")
    return name


def check_selections():
    times = sorted(whole.events["enter_ns"].tolist())
    third = len(times) // 3
    window = [f"--from={times[third]}ns", f"--to={times[2 * third]}ns"]
    bounds = {"begin_ns": times[third], "end_ns": times[2 * third]}
    cut = check_selection(0, bounds, ["cut", *window])
    check_selection(1, {"begin_ns": times[third]}, ["cut", window[0]])
    check_selection(2, {"end_ns": times[third]}, ["cut", f"--to={times[third]}ns"])
    check_selection(3, {"ranks": [0]}, ["filter", "--ranks=0"])
    check_selection(4, {"functions": "mpi_*"}, ["filter", "--functions=mpi_*"])
    check_selection(5, {"functions": "MPI_Recv"} | bounds, ["filter", "--functions=MPI_Recv", *window])
    if any(flags & 64 for flags in whole.events["flags"]):
        check_selection(6, {"regions": "exch?nge"}, ["filter", "--regions=exch?nge"])
    again, _ = edit("again", "filter", "--ranks=0", of=here / cut)
    before = edited.Trace(here / cut / "merged.h5")
    rows = oracle.Expected(before.path, {"ranks": [0]}).kept
    edited.check_events(before, again, rows)
    edited.check_links(before, again, rows)
    edited.check_statistics(again, whole)
    gone = len(whole.leave) - len(rows)
    assert again.findings[edited.FINDING]["count"] == gone, (again.findings, gone)
    check_opens("again", by_all=False)


def check_all_is_kept():
    """A filter that keeps all events changes nothing in the file, and an edit of it neither."""
    edit("all", "filter", f"--ranks=0-{options.ranks - 1}")
    assert edited.differing(trace / "merged.h5", here / "all" / "merged.h5") == []
    edit("all_again", "cut", "--from=0s", of=here / "all")
    assert edited.differing(trace / "merged.h5", here / "all_again" / "merged.h5") == []


def check_sort():
    """Rows in another order come back to where they were."""
    _, printed = edit("sorted", "sort")
    assert "Nothing was left out or moved\n" in printed, printed
    assert edited.differing(trace / "merged.h5", here / "sorted" / "merged.h5") == []
    (here / "scrambled").mkdir()
    moved = scrambled.write(trace / "merged.h5", here / "scrambled" / "merged.h5", launch.generator())
    _, printed = edit("unscrambled", "sort", of=here / "scrambled")
    line = f"Moved: {moved} event{'s' * (moved != 1)}\n" if moved else "Nothing was left out or moved\n"  # one thread stays in its order
    assert line in printed, (printed, line)
    assert edited.differing(trace / "merged.h5", here / "unscrambled" / "merged.h5") == []
    check_opens("unscrambled")


def check_aggregate():
    """Counts, bytes and times of functions, ranks and communicators stay; all messages and collectives remain."""
    few, printed = edit("few", "aggregate", "--shorter-than=1s")
    gone = len(whole.leave) - len(few.leave)
    assert (f"Fused: {gone} call{'s' * (gone != 1)} into events before them\n" in printed) == (gone > 0), printed
    assert few.findings.get("edit.fused", {"count": 0})["count"] == gone
    kept = ("/functions/", "/function_times/", "/communicators/", "/pairs/", "/ranks/", "/run/", "/sites/", "/messages/", "/regions/")
    assert [name for name in edited.differing(trace / "merged.h5", few.path) if name.startswith(tuple("summary" + table for table in kept))] == []
    assert sum(few.events["calls"]) == sum(whole.events["calls"])
    for name in ("comm", "tag", "bytes", "send_rank", "receive_rank", "completion_sequence" if not gone else "tag"):
        assert sorted(whole.messages[name].tolist()) == sorted(few.messages[name].tolist()), name
    assert len(whole.parts["rank"]) == len(few.parts["rank"])
    edited.check_orders(few)
    edited.check_statistics(few, whole)
    assert all(few.messages["receive_leave_ns"] > few.messages["send_enter_ns"])
    check_opens("few")
    if "bursts" in options.program:
        check_import_of_fused(few)
    part, _ = edit("part_of_few", "filter", "--ranks=0", of=here / "few")
    edited.check_statistics(part, whole)
    check_opens("part_of_few", by_all=False)
    assert gone > len(whole.leave) // 2 or "bursts" not in options.program, gone
    print("aggregate:", len(few.leave), "of", len(whole.leave), "events")


def check_import_of_fused(few):
    """An event that stands for several calls is one again, unless it has a message: then its other calls are left out, and that is said."""
    exported = launch.run([options.meridian, "export", "--format", "otf2", "-o", here / "otf2", few.path])
    if "libotf2" in exported.stderr:
        return
    assert exported.returncode == 0, exported
    done = meridian("import", here / "otf2" / "traces.otf2", "-o", here / "imported")
    merged, summary = launch.merge(options.meridian, here / "imported")
    assert summary is not None, merged
    ends = {row for name in ("send_row", "post_row") for row in few.messages[name].tolist()}
    more = sum(calls - 1 for row, calls in enumerate(few.events["calls"].tolist()) if row in ends)
    assert more > 0
    assert f"{more} calls that are part of an event with a message or request" in " ".join(done.stdout.split()), (more, done.stdout)
    calls = sum(row["count"] for row in summary["functions"])
    assert calls == sum(few.events["calls"].tolist()) - more, (calls, sum(few.events["calls"].tolist()), more)


done = launch.traced(options.mpiexec, options.ranks, options.meridian, [options.program], trace, here / "scratch", MERIDIAN_COUNTERS=options.counters)
assert done.returncode == 0, (done.stdout, done.stderr)
merged, summary = launch.merge(options.meridian, trace)
assert summary is not None, (merged.stdout, merged.stderr)
checked = launch.run([options.meridian, "check", trace]).returncode
assert checked in (0, 2), checked  # 2: clocks of this machine that contradict each other, for instance
whole = edited.Trace(trace / "merged.h5")
check_all_is_kept()
check_selections()
check_sort()
check_aggregate()
