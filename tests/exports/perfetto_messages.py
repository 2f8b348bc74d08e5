# SPDX-License-Identifier: Apache-2.0
"""The messages of Perfetto that exports use, for Google's protobuf library. Numbers of fields: github.com/google/perfetto, protos."""

import google.protobuf
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

KINDS = {"uint64": 4, "int32": 5, "fixed64": 6, "uint32": 13, "int64": 3, "string": 9}
MESSAGES = {
    "Trace": [(1, "packet", "TracePacket", True)],
    "TracePacket": [
        (8, "timestamp", "uint64", False), (10, "trusted_packet_sequence_id", "uint32", False), (11, "track_event", "TrackEvent", False),
        (12, "interned_data", "InternedData", False), (13, "sequence_flags", "uint32", False), (60, "track_descriptor", "TrackDescriptor", False),
    ],
    "TrackEvent": [
        (3, "category_iids", "uint64", True), (4, "debug_annotations", "DebugAnnotation", True), (9, "type", "int32", False),
        (10, "name_iid", "uint64", False), (11, "track_uuid", "uint64", False), (47, "flow_ids", "fixed64", True),
        (48, "terminating_flow_ids", "fixed64", True),
    ],
    "DebugAnnotation": [(1, "name_iid", "uint64", False), (3, "uint_value", "uint64", False), (4, "int_value", "int64", False),
                        (6, "string_value", "string", False)],
    "InternedData": [(1, "event_categories", "Interned", True), (2, "event_names", "Interned", True),
                     (3, "debug_annotation_names", "Interned", True)],
    "Interned": [(1, "iid", "uint64", False), (2, "name", "string", False)],
    "TrackDescriptor": [(1, "uuid", "uint64", False), (2, "name", "string", False), (3, "process", "ProcessDescriptor", False),
                        (5, "parent_uuid", "uint64", False)],
    "ProcessDescriptor": [(1, "pid", "int32", False), (6, "process_name", "string", False)],
}  # fmt: skip


def trace_class():
    file = descriptor_pb2.FileDescriptorProto(name="perfetto_exports.proto", package="exports", syntax="proto2")
    for message, fields in MESSAGES.items():
        described = file.message_type.add(name=message)
        for number, name, kind, is_repeated in fields:
            field = described.field.add(name=name, number=number, label=3 if is_repeated else 1)
            if kind in KINDS:
                field.type = KINDS[kind]
            else:
                field.type, field.type_name = 11, f".exports.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    descriptor = pool.FindMessageTypeByName("exports.Trace")
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    return message_factory.MessageFactory(pool).GetPrototype(descriptor)


assert google.protobuf.__version__
