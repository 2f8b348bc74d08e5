// SPDX-License-Identifier: Apache-2.0
// Rows sorted by a value, hidden, or pinned to the top. A lane takes along the lanes that are inside of it.
"use strict";
((m) => {
  const { duration, bytes } = m.format;
  const isWait = (data, c) => data.wait_classes.includes(c);
  /** What rows are sorted by, the largest first: key -> {text, say: value in words}. */
  const VALUES = {
    wait: { text: "waiting", say: (ns) => duration(ns / 1e9) },
    compute: { text: "computing", say: (ns) => duration(ns / 1e9) },
    bytes: { text: "bytes", say: bytes },
  };
  /** The same, with the counters whose rows are known. */
  const valuesOf = (data) => ({
    ...VALUES,
    ...Object.fromEntries(
      data.colourings
        .filter((colouring) => colouring.sum)
        .map((colouring) => [colouring.name, { text: colouring.text, say: m.counterColours.amount, colouring }]),
    ),
  });

  /** ns that a thread waits and computes in a span, from its bins; of a thread without bins -1. */
  function timesOf(data, id, span) {
    const bins = m.inView.binsOf(data, id, span);
    if (!bins) return { wait: -1, compute: -1 };
    const times = bins.levels.times(bins.row, span.from, span.to);
    return { wait: times.reduce((sum, ns, c) => sum + (isWait(data, c) ? ns : 0), 0), compute: times[0] };
  }

  /** Bytes that the calls of a row sent and received in a span; null: not all of its calls are known. */
  function bytesIn(data, id, { from, to }) {
    const set = data.sets.find(
      (each) => each.has(id) && each.windows.some(([begin, end]) => begin <= from && to <= end),
    );
    if (!set || data.isGroup(id)) return null;
    const range = set.range(id, from, to);
    let sum = 0;
    for (let i = range.first; i < range.last; ++i)
      if (set.enter[i] >= from) sum += set.bytes_sent[i] + set.bytes_received[i];
    return sum;
  }

  class RowOrder {
    constructor(data, summary) {
      this.data = data;
      this.values = valuesOf(data);
      this.by = "";
      this.hidden = new Set(); // keys of lanes
      this.pinned = []; // the same, from the top
      this.span = null; // {from, to}: the values are those of this time; null: of the whole run
      this.isOfSpan = false; // bytes are those of the span
      this.bytes = new Map(
        (summary.ranks ?? []).map((rank) => [
          rank.rank,
          rank.bytes_sent + rank.bytes_received + rank.other_bytes_sent + rank.other_bytes_received,
        ]),
      );
    }

    /** Value of a lane: of a host the mean of its threads. */
    value(lane) {
      const { data } = this,
        span = this.span ?? { from: data.begin_ns, to: data.end_ns },
        ids = lane.kind === "host" ? lane.ids : [lane.id];
      const own = (id) =>
        this.by === "bytes"
          ? this.isOfSpan
            ? bytesIn(data, id, span)
            : this.#bytesOf(id)
          : (this.values[this.by].colouring?.sum(id, span.from, span.to) ?? timesOf(data, id, span)[this.by]);
      return ids.reduce((sum, id) => sum + own(id), 0) / Math.max(1, ids.length);
    }
    /** Of the whole run, of a group the mean of those that the page knows; -1: of none. */
    #bytesOf(id) {
      const { data } = this,
        ranks = data.isGroup(id) ? data.rows[id].members.map(([rank]) => rank) : [data.threads[id].rank],
        known = ranks.map((rank) => this.bytes.get(rank)).filter((value) => value !== undefined);
      return known.length ? known.reduce((a, b) => a + b) / known.length : -1;
    }
    /** "waiting 1.20 s": what the lane is sorted by; "": by nothing. */
    words(lane) {
      if (!this.by) return "";
      const { text, say } = this.values[this.by],
        value = this.value(lane);
      return `${text}: ${value < 0 ? "unknown" : say(value)}`;
    }

    /** The lanes in this order, and how many of them are pinned: {lanes, pinned}. */
    arrange(lanes) {
      // Bytes are those of the span where the page has every call of it, of all rows; otherwise those of the run.
      const idsOf = (lane) => (lane.kind === "host" ? lane.ids : [lane.id]),
        hasBytes = (id) => bytesIn(this.data, id, this.span) !== null;
      this.isOfSpan = this.by === "bytes" && this.span !== null && lanes.flatMap(idsOf).every(hasBytes);
      const shown = [],
        pinned = new Map();
      for (const block of blocks(lanes)) this.#take(block, shown, pinned);
      const top = this.pinned.flatMap((key) => pinned.get(key) ?? []);
      return { lanes: [...top, ...this.#sort(shown)], pinned: top.length };
    }
    #take([head, ...inside], shown, pinned) {
      if (this.pinned.includes(head.key)) {
        const label = head.kind === "thread" && head.isFolded === undefined ? this.data.name(head.id) : head.label;
        return pinned.set(head.key, atDepth([{ ...head, label }, ...inside], 0));
      }
      const inner = [];
      for (const block of blocks(inside)) this.#take(block, inner, pinned);
      if (this.hidden.has(head.key)) return;
      // Sorted, the ranks of all hosts that are unfolded compete.
      const isOpenHost = head.kind === "host" && inside.length > 0;
      if (isOpenHost && inner.length === 0) return;
      if (isOpenHost && this.by) shown.push(...atDepth(inner, head.depth));
      else shown.push(head, ...inner);
    }
    #sort(lanes) {
      if (!this.by) return lanes;
      return blocks(lanes)
        .map(([head, ...inside]) => ({ value: this.value(head), lanes: [head, ...this.#sort(inside)] }))
        .sort((a, b) => b.value - a.value)
        .flatMap((block) => block.lanes);
    }

    hide(lane) {
      this.pinned = this.pinned.filter((key) => key !== lane.key);
      this.hidden.add(lane.key);
    }
    /** Whatever hides a thread hides it no longer; true: something did. */
    show(rank, thread) {
      const row = this.data.row(rank, thread),
        id = this.data.memberOf.get(`${rank}.${thread}`) ?? row,
        keys = [`rank ${rank}`, `row ${id}`, `group ${row}`, `host ${this.data.threads[id]?.host}`];
      return keys.filter((key) => this.hidden.delete(key)).length > 0;
    }
    /** Pins a lane, or lets it go. */
    pin(lane) {
      if (this.pinned.includes(lane.key)) this.pinned = this.pinned.filter((key) => key !== lane.key);
      else this.pinned = [...this.pinned, lane.key];
    }
    reset() {
      this.hidden.clear();
      this.pinned = [];
    }
  }

  /** Lanes in blocks: one, and those inside of it. */
  function blocks(lanes) {
    const list = [];
    for (const lane of lanes)
      if (list.length > 0 && lane.depth > list.at(-1)[0].depth) list.at(-1).push(lane);
      else list.push([lane]);
    return list;
  }
  /** The same with the first one at a depth. */
  function atDepth(lanes, depth) {
    const less = (lanes[0]?.depth ?? 0) - depth;
    return lanes.map((lane) => ({ ...lane, depth: lane.depth - less }));
  }

  m.rowOrder = { RowOrder };
})((globalThis.meridian ??= {}));
