# SPDX-License-Identifier: Apache-2.0
"""Columns of merged.h5, as merged/FORMAT.md describes them."""

import numpy as np

BLOCK_ROWS = 65536


def texts(column):
    """Names as Python strings; bytes that are no UTF-8 become U+FFFD."""
    return np.array([value.decode("utf-8", "replace") for value in column[:]], dtype=object)


def wide(values):
    """Integers as int64, in which sums and differences do not wrap; larger ones stay as they are."""
    is_narrow = values.dtype.kind in "iu" and values.dtype != np.int64
    return values.astype(np.int64) if is_narrow and (values.dtype != np.uint64 or not (values >> 63).any()) else values


def in_global_order(column, location):
    """A column that is stored location by location within blocks, in the order of the rows of /events."""
    stored = wide(column[:])
    ordered = np.empty_like(stored)
    ordered[np.lexsort((location, np.arange(len(location)) // BLOCK_ROWS))] = stored
    return ordered


def sequences(skipped, location):
    """The number of each call in its thread, from those that are missing before it."""
    order = np.argsort(location, kind="stable")
    total = np.cumsum(skipped[order] + 1)
    begin = np.searchsorted(location[order], location[order])
    result = np.empty(len(location), np.int64)
    result[order] = total - (total - skipped[order] - 1)[begin] - 1
    return result
