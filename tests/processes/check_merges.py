# SPDX-License-Identifier: Apache-2.0
"""`mpirun -n P meridian merge DIR`: the processes of the job merge together.

check_merges.py SUBJECT --meridian M --mpiexec X --ranks P --flavor openmpi|mpich --program A_TRACED_PROGRAM
"""

import contextlib
import filecmp
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "batch")]
import launch  # noqa: E402
import slurm as batch  # noqa: E402

SLURM_MPI = {"openmpi": "pmix", "mpich": "pmi2"}
SKIPPED = 77


def generate(options, directory, ranks, calls, hosts=1):
    ran = launch.run([options.meridian, "generate", directory, "--ranks", ranks, "--calls", calls, "--hosts", hosts])
    assert ran.returncode == 0, ran
    return directory


def names(directory):
    return sorted(path.name for path in directory.iterdir())


def merged_alone(options, check, trace, *words):
    ran = launch.run([options.meridian, "merge", trace, "-o", trace / "alone.h5", *words])
    check.true(f"{ran} is a merge", ran.returncode in (0, 2) and ran.stderr == "")
    return ran.stdout.replace("alone.h5", "merged.h5")


def merged_together(options, trace, *words, **extra):
    return launch.mpirun(options.mpiexec, options.ranks, [options.meridian, "merge", trace, *words], NO_COLOR="1", **extra)


def expect_the_same(check, trace, alone, ran):
    check.equal("exit code", ran.returncode, 0)
    check.equal("words on standard error", ran.stderr, "")
    check.equal("output", ran.stdout, alone)
    check.true(f"{trace.name} is merged into the same bytes", filecmp.cmp(trace / "alone.h5", trace / "merged.h5", False))


def same(options, check, here):
    """Generated traces: of one clock, of several, of many ranks, and packed."""
    traces = [generate(options, here / "few", 4, 6000), generate(options, here / "clocks", 12, 1500, 4), generate(options, here / "many", 150, 200)]
    traces.append(generate(options, here / "packed", 9, 800))
    assert launch.run([options.meridian, "pack", traces[-1]]).returncode == 0
    for trace in traces:
        alone = merged_alone(options, check, trace)
        expect_the_same(check, trace, alone, ran := merged_together(options, trace))
    return ran


def program(options, check, here):
    """A real trace, merged from its directory by a relative name, with words for programs, and without any."""
    traced = launch.traced(options.mpiexec, 2, options.meridian, [options.program], here / "trace", here / "scratch")
    check.equal("exit code of the program", traced.returncode, 0)
    alone = merged_alone(options, check, here / "trace", "--json")
    ran = merged_together(options, here / "trace", "--json")
    expect_the_same(check, here / "trace", alone, ran)
    quiet = merged_together(options, here / "trace", "--quiet")
    expect_the_same(check, here / "trace", "", quiet)
    return ran


def refusals(options, check, here):
    """What cannot be merged is said once, by one process, and all end."""
    missing = merged_together(options, here / "nowhere")
    check.true("a missing directory is an error", missing.returncode != 0)
    check.equal("says it once", missing.stderr.count("meridian: "), 1)
    trace = generate(options, here / "trace", 6, 100)
    for path in trace.iterdir():
        path.write_bytes(path.read_bytes()[:3000])
    damaged = merged_together(options, trace)
    check.true("damaged files are an error", damaged.returncode != 0)
    check.equal("says it once, too", damaged.stderr.count("meridian: "), 1)
    check.true("the number of files is said", "none of the 6 rank files" in damaged.stderr)
    check.equal("nothing is left", names(trace), [f"rank-{rank:05}.h5" for rank in range(6)])
    return damaged


def processes_of(parent):
    """Those that it has started, and those that these have."""
    found = []
    for task in pathlib.Path(f"/proc/{parent}/task").iterdir():
        with contextlib.suppress(OSError):
            for child in (task / "children").read_text().split():
                found += [int(child), *processes_of(int(child))]
    return found


def command_of(process):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    return []


def mergers(options, launcher):
    with contextlib.suppress(OSError):
        return [process for process in processes_of(launcher.pid) if command_of(process)[:1] == [options.meridian.encode()]]
    return []


def killed(options, check, here):
    """The job ends when a process of it is killed, at any time, and leaves what was there before."""
    trace = generate(options, here / "trace", 200, 1500)
    files = names(trace)
    draw = launch.generator()
    for attempt in range(6):
        before = b"what was there before" if attempt % 2 else None
        if before:
            (trace / "merged.h5").write_bytes(before)
        launcher = subprocess.Popen(
            [options.mpiexec, "-n", str(options.ranks), options.meridian, "merge", "--force", str(trace)],
            env=launch.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        began = time.monotonic()
        while len(mergers(options, launcher)) < options.ranks and time.monotonic() - began < 60:
            time.sleep(0.01)
        time.sleep(draw.uniform(0, 1))
        victims = mergers(options, launcher)
        victim = draw.choice(victims) if victims else None
        if victim:
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
        output, errors = launcher.communicate(timeout=100)
        was_merged = launcher.returncode == 0
        check.true("a job that was killed has an exit code and words that show it", was_merged or errors.strip() != "" or output.strip() != "")
        check.equal("processes that are left", mergers(options, launcher), [])
        left = set(names(trace)) - set(files) - {"merged.h5", "merged.h5.part", "merged.h5.lock"}  # as after any SIGKILL
        check.equal("files beside those of the ranks", left, set())
        if not was_merged:
            now = (trace / "merged.h5").read_bytes() if (trace / "merged.h5").exists() else None
            check.true("no half of a merged file has its name", now == before or filecmp_complete(options, trace))
        (trace / "merged.h5").unlink(missing_ok=True)
    alone = merged_alone(options, check, trace)
    expect_the_same(check, trace, alone, ran := merged_together(options, trace))
    check.equal("files after a merge", names(trace), sorted([*files, "alone.h5", "merged.h5"]))
    return ran


def filecmp_complete(options, trace):
    """The victim ended after its work: the file is whole."""
    return launch.run([options.meridian, "stats", trace]).returncode in (0, 2)


def in_slurm(options, check, here):
    trace = generate(options, here / "trace", 20, 500)
    alone = merged_alone(options, check, trace)
    with batch.Slurm() as slurm:
        ran = slurm.run("srun", f"--ntasks={options.ranks}", f"--mpi={SLURM_MPI[options.flavor]}", options.meridian, "merge", trace)
    expect_the_same(check, trace, alone, ran)
    return ran


def apart(options, check, here):
    """Processes that know of each other only by the launcher's variables: one of them merges, and says why alone."""
    trace = generate(options, here / "trace", 4, 100)
    alone = merged_alone(options, check, trace)
    ran = launch.run([options.meridian, "merge", trace], PMI_RANK="0", PMI_SIZE="2")
    check.equal("exit code", ran.returncode, 0)
    check.true(f"{ran.stderr!r} says it", ran.stderr.startswith("meridian: the processes of this job cannot merge together: "))
    check.equal("output", ran.stdout, alone)
    return ran


ALONE = "meridian: the processes of this job cannot merge together: "


def nested(options, check, here):
    """An MPI program whose rank 0 has a trace merged: MPI has that place of the job already."""
    trace = generate(options, here / "trace", 4, 100)
    merged_alone(options, check, trace)
    ran = launch.mpirun(options.mpiexec, options.ranks, [options.starter, f"'{options.meridian}' merge --quiet '{trace}'"])
    check.equal("exit code of the program", ran.returncode, 0)
    check.equal("what the program says", ran.stdout, f"started, 0, {options.ranks} ranks\n")
    check.true("the reason is said", ran.stderr.startswith(f"{ALONE}'{pathlib.Path(options.starter).name[:15]}', which uses MPI itself,"))
    check.true("the trace is merged", filecmp.cmp(trace / "alone.h5", trace / "merged.h5", False))
    return ran


def sequence(options, check, here):
    """A program and a merge, one after the other, in each place of a job: a place is for one program that uses MPI."""
    trace = generate(options, here / "trace", 4, 100)
    merged_alone(options, check, trace)
    for script in (f"'{options.program}'; '{options.meridian}' merge --quiet '{trace}'",
                   f"'{options.program}'; '{options.meridian}' merge --quiet '{trace}'; exit 0"):
        (trace / "merged.h5").unlink(missing_ok=True)
        ran = launch.mpirun(options.mpiexec, options.ranks, ["bash", "-c", script])
        check.equal(f"exit code of {script}", ran.returncode, 0)
        check.true("the reason is said", f"{ALONE}another program ran before this one" in ran.stderr)
        check.true("the trace is merged", filecmp.cmp(trace / "alone.h5", trace / "merged.h5", False))
    return ran


def preloaded(options, check, here):
    """A user exports the tracer for all programs of a script: the merge is not one of those to be traced."""
    trace = generate(options, here / "trace", 4, 100)
    alone = merged_alone(options, check, trace)
    tracer = pathlib.Path(options.meridian).parent.parent / "lib" / "meridian" / options.flavor / "libmeridian.so"
    check.true(f"{tracer} is there", tracer.exists())
    ran = merged_together(options, trace, LD_PRELOAD=tracer, MERIDIAN_DIR=here / "traced")
    expect_the_same(check, trace, alone, ran)
    check.true("the merge is not traced", not (here / "traced").exists())
    return ran


def main():
    options = launch.parser("flavor", "program", "starter")
    options.add_argument("subject", choices=("same", "program", "refusals", "killed", "in_slurm", "apart", "nested", "sequence", "preloaded"))
    options = options.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory() as folder:
        try:
            ran = globals()[options.subject](options, check, pathlib.Path(folder))
        except batch.Unavailable as reason:
            print(f"no Slurm: {reason}")
            return SKIPPED
        return check.finish(ran)


if __name__ == "__main__":
    sys.exit(main())
