// SPDX-License-Identifier: Apache-2.0
// Names of calls in their bars, and what is known of the message whose line is under the pointer.
"use strict";
((m) => {
  const { duration, bytes } = m.format;
  const ROOM_PX = 8, // of a bar, beside the name
    LEAST_BAR_PX = 40,
    LEAST_ROW_PX = 26, // below: the names of regions alone
    NEAR_PX = 4;

  /** events: [set, place, first, last]... */
  function drawNames(line, events) {
    const { context, rowPx, data } = line;
    if (rowPx < LEAST_ROW_PX) return;
    for (const [set, place, first, last] of events)
      for (let i = first; i < last; ++i) {
        const left = Math.max(line.x(set.enter[i]), m.timeline.LABELS_PX),
          room = Math.min(line.x(set.leave(i)), line.width) - left - ROOM_PX;
        if (room < LEAST_BAR_PX) continue;
        const name = data.calls[set.call[i]],
          width = context.measureText(name).width,
          y = line.y(place) + rowPx - 16;
        if (width > room) continue;
        context.globalAlpha = 0.75;
        context.fillStyle = line.isDark ? "#14181e" : "#ffffff";
        context.fillRect(left + 3, y, width + 4, 13);
        context.globalAlpha = 1;
        context.fillStyle = line.overlay.ink;
        context.fillText(name, left + 5, y + 7);
      }
  }

  /** Distance of a point from a line between two points, in px. */
  function distance(x, y, [x0, y0, x1, y1]) {
    const dx = x1 - x0,
      dy = y1 - y0,
      length = dx * dx + dy * dy,
      at = length > 0 ? Math.min(1, Math.max(0, ((x - x0) * dx + (y - y0) * dy) / length)) : 0;
    return Math.hypot(x - x0 - at * dx, y - y0 - at * dy);
  }

  /** shown: [{set, k, ends: [x0, y0, x1, y1]}]; the message whose line is nearest to a point; null: none is near. */
  function messageAt(shown, x, y) {
    let best = null,
      away = NEAR_PX;
    for (const each of shown) {
      const own = distance(x, y, each.ends);
      if (own <= away) {
        away = own;
        best = each;
      }
    }
    return best;
  }

  /** Lines that describe a message. */
  function describeMessage(data, set, k) {
    const send = set.message_from[k],
      receive = set.message_to[k];
    const call = (i) => {
      const place = data.places[set.place[i]];
      return data.calls[set.call[i]] + (place ? ` (${place})` : "");
    };
    const lines = [`message from ${data.name(set.rowOf(send))} to ${data.name(set.rowOf(receive))}`];
    const facts = [set.tag[send] >= 0 ? `tag ${set.tag[send]}` : "", bytes(set.bytes_sent[send])];
    lines.push(facts.filter(Boolean).join(", "));
    lines.push(`${duration((set.leave(receive) - set.enter[send]) / 1e9)} from ${call(send)} to ${call(receive)}`);
    return lines;
  }

  m.callNames = { drawNames, messageAt, describeMessage };
})((globalThis.meridian ??= {}));
