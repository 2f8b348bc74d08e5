# SPDX-License-Identifier: Apache-2.0
"""Merged traces of Meridian as pandas tables.

    import meridian
    trace = meridian.Trace("DIR")          # the directory of a merged trace, or its merged.h5
    trace.events, trace.messages, trace.waits, trace.table("functions")
    trace.query("SELECT rank, sum(wait_s) FROM waits GROUP BY rank")
"""

from .errors import TraceError
from .trace import Trace

__all__ = ["Trace", "TraceError"]
