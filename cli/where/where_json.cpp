// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "cli/summary/printable.hpp"
#include "cli/support/json_text.hpp"
#include "cli/where/where_text.hpp"
#include "trace/model/lock_kinds.hpp"

namespace meridian {
namespace {

using nlohmann::json;
using Kind = WaitedFor::Kind;

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::send:
      return "send";
    case Kind::receive:
      return "receive";
    case Kind::collective:
      return "collective";
    case Kind::lock:
      return "lock";
    case Kind::thread:
      return "thread";
    default:
      return "others";
  }
}

json wait_json(WhereReport& report, std::size_t rank, const WaitedFor& what) {
  json entry{{"kind", name_of(what.kind)}, {"call", info(what.call).name}};
  if (what.kind == Kind::lock || what.kind == Kind::others) {
    entry["object"] = what.object;
    entry["lock"] = names_of(what.lock).text;
  }
  if (what.kind == Kind::lock || what.kind == Kind::thread) entry["threads"] = what.threads;
  if (what.object != 0 || what.kind == Kind::thread) return entry;
  const WaitFacts facts = facts_of(report, rank, what);
  entry["communicator"] = printable(facts.comm);
  if (what.kind == Kind::collective) return entry;
  entry["peer"] = facts.peer == kAnySource ? json("any") : json(facts.peer);
  entry["tag"] = facts.tag == kAnyTag ? json("any") : json(facts.tag);
  return entry;
}

json place_json(const CallPlace& place) {
  if (place.offset == 0) return nullptr;
  return {{"function", printable(place.function)},
          {"file", printable(place.file)},
          {"line", place.line},
          {"module", printable(place.module)},
          {"offset", place.offset}};
}

json thread_json(WhereReport& report, std::size_t rank, const ThreadNow& thread) {
  json waits = json::array();
  for (const WaitedFor& what : thread.waits) waits.push_back(wait_json(report, rank, what));
  const double seconds = seconds_in(report, thread);
  return {{"thread", thread.thread},
          {"kernel_tid", thread.kernel_tid},
          {"name", printable(thread.name)},
          {"alive", report.ranks[rank].is_alive && thread.is_alive},
          {"ended", !thread.is_alive},
          {"call", thread.call == CallId::none ? json(nullptr) : json(info(thread.call).name)},
          {"place", place_json(thread.place)},
          {"since_s", seconds < 0 ? json(nullptr) : json(seconds)},
          {"calls", thread.calls},
          {"polls", thread.polls},
          {"thread_calls", thread.thread_calls},
          {"user_events", thread.user_events},
          {"waits", std::move(waits)}};
}

json parties_json(const std::vector<Party>& parties) {
  json list = json::array();
  for (const Party& party : parties)
    list.push_back({{"rank", party.rank}, {"thread", party.thread == kAnyThread ? json(nullptr) : json(party.thread)}});
  return list;
}

}  // namespace

std::string where_json(WhereReport& report) {
  json ranks = json::array();
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    const RankNow& rank = report.ranks[i];
    json threads = json::array();
    for (const ThreadNow& thread : rank.threads) threads.push_back(thread_json(report, i, thread));
    ranks.push_back({{"rank", rank.meta.rank},
                     {"world", rank.meta.world + 1},
                     {"rank_in_world", rank.meta.rank - rank.meta.first_rank},
                     {"host", printable(rank.meta.hostname)},
                     {"pid", rank.meta.pid},
                     {"writer_pid", rank.writer_pid},
                     {"alive", rank.is_alive},
                     {"finalized", rank.meta.is_finalized},
                     {"threads", std::move(threads)}});
  }
  json problems = json::array();
  for (const std::string& problem : report.problems) problems.push_back(printable(problem));
  const Deadlock& deadlock = report.deadlock;
  const json whole{{"schema", "meridian-where"},
                   {"version", 1},
                   {"ranks", std::move(ranks)},
                   {"deadlock",
                    {{"ranks", deadlock.ranks},
                     {"threads", parties_json(deadlock.threads)},
                     {"cycle", parties_json(deadlock.cycle)},
                     {"ended", parties_json(deadlock.ended)}}},
                   {"problems", std::move(problems)}};
  return json_text(whole);
}

}  // namespace meridian
