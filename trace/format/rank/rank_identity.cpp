// SPDX-License-Identifier: Apache-2.0
#include "trace/format/rank/rank_identity.hpp"

namespace meridian {

std::string run_of(const RankMeta& meta) {
  for (const TextRow& text : meta.texts)
    if (text.key == "run" && text.handle == 0) return text.value;
  return "";
}

RankIdentity identity_of(const RankMeta& meta) {
  RankIdentity identity{.run = run_of(meta),
                        .hostname = meta.hostname,
                        .rank = meta.rank,
                        .size = meta.size,
                        .pid = meta.pid,
                        .domain = meta.domain,
                        .segments = meta.segments.size()};
  for (const SegmentRow& row : meta.segments) {
    identity.calls += row.events;
    identity.rows += row.p2p + row.coll + row.completions + row.rma + row.io + row.handles + row.locks +
                     row.thread_ops + row.polls + row.sites + row.nodes + row.counters + row.user + row.user_values;
  }
  identity.table_rows = meta.calls.size() + meta.anchors.size() + meta.exchanges.size() + meta.comms.size() +
                        meta.members.size() + meta.texts.size() + meta.overheads.size() + meta.threads.size() +
                        meta.usages.size() + meta.passed.size() + meta.user_definitions.size() +
                        meta.lock_counts.size() + meta.stacks.size() + meta.profile.calls.size() +
                        meta.profile.peers.size() + meta.profile.times.size() + meta.profile.sizes.size() +
                        meta.dropped.messages.size() + meta.dropped.collectives.size() + meta.dropped.requests.size();
  return identity;
}

}  // namespace meridian
