// SPDX-License-Identifier: Apache-2.0
#include "summary/problems/transfer_texts.hpp"

#include "trace/model/call_facts.hpp"

namespace meridian {
namespace {

constexpr double kLarge = 64 * 1024;  ///< bytes: libraries move larger messages only after both sides have called them
constexpr double kSmall = 4096;

std::string_view file_remedy(const CallFacts& facts) {
  if (facts.is_metadata_io) return "Do so less often: keep files open, or have one file of all ranks instead of many.";
  if (facts.is_collective_io) return "Access files less often, in larger pieces, or meanwhile (MPI_File_iwrite_all).";
  return "Access files less often, in larger pieces, all ranks together (MPI_File_write_all), or meanwhile "
         "(MPI_File_iwrite).";
}

std::string_view window_remedy(CallId id, const CallFacts& facts) {
  if (facts.role == Role::make_window || id == CallId::Win_free)
    return "Do so less often: create a window once, and use it for the whole run.";
  if (!is_access(facts.role)) return "Synchronize less often, with more accesses in between.";
  return "Access larger pieces, or synchronize after several accesses only.";
}

std::string_view request_remedy(const CallFacts& facts, double mean_bytes) {
  if (facts.poll != Poll::no)
    return "Compute for longer between two tests, or call MPI_Wait when there is nothing else to do.";
  if (mean_bytes >= kLarge)
    return "Large messages move only while their ranks are in MPI: call MPI_Test during the work, have a thread for "
           "progress (MPICH: MPICH_ASYNC_PROGRESS=1), or send less data.";
  return mean_bytes < kSmall ? "Send fewer and larger messages."
                             : "Send less data, or compute for longer before waiting.";
}

std::string_view message_remedy(const CallFacts& facts, double mean_bytes) {
  if (facts.role == Role::probe || facts.role == Role::mprobe)
    return "Receive without asking first (MPI_Irecv, with room for the largest message), or compute until the message "
           "is needed.";
  if (mean_bytes < kSmall) return "Send fewer and larger messages.";
  if (facts.role == Role::isend || facts.role == Role::irecv) return "Send fewer messages, or less data.";
  return "Send less data, or start earlier (MPI_Isend, MPI_Irecv) and compute in the meantime.";
}

std::string_view collective_remedy(const CallFacts& facts, double mean_bytes) {
  if (facts.role == Role::collective_init) return "Make the request once, and start it each time.";
  if (facts.bytes == BytesRule::nothing) return "Call it less often, or not at all where no rank needs it.";
  if (mean_bytes >= kLarge)
    return "Exchange less data, or start earlier, with a non-blocking collective, and compute in the meantime.";
  return "Call it less often: one call for several values, or for several iterations.";
}

}  // namespace

std::string_view transfer_remedy(const FunctionSummary& function, double mean_bytes) {
  const auto [id, group, facts] = facts_of(function.name);
  switch (group_by_name(function.group)) {
    case CallGroup::io:
      return file_remedy(facts);
    case CallGroup::rma:
      return window_remedy(id, facts);
    case CallGroup::request:
      return request_remedy(facts, mean_bytes);
    case CallGroup::coll:
      return collective_remedy(facts, mean_bytes);
    case CallGroup::p2p:
      return message_remedy(facts, mean_bytes);
    case CallGroup::type:
      return "Make datatypes and operations once, and keep them for the whole run.";
    default:
      return "Call it less often.";
  }
}

}  // namespace meridian
