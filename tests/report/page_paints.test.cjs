// SPDX-License-Identifier: Apache-2.0
// Pixels of the timeline, and rows of tables: node --test page_paints.test.cjs
"use strict";
const assert = require("node:assert/strict");
const path = require("node:path");
const test = require("node:test");

for (const name of ["dom", "codec", "format", "levels", "table", "paint"])
  require(path.join(__dirname, "../../report/page", `${name}.js`));
const { levels, table, paint } = globalThis.meridian;
const painter = new paint.Painter(false);
const COMPUTE = painter.plain[0],
  TRANSFER = painter.plain[1];

/** Colours of column x from the bottom. */
const columnOf = (image, width, height, x) =>
  Array.from({ length: height }, (_, y) => image[(height - 1 - y) * width + x]);

test("a column has each class as high as its share", () => {
  const image = new Uint32Array(3 * 8);
  painter.column(image, 3, 1, 0, 8, [0.25, 0.75, 0, 0, 0, 0, 0, 0]);
  assert.deepEqual(columnOf(image, 3, 8, 1), [...Array(2).fill(COMPUTE), ...Array(6).fill(TRANSFER)]);
  assert.deepEqual(columnOf(image, 3, 8, 0), Array(8).fill(0));
});

test("waits are hatched, so that they differ by more than their colour", () => {
  const image = new Uint32Array(12 * 12);
  for (let x = 0; x < 12; ++x) painter.column(image, 12, x, 0, 12, [0, 0, 1, 0, 0, 0, 0, 0]);
  assert.deepEqual(new Set(image), new Set([painter.plain[2], painter.hatched[2]]));
});

test("bins are painted where they are in view", () => {
  const shares = new Uint8Array(8 * 4);
  shares.set([255, 255, 0, 0]); // class 0 in the first two of four bins
  shares.set([0, 0, 255, 255], 4);
  const some = new levels.Levels({
    rows: 1,
    classes: 8,
    bins: 4,
    binNs: 100,
    beginNs: 0,
    shares,
    calls: new Float64Array(4),
    longest: new Float64Array(4),
  });
  const image = new Uint32Array(8 * 1);
  painter.bins(image, 8, 0, 1, some, 0, { from: 0, to: 800 });
  assert.deepEqual(Array.from(image), [COMPUTE, COMPUTE, TRANSFER, TRANSFER, 0, 0, 0, 0]);
});

test("events are painted with what is between them", () => {
  const image = new Uint32Array(10 * 1),
    calls = [
      [20, 40],
      [60, 70],
    ];
  const range = { first: 0, last: 2, times: (i) => calls[i] };
  painter.events(
    image,
    10,
    0,
    1,
    { from: 0, to: 100 },
    { from: 0, to: 100 },
    range,
    (from, to, fill) => fill(0, from, to),
    (i, fill) => fill(1, ...calls[i]),
  );
  assert.deepEqual(
    Array.from(image, (p) => (p === COMPUTE ? 0 : p === TRANSFER ? 1 : -1)),
    [0, 0, 1, 1, 0, 0, 1, 0, 0, 0],
  );
});

test("events outside of the window are not painted", () => {
  const image = new Uint32Array(10 * 1),
    range = { first: 0, last: 1, times: () => [0, 100] };
  painter.events(
    image,
    10,
    0,
    1,
    { from: 0, to: 100 },
    { from: 30, to: 50 },
    range,
    (from, to, fill) => fill(0, from, to),
    (i, fill) => fill(1, 0, 100),
  );
  assert.deepEqual(
    Array.from(image, (p) => (p === TRANSFER ? 1 : p === 0 ? 0 : -1)),
    [0, 0, 0, 1, 1, 0, 0, 0, 0, 0],
  );
});

const ROWS = [
  { name: "b", n: 2 },
  { name: "a", n: null },
  { name: "c", n: 10 },
  { name: "d", n: 2 },
];

test("rows sort by number or by text, what is missing comes last, equal ones stay in order", () => {
  const names = (rows) => rows.map((row) => row.name).join("");
  assert.equal(names(table.sortedRows(ROWS, "n", false)), "bdca");
  assert.equal(names(table.sortedRows(ROWS, "n", true)), "cbda");
  assert.equal(names(table.sortedRows(ROWS, "name", true)), "dcba");
});

test("a filter keeps the rows that have all its words", () => {
  const rows = [
    { f: "MPI_Send", p: "a.c:1" },
    { f: "MPI_Recv", p: "a.c:2" },
  ];
  assert.equal(table.filteredRows(rows, "mpi").length, 2);
  assert.deepEqual(table.filteredRows(rows, "recv a.c"), [rows[1]]);
  assert.equal(table.filteredRows(rows, "recv b.c").length, 0);
});

test("copied rows are tab-separated, without tabs of their own", () => {
  assert.equal(
    table.tsv(
      [{ name: "f" }, { name: "n" }],
      [
        { f: "a\tb\n", n: 1 },
        { f: null, n: 2 },
      ],
    ),
    "f\tn\na b \t1\n\t2\n",
  );
});
