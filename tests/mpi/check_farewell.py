# SPDX-License-Identifier: Apache-2.0
"""At the end of a job, one line on the launcher's terminal: where the trace is, or why there is none. Output and exit code of
the program are those of an untraced run, whatever it did to its standard error.

check_farewell.py --meridian M --tracer L --counter C --mpiexec X --ranks N [--foreign-mpiexec X] --behind P --ending P program
"""

import fcntl
import os
import pathlib
import subprocess
import sys
import tempfile

import tracing
from tracing import launch

HELP = "; `meridian doctor PROGRAM` checks it"


class Jobs:
    def __init__(self, options, work):
        self.options, self.work, self.check = options, pathlib.Path(work), launch.Checks()
        self.launcher = [options.mpiexec, "-n", options.ranks]
        self.run_words = [options.meridian, "run"]
        self.trace = self.work / "trace"
        self.ran = []

    def start(self, words, **extra):
        """Returns (process, the lines that are ours)."""
        settings = {"MERIDIAN_QUIET": "no", "MERIDIAN_DIR": self.trace, "MERIDIAN_SCRATCH": self.work} | extra
        done = tracing.launch_in(self.work, words, **settings)
        self.ran.append(done)
        return done, [line for line in done.stderr.splitlines() if "meridian: " in line]

    def where(self, suffix=""):
        return f"meridian: the trace is in '{self.trace}{suffix}'; next: meridian merge '{self.trace}{suffix}'"

    def compare(self, what, words, untraced, expected, **extra):
        traced, ours = self.start(words, **extra)
        self.check.equal(f"{what}: lines of ours", ours, expected)
        self.check.equal(f"{what}: exit code", traced.returncode, untraced.returncode)
        self.check.equal(f"{what}: output", sorted(traced.stdout.splitlines()), sorted(untraced.stdout.splitlines()))


def check_where(jobs):
    program = jobs.options.program
    untraced, _ = jobs.start([*jobs.launcher, program])
    jobs.compare("a whole run", [*jobs.launcher, *jobs.run_words, program], untraced, [jobs.where()])
    jobs.compare("quiet", [*jobs.launcher, *jobs.run_words, "--quiet", program], untraced, ["meridian: '" + f"{jobs.trace}' holds another trace; this one goes to '{jobs.trace}-2'"])  # fmt: skip
    jobs.trace = jobs.work / "behind-run"
    jobs.compare("a launcher behind run", [*jobs.run_words, "--", *jobs.launcher, program], untraced, [jobs.where()])
    jobs.check.equal("its rank files", len(list(jobs.trace.glob("rank-*.h5"))), jobs.options.ranks)
    jobs.trace = jobs.work / "left"
    _, ours = jobs.start([*jobs.launcher, *jobs.run_words, jobs.options.ending, "exit"])
    jobs.check.equal("without MPI_Finalize", ours, [jobs.where()])


def check_why_not(jobs):
    options = jobs.options
    jobs.trace = jobs.work / "none"
    untraced, _ = jobs.start([*jobs.launcher, options.program])
    traced, ours = jobs.start([*jobs.launcher, options.behind])
    jobs.check.equal("linked in the wrong order: lines", len(ours), 1)
    for part in ("meridian: nothing was recorded: the program calls MPI_Init of '", "Name libmeridian.so before the MPI library", HELP[2:]):
        jobs.check.true(f"linked in the wrong order: {part}: {ours}", all(part in line for line in ours))
    jobs.check.equal("linked in the wrong order: result", (traced.returncode, sorted(traced.stdout)), (untraced.returncode, sorted(untraced.stdout)))
    doctor, _ = jobs.start([options.meridian, "doctor", options.behind])
    said = " ".join(doctor.stdout.split())
    jobs.check.true(f"doctor: {said}", "warn linked: libmeridian.so comes behind lib" in said and doctor.returncode == 0)
    doctor, _ = jobs.start([options.meridian, "doctor", options.program])
    jobs.check.true(f"doctor: {doctor.stdout}", "ok    linked: without the tracer" in doctor.stdout)
    jobs.check.true("no trace", not jobs.trace.exists())


def check_wrong_launcher(jobs):
    if not jobs.options.foreign_mpiexec:
        return
    jobs.trace = jobs.work / "wrong"
    words = [jobs.options.foreign_mpiexec, "-n", jobs.options.ranks]
    untraced, _ = jobs.start([*words, jobs.options.program])
    traced, ours = jobs.start([*words, *jobs.run_words, jobs.options.program])
    jobs.check.equal("wrong launcher: output", traced.stdout, untraced.stdout)
    mistakes = [line for line in ours if line.startswith(f"meridian: the launcher started {jobs.options.ranks} processes, but each is an MPI job of its own, with one rank") and line.endswith(HELP)]  # fmt: skip
    jobs.check.equal(f"wrong launcher: times that the mistake is named: {ours}", len(mistakes), 1)
    jobs.check.equal(f"wrong launcher: times that a trace is named: {ours}", sum("next: meridian merge" in line for line in ours), 1)


def check_standard_error(jobs):
    """A file of the program in its place, a reader that is gone, a pipe that is full: nothing is written, and nothing waits."""
    program, jobs.trace = jobs.options.program, jobs.work / "redirected"
    file = jobs.work / "file"
    replace = ["sh", "-c", f'exec 2>"{file}"; exec "$@"', "sh"]
    _, ours = jobs.start([*jobs.launcher, *jobs.run_words, *replace, program])
    jobs.check.equal("standard error replaced", (ours, file.read_text()), ([], ""))
    settings = launch.environment(MERIDIAN_QUIET="no", MERIDIAN_DIR=jobs.work / "pipe", MERIDIAN_SCRATCH=jobs.work)
    for what in ("full", "without a reader"):
        reader, writer = os.pipe()
        if what == "full":
            fcntl.fcntl(writer, fcntl.F_SETFL, os.O_NONBLOCK)
            try:
                while os.write(writer, b"x" * 4096):
                    pass
            except BlockingIOError:
                fcntl.fcntl(writer, fcntl.F_SETFL, 0)
        else:
            os.close(reader)
        words = [str(word) for word in (*jobs.run_words, program)]
        done = subprocess.run(words, env=settings, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=writer, timeout=60)
        jobs.check.equal(f"a pipe {what}: exit code", done.returncode, 0)
        os.close(writer)
        if what == "full":
            os.close(reader)
        settings["MERIDIAN_DIR"] += "-other"


def main():
    parser = tracing.parser()
    parser.add_argument("--foreign-mpiexec")
    parser.add_argument("--behind", required=True)
    parser.add_argument("--ending", required=True)
    parser.add_argument("program")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="meridian-mpi-") as work:
        jobs = Jobs(options, work)
        check_where(jobs)
        check_why_not(jobs)
        check_wrong_launcher(jobs)
        check_standard_error(jobs)
        return jobs.check.finish(*jobs.ran)


if __name__ == "__main__":
    sys.exit(main())
