// SPDX-License-Identifier: Apache-2.0
// Numbers of what is in view, and the view in the address: node --test page_counts.test.cjs
"use strict";
const assert = require("node:assert/strict");
const path = require("node:path");
const test = require("node:test");

for (const name of [
  "dom",
  "codec",
  "format",
  "levels",
  "events",
  "data",
  "lanes",
  "in_view",
  "address",
  "ends",
  "messages",
  "collectives",
])
  require(path.join(__dirname, "../../report/page", `${name}.js`));
const { inView, address, collectives, messages, ends, levels, events, data: pageData } = globalThis.meridian;

/** Columns of events [row, enter, duration, call, more], sorted by row and enter, as the page has them. */
function setOf(list, rows, windows) {
  const set = Object.assign(new events.EventSet(), { windows, count: list.length, ids: new Set(rows) });
  const column = (name, otherwise) => list.map((event) => event[4]?.[name] ?? otherwise);
  set.first = Array.from({ length: rows.length + 1 }, (_, row) => list.filter((event) => event[0] < row).length);
  set.enter = list.map((event) => event[1]);
  set.duration = list.map((event) => event[2]);
  set.call = list.map((event) => event[3]);
  for (const name of ["outside", "bytes_sent", "bytes_received", "flags"]) set[name] = column(name, 0);
  set.calls = column("calls", 1);
  const waits = list.flatMap((event, i) => (event[4]?.wait ? [[i, ...event[4].wait]] : []));
  set.waitOf = new Map(waits.map(([i], wait) => [i, wait]));
  set.wait_ns = waits.map((wait) => wait[1]);
  set.wait_kind = waits.map((wait) => wait[2]);
  set.causer_rank = waits.map((wait) => wait[3]);
  set.message_from = [];
  set.message_to = [];
  return set;
}

/** Two rows of 1000 ns in 100 bins. Classes: computing, MPI, waiting. Calls: send, receive, an event of the program. */
function someData() {
  const bins = new Uint8Array(2 * 3 * 100);
  bins.fill(255, 0, 100); // row 0 computes
  bins.fill(51, 300, 400); // row 1: a fifth
  bins.fill(204, 500, 600); // and waits
  const data = Object.assign(new pageData.TimelineData(), {
    rows: [{ rank: 0 }, { rank: 1 }],
    threads: [0, 1].map((rank) => ({ rank, thread: 0, row: rank })),
    classes: ["computing", "MPI", "waiting"],
    calls: ["send", "receive", "mark"],
    call_classes: [1, 1, -1],
    wait_classes: [2],
    wait_kinds: ["late sender"],
    unfinished_flag: 2,
    begin_ns: 0,
    end_ns: 1000,
    parts: [],
    lives: [
      [0, 1000],
      [0, 900],
    ],
  });
  const none = new Float64Array(200);
  data.levels = new levels.Levels({
    rows: 2,
    classes: 3,
    bins: 100,
    binNs: 10,
    beginNs: 0,
    shares: bins,
    calls: none,
    longest: none,
  });
  const set = setOf(
    [
      [0, 100, 50, 0, { bytes_sent: 8 }],
      [0, 200, 0, 2],
      [0, 400, 100, 0, { bytes_sent: 16 }],
      [1, 50, 120, 1, { bytes_received: 8, wait: [60, 0, 0] }],
      [1, 300, 250, 1, { bytes_received: 16, calls: 3, outside: 40, wait: [110, 0, 0] }],
    ],
    [0, 1],
    [[0, 1000]],
  );
  set.message_from = [0, 2];
  set.message_to = [3, 4];
  data.sets = [set];
  return data;
}
const lane = (id) => ({ kind: "thread", id, ids: [id] });
const LANES = [lane(0), lane(1)];

test("calls, bytes, waits and messages of the whole run are those of its events", () => {
  const found = inView.numbersOf(someData(), LANES, { from: 0, to: 1000 });
  assert.equal(found.threads, 2);
  assert.equal(found.ns, 2000);
  assert.deepEqual(found.functions, [
    { name: "receive", calls: 4, ns: 330, sent: 0, received: 24 },
    { name: "send", calls: 2, ns: 150, sent: 24, received: 0 },
  ]);
  assert.deepEqual(found.waits, [{ name: "late sender", ns: 170, rank: 0 }]);
  assert.deepEqual(found.messages, { count: 2, longest: 150 });
});

test("states of a wide span are those of its bins", () => {
  const found = inView.numbersOf(someData(), LANES, { from: 0, to: 1000 });
  assert.deepEqual(found.states.map(Math.round), [1200, 0, 800]);
});

test("of a narrow span the states are those of its calls, each with the part that is in it", () => {
  const found = inView.numbersOf(someData(), LANES, { from: 110, to: 350 });
  // Row 0: 40 of the send. Row 1: the last 60 of the first receive, no wait; of the second 40 outside, 10 of the wait.
  assert.deepEqual(found.states, [200 + 130 + 40, 40 + 60, 10]);
  assert.deepEqual(found.functions, [
    { name: "receive", calls: 3, ns: 70, sent: 0, received: 16 },
    { name: "send", calls: 0, ns: 40, sent: 0, received: 0 },
  ]);
  assert.deepEqual(found.messages, { count: 0, longest: 0 });
});

test("rows that are not in view do not count", () => {
  const found = inView.numbersOf(someData(), [lane(0)], { from: 0, to: 1000 });
  assert.deepEqual(found.functions, [{ name: "send", calls: 2, ns: 150, sent: 24, received: 0 }]);
  assert.equal(found.messages.count, 2);
  assert.deepEqual(found.states.map(Math.round), [1000, 0, 0]);
});

test("where the page does not hold every call there are states alone", () => {
  const data = someData();
  data.sets[0].windows = [[0, 500]];
  assert.equal(inView.numbersOf(data, LANES, { from: 0, to: 1000 }).functions, undefined);
  assert.equal(inView.numbersOf(data, LANES, { from: 0, to: 500 }).functions.length, 2);
});

test("a group counts as many threads as it has, unless its members are shown; a host its ranks if it is folded", () => {
  const data = {
    rows: [
      {
        members: [
          [0, 0],
          [1, 0],
          [2, 0],
        ],
      },
    ],
    threads: [{ row: 0 }, { row: 0 }],
  };
  const group = { kind: "group", id: 0, ids: [0] };
  assert.deepEqual([...inView.weightsOf(data, [group])], [[0, 3]]);
  assert.deepEqual([...inView.weightsOf(data, [group, { kind: "member", id: 1 }])], [[1, 1]]);
  const host = { kind: "host", id: -1, ids: [4, 5], isFolded: true };
  assert.deepEqual(
    [...inView.weightsOf(data, [host])],
    [
      [4, 1],
      [5, 1],
    ],
  );
  assert.deepEqual([...inView.weightsOf(data, [{ ...host, isFolded: false }, lane(4)])], [[4, 1]]);
});

const NO_TEXTS = Object.fromEntries(
  ["ranks", "find", "sort", "colour", "from", "to", "tag", "comm", "bytes"].map((name) => [name, ""]),
);
test("an address comes back as the view that it was made of", () => {
  const state = {
    view: [10, 2000],
    span: [20, 30],
    call: [3, 0, 17],
    ...NO_TEXTS,
    ranks: "0-3,8",
    find: "MPI_Send (a&b)",
    sort: "wait",
    comm: "0",
    bytes: "64 KiB",
    pin: ["rank 3", "host a&b"],
    hide: ["row 7"],
  };
  assert.deepEqual(address.read(address.write(state)), state);
  const none = { ...NO_TEXTS, view: null, span: null, call: null, pin: [], hide: [] };
  assert.equal(address.write(none), "");
  assert.deepEqual(address.read(address.write({ ...none, find: "x" })), { ...none, find: "x" });
});

test("addresses of sections and damaged ones are no views", () => {
  for (const hash of ["", "#ranks", "#table-functions", "#ranks="]) assert.equal(address.read(hash), null, hash);
  for (const hash of ["#view=5", "#view=5-x", "#view=9-3", "#view=-1-4", "#view=1e400-2"])
    assert.equal(address.read(hash).view, null, hash);
  assert.equal(address.read("#call=1.2").call, null);
});

test("the browser's button goes back over jumps, not over each step of a zoom", () => {
  assert.equal(address.isStep([0, 1000], [0, 700]), false);
  assert.equal(address.isStep([0, 1000], [100, 1100]), false);
  assert.equal(address.isStep([0, 1000], [400, 450]), true);
  assert.equal(address.isStep([400, 450], [0, 1000]), true);
  assert.equal(address.isStep([0, 100], [200, 300]), true);
});

test("a rank that did not come to MPI_Finalize has its end, and the call that never returned with its peer", () => {
  const data = someData();
  data.rowOf = new Map([
    ["0.0", 0],
    ["1.0", 1],
  ]);
  data.memberOf = new Map();
  data.begin_ns = 100;
  data.sets[0].flags[4] = 2;
  data.sets[0].peer = [1, -1, 1, 0, 0];
  const summary = {
    ranks: [
      { rank: 0, end: "signal 9 (SIGKILL)", end_s: 3e-7, end_call: "", end_call_s: 0 },
      { rank: 1, end: "signal 15 (SIGTERM)", end_s: 8e-7, end_call: "MPI_Recv (a.c:7)", end_call_s: 2e-7 },
      { rank: 2, end: "finalized", end_s: -1, end_call: "", end_call_s: 0 },
    ],
  };
  const found = ends
    .endsOf(data, summary)
    .map((end) => ({ ...end, at: Math.round(end.at), from: end.from && Math.round(end.from) }));
  assert.deepEqual(found, [
    { rank: 0, at: 400, from: null, call: "", what: "signal 9 (SIGKILL)", peer: -1 },
    { rank: 1, at: 900, from: 700, call: "MPI_Recv (a.c:7)", what: "signal 15 (SIGTERM)", peer: 0 },
  ]);
});

test("the message whose line is nearest to the pointer is found, within 4 px", () => {
  const shown = [
    { k: 0, ends: [0, 0, 100, 0] },
    { k: 1, ends: [0, 6, 100, 6] },
  ];
  assert.equal(messages.messageAt(shown, 50, 2).k, 0);
  assert.equal(messages.messageAt(shown, 50, 5).k, 1);
  assert.equal(messages.messageAt(shown, 50, 11), null);
  assert.equal(messages.messageAt(shown, 103, 0).k, 0);
  assert.equal(messages.messageAt(shown, 106, 0), null);
});

test("a message has its ranks, tag, bytes and time", () => {
  const data = someData();
  Object.assign(data.sets[0], { tag: [7, -1, -1, 7, -1], place: [1, 0, 0, 0, 0], comm: [4, 0, 0, 4, 0] });
  data.communicators = [
    { first: 0, count: 1, name: "MPI_COMM_WORLD", kind: "world" },
    { first: 1, count: 2, name: "MPI_COMM_SELF", kind: "self" },
    { first: 3, count: 2, name: "", kind: "intra" },
  ];
  data.places = ["", "a.c:5"];
  assert.deepEqual(messages.describeMessage(data, data.sets[0], 0), [
    "message from rank 0 to rank 1",
    "tag 7, 8 B, communicator 4 (intra)",
    "70.0 ns from send (a.c:5) to receive",
  ]);
  assert.deepEqual(
    messages.communicators(data).map((comm) => messages.commName(data, comm)),
    ["MPI_COMM_WORLD", "communicator 3 (intra)", "communicator 4 (intra)"],
  );
  assert.equal(messages.commName(data, 2), "MPI_COMM_SELF");
});

test("messages are filtered by ranks, tag, communicator and size", () => {
  const data = someData(),
    [set] = data.sets,
    filter = new messages.MessageFilter();
  Object.assign(set, { tag: [7, -1, 9, 7, 9], comm: [1, 0, 0, 1, 0] });
  const passed = () => [0, 1].filter((k) => filter.accepts(data, set, k));
  assert.deepEqual([filter.isEmpty, passed()], [true, [0, 1]]);
  const filtered = (name, text) => {
    filter.set(name, text);
    const found = passed();
    filter.set(name, "");
    return found;
  };
  assert.deepEqual(filtered("from", "0-3"), [0, 1]);
  assert.deepEqual(filtered("from", "1"), []);
  assert.deepEqual(filtered("to", "1"), [0, 1]);
  assert.deepEqual(filtered("tag", "8-9"), [1]);
  assert.deepEqual(filtered("comm", "1"), [0]);
  assert.deepEqual(filtered("bytes", "9"), [1]);
  filter.set("tag", "7");
  filter.set("bytes", "9");
  assert.deepEqual(passed(), [], "all of them have to pass");
  assert.equal(inView.numbersOf(data, LANES, { from: 0, to: 1000 }, filter).messages.count, 0);
});

test("sizes are understood with their units, or refused", () => {
  assert.deepEqual(["", "12", "64 KiB", "2m", "1.5k", "3 GB"].map(messages.sizeOf), [
    0,
    12,
    65536,
    2 * 1024 ** 2,
    1536,
    3 * 1024 ** 3,
  ]);
  for (const text of ["x", "-1", "1 TiB", "1 2"])
    assert.equal(messages.MessageFilter.isValid("bytes", text), false, text);
  assert.equal(messages.MessageFilter.isValid("tag", "1-"), false);
});

test("a collective has the row that came last, which is certain only beyond the bounds of the clocks", () => {
  const data = someData(),
    [set] = data.sets;
  set.collective = [1, 0, 2, 1, 2];
  set.enter = [100, 200, 400, 50, 402];
  data.bound = () => 1;
  const found = collectives.collectivesOf(set);
  assert.deepEqual(found.get(1), { count: 2, first: 3, last: 0, before: 3 });
  assert.equal(collectives.isCertain(data, set, found.get(1)), true);
  assert.equal(collectives.isCertain(data, set, found.get(2)), false);
  assert.equal(collectives.describe(data, set, 3), "collective of 2 rows: rank 0 came last, 50.0 ns after rank 1");
  assert.equal(
    collectives.describe(data, set, 2),
    "collective of 2 rows: rank 1 came last, as far as the clocks say, 2.00 ns after rank 0",
  );
  assert.equal(collectives.describe(data, set, 1), "");
});

test("of many participants the last two are found wherever they are", () => {
  for (const enter of [
    [5, 1, 3, 4],
    [1, 5, 4, 3],
    [4, 3, 1, 5],
  ]) {
    const set = { count: 4, collective: [1, 1, 1, 1], enter };
    const { first, last, before } = collectives.collectivesOf(set).get(1);
    assert.deepEqual(
      [first, last, before].map((i) => enter[i]),
      [1, 5, 4],
    );
  }
});
