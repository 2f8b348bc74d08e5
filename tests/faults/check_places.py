"""Places that are full, gone, or not ours: the program ends as untraced, and what was lost is said and counted.

check_places.py --meridian M --mpiexec X --ranks N program case

Cases that need a small file system exit with 77 where none can be mounted.
"""

import argparse
import contextlib
import os
import pathlib
import resource
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import launch  # noqa: E402

SKIPPED = 77
MESSAGES = 60_000
CALLS_BESIDES = 5  # MPI_Init, Comm_rank, Comm_size, Barrier, Finalize


@contextlib.contextmanager
def small_file_system(place, size):
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", place], capture_output=True, check=False)
    if mounted.returncode != 0:
        sys.exit(SKIPPED)
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=False)


class Case:
    """Runs the program untraced and traced, and merges. `self.trace` and `self.scratch` are where these go."""

    def __init__(self, options, work):
        self.options, self.work, self.check = options, pathlib.Path(work), launch.Checks()
        self.trace, self.scratch = self.work / "trace", self.work / "scratch"
        self.scratch.mkdir()
        self.half = self.work / "half"
        self.count = MESSAGES
        self.limits = {}
        self.buffer = "2M"
        self.meanwhile = None  # called when the program has done the half
        self.merged, self.summary = None, None

    def launch(self, *before):
        words = [self.options.mpiexec, "-n", self.options.ranks, *before, self.options.program, self.count, self.half]
        process = subprocess.Popen(
            [str(word) for word in words],
            env=launch.environment(MERIDIAN_DIR=self.trace, MERIDIAN_SCRATCH=self.scratch, MERIDIAN_BUFFER=self.buffer),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: [resource.setrlimit(limit, value) for limit, value in self.limits.items()],
        )  # fmt: skip
        if before and self.meanwhile is not None:
            threading.Thread(target=self.do_meanwhile, args=(process,), daemon=True).start()
        output, errors = process.communicate(timeout=launch.TIMEOUT_S)
        return subprocess.CompletedProcess(words, process.returncode, output, errors)

    def do_meanwhile(self, process):
        while not self.half.exists() and process.poll() is None:
            time.sleep(0.001)
        self.meanwhile()

    def run(self):
        untraced = self.launch()
        self.half.unlink(missing_ok=True)
        traced = self.launch(self.options.meridian, "run")
        ours = [line for line in traced.stderr.splitlines() if line.startswith("meridian: ")]
        self.check.equal("exit code", traced.returncode, untraced.returncode)
        self.check.equal("output", sorted(traced.stdout.splitlines()), sorted(untraced.stdout.splitlines()))
        self.check.equal("untraced exit code", untraced.returncode, 4)
        return ours

    def merge(self, directory=None):
        directory = directory or self.trace
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and list(directory.glob("*.part")) and not list(directory.glob("*.spill")):
            time.sleep(0.05)
        self.merged, self.summary = launch.merge(self.options.meridian, directory)
        self.check.true(f"merge makes a summary: {self.merged.stderr}", self.summary is not None)
        return {f["name"]: f["count"] for f in self.summary["findings"]} if self.summary is not None else {}

    def everything(self):
        return self.options.ranks * (self.count + CALLS_BESIDES)

    def check_whole(self):
        self.check.equal("findings", self.merge(), {})
        self.check.equal("calls", self.summary and self.summary["run"]["calls"], self.everything())

    def said(self, ours, ranks, *parts):
        lines = [line for line in ours if all(part in line for part in parts)]
        self.check.equal(f"lines with {parts} of {ours}", len(lines), ranks)


def full_scratch(case):
    with small_file_system(case.work / "small", "1M") as place:
        case.scratch = place
        case.said(case.run(), case.options.ranks, str(place), "No space left on device")
        case.check_whole()
        case.check.equal("files in a place that is too small", [p for p in place.rglob("*") if not p.is_dir()], [])


def full_output(case):
    case.count *= 3  # more than a ring holds
    with small_file_system(case.work / "small", "200k") as place:
        case.trace = place / "trace"
        case.said(case.run(), case.options.ranks, ".spill", "No space left on device", "counted, not recorded")
        refused, _ = launch.merge(case.options.meridian, case.trace)
        case.check.equal("exit code of a merge where there is no room", refused.returncode, 1)
        case.check.true(f"it says what to do: {refused.stderr}", "copy the directory" in refused.stderr)
        copied = case.work / "copied"
        shutil.copytree(case.trace, copied)
        findings = case.merge(copied)
        calls = case.summary["run"]["calls"] if case.summary else 0
        case.check.true(f"calls of the first seconds are there: {calls}", calls > 1000)
        beside = calls + findings.get("loss.writer_gone", 0) - case.everything()
        case.check.true(f"calls recorded and lost, and records of the tracer's own that were: {beside}", 0 <= beside <= 64)


def limited_files(case):
    case.limits = {resource.RLIMIT_FSIZE: (100 << 20, 100 << 20)}  # a ring file would like to be longer
    case.check.equal("words of ours", case.run(), [])
    case.check_whole()


def no_files(case):
    case.limits = {resource.RLIMIT_FSIZE: (40 << 20, 40 << 20)}  # MPI itself needs some
    case.buffer = "64M"
    case.said(case.run(), case.options.ranks, "ulimit -f")
    case.check.true("no trace", not case.trace.exists())


def few_descriptors(case):
    case.limits = {resource.RLIMIT_NOFILE: (40, 40)}
    case.run()
    if case.trace.exists():
        case.merge()


def vanishing_scratch(case):
    case.meanwhile = lambda: shutil.rmtree(case.scratch)
    case.check.equal("words of ours", case.run(), [])
    case.check_whole()


def vanishing_output(case):
    case.meanwhile = lambda: shutil.rmtree(case.trace)
    case.said(case.run(), case.options.ranks, "rank-0000", "could not be written")


def planted_link(case):
    elsewhere = case.work / "elsewhere"
    elsewhere.mkdir()
    (case.scratch / f"meridian-{os.getuid()}").symlink_to(elsewhere)
    case.said(case.run(), case.options.ranks, "MERIDIAN_SCRATCH", "Not a directory")
    case.check.equal("what lies behind the link", list(elsewhere.iterdir()), [])
    case.check_whole()


def open_directory(case):
    ours = case.scratch / f"meridian-{os.getuid()}"
    ours.mkdir()
    ours.chmod(0o777)
    case.said(case.run(), case.options.ranks, "MERIDIAN_SCRATCH", "Operation not permitted")
    case.check.equal("what lies where others may write", list(ours.iterdir()), [])
    case.check_whole()


def private(case):
    before = os.umask(0)
    case.meanwhile = lambda: found.update({p: stat.S_IMODE(p.lstat().st_mode) for p in case.work.rglob("*")})
    found = {}
    case.run()
    case.check_whole()
    os.umask(before)
    found.update({p: stat.S_IMODE(p.lstat().st_mode) for p in case.work.rglob("*") if p not in (case.half, case.scratch)})
    own = {p: mode for p, mode in found.items() if p not in (case.half, case.scratch)}
    case.check.true("rings were seen", any(p.suffix == ".ring" for p in own))
    case.check.true("the merged file was seen", any(p.name == "merged.h5" for p in own))
    case.check.equal("what others may read", {p.name: oct(mode) for p, mode in own.items() if mode & 0o077}, {})


CASES = (
    full_scratch, full_output, limited_files, no_files, few_descriptors, vanishing_scratch, vanishing_output, planted_link,
    open_directory, private,
)  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--meridian", required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("program")
    parser.add_argument("case", choices=[case.__name__ for case in CASES])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="meridian-places-") as work:
        case = Case(options, work)
        next(run for run in CASES if run.__name__ == options.case)(case)
        return case.check.finish(*([case.merged] if case.merged else []))


if __name__ == "__main__":
    sys.exit(main())
