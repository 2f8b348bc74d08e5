// SPDX-License-Identifier: Apache-2.0
#include "import/otf2/definitions.hpp"

#include <algorithm>
#include <cctype>
#include <memory>
#include <string_view>

#include "export/texts.hpp"

namespace meridian::imported {
namespace {

constexpr std::size_t kLongestText = 256;  // bytes, before invalid ones are replaced
constexpr std::string_view kCallsAttribute = "calls";

Definitions& of(void* data) { return *static_cast<Definitions*>(data); }

OTF2_CallbackCode on_clock(void* data, std::uint64_t resolution, std::uint64_t offset, std::uint64_t,
                           std::uint64_t realtime) {
  of(data).ticks_per_second = resolution;
  of(data).first_ticks = offset;
  if (realtime != OTF2_UNDEFINED_TIMESTAMP) of(data).first_realtime_ns = realtime;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_string(void* data, OTF2_StringRef self, const char* string) {
  of(data).strings[self] = string == nullptr ? "" : string;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_region(void* data, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical_name,
                            OTF2_StringRef, OTF2_RegionRole role, OTF2_Paradigm paradigm, OTF2_RegionFlag,
                            OTF2_StringRef, std::uint32_t, std::uint32_t) {
  of(data).regions[self] = {name, canonical_name, paradigm, role};
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_calling_context(void* data, OTF2_CallingContextRef self, OTF2_RegionRef region,
                                     OTF2_SourceCodeLocationRef, OTF2_CallingContextRef) {
  of(data).calling_contexts[self] = region;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_node(void* data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name, OTF2_StringRef class_name,
                          OTF2_SystemTreeNodeRef parent) {
  Definitions::Node& node = of(data).nodes[self];
  node.name = name;
  node.class_name = class_name;
  node.parent = parent;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_node_domain(void* data, OTF2_SystemTreeNodeRef node, OTF2_SystemTreeDomain domain) {
  if (domain == OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY) of(data).nodes[node].shares_memory = true;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_process(void* data, OTF2_LocationGroupRef self, OTF2_StringRef name, OTF2_LocationGroupType type,
                             OTF2_SystemTreeNodeRef node, OTF2_LocationGroupRef) {
  of(data).processes[self] = {name, type, node};
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_location(void* data, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                              std::uint64_t events, OTF2_LocationGroupRef process) {
  of(data).locations.push_back({self, name, type, events, process});
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_group(void* data, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type, OTF2_Paradigm paradigm,
                           OTF2_GroupFlag, std::uint32_t size, const std::uint64_t* members) {
  Definitions::Group& group = of(data).groups[self];
  group = {type, paradigm, {members, members + size}};
  if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS && paradigm == OTF2_PARADIGM_MPI) of(data).mpi_locations = group;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_comm(void* data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group, OTF2_CommRef,
                          OTF2_CommFlag) {
  of(data).comms[self] = {name, group, OTF2_UNDEFINED_GROUP};
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_inter_comm(void* data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                                OTF2_GroupRef remote, OTF2_CommRef, OTF2_CommFlag) {
  of(data).comms[self] = {name, group, remote};
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_metric(void* data, OTF2_MetricMemberRef self, OTF2_StringRef name, OTF2_StringRef, OTF2_MetricType,
                            OTF2_MetricMode mode, OTF2_Type, OTF2_Base, std::int64_t, OTF2_StringRef) {
  of(data).metrics[self] = {name, mode};
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_metric_class(void* data, OTF2_MetricRef self, std::uint8_t size,
                                  const OTF2_MetricMemberRef* members, OTF2_MetricOccurrence occurrence,
                                  OTF2_RecorderKind) {
  of(data).metric_classes[self] = {{members, members + size}, occurrence};
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_metric_instance(void* data, OTF2_MetricRef self, OTF2_MetricRef metric_class, OTF2_LocationRef,
                                     OTF2_MetricScope, std::uint64_t) {
  const auto known = of(data).metric_classes.find(metric_class);
  if (known != of(data).metric_classes.end())
    of(data).metric_classes[self] = {known->second.members, OTF2_METRIC_ASYNCHRONOUS};
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_attribute(void* data, OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef,
                               OTF2_Type type) {
  const auto found = of(data).strings.find(name);
  if (type == OTF2_TYPE_UINT64 && found != of(data).strings.end() && found->second == kCallsAttribute)
    of(data).calls_attribute = self;
  return OTF2_CALLBACK_SUCCESS;
}

}  // namespace

std::string Definitions::text(OTF2_StringRef string) const {
  const auto found = strings.find(string);
  if (found == strings.end()) return {};
  return valid_utf8(std::string_view{found->second}.substr(0, kLongestText));
}

CallId mpi_call(std::string_view name) {
  if (!name.empty() && (name[0] == 'P' || name[0] == 'p')) name.remove_prefix(1);
  while (name.ends_with('_')) name.remove_suffix(1);
  const auto is_equal = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  for (std::size_t id = 1; id <= kMpiCallCount; ++id)
    if (std::ranges::equal(kCalls[id].name, name, is_equal)) return static_cast<CallId>(id);
  return CallId::none;
}

CallId Definitions::call_of(const Region& region) const {
  if (const CallId call = mpi_call(text(region.name)); call != CallId::none) return call;
  return region.paradigm == OTF2_PARADIGM_MPI ? mpi_call(text(region.canonical_name)) : CallId::none;
}

OTF2_ErrorCode read_into(Definitions& definitions, OTF2_Reader* reader, OTF2_GlobalDefReader* definition_reader) {
  const std::unique_ptr<OTF2_GlobalDefReaderCallbacks, void (*)(OTF2_GlobalDefReaderCallbacks*)> callbacks{
      OTF2_GlobalDefReaderCallbacks_New(), &OTF2_GlobalDefReaderCallbacks_Delete};
  OTF2_GlobalDefReaderCallbacks* const all = callbacks.get();
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(all, &on_clock);
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(all, &on_string);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(all, &on_region);
  OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(all, &on_calling_context);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(all, &on_node);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeDomainCallback(all, &on_node_domain);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(all, &on_process);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(all, &on_location);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(all, &on_group);
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(all, &on_comm);
  OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(all, &on_inter_comm);
  OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(all, &on_metric);
  OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(all, &on_metric_class);
  OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(all, &on_metric_instance);
  OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(all, &on_attribute);
  return OTF2_Reader_RegisterGlobalDefCallbacks(reader, definition_reader, all, &definitions);
}

}  // namespace meridian::imported
