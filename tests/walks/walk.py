# SPDX-License-Identifier: Apache-2.0
"""A walk: edits that CONTRIBUTING.md describes, as a file.

    # comment
    section: To add an export       heading in CONTRIBUTING.md that describes the edits
    files: 3                        how many files of the product it takes
    key: value                      what is built and what it must show: check_walks.py

    == new PATH                     a file that is not there: the lines below are its text
    == PATH                         a file that is there:
    @ above TEXT                    lines that go above the only line that contains TEXT
    @ below TEXT                    the same, below it
    == program                      a C++ program of the check, no file of the product
"""

import dataclasses
import pathlib
import re


class WalkError(Exception):
    pass


@dataclasses.dataclass
class Edit:
    path: str
    is_new: bool
    lines: list = dataclasses.field(default_factory=list)  # of a new file
    insertions: list = dataclasses.field(default_factory=list)  # (is_above, text of the anchor, lines)


@dataclasses.dataclass
class Walk:
    name: str
    keys: dict
    edits: list
    program: str


def parse(path):
    keys, edits, program, sink = {}, [], [], None
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith("== "):
            words = line[3:].split()
            if words == ["program"]:
                sink = program
                continue
            edits.append(Edit(words[-1], words[0] == "new"))
            sink = edits[-1].lines if words[0] == "new" else None
        elif found := re.fullmatch(r"@ (above|below) (.+)", line):
            sink = []
            edits[-1].insertions.append((found[1] == "above", found[2], sink))
        elif sink is not None:
            sink.append(line)
        elif line and not line.startswith("#"):
            key, _, value = line.partition(": ")
            keys[key] = value
    return Walk(pathlib.Path(path).stem, keys, edits, "\n".join(program))


def without_empty_ends(lines):
    while lines and not lines[-1]:
        lines = lines[:-1]
    return lines


def apply_edit(edit, root):
    path = root / edit.path
    if edit.is_new:
        if path.exists():
            raise WalkError(f"{edit.path} is there already")
        path.write_text("\n".join(without_empty_ends(edit.lines)) + "\n")
        return
    lines = path.read_text().splitlines()
    for is_above, anchor, added in edit.insertions:
        found = [i for i, line in enumerate(lines) if anchor in line]
        if len(found) != 1:
            raise WalkError(f"{edit.path} has {len(found)} lines with '{anchor}'")
        at = found[0] if is_above else found[0] + 1
        lines[at:at] = added
    path.write_text("\n".join(lines) + "\n")


def section_of(text, heading):
    """The section of a Markdown text."""
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", text, re.M | re.S)
    if not found:
        raise WalkError(f"CONTRIBUTING.md has no section '{heading}'")
    return found[1]


NUMBERS = ["no", "one", "two", "three", "four", "five"]


def check_against(walk, contributing):
    """The edits use the files that the section names, in the number that it states."""
    section = section_of(contributing, walk.keys["section"])
    limit = int(walk.keys["files"])
    if len(walk.edits) != limit:
        raise WalkError(f"{walk.name} touches {len(walk.edits)} files, not {limit}")
    if not re.search(rf"\b{NUMBERS[limit]} files?\b", section, re.I):
        raise WalkError(f"'{walk.keys['section']}' does not say '{NUMBERS[limit]} files'")
    for edit in walk.edits:
        name = str(pathlib.PurePath(edit.path).parent) + "/" if edit.is_new else edit.path
        if f"`{name}" not in section:
            raise WalkError(f"'{walk.keys['section']}' does not name {name}")
