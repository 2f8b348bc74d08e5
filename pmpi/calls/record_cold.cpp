// SPDX-License-Identifier: Apache-2.0
// The cold part of recording calls.

#include <string.h>

#include "pmpi/calls/record_coll.hpp"
#include "pmpi/calls/record_object.hpp"
#include "pmpi/calls/request_list.hpp"
#include "pmpi/calls/traced.hpp"
#include "pmpi/rings/emit.hpp"

namespace meridian {

void store_name(std::uint64_t handle, const char* key, const char* name) noexcept {
  if (name != nullptr) emit_text(key, name, strlen(name), handle);
}

void store_comm_of(std::uint64_t object, const char* key, std::uint64_t comm) noexcept {
  char digits[2 * sizeof comm];
  for (std::size_t i = 0; i < sizeof digits; ++i) digits[i] = "0123456789abcdef"[comm >> (60 - 4 * i) & 15];
  emit_text(key, digits, sizeof digits, object);
}

Unusual begin_unusual_call(CallId id, bool defines) noexcept {
  if (g_enabled[static_cast<std::size_t>(id)] != kCallOff && is_wanted(id))
    return defines ? Unusual::none : Unusual::asking;
  pass_by(id);
  return defines && is_defining() ? Unusual::hidden : Unusual::left_out;
}

Opened open_record_slowly(ThreadState& thread, const void* frame, CallId id) noexcept {
  std::uint64_t* at = make_room(thread, kMaxFixedWords, frame);
  if (at == nullptr) at = make_nested_room(thread, kMaxFixedWords, frame, is_matched(id));
  const bool is_lost = at == nullptr && begin_lost_call(thread, frame, is_matched(id));
  return {at, is_lost ? kLostCall : 0};
}

bool keep_or_drop(ThreadState& thread, std::uint64_t* at, CallId id, std::uint64_t completions,
                  const MPI_Comm* comm) noexcept {
  if (is_kept(id, at, completions, comm)) return true;
  drop_call(thread, at, id);
  leave_nested_call(thread);
  return false;
}

void end_failed_call(ThreadState& thread, std::uint64_t* at, std::uint64_t header, std::uint64_t words) noexcept {
  const std::uint64_t without_site = words;
  std::uint64_t flags = 0;
  const std::uint64_t site = append_site(thread, at, words);
  words += words_in(site);
  append_counters(thread, at, words, flags);
  at[0] = header + ((words - without_site) << 32) + ((flags | site_flag(site)) << 24);
  leave_call(thread, at, words);
  leave_nested_call(thread);
}

bool record::is_truncated(int call_result) noexcept {
  int error_class = MPI_SUCCESS;
  g_real.Error_class(call_result, &error_class);
  return error_class == MPI_ERR_TRUNCATE;
}

bool record::has_taken_part(int call_result) noexcept {
  int error_class = MPI_SUCCESS;
  g_real.Error_class(call_result, &error_class);
  switch (error_class) {
    case MPI_ERR_BUFFER:
    case MPI_ERR_COUNT:
    case MPI_ERR_TYPE:
    case MPI_ERR_COMM:
    case MPI_ERR_RANK:
    case MPI_ERR_ROOT:
    case MPI_ERR_GROUP:
    case MPI_ERR_OP:
    case MPI_ERR_TOPOLOGY:
    case MPI_ERR_DIMS:
    case MPI_ERR_ARG:
      return false;
    default:
      return true;
  }
}

bool is_refused(int call_result) noexcept {
  int error_class = MPI_SUCCESS;
  g_real.Error_class(call_result, &error_class);
  return error_class != MPI_ERR_IN_STATUS;
}

bool is_pending(int call_result, const MPI_Status& status) noexcept {
  if (is_refused(call_result)) return true;  // the states of the single requests are unknown
  int error_class = MPI_SUCCESS;
  g_real.Error_class(status.MPI_ERROR, &error_class);
  return error_class == MPI_ERR_PENDING;
}

void store_more(CallId id, const RequestList& list, const std::uint64_t* saved, const MPI_Status* statuses, int first,
                int completed, int result) noexcept {
  const std::uint64_t null_word = handle_word(g_mpi.request_null);
  for (int k = first; k < completed;) {
    const int left = completed - k < kMaxEntries ? completed - k : kMaxEntries;
    const std::uint64_t room = words_of<RecordHead> + static_cast<std::uint64_t>(left) * words_of<Completion>;
    const std::uint64_t now = read_ticks();
    std::uint64_t filled = 0;
    // Null requests leave unused entries at the end of the record, filled with handle 0, which is never a request.
    const bool stored = emit(
        Payload::requests, room, now, now,
        [&](std::uint64_t* body) {
          for (int i = 0; i < left; ++i, ++k)
            filled += fill_entry(record::body<Completion>(body + filled * words_of<Completion>), list, saved, statuses,
                                 k, result, null_word);
          for (auto i = filled; i < static_cast<std::uint64_t>(left); ++i)
            record::body<Completion>(body + i * words_of<Completion>) = {};
        },
        id, static_cast<std::uint64_t>(left), kFlagMore);
    if (!stored) return;
  }
}

int record::Neighbours::of(MPI_Comm comm, bool out) noexcept {
  int kind = MPI_UNDEFINED;
  g_real.Topo_test(comm, &kind);
  int count = 0;
  if (kind == MPI_CART) {
    g_real.Cartdim_get(comm, &count);
    return 2 * count;
  }
  if (kind == MPI_GRAPH) {
    int rank = 0;
    g_real.Comm_rank(comm, &rank);
    g_real.Graph_neighbors_count(comm, rank, &count);
    return count;
  }
  if (kind == MPI_DIST_GRAPH) {
    int in = 0, outgoing = 0, weighted = 0;
    g_real.Dist_graph_neighbors_count(comm, &in, &outgoing, &weighted);
    return out ? outgoing : in;
  }
  return 0;
}

}  // namespace meridian
