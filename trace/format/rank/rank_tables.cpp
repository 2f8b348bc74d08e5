// SPDX-License-Identifier: Apache-2.0
// The columns of the rank file's tables. FORMAT.md describes them for users.

#include "trace/format/rank/rank_schema.hpp"

namespace meridian::rank_schema {

template <>
std::span<const AnyColumn> columns<PointToPoint>() {
  static constexpr Columns kColumns{
      column<&PointToPoint::comm>("p2p/comm").as_handle(),
      column<&PointToPoint::peer>("p2p/peer"),
      column<&PointToPoint::tag>("p2p/tag"),
      column<&PointToPoint::count>("p2p/count"),
      column<&PointToPoint::type_size>("p2p/type_size", "B"),
      column<&PointToPoint::request>("p2p/request").as_handle(),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<Collective>() {
  static constexpr Columns kColumns{
      column<&Collective::comm>("coll/comm").as_handle(),
      column<&Collective::root>("coll/root"),
      column<&Collective::send_bytes>("coll/send_bytes", "B"),
      column<&Collective::receive_bytes>("coll/receive_bytes", "B"),
      column<&Collective::request>("coll/request").as_handle(),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<Completion>() {
  static constexpr Columns kColumns{
      column<&Completion::request>("completions/request").as_handle(),
      column<&Completion::source>("completions/source"),
      column<&Completion::tag>("completions/tag"),
      column<&Completion::bytes>("completions/bytes", "B"),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<Rma>() {
  static constexpr Columns kColumns{
      column<&Rma::window>("rma/window").as_handle(),   column<&Rma::target>("rma/target"),
      column<&Rma::displacement>("rma/displacement"),   column<&Rma::bytes>("rma/bytes", "B"),
      column<&Rma::request>("rma/request").as_handle(),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<FileAccess>() {
  static constexpr Columns kColumns{
      column<&FileAccess::file>("io/file").as_handle(),
      column<&FileAccess::offset>("io/offset"),
      column<&FileAccess::bytes>("io/bytes", "B"),
      column<&FileAccess::request>("io/request").as_handle(),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<HandleUse>() {
  static constexpr Columns kColumns{
      column<&HandleUse::handle>("handles/handle").as_handle(),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<UserUse>() {
  static constexpr Columns kColumns{
      column<&UserUse::definition>("user/definition"),
      column<&UserUse::words>("user/words"),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<LockUse>() {
  static constexpr Columns kColumns{
      column<&LockUse::object>("locks/object").as_handle(),
      column<&LockUse::mutex>("locks/mutex").as_handle(),
      column<&LockUse::holder_tid>("locks/holder_tid"),
      column<&LockUse::result>("locks/result"),
      column<&LockUse::kind>("locks/kind"),
      column<&LockUse::is_contended>("locks/is_contended"),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<PollUse>() {
  static constexpr Columns kColumns{
      column<&PollUse::comm>("polls/comm").as_handle(),
      column<&PollUse::peer>("polls/peer"),
      column<&PollUse::tag>("polls/tag"),
      column<&PollUse::calls>("polls/calls"),
      column<&PollUse::inside_ticks>("polls/inside", "ticks"),
      column<&PollUse::error_ticks>("polls/error", "ticks"),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<ThreadOp>() {
  static constexpr Columns kColumns{
      column<&ThreadOp::handle>("thread_ops/handle").as_handle(),
      column<&ThreadOp::routine>("thread_ops/routine").as_handle(),
      column<&ThreadOp::thread>("thread_ops/thread"),
      column<&ThreadOp::result>("thread_ops/result"),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<AnchorRow>() {
  static constexpr Columns kColumns{
      column<&AnchorRow::phase>("phase"),
      column<&AnchorRow::before_ticks>("before_ticks"),
      column<&AnchorRow::after_ticks>("after_ticks"),
      column<&AnchorRow::monotonic_ns>("monotonic_ns"),
      column<&AnchorRow::realtime_ns>("realtime_ns"),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<ExchangeRow>() {
  static constexpr Columns kColumns{
      column<&ExchangeRow::peer>("peer"),
      column<&ExchangeRow::phase>("phase"),
      column<&ExchangeRow::sent_ticks>("sent_ticks"),
      column<&ExchangeRow::received_ticks>("received_ticks"),
      column<&ExchangeRow::replied_ticks>("replied_ticks"),
      column<&ExchangeRow::returned_ticks>("returned_ticks"),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<CommRow>() {
  static constexpr Columns kColumns{
      column<&CommRow::birth, &CommBirth::comm>("comm"),
      column<&CommRow::birth, &CommBirth::parent>("parent"),
      column<&CommRow::birth, &CommBirth::local_hash>("local_hash"),
      column<&CommRow::birth, &CommBirth::remote_hash>("remote_hash"),
      column<&CommRow::birth, &CommBirth::local_size>("local_size"),
      column<&CommRow::birth, &CommBirth::local_rank>("local_rank"),
      column<&CommRow::birth, &CommBirth::remote_size>("remote_size"),
      column<&CommRow::birth, &CommBirth::is_across>("is_across"),
      column<&CommRow::birth, &CommBirth::request>("request"),
      column<&CommRow::call>("call"),
      column<&CommRow::thread>("thread"),
      column<&CommRow::enter_ticks>("enter_ticks"),
      column<&CommRow::leave_ticks>("leave_ticks"),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<StoredMembers>() {
  static constexpr Columns kColumns{
      column<&StoredMembers::comm>("comm"),     column<&StoredMembers::born_ticks>("born_ticks"),
      column<&StoredMembers::first>("first"),   column<&StoredMembers::count>("count"),
      column<&StoredMembers::remote>("remote"),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<StoredText>() {
  static constexpr Columns kColumns{
      column<&StoredText::first>("first"),
      column<&StoredText::bytes>("bytes"),
      column<&StoredText::handle>("handle"),
      column<&StoredText::ticks>("ticks"),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<OverheadRow>() {
  static constexpr Columns kColumns{
      column<&OverheadRow::kind>("kind"),
      column<&OverheadRow::thread>("thread"),
      column<&OverheadRow::enter_ticks>("enter_ticks"),
      column<&OverheadRow::leave_ticks>("leave_ticks"),
      column<&OverheadRow::count>("count"),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<ThreadRow>() {
  static constexpr Columns kColumns{
      column<&ThreadRow::thread>("thread"),           column<&ThreadRow::kernel_tid>("kernel_tid"),
      column<&ThreadRow::begin_ticks>("begin_ticks"), column<&ThreadRow::events>("events"),
      column<&ThreadRow::end_ticks>("end_ticks"),     column<&ThreadRow::creator>("creator"),
      column<&ThreadRow::routine>("routine"),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<LockCountRow>() {
  static constexpr Columns kColumns{
      column<&LockCountRow::thread>("thread"),
      column<&LockCountRow::kind>("kind"),
      column<&LockCountRow::object>("object"),
      column<&LockCountRow::count>("count"),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<UsageRow>() {
  static constexpr Columns kColumns{
      column<&UsageRow::ticks>("ticks"),
      column<&UsageRow::usage, &Usage::thread>("thread"),
      column<&UsageRow::usage, &Usage::kind>("kind"),
      column<&UsageRow::usage, &Usage::user_us>("user_us"),
      column<&UsageRow::usage, &Usage::system_us>("system_us"),
      column<&UsageRow::usage, &Usage::minor_faults>("minor_faults"),
      column<&UsageRow::usage, &Usage::major_faults>("major_faults"),
      column<&UsageRow::usage, &Usage::voluntary_switches>("voluntary_switches"),
      column<&UsageRow::usage, &Usage::involuntary_switches>("involuntary_switches"),
      column<&UsageRow::usage, &Usage::high_water_bytes>("high_water_bytes"),
      column<&UsageRow::usage, &Usage::ready_us>("ready_us"),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<PassedRow>() {
  static constexpr Columns kColumns{
      column<&PassedRow::call>("call"),
      column<&PassedRow::count>("count"),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<ProfileCallRow>() {
  static constexpr Columns kColumns{
      column<&ProfileCallRow::call>("call"),
      column<&ProfileCallRow::thread>("thread"),
      column<&ProfileCallRow::node>("node"),
      column<&ProfileCallRow::site>("site"),
      column<&ProfileCallRow::comm>("comm"),
      column<&ProfileCallRow::object>("object"),
      column<&ProfileCallRow::seen_ticks>("seen_ticks"),
      column<&ProfileCallRow::calls>("calls"),
      column<&ProfileCallRow::ticks>("ticks"),
      column<&ProfileCallRow::least_ticks>("least_ticks"),
      column<&ProfileCallRow::most_ticks>("most_ticks"),
      column<&ProfileCallRow::squares, &WideSum::low>("squares_low"),
      column<&ProfileCallRow::squares, &WideSum::high>("squares_high"),
      column<&ProfileCallRow::bytes_sent>("bytes_sent"),
      column<&ProfileCallRow::bytes_received>("bytes_received"),
      column<&ProfileCallRow::accesses>("accesses"),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<ProfilePeerRow>() {
  static constexpr Columns kColumns{
      column<&ProfilePeerRow::comm>("comm"),   column<&ProfilePeerRow::seen_ticks>("seen_ticks"),
      column<&ProfilePeerRow::peer>("peer"),   column<&ProfilePeerRow::messages>("messages"),
      column<&ProfilePeerRow::bytes>("bytes"),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<ProfileTimeRow>() {
  static constexpr Columns kColumns{
      column<&ProfileTimeRow::call>("call"),
      column<&ProfileTimeRow::range>("range"),
      column<&ProfileTimeRow::count>("count"),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<ProfileSizeRow>() {
  static constexpr Columns kColumns{
      column<&ProfileSizeRow::call>("call"),
      column<&ProfileSizeRow::size_class>("size_class"),
      column<&ProfileSizeRow::count>("count"),
      column<&ProfileSizeRow::bytes>("bytes"),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<DroppedMessagesRow>() {
  static constexpr Columns kColumns{
      column<&DroppedMessagesRow::comm>("comm"),
      column<&DroppedMessagesRow::seen_ticks>("seen_ticks"),
      column<&DroppedMessagesRow::peer>("peer"),
      column<&DroppedMessagesRow::tag>("tag"),
      column<&DroppedMessagesRow::is_partitioned>("is_partitioned"),
      column<&DroppedMessagesRow::sent>("sent"),
      column<&DroppedMessagesRow::received>("received"),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<DroppedCollectivesRow>() {
  static constexpr Columns kColumns{
      column<&DroppedCollectivesRow::comm>("comm"),
      column<&DroppedCollectivesRow::seen_ticks>("seen_ticks"),
      column<&DroppedCollectivesRow::entered>("entered"),
      column<&DroppedCollectivesRow::initialised>("initialised"),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<OpenRequestRow>() {
  static constexpr Columns kColumns{
      column<&OpenRequestRow::request>("request"),
      column<&OpenRequestRow::call>("call"),
      column<&OpenRequestRow::thread>("thread"),
      column<&OpenRequestRow::comm>("comm"),
      column<&OpenRequestRow::made_ticks>("made_ticks"),
      column<&OpenRequestRow::peer>("peer"),
      column<&OpenRequestRow::tag>("tag"),
      column<&OpenRequestRow::bytes>("bytes"),
      column<&OpenRequestRow::root>("root"),
      column<&OpenRequestRow::send_bytes>("send_bytes"),
      column<&OpenRequestRow::receive_bytes>("receive_bytes"),
      column<&OpenRequestRow::series>("series"),
      column<&OpenRequestRow::started>("started"),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<SegmentRow>() {
  static constexpr Columns kColumns{
      column<&SegmentRow::thread>("thread"),
      column<&SegmentRow::first_ticks>("first_ticks"),
      column<&SegmentRow::events>("events"),
      column<&SegmentRow::p2p>("p2p"),
      column<&SegmentRow::coll>("coll"),
      column<&SegmentRow::completions>("completions"),
      column<&SegmentRow::rma>("rma"),
      column<&SegmentRow::io>("io"),
      column<&SegmentRow::handles>("handles"),
      column<&SegmentRow::sites>("sites"),
      column<&SegmentRow::counters>("counters"),
      column<&SegmentRow::user>("user"),
      column<&SegmentRow::user_values>("user_values"),
      column<&SegmentRow::locks>("locks"),
      column<&SegmentRow::thread_ops>("thread_ops"),
      column<&SegmentRow::nodes>("nodes"),
      column<&SegmentRow::polls>("polls"),  // the last: files of version 1 have none
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<StoredCall>() {
  static constexpr Columns kColumns{
      column<&StoredCall::name>("calls/name"),
      column<StoredCall>("calls/group", "", "", [](const StoredCall& call) { return std::string{call.group}; }),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<UserDefinitionRow>() {
  static constexpr Columns kColumns{
      column<&UserDefinitionRow::id>("user_definitions/id"),
      column<&UserDefinitionRow::kind>("user_definitions/kind"),
      column<&UserDefinitionRow::level>("user_definitions/level"),
      column<&UserDefinitionRow::name>("user_definitions/name"),
      column<&UserDefinitionRow::fields>("user_definitions/fields"),
  };
  return kColumns;
}
template <>
std::span<const AnyColumn> columns<StackRow>() {
  static constexpr Columns kColumns{
      column<&StackRow::parent>("stacks/parent"),
      column<&StackRow::address>("stacks/address"),
  };
  return kColumns;
}

}  // namespace meridian::rank_schema
