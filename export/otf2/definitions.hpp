// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "merged/model/definitions.hpp"
#include "trace/model/result.hpp"
#include "trace/model/user_fields.hpp"

namespace meridian::otf2 {

/// Attributes of enter events.
enum Attribute : OTF2_AttributeRef { kCallSite = 0, kCallingFunction = 1, kCalls = 2, kFirstValue = 3 };

/// Attributes for the values of user events, one for each name and type of a field; and metrics, one for each counter of the program.
class ValueNumbers {
 public:
  explicit ValueNumbers(const MergedDefinitions& names);
  struct Value {
    std::string name;
    OTF2_Type type;
  };
  /// [attribute - kFirstValue]
  const std::vector<Value>& attributes() const { return attributes_; }
  OTF2_AttributeRef attribute(const UserField& field) const;
  /// Calls, in the order of their metrics.
  const std::vector<std::uint32_t>& counters() const { return counters_; }
  OTF2_MetricRef metric(std::uint32_t call) const;

 private:
  std::vector<Value> attributes_;
  std::vector<std::uint32_t> counters_;
};

/// Texts that events refer to, in the order in which they came, from kFirstEventText on.
inline constexpr OTF2_StringRef kFirstEventText = 1U << 30;

/// Numbers that definitions and events share; those of a kind have no gaps. Locations are those of the trace, then one
/// for each rank without a recorded thread that a group names, then at most one for all unknown processes.
/// Communicators have the order of their rows; all MPI_COMM_SELF are one. Call sites have their rows.
class Numbers {
 public:
  explicit Numbers(const MergedDefinitions& names);

  std::uint32_t locations() const { return static_cast<std::uint32_t>(names_.locations.size() + absent_.size()); }
  OTF2_CommRef communicator(std::int32_t comm) const;
  /// Of a world rank, as its partner `of` in a message addresses it: an intercommunicator has two groups.
  std::uint32_t rank_in(std::int32_t comm, std::int32_t rank, std::int32_t of) const;

 private:
  friend class DefinitionWriter;
  using Positions = std::unordered_map<std::int32_t, std::uint32_t>;
  const MergedDefinitions& names_;
  std::vector<std::int32_t> absent_;          // ranks; -1: all unknown processes
  std::vector<std::uint64_t> rank_location_;  // [world rank, then unknown]
  std::vector<Positions> positions_;          // [group]
  std::vector<OTF2_CommRef> communicators_;   // [row]
};

/// The kind of a collective by the name of the call that starts it, in any of its forms.
struct CollectiveKind {
  std::string_view name;  ///< "Bcast"
  OTF2_CollectiveOp operation;
  OTF2_RegionRole role;
};
/// nullptr: not a collective, or the name does not show which one (MPI_Start).
const CollectiveKind* collective_kind(std::string_view call);

/// Writes all definitions.
/// events       of each location
/// regions      their calls
/// duration_ns  all times are less
/// texts        those from kFirstEventText on
Status write_definitions(OTF2_GlobalDefWriter* writer, const MergedDefinitions& names, const Numbers& numbers,
                         const std::vector<std::uint64_t>& events, const std::vector<std::uint32_t>& regions,
                         std::int64_t duration_ns, const std::vector<std::string>& texts);

}  // namespace meridian::otf2
