# SPDX-License-Identifier: Apache-2.0
"""Alternations: each program runs under every tool in turn, so that what is compared was measured next to each other."""

import copy
import pathlib
import shutil
import sys

import figures
import tools
from figures import Figure, Row

HERE = pathlib.Path(__file__).resolve().parent


class Session:
    """The tools for one number of ranks. `notes`: {tool: why it has no figures}."""

    def __init__(self, options, work, ranks=None):
        self.options, self.work = options, pathlib.Path(work)
        self.ranks = options.ranks if ranks is None else ranks
        self.tools = [
            tools.Tool(options.mpiexec, self.ranks, work),
            tools.Meridian(options.mpiexec, self.ranks, work, options.build.resolve()),
            tools.EZTrace(options.mpiexec, self.ranks, work, options.mpi),
        ]
        if options.no_peer:
            self.tools[2].missing = "left out with --no-peer"
        self.notes = {tool.name: tool.missing for tool in self.tools if tool.missing}

    def folder(self, name):
        folder = self.work / name
        folder.mkdir()
        return folder

    def with_ranks(self, ranks):
        """A session for another number of ranks; it adds its failures to the notes of this one."""
        if ranks == self.ranks:
            return self
        other = Session(self.options, self.folder(f"ranks-{ranks}"), ranks)
        other.notes = self.notes
        return other

    def without_samples(self):
        """The same session, with traces without samples in place of untraced programs."""
        other = copy.copy(self)
        other.tools = [tools.Unsampled(self.options.mpiexec, self.ranks, self.folder(f"unsampled-{len(list(self.work.iterdir()))}"), self.options.build.resolve()), *self.tools[1:]]
        return other

    def program(self, name):
        return self.options.build.resolve() / "tests/bench" / self.options.mpi / name

    def scaled(self, number):
        return max(1, int(number * self.options.scale))

    def usable(self, peer=None):
        tools_ = [peer if peer is not None and tool.name == peer.name else tool for tool in self.tools]
        return [tool for tool in tools_ if tool.name not in self.notes]

    def alternate(self, name, arguments, inspect=None, peer=None, tool_names=None, prepare=None):
        """Runs the program (of tests/bench, or a path) under every tool in turn, `repetitions` times. Returns [{tool: measures}].
        `inspect(tool, trace)` sees each tool's last trace before it goes; `peer` runs in place of the tool of its name;
        `tool_names` are those to run, all of them by default; `prepare()` gives the folder for a run."""
        runs = []
        program = self.program(name) if prepare is None else name
        for repetition in range(self.options.repetitions):
            is_last = repetition + 1 == self.options.repetitions
            run = {}
            for tool in self.usable(peer):
                if tool_names is not None and tool.name not in tool_names:
                    continue
                cwd = prepare() if prepare is not None else None
                try:
                    run[tool.name], trace = tool.measure(program, arguments, keep=is_last, cwd=cwd)
                    if is_last and inspect is not None:
                        inspect(tool, trace)
                    shutil.rmtree(trace, ignore_errors=True)
                except tools.Failed as failure:
                    if tool.name == "untraced":
                        raise
                    self.notes[tool.name] = str(failure)
            runs.append(run)
            if sys.stderr.isatty():
                print(f"\r{name}: {repetition + 1} of {self.options.repetitions}", end="", file=sys.stderr, flush=True)
        if sys.stderr.isatty():
            print("\r", end="", file=sys.stderr)
        return runs

    def row(self, runs, measure, name, unit, goal="", compute=figures.added, limit=None):
        row = Row(name, unit, goal, Figure.of(figures.values(runs, measure, "untraced")))
        for tool in self.tools[1:]:
            figure = Figure.of(compute(runs, measure, tool.name))
            if figure is None:
                row.notes[tool.name] = self.notes.get(tool.name, "no figure")
                continue
            row.added[tool.name] = figure
            if limit is not None:
                row.times[tool.name] = Figure.of(figures.added_over(runs, measure, limit, tool.name))
        return row

    def derived(self, runs, name, unit, goal, compute):
        """A row of `compute(untraced, traced)`, of the measures of both in one alternation."""
        row = Row(name, unit, goal)
        for tool in self.tools[1:]:
            pairs = [(run["untraced"], run[tool.name]) for run in runs if tool.name in run]
            figure = Figure.of([compute(untraced, traced) for untraced, traced in pairs])
            if figure is None:
                row.notes[tool.name] = self.notes.get(tool.name, "no figure")
            else:
                row.added[tool.name] = figure
        return row

    def ring_bytes(self, name, arguments, title, goal=""):
        """Bytes of records for each call that the program counted; one run, for they are the same in each."""
        row = Row(title, "B a call", goal)
        try:
            rings = tools.Rings(self.options.mpiexec, self.ranks, self.folder(f"rings-{name}-{arguments[0]}"), self.options.build.resolve())
            found, _ = rings.measure(self.program(name), arguments)
            row.added["meridian"] = Figure.of([found["ring_bytes"][0] / sum(found["calls"])])
        except tools.Failed as failure:
            row.notes["meridian"] = str(failure)
        return row


def all_cpu_s(measures):
    """Processor time of the launcher, all ranks and all writers."""
    return measures["cpu_s"][0] + measures.get("writer_cpu_s", [0.0])[0]
