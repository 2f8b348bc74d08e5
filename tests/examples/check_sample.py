# SPDX-License-Identifier: Apache-2.0
"""The summary that README.md shows has the sections, rows and columns of a real one, of the program that it is of.

check_sample.py --meridian M --mpiexec X --ranks N --readme README.md --program P ARGUMENT...
Which sections there is room for depends on the run, and so do the numbers and the problems of the verdict.
"""

import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import launch  # noqa: E402

MOST_LINES = 60
ALWAYS = ["VERDICT", "FUNCTIONS BY TIME", "FINDINGS", "MORE"]
MERGED = "Merged into "
NAMES = {"RUN": r"  (in MPI|\S+) ", "EFFICIENCY": r"  ([a-z]+(?: [a-z]+)?) +[\d.]+ %"}  # of rows, in sections that have names
SOMETIMES = ["processor"]  # rows that need a kernel which permits samples


def sections(text):
    """[(title, lines)] of a summary."""
    found = []
    for line in text.splitlines():
        if title := re.match(r"[A-Z]{3,}[A-Z ]*(?<! )", line):
            found.append((title[0], []))
        elif found:
            found[-1][1].append(line)
    return found


def head(title, lines):
    """What does not depend on the run: the names of a table's columns, or of rows."""
    if title in NAMES:
        return [name[1] for line in lines if (name := re.match(NAMES[title], line)) and name[1] not in SOMETIMES]
    return lines[0].split() if lines and title.endswith("BY TIME") else []


def shown(readme):
    """The summary in the block of README.md that shows `meridian merge`."""
    block = re.search(r"^\+ meridian merge .*\n((?:.*\n)*?)```$", readme, re.MULTILINE)
    return block[1] if block else ""


def main():
    parser = launch.parser("readme", "program")
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    check = launch.Checks()
    sample = shown(pathlib.Path(options.readme).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(prefix="meridian-sample-") as work:
        trace = pathlib.Path(work) / "trace"
        command = [options.program, *options.arguments]
        program = launch.traced(options.mpiexec, options.ranks, options.meridian, command, trace, f"{work}/scratch")
        merge = launch.run([options.meridian, "merge", trace], COLUMNS=80)
        of_sample, of_run = sections(sample), dict(sections(merge.stdout))
        titles = [title for title, _ in of_sample]
        order = [title for title in of_run if title in titles]
        for title in set(titles) - set(of_run) - set(ALWAYS):  # a run with more problems has less room for others
            of_run.update(sections(launch.run([options.meridian, "stats", "--section", title.lower(), trace], COLUMNS=80).stdout))
    check.equal("exit codes", [program.returncode, merge.returncode], [0, 0])
    check.equal("sections of README.md, in the order of the summary", [title for title in titles if title in order], order)
    check.true(f"README.md shows {ALWAYS}: {titles}", set(ALWAYS) <= set(titles))
    for title, lines in of_sample:
        check.equal(f"names in {title}", head(title, lines), head(title, of_run.get(title, [])))
    for name, text in (("README.md", sample), ("meridian merge", merge.stdout)):
        lines = text.splitlines()
        check.true(f"{name} shows at most {MOST_LINES} lines: {len(lines)}", len(lines) <= MOST_LINES)
        check.true(f"{name} ends with the merged file: {lines[-1:]}", bool(lines) and lines[-1].startswith(MERGED))
    return check.finish(program, merge)


if __name__ == "__main__":
    sys.exit(main())
