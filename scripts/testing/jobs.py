# SPDX-License-Identifier: Apache-2.0
"""One process of the test run: a test that is a program of its own, or a group of cases of one GoogleTest program.

A group costs one start of its program. Each case keeps its own outcome and its own budget: where one crashes, exits or exceeds its budget,
that one has failed, and the rest of the group goes on in another process.
"""

import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

GROUP = 25  # cases at most; a start costs 0.1 s, with sanitizers several times that
SHARES = 4  # groups of a program with enough cases: a program of slow ones does not occupy one processor at the end
LOOK_S = 0.05  # how often a process is looked at
MARK = re.compile(
    r"\[(?P<run> RUN      )\] (?P<begun>\S+)$|"
    r"\[(?P<end>       OK |  FAILED  |  SKIPPED )\] (?P<ended>\S+?)(?:, where .*)? \((?P<ms>\d+) ms\)$"
)
STATUS = {"       OK ": "passed", "  FAILED  ": "failed", "  SKIPPED ": "skipped"}


@dataclasses.dataclass
class Outcome:
    name: str
    status: str  # passed, failed or skipped
    seconds: float
    text: str = ""  # output of a test that failed; of one that was skipped, the reason


@dataclasses.dataclass
class Process:
    """What came of one process."""

    code: int | None  # None: ended because a budget was exceeded
    output: str
    seconds: float
    processor_s: float


def descendants(pid):
    """Processes that `pid` has started, and those that these have started."""
    children = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found, new = [], [pid]
    while new:
        new = [child for parent in new for child in children.get(parent, ())]
        found += new
    return found


def end(pid):
    for one in [pid, *descendants(pid)]:
        try:
            os.kill(one, signal.SIGKILL)
        except ProcessLookupError:
            pass


def execute(test, command, is_late):
    """Runs `command` in the folder and environment of `test` until it ends, or is_late(output file) says that it takes too long."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as output:
        try:
            child = subprocess.Popen(
                command, cwd=test.folder, env={**os.environ, **test.environment}, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
        except OSError as error:
            return Process(127, f"cannot be started: {error}", 0.0, 0.0)
        code = None
        pause = 0.002
        while True:
            ended, status, usage = os.wait4(child.pid, os.WNOHANG)
            if ended:
                break
            if is_late(output):
                end(child.pid)
                _, status, usage = os.wait4(child.pid, 0)
                status = None
                break
            time.sleep(pause)
            pause = min(LOOK_S, 1.5 * pause)
        if status is not None:
            code = os.waitstatus_to_exitcode(status)
        child.returncode = 0  # wait4 has collected it
        output.seek(0)
        text = output.read().decode(errors="replace")
    return Process(code, text, time.monotonic() - begin, usage.ru_utime + usage.ru_stime)


def how_it_ended(code, budget_s):
    if code is None:
        return f"ended after its budget of {budget_s:.0f} s"
    return f"killed by signal {-code}" if code < 0 else f"exit code {code}"


def reason_of(output):
    """Why a program that was skipped says it was: its last line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return re.sub(r"^skipped:\s*", "", lines[-1], flags=re.IGNORECASE) if lines else "no reason given"


class Single:
    """A test that is a program of its own."""

    def __init__(self, test):
        self.test = test
        self.names = [test.name]

    def run(self):
        """(outcomes, processor seconds)"""
        test = self.test
        if test.is_disabled:
            return [Outcome(test.name, "skipped", 0.0, "disabled: configure has printed what is missing")], 0.0
        if not test.command:
            return [Outcome(test.name, "failed", 0.0, "its program has not been built")], 0.0
        begin = time.monotonic()
        done = execute(test, test.command, lambda output: time.monotonic() - begin > test.budget_s)
        status, text = "passed", ""
        if test.skip_code is not None and done.code == test.skip_code or any(re.search(p, done.output) for p in test.skip_pattern):
            status, text = "skipped", reason_of(done.output)
        elif done.code != 0 or any(re.search(p, done.output) for p in test.fail_pattern):
            status, text = "failed", f"{done.output}\n{how_it_ended(done.code, test.budget_s)}"
        return [Outcome(test.name, status, done.seconds, text)], done.processor_s


class Watch:
    """Reads the output of a group while it runs: which case has run since when."""

    def __init__(self, budget_s):
        self.budget_s = budget_s
        self.position = 0
        self.since = time.monotonic()

    def __call__(self, output):
        size = os.fstat(output.fileno()).st_size
        if size > self.position:
            if b"] " in os.pread(output.fileno(), size - self.position, self.position):
                self.since = time.monotonic()
            self.position = size
        return time.monotonic() - self.since > self.budget_s


def read_cases(output):
    """([(case, status, seconds, its output)] of the cases that ended, the case that had not (or None), its output)"""
    found, running, text = [], None, []
    for line in output.splitlines():
        mark = MARK.search(line)
        if mark and mark["run"]:
            if running:  # its end was not understood
                found.append((running, "failed", 0.0, "\n".join(text)))
            running, text = mark["begun"], []
        elif mark and running == mark["ended"]:
            text.append(line[: mark.start()])
            found.append((running, STATUS[mark["end"]], int(mark["ms"]) / 1000, "\n".join(text)))
            running, text = None, []
        elif running:
            text.append(line)
    return found, running, "\n".join(text)


class Group:
    """Cases of one program. `tests`: case -> Test, in the order in which they run."""

    def __init__(self, program, tests):
        self.program = program
        self.tests = tests
        self.test = next(iter(tests.values()))
        self.names = [test.name for test in tests.values()]

    def run(self):
        """(outcomes, processor seconds)"""
        left, outcomes, processor_s = dict(self.tests), [], 0.0
        while left:
            done, ended, running = self.run_some(left)
            processor_s += done.processor_s
            has_failed = running or any(outcome.status == "failed" for outcome in ended.values())
            if done.code != 0 and not has_failed and len(ended) == len(left) > 1:
                return self.one_by_one(done, processor_s)
            if not ended or (done.code != 0 and not has_failed):  # the program itself: its first case stands for it
                case = next(iter(left))
                ended[case] = Outcome(left[case].name, "failed", done.seconds, self.ending(done))
            outcomes += ended.values()
            left = {case: test for case, test in left.items() if case not in ended}
        return outcomes, processor_s

    def ending(self, done):
        return f"{done.output}\n{how_it_ended(done.code, self.test.budget_s)}"

    def run_some(self, tests):
        """(process, case -> outcome, the case that was running when the process ended, or None)"""
        command = [self.program, "--gtest_filter=" + ":".join(tests), "--gtest_also_run_disabled_tests", "--gtest_color=no"]
        done = execute(self.test, command, Watch(self.test.budget_s))
        found, running, text = read_cases(done.output)
        ended = {}
        for case, status, seconds, said in found:
            if case in tests:
                said = reason_of(said) if status == "skipped" else said if status == "failed" else ""
                ended[case] = Outcome(tests[case].name, status, seconds, said)
        if running in tests:
            ended[running] = Outcome(tests[running].name, "failed", done.seconds, f"{text}\n{how_it_ended(done.code, self.test.budget_s)}")
        return done, ended, running

    def one_by_one(self, together, processor_s):
        """All cases passed, but not the process, such as with a leak: which case it is shows when each runs alone."""
        outcomes = []
        for case, test in self.tests.items():
            done, ended, running = self.run_some({case: test})
            processor_s += done.processor_s
            outcome = ended.get(case, Outcome(test.name, "failed", done.seconds, ""))
            if done.code != 0 and outcome.status != "failed" or case not in ended:
                outcome = Outcome(test.name, "failed", done.seconds, self.ending(done))
            outcomes.append(outcome)
        if all(outcome.status != "failed" for outcome in outcomes):
            name = f"{pathlib.Path(self.program).name}: {len(self.tests)} cases in one process, from {self.names[0]}"
            outcomes.append(Outcome(name, "failed", together.seconds, self.ending(together)))
        return outcomes, processor_s


def jobs_of(tests, group=GROUP):
    """Jobs in the order in which they should begin. Cases of one program are dealt out to its groups in turn, so that slow
    neighbours, such as one case for many parameters, come to different groups."""
    programs, jobs = {}, []
    for test in tests:
        case = test.case()
        if case is None or test.is_disabled:
            jobs.append(Single(test))
        else:
            programs.setdefault((case[0], test.budget_s), {})[case[1]] = test
    # What may take long begins first; groups, which are short, fill the gaps at the end.
    jobs.sort(key=lambda job: (not job.test.is_alone, "slow" in job.test.labels, job.test.budget_s, job.test.processors), reverse=True)
    for (program, _), cases in programs.items():
        count = max(-(-len(cases) // group), min(SHARES, len(cases) // SHARES), 1)
        names = list(cases)
        jobs += [Group(program, {case: cases[case] for case in names[first::count]}) for first in range(count)]
    return jobs
