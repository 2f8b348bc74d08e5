# SPDX-License-Identifier: Apache-2.0
"""Columns of a page's data, as docs/REPORT.md describes them."""

import base64
import itertools
import zlib


def inflate(text):
    return zlib.decompress(base64.b64decode(text))


def column(text):
    values, value, shift = [], 0, 0
    for byte in inflate(text):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(value)
            value = shift = 0
    return values


def signed_column(text):
    return [-(value + 1) // 2 if value % 2 else value // 2 for value in column(text)]


def event_rows(events):
    """For each row (enter times, durations)."""
    enters, durations, at = signed_column(events["enter"]), signed_column(events["duration"]), 0
    rows = []
    for count in column(events["counts"]):
        rows.append((list(itertools.accumulate(enters[at : at + count])), durations[at : at + count]))
        at += count
    return rows
