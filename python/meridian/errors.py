# SPDX-License-Identifier: Apache-2.0
"""Errors of this package."""

import functools


class TraceError(Exception):
    """There is no such trace, or it cannot be read; the text says what to do."""


class read_once(functools.cached_property):  # noqa: N801: a decorator
    """A table that is read when it is first asked for. A file that contradicts its format raises TraceError."""

    def __get__(self, trace, owner=None):
        if trace is None:
            return self
        return reading(trace, lambda: super(read_once, self).__get__(trace, owner))


def reading(trace, read):
    """read(), with the errors of h5py and NumPy for damaged files as TraceError."""
    if not trace.is_open:
        raise TraceError(f"'{trace.path}' is closed")
    try:
        return read()
    except (KeyError, IndexError, OSError, ValueError, TypeError, AttributeError, RuntimeError) as problem:
        raise TraceError(f"'{trace.path}' is damaged: {problem}; merge the trace again") from problem
