// SPDX-License-Identifier: Apache-2.0
#include "trace/format/rank/rank_end.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "trace/ring/ring_clock.hpp"

namespace meridian {
namespace {

constexpr std::string_view kSignal = "signal ";

constexpr std::pair<int, const char*> kSignalNames[] = {
    {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},   {SIGTRAP, "SIGTRAP"},
    {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGKILL, "SIGKILL"}, {SIGUSR1, "SIGUSR1"},
    {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"}, {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"},
    {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"}, {SIGSYS, "SIGSYS"}};

}  // namespace

RankEnd rank_ended_now(ClockKind clock, std::optional<int> status) {
  RankEnd end{ticks_now(clock), {}};
  if (status && WIFSIGNALED(*status)) end.how = std::string{kSignal} + std::to_string(WTERMSIG(*status));
  if (status && WIFEXITED(*status)) end.how = "exit " + std::to_string(WEXITSTATUS(*status));
  return end;
}

RankEnd rank_exits_now(ClockKind clock) { return {ticks_now(clock), "exit"}; }

RankEnd rank_runs_now(ClockKind clock) { return {ticks_now(clock), "running"}; }

void add_rank_end(RankMeta& meta, RankEnd end) {
  if (meta.is_finalized || end.ticks == 0) return;
  meta.texts.push_back({kRankEndKey, std::move(end.how), 0, end.ticks});
}

RankEnd rank_end_of(const RankMeta& meta) {
  for (const TextRow& text : meta.texts)
    if (text.key == kRankEndKey) return {text.ticks, text.value};
  return {};
}

std::string describe_end(const std::string& how) {
  for (const auto& [number, name] : kSignalNames)
    if (how == std::string{kSignal} + std::to_string(number)) return how + " (" + name + ")";
  return how;
}

}  // namespace meridian
