# SPDX-License-Identifier: Apache-2.0
"""Compares an export with the merged file. Usage: check_export.py FORMAT merged.h5 DIR [SELECTION]

SELECTION: arguments of oracle.Expected._select() as JSON."""

import importlib
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import oracle  # noqa: E402

NEEDED = {"otf2": "otf2", "perfetto": "google.protobuf"}


def check(form, merged, folder, selection=None):
    """Number of events that were compared; None, with the reason printed, if there is no reader."""
    if form in NEEDED:
        try:
            importlib.import_module(NEEDED[form])
        except ImportError:
            print(f"not compared: there is no Python module {NEEDED[form]}")
            return None
    return importlib.import_module(f"read_{form}").check(oracle.Expected(merged, selection), pathlib.Path(folder))


if __name__ == "__main__":
    print(sys.argv[1], check(*sys.argv[1:4], *map(json.loads, sys.argv[4:])))
