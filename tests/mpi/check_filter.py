# SPDX-License-Identifier: Apache-2.0
"""Calls that MERIDIAN_FILTER, MERIDIAN_MAX_CALLS and `meridian control` leave out are counted, by function; others are recorded.

check_filter.py --meridian M --tracer L --counter C --mpiexec X --ranks N filter|limit|control|switching|options|mistakes program
"""

import pathlib
import subprocess
import sys
import tempfile
import time

import h5py
import tracing
from tracing import launch

import merged_columns  # isort: skip

FILTER = """# comment
SCOREP_FILE_NAMES_BEGIN
  EXCLUDE *.c
SCOREP_FILE_NAMES_END
SCOREP_REGION_NAMES_BEGIN
  EXCLUDE MPI_*
          pthread_*   # goes on
  INCLUDE MPI_Ba[r]rier MPI_Init
SCOREP_REGION_NAMES_END
"""


def passed(path):
    with h5py.File(path) as file:
        names = [name.decode() for name in file["calls/name"][()]]
        return {names[row["call"]]: int(row["count"]) for row in file["passed"][()]} if "passed" in file else {}


def check_sums(check, runs, recorded_of=None):
    """Recorded and passed together are what was called."""
    for rank, counted in runs.counted.items():
        recorded, left_out = runs.traces[rank].counts(), passed(runs.folder / f"rank-{rank:05}.h5")
        for name, count in counted.items():
            check.equal(f"{name} of rank {rank}", recorded.get(name, 0) + left_out.get(name, 0), count)
            if recorded_of is not None:
                check.equal(f"recorded {name} of rank {rank}", recorded.get(name, 0), count if name in recorded_of else 0)


def check_filter(check, options, work):
    path = pathlib.Path(work, "filter")
    path.write_text(FILTER)
    runs = tracing.run(options, [options.program, 3000], work, MERIDIAN_FILTER=path, MERIDIAN_LEVELS="-user,-lock,-thread,-sleep")
    tracing.check_same_result(check, runs)
    check_sums(check, runs, {"MPI_Barrier", "MPI_Init"})
    merged, summary = launch.merge(options.meridian, runs.folder)
    shown = [row["count"] for row in summary["passed"] if row["name"] == "MPI_Iprobe"]
    check.equal("probes in the summary", shown, [3000] * options.ranks)
    return runs.untraced, runs.traced, merged


def check_limit(check, options, work):
    runs = tracing.run(options, [options.program, 60000], work, MERIDIAN_MAX_CALLS=1000, MERIDIAN_BUFFER="512K")
    tracing.check_same_result(check, runs)
    check_sums(check, runs)
    for rank, trace in runs.traces.items():
        probes = trace.counts()["MPI_Iprobe"]
        check.equal(f"probes recorded of rank {rank}", probes, 1000)
    merged, summary = launch.merge(options.meridian, runs.folder)
    found = {finding["name"]: finding["count"] for finding in summary["findings"]}
    check.equal("functions that were stopped", found.get("filter.throttled"), options.ranks)
    return runs.untraced, runs.traced, merged


def check_control(check, options, work):
    folder, scratch, stop = (pathlib.Path(work, name) for name in ("trace", "scratch", "stop"))
    missing = launch.run([options.meridian, "control", folder, "off"])
    scratch.mkdir()
    command = [options.mpiexec, "-n", options.ranks, options.meridian, "run", options.program, 10, stop]
    environment = launch.environment(MERIDIAN_DIR=folder, MERIDIAN_SCRATCH=scratch)
    with subprocess.Popen([str(word) for word in command], env=environment, stdout=subprocess.PIPE, text=True) as process:

        def ask(*words):
            return launch.run([options.meridian, "control", folder, *words])

        deadline = time.monotonic() + 60
        while len(list(folder.glob("rank-*.ring"))) < options.ranks and time.monotonic() < deadline:
            time.sleep(0.05)
        asked = [ask("off"), ask("on"), ask("level", "coll,env,user"), ask("levels"), ask("level", "col")]
        time.sleep(1)
        stop.touch()
        output, _ = process.communicate(timeout=90)
    check.equal("exit codes of control", [run.returncode for run in asked], [0, 0, 0, 1, 1])
    check.equal("exit code", process.returncode, 0)
    check.true("output", output.startswith("busy"))
    tracing.wait_for_writers(scratch, folder, options.ranks)
    for rank in range(options.ranks):
        trace = tracing.rank_trace.RankTrace(folder / f"rank-{rank:05}.h5")
        check.true(f"rank {rank} stopped recording probes", passed(folder / f"rank-{rank:05}.h5").get("MPI_Iprobe", 0) > 0)
        check.equal(f"barriers of rank {rank}", trace.counts()["MPI_Barrier"], 1)
        with h5py.File(folder / f"rank-{rank:05}.h5") as file:
            names = file["calls/name"].asstr()[()]
            events = [names[number] for number in file["events/call"][()]]
        check.true(f"the switch of rank {rank} is an event", "meridian_event" in events)
    check.equal("exit code of control beforehand", missing.returncode, 1)
    gone = launch.run([options.meridian, "control", folder, "off"])
    check.equal("exit code of control afterwards", gone.returncode, 1)
    return (*asked, gone)


def check_overlaps(check, folder, ranks):
    """All ranks of an Allreduce are in it at the same time."""
    with h5py.File(folder / "merged.h5") as file:
        parts = merged_columns.part_columns(file)
    whole = 0
    for instance in set(parts["instance"]):
        chosen = parts["instance"] == instance
        check.true(f"collective {instance} is one", max(parts["enter_ns"][chosen]) < min(parts["leave_ns"][chosen]))
        whole += chosen.sum() == ranks
    check.true(f"collectives of all ranks: {whole} of {len(parts['instance'])} calls", ranks * whole > 0.8 * len(parts["instance"]))


def check_switching(check, options, work):
    """Ranks that follow at moments of their own, while messages are under way."""
    folder, scratch, counting, stop = (pathlib.Path(work, name) for name in ("trace", "scratch", "counts", "stop"))
    scratch.mkdir()
    counting.mkdir()
    preload = f"LD_PRELOAD={options.counter}:{options.tracer}"
    command = [options.mpiexec, "-n", options.ranks, options.meridian, "run", "/usr/bin/env", preload, options.program, stop]
    environment = launch.environment(MERIDIAN_DIR=folder, MERIDIAN_SCRATCH=scratch, COUNT_CALLS_DIR=counting)
    with subprocess.Popen([str(word) for word in command], env=environment, stdout=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while len(list(folder.glob("rank-*.ring"))) < options.ranks and time.monotonic() < deadline:
            time.sleep(0.05)
        for words in (["off"], ["on"], ["off"], ["level", "all,-MPI_Iprobe"], ["on"], ["off"], ["on"]):
            asked = launch.run([options.meridian, "control", folder, *words])
            check.equal(f"exit code of control {words}", asked.returncode, 0)
            time.sleep(0.2)
        stop.touch()
        output, _ = process.communicate(timeout=90)
    check.equal("exit code", process.returncode, 0)
    check.equal("output", output, f"exchanging on {options.ranks} ranks: done\n")
    tracing.wait_for_writers(scratch, folder, options.ranks)
    for rank, counted in tracing.counts.read(counting).items():
        path = folder / f"rank-{rank:05}.h5"
        recorded, missing = tracing.rank_trace.RankTrace(path).counts(), passed(path)
        both = {name: recorded.get(name, 0) + missing.get(name, 0) for name in counted}
        check.equal(f"calls of rank {rank}", both, dict(counted))
        check.true(f"rank {rank} recorded and left out messages", recorded["MPI_Send"] > 0 and missing.get("MPI_Send", 0) > 0)
    merged, summary = launch.merge(options.meridian, folder)
    check.equal("exit code of merge", merged.returncode, 0)
    check.equal("findings", [f["name"] for f in summary["findings"] if f["name"] != "call.switched_off"], [])
    check.equal("out of order", (summary["reversed_before"], summary["reversed_after"]), (0, 0))
    # At each switch, what was under way may be left without its other side, and what went on between ranks that followed at
    # different moments; everything else has it.
    sent = sum(row["count"] for row in summary["functions"] if row["name"] in ("MPI_Send", "MPI_Isend"))
    lost = sent - summary["messages"]["matched"]
    check.true(f"messages with both sides: all of {sent} but {lost}", 0 <= lost <= 30 * options.ranks)
    check_overlaps(check, folder, options.ranks)
    return (asked, merged)


def check_mistakes(check, options, work):
    for text, words in (
        ("EXCLUDE *\n", "filter:1: this stands outside of a block: 'EXCLUDE'"),
        ("SCOREP_REGION_NAMES_BEGIN\n\nMPI_Send\n", "filter:3: INCLUDE or EXCLUDE is missing before 'MPI_Send'"),
        ("SCOREP_REGION_NAMES_BEGIN\n", "filter:1: this block has no end: 'SCOREP_REGION_NAMES_BEGIN'"),
    ):
        path = pathlib.Path(work, "filter")
        path.write_text(text)
        ran = run_with(options, work, MERIDIAN_FILTER=path)
        check.true(f"said: {words}", words in ran.stderr)
    for text, words in (
        ("level pool\n", "events.def:1: this is not a valid number of a level: ''; write `level NAME NUMBER`"),
        ("level pool 21\nevnt pool STEAL\n", "events.def:2: there is no 'evnt'; did you mean 'event'?"),
        ("level pool 21\nevent pol STEAL\n", "events.def:2: not declared: level 'pol'; did you mean 'pool'?"),
        ("level pool 21\nevent pool STEAL thief:i46\n", "events.def:2: this is not a type of a field: 'i46'; did you mean 'i64'?"),
        ("level pool 21\nlevel pool 22\n", "events.def:2: declared twice: level 'pool'; remove one of the two"),
    ):
        path = pathlib.Path(work, "events.def")
        path.write_text(text)
        ran = run_with(options, work, MERIDIAN_EVENTS=path)
        check.true(f"said: {words}", words in ran.stderr)
        check.equal("exit code", ran.returncode, 0)
    return (ran,)


def stored_options(path):
    with h5py.File(path) as file:
        data = bytes(file["text_bytes"][()].tobytes())
        texts = [data[int(row["first"]) : int(row["first"]) + int(row["bytes"])].decode() for row in file["texts"][()]]
    pairs = (text.split("\0", 1) for text in texts)
    return {key.removeprefix("option."): value for key, value in pairs if key.startswith("option.")}


def check_options(check, options, work):
    """Without `meridian run`: the tracer reads file and environment itself, and every value in force is in the rank file."""
    work = pathlib.Path(work)
    (work / "scratch").mkdir()
    (work / "meridian.conf").write_text("# comment\nBUFFER = 1M\nMERIDIAN_LEVELS=all,-MPI_Iprobe # as well\nMAX_CALL = 5\nno setting\n")
    command = [options.mpiexec, "-n", options.ranks, "/usr/bin/env", f"LD_PRELOAD={options.tracer}", options.program, 3]

    def run(folder, **extra):
        return tracing.launch_in(work, command, MERIDIAN_DIR=work / folder, MERIDIAN_SCRATCH=work / "scratch", **extra)

    ran = run("trace", MERIDIAN_BUFFER="512K", MERIDIAN_BUFER="4M", MERIDIAN_COMM="2-4", MERIDIAN_CLOCK="tcs")
    check.equal("exit code", ran.returncode, 0)
    for words in (
        "unknown option MERIDIAN_MAX_CALL in meridian.conf; did you mean MERIDIAN_MAX_CALLS?",
        "'meridian.conf' has a line that is no setting: 'no setting'",
        "unknown option MERIDIAN_BUFER in the environment; did you mean MERIDIAN_BUFFER?",
        "MERIDIAN_COMM has the value '2-4' in the environment, which is not understood; the default ':' is used",
        "MERIDIAN_CLOCK has the value 'tcs' in the environment, which is not understood; the default 'auto' is used",
    ):
        check.equal(f"times that was said: {words}", ran.stderr.count(words), 1)
    tracing.wait_for_writers(work / "scratch", work / "trace", options.ranks)
    listed = launch.run([options.meridian, "options", "--markdown"]).stdout
    names = {line.split("`")[1] for line in listed.splitlines() if line.startswith("| `MERIDIAN_")}
    for rank in range(options.ranks):
        stored = stored_options(work / "trace" / f"rank-{rank:05}.h5")
        check.equal(f"options that rank {rank} has stored", set(stored), names)
        wanted = {"BUFFER": "512K", "LEVELS": "all,-MPI_Iprobe", "COMM": ":", "CLOCK": "auto", "MAX_CALLS": "0"}
        for name, value in wanted.items():
            check.equal(f"MERIDIAN_{name} of rank {rank}", stored.get(f"MERIDIAN_{name}"), value)
        check.equal(f"left out of rank {rank}", passed(work / "trace" / f"rank-{rank:05}.h5"), {"MPI_Iprobe": 3})
    strict = run("strict", MERIDIAN_STRICT="yes")
    check.equal("exit code of a strict run", strict.returncode, 0)
    check.equal("output of a strict run", strict.stdout, ran.stdout)
    check.true("a strict run says that it is not traced", "MERIDIAN_STRICT is set and the options have mistakes; this run is not traced" in strict.stderr)
    check.equal("trace of a strict run", (work / "strict").exists(), False)
    return ran, strict


def check_shortened(check, options, work):
    """The program empties the file, whose values the tracer still needs: the directory in MPI_Init, for example."""
    work = pathlib.Path(work)
    (work / "scratch").mkdir()
    (work / "meridian.conf").write_text(f"DIR = {work}/named\nSCRATCH = {work}/scratch\n")
    command = [options.mpiexec, "-n", options.ranks, "/usr/bin/env", f"LD_PRELOAD={options.tracer}", options.program]
    ran = tracing.launch_in(work, command)
    check.equal("exit code", ran.returncode, 0)
    check.equal("size of the file", (work / "meridian.conf").stat().st_size, 0)
    tracing.wait_for_writers(work / "scratch", work / "named", options.ranks)
    check.equal("rank files where the file had said", len(list((work / "named").glob("rank-*.h5"))), options.ranks)
    return (ran,)


def run_with(options, work, **extra):
    scratch = pathlib.Path(work, "scratch")
    scratch.mkdir(exist_ok=True)
    command = [options.mpiexec, "-n", options.ranks, options.meridian, "run", options.program, 1]
    with tempfile.TemporaryDirectory(dir=work) as folder:
        return tracing.launch_in(None, command, MERIDIAN_DIR=pathlib.Path(folder, "trace"), MERIDIAN_SCRATCH=scratch, **extra)


def main():
    parser = tracing.parser()
    parser.add_argument("what", choices=("filter", "limit", "control", "switching", "options", "shortened", "mistakes"))
    parser.add_argument("program", help="busy; exchanging for switching")
    options = parser.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-filter-") as work:
        return check.finish(*globals()["check_" + options.what](check, options, work))


if __name__ == "__main__":
    sys.exit(main())
