// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/model/call_id.hpp"

namespace meridian::imported {

/// The definitions of an archive that an import needs. References are those of the archive; a definition may be missing.
struct Definitions {
  struct Region {
    OTF2_StringRef name = OTF2_UNDEFINED_STRING;
    OTF2_StringRef canonical_name = OTF2_UNDEFINED_STRING;
    OTF2_Paradigm paradigm = OTF2_PARADIGM_UNKNOWN;
    OTF2_RegionRole role = OTF2_REGION_ROLE_UNKNOWN;
  };
  struct Node {
    OTF2_StringRef name = OTF2_UNDEFINED_STRING;
    OTF2_StringRef class_name = OTF2_UNDEFINED_STRING;
    OTF2_SystemTreeNodeRef parent = OTF2_UNDEFINED_SYSTEM_TREE_NODE;
    bool shares_memory = false;
  };
  struct Process {
    OTF2_StringRef name = OTF2_UNDEFINED_STRING;
    OTF2_LocationGroupType type = OTF2_LOCATION_GROUP_TYPE_UNKNOWN;
    OTF2_SystemTreeNodeRef node = OTF2_UNDEFINED_SYSTEM_TREE_NODE;
  };
  struct Location {
    OTF2_LocationRef self = 0;
    OTF2_StringRef name = OTF2_UNDEFINED_STRING;
    OTF2_LocationType type = OTF2_LOCATION_TYPE_UNKNOWN;
    std::uint64_t events = 0;
    OTF2_LocationGroupRef process = OTF2_UNDEFINED_LOCATION_GROUP;
  };
  struct Group {
    OTF2_GroupType type = OTF2_GROUP_TYPE_UNKNOWN;
    OTF2_Paradigm paradigm = OTF2_PARADIGM_UNKNOWN;
    std::vector<std::uint64_t> members;
  };
  struct Comm {
    OTF2_StringRef name = OTF2_UNDEFINED_STRING;
    OTF2_GroupRef group = OTF2_UNDEFINED_GROUP;
    OTF2_GroupRef remote = OTF2_UNDEFINED_GROUP;  ///< of an intercommunicator
  };
  struct Metric {
    OTF2_StringRef name = OTF2_UNDEFINED_STRING;
    OTF2_MetricMode mode = 0;
  };
  struct MetricClass {
    std::vector<OTF2_MetricMemberRef> members;
    OTF2_MetricOccurrence occurrence = OTF2_METRIC_ASYNCHRONOUS;
  };

  std::uint64_t ticks_per_second = 1'000'000'000;
  std::uint64_t first_ticks = 0;
  std::optional<std::uint64_t> first_realtime_ns;
  std::unordered_map<OTF2_StringRef, std::string> strings;
  std::unordered_map<OTF2_RegionRef, Region> regions;
  std::unordered_map<OTF2_CallingContextRef, OTF2_RegionRef> calling_contexts;
  std::unordered_map<OTF2_SystemTreeNodeRef, Node> nodes;
  std::map<OTF2_LocationGroupRef, Process> processes;
  std::vector<Location> locations;
  std::map<OTF2_GroupRef, Group> groups;
  Group mpi_locations;  ///< by itself: EZTrace gives its number to another group, too
  std::map<OTF2_CommRef, Comm> comms;
  std::unordered_map<OTF2_MetricMemberRef, Metric> metrics;
  std::map<OTF2_MetricRef, MetricClass> metric_classes;  ///< and instances of them
  std::optional<OTF2_AttributeRef> calls_attribute;      ///< of our own archives: how many calls an event stands for

  /// Valid UTF-8, cut to some hundred bytes; empty: not defined.
  std::string text(OTF2_StringRef string) const;
  /// The MPI function of the region, by its name in C or Fortran; CallId::none: none that is known.
  CallId call_of(const Region& region) const;
};

/// The function that a name such as "MPI_Send", "mpi_send_", "PMPI_Send" stands for; CallId::none: none.
CallId mpi_call(std::string_view name);

/// Registers callbacks that fill `definitions`, which must outlive the reader.
OTF2_ErrorCode read_into(Definitions& definitions, OTF2_Reader* reader, OTF2_GlobalDefReader* definition_reader);

}  // namespace meridian::imported
