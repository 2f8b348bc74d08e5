// SPDX-License-Identifier: Apache-2.0
// From the chosen call to others: the next one of its function, and the one that it waited for.
"use strict";
((m) => {
  function firstInView(line) {
    const { data, view } = line;
    for (const lane of line.lanes)
      for (const set of lane.id < 0 ? [] : data.sets) {
        const { first, last } = set.range(lane.id, view.from, view.to);
        if (last > first) return { set, event: first };
      }
    return null;
  }

  /** To the next (1) or previous (-1) call of the same function in its row; of nothing, to the first one in view. */
  function step(line, direction) {
    if (!line.pin) return line.choose(firstInView(line));
    const { set, event } = line.pin,
      row = set.rowOf(event);
    for (let i = event + direction; i >= set.first[row] && i < set.first[row + 1]; i += direction)
      if (set.call[i] === set.call[event]) return line.choose({ set, event: i }, true);
    line.tip.say(
      `The page holds no ${direction > 0 ? "later" : "earlier"} call of ` +
        `${line.data.calls[set.call[event]]} in this row.`,
    );
  }

  function toCauser(line) {
    const { data } = line,
      wait = line.pin?.set.waitOf.get(line.pin.event);
    if (wait === undefined) return line.tip.say("The chosen call waited for none.");
    const { set, event } = line.pin,
      enter = set.enter[event] + set.causer_enter[wait],
      rank = set.causer_rank[wait];
    for (const [id, thread] of data.threads.entries())
      for (const each of thread.rank === rank ? data.sets : []) {
        const causer = each.find(id, enter);
        if (causer < 0) continue;
        line.reveal(rank, thread.thread);
        return line.choose({ set: each, event: causer }, true);
      }
    line.reveal(rank, 0);
    if (line.onmissing?.(rank, enter) !== true) line.tip.say("The page does not hold the call that was waited for.");
  }

  m.steps = { step, toCauser };
})((globalThis.meridian ??= {}));
