// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>

#include "trace/model/result.hpp"
#include "writer/recover.hpp"

namespace meridian {

/// Makes the rank files that no writer has made. If writers are still working just after the end of the program, waits
/// for them, for at most `patience` in total.
class Leftovers {
 public:
  /// Called about once a second while waiting, with the note of the rank in question.
  using Waiting = std::function<void(const std::filesystem::path& note)>;

  static constexpr std::chrono::seconds kPatience{60};

  Leftovers(std::chrono::milliseconds patience, OtherHosts others, Waiting waiting)
      : patience_{patience}, others_{others}, waiting_{std::move(waiting)} {}

  /// `note` is a rank-NNNNN.ring or .done in `directory`. Succeeds if the rank file is complete afterwards, or as
  /// complete as possible while the program continues after MPI_Finalize. errors  unsupported: the program is still
  /// running and has no rank file yet; those of recover_rank().
  Status finish(const std::filesystem::path& note, const std::filesystem::path& directory);

 private:
  bool wait_a_little(const std::filesystem::path& note);

  std::chrono::milliseconds patience_;
  OtherHosts others_;
  std::chrono::milliseconds waited_{0};
  std::chrono::milliseconds silent_{0};  ///< since the last call of `waiting_`
  Waiting waiting_;
};

}  // namespace meridian
