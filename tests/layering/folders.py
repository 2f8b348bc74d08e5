# SPDX-License-Identifier: Apache-2.0
"""Folders include each other in one direction only, at every depth.

An include leads from one folder to another; both are cut to the first part in which they differ. So a file of merger/load that
includes one of merger/match is an arrow from merger/load to merger/match, and a file directly in merger/ stands for "merger".
"""

import collections
import pathlib
import sys

import rules
from rules import tree

EXCEPTIONS = "tests/layering/mutual_folders.txt"


def ends(path, name):
    """The two folders that an include connects; None within one folder."""
    source, target = pathlib.PurePath(path).parent.parts, pathlib.PurePath(name).parent.parts
    if source == target:
        return None
    common = 0
    while common < min(len(source), len(target)) and source[common] == target[common]:
        common += 1
    return "/".join(source[: common + 1]), "/".join(target[: common + 1])


def arrows(root):
    """(folder, folder) -> the includes behind the arrow, as text."""
    found = collections.defaultdict(list)
    for path in rules.sources(root):
        for bracket, name in rules.includes(root, path):
            if bracket == '"' and rules.part_of(name) is not None:
                connected = ends(path.as_posix(), name)
                if connected:
                    found[connected].append(f"{path} includes {name}")
    return found


def exceptions(root):
    """The pairs of the list, in its order."""
    path = root / EXCEPTIONS
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [tuple(line.split()) for line in lines if line and not line.startswith("#")]


def shortest_cycle(found):
    """Folders that lead back to the first one; [] without any."""
    following = collections.defaultdict(list)
    for source, target in sorted(found):
        following[source].append(target)
    best = []
    for start in sorted(following):
        ways = collections.deque([[start]])
        seen = set()
        while ways:
            way = ways.popleft()
            for folder in following[way[-1]]:
                if folder == start and (not best or len(way) < len(best)):
                    best = way
                if folder not in seen:
                    seen.add(folder)
                    ways.append([*way, folder])
    return best


def check_folders(root=tree.ROOT):
    found = arrows(root)
    mutual = {(a, b) for a, b in found if a < b and (b, a) in found}
    allowed = exceptions(root)
    wrong = [f"{EXCEPTIONS}: remove the row '{' '.join(pair)}', which is no longer needed" for pair in allowed if pair not in mutual]
    for a, b in sorted(mutual - set(allowed)):
        wrong += [f"{a} and {b} include each other:", *(f"  {line}" for line in found[a, b] + found[b, a])]
    one_way = {arrow: lines for arrow, lines in found.items() if tuple(sorted(arrow)) not in mutual}
    cycle = shortest_cycle(one_way)
    if cycle:
        wrong.append(f"a ring of folders: {' -> '.join([*cycle, cycle[0]])}")
        wrong += [f"  {one_way[arrow][0]}" for arrow in zip(cycle, [*cycle[1:], cycle[0]])]
    return wrong


if __name__ == "__main__":
    violations = check_folders()
    print("\n".join(violations))
    sys.exit(1 if violations else 0)
