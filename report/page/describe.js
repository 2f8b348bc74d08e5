// SPDX-License-Identifier: Apache-2.0
// Calls, and what rows do around a time, in words.
"use strict";
((m) => {
  const { duration, bytes, count, percent } = m.format;
  const LEAST_SHARE = 0.005,
    NEAR_PX = 2;

  /** Lines that describe a call. */
  function describeCall(data, set, i) {
    const id = set.rowOf(i),
      call = data.calls[set.call[i]],
      place = data.places[set.place[i]];
    const lines = [place ? `${call} (${place})` : call];
    lines.push(
      `${data.name(id)}, at ${((set.enter[i] - data.begin_ns) / 1e9).toFixed(9)} s, ` +
        (data.isUnfinished(set, i) ? "has not returned" : `for ${duration(set.duration[i] / 1e9)}`),
    );
    if (set.calls[i] > 1) lines.push(`${count(set.calls[i])} calls in one event`);
    const facts = [
      set.peer[i] >= 0 ? `peer rank ${set.peer[i]}` : "",
      set.peer[i] >= 0 && set.tag[i] >= 0 ? `tag ${set.tag[i]}` : "",
      m.messages.commName(data, set.comm[i]),
    ].filter(Boolean);
    if (facts.length) lines.push(facts.join(", "));
    if (set.bytes_sent[i] || set.bytes_received[i])
      lines.push(`${bytes(set.bytes_sent[i])} sent, ${bytes(set.bytes_received[i])} received`);
    const wait = set.waitOf.get(i);
    if (wait !== undefined) {
      const of = data.places[set.causer_place[wait]];
      lines.push(
        `${data.wait_kinds[set.wait_kind[wait]]}: waited ${duration(set.wait_ns[wait] / 1e9)} for ` +
          `${data.calls[set.causer_call[wait]]}${of ? ` (${of})` : ""} of rank ${set.causer_rank[wait]}`,
      );
    }
    const collective = m.collectives.describe(data, set, i);
    if (collective) lines.push(collective);
    const bound = data.bound(id, set.enter[i]);
    if (bound)
      lines.push(`its times are certain within ${duration(bound / 1e9)} (T1; hatched where that is more than a pixel)`);
    return lines;
  }

  /** Lines that describe what a lane does around a time, from its bins. */
  function describeBins(line, lane, time) {
    const { data } = line,
      half = (NEAR_PX * line.widthNs) / line.plotPx,
      near = (colouring) => data.parts.findLast((p) => p.from <= time && time < p.to && colouring.binsIn(p, lane)),
      binsOf = (colouring) => (near(colouring) ? colouring.binsIn(near(colouring), lane) : colouring.binsOf(lane)),
      bins = binsOf(line.colouring),
      states = binsOf(data.colourings[0]);
    if (!bins) return [lane.label];
    const words = line.colouring.describe?.(lane, time);
    const shares = bins.levels.shares(bins.row, time - half, time + half);
    const parts = line.colouring.names
      .map((name, c) => [name, shares[c]])
      .filter(([, share]) => share > LEAST_SHARE)
      .sort((a, b) => b[1] - a[1]);
    const { calls, longest } = states.levels.calls(states.row, time - half, time + half);
    const lines = [
      `${lane.label}, at ${duration((time - data.begin_ns) / 1e9)}`,
      ...(words ?? parts.map(([name, share]) => `${percent(share)} ${name}`)),
    ];
    if (calls > 0)
      lines.push(`${count(calls)} ${calls === 1 ? "call" : "calls"}, the longest ${duration(longest / 1e9)}`);
    return lines;
  }

  m.describe = { describeCall, describeBins };
})((globalThis.meridian ??= {}));
