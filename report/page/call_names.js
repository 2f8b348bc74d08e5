// SPDX-License-Identifier: Apache-2.0
// Names of calls in their bars.
"use strict";
((m) => {
  const ROOM_PX = 8, // of a bar, beside the name
    LEAST_BAR_PX = 40,
    LEAST_ROW_PX = 26; // below: the names of regions alone

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

  m.callNames = { drawNames };
})((globalThis.meridian ??= {}));
