// SPDX-License-Identifier: Apache-2.0
// Rows sorted, hidden and pinned: node --test page_sorts.test.cjs
"use strict";
const assert = require("node:assert/strict");
const path = require("node:path");
const test = require("node:test");

for (const name of ["dom", "codec", "format", "levels", "events", "data", "lanes", "in_view", "row_order"])
  require(path.join(__dirname, "../../report/page", `${name}.js`));
const { data: pageData, lanes, levels, rowOrder } = globalThis.meridian;

/** Ranks on hosts [[rank, thread, host]...], that wait for these shares of 1000 ns and compute in the rest. */
function dataOf(list, waits, more = {}) {
  const data = Object.assign(new pageData.TimelineData(), {
    rows: list.map(([rank, thread, host]) => ({ rank, thread, host })),
    begin_ns: 0,
    end_ns: 1000,
    wait_classes: [1],
    sets: [],
    parts: [],
    colourings: [],
  });
  Object.assign(data, more);
  data.threads = data.rows.map((row, id) => ({ ...row, row: id }));
  data.rowOf = new Map(data.rows.map(({ rank, thread }, id) => [`${rank}.${thread}`, id]));
  data.memberOf = new Map();
  const shares = new Uint8Array(list.length * 2 * 2);
  waits.forEach(([early, late], row) =>
    shares.set([255 - 255 * early, 255 - 255 * late, 255 * early, 255 * late], row * 4),
  );
  const none = new Float64Array(list.length * 2);
  data.levels = new levels.Levels({
    rows: list.length,
    classes: 2,
    bins: 2,
    binNs: 500,
    beginNs: 0,
    shares,
    calls: none,
    longest: none,
  });
  return data;
}
const HOSTS = [
  [0, 0, "a"],
  [1, 0, "a"],
  [2, 0, "b"],
  [3, 0, "b"],
];
const WAITS = [
  [0.2, 0],
  [0.8, 0.4],
  [0.4, 1],
  [0, 0],
];
const labels = ({ lanes: list }) => list.map((lane) => " ".repeat(lane.depth) + lane.label);
function order(data, more = {}) {
  const tree = new lanes.LaneTree(data),
    own = Object.assign(new rowOrder.RowOrder(data, { ranks: [] }), more);
  return { tree, own, arrange: () => own.arrange(tree.lanes()) };
}

test("rows sort by a value, the largest first, without the hosts that are unfolded", () => {
  const { tree, own, arrange } = order(dataOf(HOSTS, WAITS));
  assert.deepEqual(labels(arrange()), ["a", " rank 0", " rank 1", "b", " rank 2", " rank 3"]);
  own.by = "wait";
  assert.deepEqual(labels(arrange()), ["rank 2", "rank 1", "rank 0", "rank 3"]);
  own.by = "compute";
  assert.deepEqual(labels(arrange()), ["rank 3", "rank 0", "rank 1", "rank 2"]);
  tree.unfoldTo("hosts");
  own.by = "wait";
  assert.deepEqual(labels(arrange()), ["a", "b"], "folded ones by their mean: equal ones stay in order");
});

test("values are those of the chosen span, or of the whole run", () => {
  const { own, arrange } = order(dataOf(HOSTS, WAITS), { by: "wait" });
  own.span = { from: 0, to: 500 };
  assert.deepEqual(labels(arrange()), ["rank 1", "rank 2", "rank 0", "rank 3"]);
  assert.equal(own.words(arrange().lanes[0]), "waiting: 400 ns");
});

test("bytes are those of the summary, in a chosen span those of the calls that begin in it", () => {
  const data = dataOf(HOSTS.slice(0, 2), WAITS.slice(0, 2));
  const own = order(data, { by: "bytes" });
  own.own.bytes = new Map([
    [0, 100],
    [1, 900],
  ]);
  assert.deepEqual(labels(own.arrange()), ["rank 1", "rank 0"]);
  own.own.bytes.delete(1);
  assert.deepEqual(labels(own.arrange()), ["rank 0", "rank 1"], "what the page does not know comes last");
  assert.equal(own.own.words(own.arrange().lanes[1]), "bytes: unknown");
  own.own.bytes.set(1, 900);
  const enter = [100, 700, 100, 700];
  data.sets = [
    {
      windows: [[0, 1000]],
      has: () => true,
      enter,
      bytes_sent: [8, 0, 1, 99],
      bytes_received: [8, 0, 1, 99],
      range: (row, from, to) => ({ first: 2 * row, last: to <= 700 ? 2 * row + 1 : 2 * row + 2 }),
    },
  ];
  own.own.span = { from: 0, to: 500 };
  assert.deepEqual(labels(own.arrange()), ["rank 0", "rank 1"]);
  assert.equal(own.own.words(own.arrange().lanes[0]), "bytes: 16 B");
  data.sets[0].has = (row) => row === 0;
  assert.deepEqual(labels(own.arrange()), ["rank 1", "rank 0"], "of the run where not all rows have their calls");
});

test("a hidden row takes along what is inside of it, a pinned one stands at the top", () => {
  const { tree, own, arrange } = order(
    dataOf([[0, 0, "a"], [0, 1, "a"], ...HOSTS.slice(1)], [...WAITS.slice(0, 1), ...WAITS]),
  );
  tree.unfoldTo("threads");
  const lane = (label) => tree.lanes().find((each) => each.label === label);
  own.hide(lane("rank 0"));
  assert.deepEqual(labels(arrange()), ["a", " rank 1", "b", " rank 2", " rank 3"]);
  own.pin(lane("thread 1"));
  own.pin(lane("rank 3"));
  assert.deepEqual(labels(arrange()), ["rank 0, thread 1", "rank 3", "a", " rank 1", "b", " rank 2"]);
  assert.equal(arrange().pinned, 2);
  own.by = "wait";
  assert.deepEqual(labels(arrange()), ["rank 0, thread 1", "rank 3", "rank 2", "rank 1"]);
  own.pin(lane("rank 3"));
  assert.equal(arrange().pinned, 1);
  assert.equal(own.show(0, 0), true);
  assert.equal(own.show(0, 0), false);
  own.reset();
  own.by = "";
  assert.equal(labels(arrange()).length, tree.lanes().length);
});

test("a host without a row that is shown has none, and pinned ranks are found at their own place", () => {
  const data = dataOf(HOSTS, WAITS),
    { tree, own, arrange } = order(data);
  for (const label of ["rank 0", "rank 1"]) own.hide(tree.lanes().find((each) => each.label === label));
  assert.deepEqual(labels(arrange()), ["b", " rank 2", " rank 3"]);
  own.pin(tree.lanes().find((each) => each.label === "rank 3"));
  assert.deepEqual(labels(arrange()), ["rank 3", "b", " rank 2"]);
  assert.equal(lanes.placesOf(data, arrange().lanes).get(3), 0);
});

test("members sort inside of their group", () => {
  const data = dataOf([[0, 0, "a"], ...HOSTS.slice(1)], WAITS);
  const tree = [
    { key: "group 0", kind: "group", id: 0, ids: [0], depth: 0, label: "group", isFolded: false },
    { key: "row 1", kind: "member", id: 1, ids: [1], depth: 1, label: "one" },
    { key: "row 2", kind: "member", id: 2, ids: [2], depth: 1, label: "two" },
    { key: "row 3", kind: "thread", id: 3, ids: [3], depth: 0, label: "alone" },
  ];
  const own = Object.assign(new rowOrder.RowOrder(data, {}), { by: "wait" });
  assert.deepEqual(labels(own.arrange(tree)), ["group", " two", " one", "alone"]);
});
