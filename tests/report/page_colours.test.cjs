// SPDX-License-Identifier: Apache-2.0
// What rows are coloured by: node --test page_colours.test.cjs
"use strict";
const assert = require("node:assert/strict");
const path = require("node:path");
const test = require("node:test");
const { deflateSync } = require("node:zlib");

for (const name of [
  "dom",
  "codec",
  "format",
  "levels",
  "events",
  "colours",
  "counter_colours",
  "data",
  "lanes",
  "paint",
  "in_view",
])
  require(path.join(__dirname, "../../report/page", `${name}.js`));
const { colours, counterColours, inView, data: pageData, events, levels } = globalThis.meridian;

const pack = (bytes) => deflateSync(Uint8Array.from(bytes)).toString("base64");
/** Slots with names are those of `slots`; shares: by slot, of one row of 1000 ns in bins of 250 ns. */
const raw = (name, slots, shares) => ({ name, slots, bins: 4, bin_ns: 250, shares: pack(shares.flat()) });
const NONE = [0, 0, 0, 0];

/** A row that sends from 100 to 200 and waits from 400 to 700 in a call until 800; the last bin is without a call. */
function dataOf() {
  const data = Object.assign(new pageData.TimelineData(), {
    rows: [{ rank: 0, thread: 0, host: "a" }],
    threads: [{ rank: 0, thread: 0, host: "a", row: 0 }],
    classes: ["computing", "MPI", "waiting"],
    calls: ["send", "receive", "mark"],
    call_classes: [1, 1, -1],
    wait_classes: [2, 2],
    wait_kinds: ["late sender", "wrong order"],
    unfinished_flag: 2,
    begin_ns: 0,
    end_ns: 1000,
    parts: [],
    lives: [[0, 1000]],
  });
  const set = Object.assign(new events.EventSet(), {
    windows: [[0, 1000]],
    ids: new Set([0]),
    count: 3,
    first: [0, 3],
    enter: [100, 300, 400],
    duration: [100, 0, 400],
    outside: [0, 0, 0],
    flags: [0, 0, 0],
    call: [0, 2, 1],
    waitOf: new Map([[2, 0]]),
    wait_ns: [300],
    wait_kind: [1],
    causer_rank: [7],
  });
  data.sets = [set];
  return data;
}
async function read(...list) {
  const data = dataOf();
  const [, ...own] = await colours.readColours(data, list);
  return { data, own };
}
/** What a colouring puts for all calls of the row and between them: "slot from-to". */
function pieces(data, colouring) {
  const [set] = data.sets,
    found = [];
  const put = (slot, from, to, share = 1) =>
    found.push(`${colouring.names[slot]} ${from}-${to}${share === 1 ? "" : ` ${share.toFixed(2)}`}`);
  for (let i = 0; i < set.count; ++i) colouring.pieces(set, i, put);
  colouring.between(800, 1000, put, 0);
  return found;
}

test("calls have the colour of their function, or that of all others", async () => {
  const { data, own } = await read(raw("function", ["receive"], [NONE, NONE, NONE, NONE]));
  assert.deepEqual(pieces(data, own[0]), ["other functions 100-200", "receive 400-800", "outside of calls 800-1000"]);
});

test("waits have the colour of their kind, or that of the rank that they are for", async () => {
  const { data, own } = await read(
    raw("wait", ["wrong order"], [NONE, NONE, NONE, NONE]),
    raw("causer", ["rank 3"], [NONE, NONE, NONE, NONE]),
  );
  assert.deepEqual(pieces(data, own[0]), [
    "in calls, no wait 100-200",
    "wrong order 400-700",
    "in calls, no wait 700-800",
    "outside of calls 800-1000",
  ]);
  assert.equal(pieces(data, own[1])[1], "other ranks 400-700");
});

test("the time between calls is divided by the samples of its bin", async () => {
  const program = raw("program", ["solve", "assemble"], [[255, 0, 0, 0], NONE, [0, 0, 0, 51], [0, 0, 0, 102], NONE]);
  const { data, own } = await read(program);
  assert.deepEqual(pieces(data, own[0]), [
    "in calls 100-200",
    "in calls 400-800",
    "solve 800-1000 0.33",
    "assemble 800-1000 0.67",
  ]);
  const found = [];
  own[0].between(200, 300, (slot, from, to) => found.push([own[0].names[slot], from, to]), 0);
  assert.deepEqual(found, [
    ["no sample", 200, 250],
    ["no sample", 250, 300],
  ]);
});

test("the legend has the slots that occur", async () => {
  const { own } = await read(raw("function", ["send", "receive"], [[255, 0, 0, 0], NONE, NONE, [0, 1, 0, 0], NONE]));
  assert.deepEqual(
    own[0].keys.map(({ name, class: named }) => [name, named]),
    [
      ["outside of calls", "c0"],
      ["receive", "p1"],
    ],
  );
  assert.equal(own[0].painter(false).colours.length, 5);
});

test("numbers in view are those of the colouring: of bins, or in a narrow span of calls", async () => {
  const shares = [[153, 255, 102, 255], NONE, [102, 0, 0, 0], [0, 0, 153, 0], NONE];
  const { data, own } = await read(raw("function", ["send", "receive"], shares));
  const lanes = [{ kind: "thread", id: 0, ids: [0] }];
  const whole = (list) => list.map(Math.round);
  assert.deepEqual(
    whole(inView.timesByColour(data, own[0], lanes, { from: 150, to: 500 })),
    [200, 0, 50, 100, 0],
    "of calls",
  );
  data.sets = [];
  assert.deepEqual(whole(inView.timesByColour(data, own[0], lanes, { from: 0, to: 1000 })), [750, 0, 100, 150, 0]);
});

test("members of groups have the time in which they compute", async () => {
  const data = dataOf(),
    none = new Float64Array(2);
  const shares = Uint8Array.from([255, 51, 0, 102, 0, 102]);
  data.memberLevels = new levels.Levels({
    rows: 1,
    classes: 3,
    bins: 2,
    binNs: 500,
    beginNs: 0,
    shares,
    calls: none,
    longest: none,
  });
  const [, own] = await colours.readColours(data, [raw("function", ["send"], [NONE, NONE, NONE, NONE])]);
  const { levels: found, row } = own.binsOf({ kind: "member", id: 1 });
  assert.deepEqual([...found.levels[0].shares], [255, 51, 0, 204, 0, 0, 0, 0]);
  assert.equal(row, 0);
  assert.deepEqual(
    own.keys.map(({ name }) => name),
    ["some call"],
  );
});

test("rows have shades for the rate of a counter, of a group that of one thread", async () => {
  const data = dataOf();
  data.rows = [
    { rank: 0 },
    {
      rank: 1,
      members: [
        [1, 0],
        [2, 0],
      ],
    },
  ];
  const varints = pack([8, 0, 4, 1, 0, 16, 2, 2]);
  const counter = { name: "FAULTS", unit: "1", row_bins: 4, row_bin_ns: 250, row_values: varints };
  const [own] = await counterColours.readCounterColours(data, [counter, { name: "without rows" }]);
  assert.equal(own.name, "counter FAULTS");
  const shadeOf = (row, bin) => {
    const { shares } = own.part.levels.levels[0];
    return own.names.findIndex((_, shade) => shares[(row * 8 + shade) * 4 + bin] === 255);
  };
  assert.deepEqual(
    [0, 1, 2, 3].map((bin) => shadeOf(0, bin)),
    [7, -1, 4, 1],
  );
  assert.deepEqual(
    [0, 1, 2, 3].map((bin) => shadeOf(1, bin)),
    [-1, 7, 1, 1],
  );
  assert.equal(own.names[7], "up to 32.0 M per second");
  assert.equal(own.sum(0, 0, 1000), 13);
  assert.equal(own.sum(0, 125, 750), 8);
  assert.equal(own.sum(2, 0, 1000), -1);
  assert.deepEqual(own.describe({ kind: "thread", id: 1 }, 260), ["32.0 M per second of FAULTS"]);
});

test("amounts of counters have three digits", () => {
  assert.deepEqual([0, 0.123456, 12.34, 999.4, 1234.5, 2.1e9].map(counterColours.amount), [
    "0",
    "0.123",
    "12.3",
    "999",
    "1235",
    "2.10 G",
  ]);
});
