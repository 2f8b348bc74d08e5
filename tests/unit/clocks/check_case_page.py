# SPDX-License-Identifier: Apache-2.0
"""docs/CLOCK_CASES.md has the tables that clock_cases prints: the same rows, the same published figures; only what was
simulated depends on the number of repetitions. Usage: check_case_page.py CLOCK_CASES PAGE [REPETITIONS]
With a number of repetitions, the page gets the tables that are printed now; its sentences stay as they are."""

import pathlib
import subprocess
import sys


def tables(text):
    """Each as a list of rows, the first one its header."""
    found = []
    previous = ""
    for line in text.splitlines():
        if line.startswith("|"):
            if not previous.startswith("|"):
                found.append([])
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if set("".join(cells)) != {"-"} or len(found[-1]) != 1:
                found[-1].append(cells)
        previous = line
    return found


def fixed(table):
    """The cells that do not depend on the repetitions: the names of the rows, and the published figures."""
    header = table[0]
    columns = [0, *(i for i, name in enumerate(header) if "published" in name or "earlier" in name)]
    return [header] + [[row[i] for i in columns] for row in table[1:]]


def refresh(printed, page):
    """Puts the tables in place of those of the page, in their order."""
    blocks = page.read_text().split("\n\n")
    new = iter(block for block in printed.split("\n\n") if block.startswith("|"))
    is_table = [block.startswith("|") and not block.startswith("| parameter") for block in blocks]
    page.write_text("\n\n".join(next(new).strip("\n") if table else block for table, block in zip(is_table, blocks)))


def main(program, page, repetitions=None):
    page = pathlib.Path(page)
    done = subprocess.run([program, repetitions or "1"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    if repetitions:
        refresh(done.stdout, page)
    shown = [table for table in tables(page.read_text()) if table[0][0] != "parameter"]
    printed = tables(done.stdout)
    assert len(printed) >= 10, len(printed)
    assert [table[0] for table in shown] == [table[0] for table in printed]
    for own, other in zip(shown, printed):
        assert fixed(own) == fixed(other), (fixed(own), fixed(other))
        assert all(len(row) == len(own[0]) for row in own), own[0]


main(*sys.argv[1:])
