# SPDX-License-Identifier: Apache-2.0
"""The command line of tests that hold one program in several ways."""

import tempfile

import launch


def main(ways, prefix):
    """`ways`: name -> function (Checks, options, work directory), which returns (run, merge). Returns the exit code."""
    parser = launch.parser("writer")
    parser.add_argument("way", choices=ways)
    parser.add_argument("program")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix=prefix) as work:
        run, merged = ways[options.way](check, options, work)
        return check.finish(run.process, merged)
