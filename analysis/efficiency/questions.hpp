// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/efficiency/replay.hpp"

namespace meridian {

/// A scenario of the replays for efficiencies. One without a kind is not a row of `what_if`.
struct Question {
  Scenario scenario;
  const char* kind;
  std::string name;
};

/// The scenarios besides those of regions, in the order of the list; they may cost nothing in turn.
struct Questions {
  static constexpr std::size_t kNetwork = 0;
  static constexpr std::size_t kWindowed = 1;  ///< the network again, but each window begins as in the run

  /// `knows_ready`: it is known when threads had no processor.
  explicit Questions(bool knows_ready) {
    if (!knows_ready) return;
    Scenario both = Scenario::network(), alone;
    both.has_processor = alone.has_processor = true;
    processor = list.size();
    list.push_back({both, "", ""});
    windowed_processor = list.size();
    list.push_back({both, "", ""});
    list.push_back({alone, "processor", "the lack of processors"});
  }
  std::vector<Scenario> scenarios(std::size_t regions) const {
    std::vector<Scenario> all;
    for (const Question& question : list) all.push_back(question.scenario);
    all.resize(list.size() + regions);
    return all;
  }

  std::vector<Question> list{{Scenario::network(), "network", "MPI and data under way"},
                             {Scenario::network(), "", ""},
                             {Scenario::without_waits(WaitFor::message), "waits", "waits for messages"},
                             {Scenario::without_waits(WaitFor::collective), "waits", "waits in collectives"},
                             {Scenario::without_waits(WaitFor::other_rank), "waits", "other waits for ranks"},
                             {Scenario::without_waits(WaitFor::thread), "waits", "waits for threads and locks"},
                             {Scenario::without(LocationState::io), "state", "access to files"},
                             {Scenario::without(LocationState::sleep), "state", "sleep"}};
  std::size_t processor = kNetwork;            ///< the network costs nothing, and all threads have a processor
  std::size_t windowed_processor = kWindowed;  ///< the same for windows
};

}  // namespace meridian
