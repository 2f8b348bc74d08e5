# SPDX-License-Identifier: Apache-2.0
"""Programs of several MPI_COMM_WORLDs: worlds/worlds.c says who sends what to whom and who takes part in which collective;
the merged file must say the same of the same processes, and nothing else.

check_worlds.py --meridian M --tracer L --mpiexec X --ranks N --how run|preload|linked PROGRAM SCENARIO [ARGUMENT...]
An argument FILE becomes the path of a file that is not there yet, PROGRAM2 another program.
"""

import collections
import json
import os
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE)]
import h5py  # noqa: E402
import launch  # noqa: E402
import merged_columns  # noqa: E402
import tracing  # noqa: E402


class Told:
    """The output of the processes of a run."""

    def __init__(self, text):
        self.names, self.sent, self.received, self.collectives = {}, [], [], collections.defaultdict(list)
        self.rest = []
        for line in text.splitlines():
            words = line.split()
            if words[:1] == ["process"]:
                self.names[int(words[2])] = words[1]
            elif words[:1] == ["send"]:
                self.sent.append((words[1], words[2], int(words[3]), int(words[4])))
            elif words[:1] == ["recv"]:
                self.received.append((words[1], words[2], int(words[3]), int(words[4])))
            elif words[:1] == ["coll"]:
                self.collectives[words[1]].append(words[2])
            elif line.startswith(("spawned", "environment")):
                self.rest.append(line)
        self.rest.sort()


class Merged:
    """The merged file as h5py shows it: ranks are identified by their process ids."""

    def __init__(self, path, names):
        with h5py.File(path) as file:
            def column(name):
                return file[name][:].tolist()

            pids = dict(zip(column("ranks/rank"), column("ranks/pid")))
            self.name_of = {rank: names.get(pid, f"pid {pid}") for rank, pid in pids.items()}
            self.world = dict(zip(column("ranks/rank"), column("ranks/world")))
            self.rank_in_world = dict(zip(column("ranks/rank"), column("ranks/rank_in_world")))
            messages = merged_columns.message_columns(file)
            self.messages = [
                (self.name_of[source], self.name_of[dest], tag, size)
                for source, dest, tag, size in zip(*(messages[name].tolist() for name in (
                    "send_rank", "receive_rank", "tag", "bytes")))
            ]  # fmt: skip
            parts = merged_columns.part_columns(file)
            instances = collections.defaultdict(list)
            for instance, rank in zip(parts["instance"].tolist(), parts["rank"].tolist()):
                instances[instance].append(self.name_of[rank])
            self.collectives = list(instances.values())


def how_traced(options, trace, scratch):
    """The words before the program, and the environment."""
    settings = {"MERIDIAN_DIR": trace, "MERIDIAN_SCRATCH": scratch}
    if options.how == "run":
        return [options.meridian, "run"], settings
    if options.how == "preload":
        return ["/usr/bin/env", f"LD_PRELOAD={options.tracer}"], settings
    return [], settings


def check_told(check, told, merged):
    check.equal("messages", collections.Counter(merged.messages), collections.Counter(told.sent))
    participants = collections.Counter(tuple(sorted(who)) for who in merged.collectives)
    expected = collections.Counter(tuple(sorted(who)) for who in told.collectives.values())
    check.equal("collectives, by who took part", participants, expected)
    check.equal("processes", sorted(merged.name_of.values()), sorted(told.names.values()))
    for rank, name in merged.name_of.items():
        check.equal(f"rank in its world of {name}", merged.rank_in_world[rank], int(name.lstrip("ABCSD")))
    worlds = collections.defaultdict(set)
    for rank, name in merged.name_of.items():
        worlds[name[0]].add(merged.world[rank])
    check.true(f"one world has one number: {dict(worlds)}", all(len(numbers) == 1 for numbers in worlds.values()))
    check.equal("numbers of worlds", sorted(n for numbers in worlds.values() for n in numbers), list(range(1, len(worlds) + 1)))


def check_files(check, merged_process, summary, findings):
    check.true("the summary is JSON", summary is not None)
    if summary is None:
        return
    unexpected = [f"{f['name']}: {f['count']} {f['detail']}" for f in summary["findings"] if f["name"] not in findings]
    check.equal("findings", unexpected, [])
    check.equal("exit code of merge", merged_process.returncode, 0)
    check.equal("reversed", (summary["reversed_before"], summary["reversed_after"]), (0, 0))


def check_waits(check, summary, merged):
    """MPI_Init of a world that was spawned is no reason for the first world's to have waited."""
    across = [
        row for row in summary["waits"]
        if row["pattern"] in ("wait at init", "wait at finalize") and merged.world[row["rank"]] != merged.world[row["causer"]]
    ]  # fmt: skip
    check.equal("waits of a world for the begin or end of another", across, [])


def run_one_program(options, check, work):
    trace, scratch = work / "trace", work / "scratch"
    scratch.mkdir()

    def words(run):
        replaced = {"FILE": str(work / f"{run}.file"), "PROGRAM2": options.other}
        linked = options.how == "linked" and run == "untraced"  # the same program without the tracer
        return [options.other if linked else options.program, options.scenario, *(replaced.get(word, word) for word in options.arguments)]

    launcher = [options.mpiexec, "-n", options.ranks]
    untraced = tracing.launch_in(None, [*launcher, *words("untraced")])
    before, settings = how_traced(options, trace, scratch)
    traced = tracing.launch_in(None, [*launcher, *before, *words("traced")], **settings)
    check.equal("exit code", traced.returncode, untraced.returncode)
    told, without = Told(traced.stdout), Told(untraced.stdout)
    for name in ("sent", "received"):
        check.equal(f"{name}, traced and not", sorted(getattr(told, name)), sorted(getattr(without, name)))
    check.equal("what else was said", told.rest, without.rest)
    check.equal("sent and received", collections.Counter(told.sent), collections.Counter(told.received))
    if options.scenario != "killed":
        check.equal("errors", traced.stderr, untraced.stderr)
    if options.scenario == "nothing":  # the launcher ends such a program
        return [untraced, traced]
    merged, summary = launch.merge(options.meridian, trace)
    killed = {"rank.unfinished", "call.unfinished", "clock.rate_assumed"}
    check_files(check, merged, summary, killed if options.scenario == "killed" else set())
    if summary is not None:
        facts = Merged(trace / "merged.h5", told.names)
        check_told(check, told, facts)
        check_waits(check, summary or {"waits": []}, facts)
        check.equal("worlds in the summary", sum(row["ranks_present"] for row in summary["worlds"]), len(told.names))
    where = launch.run([options.meridian, "where", "--json", trace])
    check.equal("exit code of where", where.returncode, 0)
    left = [path.name for path in scratch.rglob("*") if path.is_file()]
    check.equal("files left in scratch", left, [])
    return [untraced, traced, merged, where]


def run_half_traced(options, check, work):
    """Only one side is traced: the program runs as before, and calls without their other side are counted."""
    trace, scratch = work / "trace", work / "scratch"
    scratch.mkdir()
    settings = {"MERIDIAN_DIR": trace, "MERIDIAN_SCRATCH": scratch}
    before, said = [options.meridian, "run"], ""
    if options.scenario == "children_not_wanted":
        settings["MERIDIAN_CHILDREN"] = "no"
    elif options.scenario == "children_not_told":  # their directory does not fit into an info
        trace = settings["MERIDIAN_DIR"] = work / ("t" * 200)
        said = "meridian: the processes that MPI_Comm_spawn starts are not told that they are traced: "
    else:  # children_alone
        settings["WORLDS_CHILD"] = options.other
        before = []
    command = [options.program, "spawn", 2]
    untraced = tracing.launch_in(None, [options.mpiexec, "-n", options.ranks, *command])
    traced = tracing.launch_in(None, [options.mpiexec, "-n", options.ranks, *before, *command], **settings)
    check.equal("exit code", traced.returncode, untraced.returncode)
    told, without = Told(traced.stdout), Told(untraced.stdout)
    check.equal("what was sent", sorted(told.sent), sorted(without.sent))
    check.equal("what was received", sorted(told.received), sorted(without.received))
    check.equal("what else was said", told.rest, without.rest)
    check.equal("lines of errors", traced.stderr.count("\n"), 1 if said else 0)
    check.true(f"errors begin with '{said}'", traced.stderr.startswith(said))
    merged, summary = launch.merge(options.meridian, trace)
    check.equal("exit code of merge", merged.returncode, 0)
    names = {finding["name"] for finding in summary["findings"]} if summary else set()
    check.equal("findings", names, {"world.unpaired", "message.partner_missing"})
    check.equal("folders of children", list(trace.glob("world-*")), [])
    # Messages within this side are matched nevertheless.
    mine = "B" if options.scenario == "children_alone" else "A"
    own = [words for words in told.sent if words[0][0] == mine and words[1][0] == mine]
    inside = [words for words in own if words[2] == 14]  # in a communicator of this world only
    if summary is not None:
        matched = [words for words in Merged(trace / "merged.h5", told.names).messages if words[2] == 14]
        check.equal("messages inside of the world", sorted(matched), sorted(inside))
    return [untraced, traced, merged]


def run_two_programs(options, check, work):
    """Two launchers, which know each other by a server of names."""
    server = tracing.start_in(None, ["ompi-server", "--no-daemonize", "-r", work / "uri"])
    try:
        for _ in range(500):  # until it listens
            if (work / "uri").exists() and (work / "uri").read_text().endswith("\n"):
                break
            time.sleep(0.02)
        programs, traces = [], []
        (work / "scratch").mkdir()
        for scenario, name, other, ranks in (("accept", "S", "D", options.ranks), ("connect", "D", "S", 2)):
            traces.append(work / name)
            before, settings = how_traced(options, traces[-1], work / "scratch")
            programs.append(tracing.start_in(
                None, [options.mpiexec, "--ompi-server", f"file:{work / 'uri'}", "-n", ranks, *before, options.program, scenario,
                 work / "port", name, other, 2], **settings))  # fmt: skip
        ended = [tracing.end(program) for program in programs]
    finally:
        server.terminate()
        server.communicate()
    check.equal("exit codes", [process.returncode for process in ended], [0, 0])
    told = Told("".join(process.stdout for process in ended))
    merged = launch.run([options.meridian, "merge", "--json", "-o", work / "both.h5", *traces])
    check.equal("exit code of merge", merged.returncode, 0)
    check_told(check, told, Merged(work / "both.h5", told.names))
    alone, summary = launch.merge(options.meridian, traces[0])
    names = {finding["name"] for finding in summary["findings"]} if summary else set()
    check.equal("findings of one of them", names, {"world.unpaired", "message.partner_missing"})
    check.equal("exit code of merging one of them", alone.returncode, 0)
    return [*ended, merged]


def run_hanging(options, check, work):
    """Parents and children that wait for each other, looked at while they do."""
    trace, snapshot = work / "trace", work / "snapshot"
    before, settings = how_traced(options, trace, work)
    command = [options.mpiexec, "-n", options.ranks, *before, options.program, "hang", 2]
    program = tracing.start_in(None, command, **settings)
    ranks = options.ranks + 2
    try:
        report, deadline = {}, time.monotonic() + 60
        while time.monotonic() < deadline and len(report.get("deadlock", {}).get("ranks", [])) < ranks:
            time.sleep(0.3)
            where = launch.run([options.meridian, "where", "--json", trace])
            report = json.loads(where.stdout) if where.stdout.startswith("{") else {}
        check.equal("exit code of where", where.returncode, 2)
        check.equal("ranks in the deadlock", report.get("deadlock", {}).get("ranks"), list(range(ranks)))
        places = [(rank["world"], rank["rank_in_world"]) for rank in report.get("ranks", [])]
        check.equal("worlds", places, [(1, rank) for rank in range(options.ranks)] + [(2, 0), (2, 1)])
        made = launch.run([options.meridian, "snapshot", trace, "-o", snapshot])
        asked = launch.run([options.meridian, "control", trace, "off"])
        check.equal("exit codes of snapshot and control", (made.returncode, asked.returncode), (0, 0))
        check.true(f"all ranks are asked: {asked.stdout}", asked.stdout.startswith(f"sent to {ranks} ranks"))
    finally:
        program.terminate()
        ended = tracing.end(program)
    merged, _ = launch.merge(options.meridian, snapshot)
    check.equal("exit code of merge", merged.returncode, 0)
    told = Told(ended.stdout)
    names = Merged(snapshot / "merged.h5", told.names).name_of
    check.equal("processes in the snapshot", sorted(names.values()), sorted(told.names.values()))
    check.equal("processes", len(told.names), ranks)
    return [ended, where, made, merged]


RUNNERS = {
    "hang": run_hanging,
    "two_programs": run_two_programs,
    "children_not_wanted": run_half_traced,
    "children_not_told": run_half_traced,
    "children_alone": run_half_traced,
}


def main():
    parser = launch.parser("tracer")
    parser.add_argument("--how", default="run", choices=("run", "preload", "linked"))
    parser.add_argument("--other", default="")
    parser.add_argument("program")
    parser.add_argument("scenario")
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    check = launch.Checks()
    # Paths count: they have to fit into an info of MPI.
    with tempfile.TemporaryDirectory(prefix="worlds-", dir=os.environ.get("TMPDIR")) as folder:
        runner = RUNNERS.get(options.scenario, run_one_program)
        return check.finish(*runner(options, check, pathlib.Path(folder)))


if __name__ == "__main__":
    sys.exit(main())
