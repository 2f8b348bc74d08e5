# SPDX-License-Identifier: Apache-2.0
"""Whichever way a program is started: it is traced with the tracer for its MPI library, or one line says why it is not.

check_start.py --meridian M --mpiexec X --ranks 2 [--other TRACER NAME] wrapped|lost program
"""

import os
import pathlib
import sys
import tempfile

import tracing
from tracing import launch, rank_trace

PYTHON = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)"
PYTHON_WITHOUT = "import os, subprocess, sys; del os.environ['LD_PRELOAD']; sys.exit(subprocess.run(sys.argv[1:], close_fds=False).returncode)"
MISSING = "LD_PRELOAD in its environment is missing"


class Jobs:
    def __init__(self, options, work):
        self.options, self.work, self.check, self.ran = options, pathlib.Path(work), launch.Checks(), []
        self.launcher = [options.mpiexec, "-n", options.ranks]
        self.run = [options.meridian, "run"]
        self.count = 0

    def start(self, words):
        """Returns (process, its lines without ours, our lines, the calls of the rank files)."""
        self.count += 1
        folder, scratch = self.work / f"trace-{self.count}", self.work / "scratch"
        scratch.mkdir(exist_ok=True)
        done = tracing.launch_in(None, words, MERIDIAN_QUIET="no", MERIDIAN_DIR=folder, MERIDIAN_SCRATCH=scratch)
        self.ran.append(done)
        ours = [line.replace(str(folder), "DIR") for line in done.stderr.splitlines() if line.startswith("meridian: ")]
        if folder.exists():
            tracing.wait_for_writers(scratch, folder, self.options.ranks)
        traces = [rank_trace.RankTrace(path) for path in sorted(folder.glob("rank-*.h5"))]
        return done, ours, [(trace.rank, trace.counts()["MPI_Send"]) for trace in traces]


def check_wrapped(jobs):
    program = jobs.options.program
    launcher = [str(word) for word in jobs.launcher]
    untraced, _, _ = jobs.start([*launcher, program])
    expected = ["meridian: the trace is in 'DIR'; next: meridian merge 'DIR'"]
    joined = " ".join([*launcher, program])
    ways = [
        [*jobs.run, "timeout", "100", *launcher, program],
        [*jobs.run, "env", "X=1", *launcher, program],
        [*jobs.run, "bash", "-c", joined],
        [*jobs.run, "bash", "-c", f"{joined}; exit $?"],
        [*jobs.run, "/usr/bin/python3", "-c", PYTHON, *launcher, program],
        ["timeout", "100", *jobs.run, *launcher, program],
        [*jobs.run, *launcher, "env", "X=1", program],
        [*launcher, *jobs.run, "timeout", "100", program],
        [*launcher, "env", "X=1", *jobs.run, "bash", "-c", f"{program}; exit $?"],
    ]
    if jobs.options.other:  # the tracer for the other library comes first
        ways.append([*launcher, *jobs.run, "env", f"LD_PRELOAD={jobs.options.other[0]}", program])
        ways.append([*launcher, *jobs.run, "env", f"LD_PRELOAD={jobs.options.other[0]}", "bash", "-c", f"{program}; exit $?"])
    for words in ways:
        done, ours, calls = jobs.start(words)
        what = " ".join(str(word) for word in words)
        jobs.check.equal(f"{what}: exit code", done.returncode, 0)
        jobs.check.equal(f"{what}: output", done.stdout, untraced.stdout)
        jobs.check.equal(f"{what}: sends", calls, [(0, 20), (1, 20)])
        jobs.check.equal(f"{what}: lines", ours, expected)
    if jobs.options.other:  # a choice of the user's is kept
        _, ours, calls = jobs.start([*launcher, *jobs.run, "--mpi", jobs.options.other[1], program])
        jobs.check.equal("another --mpi: sends", calls, [])
        jobs.check.equal(f"another --mpi: {ours}", ["meridian: nothing is recorded: the MPI library" in line for line in ours], [True])


def check_lost(jobs):
    program, name = jobs.options.program, pathlib.Path(jobs.options.program).name
    kept = [f"{key}={value}" for key, value in launch.environment().items() if key.startswith(("OMPI_", "PRTE_", "PATH"))]
    python = os.path.basename(os.path.realpath("/usr/bin/python3"))
    tool = "/nowhere/libtool.so"
    ways = [
        (["env", "-i", *kept, program], name, "env", MISSING),
        (["env", "-u", "LD_PRELOAD", program], name, "env", MISSING),
        (["env", "-u", "LD_PRELOAD", "bash", "-c", f"{program}; exit $?"], "bash", "env", MISSING),
        (["env", f"LD_PRELOAD={tool}", program], name, "env", f"LD_PRELOAD in its environment is '{tool}'"),
        (["bash", "-c", f"unset LD_PRELOAD; exec {program}"], name, "bash", MISSING),
        (["bash", "-c", f"unset LD_PRELOAD; {program}; exit $?"], name, "bash", MISSING),
        (["/usr/bin/python3", "-c", PYTHON_WITHOUT, program], name, python, MISSING),
    ]
    for words, lost, starter, why in ways:
        expected = [f"meridian: nothing is recorded of '{lost}': '{starter}' starts it without the tracer, because {why}"]
        for order in ([*jobs.launcher, *jobs.run, *words], [*jobs.run, *jobs.launcher, *words]):
            done, ours, calls = jobs.start(order)
            what = " ".join(str(word) for word in order)
            jobs.check.equal(f"{what}: exit code", done.returncode, 0)
            jobs.check.true(f"{what}: output {done.stdout!r}", "value " in done.stdout)
            jobs.check.equal(f"{what}: calls and lines", (calls, ours), ([], expected))
    # Other programs of a script are nobody's loss.
    script = f"env -i ls / >/dev/null; (unset LD_PRELOAD; ls / >/dev/null); {program}; exit $?"
    done, ours, calls = jobs.start([*jobs.launcher, *jobs.run, "bash", "-c", script])
    jobs.check.equal("helpers of a script", (done.returncode, len(calls)), (0, jobs.options.ranks))
    jobs.check.equal("helpers of a script: lines", ours, ["meridian: the trace is in 'DIR'; next: meridian merge 'DIR'"])


def main():
    parser = launch.parser()
    parser.add_argument("--other", nargs=2)
    parser.add_argument("what", choices=["wrapped", "lost"])
    parser.add_argument("program")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="meridian-mpi-") as work:
        jobs = Jobs(options, work)
        {"wrapped": check_wrapped, "lost": check_lost}[options.what](jobs)
        return jobs.check.finish(*jobs.ran)


if __name__ == "__main__":
    sys.exit(main())
