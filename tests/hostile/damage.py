# SPDX-License-Identifier: Apache-2.0
"""Kinds of damage to an HDF5 file: every function takes a path and makes the file there worse.

Structural damage is made with h5py, so that the files are HDF5 and only what is in them is not ours.
"""

import os
import pathlib
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import launch  # noqa: E402

CANARY = b"canary of a file that no trace may name: /etc/passwd root:x:0:0"
NAMES = (
    b"\x1b[2J\x1b]0;title\x07", b"two\nlines\r\tand a tab", b"<script>alert(1)</script>", b'"quoted", \'and\' = 1+1, more',
    b"\xff\xfe no UTF-8 \xc3", "\u202eleft\u2066\u200b".encode(), b"nul\0inside", b"%s%n%p{}{:>9999999}", b"../../../etc/passwd",
    b"\xc2\x9b31m", b"x" * 3000, b"",
)  # fmt: skip


def places(kind):
    """Places for `kind` of the others to be: a FIFO blocks the process that opens it."""
    return {"fifo": "elsewhere.fifo", "file": "elsewhere.h5", "text": "elsewhere.txt", "passwd": "/etc/passwd"}[kind]


def put_plugins(directory):
    """A folder where HDF5 would look for libraries with filters; it may open none of them."""
    folder = directory / "plugins"
    folder.mkdir()
    os.mkfifo(folder / "libfilter.so")


def put_elsewhere(directory):
    """Targets of links. None of them may be opened."""
    if not (directory / "elsewhere.fifo").exists():
        os.mkfifo(directory / "elsewhere.fifo")
    (directory / "elsewhere.txt").write_bytes(CANARY * 100)
    with h5py.File(directory / "elsewhere.h5", "w") as file:
        file["rows"] = np.frombuffer((CANARY * 100)[:1000], dtype="u1")
        file.create_group("group")["rows"] = np.arange(10)


# Bytes.


def truncations(data, count):
    """Lengths of a file that was cut: the first ones, the last ones, and some between."""
    chosen = {0, 1, 7, 8, 47, 48, 96, 512, len(data) - 1, len(data) - 8}
    generator = launch.generator()
    while len(chosen) < min(count, len(data)):
        chosen.add(generator.randrange(len(data)))
    return sorted(length for length in chosen if 0 <= length < len(data))


def flips(data, count):
    """(name, bytes) with something overwritten: bits, bytes, runs of zeros and of ones, one end of another place."""
    generator = launch.generator()
    for i in range(count):
        changed = bytearray(data)
        at = generator.randrange(len(data))
        kind = i % 5
        if kind == 0:
            changed[at] ^= 1 << generator.randrange(8)
        elif kind == 1:
            changed[at] = generator.randrange(256)
        elif kind == 2:
            changed[at : at + 16] = bytes(len(changed[at : at + 16]))
        elif kind == 3:
            changed[at : at + 8] = b"\xff" * len(changed[at : at + 8])
        else:
            length = min(64, len(data) - at)
            source = generator.randrange(len(data) - length + 1)
            changed[at : at + length] = data[source : source + length]
        yield f"flip-{i}", bytes(changed)


# One dataset.


def replace(name, make):
    """The dataset is gone, and make(parent, leaf, old values) puts something else under its name."""

    def change(path):
        with h5py.File(path, "r+") as file:
            parent, _, leaf = name.rpartition("/")
            group = file[parent] if parent else file
            old = group[leaf][...]
            del group[leaf]
            make(group, leaf, old)

    return change


def huge(shape, **options):
    return lambda group, leaf, old: group.create_dataset(leaf, shape, dtype=old.dtype, **options)


def of_type(dtype, value=None):
    def make(group, leaf, old):
        group.create_dataset(leaf, (len(old),), dtype=dtype, data=None if value is None else [value] * len(old))

    return make


def filtered(**options):
    def make(group, leaf, old):
        plain = old.dtype if old.dtype.names is None and old.dtype.kind in "iuf" else "i4"
        group.create_dataset(leaf, (max(1, len(old)),), dtype=plain, chunks=(max(1, len(old)),), **options)[...] = 1

    return make


def with_unknown_filter(group, leaf, old):
    """HDF5 would look for a library with this filter."""
    rows = max(1, len(old))
    plain = old.dtype if old.dtype.names is None and old.dtype.kind in "iuf" else np.dtype("i4")
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_chunk((rows,))
    creation.set_filter(40000, h5py.h5z.FLAG_OPTIONAL, (1,))
    dataset = h5py.h5d.create(group.id, leaf.encode(), h5py.h5t.py_create(plain), h5py.h5s.create_simple((rows,)), creation)
    dataset.write_direct_chunk((0,), bytes(rows * plain.itemsize))


def external(place):
    def make(group, leaf, old):
        plain = old.dtype if old.dtype.kind in "iufS" else "u1"
        size = max(1, len(old))
        group.create_dataset(leaf, (size,), dtype=plain, external=[(place, 0, size * np.dtype(plain).itemsize)])

    return make


def virtual(place, is_growing=False):
    def make(group, leaf, old):
        size = max(1, len(old))
        layout = h5py.VirtualLayout(shape=(size,), maxshape=(None,) if is_growing else (size,), dtype="u1")
        source = h5py.VirtualSource(place, "rows", shape=(size,), maxshape=(None,) if is_growing else (size,), dtype="u1")
        if is_growing:
            layout[: h5py.h5s.UNLIMITED] = source[: h5py.h5s.UNLIMITED]
        else:
            layout[:] = source
        group.create_virtual_dataset(leaf, layout)

    return make


def chunk_of_zeros(group, leaf, old):
    """Claims 64 MiB in one chunk and has it, deflated."""
    plain = old.dtype if old.dtype.names is None and old.dtype.kind in "iu" else np.dtype("u8")
    rows = (64 << 20) // plain.itemsize
    group.create_dataset(leaf, (rows,), dtype=plain, chunks=(rows,), compression="gzip")[0] = 1


def extremes(group, leaf, old):
    """The values that the type can hold, instead of those that make sense."""
    values = np.zeros(len(old), dtype=old.dtype)
    for i in range(len(old)):
        for field in old.dtype.names or (None,):
            kind = old.dtype if field is None else old.dtype[field]
            if kind.kind in "iu":
                value = (np.iinfo(kind).max, np.iinfo(kind).min, np.iinfo(kind).max - 1)[(i + len(field or "")) % 3]
            elif kind.kind == "f":
                value = (np.nan, np.inf, -np.inf, 1e308)[i % 4]
            else:
                value = NAMES[i % len(NAMES)]
            if field is None:
                values[i] = value
            else:
                values[field][i] = value
    group.create_dataset(leaf, data=values)


def names_of_others(shift):
    """Strings of any length, with terminal sequences, formulas and markup in them."""

    def make(group, leaf, old):
        texts = [NAMES[(i + shift) % len(NAMES)] for i in range(len(old))]
        group.create_dataset(leaf, data=np.array(texts, dtype=f"S{max(8, *map(len, texts))}") if texts else old)

    return make


def repeated(times):
    return lambda group, leaf, old: group.create_dataset(leaf, data=np.concatenate([old] * times))


def link(make):
    def put(group, leaf, _):
        group[leaf] = make

    return put


DATASETS = {
    "missing": lambda group, leaf, old: None,
    "a group": lambda group, leaf, old: group.create_group(leaf),
    "a group with itself in it": lambda group, leaf, old: group.create_group(leaf).__setitem__(leaf, group),
    "a link to itself": lambda group, leaf, old: group.__setitem__(leaf, h5py.SoftLink(f"{group.name}/{leaf}")),
    "a link to nothing": link(h5py.SoftLink("/nowhere/at/all")),
    "the root": lambda group, leaf, old: group.__setitem__(leaf, group.file["/"]),
    "a link to a FIFO": link(h5py.ExternalLink(places("fifo"), "/rows")),
    "a link to another file": link(h5py.ExternalLink(places("file"), "/rows")),
    "a link to /etc/passwd": link(h5py.ExternalLink(places("passwd"), "/rows")),
    "a link to a link to a FIFO": lambda group, leaf, old: (
        group.file.__setitem__("way", h5py.ExternalLink(places("fifo"), "/")),
        group.__setitem__(leaf, h5py.SoftLink("/way/rows")),
    ),
    "in a FIFO": external(places("fifo")),
    "in another file": external(places("text")),
    "in /etc/passwd": external(places("passwd")),
    "a view of a FIFO": virtual(places("fifo")),
    "a view of another file": virtual(places("file")),
    "a growing view of a FIFO": virtual(places("fifo"), is_growing=True),
    "huge": huge((1 << 40,)),
    "as long as there are numbers": huge(((1 << 63) - 1,), chunks=(1024,)),
    "huge in huge chunks": huge((1 << 40,), chunks=(1 << 27,)),
    "in large chunks": lambda group, leaf, old: group.create_dataset(
        leaf, (1 << 20,), dtype=old.dtype if old.dtype.kind != "V" else "u8", chunks=(1 << 20,), maxshape=(None,)
    ),
    "a chunk of zeros": chunk_of_zeros,
    "of two dimensions": lambda group, leaf, old: group.create_dataset(leaf, data=np.zeros((len(old), 2), dtype="i4")),
    "a scalar": lambda group, leaf, old: group.create_dataset(leaf, data=np.int32(7)),
    "null": lambda group, leaf, old: group.create_dataset(leaf, data=h5py.Empty("i4")),
    "empty": lambda group, leaf, old: group.create_dataset(leaf, data=old[:0]),
    "shorter": lambda group, leaf, old: group.create_dataset(leaf, data=old[:-1]),
    "three times as long": repeated(3),
    "of floats": of_type("f8", 1.5),
    "of half floats": of_type("f2", 1.5),
    "of words": of_type("S5", b"words"),
    "of strings of any length": of_type(h5py.string_dtype(), "any"),
    "of lists": of_type(h5py.vlen_dtype("i4")),
    "of pairs": of_type([("a", "i4"), ("b", "f8")]),
    "of pairs of strings of any length": of_type([("comm", h5py.string_dtype()), ("name", h5py.string_dtype())]),
    "of an enum": of_type(h5py.enum_dtype({"a": 1, "b": 2}, basetype="i4")),
    "of references": of_type(h5py.ref_dtype),
    "of arrays": of_type("(3,)i4"),
    "of something opaque": of_type("V7"),
    "big-endian": lambda group, leaf, old: group.create_dataset(leaf, data=old.astype(old.dtype.newbyteorder(">"))),
    "filtered by somebody else": filtered(compression="lzf"),
    "with a checksum": filtered(fletcher32=True),
    "scaled": filtered(scaleoffset=0),
    "filtered by nobody knows what": with_unknown_filter,
    "of extremes": extremes,
    "of names": lambda group, leaf, old: names_of_others(0)(group, leaf, old) if old.dtype.kind == "S" else extremes(group, leaf, old),
    "of other names": lambda group, leaf, old: names_of_others(5)(group, leaf, old) if old.dtype.kind == "S" else of_type("S1", b"")(group, leaf, old),
}


# One attribute.


def attribute(owner, name, value):
    def change(path):
        with h5py.File(path, "r+") as file:
            del file[owner].attrs[name]
            if value is not None:
                file[owner].attrs.create(name, value) if not isinstance(value, tuple) else file[owner].attrs.create(
                    name, value[0], dtype=value[1]
                )

    return change


ATTRIBUTES = {
    "missing": None,
    "negative": np.int64(-1),
    "as large as there are numbers": np.uint64((1 << 64) - 1),
    "sixteen millions": np.int64(1 << 24),
    "a fraction": np.float64("nan"),
    "a list": np.arange(1000),
    "nothing": h5py.Empty("i4"),
    "a string": np.bytes_(b"text"),
    "of names": np.bytes_(NAMES[0] + NAMES[1] + NAMES[2]),
    "of other names": np.bytes_(NAMES[3] + NAMES[4]),
    "a string of any length": (NAMES[0].decode() + "\n,\"<b>", h5py.string_dtype()),
    "a long string": np.bytes_(b"y" * 60000),
    "a pair": np.array((1, 2.0), dtype=[("a", "i4"), ("b", "f8")]),
}


def datasets_of(path):
    found = []
    with h5py.File(path, "r") as file:
        file.visititems(lambda name, item: found.append(name) if isinstance(item, h5py.Dataset) else None)
    return found
