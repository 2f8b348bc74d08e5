// SPDX-License-Identifier: Apache-2.0
#include "analysis/waits/wait_functions.hpp"

namespace meridian {
namespace {

WaitFunction function_of(std::string_view name) {
  const CallFacts facts = facts_of(name).facts;
  WaitFunction function;
  function.blocks_sending = blocks_sending(facts);
  function.is_barrier = facts.kind == facts_of(CallId::Barrier).kind;
  function.has_vectors = facts.role != Role::plain && facts.bytes == BytesRule::as_recorded;
  function.is_probe = is_blocking_probe(facts);
  if (facts.poll == Poll::request || facts.poll == Poll::message) function.poll = facts.poll;
  if (facts.role == Role::init) function.of_run = WaitKind::init;
  if (facts.role == Role::finalize) function.of_run = WaitKind::finalize;
  return function;
}

}  // namespace

WaitFunctions::WaitFunctions(const MergedDefinitions& definitions) {
  for (const MergedCall& call : definitions.calls) list_.push_back(function_of(call.name));
}

}  // namespace meridian
