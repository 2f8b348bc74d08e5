// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace meridian {

enum class CommKind : std::uint8_t { world = 0, self = 1, intra = 2, inter = 3, user = 4 };
inline constexpr std::array<std::string_view, 5> kCommKindNames{"world", "self", "intra", "inter", "user"};

inline constexpr std::uint32_t kNoComm = 0xffffffff;  ///< the call refers to no communicator, or to an unknown one
inline constexpr std::uint32_t kNoGroup = 0xffffffff;
inline constexpr std::int32_t kOtherWorld = -1;     ///< a member outside this MPI_COMM_WORLD
inline constexpr std::int32_t kUnknownMember = -2;  ///< a member whose rank file is missing

/// World ranks in group order.
using Group = std::vector<std::int32_t>;

/// A communicator of the run. Its number (CommId) is its index in Communicators::list.
struct Communicator {
  CommKind kind{};
  std::uint32_t parent = kNoComm;         ///< CommId of the communicator that it was made from; kNoComm: none
  std::string name;                       ///< set by the program or by MPI; may be empty
  std::uint32_t group = kNoGroup;         ///< index in Communicators::groups
  std::uint32_t remote_group = kNoGroup;  ///< intercommunicators only
};

/// Its name, or "communicator 5" if the program did not name it.
inline std::string communicator_name(const Communicator& comm, std::uint32_t number) {
  return comm.name.empty() ? "communicator " + std::to_string(number) : comm.name;
}

/// A communicator as one of its members sees it.
struct LocalComm {
  std::uint32_t comm = 0;    ///< CommId
  std::int32_t rank = 0;     ///< of this member in its group
  std::uint32_t number = 0;  ///< index among this rank's communicators
  std::uint8_t side = 0;     ///< intercommunicators: 1 if this member is in the remote_group
  bool is_inter = false;
  const Group* own = nullptr;    ///< this member's group
  const Group* peers = nullptr;  ///< the group that messages go to and come from

  /// World rank of `peer`; negative if unknown, or if there is no such rank.
  std::int32_t world_rank(std::int32_t peer) const noexcept {
    return peer >= 0 && static_cast<std::size_t>(peer) < peers->size() ? (*peers)[static_cast<std::size_t>(peer)]
                                                                       : kUnknownMember;
  }
};

/// Maps a handle to a communicator, for one rank and one time: the latest that was created with that handle before it.
class CommResolver {
 public:
  struct Birth {
    std::uint64_t handle = 0;
    std::uint64_t leave_ticks = 0;  ///< of the call that created it
    std::uint64_t enter_ticks = 0;
    std::uint32_t thread = 0;
    LocalComm comm;
    std::uint64_t request = 0;  ///< request that completes the creation; 0: none
  };
  CommResolver() = default;
  explicit CommResolver(std::vector<Birth> births);

  /// nullptr if no communicator with that handle existed yet. Fastest when times ascend.
  const LocalComm* at(std::uint64_t handle, std::uint64_t ticks) noexcept {
    const Recent& recent = recent_[(handle >> 4 ^ handle) % kRecent];
    if (recent.handle == handle && ticks >= recent.from_ticks && ticks < recent.until_ticks) [[likely]]
      return recent.comm;
    return look_up(handle, ticks);
  }

  /// The communicator that the call of `thread` with this enter created; nullptr: none.
  const Birth* made_by(std::uint32_t thread, std::uint64_t enter_ticks) const noexcept;

  std::size_t size() const noexcept { return births_.size(); }
  std::span<const Birth> births() const noexcept { return births_; }

 private:
  struct Recent {
    std::uint64_t handle = 0;
    std::uint64_t from_ticks = 0;
    std::uint64_t until_ticks = 0;  ///< 0: empty
    const LocalComm* comm = nullptr;
  };
  static constexpr std::size_t kRecent = 16;
  const LocalComm* look_up(std::uint64_t handle, std::uint64_t ticks) noexcept;

  std::vector<Birth> births_;            // by (handle, leave_ticks)
  std::vector<std::uint32_t> by_maker_;  // by (thread, enter_ticks)
  std::array<Recent, kRecent> recent_{};
};

/// By communicator and group rank: the ranks from which it receives in neighbourhood collectives.
using Sources = std::map<std::pair<std::uint32_t, std::int32_t>, std::vector<std::int32_t>>;

struct Communicators {
  /// 0 is MPI_COMM_WORLD of the first world, 1 + r is MPI_COMM_SELF of rank r. The MPI_COMM_WORLDs of further worlds
  /// follow, then the program's own communicators, in the order in which the lowest rank that knows them created them.
  std::vector<Communicator> list;
  std::vector<std::uint32_t> world_comms;  ///< [worlds]: index of MPI_COMM_WORLD in `list`
  std::vector<Group> groups;               ///< unknown members are kUnknownMember
  std::vector<CommResolver> resolvers;     ///< [ranks given]; they point into `groups`
  Sources sources;                         ///< find_sources(); empty for communicators without a topology
};

}  // namespace meridian
