// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tables and the events of a rank as bytes for another process of the same build: see state_archive.hpp.

#include "trace/format/chunks/state_archive.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {

template <class Archive>
void archive_members(Archive& archive, std::vector<MembersRow>& rows) {
  archive_rows(archive, rows, 25, [](Archive& to, MembersRow& row) {
    to(row.comm, row.born_ticks);
    archive_flag(to, row.remote);
    to(row.world_ranks);
  });
}

template <class Archive>
void archive_texts(Archive& archive, std::vector<TextRow>& rows) {
  archive_rows(archive, rows, 32, [](Archive& to, TextRow& row) { to(row.key, row.value, row.handle, row.ticks); });
}

template <class Archive>
void archive_unreadable(Archive& archive, std::vector<Unreadable>& rows) {
  archive_rows(archive, rows, 16, [](Archive& to, Unreadable& row) { to(row.what, row.count); });
}

template <class Archive>
void archive_rank_meta(Archive& archive, RankMeta& meta) {
  archive(meta.version, meta.rank, meta.size, meta.pid, meta.hostname, meta.executable, meta.clock, meta.domain);
  archive_flag(archive, meta.is_finalized);
  archive(meta.losses, meta.counters_per_event, meta.calls);
  archive_rows(archive, meta.call_names, 8, [](Archive& to, std::string& name) { to(name); });
  archive(meta.anchors, meta.exchanges, meta.comms);
  archive_members(archive, meta.members);
  archive_texts(archive, meta.texts);
  archive(meta.overheads, meta.threads, meta.usages, meta.passed);
  archive_rows(archive, meta.user_definitions, 29,
               [](Archive& to, UserDefinitionRow& row) { to(row.id, row.kind, row.level, row.name, row.fields); });
  archive(meta.lock_counts, meta.stacks, meta.segments);
  archive(meta.profile.calls, meta.profile.peers, meta.profile.times, meta.profile.sizes);
  archive(meta.dropped.messages, meta.dropped.collectives, meta.dropped.requests);
  archive_unreadable(archive, meta.unreadable);
  archive(meta.world, meta.first_rank);
}

template <class Archive>
void archive_batch(Archive& archive, EventBatch& batch) {
  archive(batch.enter_ticks, batch.leave_ticks, batch.call, batch.payload, batch.flags, batch.completion_count,
          batch.completions, batch.user_values, batch.sites, batch.nodes, batch.counters, batch.counters_between);
#define MERIDIAN_EVENT(payload, Row, table) archive(batch.table);
#define MERIDIAN_PAIR(payload, of, Row, table)
#define MERIDIAN_OTHER(payload, Body)
#include "trace/model/payloads.def"
  archive_unreadable(archive, batch.unreadable);
}

}  // namespace meridian
