# SPDX-License-Identifier: Apache-2.0
"""Tables of lines of all functions of some modules, and the lines that Python reads in them: "FIRST TABLE-IN-HEX LINE..." each."""

import argparse
import ast
import asyncio.base_events
import dataclasses
import inspect
import subprocess
import sys
import types
import typing
import unittest.mock


def functions(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from functions(constant)


def lines_of(code):
    """The line of each code unit; 0: none."""
    lines = [0] * (len(code.co_code) // 2)
    for begin, end, line in code.co_lines():
        lines[begin // 2 : end // 2] = [line or 0] * ((end - begin) // 2)
    return lines


with open(sys.argv[1], "w") as file:
    for module in (argparse, ast, asyncio.base_events, dataclasses, inspect, subprocess, typing, unittest.mock):
        whole = compile(inspect.getsource(module), module.__file__, "exec")
        for code in functions(whole):
            print(code.co_firstlineno, code.co_linetable.hex(), *lines_of(code), file=file)
