# SPDX-License-Identifier: Apache-2.0
"""Call sites: what a program says of its own calls, line by line, is what rank files, merged file and summary have, and
what addr2line says of the addresses.

check_sites.py --meridian M --tracer L --mpiexec X --ranks N HOW PROGRAM [FILE...]; FILE: other files that have call sites
"""

import collections
import pathlib
import shutil
import subprocess
import sys
import time

import h5py

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "support")]
import launch  # noqa: E402
import merged_columns  # noqa: E402
import ways  # noqa: E402

FINISHED = {"MPI_Init", "MPI_Finalize"}


def name(path):
    return pathlib.Path(path).name


def claims(output):
    """{(function, caller, file, line): calls} of all ranks, and how many ranks called from there."""
    calls, ranks = collections.Counter(), collections.Counter()
    for line in output.splitlines():
        if line.startswith("site "):
            _, function, caller, file, number, count = line.split()
            calls[function, caller, name(file), int(number)] += int(count)
            ranks[function, caller, name(file), int(number)] += 1
    return calls, ranks


def addr2line(path, offset):
    """(function, file, line) of the code before a return address."""
    said = subprocess.run(["addr2line", "-f", "-e", path, hex(offset - 1)], capture_output=True, text=True, check=True).stdout
    function, place = said.splitlines()
    file, line = place.split(" ")[0].rsplit(":", 1)
    return function, name(file), int(line) if line.isdigit() else 0


class Run:
    def __init__(self, options, program, work, arguments=(), **extra):
        self.options, self.folder = options, pathlib.Path(work) / "trace"
        self.is_linked = options.way == "linked"
        command = [options.mpiexec, "-n", options.ranks, *([] if self.is_linked else [options.meridian, "run"]), program, *arguments]
        if self.is_linked:
            extra["MERIDIAN_WRITER"] = options.writer
        scratch = pathlib.Path(work) / "scratch"
        scratch.mkdir()
        self.process = subprocess.run(
            [str(word) for word in command], env=launch.environment(MERIDIAN_DIR=self.folder, MERIDIAN_SCRATCH=scratch, **extra),
            capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=100,
        )  # fmt: skip
        self.calls, self.ranks = claims(self.process.stdout)

    def merge(self):
        return launch.merge(self.options.meridian, self.folder)


def findings(summary):
    return {finding["name"]: finding["count"] for finding in summary["findings"]}


def check_exact(check, options, work):
    run = Run(options, options.program, work)
    check.equal("exit code", run.process.returncode, 0)
    check.true("the program says where it calls", len(run.calls) > 5)
    merged, summary = run.merge()
    check.equal("exit code of merge", merged.returncode, 0)
    check.equal("findings", findings(summary), {})
    is_fortran = any(file.endswith(".F90") for _, _, file, _ in run.calls)
    found, found_ranks = collections.Counter(), collections.Counter()
    own = {str(pathlib.Path(path).resolve()): path for path in (options.program, *options.files)}
    for site in summary["sites"]:
        check.true(f"{site['module']} is a file of the program", site["module"] in own)
        _, file, line = addr2line(site["module"], site["offset"])
        check.equal("what addr2line says", (name(site["file"]), site["line"]), (file, line))
        # gfortran gives the line of a USE to calls that have nothing but an optional argument.
        if is_fortran and site["function"] in FINISHED:
            (line,) = [known for function, _, _, known in run.calls if function == site["function"]]
        found[site["function"], site["caller"], file, line] += site["count"]
        found_ranks[site["function"], site["caller"], file, line] = max(
            site["ranks"], found_ranks[site["function"], site["caller"], file, line])  # fmt: skip
    check.equal("calls by site", dict(found), dict(run.calls))
    check.equal("ranks by site", dict(found_ranks), dict(run.ranks))
    for site in summary["sites"]:
        if site["caller"] == "inlined":
            check.true(f"inlined() is in {site['outer']}()", site["outer"] in ("main", "twice"))
    total = sum(function["total_s"] for function in summary["functions"])
    shares = [site["share"] for site in summary["sites"] if site["function"] not in ("MPI_Init", "MPI_Init_thread", "MPI_Finalize")]
    check.true("the shares add up to 1", abs(sum(shares) - 1) < 1e-9)
    check.true("the times add up", abs(sum(site["total_s"] for site in summary["sites"]) - total) < 1e-6)
    check_files(check, run, own)
    return run, merged


def check_files(check, run, own):
    """Every event of rank files and merged file, without any code of ours."""
    with h5py.File(run.folder / "merged.h5") as file:
        tables = {column: file[f"sites/{column}"][()] for column in file["sites"]}
        calls = [text.decode() for text in file["calls/name"][()]]
        modules = [text.decode() for text in file["modules/path"][()]]
        check.equal("row 0 is none", (tables["module"][0], tables["line"][0], tables["function"][0]), (0, 0, b""))
        check.true("modules are files of the program", set(modules[1:]) >= set(own))
        by_rank = collections.Counter()
        for rank, call, site in zip(*(merged_columns.event_columns(file)[name] for name in ("rank", "call", "site"))):
            by_rank[int(rank), calls[call], int(tables["module"][site]), int(tables["offset"][site])] += 1
    for path in run.folder.glob("rank-*.h5"):
        with h5py.File(path) as file:
            ranges = []
            for row in file["texts"][()]:
                key, value = bytes(file["text_bytes"][int(row["first"]) : int(row["first"]) + int(row["bytes"])]).split(b"\0", 1)
                if key == b"module":
                    begin, end, bias, _identity, _kind, where = value.decode().split(" ", 5)
                    ranges.append((int(begin, 16), int(end, 16), int(bias, 16), where))
            counted = collections.Counter()
            addresses = file["dictionary"][()][file["sites/address"][()]]
            events = file["events/call"][()]
            check.equal("every call has a site", len(addresses), len(events))
            names = [text.decode() for text in file["calls/name"][()]]
            for call, address in zip(events, addresses):
                ((bias, where),) = [(b, w) for begin, end, b, w in ranges if begin < int(address) <= end]
                counted[int(file.attrs["rank"]), names[call], modules.index(where), int(address) - bias] += 1
            rank = int(file.attrs["rank"])
            check.equal(f"calls of rank {rank}", {k: v for k, v in by_rank.items() if k[0] == rank}, dict(counted))


def copy_of(options, work):
    copy = pathlib.Path(work) / "program"
    shutil.copy(options.program, copy)
    return copy


def check_stripped(check, options, work):
    """Without symbols and lines a site is a file and an offset, which the file before stripping explains."""
    copy = copy_of(options, work)
    subprocess.run(["strip", copy], check=True)
    run = Run(options, copy, work)
    merged, summary = run.merge()
    check.equal("exit code of merge", merged.returncode, 0)
    own = [site for site in summary["sites"] if site["module"] == str(copy)]
    check.equal("findings", findings(summary), {})
    found = collections.Counter()
    for site in own:
        check.equal("line", (site["file"], site["line"]), ("", 0))
        _, file, line = addr2line(options.program, site["offset"])
        found[site["function"], file, line] += site["count"]
    known = collections.Counter()
    for (function, _, file, line), count in run.calls.items():
        if file in ("sites.c",):
            known[function, file, line] += count
    check.equal("calls by site", dict(found), dict(known))
    text = launch.run([options.meridian, "stats", "--all", run.folder]).stdout
    check.true("the text says where", f"{copy.name}+0x" in text)
    check.true("the text says how many have no line", f"  {len(own)} without a source line" in text)
    return run, merged


def check_changed(check, options, work):
    """A file that is gone or another one since: a finding, offsets, and nothing invented."""
    copy = copy_of(options, work)
    run = Run(options, copy, work)
    offsets = None
    for state in ("there", "another", "damaged", "gone"):
        if state == "another":
            copy.unlink()
            shutil.copy("/bin/true", copy)
        elif state == "damaged":  # the build id is as it was
            data = bytearray(pathlib.Path(options.program).read_bytes())
            sections = subprocess.run(["readelf", "-SW", options.program], capture_output=True, text=True, check=True).stdout
            for line in sections.splitlines():
                words = line.replace("[ ", "[").split()
                if len(words) > 5 and words[1].startswith(".debug_"):
                    begin, length = int(words[4], 16), int(words[5], 16)
                    data[begin : begin + length] = bytes((7 * i + 3) % 251 for i in range(length))
            copy.write_bytes(data)
        elif state == "gone":
            copy.unlink()
        merged, summary = run.merge()
        own = sorted((site["function"], site["offset"], site["count"]) for site in summary["sites"] if site["module"] == str(copy))
        check.equal(f"exit code of merge when the file is {state}", merged.returncode, 0)
        names = set(findings(summary))
        if state == "there":
            offsets = sorted({offset for _, offset, _ in own})
            check.equal("findings", names, set())
            continue
        check.true("the sites are still told apart", {offset for _, offset, _ in own} >= set(offsets))
        calls = sum(count for (_, _, file, _), count in run.calls.items() if file == "sites.c")
        check.equal(f"calls when the file is {state}", sum(count for _, _, count in own), calls)
        if state == "damaged":
            check.true(f"damage is a finding, not {names}", names <= {"site.unreadable"})
        else:
            check.equal(f"findings when the file is {state}", names, {"site.file_missing"})
    return run, merged


def check_off(check, options, work):
    run = Run(options, options.program, work, MERIDIAN_SITES="no")
    merged, summary = run.merge()
    check.equal("exit code of merge", merged.returncode, 0)
    check.equal("sites", summary["sites"], [])
    with h5py.File(run.folder / "merged.h5") as file:
        check.true("no table of sites", "sites" not in file and "modules" not in file and "site" not in file["events"])
    for path in run.folder.glob("rank-*.h5"):
        with h5py.File(path) as file:
            check.true("no sites in rank files", "sites" not in file or len(file["sites/address"]) == 0)
    return run, merged


def check_unfinished(check, options, work):
    """The call that a rank was ended in has its site."""
    run = Run(options, options.program, work, arguments=["hang"])
    check.true("the program was ended", run.process.returncode != 0)
    for _ in range(300):  # the writer notices on its own
        if len(list(run.folder.glob("rank-*.h5"))) == options.ranks and not list(run.folder.glob("*.part")):
            break
        time.sleep(0.1)
    merged, summary = run.merge()
    unfinished = [site for site in summary["sites"] if site["function"] == "MPI_Recv" and site["caller"] == "main"]
    check.equal("sites of MPI_Recv in main", len(unfinished), 1)
    source = (pathlib.Path(__file__).parent / "sites.c").read_text().splitlines()
    (line,) = [i for i, text in enumerate(source, 1) if "99, MPI_COMM_SELF" in text]
    check.equal("where and how often", [(site["line"], site["count"]) for site in unfinished], [(line, options.ranks)])
    check.equal("finding", findings(summary).get("call.unfinished"), options.ranks)
    return run, merged


WAYS = {
    "exact": check_exact, "linked": check_exact, "stripped": check_stripped, "changed": check_changed, "off": check_off,
    "unfinished": check_unfinished,
}  # fmt: skip


if __name__ == "__main__":
    sys.exit(ways.main(WAYS, "meridian-sites-"))
