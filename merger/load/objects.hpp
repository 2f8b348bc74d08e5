#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "merger/event_row.hpp"
#include "merger/load/thread_cursor.hpp"
#include "merger/load/unify_definitions.hpp"
#include "merger/match/call_roles.hpp"
#include "trace/format/rank_file.hpp"
#include "trace/format/summary.hpp"

namespace meridian {

/// Which object a handle means in one rank at one time.
class ObjectHandles {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  struct Birth {
    std::uint64_t handle = 0;
    std::uint64_t ticks = 0;   ///< after the call that made it
    std::uint32_t object = 0;  ///< in Objects::files or Objects::windows
  };
  ObjectHandles() = default;
  explicit ObjectHandles(std::vector<Birth> births);

  /// Of an object that had been made by then; kNone.
  std::uint32_t at(std::uint64_t handle, std::uint64_t ticks) const noexcept;
  /// Of the object whose making ended at `ticks`; kNone.
  std::uint32_t made_by(std::uint64_t handle, std::uint64_t ticks) const noexcept;

 private:
  std::vector<Birth> births_;  // by (handle, ticks)
};

/// Files and windows of the run. Those of one name are one: what a program that opens a file a thousand times wants to
/// know is what became of the file.
struct Objects {
  std::vector<FileSummary> files;      ///< by name; name, opens and ranks are filled in
  std::vector<WindowSummary> windows;  ///< name, comm, windows and ranks are filled in
  struct OfRank {
    ObjectHandles files;
    ObjectHandles windows;
  };
  std::vector<OfRank> ranks;  ///< [ranks present]
};

/// metas         [ranks], those of the files present, as are the resolvers of `communicators`.
Objects unify_objects(std::span<const RankMeta* const> metas, Communicators& communicators);

/// Adds up what calls did to files and windows. Sums are integers: the order of the calls does not matter.
class ObjectTotals {
 public:
  ObjectTotals() = default;
  explicit ObjectTotals(const Objects& objects)
      : objects_{&objects}, files_(objects.files.size()), windows_(objects.windows.size()) {}

  /// row  of the call, with its bytes.
  void add(std::uint32_t rank_index, const Call& call, const CallRole& what, const EventRow& row) noexcept;

  /// By time, longest first; ties by name.
  std::vector<FileSummary> files() const;
  std::vector<WindowSummary> windows() const;

 private:
  struct Sum {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
    std::int64_t time_ns = 0;
    void add(bool is_one_more, std::uint64_t more_bytes, std::int64_t more_ns) noexcept {
      count += is_one_more;
      bytes += more_bytes;
      time_ns += more_ns;
    }
  };
  struct Use {
    Sum in, out, both, other;
  };
  /// is_access  false: the second half of a split collective, which takes time but moves nothing more.
  static void add(Use& use, const CallRole& what, const EventRow& row, bool is_access) noexcept;

  const Objects* objects_ = nullptr;
  std::vector<Use> files_;
  std::vector<Use> windows_;
};

}  // namespace meridian
