// SPDX-License-Identifier: Apache-2.0
#include "analysis/waits/wait_functions.hpp"

#include "trace/model/call_id.hpp"

namespace meridian {
namespace {

WaitFunction function_of(std::string_view name) {
  if (name.ends_with("_c")) name.remove_suffix(2);
  switch (call_by_name(name)) {
    case CallId::Send:
    case CallId::Ssend:
    case CallId::Rsend:
    case CallId::Sendrecv:
    case CallId::Sendrecv_replace:
      return {.blocks_sending = true};
    case CallId::Barrier:
    case CallId::Ibarrier:
      return {.is_barrier = true};
    case CallId::Alltoallv:
    case CallId::Alltoallw:
    case CallId::Ialltoallv:
    case CallId::Ialltoallw:
      return {.has_vectors = true};
    case CallId::Probe:
    case CallId::Mprobe:
      return {.is_probe = true};
    case CallId::Iprobe:
    case CallId::Improbe:
      return {.poll = Poll::probe};
    case CallId::Test:
    case CallId::Testany:
    case CallId::Testsome:
    case CallId::Testall:
    case CallId::Parrived:
    case CallId::Request_get_status:
    case CallId::Request_get_status_any:
    case CallId::Request_get_status_some:
    case CallId::Request_get_status_all:
      return {.poll = Poll::request};
    case CallId::Init:
    case CallId::Init_thread:
      return {.of_run = WaitKind::init};
    case CallId::Finalize:
      return {.of_run = WaitKind::finalize};
    default:
      return {};
  }
}

}  // namespace

WaitFunctions::WaitFunctions(const MergedDefinitions& definitions) {
  for (const MergedCall& call : definitions.calls) list_.push_back(function_of(call.name));
}

}  // namespace meridian
