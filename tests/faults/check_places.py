# SPDX-License-Identifier: Apache-2.0
"""Places that are full, gone, or not ours: the program ends as untraced, and losses are reported and counted.

check_places.py --meridian M --tracer T --mpiexec X --ranks N program case

Cases that need a small file system, or another user, exit with 77 where these cannot be had.
"""

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
CALLS_ON_FILES = 2  # of rank 0: fopen, fclose


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


@contextlib.contextmanager
def small_file_system(place, size):
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", place], capture_output=True, check=False)
    if mounted.returncode != 0:
        skip(f"no file system can be mounted here: {mounted.stderr.decode()}")
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
        self.half, self.go = self.work / "half", self.work / "go"
        self.count = MESSAGES
        self.limits = {}
        self.launcher = []  # before mpiexec
        self.settings = {"MERIDIAN_SCRATCH": self.scratch, "MERIDIAN_BUFFER": "2M"}
        self.meanwhile = None  # called when the program has done the half, which then waits for it
        self.merged, self.summary = None, None

    def launch(self, *before):
        words = [*self.launcher, self.options.mpiexec, "-n", self.options.ranks, *before, self.options.program, self.count, self.half]
        words += [self.go] if before and self.meanwhile is not None else []
        process = subprocess.Popen(
            [str(word) for word in words],
            env=launch.environment(MERIDIAN_DIR=self.trace, **self.settings),
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
        try:
            self.meanwhile()
        finally:
            self.go.touch()

    def run(self):
        untraced = self.launch()
        self.half.unlink(missing_ok=True)
        traced = self.launch(self.options.meridian, "run")
        self.check.equal("untraced exit code", untraced.returncode, 4)
        return self.compare(traced, untraced)

    def compare(self, traced, untraced, what=""):
        """Returns the messages."""
        self.check.equal(f"{what}exit code ({traced.stderr})", traced.returncode, untraced.returncode)
        self.check.equal(f"{what}output", sorted(traced.stdout.splitlines()), sorted(untraced.stdout.splitlines()))
        return [line for line in traced.stderr.splitlines() if line.startswith("meridian: ")]

    def merge(self, directory=None):
        directory = directory or self.trace
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and list(directory.glob("*.part")) and not list(directory.glob("*.spill")):
            time.sleep(0.05)
        self.merged, self.summary = launch.merge(self.options.meridian, directory)
        self.check.true(f"merge makes a summary: {self.merged.stderr}", self.summary is not None)
        return {f["name"]: f["count"] for f in self.summary["findings"]} if self.summary is not None else {}

    def everything(self):
        return self.options.ranks * (self.count + CALLS_BESIDES) + CALLS_ON_FILES

    def check_whole(self):
        self.check.equal("findings", self.merge(), {})
        self.check.equal("calls", self.summary and launch.recorded(self.summary), self.everything())

    def said(self, ours, ranks, *parts):
        lines = [line for line in ours if all(part in line for part in parts)]
        self.check.equal(f"lines with {parts} of {ours}", len(lines), ranks)


def full_scratch(case):
    with small_file_system(case.work / "small", "1M") as place:
        case.settings["MERIDIAN_SCRATCH"] = place
        case.said(case.run(), case.options.ranks, str(place), "No space left on device")
        case.check_whole()
        case.check.equal("files in a place that is too small", [p for p in place.rglob("*") if not p.is_dir()], [])


def full_output(case):
    case.count *= 3  # more than a ring holds
    case.settings["MERIDIAN_BUFFER"] = "256K"
    with small_file_system(case.work / "small", "100k") as place:
        case.trace = place / "trace"
        case.said(case.run(), case.options.ranks, ".spill", "No space left on device", "counted, not recorded")
        refused, _ = launch.merge(case.options.meridian, case.trace)
        case.check.equal("exit code of a merge where there is no room", refused.returncode, 1)
        case.check.true(f"it says what to do: {refused.stderr}", "copy the directory" in refused.stderr)
        copied = case.work / "copied"
        shutil.copytree(case.trace, copied)
        findings = case.merge(copied)
        calls = launch.recorded(case.summary) if case.summary else 0
        case.check.true(f"calls of the first seconds are there: {calls}", calls > 1000)
        beside = calls + findings.get("loss.writer_gone", 0) - case.everything()
        case.check.true(f"calls recorded and lost, and records of the tracer's own that were: {beside}", 0 <= beside <= 64)


def limited_files(case):
    case.limits = {resource.RLIMIT_FSIZE: (100 << 20, 100 << 20)}  # a ring file would be longer
    case.check.equal("words of ours", case.run(), [])
    case.check_whole()


def no_files(case):
    case.limits = {resource.RLIMIT_FSIZE: (40 << 20, 40 << 20)}  # MPI itself needs some
    case.settings["MERIDIAN_BUFFER"] = "64M"
    case.said(case.run(), case.options.ranks, "ulimit -f")
    case.check.true("no trace", not case.trace.exists())


def few_descriptors(case):
    case.limits = {resource.RLIMIT_NOFILE: (40, 40)}
    case.run()
    if case.trace.exists():
        case.merge()


def limited_program(case):
    """Limits that the program has, not its launcher: of each kind the tightest under which it runs untraced."""
    case.count = 2000
    for kind, values in {"-n": (24, 64, 256), "-v": (500_000, 4_000_000), "-f": (2000, 200_000, 2_000_000), "-s": (512, 8192)}.items():
        for value in values:
            command = ["sh", "-c", f'ulimit {kind} {value}; exec "$@"', "sh"]
            untraced = case.launch(*command)
            if untraced.returncode == 4:
                break
        else:
            case.check.true(f"under no limit {kind} the program runs untraced: {untraced.stderr}", False)
            continue
        what = f"under {kind} {value}: "
        shutil.rmtree(case.trace, ignore_errors=True)
        ours = case.compare(case.launch(case.options.meridian, "run", *command), untraced, what)
        findings = case.merge() if case.trace.exists() else {}
        calls = launch.recorded(case.summary) if case.trace.exists() and case.summary else 0
        case.check.true(f"{what}what is lost is said: {calls} calls, {ours}, {findings}", calls == case.everything() or ours or findings)


def small_shared_memory(case):
    del case.settings["MERIDIAN_SCRATCH"]
    case.settings["TMPDIR"] = case.scratch
    compared = 0
    for options in ("size=16k", "size=16k,ro"):
        mount = f"mount -t tmpfs -o {options} none /dev/shm"
        probe = subprocess.run(["unshare", "-m", "sh", "-c", mount], capture_output=True, text=True, check=False)
        if probe.returncode != 0:
            skip(f"no file system can be mounted here: {probe.stderr}")
        case.launcher = ["unshare", "-m", "sh", "-c", f'{mount}; exec "$@"', "sh"]
        shutil.rmtree(case.trace, ignore_errors=True)
        untraced = case.launch()
        if untraced.returncode != 4:
            continue
        compared += 1
        case.check.equal(f"words with {options}", case.compare(case.launch(case.options.meridian, "run"), untraced, f"{options}: "), [])
        case.check_whole()
    if compared == 0:
        skip(f"this MPI needs more shared memory: {untraced.stderr}")


def check_no_place(case, untraced, what, *before):
    """There is none: the program runs untraced, and the reason and the consequence are reported once."""
    traced = case.launch(*before)
    ours = case.compare(traced, untraced, f"{what}: ")
    case.check.equal(f"{what}: what is said: {traced.stderr}", [line.split("'")[0] for line in ours[:1]], ["meridian: cannot create the output directory "])
    case.check.equal(f"{what}: what follows", ours[1:], ["meridian: there is no place for the trace; this run is not traced"])
    case.check.equal(f"{what}: rings left", [str(p) for p in case.scratch.rglob("*") if not p.is_dir()], [])


def no_place(case):
    case.count = 1000
    run = [case.options.meridian, "run"]
    preload = ["env", f"LD_PRELOAD={case.options.tracer}"]
    file = case.work / "file"
    file.touch()
    untraced = case.launch()
    case.check.equal("untraced exit code", untraced.returncode, 4)
    case.trace = file / "trace"
    check_no_place(case, untraced, "below a file", *run)
    check_no_place(case, untraced, "below a file, preloaded", *preload)
    case.trace = file
    check_no_place(case, untraced, "a file", *run)
    case.trace = case.work / "missing" / ("long" * 100)
    check_no_place(case, untraced, "too long a name", *run)


def no_place_is_refused(case):
    case.count = 1000
    case.settings["MERIDIAN_STRICT"] = "yes"
    run = [case.options.meridian, "run"]
    good = case.launch(*run)
    case.check.equal("exit code where there is a place", good.returncode, 4)
    case.half.unlink()
    case.trace = case.work / "file" / "trace"
    case.trace.parent.touch()
    for what, before, words in (
        ("run", run, "cannot write to the output directory"),
        ("preloaded", ["env", f"LD_PRELOAD={case.options.tracer}"], "MERIDIAN_STRICT is set and there is no place for the trace"),
    ):
        done = case.launch(*before)
        case.check.equal(f"{what}: exit code", done.returncode, 1)
        case.check.equal(f"{what}: what the program prints", done.stdout.count("rank"), 0)
        # One rank reports it, unless another one aborts first and the launcher ends this rank before its message.
        reasons = done.stderr.count(words) + (what == "preloaded" and "cannot create the output directory" in done.stderr)
        case.check.true(f"{what}: what is said: {done.stderr}", 1 <= reasons <= 2 and done.stderr.count(words) <= 1)
    case.check.equal("the program got to its half", case.half.exists(), False)


def no_room_for_a_directory(case):
    case.count = 1000
    untraced = case.launch()
    case.check.equal("untraced exit code", untraced.returncode, 4)
    for what, size in (("read-only", "1M,ro"), ("full", "1M,nr_inodes=1")):
        with small_file_system(case.work / what, size) as place:
            case.trace = place / "trace"
            check_no_place(case, untraced, what, case.options.meridian, "run")


def no_permission(case):
    """Runs as a user other than root, in a directory of root."""
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    case.count = 1000
    for path in (case.work, case.scratch):
        path.chmod(0o777)
    probe = subprocess.run([*nobody, "test", "-x", case.options.program, "-a", "-r", case.options.tracer, "-a", "-x", case.options.meridian], capture_output=True, text=True, check=False)
    if probe.returncode != 0:
        skip(f"nobody else can become nobody here, or run this build: {probe.stderr}")
    case.launcher = nobody
    case.settings["HOME"] = case.settings["TMPDIR"] = case.scratch
    untraced = case.launch()
    if untraced.returncode != 4:
        skip(f"MPI does not run as nobody: {untraced.stderr}")
    closed = case.work / "closed"
    closed.mkdir()
    closed.chmod(0o755)
    case.trace = closed / "trace"
    ours = case.compare(case.launch(case.options.meridian, "run"), untraced)
    case.check.equal("lines that name the reason", [line.count("Permission denied") for line in ours], [1, 0])
    case.trace = case.work / "open" / "trace"
    case.check.equal("words where there is a place", case.compare(case.launch(case.options.meridian, "run"), untraced), [])
    case.launcher = []
    case.check_whole()


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
    found.update({p: stat.S_IMODE(p.lstat().st_mode) for p in case.work.rglob("*") if p not in (case.half, case.go, case.scratch)})
    own = {p: mode for p, mode in found.items() if p not in (case.half, case.go, case.scratch)}
    case.check.true("rings were seen", any(p.suffix == ".ring" for p in own))
    case.check.true("the merged file was seen", any(p.name == "merged.h5" for p in own))
    case.check.equal("what others may read", {p.name: oct(mode) for p, mode in own.items() if mode & 0o077}, {})


CASES = (
    full_scratch, full_output, limited_files, no_files, few_descriptors, limited_program, small_shared_memory, no_place,
    no_place_is_refused, no_room_for_a_directory, no_permission, vanishing_scratch, vanishing_output, planted_link, open_directory,
    private,
)  # fmt: skip


def main():
    parser = launch.parser("tracer")
    parser.add_argument("program")
    parser.add_argument("case", choices=[case.__name__ for case in CASES])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="meridian-places-") as work:
        case = Case(options, work)
        next(run for run in CASES if run.__name__ == options.case)(case)
        return case.check.finish(*([case.merged] if case.merged else []))


if __name__ == "__main__":
    sys.exit(main())
