# SPDX-License-Identifier: Apache-2.0
"""Damaged archives: `import` gives an error that names the archive, or files that `merge` takes; it never crashes.

check_damaged.py --meridian M write_archive
"""

import argparse
import pathlib
import shutil
import subprocess
import tempfile

from imported import launch

TRIES = 60

parser = argparse.ArgumentParser()
parser.add_argument("--meridian", required=True)
parser.add_argument("writer")
options = parser.parse_args()
draw = launch.generator(17)


def damaged(content):
    """Cut off, with some bytes changed, or with a stretch of zeros."""
    content, kind = bytearray(content), draw.randrange(3)
    if kind == 0:
        return content[: draw.randrange(len(content))]
    for _ in range(draw.choice((1, 1, 3))):
        at = draw.randrange(len(content))
        if kind == 1:
            content[at] = draw.randrange(256)
        else:
            content[at : at + 16] = bytes(len(content[at : at + 16]))
    return content


with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    subprocess.run([options.writer, work / "whole"], check=True)
    files = sorted(path.relative_to(work / "whole") for path in (work / "whole").rglob("*") if path.is_file())
    outcomes = {0: 0, 1: 0}
    cases = [(name, None) for name in files] + [(draw.choice(files), draw) for _ in range(TRIES)]
    for name, how in cases:
        for folder in ("archive", "trace"):
            shutil.rmtree(work / folder, ignore_errors=True)
        shutil.copytree(work / "whole", work / "archive")
        path = work / "archive" / name
        if how is None:
            path.unlink()
        else:
            path.write_bytes(damaged(path.read_bytes()))
        done = launch.run([options.meridian, "import", work / "archive" / "traces.otf2", "-o", work / "trace"])
        assert done.returncode in outcomes, (name, done.returncode, done.stderr)
        outcomes[done.returncode] += 1
        if done.returncode == 1:
            assert done.stderr.startswith("meridian: ") and "\nhint: " in done.stderr and len(done.stderr.splitlines()) == 2, (name, done.stderr)
            assert done.stdout == "" and not (work / "trace").exists(), name
            continue
        assert done.stderr == "", (name, done.stderr)
        merged, summary = launch.merge(options.meridian, work / "trace")
        assert merged.returncode in (0, 2) and summary is not None, (name, merged.returncode, merged.stderr)
    print(outcomes)
    assert min(outcomes.values()) > 5, outcomes
