// SPDX-License-Identifier: Apache-2.0
#include "export/text.hpp"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "export/sink_buffer.hpp"
#include "export/text/rule_totals.hpp"
#include "export/text/rules.hpp"
#include "export/texts.hpp"
#include "export/timeline.hpp"
#include "merged/user_values.hpp"
#include "trace/model/level_rules.hpp"

namespace meridian {
namespace {

constexpr std::string_view kItemKinds[] = {"call", "region", "moment"};  // by TimelineKind

/// The source of the fields of a line.
struct LineSource {
  std::uint32_t location = 0;
  const TimelineItem* item = nullptr;
  std::int64_t time_ns = 0;
  const MergedMessage* message = nullptr;
  std::int32_t source = -1, dest = -1;
  const RuleTotals::Line* total = nullptr;
};

class RuleWriter final : public TimelineVisitor {
 public:
  RuleWriter(ExportSource& source, ExportSink& sink, const std::vector<TextRule>& rules)
      : source_{source}, names_{source.trace.definitions()}, rules_{rules}, totals_{rules, names_}, out_{sink} {
    for (auto& chosen : rule_of_) chosen.assign(names_.calls.size(), nullptr);
    for (const TextRule& rule : rules)
      for (std::size_t call = 0; call < names_.calls.size(); ++call) {
        const TextRule*& chosen = rule_of_[static_cast<std::size_t>(rule.moment)][call];
        if (chosen == nullptr && (rule.pattern.empty() || matches_glob(rule.pattern, names_.calls[call].name)))
          chosen = &rule;
      }
    for (const TextRule& rule : rules)
      has_messages_ |= rule.moment == RuleMoment::send || rule.moment == RuleMoment::receive;
  }

  Status begin() {
    once(RuleMoment::begin);
    for (const MergedRank& rank : names_.ranks) {
      std::uint32_t location = 0;
      while (location < names_.locations.size() && names_.locations[location].rank != rank.rank) ++location;
      if (location < names_.locations.size()) every(RuleMoment::rank, location);
    }
    for (std::uint32_t location = 0; location < names_.locations.size(); ++location)
      every(RuleMoment::thread, location);
    return out_.pass_on();
  }

  Status enter(const TimelineItem& item) override {
    const LineSource from{item.event.location, &item, item.event.enter_ns};
    const bool has_event = write(RuleMoment::event, from), has_enter = write(RuleMoment::enter, from);
    if (!has_event && !has_enter && rule_for(RuleMoment::leave, item) == nullptr && !totals_.has(item.event.call))
      ++unnamed_;
    if (has_messages_) MERIDIAN_TRY_DO(write_messages(RuleMoment::send, LinkKind::sent, from));
    return out_.pass_on();
  }

  Status leave(const TimelineItem& item, std::int64_t time_ns) override {
    const LineSource from{item.event.location, &item, time_ns};
    if (has_messages_) MERIDIAN_TRY_DO(write_messages(RuleMoment::receive, LinkKind::received, from));
    write(RuleMoment::leave, from);
    totals_.add(item.event, time_ns - item.event.enter_ns, item.values);
    return out_.pass_on();
  }

  Status end() {
    for (const TextRule& rule : rules_)
      if (is_total(rule.moment))
        for (const auto& [place, total] : totals_.lines(rule)) line(rule, {.location = place, .total = &total});
    once(RuleMoment::end);
    source_.left_out.add("calls, regions and user events that no rule names", unnamed_);
    return out_.flush();
  }

 private:
  const TextRule* rule_for(RuleMoment moment, const TimelineItem& item) const {
    const auto& chosen = rule_of_[static_cast<std::size_t>(moment)];
    return item.event.call < chosen.size() ? chosen[item.event.call] : nullptr;
  }
  bool write(RuleMoment moment, const LineSource& from) {
    const TextRule* const rule = rule_for(moment, *from.item);
    if (rule != nullptr) line(*rule, from);
    return rule != nullptr;
  }
  void once(RuleMoment moment) {
    for (const TextRule& rule : rules_)
      if (rule.moment == moment) line(rule, {});
  }
  void every(RuleMoment moment, std::uint32_t location) {
    for (const TextRule& rule : rules_)
      if (rule.moment == moment) line(rule, {location});
  }

  Status write_messages(RuleMoment moment, LinkKind kind, LineSource from) {
    const TextRule* const rule = rule_for(moment, *from.item);
    if (rule == nullptr) return {};
    for (const EventLink& link : from.item->links) {
      if (link.kind != kind) continue;
      MERIDIAN_TRY(const MergedMessage message, source_.trace.message(link.number));
      MERIDIAN_TRY(const MergedEvent send, source_.trace.event(message.send));
      MERIDIAN_TRY(const MergedEvent completion, source_.trace.event(message.completion));
      from.message = &message;
      from.source = send.rank;
      from.dest = completion.rank;
      line(*rule, from);
    }
    return {};
  }

  void line(const TextRule& rule, const LineSource& from) {
    for (std::size_t i = 0; i < rule.fields.size(); ++i) {
      out_ << rule.texts[i];
      put(rule.fields[i], i, from);
    }
    out_ << rule.texts.back() << '\n';
  }

  void put(const RuleValue& value, std::size_t number, const LineSource& from) {
    if (value.aggregate == RuleAggregate::count)
      out_ << from.total->count;
    else if (value.aggregate != RuleAggregate::none)
      from.total->sums[number].put(value.aggregate, value.field == RuleField::duration ? kNanosecondDigits : 0, out_);
    else if (value.field == RuleField::value)
      put_value(value.value, *from.item);
    else
      put_field(value.field, from);
  }

  /// Events without such a value have nothing there.
  void put_value(std::string_view name, const TimelineItem& item) {
    for (const NamedValue& value : item.values)
      if (value.field->name == name) text(text_of(value.value));
  }

  SinkBuffer& put_field(RuleField field, const LineSource& from) {
    switch (field) {
      case RuleField::rank:
        return out_ << at(from).rank;
      case RuleField::host:
        return text(host(at(from).rank));
      case RuleField::thread:
        return out_ << at(from).thread;
      case RuleField::location:
        return out_ << from.location;
      case RuleField::time:
        return out_.fixed_point(from.time_ns, kNanosecondDigits);
      case RuleField::time_ns:
        return out_ << from.time_ns;
      case RuleField::message:
        return out_ << from.message->number;
      case RuleField::source:
        return out_ << from.source;
      case RuleField::dest:
        return out_ << from.dest;
      case RuleField::bytes:
        return out_ << from.message->bytes;
      default:
        return put_event(field, *from.item, from.message);
    }
  }

  SinkBuffer& put_event(RuleField field, const TimelineItem& item, const MergedMessage* message) {
    const MergedEvent& event = item.event;
    switch (field) {
      case RuleField::enter:
        return out_.fixed_point(event.enter_ns, kNanosecondDigits);
      case RuleField::enter_ns:
        return out_ << event.enter_ns;
      case RuleField::duration:
        return out_.fixed_point(event.duration_ns, kNanosecondDigits);
      case RuleField::duration_ns:
        return out_ << event.duration_ns;
      case RuleField::name:
        return text(names_.call_name(event.call));
      case RuleField::group:
        return text(event.call < names_.calls.size() ? std::string_view{names_.calls[event.call].group} : "");
      case RuleField::kind:
        return out_ << kItemKinds[static_cast<std::size_t>(item.kind)];
      case RuleField::row:
        return out_ << event.row;
      case RuleField::sequence:
        return out_ << event.sequence;
      case RuleField::calls:
        return out_ << event.calls;
      case RuleField::comm:
        return out_ << (message != nullptr ? message->comm : event.comm);
      case RuleField::communicator:
        return text(communicator(message != nullptr ? message->comm : event.comm));
      case RuleField::peer:
        return out_ << event.peer;
      case RuleField::tag:
        return out_ << (message != nullptr ? message->tag : event.tag);
      case RuleField::bytes_sent:
        return out_ << event.bytes_sent;
      case RuleField::bytes_received:
        return out_ << event.bytes_received;
      case RuleField::caller:
        return text(site(event).function);
      case RuleField::file:
        return text(site(event).file);
      case RuleField::line:
        return out_ << site(event).line;
      default:
        return out_;
    }
  }

  /// Names cannot break a line: control characters become blanks.
  SinkBuffer& text(std::string_view name) { return out_ << plain_text(name); }
  const MergedLocation& at(const LineSource& from) const {
    static const MergedLocation nowhere;
    return from.location < names_.locations.size() ? names_.locations[from.location] : nowhere;
  }
  std::string_view host(std::int32_t rank) const {
    const MergedRank* const found = names_.find_rank(rank);
    return found == nullptr ? std::string_view{} : std::string_view{found->host};
  }
  std::string_view communicator(std::int32_t comm) const {
    const auto number = static_cast<std::size_t>(comm);
    return comm >= 0 && number < names_.communicators.size() ? std::string_view{names_.communicators[number].name}
                                                             : std::string_view{};
  }
  const MergedSite& site(const MergedEvent& event) const {
    static const MergedSite unknown;
    return event.site < names_.sites.size() ? names_.sites[event.site] : unknown;
  }

  ExportSource& source_;
  const MergedDefinitions& names_;
  const std::vector<TextRule>& rules_;
  RuleTotals totals_;
  SinkBuffer out_;
  std::array<std::vector<const TextRule*>, kRuleMoments> rule_of_;  // [moment][call]: the first that matches
  bool has_messages_ = false;
  std::uint64_t unnamed_ = 0;
};

}  // namespace

Status export_text(ExportSource& source, ExportSink& sink) {
  if (source.rules.empty())
    return Error{Errc::invalid_argument, "there are no rules for the text", "name a file of them with --rules"};
  std::vector<RuleEventValue> values;
  const MergedDefinitions& names = source.trace.definitions();
  for (const MergedUserEvent& event : names.user)
    for (UserField& field : user_fields(event.fields))
      values.push_back({std::string{names.call_name(event.call)}, std::move(field.name)});
  MERIDIAN_TRY(const std::vector<TextRule> rules, read_rules(source.rules, values));
  MERIDIAN_TRY(const bool is_wanted, sink.begin("trace.txt"));
  if (!is_wanted) return {};
  RuleWriter writer{source, sink, rules};
  MERIDIAN_TRY_DO(writer.begin());
  MERIDIAN_TRY_DO(walk_timeline(source, writer));
  return writer.end();
}

}  // namespace meridian
