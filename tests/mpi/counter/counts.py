# SPDX-License-Identifier: Apache-2.0
"""Reads the files of count_calls.c."""

import collections
import pathlib
import struct

MAGIC = 0x31544E554F43504D


def read(folder):
    """{rank: Counter of calls by function} of all processes that called MPI. A process without a launcher is rank 0."""
    counts = collections.defaultdict(collections.Counter)
    for path in pathlib.Path(folder).iterdir():
        data = path.read_bytes()
        magic, names, rank, _ = struct.unpack_from("<QQqQ", data)
        assert magic == MAGIC, f"{path} is no file of the counter"
        values = struct.unpack_from(f"<{names}Q", data, 32)
        texts = data[32 + 8 * names :].split(b"\0")
        counts[max(rank, 0)].update({text.decode(): value for text, value in zip(texts, values) if value})
    return dict(counts)
