// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of the tables on where the time of threads went and how well a run used it: docs/EFFICIENCY.md.

#include <cstdint>
#include <string>

#include "trace/format/tables/table_column.hpp"

namespace meridian {

/// The time of a thread in one state. The states of a thread add up to its life.
struct StateSummary {
  std::int32_t rank = 0;
  std::uint32_t thread = 0;
  std::string state;
  double total_s = 0;

  template <class Row = StateSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::rank>("rank", "", "in MPI_COMM_WORLD"),
      column<&Row::thread>("thread", "", "number in its rank"),
      column<&Row::state>("state", "", "compute, mpi-transfer, mpi-wait, sync-wait, sleep, io, ready, unknown"),
      column<&Row::total_s>("total_s", "s", "time in it; all states of a thread add up to its life"),
  };
};

/// Time of a thread in which it could have run and had no processor, between MPI_Init and MPI_Finalize.
struct ReadyTimeSummary {
  std::int32_t rank = 0;
  std::uint32_t thread = 0;
  double compute_s = 0;
  double mpi_s = 0;
  double wait_s = 0;
  double slept_s = 0;

  template <class Row = ReadyTimeSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::rank>("rank", "", "in MPI_COMM_WORLD"),
      column<&Row::thread>("thread", "", "number in its rank"),
      column<&Row::compute_s>("compute_s", "s", "while it computed"),
      column<&Row::mpi_s>("mpi_s", "s", "in MPI and its file access, when it waited for nobody"),
      column<&Row::wait_s>("wait_s", "s", "while it waited for a rank or a thread, or slept: it lost nothing"),
      column<&Row::slept_s>("slept_s", "s",
                            "not ready either, outside of recorded calls: stopped, or waiting for what is not recorded")
          .optional(),
  };
};

/// POP efficiencies of the run, of a region or of a time window.
struct EfficiencySummary {
  std::string scope;     ///< "run", "region", "window"
  std::string name;      ///< of a region; number of a window, from 1; of the run empty
  double begin_s = 0;    ///< since the first event of the run
  double time_s = 0;     ///< T
  double ideal_s = 0;    ///< the same on a network that costs nothing
  double compute_s = 0;  ///< over all threads
  std::uint64_t processes = 0;
  std::uint64_t threads = 0;
  double parallel = 0;
  double load_balance = 0;
  double communication = 0;
  double serialisation = 0;
  double transfer = 0;
  double mpi_factor = 0;
  double thread_factor = 0;
  double processor = 1;
  double ipc = 0;                  ///< 0: not counted
  std::uint64_t instructions = 0;  ///< 0: not counted
  double frequency_hz = 0;         ///< 0: not counted

  template <class Row = EfficiencySummary>
  static constexpr auto kColumns = Columns{
      column<&Row::scope>("scope", "",
                          "run: between MPI_Init and MPI_Finalize; region; window: a twentieth of the run"),
      column<&Row::name>("name", "", "of the region, or number of the window, from 1"),
      column<&Row::begin_s>("begin_s", "s", "relative to the first event of the run; of a region its first begin"),
      column<&Row::time_s>("time_s", "s", "length; of a region the longest time that one thread was in it"),
      column<&Row::ideal_s>("ideal_s", "s", "the same on a network that costs nothing, by replay"),
      column<&Row::compute_s>("compute_s", "s", "computing, over all threads"),
      column<&Row::processes>("processes", "", "ranks; of a region the threads that were in it"),
      column<&Row::threads>("threads", "", "the most threads that lived at the same time, over all ranks"),
      column<&Row::parallel>("parallel", "", "parallel efficiency: mpi_factor * thread_factor * processor"),
      column<&Row::load_balance>("load_balance", "", "mean computing time of a rank / longest one"),
      column<&Row::communication>("communication", "",
                                  "longest computing time of a rank / (processor * time_s): serialisation * transfer"),
      column<&Row::serialisation>("serialisation", "", "longest computing time of a rank / (processor * ideal_s)"),
      column<&Row::transfer>("transfer", "", "ideal_s / time_s"),
      column<&Row::mpi_factor>("mpi_factor", "", "load_balance * communication"),
      column<&Row::thread_factor>("thread_factor", "",
                                  "of ranks with threads, how well these share the computing; otherwise 1"),
      column<&Row::processor>("processor", "",
                              "ideal_s with a processor for each thread at any time / ideal_s; 1: not known")
          .optional(),
      column<&Row::ipc>("ipc", "", "instructions per cycle outside MPI; 0: not counted"),
      column<&Row::instructions>("instructions", "", "outside MPI; 0: not counted"),
      column<&Row::frequency_hz>("frequency_hz", "Hz", "cycles outside MPI / compute_s; 0: not counted"),
  };
};

/// How long the run would take if something cost nothing.
struct WhatIfSummary {
  std::string kind;  ///< "network", "waits", "state", "processor", "region"
  std::string name;
  double time_s = 0;
  double saved_s = 0;
  double saved_share = 0;

  template <class Row = WhatIfSummary>
  static constexpr auto kColumns = Columns{
      column<&Row::kind>("kind", "",
                         "network: MPI itself and data under way; waits; state; processor: computing that has none; "
                         "region: its computing"),
      column<&Row::name>("name", "", "what would cost nothing"),
      column<&Row::time_s>("time_s", "s", "time between MPI_Init and MPI_Finalize, by replay"),
      column<&Row::saved_s>("saved_s", "s", "by how much that is shorter"),
      column<&Row::saved_share>("saved_share", "", "of the time between MPI_Init and MPI_Finalize"),
  };
};

}  // namespace meridian
