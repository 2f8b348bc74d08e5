// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of the tables on how messages and collectives went: speeds, protocols, senders and receivers, late arrivals.

#include <cstdint>
#include <string>

#include "trace/format/tables/table_column.hpp"

namespace meridian {

/// Messages from one rank or host to another, with what the network took where that can be seen: the receiver was waiting
/// when the transfer began.
struct LinkSummary {
  std::string scope;  ///< "ranks" or "hosts"
  std::string source, dest;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t small = 0;  ///< messages by which the latency is known
  double latency_s = 0;     ///< 0: unknown
  std::uint64_t large = 0;  ///< messages by which the bandwidth is known
  double bandwidth_Bps = 0;

  template <class Row = LinkSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::scope>("scope", "", "ranks or hosts"),
      column<&Row::source>("source", "", "number of the rank, or name of the host, that sends"),
      column<&Row::dest>("dest", "", "the one that receives"),
      column<&Row::messages>("messages", "", "from the one to the other"),
      column<&Row::bytes>("bytes", "bytes", "in these messages"),
      column<&Row::small>("small", "", "those of less than 1 KiB whose receiver was waiting"),
      column<&Row::latency_s>("latency_s", "s",
                              "shortest time from enter of the send to leave of the receive of these; 0: none"),
      column<&Row::large>("large", "",
                          "messages of at least 64 KiB whose receiver was waiting, or made the sender wait"),
      column<&Row::bandwidth_Bps>("bandwidth_Bps", "bytes/s",
                                  "largest bytes per second of these, from the later enter; 0: none"),
  };
};

/// Calls of MPI_Send in one range of sizes whose receive was posted later.
struct ProtocolSummary {
  std::uint64_t at_least_bytes = 0;
  std::uint64_t returned = 0;
  std::uint64_t waited = 0;

  template <class Row = ProtocolSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::at_least_bytes>("at_least_bytes", "bytes",
                                   "least size of the range, which ends below twice that; 0: no bytes"),
      column<&Row::returned>("returned", "", "calls of MPI_Send that returned before their receive was posted: eager"),
      column<&Row::waited>("waited", "", "calls of MPI_Send that returned after that: rendezvous"),
  };
};

/// Messages from one world rank to another on one communicator.
struct CommPairSummary {
  std::uint32_t comm = 0;
  std::string name;
  std::int32_t source = 0;
  std::int32_t dest = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;

  template <class Row = CommPairSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::comm>("comm", "", "number of the communicator, as in /communicators"),
      column<&Row::name>("name", "", "its name; may be empty"),
      column<&Row::source>("source", "", "rank in MPI_COMM_WORLD"),
      column<&Row::dest>("dest", "", "rank in MPI_COMM_WORLD"),
      column<&Row::messages>("messages", "", "sent from the one to the other"),
      column<&Row::bytes>("bytes", "bytes", "in these messages"),
  };
};

/// Collectives of one function on one communicator: how far apart the ranks came, and how little each gave the others.
struct ArrivalSummary {
  std::string function;
  std::uint32_t comm = 0;
  std::string name;
  std::uint64_t ranks = 0;
  std::uint64_t count = 0;
  double mean_spread_s = 0;
  double longest_spread_s = 0;
  std::int32_t last_rank = -1;
  double last_share = 0;
  double bytes_per_peer = 0;
  std::uint64_t small = 0;
  double time_s = 0;

  template <class Row = ArrivalSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::function>("function", "", "with which the ranks entered"),
      column<&Row::comm>("comm", "", "number of the communicator, as in /communicators"),
      column<&Row::name>("name", "", "its name; may be empty"),
      column<&Row::ranks>("ranks", "", "participants, of the largest"),
      column<&Row::count>("count", "", "collective operations"),
      column<&Row::mean_spread_s>("mean_spread_s", "s", "from the first enter to the last one, mean"),
      column<&Row::longest_spread_s>("longest_spread_s", "s", "the longest"),
      column<&Row::last_rank>("last_rank", "", "rank that was most often the last; -1: none"),
      column<&Row::last_share>("last_share", "", "of the operations in which it was"),
      column<&Row::bytes_per_peer>("bytes_per_peer", "bytes", "that a rank gives each other one, mean"),
      column<&Row::small>("small", "", "operations with data, but less than 1 KiB for each peer"),
      column<&Row::time_s>("time_s", "s", "in the calls that entered, over all ranks"),
  };
};

}  // namespace meridian
