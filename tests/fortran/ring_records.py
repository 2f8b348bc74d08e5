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
PAD, P2P, SENDRECV, COLL, RMA, IO, POLLS, THREAD, TEXT = 1, 3, 4, 5, 8, 9, 14, 32, 36
POLL_PLACE_BYTES = 80
FAILED, ABANDONED = 1, 32
# Small records: trace/model/small_records.hpp describes them.
SMALL, LEARNED, ENTRIES, TRIES, ODD = 1 << 63, 1 << 23, 256, 8, 0x9FB21C651E98DF25
RECEIVES = {"MPI_Recv", "MPI_Mrecv", "MPI_Sendrecv", "MPI_Sendrecv_replace"}


@dataclasses.dataclass
class Record:
    name: str  # "" for records that are no calls
    payload: int
    flags: int
    body: bytes
    completions: list  # (request, source, tag, bytes)


class Learned:
    """The calls of a block to which its small records refer: entry -> [header, site, body]."""

    def __init__(self):
        self.calls = {}

    def learn(self, header, site, body):
        first = ((header ^ site) * ODD % 2**64) >> 56
        places = [(first + i) % ENTRIES for i in range(TRIES)]
        own = next((at for at in places if at not in self.calls or self.calls[at][:2] == [header, site]), first)
        self.calls[own] = [header, site, body]

    def whole(self, words):
        """A small record at the beginning of `words`: how many it has, and the words of the whole one."""
        header, site, body = self.calls[words[0] >> 54 & 255]
        used, mask = 1, words[0] >> 38 & 0xFFFF
        if mask and len(body) > 16:
            used, mask = 2, words[1]
        for i in range(len(body)):
            if mask >> i & 1:
                body[i] = words[used]
                used += 1
        return used, [header, 0, 0, *body, *([site] if header >> 26 & 1 else [])]


def records(path):
    """All records of a ring file, thread by thread."""
    with open(path, "rb") as file:  # room for every slot, most of it a hole
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    _magic, _version, slots, ring_bytes, block_bytes, data_offset = struct.unpack_from("<QIIQQQ", data)
    for slot in range(slots):
        at = PAGE + SLOT_BYTES * slot
        (head,), (position,) = struct.unpack_from("<Q", data, at), struct.unpack_from("<Q", data, at + 64)
        learned, block = Learned(), None
        while position < head:
            if position // block_bytes != block:
                learned, block = Learned(), position // block_bytes
            at = data_offset + slot * ring_bytes + position % ring_bytes
            left = min(head - position, block_bytes - position % block_bytes) // 8
            words = struct.unpack_from(f"<{min(left, 128)}Q", data, at)
            if words[0] & SMALL:
                used, whole = learned.whole(words)
            else:
                used = words[0] >> 32 & 0xFFFF
                whole = struct.unpack_from(f"<{used}Q", data, at)
                if words[0] >> 16 & 127 == THREAD or words[0] >> 24 & ABANDONED:
                    learned = Learned()
                if words[0] & LEARNED:
                    header = words[0] & ~LEARNED
                    has_site = header >> 26 & 1
                    learned.learn(header, whole[-1] if has_site else 0, list(whole[HEAD_WORDS : used - has_site]))
                    whole = (header, *whole[1:])
            record = struct.pack(f"<{len(whole)}Q", *whole)
            call, payload, flags, size, found = struct.unpack_from("<HBBHH", record)
            tail = 8 * (size - (flags >> 2 & 1) - COMPLETION_WORDS * found)  # behind them the call site
            if payload != PAD:
                entries = [struct.unpack_from("<Qiiq", record, tail + 24 * i) for i in range(found)]
                yield Record(NAMES[call], payload, flags, record[8 * HEAD_WORDS :], entries)
            position += 8 * used


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
