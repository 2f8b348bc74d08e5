"""Call stacks: what backtrace() says in the program, address by address, is what rank files have.

check_stacks.py --meridian M --writer W --mpiexec X --ranks N HOW PROGRAM [FILE...]; FILE: other files of the program
"""

import argparse
import collections
import pathlib
import subprocess
import sys
import tempfile

import h5py

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "support")]
import launch  # noqa: E402

DEEPER, LOST, HAS_SITE = 1, 2, 4


class Run:
    def __init__(self, options, work, depth, arguments=(), **extra):
        self.options, self.depth, self.folder = options, depth, pathlib.Path(work) / f"trace-{depth}"
        self.claims = pathlib.Path(work) / f"paths-{depth}"
        self.claims.mkdir()
        is_linked = options.how == "linked"
        command = [options.mpiexec, "-n", options.ranks, *([] if is_linked else [options.meridian, "run"]), options.program, *arguments]
        scratch = pathlib.Path(work) / f"scratch-{depth}"
        scratch.mkdir()
        extra.update(MERIDIAN_DIR=self.folder, MERIDIAN_SCRATCH=scratch, PATHS_DIR=self.claims, MERIDIAN_STACK=depth)
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


def own_code(file, options):
    """Where the program and its own libraries are loaded."""
    own = {str(pathlib.Path(path).resolve()) for path in (options.program, *options.files)}
    for row in file["texts"][()]:
        key, value = bytes(file["text_bytes"][int(row["first"]) : int(row["first"]) + int(row["bytes"])]).split(b"\0", 1)
        if key == b"module":
            begin, end, _bias, _identity, _kind, where = value.decode().split(" ", 5)
            if where in own:
                yield int(begin, 16), int(end, 16)


def expected(path, depth, beginnings):
    """What is to be recorded of a path that backtrace() gives, without the innermost address, which is another call."""
    if len(path) > depth:
        return path[1:depth] + (DEEPER,)
    return path[1:] + (() if path[-1] in beginnings else (LOST,))


def check_rank_files(check, run):
    """Every event of every rank. Returns how many there were."""
    compared = 0
    files = sorted(run.folder.glob("rank-*.h5"))
    check.equal("rank files", len(files), run.options.ranks)
    for path in files:
        with h5py.File(path) as file:
            known = list(run.known(file.attrs["pid"]))
            code = list(own_code(file, run.options))
            functions = {function for function, _ in known}
            # Where the process begins, and its threads.
            beginnings = {addresses[-1] for function, addresses in known if function == "MPI_Finalize" or function.startswith("MPI_Init")}
            beginnings |= {addresses[-1] for _, addresses in known[1:] if len(addresses) > 1 and addresses[-2:] in thread_ends(known)}
            want = collections.Counter((function, expected(addresses, run.depth, beginnings)) for function, addresses in known)
            got = collections.Counter()
            for function, addresses in recorded(file):
                # Libraries of the MPI call it as well.
                if function in functions and addresses and any(begin < addresses[0] <= end for begin, end in code):
                    got[function, addresses[1:]] += 1
            for key in sorted(set(want) | set(got)):
                check.equal(f"{path.name}: {key[0]} {[hex(a) for a in key[1]]}", got[key], want[key])
            compared += sum(got.values())
            parents = file["stacks/parent"][()]
            check.true("parents come first", all(parents[i] < max(i, 1) for i in range(len(parents))))
            rows = set(zip(parents[1:].tolist(), file["stacks/address"][()][1:].tolist()))
            check.equal("no place is there twice", len(rows), len(parents) - 1)
    return compared


def thread_ends(known):
    """The last two addresses of stacks of threads: they repeat, and are not those of the process."""
    ends = collections.Counter(addresses[-2:] for function, addresses in known if function == "usleep")
    return set(ends)


def check_exact(check, options, work):
    for depth in (256, 5, 1):
        run = Run(options, work, depth)
        check.equal("exit code", run.process.returncode, 0)
        check.true("the program says how it calls", check_rank_files(check, run) >= 8 * options.ranks)
    merged, summary = run.merge()
    check.equal("exit code of merge", merged.returncode, 0)
    return run, merged


HOW = {"exact": check_exact, "linked": check_exact}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--meridian", required=True)
    parser.add_argument("--writer", required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("how", choices=HOW)
    parser.add_argument("program")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-stacks-") as work:
        run, merged = HOW[options.how](check, options, work)
        return check.finish(run.process, merged)


if __name__ == "__main__":
    sys.exit(main())
