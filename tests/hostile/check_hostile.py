# SPDX-License-Identifier: Apache-2.0
"""The commands on files that are damaged or malicious.

Each damaged file is given to each command that reads its kind, with a limit of memory and of time. Whatever is in the
file: the command ends with 0, 1 or 2, names the file when it refuses it, sends nothing to the terminal that a terminal
obeys, prints valid JSON and CSV, and opens nothing that the file names.

check_hostile.py --meridian PATH --write-sample PATH --rank-file FILE SUBJECT [--all]

SUBJECT  rank_bytes, rank_content, profile_content (FILE is that of a profile),
         last_part_content (of a flight recorder), merged_bytes, merged_content
--all    every damage to every dataset, instead of each damage to some
"""

import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import damage

MEMORY_BYTES = 1 << 30  # of address space
TIME_S = 120  # that a command may take on a machine that is busy otherwise
CPU_S = 30
OBEYED = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b-\u200f]")


def limited(options):
    """The words before a command. Not with preexec_fn: that may hang where there are threads."""
    memory = "" if options.no_memory_limit else f"ulimit -v {MEMORY_BYTES >> 10};"
    return ["/bin/sh", "-c", f'{memory} ulimit -t {CPU_S}; ulimit -c 0; exec "$@"', "sh"]


class Case:
    """A directory with one damaged file in it, and what the commands made of that."""

    def __init__(self, options, directory, name, file):
        self.options, self.directory, self.name, self.file = options, directory, name, file
        self.complaints = []
        self.codes = []

    def complain(self, words, what, done=None):
        said = "" if done is None else f"\n    code {done.returncode}\n    out {done.stdout[-600:]!r}\n    err {done.stderr[-600:]!r}"
        self.complaints.append(f"{self.name}: {' '.join(map(str, words))}: {what}{said}")

    def run(self, *words, names=None, form="text"):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("MERIDIAN_")}
        environment["HDF5_PLUGIN_PATH"] = str(self.directory / "plugins")
        try:
            done = subprocess.run(
                [*limited(self.options), self.options.meridian, *map(str, words)], capture_output=True, timeout=TIME_S,
                cwd=self.directory, stdin=subprocess.DEVNULL, env=environment,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return self.complain(words, f"did not end in {TIME_S} s")
        self.codes.append(done.returncode)
        try:
            done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
        except UnicodeDecodeError as problem:
            return self.complain(words, f"is no UTF-8: {problem}")
        if done.returncode not in (0, 1, 2):
            return self.complain(words, "ended in another way", done)
        for text in (done.stdout, done.stderr):
            if match := OBEYED.search(text):
                self.complain(words, f"a terminal would obey {match[0]!r}", done)
            if damage.CANARY[:20].decode() in text or "root:x:0" in text:
                self.complain(words, "has read a file that the file names", done)
        if "internal error" in done.stderr or "out of memory" in done.stderr or "terminate" in done.stderr:
            self.complain(words, "is not prepared", done)
        if done.returncode == 1:
            said = done.stderr + done.stdout
            if not done.stderr.startswith("meridian: "):
                self.complain(words, "does not say what is wrong", done)
            elif not any(str(name) in said for name in (names or [self.file.name])):
                self.complain(words, "does not name the file", done)
            elif len(done.stderr.splitlines()) > 2:
                self.complain(words, "says too much", done)
        elif form == "json":
            try:
                json.loads(done.stdout)
            except ValueError as problem:
                self.complain(words, f"is no JSON: {problem}", done)
        elif form == "csv":
            self.check_csv(words, done)

    def check_csv(self, words, done):
        columns = 0
        rows = 0
        for row in csv.reader(done.stdout.splitlines(), strict=True):
            if not row:
                continue
            columns = len(row) if row[0] == "section" else columns
            rows += 1
            if len(row) != columns:
                self.complain(words, f"has a row with {len(row)} instead of {columns} columns: {row}")
        if rows == 0:
            self.complain(words, "has no rows", done)


EXPORTS = ("otf2", "chrome", "perfetto", "paje", "paraver", "csv")


def export(case, merged):
    """In another format for each case."""
    form = EXPORTS[sum(case.name.encode()) % len(EXPORTS)]
    case.run("export", "--format", form, "-o", case.directory / "exported", merged, names=[merged.name])
    shutil.rmtree(case.directory / "exported", ignore_errors=True)


EDITS = (("cut", "--from", "0s"), ("filter", "--functions", "*"), ("sort",), ("aggregate", "--shorter-than", "1s"))


def edit(case, merged):
    """In another way for each case."""
    words = EDITS[sum(case.name.encode()) % len(EDITS)]
    case.run(*words, "-o", case.directory / "edited", merged)
    made = case.directory / "edited" / "merged.h5"
    if made.exists() and damage.CANARY[:20] in made.read_bytes():
        case.complain(words, "has put a file that the file names into the merged file")
    shutil.rmtree(case.directory / "edited", ignore_errors=True)


TABLES = ("events", "messages", "collectives", "participants", "waits", "regions", "threads", "findings", "functions")


def look_at_rows(case):
    """Of another table for each case."""
    table = TABLES[sum(case.name.encode()) % len(TABLES)]
    case.run("query", "--json", case.file, f"SELECT * FROM {table}", names=[case.file.name, "no SQLite"], form="json")
    case.run("events", "--limit", "100", case.file)
    case.run("events", "--json", "--follow", "0:1", case.file, form="json")


def look_at_rank_file(case, is_whole_tour):
    trace = case.file.parent
    case.run("merge", "--force", "-o", case.directory / "merged.h5", trace, names=[case.file.name, trace])
    case.run("info", case.file)
    if is_whole_tour:
        case.run("where", "--json", trace, names=[case.file.name, trace], form="json")
        case.run("where", trace, names=[case.file.name, trace])
        case.run("info", trace)
    merged = case.directory / "merged.h5"
    if merged.exists():
        if damage.CANARY[:20] in merged.read_bytes():
            case.complain(("merge",), "has put a file that the file names into the merged file")
        if is_whole_tour:
            case.run("stats", "--json", merged, form="json")
            case.run("stats", "--csv", merged, form="csv")
            case.run("stats", merged)
        export(case, merged)
        merged.unlink()


def look_at_merged_file(case, is_whole_tour):
    case.run("stats", case.file)
    look_at_rows(case)
    case.run("compare", "--json", case.file, case.file, form="json")
    page = case.directory / "report.html"
    case.run("report", "-o", page, case.file)
    page.unlink(missing_ok=True)
    export(case, case.file)
    edit(case, case.file)
    if is_whole_tour:
        case.run("compare", case.file, case.file)
        case.run("compare", "--csv", case.file, f"{case.file},{case.file}", form="csv")
        case.run("stats", "--json", case.file, form="json")
        case.run("stats", "--csv", case.file, form="csv")
        case.run("check", case.file)
        case.run("info", case.file)
    case.run("order", case.file, "0:0", "0:1:leave")


def names_anything(name):
    return "names" in name or "extremes" in name or "link to" in name or "view" in name or "in " in name


def damages_of_bytes(whole, options):
    data = whole.read_bytes()
    for length in damage.truncations(data, 400 if options.all else 16):
        yield f"cut at {length}", data[:length]
    yield from damage.flips(data, 2000 if options.all else 24)


def damages_of_content(whole, options, attributes):
    """(name, what changes a file, whether each command has a look)"""
    datasets, kinds = damage.datasets_of(whole), list(damage.DATASETS.items())
    is_variant = options.subject in ("profile_content", "last_part_content")
    if is_variant and not options.all:  # tables and attributes that each rank file has are damaged in rank_content
        others = damage.datasets_of(options.rank_file.with_name("seed-0"))
        datasets, kinds, attributes = [name for name in datasets if name not in others], kinds[::3], []
    for number, (what, make) in enumerate(kinds):
        for k, name in enumerate(datasets if options.all else [datasets[number * 7 % len(datasets)]]):
            yield f"{name} is {what}", damage.replace(name, make), k == 0 and names_anything(what)
    for number, (what, value) in enumerate(damage.ATTRIBUTES.items()):
        for owner, name in attributes if options.all else attributes[number * 3 % max(1, len(attributes)) :][:1]:
            yield f"attribute {name} of {owner} is {what}", damage.attribute(owner, name, value), "names" in what


def every_name(path):
    """All strings of the file at once, and those of its attributes."""
    for number, name in enumerate(damage.datasets_of(path)):
        import h5py

        with h5py.File(path, "r") as file:
            is_text = file[name].dtype.kind == "S" and name != "calls/group"
        if is_text:
            damage.replace(name, damage.names_of_others(number))(path)


RANK_ATTRIBUTES = [("/", name) for name in ("schema", "version", "rank", "size", "pid", "hostname", "executable", "clock", "domain", "finalized", "counters_per_event")]
MERGED_ATTRIBUTES = [("summary", "schema"), ("summary", "version"), ("/", "clock_largest_move_ns"), ("/", "schema"), ("/", "version"), ("/", "time_origin_realtime_ns")]


def make_rank_file(options, work):
    whole = work / "whole.h5"
    shutil.copy(options.rank_file, whole)
    return whole


def make_merged_file(options, work):
    trace = work / "whole"
    trace.mkdir()
    shutil.copy(options.rank_file, trace / "rank-00000.h5")
    done = subprocess.run([options.meridian, "merge", "--quiet", trace], capture_output=True, text=True)
    assert (trace / "merged.h5").exists(), done
    return trace / "merged.h5"


def cases(options, work):
    """(name, function that makes the file, whether each command has a look)"""
    is_rank, is_bytes = not options.subject.startswith("merged"), options.subject.endswith("bytes")
    whole = (make_rank_file if is_rank else make_merged_file)(options, work)
    if is_bytes:
        for name, data in damages_of_bytes(whole, options):
            yield name, lambda path, data=data: path.write_bytes(data), False
        return

    def changed(change):
        def make(path):
            shutil.copy(whole, path)
            change(path)

        return make

    yield "nothing is wrong", changed(lambda path: None), True
    for name, change, is_whole_tour in damages_of_content(whole, options, RANK_ATTRIBUTES if is_rank else MERGED_ATTRIBUTES):
        yield name, changed(change), is_whole_tour or options.all
    yield "every name is one", changed(every_name), True
    if not is_rank:
        for sample in ("hostile", "four_ranks"):
            yield f"sample {sample}", lambda path, sample=sample: subprocess.run([options.write_sample, sample, "h5", path], check=True), True


def main():
    parser = argparse.ArgumentParser()
    for name in ("meridian", "write-sample", "rank-file"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    parser.add_argument("subject", choices=("rank_bytes", "rank_content", "profile_content", "last_part_content", "merged_bytes", "merged_content"))
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--no-memory-limit", action="store_true", help="for a build with sanitizers")
    options = parser.parse_args()
    name = "merged.h5" if options.subject.startswith("merged") else "rank-00000.h5"
    look = look_at_merged_file if options.subject.startswith("merged") else look_at_rank_file
    done, skipped = [], []
    with tempfile.TemporaryDirectory(prefix="meridian-hostile-") as work, concurrent.futures.ThreadPoolExecutor(2) as pool:
        work = pathlib.Path(work)
        running = []
        for number, (what, make, is_whole_tour) in enumerate(cases(options, work)):
            directory = work / f"case-{number}"
            trace = directory / "trace"
            trace.mkdir(parents=True)
            damage.put_elsewhere(trace)
            damage.put_plugins(directory)
            case = Case(options, directory, what, trace / name)
            try:
                make(case.file)
            except (TypeError, ValueError, OSError, NotImplementedError, RuntimeError) as problem:
                skipped.append(f"{what}: {problem}")  # no such file can be made: of this type, there is no such value
                continue
            done.append(case)
            running.append(pool.submit(look, case, is_whole_tour))
        for future in running:
            future.result()
    complaints = [complaint for case in done for complaint in case.complaints]
    codes = [code for case in done for code in case.codes]
    for complaint in complaints:
        print(complaint)
    if options.all:
        for what in skipped:
            print("cannot be made:", what)
    counts = ", ".join(f"{codes.count(code)} with {code}" for code in sorted(set(codes)))
    print(f"{len(done)} files, {len(skipped)} that h5py does not make, {len(codes)} commands: {counts}; {len(complaints)} complaints")
    if 4 * len(skipped) > len(done):
        print("too few files could be made")
        return 1
    refusals = {1, 2} if options.subject == "last_part_content" else {1}  # of its own tables, none is needed
    if not refusals & set(codes) or (not options.subject.endswith("bytes") and 0 not in codes and 2 not in codes):
        print("nothing was refused, or nothing was read: this test tests nothing")
        return 1
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
