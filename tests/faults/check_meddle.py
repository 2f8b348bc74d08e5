# SPDX-License-Identifier: Apache-2.0
"""System calls that fail: the program computes and ends as untraced, nothing hangs, and losses are reported.

check_meddle.py --meridian M --writer W --meddle L --mpiexec X --ranks N [--runs R | --all] program part...

A part is one of PARTS: whose calls fail. A run without faults shows which calls the part makes, and how often; each further
run has one of them fail, once, from some moment on, or now and then; or ends the process there. `--all` tries every call
with every way to fail at each moment up to MOST_MOMENTS; else R of all these are drawn.
"""

import array
import dataclasses
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import check_kills
import h5py
from check_kills import launch

HERE = pathlib.Path(__file__).resolve().parent
LIMIT_S = 150  # a run that takes longer hangs
ROUNDS = 1200  # fill the smallest ring more than once
MOST_MOMENTS = 12
CALLS = [line[len("MEDDLE_CALL(") : -1] for line in (HERE / "meddle_calls.def").read_text().splitlines() if line.startswith("MEDDLE_CALL(")]
WAYS = {  # of failing; those of the calls that are not named are the last row
    "open": ("EMFILE", "EACCES", "ENOSPC"),
    "mkdir": ("EACCES", "ENOSPC", "EROFS"),
    "rename": ("EACCES", "EXDEV"),
    "mmap": ("ENOMEM", "ENODEV"),
    "write": ("ENOSPC", "EIO", "short"),
    "pwrite": ("ENOSPC", "EDQUOT", "EIO"),
    "writev": ("ENOSPC", "EIO", "short"),
    "pwritev": ("ENOSPC", "EIO", "short"),
    "fork": ("EAGAIN", "ENOMEM"),
    "clone": ("EAGAIN", "ENOMEM"),
    "pthread_create": ("EAGAIN",),
    "execve": ("ENOENT", "EACCES"),
    "flock": ("EWOULDBLOCK", "ENOLCK"),
    "access": ("EACCES",),
    "": ("EIO", "ENOMEM"),
}


def ways_of(call):
    return WAYS.get(call.removesuffix("64").removesuffix("at"), WAYS[""])


@dataclasses.dataclass(frozen=True)
class Fault:
    call: str
    how: str
    which: str

    def __str__(self):
        return f"{self.call}:{self.how}:{self.which}"


def all_faults(part, counts, most_moments):
    """Every call that was made, in every way, at each of its moments."""
    may_kill = part != "tracer"  # to kill it is to kill the program: check_kills.py does that
    for call, most in counts.items():
        if call in LEFT_OUT[part]:
            continue
        moments = [str(k) for k in range(1, most_moments(most) + 1)]
        for how in ways_of(call):
            yield from (Fault(call, how, moment) for moment in [*moments, *(f"{moment}+" for moment in moments), "1/3@1", "1/5@2"])
        if may_kill:
            yield from (Fault(call, "kill", moment) for moment in moments)


LEFT_OUT = {
    "tracer": ("pthread_create",),  # the program's own, which the tracer passes on
    "writer": (),
    "merger": (),
}
ALWAYS = {  # a rank that cannot record, among others that do; a writer that dies before its first message, and one that cannot write
    "tracer": [(Fault("ftruncate", "ENOSPC", "1+"), 0), (Fault("ftruncate", "ENOSPC", "1+"), 1), (Fault("mkdir", "EACCES", "2+"), 1)],
    "merger": [],
    "writer": [(Fault("mmap", "kill", "1"), None), (Fault("writev", "ENOSPC", "1+"), None)],
}


class Counts:
    """The report of meddle.c about the calls of one run."""

    def __init__(self, path):
        self.path = path
        path.write_bytes(bytes(16 * len(CALLS)))

    def read(self):
        """call -> how often one process made it at most; how often calls were made to fail in all"""
        words = array.array("Q", self.path.read_bytes())
        return {call: words[2 * i] for i, call in enumerate(CALLS) if words[2 * i]}, sum(words[1::2])


def ended(process, check, what):
    """(output, errors) of a process group that is killed when it hangs."""
    try:
        return process.communicate(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        check.true(f"{what}: it hangs", False)
        os.killpg(process.pid, signal.SIGKILL)
        return process.communicate()


def started(words, **env):
    return subprocess.Popen(
        [str(word) for word in words], env=launch.environment(**env), start_new_session=True, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def settle(work):
    """Until no process of a run is left."""
    deadline = time.monotonic() + LIMIT_S
    while check_kills.processes(work) and time.monotonic() < deadline:
        time.sleep(0.01)


class TracedRun:
    """One run of the program; the calls of `part`, the tracer or its writer, fail as `fault` says."""

    def __init__(self, options, part, fault, work, check, rank=None):
        self.options, self.work, self.check = options, pathlib.Path(work), check
        self.what = f"{part} {fault}" + ("" if rank is None else f" in rank {rank}")
        self.shared, self.trace, self.scratch = self.work / "shared", self.work / "trace", self.work / "scratch"
        for path in (self.shared, self.scratch):
            path.mkdir()
        self.counts = Counts(self.work / "counts")
        meddle = {"MEDDLE_COUNTS": self.counts.path}
        if fault is not None:
            meddle["MEDDLE_FAIL"] = fault
        if rank is not None:
            meddle["MEDDLE_RANK"] = rank
        writer = options.writer
        preload = []
        if part == "tracer":
            meddle.update(MEDDLE_PROCESS=pathlib.Path(options.program).name, MEDDLE_CALLER="libmeridian.so")
            preload = ["env", f"LD_PRELOAD={options.meddle}"]
        elif part == "writer":
            writer = self.work / "writer"
            writer.write_text(f'#!/bin/sh\nLD_PRELOAD="{options.meddle}" exec "{options.writer}" "$@"\n')
            writer.chmod(0o700)
            meddle.update(MEDDLE_PROCESS=pathlib.Path(options.writer).name, MEDDLE_BELOW=self.work, MEDDLE_CALLER=".")
        words = [options.mpiexec, "-n", options.ranks, *preload, options.meridian, "run", options.program, self.shared, "finish", ROUNDS]
        settings = {
            "DIR": self.trace, "SCRATCH": self.scratch, "WRITER": writer, "BUFFER": "256K", "MAX_THREADS": 4, "FINALIZE_TIMEOUT": 2 * LIMIT_S,
        }  # fmt: skip
        self.process = started(words, **{f"MERIDIAN_{key}": value for key, value in settings.items()}, **meddle)
        self.output, self.errors = ended(self.process, check, self.what)
        self.said = [line for line in self.errors.splitlines() if line.startswith("meridian: ")]
        settle(self.work)
        check.equal(f"{self.what}: processes that do not end", [line for _, line in check_kills.processes(self.work)], [])
        for pid, _ in check_kills.processes(self.work):
            check_kills.kill(pid)

    def check_program(self, untraced):
        self.check.equal(f"{self.what}: exit code", self.process.returncode, untraced.returncode)
        self.check.equal(f"{self.what}: output", sorted(self.output.splitlines()), sorted(untraced.stdout.splitlines()))

    def check_trace(self):
        """The files that exist, and those that do not."""
        what, check = self.what, self.check
        merged, summary = launch.merge(self.options.meridian, self.trace)
        findings = {f["name"]: f["count"] for f in summary["findings"] if f["severity"] != "info"} if summary else {}
        self.context = f"{what}\nsaid: {self.said}\nmerge: {merged.returncode} {merged.stderr}\nfindings: {findings}"
        if summary is None:
            check.equal(f"{what}: exit code of a merge that makes nothing", merged.returncode, 1)
            check.true(f"{what}: it says why: {merged.stderr}", merged.stderr.startswith("meridian: "))
            check.true(f"{what}: the run said that there is no trace: {self.errors}", self.said)
            return
        check.true(f"{what}: exit code of merge: {merged.returncode} {merged.stderr}", merged.returncode in (0, 2))
        is_told = bool(self.said or findings)
        held = {}
        for path in sorted(self.trace.glob("rank-*.h5")):
            rank, main, other, losses = check_kills.completed_calls(path)
            held[rank] = (main + other, sum(losses.values()))
        for rank, (_, main, other, _) in check_kills.counts_in(self.shared).items():
            events, lost = held.get(rank, (0, 0))
            missing = main + other - events
            check.true(f"{what}: rank {rank}: more calls recorded than made: {-missing}", missing >= -2)
            check.true(f"{what}: rank {rank}: {missing} of {main + other} calls are missing, {lost} are counted as lost, and nobody says so",
                       missing <= 0 or (lost >= missing and findings) or (rank not in held and is_told))  # fmt: skip


def untraced_run(options, work):
    work = pathlib.Path(work)
    (work / "shared").mkdir()
    done = launch.mpirun(options.mpiexec, options.ranks, [options.program, work / "shared", "finish", ROUNDS])
    assert done.returncode == 4 and len(done.stdout.splitlines()) == options.ranks, done
    return done


def draw(options, part, chance, counts):
    """The number of calls varies from run to run; the cases that a seed draws must not."""
    faults = list(all_faults(part, counts, lambda most: min(most, MOST_MOMENTS) if options.all else MOST_MOMENTS))
    assert faults, "the untroubled run made none of the calls"
    return faults if options.all else chance.sample(faults, min(options.runs, len(faults)))


def check_traced(options, chance, check, part):
    with tempfile.TemporaryDirectory(prefix="meridian-meddle-") as work:
        untraced = untraced_run(options, work)
    with tempfile.TemporaryDirectory(prefix="meridian-meddle-") as work:
        calm = TracedRun(options, part, None, work, check)
        calm.check_program(untraced)
        calm.check_trace()
        check.equal("words of an untroubled run", calm.said, [])
        counts, _ = calm.counts.read()
    hits = 0
    drawn = [(fault, chance.choice([None, *range(options.ranks)])) for fault in draw(options, part, chance, counts)]
    for fault, rank in [*ALWAYS[part], *drawn]:
        before = len(check.differences)
        with tempfile.TemporaryDirectory(prefix="meridian-meddle-") as work:
            run = TracedRun(options, part, fault, work, check, rank)
            run.check_program(untraced)
            run.check_trace()
            hits += run.counts.read()[1] > 0
            if len(check.differences) > before:
                check.differences.append(f"--- {run.context}")
        report(options, check, before, run.what)
    return hits


def check_tracer(options, chance, check):
    return check_traced(options, chance, check, "tracer")


def check_writer(options, chance, check):
    return check_traced(options, chance, check, "writer")


def content(path):
    """The contents of a merged file. Findings are separate; the size of files may be unavailable."""
    found = {}

    def take(name, item):
        if isinstance(item, h5py.Dataset) and item.dtype.kind != "O" and "findings/" not in name and name != "summary/run/trace_bytes":
            found[name] = item[()].tobytes()

    with h5py.File(path) as file:
        file.visititems(take)
    return found


def findings_in(path):
    with h5py.File(path) as file:
        return set(file["findings/name"].asstr()[()])


class Merging:
    """A trace whose rank 1 no writer has finished, with a merged file from before, again and again."""

    def __init__(self, options, work, check):
        self.options, self.check, self.work = options, check, pathlib.Path(work)
        self.trace, self.scratch, self.kept = self.work / "trace", self.work / "scratch", self.work / "kept"
        (self.work / "shared").mkdir()
        self.scratch.mkdir()
        writer = self.work / "writer"
        rank = '"${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"'
        writer.write_text(f'#!/bin/sh\n[ {rank} = 1 ] && exit 1\nexec "{options.writer}" "$@"\n')
        writer.chmod(0o700)
        env = {"DIR": self.trace, "SCRATCH": self.scratch, "WRITER": writer, "BUFFER": "256K", "MAX_THREADS": 4}
        command = [options.meridian, "run", options.program, self.work / "shared", "finish", 8 * ROUNDS]
        done = launch.mpirun(options.mpiexec, options.ranks, command, **{f"MERIDIAN_{key}": value for key, value in env.items()})
        assert done.returncode == 4, done
        settle(self.work)
        assert len(list(self.scratch.rglob("*.ring"))) == 1 and list(self.trace.glob("*.spill")), list(self.work.rglob("*"))
        self.keep()
        assert self.merge(None)[0].returncode == 0
        self.whole = content(self.trace / "merged.h5")
        assert len(self.whole) > 20
        shutil.copy(self.trace / "merged.h5", self.work / "merged.h5")
        self.restore()
        shutil.copy(self.work / "merged.h5", self.trace / "merged.h5")
        self.keep()

    def keep(self):
        shutil.rmtree(self.kept, ignore_errors=True)
        self.kept.mkdir()
        for path in (self.trace, self.scratch):
            subprocess.run(["cp", "-a", "--sparse=always", path, self.kept], check=True)

    def restore(self):
        for path in (self.trace, self.scratch):
            shutil.rmtree(path)
            subprocess.run(["cp", "-a", "--sparse=always", self.kept / path.name, path], check=True)

    def merge(self, fault):
        counts = Counts(self.work / "counts")
        env = {"LD_PRELOAD": self.options.meddle, "MEDDLE_PROCESS": "meridian", "MEDDLE_BELOW": self.work, "MEDDLE_CALLER": ".", "MEDDLE_COUNTS": counts.path}
        if fault is not None:
            env["MEDDLE_FAIL"] = fault
        process = started([self.options.meridian, "merge", "--quiet", self.trace], **env)
        output, errors = ended(process, self.check, f"merge {fault}")
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors), counts.read()

    def check_fault(self, fault):
        check, what = self.check, f"merge {fault}"
        self.restore()
        before = (self.trace / "merged.h5").read_bytes()
        done, (_, hits) = self.merge(fault)
        said = f"{done.returncode} {done.stderr}"
        if fault.how == "kill":
            # 0: it was a process of merge's own, which reads debug information
            check.true(f"{what}: exit code: {said}", done.returncode in ((-signal.SIGKILL, 0) if hits else (0,)))
        else:
            check.true(f"{what}: exit code: {said}", done.returncode in (0, 1, 2))
            check.equal(f"{what}: files half done", [p.name for p in self.trace.iterdir() if p.suffix == ".part"], [])
        after = (self.trace / "merged.h5").read_bytes() if (self.trace / "merged.h5").exists() else b""
        if done.returncode == 0:
            is_same = content(self.trace / "merged.h5") == self.whole
            more = findings_in(self.trace / "merged.h5") - findings_in(self.work / "merged.h5")
            check.true(f"{what}: it succeeds with another result, and says nothing", is_same or more)
        elif done.returncode == 1:
            check.true(f"{what}: it says what is wrong: {said}", done.stderr.startswith("meridian: "))
            check.true(f"{what}: the merged file of before is as it was: {said}", after == before)
        elif done.returncode < 0:
            is_whole = after == before or content(self.trace / "merged.h5") == self.whole
            check.true(f"{what}: the merged file is the one of before, or a whole one", is_whole)
        again, _ = self.merge(None)
        check.equal(f"{what}: exit code of a merge afterwards ({said}): {again.stderr}", again.returncode, 0)
        check.true(f"{what}: nothing is lost for the next merge ({said})", content(self.trace / "merged.h5") == self.whole)
        more = findings_in(self.trace / "merged.h5") - findings_in(self.work / "merged.h5")
        check.equal(f"{what}: what the next merge finds", more, set())
        return hits > 0


def check_merger(options, chance, check):
    with tempfile.TemporaryDirectory(prefix="meridian-meddle-") as work:
        merging = Merging(options, work, check)
        merging.restore()
        calm, (counts, _) = merging.merge(None)
        check.equal(f"exit code of an untroubled merge: {calm.stderr}", calm.returncode, 0)
        hits = 0
        for fault in draw(options, "merger", chance, counts):
            before = len(check.differences)
            hits += merging.check_fault(fault)
            report(options, check, before, f"merge {fault}")
        return hits


def report(options, check, before, what):
    if options.verbose:
        print("FAILED" if len(check.differences) > before else "ok    ", "\n    ".join([what, *check.differences[before:]]), flush=True)


PARTS = {"tracer": check_tracer, "writer": check_writer, "merger": check_merger}


def main():
    parser = launch.parser("writer", "meddle")
    parser.add_argument("--runs", type=int, default=8, help="of each part")
    parser.add_argument("--all", action="store_true", help="every fault there is")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("program")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}; all when none is named")
    options = parser.parse_args()
    check = launch.Checks()
    for part in options.parts or PARTS:
        hits = PARTS[part](options, launch.generator(), check)
        print(f"{part}: {hits} runs in which calls failed")
        check.true(f"calls of the {part} failed", hits > 0)
    return check.finish()


if __name__ == "__main__":
    sys.exit(main())
