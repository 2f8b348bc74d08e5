// SPDX-License-Identifier: Apache-2.0
// Calls that take long besides waits for other ranks.
#include "summary/problems/problem_transfers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "summary/problems/problem_ends.hpp"
#include "summary/problems/problems.hpp"
#include "summary/problems/transfer_texts.hpp"
#include "summary/recorded_part.hpp"
#include "summary/units.hpp"
#include "trace/model/call_facts.hpp"

namespace meridian {
namespace {

constexpr double kSmallMessage = 1024;  ///< bytes, mean
constexpr double kManySmall = 10'000;
constexpr double kEmptyProbes = 10;     ///< probes for each message, from which on nearly all find none
constexpr double kMuchTransfer = 0.05;  ///< share of one function in the ranks' time, without its waits
constexpr double kMostShown = 1e18;     ///< accesses
constexpr double kUnevenBytes = 2;      ///< what one rank sends, over the mean

/// Groups of functions that are told together or one by one.
enum class Told : std::uint8_t { never, alone, as_communicators, as_others };

Told told_as(const FunctionSummary& function) {
  const CallGroup group = group_by_name(function.group);
  if (starts_or_ends_mpi(facts_of(function.name).facts.role)) return Told::never;
  if (moves_data(group)) return Told::alone;
  if (group == CallGroup::comm || group == CallGroup::topo) return Told::as_communicators;
  return group != CallGroup::none && group < CallGroup::thread ? Told::as_others : Told::never;
}

bool is_in(const FunctionSummary& function, CallGroup group) { return group_by_name(function.group) == group; }
bool moves_messages(const FunctionSummary& function) {
  return is_in(function, CallGroup::p2p) || is_in(function, CallGroup::request);
}

bool has_partitions(const Summary& summary) {
  return std::ranges::any_of(summary.functions, [](const FunctionSummary& row) {
    const Role role = facts_of(row.name).facts.role;
    return role == Role::psend_init || role == Role::precv_init;
  });
}

/// Requests for which ranks wait in ways that are not found: of partitions, of non-blocking collective transfers of files, and those
/// that calls without a record have made.
bool has_requests_with_unknown_waits(const Summary& summary) {
  const auto requests_collective_io = [](const FunctionSummary& row) {
    return facts_of(row.name).facts.requests_collective_io;
  };
  const auto lacks_calls = [](const Finding& finding) {
    return finding.name == "call.unwrapped" || finding.name == "call.unseen";
  };
  return has_partitions(summary) || std::ranges::any_of(summary.functions, requests_collective_io) ||
         std::ranges::any_of(summary.findings, lacks_calls);
}

/// Calls of a function that returned, their time, and the part of it that is no known wait for another rank.
struct Spent {
  const FunctionSummary* function = nullptr;
  std::uint64_t count = 0;
  double total_s = 0, transfer_s = 0;
};

Spent spent_in(const Summary& summary, const FunctionSummary& function) {
  const Unfinished unfinished = unfinished_calls(summary, function.name);
  Spent spent{&function, function.count - std::min(function.count, unfinished.calls),
              std::max(function.total_s - unfinished.time_s, 0.0), 0};
  double waits_s = 0;
  for (const WaitSummary& row : summary.waits)
    if (row.function == function.name) waits_s += row.total_s;
  spent.transfer_s = std::max(spent.total_s - waits_s, 0.0);
  return spent;
}

/// "120 calls of 418 ms on average, 16.0 MiB each"; time_s  what the problem counts of them
std::string describe_calls(const Spent& spent, double time_s) {
  const FunctionSummary& function = *spent.function;
  const double calls = std::max(static_cast<double>(spent.count), 1.0);
  const double bytes = static_cast<double>(std::max(function.bytes_sent, function.bytes_received)) / calls;
  return fmt::format("{} call{} of {} on average{}", human_count(spent.count), spent.count == 1 ? "" : "s",
                     human_duration(time_s / calls), bytes >= 1 ? ", " + human_bytes(bytes) + " each" : "");
}

/// "Rank 2 sends 99.9 % of the bytes." of collectives in which ranks may send different amounts; otherwise empty.
std::string uneven_volumes(const Summary& summary, const FunctionSummary& function) {
  const BytesRule bytes = facts_of(function.name).facts.bytes;
  const bool is_varied = bytes == BytesRule::as_recorded || bytes == BytesRule::gatherv ||
                         bytes == BytesRule::scatterv || bytes == BytesRule::allgatherv;
  if (!is_varied || summary.ranks.size() < 2) return "";
  double all = 0;
  const RankSummary* most = nullptr;
  for (const RankSummary& rank : summary.ranks) {
    all += static_cast<double>(rank.other_bytes_sent);
    if (most == nullptr || rank.other_bytes_sent > most->other_bytes_sent) most = &rank;
  }
  const double share = all > 0 ? static_cast<double>(most->other_bytes_sent) / all : 0;
  if (share < std::min(kUnevenBytes / static_cast<double>(summary.ranks.size()), 0.75)) return "";
  return fmt::format(" Volumes are uneven: rank {} sends {} of the bytes of collectives.", most->rank,
                     human_percent(share));
}

/// Others wait in such a call for a rank that works longer, as far as no wait for it is known. Returns the time that they do.
double waits_for_slowest(const Summary& summary, const FunctionSummary& function, const std::string& place,
                         double cost_s, std::vector<ProblemSummary>& problems) {
  const auto imbalance = std::ranges::find(problems, problem_name(ProblemKind::imbalance), &ProblemSummary::problem);
  if (!has_unknown_waits(summary, function) || imbalance == problems.end() || !imbalance->function.empty()) return 0;
  if (cost_s < kKnownShare * imbalance->cost_s) return 0;
  imbalance->function = function.name;
  imbalance->place = place;
  imbalance->text +=
      fmt::format(" Others seem to wait in {}{}, in which waits are not known.", function.name, in_brackets(place));
  return std::min(cost_s, imbalance->cost_s);
}

class TransferFinder {
 public:
  TransferFinder(const Summary& summary, const Load& load, std::vector<ProblemSummary>& problems)
      : summary_{summary}, least_s_{kMuchTransfer * load.time_s}, problems_{problems} {
    const auto messages = static_cast<double>(summary.messages.matched);
    mean_bytes_ = messages > 0 ? static_cast<double>(summary.messages.bytes) / messages : 0;
    has_small_messages_ = messages >= kManySmall && mean_bytes_ < kSmallMessage;
    for (const FunctionSummary& function : summary.functions) {
      if (!is_in(function, CallGroup::rma) || !is_access(facts_of(function.name).facts.role)) continue;
      accesses_ += static_cast<double>(function.count);
      access_bytes_ += static_cast<double>(std::max(function.bytes_sent, function.bytes_received));
    }
    has_small_accesses_ = accesses_ >= kManySmall / 10 && access_bytes_ < kSmallMessage * accesses_;
  }

  void find(const std::map<std::string, ChargedWaits>& charged) {
    for (const FunctionSummary& function : summary_.functions) {
      const Told told = told_as(function);
      if (told == Told::never) continue;
      const Spent spent = spent_in(summary_, function);
      if (told == Told::as_communicators)
        add(communicators_, spent);
      else if (told == Told::alone && moves_messages(function) && has_small_messages_ && !looks_in_vain(function))
        add(messages_, spent);
      else if (is_in(function, CallGroup::rma) && has_small_accesses_ && !makes_windows(function))
        add(small_accesses_, spent);
      else
        look_at(spent, told, charged);
    }
    add_small_messages();
    add_small_accesses();
    add_communicators();
  }

 private:
  struct Sum {
    double transfer_s = 0;
    std::vector<Spent> functions{};  ///< the one with the most transfer first
  };
  static void add(Sum& sum, const Spent& spent) {
    sum.transfer_s += spent.transfer_s;
    sum.functions.push_back(spent);
    if (spent.transfer_s > sum.functions.front().transfer_s) std::swap(sum.functions.front(), sum.functions.back());
  }
  static bool makes_windows(const FunctionSummary& function) {
    const auto [id, group, facts] = facts_of(function.name);
    return facts.role == Role::make_window || id == CallId::Win_free;
  }

  /// Whether nearly all calls of a probe find no message: their time is no cost of messages.
  bool looks_in_vain(const FunctionSummary& function) const {
    return facts_of(function.name).facts.poll == Poll::message &&
           static_cast<double>(function.count) > kEmptyProbes * static_cast<double>(summary_.messages.matched);
  }

  /// Whether ranks that are not recorded were late is unknown.
  bool may_wait_for_missing(const FunctionSummary& function) const {
    return lacks_ranks(summary_) && (!is_in(function, CallGroup::io) || facts_of(function.name).facts.is_collective_io);
  }

  /// Requests of collectives only.
  bool completes_no_messages(const FunctionSummary& function) const {
    return is_in(function, CallGroup::request) && facts_of(function.name).facts.poll == Poll::no &&
           summary_.messages.matched == 0 && !has_partitions(summary_);
  }

  ProblemSummary& add_problem(ProblemKind kind, double cost_s, const Spent& spent) {
    ProblemSummary& problem = problems_.emplace_back();
    problem.problem = problem_name(kind);
    problem.cost_s = cost_s;
    problem.function = spent.function->name;
    problem.place = longest_place(summary_, spent.function->name);
    return problem;
  }

  void look_at(const Spent& spent, Told told, const std::map<std::string, ChargedWaits>& charged) {
    const FunctionSummary& function = *spent.function;
    const auto waits = charged.find(function.name);
    const auto is_little = [&](double cost_s) {
      return spent.count == 0 || (waits == charged.end() && cost_s < least_s_);
    };
    double cost_s = spent.transfer_s;
    if (is_little(cost_s)) return;
    cost_s -= waits_for_slowest(summary_, function, longest_place(summary_, function.name), cost_s, problems_);
    if (is_little(cost_s)) return;
    const ProblemKind kind = told == Told::as_others          ? ProblemKind::other_calls
                             : is_in(function, CallGroup::io) ? ProblemKind::input_and_output
                                                              : ProblemKind::transfer;
    ProblemSummary& problem = add_problem(kind, cost_s, spent);
    problem.text =
        fmt::format("{}{} takes {}{}: {}.", function.name, in_brackets(problem.place), human_duration(cost_s),
                    told == Told::as_others                 ? ", which fits no pattern"
                    : may_wait_for_missing(function)        ? ", waits for ranks that are not recorded included"
                    : has_unknown_waits(summary_, function) ? ", in which waits for other ranks are not known"
                                                            : " besides waits for other ranks",
                    describe_calls(spent, cost_s)) +
        uneven_volumes(summary_, function);
    if (waits != charged.end()) {
      problem.cost_s += waits->second.total_s;
      problem.causer = waits->second.rank;
      problem.text += fmt::format(" Therefore other ranks wait {} for rank {}.", human_duration(waits->second.total_s),
                                  waits->second.rank);
    }
    const double bytes =
        static_cast<double>(std::max(function.bytes_sent, function.bytes_received)) / static_cast<double>(spent.count);
    problem.remedy =
        told != Told::as_others && may_wait_for_missing(function)
            ? "Record all ranks (MERIDIAN_RANKS=all): it is then known what of that is waiting, and for whom."
        : completes_no_messages(function)
            ? "Exchange less data, or compute for longer before waiting."
            : transfer_remedy(function, moves_messages(function) ? std::max(mean_bytes_, bytes) : bytes);
  }

  void add_small_messages() {
    if (messages_.functions.empty()) return;
    ProblemSummary& problem = add_problem(ProblemKind::small_messages, messages_.transfer_s, messages_.functions[0]);
    problem.text = fmt::format("{} messages carry {} on average and take {} besides waits, most in {}{}.",
                               human_count(summary_.messages.matched), human_bytes(mean_bytes_),
                               human_duration(messages_.transfer_s), problem.function, in_brackets(problem.place));
    problem.remedy = fmt::format("Send fewer and larger ones: each costs {} here, whatever its size.",
                                 human_duration(messages_.transfer_s / static_cast<double>(summary_.messages.matched)));
  }

  void add_small_accesses() {
    if (small_accesses_.functions.empty() || !(small_accesses_.transfer_s >= least_s_)) return;
    ProblemSummary& problem =
        add_problem(ProblemKind::small_accesses, small_accesses_.transfer_s, small_accesses_.functions[0]);
    problem.text = fmt::format(
        "{} accesses of windows carry {} on average; with their synchronization they take {} besides waits, most in "
        "{}{}.",
        human_count(static_cast<std::uint64_t>(std::min(accesses_, kMostShown))),
        human_bytes(access_bytes_ / accesses_), human_duration(small_accesses_.transfer_s), problem.function,
        in_brackets(problem.place));
    problem.remedy = "Access larger pieces, or synchronize once for many accesses.";
  }

  void add_communicators() {
    if (communicators_.functions.empty() || !(communicators_.transfer_s >= least_s_)) return;
    const Spent& longest = communicators_.functions[0];
    const std::string place = longest_place(summary_, longest.function->name);
    const double cost_s = communicators_.transfer_s -
                          waits_for_slowest(summary_, *longest.function, place, communicators_.transfer_s, problems_);
    if (cost_s < least_s_) return;
    ProblemSummary& problem = add_problem(ProblemKind::communicators, cost_s, longest);
    problem.text = fmt::format(
        "Making and freeing communicators takes {}, most in {}{}: {}. Waits for other ranks in these calls are not "
        "known.",
        human_duration(cost_s), longest.function->name, in_brackets(place), describe_calls(longest, longest.total_s));
    problem.remedy = "Make communicators once, and keep them for the whole run.";
  }

  const Summary& summary_;
  double least_s_;
  std::vector<ProblemSummary>& problems_;
  double mean_bytes_ = 0;  ///< of a message
  double accesses_ = 0, access_bytes_ = 0;
  bool has_small_messages_ = false, has_small_accesses_ = false;
  Sum messages_, small_accesses_, communicators_;
};

}  // namespace

std::string longest_place(const Summary& summary, const std::string& function) {
  const SiteSummary* longest = nullptr;
  for (const SiteSummary& site : summary.sites)
    if (site.function == function && (longest == nullptr || site.total_s > longest->total_s)) longest = &site;
  return longest == nullptr ? std::string{} : place_text(*longest);
}

bool has_unknown_waits(const Summary& summary, const FunctionSummary& function) {
  if (told_as(function) == Told::as_communicators) return true;
  if (is_in(function, CallGroup::request) && has_requests_with_unknown_waits(summary)) return true;
  if (std::ranges::find(summary.waits, function.name, &WaitSummary::function) != summary.waits.end()) return false;
  const auto [id, group, facts] = facts_of(function.name);
  // Locks of windows were matched: a call for which no wait was found did not wait.
  if (group == CallGroup::rma) return !is_access(facts.role) && summary.window_locks.empty();
  return facts.is_collective_io || facts.bytes == BytesRule::over_neighbours;
}

double unknown_seconds(const Summary& summary) {
  double mpi_s = 0, known_s = 0;
  for (const RankSummary& rank : summary.ranks) mpi_s += std::max(rank.mpi_s - rank.ends_s, 0.0);
  for (const FunctionSummary& function : summary.functions)
    if (told_as(function) != Told::never && !has_unknown_waits(summary, function)) known_s += function.total_s;
  return std::max(mpi_s - known_s, 0.0);
}

void find_transfers(const Summary& summary, const Load& load, const std::map<std::string, ChargedWaits>& charged,
                    std::vector<ProblemSummary>& problems) {
  TransferFinder{summary, load, problems}.find(charged);
}

}  // namespace meridian
