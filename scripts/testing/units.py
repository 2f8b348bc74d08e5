# SPDX-License-Identifier: Apache-2.0
"""GoogleTest programs of a build tree, chosen by a regular expression before they are built."""

import pathlib
import re

TEST = re.compile(r"\bT(?:YPED_T)?EST(?:_[FP])?\(\s*(\w+),\s*(\w+)\)")


def programs(tree):
    """program -> its sources, as cmake wrote them down (meridian_test_targets)."""
    lines = (pathlib.Path(tree) / "test_programs.txt").read_text().splitlines()
    return {words[0]: words[1:] for words in (line.split(";") for line in lines if line)}


def cases(sources):
    """`Suite.Name` of each case, without parameters."""
    for source in sources:
        for suite, name in TEST.findall(pathlib.Path(source).read_text(encoding="utf-8")):
            yield f"{suite}.{name}"


def chosen(tree, pattern):
    """Programs whose name matches; where none does, those with a case that matches."""
    known = programs(tree)
    by_name = [name for name in known if re.search(pattern, name)]
    return by_name or [name for name, sources in known.items() if any(re.search(pattern, f"{name}.{case}") for case in cases(sources))]


def of_programs(tests, names, pattern):
    """The tests of these programs: all of a program whose name matches, else the cases that match."""
    for test in tests:
        program = pathlib.Path(test.command[0]).name if test.command else ""
        if program in names and (re.search(pattern, program) or re.search(pattern, test.name)):
            yield test
