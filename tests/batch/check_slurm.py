# SPDX-License-Identifier: Apache-2.0
"""Jobs of a real Slurm are traced, and their traces are complete however the job ends.

check_slurm.py CHECK --meridian M --ring P --victim P --mpi pmix|pmi2
"""

import argparse
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support"), str(HERE.parent / "examples"), str(HERE.parent / "faults")]
import launch  # noqa: E402
import predictions  # noqa: E402
import slurm as batch  # noqa: E402

LAPS, RANKS = 25, 4
PAUSE_US = 1000  # between rounds of calls: a minute of them is enough to merge
SKIPPED = 77


def step(options, *program):
    """The command line of a job step that traces a program."""
    return f"srun --ntasks={RANKS} --mpi={options.mpi} {options.meridian} run {' '.join(str(word) for word in program)}"


def traces(folder):
    return sorted(path for path in folder.glob("meridian-*") if path.is_dir())


def is_complete(check, options, trace, what):
    """The trace holds each call that the program's arguments predict, on each rank, and no finding."""
    merged, summary = launch.merge(options.meridian, trace)
    check.equal(f"{what}: exit code of merge", merged.returncode, 0)
    if summary is None:
        check.true(f"{what}: merge printed no summary: {merged.stderr}", False)
        return
    expected = predictions.ring(RANKS, LAPS)
    calls = {function["name"]: function["count"] for function in summary["functions"]}
    check.equal(f"{what}: calls by function", calls, dict(expected.calls))
    check.equal(f"{what}: findings", summary["findings"], [])


def check_step(slurm, options, folder, check):
    """srun starts the ranks; the folder of the trace is named after program and job."""
    done = slurm.run("salloc", f"--ntasks={RANKS}", "srun", f"--mpi={options.mpi}", options.meridian, "run", options.ring,
                     LAPS, folder=folder)
    check.equal("exit code", done.returncode, 0)
    check.equal("output", done.stdout, predictions.ring(RANKS, LAPS).result)
    job = done.stderr.split("Granted job allocation ")[-1].split()[0]
    made = traces(folder)
    check.equal("traces", len(made), 1)
    for trace in made:
        check.true(f"'{trace.name}' names job {job}", trace.name.startswith("meridian-ring-") and trace.name.endswith(f"-{job}"))
        check.equal("target of `latest`", (folder / "latest").resolve(), trace.resolve())
        is_complete(check, options, trace, "step")
    return [done]


def check_array(slurm, options, folder, check):
    """Each task of an array has a trace of its own, named after the id of its job."""
    job = slurm.submit(folder, "echo $SLURM_JOB_ID >> ids\n" + step(options, options.ring, LAPS) + "\n",
                       f"--ntasks={RANKS}", "--array=1-3", "--wait")
    check.equal("states", set(slurm.state(job).split()), {"COMPLETED"})
    ids = (folder / "ids").read_text().split()
    check.equal("jobs", len(set(ids)), 3)
    made = traces(folder)
    check.equal("jobs in names of traces", sorted(path.name.split("-")[-1] for path in made), sorted(ids))
    for trace in made:
        is_complete(check, options, trace, trace.name)
    return []


def start_victim(slurm, options, folder, *words):
    """A job whose ranks call MPI until they are killed, and count the calls that have returned in files of `shared`."""
    (folder / "shared").mkdir()
    job = slurm.submit(folder, step(options, options.victim, folder / "shared", "run", PAUSE_US) + "\n", f"--ntasks={RANKS}", *words)
    slurm.wait(job, "RUNNING", seconds=30)
    return job


def nothing_is_lost(check, options, folder, job):
    """Merges the trace of a killed job on its node, and compares it with the counts of the program."""
    import check_kills

    made = traces(folder)
    check.equal("jobs in names of traces", [path.name.split("-")[-1] for path in made], [job])
    counts = check_kills.counts_in(folder / "shared")
    check.equal("ranks that counted", sorted(counts), list(range(RANKS)))
    for trace in made:
        merged = launch.run([options.meridian, "merge", trace])
        check.true(f"exit code of merge: {merged.returncode}\n{merged.stderr}", merged.returncode in (0, 2))
        files = sorted(trace.glob("rank-*.h5"))
        check.equal("rank files", len(files), RANKS)
        for path in files:
            rank, main, others, losses = check_kills.completed_calls(path)
            _, counted, counted_others, _ = counts.get(rank, (0, 0, 0, 0))
            check.equal(f"rank {rank}: losses", losses, {})
            check.true(f"rank {rank}: {main} calls of the main thread, {counted} had returned", counted <= main <= counted + 1)
            check.true(f"rank {rank}: {others} calls of the other, {counted_others} had returned",
                       counted_others <= others <= counted_others + 1)
        check.true("calls of each rank", all(count[1] > 20 for count in counts.values()))


def check_time_limit(slurm, options, folder, check):
    """A job that exceeds its time is killed by Slurm. Limits are whole minutes."""
    job = start_victim(slurm, options, folder, "--time=1")
    check.equal("state", slurm.wait(job, "TIMEOUT", "FAILED", "COMPLETED", seconds=150), "TIMEOUT")
    wait_for_end(slurm, job)
    nothing_is_lost(check, options, folder, job)
    return []


def check_cancelled(slurm, options, folder, check):
    """scancel sends SIGTERM, and KillWait later SIGKILL."""
    import check_kills

    job = start_victim(slurm, options, folder)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        counts = check_kills.counts_in(folder / "shared")
        if len(counts) == RANKS and all(count[1] > 200 for count in counts.values()):
            break
        time.sleep(0.1)
    slurm.run("scancel", job)
    check.equal("state", slurm.wait(job, "CANCELLED", "FAILED", "COMPLETED", seconds=60), "CANCELLED")
    wait_for_end(slurm, job)
    nothing_is_lost(check, options, folder, job)
    return []


def wait_for_end(slurm, job):
    """Until no process of the job is left."""
    deadline = time.monotonic() + 60
    while slurm.run("squeue", "--noheader", f"--jobs={job}").stdout.strip() and time.monotonic() < deadline:
        time.sleep(0.2)


CHECKS = {"step": check_step, "array": check_array, "time_limit": check_time_limit, "cancelled": check_cancelled}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("check", choices=CHECKS)
    for name in ("meridian", "ring", "victim", "mpi"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    check = launch.Checks()
    try:
        slurm = batch.Slurm()
        with slurm, tempfile.TemporaryDirectory(prefix="meridian-job-") as temporary:
            folder = pathlib.Path(temporary)
            processes = CHECKS[options.check](slurm, options, folder, check)
            code = check.finish(*processes)
            if code != 0:
                print(slurm.logs())
                for path in folder.glob("slurm-*.out"):
                    print(f"--- {path.name}\n{path.read_text(errors='replace')}")
            return code
    except batch.Unavailable as reason:
        print(f"no Slurm: {reason}")
        return SKIPPED


if __name__ == "__main__":
    sys.exit(main())
