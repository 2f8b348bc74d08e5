// SPDX-License-Identifier: Apache-2.0
// Collectives: bands from the enters to the leaves of their participants, with the one that came last.
"use strict";
((m) => {
  const { duration, counted } = m.format;
  const MOST_COLLECTIVES = 150,
    MARK_PX = 4;

  /** Each collective of a set: number -> {count, first, last, before: the last but one; events}. */
  function collectivesOf(set) {
    if (set.collectives) return set.collectives;
    set.collectives = new Map();
    const enter = (i) => (i < 0 ? -Infinity : set.enter[i]);
    for (let i = 0; i < set.count; ++i) {
      if (set.collective[i] === 0) continue;
      const own = set.collectives.get(set.collective[i]);
      if (!own) {
        set.collectives.set(set.collective[i], { count: 1, first: i, last: i, before: -1 });
        continue;
      }
      own.count += 1;
      if (enter(i) < enter(own.first)) own.first = i;
      if (enter(i) > enter(own.last)) {
        own.before = own.last;
        own.last = i;
      } else if (enter(i) > enter(own.before)) own.before = i;
    }
    return set.collectives;
  }

  /** Whether the last one came later than all others, within the bounds of the clocks. */
  function isCertain(data, set, { last, before }) {
    const bound = (i) => data.bound(set.rowOf(i), set.enter[i]) ?? 0;
    return set.enter[last] - set.enter[before] > bound(last) + bound(before);
  }

  /** "collective of 4 rows: rank 3 came last, 1.2 ms after rank 0"; "": the call is none of several. */
  function describe(data, set, i) {
    const own = set.collective[i] ? collectivesOf(set).get(set.collective[i]) : null;
    if (!own || own.count < 2) return "";
    const late = duration((set.enter[own.last] - set.enter[own.first]) / 1e9);
    return (
      `collective of ${counted(own.count, "row")}: ${data.name(set.rowOf(own.last))} came last` +
      (isCertain(data, set, own) ? "" : ", as far as the clocks say") +
      `, ${late} after ${data.name(set.rowOf(own.first))}`
    );
  }

  /** found: [set, place, first, last]..., the events in view. Returns how many collectives are drawn. */
  function draw(line, found) {
    const { context, rowPx } = line,
      bands = new Map();
    for (const [set, place, first, last] of found)
      for (let i = first; i < last; ++i) {
        const number = set.collective[i];
        if (number === 0) continue;
        if (!bands.has(number)) bands.set(number, { parts: new Map(), own: null });
        const band = bands.get(number),
          own = collectivesOf(set).get(number);
        band.parts.set(place, [set.enter[i], set.leave(i)]);
        // What a server sent of a part of the run may have some of its calls only.
        if (!(band.own?.count >= own.count)) Object.assign(band, { set, own });
      }
    if (bands.size > MOST_COLLECTIVES) return 0;
    let drawn = 0;
    for (const { parts, set, own } of bands.values()) {
      if (parts.size < 2) continue;
      context.strokeStyle = context.fillStyle = line.isDark ? "#e29ac8" : "#8a2f6b";
      const rows = [...parts].sort((a, b) => a[0] - b[0]);
      const path = (list, end) =>
        list.forEach(([place, times]) => context.lineTo(line.x(times[end]), line.y(place) + rowPx / 2));
      context.globalAlpha = 0.12;
      context.beginPath();
      path(rows, 0);
      path(rows.toReversed(), 1);
      context.fill();
      context.globalAlpha = 1;
      context.setLineDash([4, 3]);
      context.beginPath();
      path(rows, 0);
      context.stroke();
      context.setLineDash([]);
      mark(line, set, own);
      drawn += 1;
    }
    return drawn;
  }

  /** A diamond where the last one came: an empty one if the clocks do not tell. */
  function mark(line, set, own) {
    const { context } = line,
      place = line.place(set.rowOf(own.last));
    if (!line.isSeen(place)) return;
    const x = line.x(set.enter[own.last]),
      y = line.y(place) + line.rowPx / 2;
    context.beginPath();
    context.moveTo(x, y - MARK_PX);
    context.lineTo(x + MARK_PX, y);
    context.lineTo(x, y + MARK_PX);
    context.lineTo(x - MARK_PX, y);
    context.closePath();
    context.fillStyle = isCertain(line.data, set, own) ? line.overlay.ink : line.isDark ? "#14181e" : "#ffffff";
    context.strokeStyle = line.overlay.ink;
    context.fill();
    context.stroke();
  }

  m.collectives = { collectivesOf, isCertain, describe, draw };
})((globalThis.meridian ??= {}));
