# SPDX-License-Identifier: Apache-2.0
"""Answers of `meridian query` as pandas tables."""

import json
import shutil
import subprocess

import pandas as pd

from .errors import TraceError


def run_query(path, sql, command):
    """The result of a query. The command reads the trace by itself, in bounded memory; only the result is kept here."""
    program = shutil.which(command)
    if program is None:
        raise TraceError(f"there is no command '{command}': install Meridian, or give its path as query(sql, command=PATH)")
    done = subprocess.run([program, "query", "--json", str(path), "-"], input=sql.encode("utf-8", "surrogateescape"), capture_output=True, check=False)
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or [f"'{program}' ended with code {done.returncode}"]
        raise TraceError("; ".join(line.removeprefix("meridian: ").removeprefix("hint: ") for line in lines))
    result = json.loads(done.stdout)
    return pd.DataFrame({name: column([row[name] for row in result["rows"]]) for name in result["columns"]})


def column(values):
    """Integers are int64, also if some are missing; other numbers are float64."""
    known = [value for value in values if value is not None]
    if known and all(isinstance(value, int) for value in known):
        return pd.array(values, dtype="int64" if len(known) == len(values) else "Int64")
    if known and all(isinstance(value, (int, float)) for value in known):
        return pd.Series(values, dtype="float64")
    return pd.Series(values, dtype=object)
