# SPDX-License-Identifier: Apache-2.0
"""Calls of threads, locks and sleep that levels and a filter leave out are counted by function instead of recorded; all
others are recorded as without them.

check_left_out.py --meridian M --tracer L --mpiexec X --ranks N left_out
"""

import collections
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support"), str(HERE.parent / "mpi"), str(HERE.parent / "mpi/counter")]
import check_threads  # noqa: E402
import h5py  # noqa: E402
import launch  # noqa: E402
import rank_trace  # noqa: E402
import tracing  # noqa: E402

RELEASES = ("pthread_mutex_unlock", "pthread_rwlock_unlock")  # recorded only with MERIDIAN_LOCKS=all
FILTER = """SCOREP_REGION_NAMES_BEGIN
  EXCLUDE pthread_mutex_* sem_* nanosleep pthread_join
  INCLUDE sem_init
SCOREP_REGION_NAMES_END
"""
SEMAPHORES = {"sem_post", "sem_wait", "sem_destroy"}
MUTEXES = {"pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_unlock"}
CASES = {  # settings, functions that are left out
    "filter": ({}, MUTEXES | SEMAPHORES | {"nanosleep", "pthread_join"}),
    "filter, all": ({"MERIDIAN_LOCKS": "all"}, MUTEXES | SEMAPHORES | {"nanosleep", "pthread_join"}),
    "one function": ({"MERIDIAN_LEVELS": "all,-pthread_mutex_lock"}, {"pthread_mutex_lock"}),
    "globs": ({"MERIDIAN_LEVELS": "-pthread_mutex_*,-sem_*,+sem_init"}, MUTEXES | SEMAPHORES),
    "globs, all": ({"MERIDIAN_LEVELS": "-pthread_mutex_*,-sem_*,+sem_init", "MERIDIAN_LOCKS": "all"}, MUTEXES | SEMAPHORES),
    "groups": ({"MERIDIAN_LEVELS": "all,-sleep,-thread"}, {"nanosleep", "pthread_create", "pthread_join"}),
    "no locks at all": ({"MERIDIAN_LEVELS": "-nanosleep", "MERIDIAN_LOCKS": "off"}, {"nanosleep"}),
    "MPI alone": ({"MERIDIAN_LEVELS": "all,-thread,-lock,-sleep"}, None),
    "nothing": ({"MERIDIAN_LEVELS": "none"}, None),
}


def passed(path):
    """function: calls that were left out."""
    with h5py.File(path) as file:
        names = file["calls/name"].asstr()[()]
        return {names[row["call"]]: int(row["count"]) for row in file["passed"][()]} if "passed" in file else {}


def check_case(check, options, work, name):
    settings, left_out = CASES[name]
    folder, scratch = work / "trace", work / "scratch"
    scratch.mkdir(parents=True)
    if name.startswith("filter"):
        settings = {**settings, "MERIDIAN_FILTER": work / "filter"}
        settings["MERIDIAN_FILTER"].write_text(FILTER)
    command = [options.mpiexec, "-n", options.ranks, options.meridian, "run", "/usr/bin/env", f"LD_PRELOAD={options.tracer}"]
    traced = tracing.launch_in(None, [*command, options.program], None, MERIDIAN_DIR=folder, MERIDIAN_SCRATCH=scratch, **settings)
    tracing.wait_for_writers(scratch, folder, options.ranks)
    check.equal(f"exit code, {name}", traced.returncode, 0)
    is_all, is_off = (settings.get("MERIDIAN_LOCKS") == value for value in ("all", "off"))
    called = collections.defaultdict(dict)
    for line in traced.stdout.splitlines():
        words = line.split()
        called[int(words[0])].setdefault(words[1], {})[words[2]] = int(words[3])
    check.equal(f"ranks, {name}", sorted(called), list(range(options.ranks)))
    for rank, tally in called.items():
        path = folder / f"rank-{rank:05}.h5"
        functions = {**tally["calls"], **tally["counts"]}
        unwanted = set(functions) if left_out is None else left_out
        expected = {f: n for f, n in functions.items() if f in unwanted and (is_all or f not in RELEASES)}
        counts = {f: n for f, n in passed(path).items() if not f.startswith("MPI_")}
        if name == "nothing":  # inside of MPI calls that are not recorded, Open MPI's plugins may pass for the program
            counts = {f: expected[f] if 0 <= counts[f] - expected[f] <= 20 else counts[f] for f in expected}
        check.equal(f"left out by rank {rank}, {name}", counts, expected)
        recorded = collections.Counter(call.name for call in rank_trace.RankTrace(path).others)
        is_lock = {f: f.startswith(("sem_", "pthread_mutex", "pthread_rw")) for f in functions}
        expected = {f: n for f, n in functions.items() if f not in unwanted and not (is_off and is_lock[f])
                    and (is_all or f in tally["calls"])}  # fmt: skip
        check.equal(f"recorded by rank {rank}, {name}", {f: recorded[f] for f in functions if recorded[f]}, expected)
        counted, _ = check_threads.acquired(path)
        kinds = {"mutex": ("pthread_mutex_lock", "pthread_mutex_trylock"), "read": ("pthread_rwlock_rdlock",), "semaphore": ("sem_wait",)}
        for kind, takes in kinds.items():
            free = sum(functions[f] for f in takes if f not in unwanted and not is_all and not is_off)
            check.equal(f"free locks that rank {rank} counted as {kind}, {name}", counted[kind], free)
    merged, summary = launch.merge(options.meridian, folder)
    if options.ranks == 1 or left_out is None:
        return traced, merged
    shown = {(row["rank"], row["name"]) for row in summary["passed"]}
    check.true(f"the summary shows them, {name}", all((rank, f) in shown for rank in called for f in left_out - set(RELEASES)))
    return traced, merged


def main():
    parser = launch.parser("tracer")
    parser.add_argument("program")
    options = parser.parse_args()
    check = launch.Checks()
    processes = []
    with tempfile.TemporaryDirectory(prefix="meridian-threads-") as folder:
        for number, name in enumerate(CASES):
            processes += check_case(check, options, pathlib.Path(folder) / str(number), name)
        return check.finish(*processes)


if __name__ == "__main__":
    sys.exit(main())
