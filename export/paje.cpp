// SPDX-License-Identifier: Apache-2.0
// The format: https://github.com/schnorr/pajeng/wiki and its lang-paje.pdf.
#include "export/paje.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "export/sink_buffer.hpp"
#include "export/texts.hpp"
#include "export/timeline.hpp"

namespace meridian {
namespace {

constexpr std::size_t kSecondDigits = 9;

/// Kinds of lines; the number is the position.
struct PajeLine {
  std::string_view name;
  std::string_view fields;  ///< "name type", separated by commas
};
constexpr PajeLine kPajeLines[] = {
    {"PajeDefineContainerType", "Alias string,Type string,Name string"},
    {"PajeDefineStateType", "Alias string,Type string,Name string"},
    {"PajeDefineEventType", "Alias string,Type string,Name string"},
    {"PajeDefineLinkType", "Alias string,Type string,StartContainerType string,EndContainerType string,Name string"},
    {"PajeDefineEntityValue", "Alias string,Type string,Name string,Color color"},
    {"PajeCreateContainer", "Time date,Alias string,Type string,Container string,Name string"},
    {"PajeDestroyContainer", "Time date,Type string,Name string"},
    {"PajePushState", "Time date,Type string,Container string,Value string"},
    {"PajePopState", "Time date,Type string,Container string"},
    {"PajeNewEvent", "Time date,Type string,Container string,Value string"},
    {"PajeStartLink", "Time date,Type string,Container string,StartContainer string,Value string,Key string"},
    {"PajeEndLink", "Time date,Type string,Container string,EndContainer string,Value string,Key string"},
    {"PajeDefineVariableType", "Alias string,Type string,Name string,Color color"},
    {"PajeSetVariable", "Time date,Type string,Container string,Value double"},
    {"PajeNewEvent", "Time date,Type string,Container string,Value string,Fields string"},
};
enum PajeLineNumber : std::uint8_t {
  kContainerType,
  kStateType,
  kEventType,
  kLinkType,
  kEntityValue,
  kCreateContainer,
  kDestroyContainer,
  kPushState,
  kPopState,
  kNewEvent,
  kStartLink,
  kEndLink,
  kVariableType,
  kSetVariable,
  kNewEventWithFields,
};
static_assert(std::size(kPajeLines) == kNewEventWithFields + 1);

/// The colour of states, by the group of the call.
struct PajeColour {
  std::string_view group, colour;
};
constexpr PajeColour kPajeColours[] = {
    {"p2p", "0.2 0.4 0.9"},    {"request", "0.4 0.7 1.0"}, {"coll", "0.9 0.5 0.1"},  {"rma", "0.6 0.3 0.8"},
    {"io", "0.5 0.4 0.3"},     {"lock", "0.9 0.2 0.2"},    {"files", "0.6 0.5 0.4"}, {"sleep", "0.7 0.7 0.7"},
    {"thread", "0.8 0.8 0.2"}, {"user", "0.2 0.7 0.3"},
};
constexpr std::string_view kPajeOtherColour = "0.5 0.5 0.5";

class PajeTrace final : public TimelineVisitor {
 public:
  PajeTrace(ExportSource& source, ExportSink& sink) : source_{source}, names_{source.trace.definitions()}, out_{sink} {}

  Status begin() {
    for (std::size_t i = 0; i < std::size(kPajeLines); ++i) {
      out_ << "%EventDef " << kPajeLines[i].name << ' ' << i << '\n';
      for (std::string_view fields = kPajeLines[i].fields; !fields.empty();) {
        const std::size_t end = std::min(fields.find(','), fields.size());
        out_ << "% " << fields.substr(0, end) << '\n';
        fields.remove_prefix(std::min(end + 1, fields.size()));
      }
      out_ << "%EndEventDef\n";
    }
    line(kContainerType) << " R 0 run\n";
    line(kContainerType) << " P R rank\n";
    line(kContainerType) << " T P thread\n";
    line(kStateType) << " S T state\n";
    line(kEventType) << " E T event\n";
    line(kLinkType) << " L R T T message\n";
    for (const MergedUserEvent& event : names_.user)
      if (event.fields == kCounterField)
        line(kVariableType) << " V" << event.call << " T " << quoted(names_.call_name(event.call))
                            << " \"0.2 0.7 0.3\"\n";
    for (std::size_t call = 0; call < names_.calls.size(); ++call) {
      const MergedCall& known = names_.calls[call];
      const auto found = std::ranges::find(kPajeColours, std::string_view{known.group}, &PajeColour::group);
      const std::string_view colour = found == std::end(kPajeColours) ? kPajeOtherColour : found->colour;
      for (const std::string_view type : {"S", "E"})
        line(kEntityValue) << ' ' << type.front() << 'v' << call << ' ' << type << ' ' << quoted(known.name) << " \""
                           << colour << "\"\n";
    }
    for (std::size_t comm = 0; comm < names_.communicators.size(); ++comm)
      line(kEntityValue) << " c" << comm << " L " << quoted(names_.communicators[comm].name) << " \"0 0 0\"\n";
    line(kCreateContainer) << " 0.000000000 r R 0 run\n";
    for (const MergedRank& rank : names_.ranks)
      line(kCreateContainer) << " 0.000000000 p" << rank.rank << " P r "
                             << quoted("rank " + std::to_string(rank.rank) + " on " + rank.host) << '\n';
    for (std::size_t i = 0; i < names_.locations.size(); ++i) {
      const MergedLocation& location = names_.locations[i];
      const bool has_rank = names_.find_rank(location.rank) != nullptr;
      line(kCreateContainer) << " 0.000000000 t" << i << " T " << (has_rank ? "p" : "r");
      if (has_rank) out_ << location.rank;
      out_ << " \"rank " << location.rank << " thread " << location.thread << "\"\n";
    }
    return out_.pass_on();
  }

  Status enter(const TimelineItem& item) override {
    const MergedEvent& event = item.event;
    if (item.is_counter) {
      at(kSetVariable, event.enter_ns) << " V" << event.call << " t" << event.location << ' '
                                       << text_of(item.values.front().value) << '\n';
      return out_.pass_on();
    }
    const bool is_moment = item.kind == TimelineKind::moment, has_fields = is_moment && !item.values.empty();
    at(has_fields  ? kNewEventWithFields
       : is_moment ? kNewEvent
                   : kPushState,
       event.enter_ns)
        << (is_moment ? " E t" : " S t") << event.location << (is_moment ? " Ev" : " Sv") << event.call;
    if (has_fields) out_ << ' ' << quoted(text_of(item.values));
    out_ << '\n';
    for (const EventLink& link : item.links) {
      if (link.kind != LinkKind::sent) continue;
      MERIDIAN_TRY(const MergedMessage message, source_.trace.message(link.number, event));
      at(kStartLink, event.enter_ns) << " L r t" << event.location << " c" << message.comm << " m" << link.number
                                     << '\n';
    }
    return out_.pass_on();
  }

  Status leave(const TimelineItem& item, std::int64_t time_ns) override {
    for (const EventLink& link : item.links) {
      if (link.kind != LinkKind::received) continue;
      MERIDIAN_TRY(const MergedMessage message, source_.trace.message(link.number));
      at(kEndLink, time_ns) << " L r t" << item.event.location << " c" << message.comm << " m" << link.number << '\n';
    }
    if (item.kind != TimelineKind::moment) at(kPopState, time_ns) << " S t" << item.event.location << '\n';
    latest_ns_ = std::max(latest_ns_, time_ns);
    return out_.pass_on();
  }

  Status end() {
    for (std::size_t i = 0; i < names_.locations.size(); ++i) at(kDestroyContainer, latest_ns_) << " T t" << i << '\n';
    for (const MergedRank& rank : names_.ranks) at(kDestroyContainer, latest_ns_) << " P p" << rank.rank << '\n';
    at(kDestroyContainer, latest_ns_) << " R r\n";
    return out_.flush();
  }

 private:
  SinkBuffer& line(PajeLineNumber kind) { return out_ << static_cast<unsigned>(kind); }
  SinkBuffer& at(PajeLineNumber kind, std::int64_t time_ns) {
    return (line(kind) << ' ').fixed_point(time_ns, kSecondDigits);
  }
  /// Paje has no way to write a quote or a line end.
  static std::string quoted(std::string_view name) { return '"' + plain_text(name.empty() ? "(no name)" : name) + '"'; }

  ExportSource& source_;
  const MergedDefinitions& names_;
  SinkBuffer out_;
  std::int64_t latest_ns_ = 0;
};

}  // namespace

Status export_paje(ExportSource& source, ExportSink& sink) {
  MERIDIAN_TRY(const bool is_wanted, sink.begin("trace.paje"));
  if (!is_wanted) return {};
  PajeTrace trace{source, sink};
  MERIDIAN_TRY_DO(trace.begin());
  MERIDIAN_TRY_DO(walk_timeline(source, trace));
  return trace.end();
}

}  // namespace meridian
