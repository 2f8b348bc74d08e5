# SPDX-License-Identifier: Apache-2.0
"""Call stacks: what backtrace() says in the program, address by address, is what rank files have.

check_stacks.py --meridian M --writer W --mpiexec X --ranks N HOW PROGRAM [FILE...]; FILE: other files of the program
"""

import collections
import pathlib
import re
import subprocess
import sys

import h5py

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "support")]
import launch  # noqa: E402
import ways  # noqa: E402

DEEPER, LOST, HAS_SITE = 1, 2, 4
MPI_LIBRARIES = ("libmeridian", "libmpich", "libmpifort", "libmpi.so", "libmpi_mpifh", "libmpi_use")

LIBRARY_HEADER = re.compile(r"^/usr/(local/)?(include|lib)/|/include/c\+\+/")


class Run:
    def __init__(self, options, work, depth, arguments=(), **extra):
        self.options, self.depth, self.folder = options, depth, pathlib.Path(work) / f"trace-{depth}"
        self.claims = pathlib.Path(work) / f"paths-{depth}"
        self.claims.mkdir()
        is_linked = options.way == "linked"
        command = [options.mpiexec, "-n", options.ranks, *([] if is_linked else [options.meridian, "run"]), options.program, *arguments]
        scratch = pathlib.Path(work) / f"scratch-{depth}"
        scratch.mkdir()
        extra.update(MERIDIAN_DIR=self.folder, MERIDIAN_SCRATCH=scratch, PATHS_DIR=self.claims, MERIDIAN_STACK=depth)
        extra.setdefault("MERIDIAN_LEVELS", "all,-files")  # the claims are files of the program
        if is_linked:
            extra["MERIDIAN_WRITER"] = options.writer
        self.process = subprocess.run(
            [str(word) for word in command], env=launch.environment(**extra), capture_output=True, text=True,
            stdin=subprocess.DEVNULL, timeout=100,
        )  # fmt: skip

    def known(self, pid):
        """[(function, addresses)]: of the caller of note_path() first."""
        for line in (self.claims / str(pid)).read_text().splitlines():
            function, *addresses = line.split()
            yield function, tuple(int(address, 16) for address in addresses)

    def merge(self):
        return launch.merge(self.options.meridian, self.folder)


def recorded(file):
    """[(function, addresses or None)] of all events, innermost first."""
    parents, addresses = file["stacks/parent"][()], file["stacks/address"][()]
    nodes = iter(file["sites/node"][()])
    sites = iter(file["dictionary"][()][file["sites/address"][()]])
    names = [text.decode() for text in file["calls/name"][()]]
    for call, flags in zip(file["events/call"][()], file["events/flags"][()]):
        if not flags & HAS_SITE:
            yield names[call], None
            continue
        node, site = int(next(nodes)), int(next(sites))
        path = []
        while node != 0:
            path.append(int(addresses[node]))
            node = int(parents[node])
        assert not path or path[0] == site
        yield names[call], tuple(path)


def modules_of(file):
    """(begin, end, bias, path) of the files that were loaded."""
    for row in file["texts"][()]:
        key, value = bytes(file["text_bytes"][int(row["first"]) : int(row["first"]) + int(row["bytes"])]).split(b"\0", 1)
        if key == b"module":
            begin, end, bias, _identity, _kind, where = value.decode().split(" ", 5)
            yield int(begin, 16), int(end, 16), int(bias, 16), where


def code(file, is_wanted):
    """[(begin, end)] of the loaded files for which is_wanted(path) holds."""
    return [(begin, end) for begin, end, _, where in modules_of(file) if is_wanted(where)]


def beginnings_of(file, known):
    """The first functions of the process and of its threads, the process first; and the code that calls them."""
    start = code(file, lambda name: pathlib.Path(name).name.startswith(("libc.so", "ld-linux", "libmeridian")))
    ends = {addresses[-1] for _, addresses in known if is_in(addresses[-1], start) and len(addresses) > 2}
    return [known[0][1][-1], *ends], start


def is_in(address, ranges):
    return any(begin < address <= end for begin, end in ranges)


def program_of(path, start):
    """Without what is not the program's: the code that calls main() or the routine of a thread."""
    end = len(path)
    while end > 1 and is_in(path[end - 1], start):
        end -= 1
    return path[:end]


def expected(path, depth, beginnings, start):
    """The part of a path from backtrace() that must be recorded; not the innermost address, which is another call."""
    is_whole = path[-1] in beginnings
    if is_whole:
        path = program_of(path[:-1] if path[-1] == beginnings[0] else path, start)
    if len(path) > depth:
        return path[1:depth] + (DEEPER,)
    return path[1:] + (() if is_whole else (LOST,))


def check_rank_files(check, run):
    """Every event of every rank. Returns how many there were."""
    compared = 0
    files = sorted(run.folder.glob("rank-*.h5"))
    check.equal("rank files", len(files), run.options.ranks)
    for path in files:
        with h5py.File(path) as file:
            known = list(run.known(file.attrs["pid"]))
            own = {str(pathlib.Path(name).resolve()) for name in (run.options.program, *run.options.files)}
            own_code = code(file, own.__contains__)
            functions = {function for function, _ in known}
            beginnings, start = beginnings_of(file, known)
            want = collections.Counter((function, expected(addresses, run.depth, beginnings, start)) for function, addresses in known)
            got = collections.Counter()
            for function, addresses in recorded(file):
                # Libraries of the MPI call it as well.
                if function in functions and addresses and is_in(addresses[0], own_code):
                    got[function, addresses[1:]] += 1
            for key in sorted(set(want) | set(got)):
                check.equal(f"{path.name}: {key[0]} {[hex(a) for a in key[1]]}", got[key], want[key])
            compared += sum(got.values())
            parents = file["stacks/parent"][()]
            check.true("parents come first", all(parents[i] < max(i, 1) for i in range(len(parents))))
            rows = set(zip(parents[1:].tolist(), file["stacks/address"][()][1:].tolist()))
            check.equal("no place is there twice", len(rows), len(parents) - 1)
    return compared


def places(run, file, addresses):
    """{address: the source location from addr2line in the program's own code; elsewhere the name of the file}."""
    own = {str(pathlib.Path(name).resolve()) for name in (run.options.program, *run.options.files)}
    known, asked = {}, collections.defaultdict(list)
    for address in addresses:
        ((bias, where),) = [(bias, where) for begin, end, bias, where in modules_of(file) if begin < address <= end]
        known[address] = pathlib.Path(where).name
        if where in own:
            asked[where].append((address, hex(address - bias - 1)))
    for where, list_ in asked.items():
        command = ["addr2line", "-a", "-i", "-e", where, *(offset for _, offset in list_)]
        said = re.split(r"(?m)^0x[0-9a-f]+\n", subprocess.run(command, capture_output=True, text=True, check=True).stdout)[1:]
        for (address, _), frames in zip(list_, said, strict=True):
            lines = [line.split(" ")[0] for line in frames.splitlines()]
            # Inlined from a header of the compiler or the system: the place is where it was inlined.
            place = next((line for line in lines if not LIBRARY_HEADER.search(line)), lines[-1])
            known[address] = pathlib.Path(place).name
    return known


def check_paths(check, run, summary):
    """The paths of the summary are those of the programs, by files and lines; of a call itself it is another line."""
    own = {str(pathlib.Path(name).resolve()) for name in (run.options.program, *run.options.files)}
    want, lost = collections.Counter(), 0
    for path in sorted(run.folder.glob("rank-*.h5")):
        with h5py.File(path) as file:
            known = list(run.known(file.attrs["pid"]))
            beginnings, start = beginnings_of(file, known)
            chains = [(function, expected(addresses, run.depth, beginnings, start)) for function, addresses in known]
            place = places(run, file, {address for _, chain in chains for address in chain if address > LOST})
            for function, chain in chains:
                if function == "meridian_event":  # has no time
                    continue
                begins = {DEEPER: "deeper", LOST: "lost"}.get(chain[-1] if chain else None, "program")
                lost += begins == "lost"
                want[function, begins, tuple(place[address] for address in chain if address > LOST)] += 1
    got = collections.Counter()
    functions = {function for function, _, _ in want}
    frames = collections.defaultdict(list)
    for frame in summary["path_frames"]:
        check.equal("frames are in order", frame["frame"], len(frames[frame["path"]]))
        frames[frame["path"]].append(frame)
    for path in summary["paths"]:
        chain = frames[path["path"]][::-1]
        check.equal("frames of the path", len(chain), path["frames"])
        if path["function"] in functions and chain[0]["module"] in own:
            names = [pathlib.Path(f["module"]).name if f["module"] not in own else f"{pathlib.Path(f['file']).name}:{f['line']}" for f in chain]
            got[path["function"], path["begins"], tuple(names[1:])] += path["count"]
    for key in sorted(set(want) | set(got)):
        check.equal(f"calls of {key[0]} from {key[1]} by {key[2]}", got[key], want[key])
    check.true("the longest are first", [p["total_s"] for p in summary["paths"]] == sorted((p["total_s"] for p in summary["paths"]), reverse=True))
    found = {finding["name"]: finding["count"] for finding in summary["findings"]}
    if "mpi_stacks_" in str(run.options.program) and run.options.files:
        check.equal("calls with callers that are not known", found.get("stack.lost", 0), lost)


def check_merged_file(check, run):
    with h5py.File(run.folder / "merged.h5") as file:
        parents, sites = file["paths/parent"][()], file["paths/site"][()]
        check.true("the first three rows are marks", sites[:3].tolist() == [0, 0, 0] and parents[:3].tolist() == [0, 0, 0])
        check.true("parents come first", all(parents[i] < i for i in range(3, len(parents))))
        check.true("all others have sites", all(sites[3:] > 0) and max(sites) < len(file["sites/line"]))
        check.equal("the site of an event is that of its path", file["events/site"][()].tolist(), sites[file["events/path"][()]].tolist())
        modules = [text.decode() for text in file["modules/path"][()]]
        used = {pathlib.Path(modules[module]).name for module in file["sites/module"][()][sites[3:]]}
        check.true(f"no frame of the tracer or of MPI: {used}", not any(name.startswith(MPI_LIBRARIES) for name in used))


def check_text(check, run):
    text = launch.run([run.options.meridian, "stats", "--sites", "40", run.folder]).stdout
    section = text.split("CALL PATHS BY TIME", 1)[1].split("\n\n", 1)[0]
    check.true("80 columns do", max(map(len, section.splitlines())) <= 80)
    check.true("the program's calls are there", "  MPI_Finalize: " in section)


def check_exact(check, options, work):
    for depth in (256, 5, 1):
        run = Run(options, work, depth)
        check.equal("exit code", run.process.returncode, 0)
        check.true("the program says how it calls", check_rank_files(check, run) >= 8 * options.ranks)
        merged, summary = run.merge()
        check.equal("exit code of merge", merged.returncode, 0)
        check_paths(check, run, summary)
        check_merged_file(check, run)
        check_text(check, run)
    return run, merged


WAYS = {"exact": check_exact, "linked": check_exact}


if __name__ == "__main__":
    sys.exit(ways.main(WAYS, "meridian-stacks-"))
