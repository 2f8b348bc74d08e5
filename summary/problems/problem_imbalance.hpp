// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "summary/measures.hpp"
#include "summary/summary.hpp"

namespace meridian {

/// Whether the threads of a rank that call MPI wait much for other threads and locks outside of it.
bool waits_much(const RankLoad& load);

/// Adds the problem of ranks that work longer than the others, as far as no known wait explains what these lose.
void find_imbalance(const Summary& summary, const Load& load, std::vector<ProblemSummary>& problems);

/// " (LAMMPS: `fix balance`)" for programs that can share their work anew; otherwise empty.
std::string balance_hint(const Summary& summary);

/// Whether this rank receives and sends most messages of three or more ranks, as the master of workers does.
bool is_hub(const Summary& summary, const RankSummary& rank);

/// Whether most messages of three or more ranks come from this one, and hardly any go to it: a broadcast made of sends.
bool sends_to_all(const Summary& summary, const RankSummary& rank);

/// Ranks that wait for one another in a row, the first waiter first: 0, 1, 2, 3 if 0 waits mostly for 1, 1 for 2 and 2 for 3.
/// Empty: fewer than three ranks, or no such row has all waiters.
std::vector<std::int32_t> chain_of(const std::map<std::int32_t, std::map<std::int32_t, double>>& by_waiter);

/// Sends that end one after another.
std::string describe_chain(const std::vector<std::int32_t>& chain, double total_s, const std::string& function,
                           const std::string& place);

}  // namespace meridian
