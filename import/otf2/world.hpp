// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "export/left_out.hpp"
#include "import/channel_counts.hpp"
#include "import/otf2/definitions.hpp"
#include "import/otf2/location_visitor.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/model/result.hpp"

namespace meridian::imported {

/// A communicator of the archive, or MPI_COMM_WORLD or MPI_COMM_SELF if the archive does not define it.
struct WorldComm {
  std::uint64_t handle = 0;
  std::string name;
  std::vector<std::int32_t> ranks;   ///< world ranks in group order; empty: each rank by itself (MPI_COMM_SELF)
  std::vector<std::int32_t> remote;  ///< of an intercommunicator

  bool is_self() const noexcept { return ranks.empty(); }
  bool is_inter() const noexcept { return !remote.empty(); }
};

/// The place of a rank in a communicator.
struct CommPlace {
  const WorldComm* comm = nullptr;  ///< null: the rank is not in it
  std::int32_t rank = 0;            ///< in its group
  std::uint64_t size = 1;           ///< ranks that a collective has blocks for: of the other group, if there is one
};

struct WorldRank {
  std::string host;
  std::uint64_t clock = 0;               ///< ranks with the same number are taken to read one clock
  std::vector<std::size_t> locations{};  ///< of its threads: indices in Definitions::locations
};

/// The MPI processes of an archive, and their communicators.
class World {
 public:
  /// Adds to `left_out` the records of locations that are no threads of an MPI process.
  /// errors  damaged: there are no processes, or groups name ranks that do not exist
  static Result<World> of(const Definitions& definitions, LeftOut& left_out);

  const std::vector<WorldRank>& ranks() const noexcept { return ranks_; }
  /// errors  none: an unknown communicator, or one without this rank, has no `comm`
  CommPlace place(OTF2_CommRef comm, std::int32_t rank) const;
  /// The channel of a message that the rank sends or receives; nothing: its communicator or partner is not defined.
  std::optional<Channel> channel(const Message& message, std::int32_t rank, bool is_send) const;
  /// The tables of communicators, with their members and names.
  void describe_comms(std::int32_t rank, RankMeta& meta) const;
  std::uint64_t world_handle() const noexcept { return comms_[0].handle; }

 private:
  Status find_ranks(const Definitions& definitions, LeftOut& left_out);
  Status find_comms(const Definitions& definitions);

  std::vector<WorldRank> ranks_;
  std::vector<WorldComm> comms_;  // MPI_COMM_WORLD, MPI_COMM_SELF, then the others
  std::map<OTF2_CommRef, std::size_t> comm_of_;
  std::map<OTF2_CommRef, std::map<std::int32_t, std::int32_t>> position_;
};

}  // namespace meridian::imported
