// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace meridian {

/// What is said about a kind of wait, after who waits how long and where.
struct WaitTexts {
  std::string_view begins;  ///< the name of the kind begins with it
  std::string_view
      cause;  ///< {rank}: "rank 1", {late}: " (MPI_Send, a.c:7)", its call, {target}: "of the memory of rank 0 in a window"
  std::string_view causes;   ///< the same for several ranks, {rank}: "ranks 1 and 2"
  std::string_view several;  ///< the same, if there is no single cause
  std::string_view remedy;
  std::string_view shared_remedy;  ///< if there is no single cause
};
inline constexpr std::string_view kReceiveEarly =
    "Send earlier, or receive without waiting (MPI_Irecv) and compute until the message is needed.";
inline constexpr std::string_view kPostEarly =
    "Receive earlier (MPI_Irecv before the work), or send without waiting (MPI_Isend).";
inline constexpr std::string_view kInOrder = "Receive messages in the order in which they are sent.";
inline constexpr std::string_view kRootEarly =
    "Let the root have its data earlier, or let the others compute meanwhile (MPI_Ibcast).";
inline constexpr std::string_view kRootLess =
    "Give the root its share of the work, or let it compute meanwhile (MPI_Ireduce).";
inline constexpr std::string_view kExposeEarly =
    "Let the target call MPI_Win_post before its work, or use locks, which need no action of the target.";
inline constexpr std::string_view kAccessEarly =
    "Let the origin access and complete before its work, or let the target wait later.";
inline constexpr std::string_view kLockShort =
    "Unlock right after the access, compute outside the lock, or lock shared (MPI_LOCK_SHARED) where accesses allow "
    "it.";
inline constexpr std::string_view kBreakChain =
    "Let every second rank receive first, or use MPI_Sendrecv, or MPI_Isend and MPI_Irecv.";
inline constexpr std::string_view kSameWork = "Give all ranks the same work before this call.";
inline constexpr std::array kWaitTexts{
    WaitTexts{"late sender", "for messages that {rank} sends late{late}", "for messages that {rank} send late{late}",
              "for messages that are sent late{late}", kReceiveEarly, kReceiveEarly},
    WaitTexts{"wrong order", "for messages that {rank} sends later than others{late}",
              "for messages that {rank} send later than others{late}",
              "for messages that are sent later than others{late}", kInOrder, kInOrder},
    WaitTexts{"late receiver", "until {rank} receives{late}", "until {rank} receive{late}",
              "until the receivers are ready{late}", kPostEarly, kPostEarly},
    WaitTexts{"late broadcast", "for the root, {rank}", "for the roots, {rank}", "for the root", kRootEarly,
              kRootEarly},
    WaitTexts{"early reduce", "for {rank}, the last to enter", "for {rank}, the last to enter", "for the others",
              kRootLess, kRootLess},
    WaitTexts{"wait at prefix", "for {rank}", "for {rank}", "for lower ranks", kSameWork, kSameWork},
    WaitTexts{"wait at barrier", "for {rank}, mostly the last to enter", "for {rank}, mostly the last to enter",
              "for each other; the last rank differs",
              "Give that rank less work, or remove the barrier if no rank needs it.",
              "Remove the barrier if no rank needs it, or give all ranks the same work each time."},
    WaitTexts{"late post", "until {rank} exposes its memory{late}", "until {rank} expose their memory{late}",
              "until the targets expose their memory{late}", kExposeEarly, kExposeEarly},
    WaitTexts{"early wait", "for the accesses of {rank}{late}", "for the accesses of {rank}{late}",
              "for the accesses of others{late}", kAccessEarly, kAccessEarly},
    WaitTexts{"late complete", "until {rank} completes its accesses{late}",
              "until {rank} complete their accesses{late}", "until the others complete their accesses{late}",
              "Complete right after the last access.", "Complete right after the last access."},
    WaitTexts{"window lock", "for the lock {target} that {rank} has{late}",
              "for the lock {target} that {rank} have{late}", "for the lock {target}, which has no single holder",
              kLockShort, kLockShort},
    WaitTexts{"wait at neighbours", "for {rank}, mostly the last of the neighbours",
              "for {rank}, mostly the last of the neighbours", "for each other; the last rank differs",
              "Give that rank less work, or compute between start and end of a non-blocking call.", kSameWork},
    WaitTexts{"wait at file", "for {rank}, mostly the last to come to this access of the file",
              "for {rank}, mostly the last to come to this access of the file",
              "for each other to come to this access of the file; the last rank differs",
              "Give that rank less work before it, or let each rank write when it is ready (without _all).",
              "Give all ranks the same work before it, or let each rank write when it is ready (without _all)."},
    // All other kinds.
    WaitTexts{"", "for {rank}, mostly the last to enter", "for {rank}, mostly the last to enter",
              "for each other; the last rank differs",
              "Give that rank less work, or compute between start and end of a non-blocking call.", kSameWork},
};

/// Whether a problem is a kind of wait of ranks for each other.
constexpr bool is_kind_of_wait(std::string_view problem) noexcept {
  if (problem.starts_with("wait ")) return true;
  for (const WaitTexts& row : kWaitTexts)
    if (!row.begins.empty() && problem.starts_with(row.begins)) return true;
  return false;
}

}  // namespace meridian
