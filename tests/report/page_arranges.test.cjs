// SPDX-License-Identifier: Apache-2.0
// Lanes of the timeline, filters, worst instances, and what is asked of a server: node --test page_arranges.test.cjs
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
  "source",
  "messages",
  "first",
  "instances",
  "matrix",
  "table",
  "plots",
  "sections",
  "clocks",
])
  require(path.join(__dirname, "../../report/page", `${name}.js`));
const { data: pageData, lanes, source, first, messages, instances, levels, matrix } = globalThis.meridian;

/** Data of rows [{rank, thread, host, members?, outlier?}], without bins. */
function dataOf(rows) {
  const data = Object.assign(new pageData.TimelineData(), {
    rows,
    begin_ns: 0,
    end_ns: 1000,
    sets: [],
    parts: [],
    waits: [],
    longest_calls: [],
    calls: ["f", "g"],
    regionRow: [],
    regionCall: [],
    regionBegin: [],
    regionEnd: [],
  });
  data.threads = rows.map(({ rank, thread, host }, row) => ({ rank, thread, host, row }));
  data.rowOf = new Map();
  data.memberOf = new Map();
  rows.forEach((row, id) => {
    for (const [rank, thread] of row.members ?? [[row.rank, row.thread]]) {
      data.rowOf.set(`${rank}.${thread}`, id);
      if (!row.members) continue;
      data.memberOf.set(`${rank}.${thread}`, data.threads.length);
      data.threads.push({ rank, thread, host: "", row: id });
    }
  });
  data.levels = { levels: [{ binNs: 10 }] };
  return data;
}
const rows = (list) => list.map(([rank, thread, host]) => ({ rank, thread, host }));
const labels = (tree) => tree.lanes().map((lane) => " ".repeat(lane.depth) + lane.label);
const HOSTS = rows([
  [0, 0, "a"],
  [1, 0, "a"],
  [2, 0, "b"],
  [3, 0, "b"],
]);
const GROUPS = [
  { rank: 0, thread: 0, host: "a" },
  {
    rank: 2,
    thread: 0,
    host: "a",
    members: [
      [1, 0],
      [2, 0],
      [3, 0],
    ],
    outlier: [3, 0],
  },
];

test("ranks lie below their hosts, which fold", () => {
  const tree = new lanes.LaneTree(dataOf(HOSTS));
  assert.deepEqual(labels(tree), ["a", " rank 0", " rank 1", "b", " rank 2", " rank 3"]);
  tree.toggle(tree.lanes()[0]);
  assert.deepEqual(labels(tree), ["a", "b", " rank 2", " rank 3"]);
  assert.deepEqual(tree.lanes()[0].ids, [0, 1]);
});

test("threads are folded into their rank until they are asked for", () => {
  const data = dataOf(
      rows([
        [0, 0, "a"],
        [0, 1, "a"],
        [1, 0, "a"],
      ]),
    ),
    tree = new lanes.LaneTree(data);
  assert.deepEqual(labels(tree), ["rank 0 (2 threads)", "rank 1"]);
  assert.equal(tree.reveal(0, 1), true);
  assert.deepEqual(labels(tree), ["rank 0", " thread 1", "rank 1"]);
  assert.equal(lanes.placesOf(data, tree.lanes()).get(1), 1);
});

test("groups unfold to their members, and the outlier is named", () => {
  const data = dataOf(GROUPS),
    tree = new lanes.LaneTree(data);
  assert.deepEqual(labels(tree), ["rank 0", "3 like rank 2"]);
  const places = lanes.placesOf(data, tree.lanes());
  assert.deepEqual(
    [2, 3, 4].map((id) => places.get(id)),
    [1, 1, 1],
    "members are where their group is",
  );
  tree.unfoldTo("members");
  assert.deepEqual(labels(tree), ["rank 0", "3 like rank 2", " rank 1", " rank 2", " rank 3 (outlier)"]);
});

test("a filter of ranks shows ranks inside of groups, too", () => {
  const tree = new lanes.LaneTree(dataOf(GROUPS));
  tree.accepts = messages.inList("1,3");
  assert.deepEqual(labels(tree), ["rank 1", "rank 3 (outlier)"]);
  tree.accepts = messages.inList("0");
  assert.deepEqual(labels(tree), ["rank 0"]);
});

test("lists of ranks are understood, or refused", () => {
  assert.deepEqual([0, 1, 2, 3, 8, 9].filter(messages.inList("0-2, 8")), [0, 1, 2, 8]);
  assert.deepEqual(["", "3", "0-2,8", "1,"].map(messages.isList), [true, true, true, true]);
  assert.deepEqual(["a", "1-", "1 2", "-1"].map(messages.isList), [false, false, false, false]);
});

test("shares of many ranks are drawn as means, with the largest", () => {
  const shares = [0.1, 0.3, 0.5, 0.7, 0.9].map((share, rank) => ({ rank, share }));
  assert.deepEqual(
    first.shareGroups(shares, 5).map((group) => group.worst),
    [0, 1, 2, 3, 4],
  );
  const [one, two, three] = first.shareGroups(shares, 3);
  assert.deepEqual([one.from, one.to, one.least, one.mean, one.most, one.worst], [0, 1, 0.1, 0.2, 0.3, 1]);
  assert.deepEqual([two.from, three.from, three.to, three.mean], [2, 4, 4, 0.9]);
});

test("the worst instance of a problem is its longest wait, or its longest call, or the region that causes it", () => {
  const data = dataOf(
    rows([
      [0, 0, "a"],
      [1, 0, "a"],
    ]),
  );
  data.waits = [
    { kind: "late receiver", function: "f", place: "x", begin_ns: 1 },
    { kind: "late sender", function: "f", place: "x", begin_ns: 2 },
  ];
  data.longest_calls = [{ function: "h", place: "", begin_ns: 3 }];
  Object.assign(data, {
    regionRow: [0, 1, 1],
    regionCall: [1, 1, 1],
    regionBegin: [0, 10, 50],
    regionEnd: [90, 40, 70],
  });
  assert.equal(instances.worst(data, { problem: "late sender", function: "f", place: "x" }).begin_ns, 2);
  assert.equal(instances.worst(data, { problem: "transfer", function: "h", place: "" }).begin_ns, 3);
  assert.deepEqual(instances.worst(data, { problem: "imbalance", function: "", causer_function: "g", causer: 1 }), {
    at: [1, 0],
    begin_ns: 10,
    end_ns: 40,
  });
  assert.equal(instances.worst(data, { problem: "imbalance", function: "", causer: -1 }), null);
});

test("the mean of rows has their bins", () => {
  const own = new levels.Levels({
    rows: 2,
    classes: 1,
    bins: 2,
    binNs: 10,
    beginNs: 0,
    shares: Uint8Array.from([255, 0, 100, 0]),
    calls: Float64Array.from([1, 2, 3, 4]),
    longest: Float64Array.from([5, 6, 7, 1]),
  });
  const [mean] = own.mean([0, 1]).levels;
  assert.deepEqual(
    [[...mean.shares], [...mean.calls], [...mean.longest]],
    [
      [178, 0],
      [4, 6],
      [7, 6],
    ],
  );
  assert.deepEqual(own.calls(1, 0, 10), { calls: 3, longest: 7 });
});

test("a matrix of groups says which ranks a cell has", async () => {
  const { deflateSync } = require("node:zlib"),
    pack = (...bytes) => deflateSync(Uint8Array.from(bytes)).toString("base64");
  const side = { count: 6, group: 2, from: pack(0, 2), to: pack(1, 0), messages: pack(3, 4), bytes: pack(50, 60) };
  const read = await matrix.read({ ranks: side, hosts: { ...side, group: 1, names: ["x", "y", "z"] } });
  assert.deepEqual(matrix.cellsOf(read.ranks, "bytes"), [
    { x: 1, y: 0, value: 50, text: "ranks 0 to 1 to ranks 2 to 3: 3 messages, 50 B" },
    { x: 0, y: 2, value: 60, text: "ranks 4 to 5 to ranks 0 to 1: 4 messages, 60 B" },
  ]);
  assert.equal(matrix.cellsOf(read.hosts, "messages")[1].text, "z to x: 4 messages, 60 B");
});

test("a server is asked for what is not there, once, with some of the time around it", async () => {
  const data = dataOf(GROUPS),
    asked = [];
  globalThis.fetch = async (url) => {
    asked.push(url);
    return { ok: true, json: async () => ({}) };
  };
  const server = new source.ServerSource();
  assert.equal(
    await server.part(data, { from: 0, to: 1000 }, 50, [0, 1]),
    null,
    "the page's own bins are narrow enough",
  );
  assert.deepEqual((await server.part(data, { from: 100, to: 200 }, 1, [2, 0])).ids, [0, 2]);
  assert.deepEqual(asked, ["part?from=50&to=250&rows=0,1.0"]);
  assert.equal(await server.part(data, { from: 100, to: 200 }, 1, [0, 2]), null);
  data.parts = [
    {
      from: 50,
      to: 250,
      place: new Map([
        [0, 0],
        [2, 1],
      ]),
      levels: { levels: [{ binNs: 1 }] },
    },
  ];
  assert.equal(await server.part(data, { from: 120, to: 220 }, 1, [0]), null);
  assert.equal(asked.length, 1);
  globalThis.fetch = async () => ({ ok: false, text: async () => "no\n" });
  await assert.rejects(server.part(data, { from: 600, to: 700 }, 1, [0]), { message: "no" });
});

test("a group and the member that it is named after are not asked for twice", async () => {
  const data = dataOf(GROUPS);
  globalThis.fetch = async () => ({ ok: true, json: async () => ({}) });
  assert.deepEqual(
    (await new source.ServerSource().part(data, { from: 100, to: 200 }, 1, [1, 2, 3, 4])).ids,
    [1, 2, 4],
  );
});

test("a file is asked for nothing", async () => {
  assert.equal(await new source.FileSource().part(dataOf(HOSTS), { from: 0, to: 10 }, 1, [0]), null);
});

/** As much of a document as sections need: elements with their texts. */
function fakeDocument() {
  const make = (name) => {
    const own = {
      name,
      attributes: {},
      children: [],
      textContent: "",
      setAttribute: (key, value) => {
        own.attributes[key] = value;
      },
      append: (...more) => own.children.push(...more.filter(Boolean)),
      addEventListener() {},
    };
    return own;
  };
  return { createElement: make, createElementNS: (_, name) => make(name) };
}
const textsOf = (own, name) =>
  own.children.flatMap((child) => [
    ...(child.name === name ? [child.textContent] : []),
    ...(child.children ? textsOf(child, name) : []),
  ]);

test("the section on clocks prints the verdict of the summary, and no other one", () => {
  globalThis.document = fakeDocument();
  try {
    const verdict = "times are good to 3.00 us on 2 hosts (T1), without bounds on 2 hosts";
    const summary = {
      clock_verdict: verdict,
      clocks: [{ t1_s: 0 }, { t1_s: 3e-6 }, { t1_s: -1 }, { t1_s: -1 }],
      clock_models: [{ name: "meridian", is_chosen: true, messages: 9, reversed: 0, worst_s: 0, residual_s: 0 }],
    };
    const timeline = {
      begin_ns: 0,
      end_ns: 1000,
      bounds: [
        [],
        [
          [0, 3000, 1000],
          [900, 2000, 900],
        ],
      ],
      clocks: { names: ["a", "b"], fit: [], samples: [], lengths: [] },
    };
    const made = globalThis.meridian.clocks.clocks(summary, timeline);
    assert.deepEqual(textsOf(made, "p"), [`T${verdict.slice(1)}.`]);
    assert.equal(textsOf(made, "h3").length, 3);
    assert.deepEqual(textsOf(globalThis.meridian.clocks.clocks({ ...summary, clock_verdict: "" }, timeline), "p"), []);
  } finally {
    delete globalThis.document;
  }
});
