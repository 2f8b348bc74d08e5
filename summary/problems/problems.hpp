// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "summary/summary.hpp"

namespace meridian {

// The kinds of problems besides waits of ranks, which are named like their kinds of wait; docs/PROBLEMS.md defines all.
// clang-format off
#define MERIDIAN_PROBLEM_KINDS(KIND)                         \
  KIND(lock, "lock")                                         \
  KIND(openmp_imbalance, "OpenMP imbalance")                 \
  KIND(imbalance, "imbalance")                               \
  KIND(transfer, "transfer")                                 \
  KIND(input_and_output, "input and output")                 \
  KIND(small_messages, "small messages")                     \
  KIND(slow_iterations, "slow iterations")                   \
  KIND(drift, "drift")                                       \
  KIND(no_processor, "lack of processors")                   \
  KIND(communicators, "communicators")                       \
  KIND(small_accesses, "small accesses")                     \
  KIND(other_calls, "other calls")                           \
  KIND(time_in_mpi, "time in MPI")                           \
  KIND(serialisation, "serialisation")                       \
  KIND(unfinished_calls, "unfinished calls")                 \
  KIND(deadlock, "deadlock")
// clang-format on

enum class ProblemKind : std::uint8_t {
#define MERIDIAN_ENUMERATOR(kind, name) kind,
  MERIDIAN_PROBLEM_KINDS(MERIDIAN_ENUMERATOR)
#undef MERIDIAN_ENUMERATOR
};

inline constexpr std::array kProblemNames{
#define MERIDIAN_NAME(kind, name) std::string_view{name},
    MERIDIAN_PROBLEM_KINDS(MERIDIAN_NAME)
#undef MERIDIAN_NAME
};

constexpr std::string_view problem_name(ProblemKind kind) noexcept {
  return kProblemNames[static_cast<std::size_t>(kind)];
}

/// What a user may change to make the program faster, the most expensive first: docs/PROBLEMS.md has the list. Only what
/// costs at least a hundredth of the ranks' time. Uses the other tables of the summary.
std::vector<ProblemSummary> find_problems(const Summary& summary);

}  // namespace meridian
