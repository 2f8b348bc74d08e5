// SPDX-License-Identifier: Apache-2.0
// Events one by one: columns, by row and time.
"use strict";
((m) => {
  const { column, signedColumn, sums } = m.codec;
  const { lowerBound } = m.levels;

  class EventSet {
    /**
     * raw: the object `events` of docs/REPORT.md; windows: [[from, to]...], sorted, within which it has all events of
     * some rows: of `ids`, or of the first ones.
     */
    static async read(raw, windows, rows, ids) {
      const set = new EventSet();
      set.windows = windows;
      set.count = raw.count;
      const counts = await column(raw.counts);
      ids ??= Array.from(counts, (_, row) => row);
      const countOf = new Float64Array(rows);
      ids.forEach((id, i) => {
        countOf[id] = counts[i];
      });
      set.ids = new Set(ids);
      set.first = [0];
      for (let row = 0; row < rows; ++row) set.first.push(set.first[row] + countOf[row]);
      for (const name of ["call", "place", "bytes_sent", "bytes_received", "flags", "calls", "collective"])
        set[name] = await column(raw[name]);
      for (const name of ["duration", "outside", "peer", "tag", "comm"]) set[name] = await signedColumn(raw[name]);
      set.enter = await signedColumn(raw.enter);
      for (let row = 0; row < rows; ++row) {
        let at = 0;
        for (let i = set.first[row]; i < set.first[row + 1]; ++i) set.enter[i] = at += set.enter[i];
      }
      set.wait_event = sums(await column(raw.wait_event));
      set.wait_ns = await signedColumn(raw.wait_ns);
      for (const name of ["wait_kind", "causer_call", "causer_place"]) set[name] = await column(raw[name]);
      for (const name of ["causer_rank", "causer_enter"]) set[name] = await signedColumn(raw[name]);
      set.message_from = sums(await column(raw.message_from));
      set.message_to = (await signedColumn(raw.message_to)).map((v, i) => v + set.message_from[i]);
      set.waitOf = new Map(Array.from(set.wait_event, (event, i) => [event, i]));
      return set;
    }

    has(row) {
      return this.ids.has(row);
    }
    leave(i) {
      return this.enter[i] + this.duration[i];
    }
    rowOf(i) {
      return lowerBound(this.first, i + 1) - 1;
    }

    /** Events of a row that may touch a time span: [first, last). Calls of a thread do not overlap. */
    range(row, from, to) {
      const begin = this.first[row],
        end = this.first[row + 1];
      let first = lowerBound(this.enter, from, begin, end);
      while (first > begin && this.leave(first - 1) > from) --first;
      return { first, last: lowerBound(this.enter, to, first, end) };
    }

    /** Windows that overlap a time span. */
    covering(from, to) {
      return this.windows.filter(([begin, end]) => begin < to && end > from);
    }
    covers(at) {
      return this.windows.some(([begin, end]) => begin <= at && at < end);
    }

    /** The event of a row that lasts at a time, or the nearest one within `reach`; -1: none. */
    at(row, time, reach) {
      const { first, last } = this.range(row, time - reach, time + reach);
      let best = -1,
        away = Infinity;
      for (let i = first; i < last; ++i) {
        const distance = Math.max(this.enter[i] - time, time - this.leave(i), 0);
        if (distance <= away) {
          away = distance;
          best = i;
        }
      }
      return away <= reach ? best : -1;
    }

    /** The event of a row that begins at a time; -1: it is not here. */
    find(row, enter) {
      const i = lowerBound(this.enter, enter, this.first[row], this.first[row + 1]);
      return i < this.first[row + 1] && this.enter[i] === enter ? i : -1;
    }
  }

  m.events = { EventSet };
})((globalThis.meridian ??= {}));
