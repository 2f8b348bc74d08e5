# SPDX-License-Identifier: Apache-2.0
"""Text by rewriting rules: each line that rules make of a traced program, against the merged file; wrong rules are refused.

check_text.py --meridian M --mpiexec X --ranks N program
"""

import fnmatch
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import launch  # noqa: E402
import oracle  # noqa: E402

RULES = r"""
# Comments and empty lines are skipped.
begin  -> "start\t@@"
rank   -> "rank @ on @", rank, host
thread -> "thread @ of @ is @", thread, rank, location
MPI_*  -> "E @ @ @ @ @ @", time_ns, duration_ns, location, row, rank, name   # the first rule that fits is the one
MPI_Send -> "never"
event "step*" -> "R @ @ @ \"@\"", time, location, kind, name
enter exchange -> "+ @ @", enter_ns, location
leave exchange -> "- @ @ @", time_ns, duration_ns, location
leave MPI_* -> "L @ @ @", time_ns, location, row
send -> "S @ @ @ @ @ @", time_ns, message, source, dest, bytes, tag
receive "MPI_*" -> "M @ @ @ @", time_ns, message, location, communicator
end -> "end"
"""
REFUSED = (
    ("", "it has no rule"),
    ("# nothing\n", "it has no rule"),
    ("MPI_Send\n", "line 1: there is no -> behind the name"),
    ("\n\nMPI_Send -> time\n", "line 3: behind -> there should be a text in quotes"),
    ('MPI_Send -> "@\n', "line 1: the text in quotes does not end"),
    ('MPI_Send -> "@ @", time\n', "line 1: the text has 2 @, and 1 fields follow it"),
    ('MPI_Send -> "@", time, rank\n', "line 1: the text has 1 @, and 2 fields follow it"),
    ('MPI_Send -> "@", tine\n', "line 1: there is no field 'tine'"),
    ('MPI_Send -> "@" time\n', "line 1: 'time' is not expected here"),
    ('MPI_Send -> "\\x"\n', "line 1: '\\x' means nothing"),
    ('rank -> "@", time\n', "line 1: 'rank' has no field 'time'"),
    ('event -> "@", message\n', "line 1: 'event' has no field 'message'"),
    ('begin all -> "x"\n', "line 1: 'begin' takes no name"),
    ('a -> "b"\0\n', "it holds a zero byte"),
    ("x" * (1 << 20) + "\n", "it is longer than a megabyte"),
    ('a -> "b"\n' * 1001, "line 1001: there are more than 1000 rules"),
)


def plain(name):
    return "".join(" " if ord(c) < 32 or ord(c) == 127 else "'" if c == '"' else c for c in name)


def check_lines(lines, expected):
    assert lines[0] == "start\t@" and lines[-1] == "end", (lines[0], lines[-1])
    found = {}
    for line in lines[1:-1]:
        found.setdefault(line.split(" ", 1)[0], []).append(line)
    assert found.pop("rank") == [f"rank {rank} on {plain(host)}" for rank, host in zip(expected.ranks, expected.hosts)]
    assert found.pop("thread") == [f"thread {thread} of {rank} is {i}" for i, (rank, thread) in enumerate(expected.locations)]
    calls = [row for row in expected.kept if fnmatch.fnmatchcase(expected.call(row), "MPI_*")]
    ranks = {i: rank for i, (rank, _) in enumerate(expected.locations)}
    oracle.same("calls", found.pop("E", []), [
        f"E {expected.enter(row)} {expected.leave(row) - expected.enter(row)} {expected.location[row]} {row} {ranks[expected.location[row]]} {expected.call(row)}"
        for row in calls])  # fmt: skip
    oracle.same("ends", found.pop("L", []), [f"L {expected.leave(row)} {expected.location[row]} {row}" for row in calls])
    regions = [item for item in expected.items if item[4] == "region"]
    steps = [item for item in expected.items if fnmatch.fnmatchcase(item[3], "step*")]
    oracle.same("steps", found.pop("R", []), [f'R {enter // 10**9}.{enter % 10**9:09} {at} region "{plain(name)}"' for at, enter, _, name, _ in steps])
    exchanges = [item for item in regions if item[3] == "exchange"]
    oracle.same("enters", found.pop("+", []), [f"+ {enter} {at}" for at, enter, *_ in exchanges])
    assert [line.rsplit(" ", 1)[1] for line in sorted(found.pop("-", []))] is not None
    oracle.same("sends", found.pop("S", []), [
        f"S {m['send_enter_ns']} {m['number']} {m['send_rank']} {m['receive_rank']} {m['bytes']} {m['tag']}" for m in expected.messages])  # fmt: skip
    received = [m for m in expected.messages if fnmatch.fnmatchcase(expected.call(m["completion_row"]), "MPI_*")]
    oracle.same("messages", found.pop("M", []), [
        f"M {m['receive_leave_ns']} {m['number']} {expected.location[m['completion_row']]} {plain(expected.comms[m['comm']]['name'])}" for m in received])  # fmt: skip
    assert not found, found.keys()
    times = [int(line.split()[1]) for line in lines if line[:2] in ("E ", "L ", "S ", "M ", "+ ", "- ")]
    assert times == sorted(times), "times decrease"
    named = {row for row in calls}
    others = [i for i in expected.items if not fnmatch.fnmatchcase(i[3], "MPI_*") and not fnmatch.fnmatchcase(i[3], "step*") and i[3] != "exchange"]
    return len(named), len(others)


parser = launch.parser()
parser.add_argument("program")
options = parser.parse_args()

with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    trace, rules = work / "trace", work / "rules"
    done = launch.traced(options.mpiexec, options.ranks, options.meridian, [options.program], trace, work / "scratch")
    assert done.returncode == 0, (done.stdout, done.stderr)
    merged, summary = launch.merge(options.meridian, trace)
    assert summary is not None, (merged.stdout, merged.stderr)
    rules.write_text(RULES)
    for selection, words in (({}, []), ({"ranks": [0], "functions": "MPI_*"}, ["--ranks", "0", "--functions", "MPI_*"])):
        out = work / f"text{len(words)}"
        done = launch.run([options.meridian, "export", "--format", "text", "--rules", rules, *words, "-o", out, trace])
        assert done.returncode == 0 and done.stderr == "", done
        expected = oracle.Expected(trace / "merged.h5", selection or None)
        calls, others = check_lines((out / "trace.txt").read_text().splitlines(), expected)
        said = f"Left out: {others} calls, regions and user events that no rule names\n"
        assert (said in done.stdout) == (others > 0), (others, done.stdout)
        print(calls, "calls,", others, "left out")
    for text, what in REFUSED:
        rules.write_text(text)
        done = launch.run([options.meridian, "export", "--format", "text", "--rules", rules, "-o", work / "refused", trace])
        assert done.returncode == 1 and done.stdout == "", (text[:40], done)
        assert done.stderr.startswith(f"meridian: rules '{rules}': {what}"), (text[:40], done.stderr)
        assert not list((work / "refused").glob("*")), text[:40]
    for words, what in (
        (["--format", "text"], "--format text needs a file of rules"),
        (["--format", "csv", "--rules", rules], "--format csv has no rules"),
        (["--format", "text", "--rules", work / "none"], f"rules '{work / 'none'}': No such file or directory"),
        (["--format", "text", "--rules", work], f"rules '{work}': it is a directory"),
    ):
        done = launch.run([options.meridian, "export", *words, "-o", work / "refused", trace])
        assert done.returncode == 1 and done.stderr.startswith(f"meridian: {what}"), (words, done)
