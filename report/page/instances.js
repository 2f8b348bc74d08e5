// SPDX-License-Identifier: Apache-2.0
// From a problem or a row of a table to its worst instance on the timeline.
"use strict";
((m) => {
  const AROUND = 2; // lengths of the instance that are shown on both sides of it
  const matches = (row) => (each) => each.function === row.function && (!row.place || each.place === row.place);

  /** The longest instance of a region on a rank (-1: on any), as {at, begin_ns, end_ns}. */
  function longestRegion(data, name, rank) {
    let best = -1;
    const length = (i) => data.regionEnd[i] - data.regionBegin[i];
    for (let i = 0; i < data.regionRow.length; ++i)
      if (
        data.calls[data.regionCall[i]] === name &&
        (rank < 0 || data.threads[data.regionRow[i]].rank === rank) &&
        (best < 0 || length(i) > length(best))
      )
        best = i;
    if (best < 0) return null;
    const thread = data.threads[data.regionRow[best]];
    return { at: [thread.rank, thread.thread], begin_ns: data.regionBegin[best], end_ns: data.regionEnd[best] };
  }

  /** The worst instance of a problem, of a wait, or of what is called in a function at a place; null: none is known. */
  function worst(data, row) {
    const kind = row.problem ?? row.pattern,
      name = row.function ?? row.name,
      like = { function: name, place: row.place };
    const ofRank = (wait) => row.pattern === undefined || row.rank === undefined || wait.at[0] === row.rank;
    const waits = data.waits.filter(matches(like));
    const wait =
      waits.find((each) => each.kind === kind && ofRank(each)) ?? waits.find((each) => each.kind === kind) ?? waits[0];
    if (name && wait) return wait;
    const call = name ? data.longest_calls?.find(matches(like)) : null;
    if (call) return call;
    return (
      longestRegion(data, name, -1) ??
      (row.causer_function ? longestRegion(data, row.causer_function, row.causer ?? -1) : null)
    );
  }

  function show(line, row) {
    const instance = worst(line.data, row);
    if (!instance) {
      line.fit();
      if (row.causer >= 0) line.reveal(row.causer, 0);
      line.choose(null);
      line.tip.say("The page knows no single instance of this: it shows the whole run.");
      return;
    }
    const length = Math.max(1, instance.end_ns - instance.begin_ns);
    if (instance.causer) line.reveal(...instance.causer);
    line.reveal(...instance.at);
    line.show(instance.begin_ns - AROUND * length, instance.end_ns + AROUND * length);
    const found = line.find(...instance.at, instance.begin_ns);
    line.awaited = found ? null : { rank: instance.at[0], thread: instance.at[1], enter: instance.begin_ns };
    line.choose(found);
  }

  /** The table that has the rows of a problem, and the words that find them there. */
  function tableOf(summary, problem) {
    if (summary.waits?.some((row) => row.pattern === problem.problem && row.function === problem.function))
      return ["waits", `${problem.function} ${problem.place}`.trim()];
    if (problem.function && summary.sites?.some((row) => row.function === problem.function))
      return ["sites", problem.function];
    if (problem.function && summary.functions.some((row) => row.name === problem.function))
      return ["functions", problem.function];
    return ["ranks", ""];
  }

  /** [{rank, share}] of all ranks. */
  async function readShares(raw) {
    if (!raw) return [];
    const ranks = m.codec.sums(await m.codec.signedColumn(raw.rank)),
      shares = await m.codec.column(raw.share);
    return Array.from(ranks, (rank, i) => ({ rank, share: shares[i] / raw.parts }));
  }

  m.instances = { worst, show, tableOf, readShares };
})((globalThis.meridian ??= {}));
