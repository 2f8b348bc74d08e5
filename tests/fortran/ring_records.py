# SPDX-License-Identifier: Apache-2.0
"""Records in the rings of a run whose writer never started (MERIDIAN_WRITER=none), read without any code of ours."""

import collections
import dataclasses
import mmap
import pathlib
import re
import struct

MODEL = pathlib.Path(__file__).resolve().parents[2] / "trace/model"
MPI_ROWS = re.findall(r"\nMERIDIAN_CALL(?:_AS\(\w+, *|\()(\w+),", (MODEL / "mpi_calls.def").read_text())
OTHER_ROWS = re.findall(r'\nMERIDIAN_OTHER_CALL\(\w+, "(\w+)",', (MODEL / "other_calls.def").read_text())
NAMES = ["", *("MPI_" + name for name in MPI_ROWS), *OTHER_ROWS]
PAGE, SLOT_BYTES, HEAD_WORDS, COMPLETION_WORDS = 4096, 128, 3, 3
PAD, P2P, SENDRECV, COLL, RMA, IO, POLLS, TEXT = 1, 3, 4, 5, 8, 9, 14, 36
POLL_PLACE_BYTES = 80
FAILED = 1
RECEIVES = {"MPI_Recv", "MPI_Mrecv", "MPI_Sendrecv", "MPI_Sendrecv_replace"}


@dataclasses.dataclass
class Record:
    name: str  # "" for records that are no calls
    payload: int
    flags: int
    body: bytes
    completions: list  # (request, source, tag, bytes)


def records(path):
    """All records of a ring file, thread by thread."""
    with open(path, "rb") as file:  # room for every slot, most of it a hole
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    _magic, _version, slots, ring_bytes, _block, data_offset = struct.unpack_from("<QIIQQQ", data)
    for slot in range(slots):
        at = PAGE + SLOT_BYTES * slot
        (head,), (position,) = struct.unpack_from("<Q", data, at), struct.unpack_from("<Q", data, at + 64)
        while position < head:
            at = data_offset + slot * ring_bytes + position % ring_bytes
            call, payload, flags, words, found = struct.unpack_from("<HBBHH", data, at)
            tail = 8 * (words - (flags >> 2 & 1) - COMPLETION_WORDS * found)  # behind them the call site
            if payload != PAD:
                body = data[at + 8 * HEAD_WORDS : at + 8 * words]
                entries = [struct.unpack_from("<Qiiq", data, at + tail + 24 * i) for i in range(found)]
                yield Record(NAMES[call], payload, flags, body, entries)
            position += 8 * words


def sums(path):
    """The records of one rank: Counter of calls, Counter of bytes ("MPI_Bcast.send_bytes", "received_bytes"), dict of texts."""
    calls, sizes, texts = collections.Counter(), collections.Counter(), {}
    for record in records(path):
        if record.payload == TEXT:
            length, _more, _handle = struct.unpack_from("<IIQ", record.body)
            key, value = record.body[16 : 16 + length].split(b"\0", 1)
            texts[key.decode()] = value.decode(errors="replace")
        if not record.name.startswith("MPI_") or record.flags & 16:  # kFlagMore: the rest of a call that is counted
            continue
        if record.payload == POLLS:  # a phase: the call of each place, and how many polls it has
            for at in range(0, len(record.body), POLL_PLACE_BYTES):
                call, _site, _comm, _peer, _tag, polls = struct.unpack_from("<QQQiiQ", record.body, at)
                calls[NAMES[call]] += polls
            continue
        calls[record.name] += 1
        if record.name in RECEIVES:
            sizes["received_bytes"] += sum(size for _, source, _, size in record.completions if source >= 0)
        if record.payload == COLL:
            sent, received = struct.unpack_from("<16xQQ", record.body)
            sizes[record.name + ".send_bytes"] += sent
            sizes[record.name + ".receive_bytes"] += received
        if record.payload == RMA:
            sizes[record.name + ".bytes"] += struct.unpack_from("<24xQ", record.body)[0]
        if record.payload == IO:
            sizes[record.name + ".bytes"] += struct.unpack_from("<16xQ", record.body)[0]
    return calls, sizes, texts
