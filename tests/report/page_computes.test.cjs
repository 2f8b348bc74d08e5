// SPDX-License-Identifier: Apache-2.0
// What the page computes, without a browser: node --test page_computes.test.cjs
"use strict";
const assert = require("node:assert/strict");
const { deflateSync } = require("node:zlib");
const path = require("node:path");
const test = require("node:test");

for (const name of ["codec", "dom", "format", "levels", "events", "beside", "runs"])
  require(path.join(__dirname, "../../report/page", `${name}.js`));
const { codec, format, levels, events, beside, runs } = globalThis.meridian;

/** As report/data/encoding.cpp does it, said in another way. */
function varintBytes(values) {
  const bytes = [];
  for (let value of values.map(BigInt)) {
    const groups = value
      .toString(2)
      .padStart(Math.max(7, Math.ceil(value.toString(2).length / 7) * 7), "0")
      .match(/.{7}/g)
      .reverse();
    groups.forEach((bits, i) => bytes.push(parseInt(bits, 2) + (i + 1 < groups.length ? 128 : 0)));
  }
  return bytes;
}
const pack = (bytes) => deflateSync(Uint8Array.from(bytes)).toString("base64");
const column = (values) => pack(varintBytes(values));
const signedColumn = (values) => column(values.map((v) => (v < 0 ? -2 * v - 1 : 2 * v)));

test("a column comes back as it was, up to 53 bits", async () => {
  const values = [0, 1, 127, 128, 300, 16383, 16384, 2 ** 31, 2 ** 32 + 5, 2 ** 53 - 1];
  assert.deepEqual(Array.from(await codec.column(column(values))), values);
  assert.deepEqual(Array.from(await codec.column(column([]))), []);
});

test("a signed column comes back as it was", async () => {
  const values = [0, -1, 1, -64, 64, -(2 ** 40), 2 ** 40, -5];
  assert.deepEqual(Array.from(await codec.signedColumn(signedColumn(values))), values);
});

test("durations, bytes, counts and shares read as in the text of the summary", () => {
  const durations = {
    0: "0 s",
    1e-9: "1.00 ns",
    1.234e-5: "12.3 us",
    0.0123: "12.3 ms",
    1.5: "1.50 s",
    99.96: "100 s",
    4321: "4321 s",
    3.6e5: "100 h",
  };
  for (const [value, text] of Object.entries(durations)) assert.equal(format.duration(Number(value)), text);
  assert.equal(format.duration(-0.5), "-500 ms");
  assert.equal(format.duration(NaN), "-");
  assert.equal(format.bytes(0), "0 B");
  assert.equal(format.bytes(999), "999 B");
  assert.equal(format.bytes(1536), "1.50 KiB");
  assert.equal(format.bytes(1023.9 * 1024), "1.00 MiB");
  assert.equal(format.count(9999999), "9999999");
  assert.equal(format.count(12345678), "12.3 M");
  assert.equal(format.percent(0.5004), "50.0 %");
  assert.equal(format.percent(0.0001), "< 0.1 %");
});

function someLevels() {
  // One row, two classes, 64 bins of 10 ns from 1000 on; class 0 in the first half, class 1 in the second.
  const shares = new Uint8Array(2 * 64);
  shares.fill(255, 0, 32);
  shares.fill(255, 64 + 32, 128);
  return new levels.Levels({
    rows: 1,
    classes: 2,
    bins: 64,
    binNs: 10,
    beginNs: 1000,
    shares,
    calls: new Float64Array(64).fill(3),
    longest: Float64Array.from({ length: 64 }, (_, i) => i),
  });
}

test("each level has half as many bins as the one below, with the same time and calls in them", () => {
  const all = someLevels().levels;
  assert.deepEqual(
    all.map((level) => [level.bins, level.binNs]),
    [
      [64, 10],
      [32, 20],
    ],
  );
  assert.deepEqual(Array.from(all[1].shares.subarray(0, 32)), [...Array(16).fill(255), ...Array(16).fill(0)]);
  assert.equal(
    all[1].calls.reduce((a, b) => a + b),
    64 * 3,
  );
  assert.equal(all[1].longest[31], 63);
});

test("a class that takes part in a bin is never rounded away", () => {
  const shares = new Uint8Array(64);
  shares[5] = 1;
  const all = new levels.Levels({
    rows: 1,
    classes: 1,
    bins: 64,
    binNs: 1,
    beginNs: 0,
    shares,
    calls: new Float64Array(64),
    longest: new Float64Array(64),
  }).levels;
  assert.equal(all[1].shares[2], 1);
});

test("the level for a zoom is the widest that is not wider than a pixel", () => {
  const some = someLevels();
  assert.equal(some.at(5).binNs, 10);
  assert.equal(some.at(19.9).binNs, 10);
  assert.equal(some.at(1000).binNs, 20);
});

test("shares of a span are those of its bins by time", () => {
  const some = someLevels();
  assert.deepEqual(Array.from(some.shares(0, 1000, 1640)), [0.5, 0.5]);
  assert.deepEqual(Array.from(some.shares(0, 1310, 1330)), [0.5, 0.5]);
  assert.deepEqual(Array.from(some.shares(0, 5000, 6000)), [0, 0]);
});

const RAW = {
  count: 5,
  counts: column([3, 0, 2]),
  enter: signedColumn([100, 50, 50, 120, 100]),
  duration: signedColumn([40, 10, 0, 30, 60]),
  outside: signedColumn([0, 0, 0, 0, 5]),
  call: column([1, 2, 1, 3, 3]),
  place: column([0, 1, 0, 1, 1]),
  peer: signedColumn([1, -1, 0, -1, 0]),
  tag: signedColumn([7, -1, 0, -1, 7]),
  comm: signedColumn([0, -1, 0, -1, 0]),
  bytes_sent: column([8, 0, 0, 0, 0]),
  bytes_received: column([0, 0, 0, 0, 8]),
  flags: column([0, 0, 2, 0, 0]),
  calls: column([1, 1, 1, 1, 4]),
  collective: column([0, 0, 0, 9, 0]),
  wait_event: column([3, 1]),
  wait_ns: signedColumn([20, 30]),
  wait_kind: column([2, 0]),
  causer_rank: signedColumn([0, 0]),
  causer_enter: signedColumn([-20, -120]),
  causer_call: column([1, 1]),
  causer_place: column([0, 0]),
  messages: 1,
  message_from: column([0]),
  message_to: signedColumn([4]),
};

test("events lie by row and time", async () => {
  const set = await events.EventSet.read(RAW, [[0, 400]], 3);
  assert.deepEqual(set.first, [0, 3, 3, 5]);
  assert.deepEqual(Array.from(set.enter), [100, 150, 200, 120, 220]);
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((i) => set.rowOf(i)),
    [0, 0, 0, 2, 2],
  );
  assert.deepEqual(set.range(0, 130, 160), { first: 0, last: 2 });
  assert.deepEqual(set.range(0, 140, 150), { first: 1, last: 1 });
  assert.deepEqual(set.range(1, 0, 1000), { first: 3, last: 3 });
});

test("an event is found by its time, and the nearest one within reach", async () => {
  const set = await events.EventSet.read(RAW, [[0, 400]], 3);
  assert.equal(set.at(0, 120, 1), 0);
  assert.equal(set.at(0, 145, 6), 1);
  assert.equal(set.at(0, 145, 2), -1);
  assert.equal(set.find(2, 220), 4);
  assert.equal(set.find(2, 221), -1);
});

test("waits and messages refer to events", async () => {
  const set = await events.EventSet.read(RAW, [[0, 400]], 3);
  assert.deepEqual(
    [...set.waitOf],
    [
      [3, 0],
      [4, 1],
    ],
  );
  assert.equal(set.enter[4] + set.causer_enter[1], 100, "the send of rank 0");
  assert.deepEqual([set.message_from[0], set.message_to[0]], [0, 4]);
});

test("windows say what is there one by one", async () => {
  const set = await events.EventSet.read(
    RAW,
    [
      [0, 130],
      [200, 400],
    ],
    3,
  );
  assert.deepEqual(set.covering(120, 150), [[0, 130]]);
  assert.deepEqual(set.covering(130, 200), []);
  assert.ok(set.covers(200) && !set.covers(130));
});

test("a change of a share is in points, of another figure in a part of what it was", () => {
  const figure = (name, unit, before, after) => ({ name, unit, before, after, change: after - before });
  assert.equal(runs.changeText(figure("time", "s", 2, 3)), "+50.0 %");
  assert.equal(runs.changeText(figure("mpi_share", "", 0.5, 0.25)), "-25.0 points");
  assert.equal(runs.changeText(figure("calls", "", 0, 4)), "-");
  assert.equal(runs.changeText({ name: "ipc", unit: "", before: null, after: null, change: null }), "-");
  assert.equal(runs.figureText(0.25, figure("mpi_share", "", 0.5, 0.25)), "25.0 %");
  assert.equal(runs.figureText(2048, figure("memory", "bytes", 1, 2048)), "2.00 KiB");
  assert.equal(runs.figureText(1500, figure("energy", "J", 1, 1500)), "1500 J");
});

test("a changed row is named with its place, where it has one", () => {
  const row = { subject: "site", name: "MPI_Send", function: "", place: "halo.c:70" };
  assert.equal(runs.nameOf(row), "MPI_Send at halo.c:70");
  assert.equal(runs.nameOf({ ...row, subject: "function" }), "MPI_Send");
  assert.equal(runs.nameOf({ ...row, subject: "problem", function: "MPI_Recv", place: "" }), "MPI_Send at MPI_Recv");
});

test("an iteration begins where the rows of the longest phase say, also inside a group", () => {
  const phases = [
    { unit: "iteration", begin_s: 0, end_s: 1 },
    { unit: "instance", begin_s: 0, end_s: 9 },
    { unit: "iteration", begin_s: 1, end_s: 5 },
  ];
  const iterations = [
    { phase: 0, iteration: 1, count: 10, begin_s: 0, mean_s: 0.1 },
    { phase: 2, iteration: 1, count: 4, begin_s: 1, mean_s: 0.5 },
    { phase: 2, iteration: 5, count: 4, begin_s: 3, mean_s: 0.5 },
  ];
  assert.equal(beside.beginOfIteration({ phases, iterations }, 1), 1);
  assert.equal(beside.beginOfIteration({ phases, iterations }, 3), 2);
  assert.equal(beside.beginOfIteration({ phases, iterations }, 6), 3.5);
  assert.equal(beside.beginOfIteration({ phases, iterations }, 9), null);
  assert.equal(beside.beginOfIteration({ phases: [], iterations: [] }, 1), null);
});
