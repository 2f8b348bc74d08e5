# SPDX-License-Identifier: Apache-2.0
"""Calls on files, of descriptors and streams: each is recorded once, with its bytes and its file; the verdict names the file for which
other ranks wait.

check_files.py --meridian M --mpiexec X --ranks N program
"""

import collections
import json
import pathlib
import re
import shutil
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "support")]
import launch  # noqa: E402

MIB = 1 << 20
ROUNDS = 12
# Of each rank, as the program makes them: calls, bytes sent, bytes received, calls that fail.
OF_A_RANK = {
    "open": (2, 0, 0, 1), "pwrite": (1, 1000, 0, 0), "writev": (1, 300, 0, 0), "pread": (1, 0, 4096, 0), "readv": (1, 0, 300, 0),
    "read": (58, 0, 5700, 0), "ftruncate": (1, 0, 0, 0), "write": (1, 7, 0, 0), "close": (2, 0, 0, 0), "fopen": (1, 0, 0, 0),
    "fwrite": (1, 100000, 0, 0), "fflush": (1, 0, 0, 0), "fread": (1, 0, 60000, 0), "fclose": (1, 0, 0, 0),
}
OF_RANK_0 = {"open64": (ROUNDS, 0, 0, 0), "write": (8 * ROUNDS, 8 * ROUNDS * MIB, 0, 0), "fsync": (ROUNDS, 0, 0, 0), "close": (ROUNDS, 0, 0, 0)}


def expected(rank):
    rows = dict(OF_A_RANK)
    for name, more in OF_RANK_0.items() if rank == 0 else ():
        rows[name] = tuple(a + b for a, b in zip(rows.get(name, (0, 0, 0, 0)), more))
    return rows


SYSTEM_CALL = re.compile(r"(\w+)\((?:AT_FDCWD[^,]*, |\d+<([^>]*)>)?.*\) += (-?\d+)(?:<([^>]*)>)?")
KINDS = {"read": "reads", "pread64": "reads", "readv": "reads", "write": "writes", "pwrite64": "writes", "writev": "writes",
         "openat": "others", "open": "others", "close": "others", "fsync": "others", "ftruncate": "others"}  # fmt: skip


def seen_by_strace(options, work, names):
    """What the kernel was asked for: calls and bytes of each of these files, by strace. None: strace cannot trace here."""
    files, log = work / "seen", work / "log"
    files.mkdir()
    done = launch.mpirun(options.mpiexec, 1, ["strace", "-ff", "-y", "-o", log, options.program, files, "2"])
    if done.returncode != 0:
        return None
    found = {name: collections.Counter() for name in names}
    for path in work.glob("log.*"):
        for name, before, result, after in SYSTEM_CALL.findall(path.read_text(errors="replace")):
            counts, kind = found.get(pathlib.Path(before or after).name), KINDS.get(name)
            if counts is None or kind is None or pathlib.Path(before or after).parent != files:
                continue
            counts[kind] += 1
            counts["opens"] += name.startswith("open")
            counts[{"reads": "read_bytes", "writes": "write_bytes"}.get(kind, "")] += int(result)
    return found


def main():
    options = launch.parser()
    options.add_argument("program")
    options = options.parse_args()
    check = launch.Checks()

    def query(trace, sql):
        done = launch.run([options.meridian, "query", "--json", trace, sql])
        assert done.returncode == 0, done
        return [tuple(row.values()) for row in json.loads(done.stdout)["rows"]]

    def run(work, name, **variables):
        files, trace = work / f"{name}-files", work / name
        files.mkdir()
        done = launch.traced(options.mpiexec, options.ranks, options.meridian, [options.program, files, str(ROUNDS)], trace, work, **variables)
        assert done.returncode == 0, done
        summary = json.loads(launch.run([options.meridian, "merge", "--json", trace]).stdout)
        return files, trace, summary, done

    with tempfile.TemporaryDirectory(prefix="meridian-files-") as folder:
        work = pathlib.Path(folder)
        files, trace, summary, done = run(work, "trace")
        found = {}
        for rank, *row in query(trace, "SELECT rank, function, count(*), sum(bytes_sent), sum(bytes_received), sum(is_failed) FROM events "
                                       "WHERE function_group = 'files' GROUP BY rank, function"):
            found.setdefault(rank, {})[row[0]] = tuple(row[1:])
        for rank in range(options.ranks):
            check.equal(f"calls of rank {rank}", found.get(rank), expected(rank))
        by_name = {pathlib.Path(row["name"]).name: row for row in summary["files"]}
        names = {"checkpoint.0", "shared"} | {f"{kind}.{rank}" for rank in range(options.ranks) for kind in ("own", "stream")}
        check.equal("files", set(by_name), names)
        checkpoint = by_name["checkpoint.0"]
        check.equal("path", checkpoint["name"], str(files / "checkpoint.0"))
        check.equal("checkpoint", [checkpoint[key] for key in ("interface", "ranks", "opens", "writes", "write_bytes", "reads", "others")],
                    ["POSIX", 1, ROUNDS, 8 * ROUNDS, 8 * ROUNDS * MIB, 0, 3 * ROUNDS])
        own = by_name["own.0"]
        check.equal("own", [own[key] for key in ("opens", "reads", "read_bytes", "writes", "write_bytes")], [1, 60, 10096, 3, 1307])
        check.equal("MPI-IO counts once", [by_name["shared"][key] for key in ("interface", "opens", "writes", "write_bytes")],
                    ["MPI-IO", options.ranks, options.ranks, options.ranks * MIB])
        seconds = float(done.stdout.split("checkpoint_s ")[1].split()[0])
        in_file = checkpoint["write_s"] + checkpoint["other_s"]
        check.true(f"{in_file} s in the checkpoint, the program counted {seconds} s", 0.9 * seconds <= in_file <= seconds)
        # What costs enough is named. On a busy machine something else may.
        kinds = {row["name"]: row["group"] for row in summary["functions"]}
        in_calls = sum(row["total_s"] for row in summary["functions"] if row["group"] == "files")
        problem = next((row for row in summary["problems"] if row["problem"] == "input and output"), {"text": ""})
        late = sum(row["short_term_s"] for row in summary["delays"] if row["rank"] == 0 and row["what"] == "call" and kinds.get(row["function"]) == "files")
        waits = sum(row["total_s"] for row in summary["waits"] if row["function"] == "MPI_Barrier")
        ranks_time = sum(row["time_s"] - row["ends_s"] for row in summary["ranks"])
        if in_calls > 0.03 * ranks_time or 0.6 * waits > 0.03 * ranks_time and late > 0.6 * waits:
            check.true("a problem names the file", f"for {files / 'checkpoint.0'}: " in problem["text"])
        check.true("rank 0 makes others wait by calls on files", (late > 0) == (options.ranks > 1))
        if options.ranks == 2 and waits > 0.02 * ranks_time and late > 0.6 * waits:
            check.true("and who waits", "Therefore other ranks wait" in problem["text"] and "for rank 0." in problem["text"])

        names = ("checkpoint.0", "own.0")
        if options.ranks == 1 and shutil.which("strace") and (seen := seen_by_strace(options, work, names)):
            rounds = {"opens": 2 - ROUNDS, "writes": 8 * (2 - ROUNDS), "write_bytes": 8 * (2 - ROUNDS) * MIB, "others": 3 * (2 - ROUNDS)}
            for name in names:
                for key in ("opens", "reads", "read_bytes", "writes", "write_bytes", "others"):
                    recorded = by_name[name][key] + (rounds.get(key, 0) if name == "checkpoint.0" else 0)
                    check.equal(f"{key} of {name}, as strace counts them", recorded, seen[name][key])

        _, _, summary, _ = run(work, "without", MERIDIAN_LEVELS="all,-files")
        check.equal("without the group", [row["interface"] for row in summary["files"]], ["MPI-IO"])
        return check.finish(done)


if __name__ == "__main__":
    sys.exit(main())
