// SPDX-License-Identifier: Apache-2.0
#include "merger/model/unwrapped_calls.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "trace/model/call_facts.hpp"
#include "trace/model/event.hpp"
#include "trace/model/unwrapped_keys.hpp"

namespace meridian {
namespace {

/// A function that the table does not have. Functions of the tool interface carry nothing, nor do conversions and the
/// functions that query or set something.
MissingEffect guess(std::string_view name) noexcept {
  const auto has = [&](std::string_view word) { return name.find(word) != std::string_view::npos; };
  MissingEffect effect;
  for (const std::string_view local : {"MPI_T_", "MPIX_T_", "_c2f", "_f2c", "_c2f08", "_f082c", "_toint", "_fromint",
                                       "_get_", "_set_", "Wtime", "Wtick", "Query", "Type_", "Info_", "Errhandler"})
    if (has(local)) return effect;
  effect.sends = has("send") || has("Send");
  effect.receives = has("recv") || has("Recv");
  effect.others = effect.collectives = !effect.sends && !effect.receives;
  return effect;
}

/// From the texts "PATH: MPI_Send MPI_Recv".
std::vector<UnrecordedCalls> calls_of(const RankMeta& meta, std::string_view key) {
  std::map<std::string, const TextRow*> last;  // by path
  for (const TextRow& text : meta.texts) {
    const std::size_t end = text.value.rfind(": ");
    if (text.key != key || end == std::string::npos) continue;
    const TextRow*& known = last[text.value.substr(0, end)];
    if (known == nullptr || known->ticks <= text.ticks) known = &text;
  }
  std::vector<UnrecordedCalls> all;
  for (const auto& [path, text] : last) {
    UnrecordedCalls calls{path, {}};
    for (std::size_t at = path.size() + 2; at < text->value.size();) {
      const std::size_t end = std::min(text->value.find(' ', at), text->value.size());
      std::string name = text->value.substr(at, end - at);
      if (name.starts_with("MPI") && effect_of(name).is_any()) calls.names.push_back(std::move(name));
      at = end + 1;
    }
    std::ranges::sort(calls.names);
    calls.names.erase(std::unique(calls.names.begin(), calls.names.end()), calls.names.end());
    if (!calls.names.empty()) all.push_back(std::move(calls));
  }
  return all;
}

}  // namespace

MissingEffect effect_of(CallId call) noexcept {
  MissingEffect effect;
  effect.comms = facts_of(call).makes_comm;
  switch (facts_of(call).role) {
    case Role::plain:
    case Role::init:
    case Role::finalize:
    case Role::session_init:
    case Role::session_finalize:
    case Role::probe:
    case Role::look_at:
    case Role::use_comm:
      break;
    case Role::send:
    case Role::isend:
    case Role::send_init:
    case Role::psend_init:
      effect.sends = true;
      break;
    case Role::receive:
    case Role::irecv:
    case Role::recv_init:
    case Role::precv_init:
    case Role::mprobe:
    case Role::mrecv:
    case Role::imrecv:
    case Role::complete:
      effect.receives = true;
      break;
    case Role::sendrecv:
    case Role::isendrecv:
    case Role::start:
      effect.sends = effect.receives = true;
      break;
    case Role::collective:
    case Role::icollective:
    case Role::collective_init:
      effect.collectives = true;
      break;
    default:
      effect.others = true;
  }
  return effect;
}

MissingEffect effect_of(std::string_view name) noexcept {
  std::string plain{name};
  if (plain.starts_with("MPIX_")) plain.erase(3, 1);  // what became a part of the standard
  for (const bool is_large : {true, false}) {
    if (const CallId call = call_by_name(plain); call != CallId::none) return effect_of(call);
    if (is_large && plain.ends_with("_c")) plain.resize(plain.size() - 2);
  }
  return guess(name);
}

std::vector<UnrecordedCalls> unwrapped_calls(const RankMeta& meta) { return calls_of(meta, kUnwrappedKey); }

std::vector<UnrecordedCalls> unrecorded_calls(const RankMeta& meta) {
  std::vector<UnrecordedCalls> all = unwrapped_calls(meta);
  for (UnrecordedCalls& calls : calls_of(meta, kUnseenKey)) all.push_back(std::move(calls));
  return all;
}

}  // namespace meridian
