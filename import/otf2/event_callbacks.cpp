// SPDX-License-Identifier: Apache-2.0
#include "import/otf2/event_callbacks.hpp"

#include <memory>
#include <string_view>

namespace meridian::imported {
namespace {

// The parameters that all records have.
#define MERIDIAN_RECORD                                                              \
  OTF2_LocationRef, [[maybe_unused]] OTF2_TimeStamp time, std::uint64_t, void *data, \
      [[maybe_unused]] OTF2_AttributeList *attributes

LocationVisitor& visitor_of(void* data) { return static_cast<EventContext*>(data)->visitor; }
OTF2_CallbackCode next(void* data) {
  return visitor_of(data).goes_on() ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
}

OTF2_CallbackCode on_enter(MERIDIAN_RECORD, OTF2_RegionRef region) {
  const auto& calls_attribute = static_cast<EventContext*>(data)->definitions.calls_attribute;
  std::uint64_t calls = 0;
  if (calls_attribute) (void)OTF2_AttributeList_GetUint64(attributes, *calls_attribute, &calls);
  visitor_of(data).enter(time, region, calls);
  return next(data);
}
OTF2_CallbackCode on_leave(MERIDIAN_RECORD, OTF2_RegionRef region) {
  visitor_of(data).leave(time, region);
  return next(data);
}

OTF2_RegionRef region_of(void* data, OTF2_CallingContextRef context) {
  const auto& contexts = static_cast<EventContext*>(data)->definitions.calling_contexts;
  const auto found = contexts.find(context);
  return found == contexts.end() ? OTF2_RegionRef{OTF2_UNDEFINED_REGION} : found->second;
}
OTF2_CallbackCode on_context_enter(MERIDIAN_RECORD, OTF2_CallingContextRef context, std::uint32_t) {
  visitor_of(data).enter(time, region_of(data, context), 0);
  return next(data);
}
OTF2_CallbackCode on_context_leave(MERIDIAN_RECORD, OTF2_CallingContextRef context) {
  visitor_of(data).leave(time, region_of(data, context));
  return next(data);
}

OTF2_CallbackCode on_send(MERIDIAN_RECORD, std::uint32_t peer, OTF2_CommRef comm, std::uint32_t tag,
                          std::uint64_t bytes) {
  visitor_of(data).sent({peer, comm, tag, bytes});
  return next(data);
}
OTF2_CallbackCode on_isend(MERIDIAN_RECORD, std::uint32_t peer, OTF2_CommRef comm, std::uint32_t tag,
                           std::uint64_t bytes, std::uint64_t request) {
  visitor_of(data).isent({peer, comm, tag, bytes}, request);
  return next(data);
}
OTF2_CallbackCode on_isend_complete(MERIDIAN_RECORD, std::uint64_t request) {
  visitor_of(data).send_completed(request);
  return next(data);
}
OTF2_CallbackCode on_irecv_request(MERIDIAN_RECORD, std::uint64_t request) {
  visitor_of(data).receive_posted(request);
  return next(data);
}
OTF2_CallbackCode on_recv(MERIDIAN_RECORD, std::uint32_t peer, OTF2_CommRef comm, std::uint32_t tag,
                          std::uint64_t bytes) {
  visitor_of(data).received({peer, comm, tag, bytes});
  return next(data);
}
OTF2_CallbackCode on_irecv(MERIDIAN_RECORD, std::uint32_t peer, OTF2_CommRef comm, std::uint32_t tag,
                           std::uint64_t bytes, std::uint64_t request) {
  visitor_of(data).ireceived({peer, comm, tag, bytes}, request);
  return next(data);
}
OTF2_CallbackCode on_cancelled(MERIDIAN_RECORD, std::uint64_t request) {
  visitor_of(data).cancelled(request);
  return next(data);
}
OTF2_CallbackCode on_collective(MERIDIAN_RECORD, OTF2_CollectiveOp, OTF2_CommRef comm, std::uint32_t root,
                                std::uint64_t sent, std::uint64_t received) {
  visitor_of(data).collective({comm, root, sent, received});
  return next(data);
}
OTF2_CallbackCode on_collective_request(MERIDIAN_RECORD, std::uint64_t request) {
  visitor_of(data).collective_started(request);
  return next(data);
}
OTF2_CallbackCode on_collective_complete(MERIDIAN_RECORD, OTF2_CollectiveOp, OTF2_CommRef comm, std::uint32_t root,
                                         std::uint64_t sent, std::uint64_t received, std::uint64_t request) {
  visitor_of(data).collective_completed({comm, root, sent, received}, request);
  return next(data);
}
OTF2_CallbackCode on_metric(MERIDIAN_RECORD, OTF2_MetricRef metric, std::uint8_t size, const OTF2_Type* types,
                            const OTF2_MetricValue* values) {
  visitor_of(data).measured(time, metric, {types, size}, {values, size});
  return next(data);
}
OTF2_CallbackCode on_flush(MERIDIAN_RECORD, OTF2_TimeStamp end) {
  visitor_of(data).flushed(time, end);
  return next(data);
}
OTF2_CallbackCode on_switch(MERIDIAN_RECORD, OTF2_MeasurementMode mode) {
  visitor_of(data).switched(time, mode == OTF2_MEASUREMENT_ON);
  return next(data);
}

// One callback for each kind of record that is left out, whatever its parameters are.
#define MERIDIAN_LEFT_OUT(record, kind)                       \
  template <class... Values>                                  \
  OTF2_CallbackCode on_##record(MERIDIAN_RECORD, Values...) { \
    visitor_of(data).left_out(kind);                          \
    return next(data);                                        \
  }
#include "import/otf2/left_out_records.def"

}  // namespace

OTF2_ErrorCode register_events(EventContext& context, OTF2_Reader* reader, OTF2_EvtReader* events) {
  const std::unique_ptr<OTF2_EvtReaderCallbacks, void (*)(OTF2_EvtReaderCallbacks*)> callbacks{
      OTF2_EvtReaderCallbacks_New(), &OTF2_EvtReaderCallbacks_Delete};
  OTF2_EvtReaderCallbacks* const all = callbacks.get();
  OTF2_EvtReaderCallbacks_SetEnterCallback(all, &on_enter);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(all, &on_leave);
  OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(all, &on_context_enter);
  OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(all, &on_context_leave);
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(all, &on_send);
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(all, &on_isend);
  OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(all, &on_isend_complete);
  OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(all, &on_irecv_request);
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(all, &on_recv);
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(all, &on_irecv);
  OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(all, &on_cancelled);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(all, &on_collective);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(all, &on_collective_request);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(all, &on_collective_complete);
  OTF2_EvtReaderCallbacks_SetMetricCallback(all, &on_metric);
  OTF2_EvtReaderCallbacks_SetBufferFlushCallback(all, &on_flush);
  OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(all, &on_switch);
#define MERIDIAN_LEFT_OUT(record, kind) OTF2_EvtReaderCallbacks_Set##record##Callback(all, &on_##record);
#include "import/otf2/left_out_records.def"
  return OTF2_Reader_RegisterEvtCallbacks(reader, events, all, &context);
}

}  // namespace meridian::imported
