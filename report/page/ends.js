// SPDX-License-Identifier: Apache-2.0
// How ranks ended that did not come to MPI_Finalize: the call that never returned, until the end, and whom it was for.
"use strict";
((m) => {
  const TEXT_PX = 40, // a narrower stretch has no room for words
    MARK_PX = 4;

  /** [{rank, at, from: when the call began that never returned, or null, call, what, peer: or -1}], times in ns. */
  function endsOf(data, summary) {
    return summary.ranks
      .filter((rank) => rank.end_s >= 0)
      .map((rank) => {
        const at = data.begin_ns + rank.end_s * 1e9,
          end = { rank: rank.rank, at, from: null, call: rank.end_call, what: rank.end, peer: -1 };
        if (rank.end_call_s > 0) end.from = at - rank.end_call_s * 1e9;
        for (const id of data.ids(rank.rank, 0))
          for (const set of data.sets) {
            const last = set.first[id + 1] - 1;
            if (last >= set.first[id] && data.isUnfinished(set, last)) end.peer = set.peer[last];
          }
        return end;
      });
  }

  class Ends {
    constructor(line) {
      this.line = line;
      this.ends = endsOf(line.data, line.summary);
      this.placeOf = (rank) => line.place(line.data.ids(rank, 0).at(0) ?? line.data.row(rank, 0));
    }

    draw() {
      const { context, rowPx, view, isDark } = this.line,
        red = isDark ? "#ff6b6b" : "#b00020";
      for (const end of this.ends) {
        const place = this.placeOf(end.rank);
        if (!this.line.isSeen(place)) continue;
        const y = this.line.y(place),
          x = this.line.x(end.at),
          middle = y + rowPx / 2;
        context.strokeStyle = context.fillStyle = red;
        if (end.from !== null && end.at > view.from && end.from < view.to)
          this.#stretch(this.line.x(end.from), x, y, end);
        this.#text(end.what, x + 2 * MARK_PX, this.line.width, middle);
        context.lineWidth = 2;
        context.beginPath();
        for (const side of [-1, 1]) {
          context.moveTo(x - MARK_PX, middle - side * MARK_PX);
          context.lineTo(x + MARK_PX, middle + side * MARK_PX);
        }
        const other = this.ends.find(({ rank }) => rank === end.peer);
        if (end.from !== null && other && this.placeOf(other.rank) >= 0) {
          context.moveTo(x, middle);
          context.lineTo(this.line.x(other.at), this.line.y(this.placeOf(other.rank)) + rowPx / 2);
        }
        context.stroke();
        context.lineWidth = 1;
      }
    }

    #stretch(left, right, y, end) {
      const { context, rowPx } = this.line,
        from = Math.max(left, m.timeline.LABELS_PX);
      context.globalAlpha = 0.25;
      context.fillRect(from, y, right - from, Math.max(1, rowPx - 2));
      context.globalAlpha = 1;
      this.#text(`${end.call} never returned`, from + MARK_PX, right - MARK_PX, y + rowPx / 2);
    }

    #text(text, left, right, y) {
      const { context, rowPx } = this.line;
      if (rowPx < 12 || right - left < TEXT_PX) return;
      context.fillStyle = this.line.overlay.ink;
      context.fillText(text, left, y, right - left);
    }
  }

  m.ends = { Ends, endsOf };
})((globalThis.meridian ??= {}));
