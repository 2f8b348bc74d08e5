# SPDX-License-Identifier: Apache-2.0
"""Calls of Python programs have the Python function and line that make them, as the comments in the program say.

check_lines.py --meridian M --mpiexec X --ranks N --linked P mpi4py|ctypes

    linked   a program that is linked with the MPI library, whose path it has
"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "where")]
import stuck_run  # noqa: E402
import tracing  # noqa: E402
from tracing import launch  # noqa: E402

SKIPPED = 77
PYTHON = "/usr/bin/python3"
MADE = 20  # functions of solver.py that are compiled at run time
CLAIM = re.compile(r"#= (\w+) (\S+) (\d+|\?)$")


def claims(program, ranks):
    """{(MPI function, Python function, line): calls of all ranks; None: at least one}"""
    found = {}
    for number, line in enumerate(program.read_text().splitlines(), 1):
        if claim := CLAIM.search(line):
            function, caller, count = claim.groups()
            found[function, caller, number] = None if count == "?" else int(count) * ranks
    return found


class Run:
    def __init__(self, options, work, program, arguments, **extra):
        self.folder = work / "trace"
        (work / "scratch").mkdir(parents=True)
        launcher, command = [options.mpiexec, "-n", options.ranks], [PYTHON, "-B", program, *arguments]
        self.untraced = tracing.launch_in(work, [*launcher, *command])
        self.traced = tracing.launch_in(
            work, [*launcher, options.meridian, "run", *command],
            MERIDIAN_DIR=self.folder, MERIDIAN_SCRATCH=work / "scratch", **extra)  # fmt: skip
        tracing.wait_for_writers(work / "scratch", self.folder, options.ranks)
        self.merged, self.summary = launch.merge(options.meridian, self.folder)

    def check_result(self, check, what):
        for run, name in ((self.untraced, "untraced"), (self.traced, "traced")):
            check.equal(f"{what}: exit code {name}", run.returncode, 0)
        check.equal(f"{what}: output", sorted(self.traced.stdout.splitlines()), sorted(self.untraced.stdout.splitlines()))
        check.equal(f"{what}: exit code of merge", self.merged.returncode, 0)
        names = [finding["name"] for finding in self.summary["findings"] if finding["severity"] != "info"]
        check.equal(f"{what}: findings", names, [])

    def sites(self, program):
        """{(MPI function, Python function, line): calls} of the program's file."""
        found = collections.Counter()
        for site in self.summary["sites"]:
            if site["file"] == str(program):
                found[site["function"], site["caller"], site["line"]] += site["count"]
        return dict(found)


def check_lines(check, what, run, program, ranks):
    expected, found = claims(program, ranks), run.sites(program)
    functions = {function for function, _, _ in expected}
    found = {key: count for key, count in found.items() if key[0] in functions and (key[1] != "größe" or key in expected)}
    for key, count in list(found.items()):
        if key in expected and expected[key] is None:
            found[key] = None
    check.equal(f"{what}: calls by line", found, expected)
    check.equal(f"{what}: program", run.summary["run"]["executable"], str(program))


def check_made(check, run, ranks):
    """A function that has the memory of an earlier one is not taken for it."""
    made = {(site["caller"], site["file"], site["line"]): site["count"]
            for site in run.summary["sites"] if site["file"].startswith("made_")}  # fmt: skip
    expected = {(f"made_{number}", f"made_{number}.py", number + 2): ranks for number in range(MADE)}
    check.equal("functions that are made", made, expected)


def check_stacks(check, run):
    """The Python functions of calls, innermost first, without the interpreter's own."""
    frames = collections.defaultdict(list)
    for frame in run.summary["path_frames"]:
        frames[frame["path"]].append(frame["caller"])
    names = {tuple(reversed(path)) for path in frames.values()}
    for path in (("Solver.assemble", "<module>"), ("outer.<locals>.inner", "outer", "<module>"),
                 ("Solver.steps", "<module>"), ("made_7", "<module>", "code_that_is_made", "<module>")):  # fmt: skip
        check.true(f"{path} in {names}", path in names)


def check_where(check, options, run):
    """`meridian where` shows each rank of a finished run, although the only thread that it had has ended."""
    done = subprocess.run([options.meridian, "where", run.folder], capture_output=True, text=True, check=False)
    shown = [line.split() for line in done.stdout.splitlines() if "finished" in line]
    check.equal("where: exit code", done.returncode, 0)
    check.equal("where: finished ranks", [words[0] for words in shown], [{1: "0", 2: "0,1", 4: "0-3"}[options.ranks]])


def check_stuck(check, options, work):
    """`meridian where` names the line while the program hangs, and after it was killed."""
    program = HERE / "stuck.py"
    work.mkdir()
    ((_, function, line),) = claims(program, options.ranks)

    def places(report):
        found = [rank["threads"][0]["place"] for rank in report["ranks"] if rank["threads"]]
        return [place and (place["function"], place["file"], place["line"]) for place in found]

    expected = [(function, str(program), line)] * options.ranks
    run = stuck_run.StuckRun(options, [PYTHON, "-B", program], work, options.ranks)
    with run:
        check.equal("place while it hangs", places(run.until(lambda report: places(report) == expected)[1]), expected)
    check.equal("place after it was killed", places(run.until_ended()[1]), expected)


def main():
    parser = launch.parser("linked")
    parser.add_argument("what", choices=("mpi4py", "ctypes"))
    options = parser.parse_args()
    version = subprocess.run([PYTHON, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True, check=True)
    if tuple(map(int, version.stdout.split())) not in ((3, 11), (3, 12), (3, 13)):
        print(f"skipped: {PYTHON} is {version.stdout}")
        return SKIPPED
    program, arguments = HERE / "solver.py", []
    if options.what == "ctypes":
        needed = subprocess.run(["ldd", options.linked], capture_output=True, text=True, check=True).stdout
        program, arguments = HERE / "foreign.py", [re.search(r"=> (\S*/libmpi(ch)?\.so\S*)", needed).group(1)]
    elif subprocess.run([PYTHON, "-c", "import mpi4py"], capture_output=True, check=False).returncode != 0:
        print("skipped: no mpi4py")
        return SKIPPED
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-python-") as folder:
        run = Run(options, pathlib.Path(folder) / "lines", program, arguments)
        run.check_result(check, "lines")
        check_lines(check, "lines", run, program, options.ranks)
        off = Run(options, pathlib.Path(folder) / "off", program, arguments, MERIDIAN_PYTHON="no")
        off.check_result(check, "off")
        check.equal("off: lines of Python", off.sites(program), {})
        if options.what == "mpi4py":
            check_made(check, run, options.ranks)
            check_where(check, options, run)
            stacks = Run(options, pathlib.Path(folder) / "stacks", program, arguments, MERIDIAN_STACK=8)
            stacks.check_result(check, "stacks")
            check_lines(check, "stacks", stacks, program, options.ranks)
            check_stacks(check, stacks)
            if options.ranks > 1:
                check_stuck(check, options, pathlib.Path(folder) / "stuck")
    return check.finish(run.traced, run.merged)


if __name__ == "__main__":
    sys.exit(main())
