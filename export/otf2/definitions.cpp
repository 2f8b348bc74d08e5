// SPDX-License-Identifier: Apache-2.0
#include "export/otf2/definitions.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include "export/otf2/archive.hpp"
#include "export/texts.hpp"

namespace meridian::otf2 {
namespace {

constexpr OTF2_GroupRef kCommLocations = 0;  // then the groups of the trace, from 1 on, then that of MPI_COMM_SELF
constexpr std::uint64_t kNsPerSecond64 = 1'000'000'000;
constexpr std::uint32_t kNone32 = OTF2_UNDEFINED_UINT32;

constexpr CollectiveKind kCollectives[] = {
    {"Barrier", OTF2_COLLECTIVE_OP_BARRIER, OTF2_REGION_ROLE_BARRIER},
    {"Bcast", OTF2_COLLECTIVE_OP_BCAST, OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"Gather", OTF2_COLLECTIVE_OP_GATHER, OTF2_REGION_ROLE_COLL_ALL2ONE},
    {"Gatherv", OTF2_COLLECTIVE_OP_GATHERV, OTF2_REGION_ROLE_COLL_ALL2ONE},
    {"Scatter", OTF2_COLLECTIVE_OP_SCATTER, OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"Scatterv", OTF2_COLLECTIVE_OP_SCATTERV, OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"Allgather", OTF2_COLLECTIVE_OP_ALLGATHER, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"Allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"Alltoall", OTF2_COLLECTIVE_OP_ALLTOALL, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"Alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"Reduce", OTF2_COLLECTIVE_OP_REDUCE, OTF2_REGION_ROLE_COLL_ALL2ONE},
    {"Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"Reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"Reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"Scan", OTF2_COLLECTIVE_OP_SCAN, OTF2_REGION_ROLE_COLL_OTHER},
    {"Exscan", OTF2_COLLECTIVE_OP_EXSCAN, OTF2_REGION_ROLE_COLL_OTHER},
};

/// The regions of a group of calls.
struct GroupRow {
  std::string_view group;
  OTF2_RegionRole role;
  OTF2_Paradigm paradigm;
};
constexpr GroupRow kGroupRows[] = {
    {"p2p", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI},
    {"rma", OTF2_REGION_ROLE_RMA, OTF2_PARADIGM_MPI},
    {"io", OTF2_REGION_ROLE_FILE_IO, OTF2_PARADIGM_MPI},
    {"coll", OTF2_REGION_ROLE_COLL_OTHER, OTF2_PARADIGM_MPI},
    {"thread", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_PTHREAD},
    {"lock", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_PTHREAD},
    {"openmp", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_OPENMP},
    {"files", OTF2_REGION_ROLE_FILE_IO, OTF2_PARADIGM_UNKNOWN},
    {"sleep", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_UNKNOWN},
    {"user", OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER},
    {"", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_UNKNOWN},
};
/// Functions whose role is not that of their group.
struct RoleRow {
  std::string_view call;
  OTF2_RegionRole role;
};
constexpr RoleRow kRoleRows[] = {
    {"omp_parallel", OTF2_REGION_ROLE_PARALLEL},        {"omp_implicit_barrier", OTF2_REGION_ROLE_IMPLICIT_BARRIER},
    {"omp_barrier", OTF2_REGION_ROLE_BARRIER},          {"omp_task", OTF2_REGION_ROLE_TASK},
    {"omp_taskwait", OTF2_REGION_ROLE_TASK_WAIT},       {"omp_ordered", OTF2_REGION_ROLE_ORDERED},
    {"omp_critical", OTF2_REGION_ROLE_CRITICAL},        {"pthread_barrier_wait", OTF2_REGION_ROLE_BARRIER},
    {"pthread_create", OTF2_REGION_ROLE_THREAD_CREATE}, {"thrd_create", OTF2_REGION_ROLE_THREAD_CREATE},
    {"pthread_join", OTF2_REGION_ROLE_THREAD_WAIT},     {"thrd_join", OTF2_REGION_ROLE_THREAD_WAIT},
};
constexpr GroupRow kOtherGroup{"", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI};

OTF2_RegionRole role_of_region(std::string_view call, const GroupRow& group) {
  const auto found = std::ranges::find(kRoleRows, call, &RoleRow::call);
  if (found != std::end(kRoleRows)) return found->role;
  const CollectiveKind* const collective = collective_kind(call);
  return collective != nullptr ? collective->role : group.role;
}

OTF2_Type type_of(const UserField& field) {
  return field.type == "f64"    ? OTF2_TYPE_DOUBLE
         : field.type == "u64"  ? OTF2_TYPE_UINT64
         : field.type == "text" ? OTF2_TYPE_STRING
                                : OTF2_TYPE_INT64;
}

}  // namespace

const CollectiveKind* collective_kind(std::string_view call) {
  const auto drop_prefix = [&](std::string_view prefix) {
    if (!call.starts_with(prefix)) return false;
    call.remove_prefix(prefix.size());
    return true;
  };
  const auto drop_suffix = [&](std::string_view suffix) {
    if (call.ends_with(suffix)) call.remove_suffix(suffix.size());
  };
  if (!drop_prefix("MPI_")) return nullptr;
  drop_suffix("_c");
  drop_suffix("_init");
  std::string name{call};
  if (name.size() > 1 && name[0] == 'I' && std::islower(static_cast<unsigned char>(name[1])) != 0) {
    name.erase(0, 1);
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  }
  const auto found = std::ranges::find(kCollectives, std::string_view{name}, &CollectiveKind::name);
  return found == std::end(kCollectives) ? nullptr : &*found;
}

Numbers::Numbers(const MergedDefinitions& names) : names_{names} {
  std::int32_t most = -1;
  bool has_unknown = false;
  for (const MergedRank& rank : names.ranks) most = std::max(most, rank.rank);
  for (const MergedLocation& location : names.locations) most = std::max(most, location.rank);
  for (const auto& group : names.groups) {
    Positions& positions = positions_.emplace_back();
    for (std::uint32_t i = 0; i < group.size(); ++i) {
      most = std::max(most, group[i]);
      has_unknown = has_unknown || group[i] < 0;
      if (group[i] >= 0) positions.emplace(group[i], i);
    }
  }
  const std::size_t ranks = most < 0 ? 0 : static_cast<std::size_t>(most) + 1;
  rank_location_.assign(ranks, UINT64_MAX);
  for (std::size_t i = names.locations.size(); i-- > 0;)
    if (names.locations[i].rank >= 0) rank_location_[static_cast<std::size_t>(names.locations[i].rank)] = i;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    if (rank_location_[rank] == UINT64_MAX) {
      rank_location_[rank] = locations();
      absent_.push_back(static_cast<std::int32_t>(rank));
    }
  if (has_unknown) {
    rank_location_.push_back(locations());
    absent_.push_back(-1);
  }
  OTF2_CommRef next = 0, self = OTF2_UNDEFINED_COMM;
  for (const MergedCommunicator& comm : names.communicators) {
    const bool is_known = comm.kind == "self" || comm.group < names.groups.size();
    const bool is_repeated = comm.kind == "self" && self != OTF2_UNDEFINED_COMM;
    const OTF2_CommRef number = !is_known ? OTF2_UNDEFINED_COMM : is_repeated ? self : next++;
    if (comm.kind == "self") self = number;
    communicators_.push_back(number);
  }
}

OTF2_CommRef Numbers::communicator(std::int32_t comm) const {
  const auto at = static_cast<std::size_t>(comm);
  return comm < 0 || at >= communicators_.size() ? OTF2_UNDEFINED_COMM : communicators_[at];
}

std::uint32_t Numbers::rank_in(std::int32_t comm, std::int32_t rank, std::int32_t of) const {
  const auto at = static_cast<std::size_t>(comm);
  if (comm < 0 || at >= names_.communicators.size()) return kNone32;
  const MergedCommunicator& found = names_.communicators[at];
  if (found.kind == "self") return 0;
  const auto position = [&](std::uint32_t group, std::int32_t world_rank) -> std::optional<std::uint32_t> {
    if (group >= positions_.size()) return std::nullopt;
    const auto place = positions_[group].find(world_rank);
    return place == positions_[group].end() ? std::nullopt : std::optional{place->second};
  };
  const bool is_of_remote = found.kind == "inter" && position(found.remote_group, of).has_value();
  const bool is_remote = found.kind == "inter" && !is_of_remote;
  return position(is_remote ? found.remote_group : found.group, rank).value_or(kNone32);
}

class DefinitionWriter {
 public:
  DefinitionWriter(OTF2_GlobalDefWriter* writer, const MergedDefinitions& names, const Numbers& numbers)
      : writer_{writer}, names_{names}, numbers_{numbers} {}

  Status clock(std::int64_t duration_ns) {
    return did(OTF2_GlobalDefWriter_WriteClockProperties(writer_, kNsPerSecond64, 0,
                                                         static_cast<std::uint64_t>(duration_ns),
                                                         static_cast<std::uint64_t>(names_.time_origin_realtime_ns)));
  }

  /// The first texts. Events refer to the functions of sites by the rows of these.
  Status functions() {
    for (std::uint32_t i = 0; i < names_.sites.size(); ++i)
      MERIDIAN_TRY_DO(did(OTF2_GlobalDefWriter_WriteString(writer_, i, valid_utf8(names_.sites[i].function).c_str())));
    return {};
  }

  Status processes(const std::vector<std::uint64_t>& events) {
    MERIDIAN_TRY(const OTF2_StringRef machine, text("machine"));
    MERIDIAN_TRY(const OTF2_StringRef node, text("node"));
    MERIDIAN_TRY_DO(
        did(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, 0, machine, machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE)));
    std::unordered_map<std::string, OTF2_SystemTreeNodeRef> hosts;
    std::vector<OTF2_LocationGroupRef> group_of(numbers_.rank_location_.size(), OTF2_UNDEFINED_LOCATION_GROUP);
    OTF2_LocationGroupRef next_group = 0;
    for (const MergedRank& rank : names_.ranks) {
      const auto [host, is_new] = hosts.emplace(rank.host, static_cast<OTF2_SystemTreeNodeRef>(hosts.size() + 1));
      if (is_new) {
        MERIDIAN_TRY(const OTF2_StringRef name, text(rank.host));
        MERIDIAN_TRY_DO(did(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, host->second, name, node, 0)));
        MERIDIAN_TRY_DO(did(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(writer_, host->second,
                                                                           OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY)));
      }
      if (rank.rank >= 0) group_of[static_cast<std::size_t>(rank.rank)] = next_group;
      MERIDIAN_TRY_DO(process(next_group++, "rank " + std::to_string(rank.rank), host->second));
    }
    for (std::uint32_t at = 0; at < names_.locations.size(); ++at) {
      const MergedLocation& location = names_.locations[at];
      OTF2_LocationGroupRef& group = group_of[static_cast<std::size_t>(location.rank)];
      if (group == OTF2_UNDEFINED_LOCATION_GROUP) {
        group = next_group;
        MERIDIAN_TRY_DO(process(next_group++, "rank " + std::to_string(location.rank), 0));
      }
      std::string name = "rank " + std::to_string(location.rank) + " thread " + std::to_string(location.thread);
      if (location.kernel_tid == 0 && location.thread != 0) name += " (callbacks)";
      MERIDIAN_TRY_DO(thread(at, name, events[at], group));
    }
    for (std::size_t i = 0; i < numbers_.absent_.size(); ++i) {
      const std::int32_t rank = numbers_.absent_[i];
      const std::string name = rank < 0 ? "unknown processes" : "rank " + std::to_string(rank) + " (not recorded)";
      OTF2_LocationGroupRef group = rank < 0 ? OTF2_UNDEFINED_LOCATION_GROUP : group_of[static_cast<std::size_t>(rank)];
      if (group == OTF2_UNDEFINED_LOCATION_GROUP) {
        group = next_group;
        MERIDIAN_TRY_DO(process(next_group++, name, 0));
      }
      MERIDIAN_TRY_DO(thread(names_.locations.size() + i, name, 0, group));
    }
    return {};
  }

  Status regions(const std::vector<std::uint32_t>& calls) {
    for (std::uint32_t region = 0; region < calls.size(); ++region) {
      const std::uint32_t call = calls[region];
      const std::string_view known = names_.call_name(call);
      const std::string_view group = call < names_.calls.size() ? names_.calls[call].group : std::string_view{};
      const auto found = std::ranges::find(kGroupRows, group, &GroupRow::group);
      const GroupRow& row = found == std::end(kGroupRows) ? kOtherGroup : *found;
      MERIDIAN_TRY(const OTF2_StringRef name, text(known.empty() ? "unknown call" : known));
      MERIDIAN_TRY(const OTF2_StringRef description, text(group));
      MERIDIAN_TRY(const OTF2_StringRef file, text(""));
      MERIDIAN_TRY_DO(
          did(OTF2_GlobalDefWriter_WriteRegion(writer_, region, name, name, description, role_of_region(known, row),
                                               row.paradigm, OTF2_REGION_FLAG_NONE, file, 0, 0)));
    }
    return {};
  }

  Status groups() {
    MERIDIAN_TRY(const OTF2_StringRef nothing, text(""));
    MERIDIAN_TRY_DO(group(kCommLocations, nothing, OTF2_GROUP_TYPE_COMM_LOCATIONS, numbers_.rank_location_));
    const std::uint64_t unknown = numbers_.rank_location_.size() - 1;
    for (std::size_t i = 0; i < names_.groups.size(); ++i) {
      std::vector<std::uint64_t> members;
      for (const std::int32_t rank : names_.groups[i])
        members.push_back(rank < 0 ? unknown : static_cast<std::uint64_t>(rank));
      MERIDIAN_TRY_DO(group(group_ref(i), nothing, OTF2_GROUP_TYPE_COMM_GROUP, members));
    }
    return group(group_ref(names_.groups.size()), nothing, OTF2_GROUP_TYPE_COMM_SELF, {});
  }

  Status communicators() {
    OTF2_CommRef next = 0;
    for (std::uint32_t i = 0; i < names_.communicators.size(); ++i) {
      const MergedCommunicator& comm = names_.communicators[i];
      const OTF2_CommRef number = numbers_.communicators_[i];
      if (number != next) continue;  // without members, or another MPI_COMM_SELF
      ++next;
      const bool is_self = comm.kind == "self";
      MERIDIAN_TRY(const OTF2_StringRef name, text(is_self ? "MPI_COMM_SELF" : std::string_view{comm.name}));
      const OTF2_CommRef parent = comm.parent < i ? numbers_.communicators_[comm.parent] : OTF2_UNDEFINED_COMM;
      const OTF2_GroupRef members = group_ref(is_self ? names_.groups.size() : comm.group);
      if (comm.kind == "inter" && comm.remote_group < names_.groups.size()) {
        MERIDIAN_TRY_DO(did(OTF2_GlobalDefWriter_WriteInterComm(
            writer_, number, name, members, group_ref(comm.remote_group), OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE)));
      } else {
        MERIDIAN_TRY_DO(
            did(OTF2_GlobalDefWriter_WriteComm(writer_, number, name, members, parent, OTF2_COMM_FLAG_NONE)));
      }
    }
    return {};
  }

  Status call_sites() {
    MERIDIAN_TRY_DO(attribute(kCallSite, "call site", "file and line of the call", OTF2_TYPE_SOURCE_CODE_LOCATION));
    MERIDIAN_TRY_DO(
        attribute(kCallingFunction, "calling function", "function that contains the call", OTF2_TYPE_STRING));
    MERIDIAN_TRY_DO(attribute(kCalls, "calls", "how many calls one record stands for", OTF2_TYPE_UINT64));
    for (std::uint32_t i = 0; i < names_.sites.size(); ++i) {
      MERIDIAN_TRY(const OTF2_StringRef file, text(names_.sites[i].file));
      MERIDIAN_TRY_DO(did(OTF2_GlobalDefWriter_WriteSourceCodeLocation(writer_, i, file, names_.sites[i].line)));
    }
    return {};
  }

  Status values(const ValueNumbers& numbers, const std::vector<std::string>& texts) {
    for (std::size_t i = 0; i < numbers.attributes().size(); ++i)
      MERIDIAN_TRY_DO(attribute(static_cast<OTF2_AttributeRef>(kFirstValue + i), numbers.attributes()[i].name,
                                "value of a user event", numbers.attributes()[i].type));
    for (std::size_t i = 0; i < texts.size(); ++i)
      MERIDIAN_TRY_DO(did(OTF2_GlobalDefWriter_WriteString(writer_, kFirstEventText + static_cast<OTF2_StringRef>(i),
                                                           texts[i].c_str())));
    for (std::size_t i = 0; i < numbers.counters().size(); ++i) {
      const auto number = static_cast<std::uint32_t>(i);
      MERIDIAN_TRY(const OTF2_StringRef name, text(names_.call_name(numbers.counters()[i])));
      MERIDIAN_TRY(const OTF2_StringRef description, text("counter of the program"));
      MERIDIAN_TRY(const OTF2_StringRef unit, text("1"));
      MERIDIAN_TRY_DO(did(OTF2_GlobalDefWriter_WriteMetricMember(writer_, number, name, description,
                                                                 OTF2_METRIC_TYPE_USER, OTF2_METRIC_ABSOLUTE_POINT,
                                                                 OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 0, unit)));
      MERIDIAN_TRY_DO(did(OTF2_GlobalDefWriter_WriteMetricClass(writer_, number, 1, &number, OTF2_METRIC_ASYNCHRONOUS,
                                                                OTF2_RECORDER_KIND_CPU)));
    }
    return {};
  }

 private:
  static OTF2_GroupRef group_ref(std::size_t group) { return static_cast<OTF2_GroupRef>(group + 1); }
  static Status did(OTF2_ErrorCode code) { return check(code, "write definitions of"); }

  Result<OTF2_StringRef> text(std::string_view value) {
    const auto first = static_cast<OTF2_StringRef>(names_.sites.size());
    const auto [found, is_new] = texts_.emplace(valid_utf8(value), first + static_cast<OTF2_StringRef>(texts_.size()));
    if (is_new) MERIDIAN_TRY_DO(did(OTF2_GlobalDefWriter_WriteString(writer_, found->second, found->first.c_str())));
    return found->second;
  }
  Status process(OTF2_LocationGroupRef self, const std::string& name, OTF2_SystemTreeNodeRef host) {
    MERIDIAN_TRY(const OTF2_StringRef shown, text(name));
    return did(OTF2_GlobalDefWriter_WriteLocationGroup(writer_, self, shown, OTF2_LOCATION_GROUP_TYPE_PROCESS, host,
                                                       OTF2_UNDEFINED_LOCATION_GROUP));
  }
  Status thread(std::uint64_t self, const std::string& name, std::uint64_t events, OTF2_LocationGroupRef of) {
    MERIDIAN_TRY(const OTF2_StringRef shown, text(name));
    return did(OTF2_GlobalDefWriter_WriteLocation(writer_, self, shown, OTF2_LOCATION_TYPE_CPU_THREAD, events, of));
  }
  Status group(OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
               const std::vector<std::uint64_t>& members) {
    return did(OTF2_GlobalDefWriter_WriteGroup(writer_, self, name, type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                               static_cast<std::uint32_t>(members.size()), members.data()));
  }
  Status attribute(OTF2_AttributeRef self, std::string_view name, std::string_view description, OTF2_Type type) {
    MERIDIAN_TRY(const OTF2_StringRef shown, text(name));
    MERIDIAN_TRY(const OTF2_StringRef explained, text(description));
    return did(OTF2_GlobalDefWriter_WriteAttribute(writer_, self, shown, explained, type));
  }

  OTF2_GlobalDefWriter* writer_;
  const MergedDefinitions& names_;
  const Numbers& numbers_;
  std::unordered_map<std::string, OTF2_StringRef> texts_;
};

Status write_definitions(OTF2_GlobalDefWriter* writer, const MergedDefinitions& names, const Numbers& numbers,
                         const std::vector<std::uint64_t>& events, const std::vector<std::uint32_t>& regions,
                         std::int64_t duration_ns, const std::vector<std::string>& texts) {
  DefinitionWriter definitions{writer, names, numbers};
  MERIDIAN_TRY_DO(definitions.clock(duration_ns));
  MERIDIAN_TRY_DO(definitions.functions());
  MERIDIAN_TRY_DO(definitions.processes(events));
  MERIDIAN_TRY_DO(definitions.regions(regions));
  MERIDIAN_TRY_DO(definitions.groups());
  MERIDIAN_TRY_DO(definitions.communicators());
  MERIDIAN_TRY_DO(definitions.call_sites());
  return definitions.values(ValueNumbers{names}, texts);
}

ValueNumbers::ValueNumbers(const MergedDefinitions& names) {
  for (const MergedUserEvent& event : names.user) {
    if (event.fields == kCounterField) {
      counters_.push_back(event.call);
      continue;
    }
    for (UserField& field : user_fields(event.fields)) {
      if (attribute(field) != OTF2_UNDEFINED_ATTRIBUTE) continue;
      const OTF2_Type type = type_of(field);
      attributes_.push_back({std::move(field.name), type});
    }
  }
}

OTF2_AttributeRef ValueNumbers::attribute(const UserField& field) const {
  const auto found = std::ranges::find_if(
      attributes_, [&](const Value& value) { return value.name == field.name && value.type == type_of(field); });
  if (found == attributes_.end()) return OTF2_UNDEFINED_ATTRIBUTE;
  return static_cast<OTF2_AttributeRef>(kFirstValue + (found - attributes_.begin()));
}

OTF2_MetricRef ValueNumbers::metric(std::uint32_t call) const {
  const auto found = std::ranges::find(counters_, call);
  return found == counters_.end() ? OTF2_UNDEFINED_METRIC : static_cast<OTF2_MetricRef>(found - counters_.begin());
}

}  // namespace meridian::otf2
