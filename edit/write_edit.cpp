// SPDX-License-Identifier: Apache-2.0
#include "edit/write_edit.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "edit/copy_samples.hpp"
#include "edit/remaining_counters.hpp"
#include "edit/row_facts.hpp"
#include "merged/merged_trace.hpp"
#include "merged/model/event_waits.hpp"
#include "merger/output/event_rows.hpp"
#include "merger/output/merged_definitions.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kReportEvery = 1 << 16;  // rows
constexpr std::int64_t kJoin = static_cast<std::int64_t>(WaitKind::join);
constexpr std::int64_t kLock = static_cast<std::int64_t>(WaitKind::lock);

/// The tables of one edit while they are written.
class EditWriter {
 public:
  EditWriter(const StoredTrace& trace, const EditOptions& options, MergedOutput& output, RemainingSummary& remaining,
             RowMap& map, RowFacts& facts)
      : trace_{trace},
        options_{options},
        output_{output},
        remaining_{remaining},
        map_{map},
        facts_{facts},
        kept_{trace.definitions()} {}

  Status write_events(EventEdit& edit) {
    MERIDIAN_TRY(EventRows rows,
                 EventRows::create(output_.columns(), trace_.definitions().locations.size(), trace_.event_columns()));
    const auto look_at = [&](const EditedEvent& event) {
      facts_[event.row] = RowFact::of(event);
      step(seen_++, trace_.events(), 0, "events");
    };
    const EditSinks sinks{[&](const EditedEvent& event) {
                            look_at(event);
                            remaining_.keep(event);
                            kept_.add(event, true);
                            return Status{};
                          },
                          [&](const EditedEvent& event) {
                            look_at(event);
                            remaining_.drop(event);
                            kept_.add(event, false);
                            ++counts_.events;
                            return Status{};
                          },
                          [&](const EditedEvent& event) {
                            return rows.append(event.location, event.enter_ns, event.duration_ns, event.sequence,
                                               event.stored);
                          }};
    MERIDIAN_TRY_DO(edit.run(trace_, map_, sinks));
    edit.count(counts_);
    return rows.finish();
  }

  Status write_messages() {
    std::uint64_t done = 0;
    MERIDIAN_TRY_DO(trace_.read_messages([&](const MessageLinks::Message& message) {
      step(done++, trace_.messages(), 1, "messages");
      const RowFact &send = facts_[message.key], &completion = facts_[message.completion];
      if (map_.has(message.key) && map_.has(message.post) && map_.has(message.completion)) {
        if (completion.leave_ns() <= send.enter_ns) ++counts_.reversed;
        output_.messages().append(message);
        return Status{};
      }
      remaining_.drop_message(message, rank_of(send), rank_of(completion));
      ++counts_.messages;
      return Status{};
    }));
    return output_.messages().seal();
  }

  Status write_collectives() {
    std::uint64_t done = 0;
    std::vector<CollectiveLinks::Part> instance;
    const auto end_instance = [&] {
      if (instance.empty()) return;
      const bool is_whole = std::ranges::all_of(
          instance, [&](const auto& part) { return map_.has(part.start) && map_.has(part.completion); });
      if (is_whole) {
        for (const CollectiveLinks::Part& part : instance) output_.collectives().append(part);
      } else {
        remaining_.drop_collective(instance.size());
        ++counts_.collectives;
      }
      instance.clear();
    };
    MERIDIAN_TRY_DO(trace_.read_parts([&](const CollectiveLinks::Part& part) {
      step(done++, trace_.parts(), 2, "collectives");
      if (!instance.empty() && instance.front().instance != part.instance) end_instance();
      instance.push_back(part);
      return Status{};
    }));
    end_instance();
    return output_.collectives().seal();
  }

  /// A call that waited for one that is gone waited for an unknown one, where the format has that.
  Status write_awaited() {
    std::uint64_t done = 0;
    MERIDIAN_TRY_DO(trace_.read_awaited([&](const AwaitedLinks::Awaited& call) {
      step(done++, UINT64_MAX, 3, "waits");
      const RowFact &waiter = facts_[call.key], &causer = facts_[call.causer];
      if (call.kind == kJoin && call.causer != call.key)
        remaining_.join(rank_of(waiter), thread_of(waiter), thread_of(causer), waiter.duration_ns);
      if (!map_.has(call.key)) return Status{};
      const bool may_be_unknown = call.kind == kJoin || call.kind == kLock;
      if (map_.has(call.causer))
        output_.awaited().append(call);
      else if (may_be_unknown)
        output_.awaited().append({call.key, call.key, call.kind});
      return Status{};
    }));
    return output_.awaited().seal();
  }

  Status write_user_values() {
    MERIDIAN_TRY_DO(trace_.read_user_values([&](const UserValueLinks::Word& word) {
      if (!map_.has(word.key)) return Status{};
      output_.user_values().append(word);
      remaining_.keep_value(facts_[word.key].call, word.word, facts_[word.key].enter_ns);
      return Status{};
    }));
    return output_.user_values().seal();
  }

  const EditCounts& counts() const noexcept { return counts_; }
  const KeptTimes& kept() const noexcept { return kept_; }

 private:
  /// Reports the progress, and keeps the memory of the process bounded.
  void step(std::uint64_t done, std::uint64_t all, int number, std::string_view what) const {
    constexpr double kSteps = 3;
    if (done % kReportEvery != 0 || all == 0) return;
    facts_.release_pages();
    map_.release_pages();
    if (options_.progress)
      options_.progress((number + static_cast<double>(done) / static_cast<double>(all)) / kSteps, what);
  }
  const MergedLocation& location_of(const RowFact& fact) const { return trace_.definitions().locations[fact.location]; }
  std::int32_t rank_of(const RowFact& fact) const { return location_of(fact).rank; }
  std::uint32_t thread_of(const RowFact& fact) const { return location_of(fact).thread; }

  const StoredTrace& trace_;
  const EditOptions& options_;
  MergedOutput& output_;
  RemainingSummary& remaining_;
  RowMap& map_;
  RowFacts& facts_;
  EditCounts counts_;
  KeptTimes kept_;
  std::uint64_t seen_ = 0;
};

/// Adds to the finding of an earlier edit, if there is one.
void add_finding(FindingId id, std::uint64_t count, const std::string& detail, Summary& summary) {
  if (count == 0) return;
  Finding finding = describe(id);
  const auto found = std::ranges::find(summary.findings, finding.name, &Finding::name);
  if (found != summary.findings.end()) {
    found->count += count;
    found->detail += "; " + detail;
    return;
  }
  finding.count = count;
  finding.detail = detail;
  const auto place =
      std::ranges::find_if(summary.findings, [&](const Finding& other) { return other.severity < finding.severity; });
  summary.findings.insert(place, std::move(finding));
}

void add_findings(const EditCounts& counts, const EditOptions& options, Summary& summary) {
  const std::string& description = options.description;
  add_finding(options.left_out, counts.events,
              description + " left out " + std::to_string(counts.events) + " events, " +
                  std::to_string(counts.messages) + " messages, " + std::to_string(counts.collectives) + " collectives",
              summary);
  add_finding(FindingId::edit_fused, counts.fused, description, summary);
  add_finding(FindingId::edit_reversed, counts.reversed, description, summary);
}

}  // namespace

Result<EditCounts> write_edit(const StoredTrace& trace, const std::filesystem::path& path, EventEdit& edit,
                              const EditOptions& options) {
  MERIDIAN_TRY(Summary original, MergedTrace::read_summary(trace.path()));
  auto remaining = RemainingSummary::make(trace, std::move(original));
  if (!remaining) return trace.named(std::move(remaining).error());
  MERIDIAN_TRY(MergedOutput output, MergedOutput::create(path));
  MERIDIAN_TRY(RowMap map, RowMap::create(path.parent_path(), trace.events()));
  MERIDIAN_TRY(RowFacts facts, RowFacts::create(path.parent_path(), trace.events()));
  EditWriter writer{trace, options, output, *remaining, map, facts};
  MERIDIAN_TRY_DO(writer.write_events(edit));
  MERIDIAN_TRY_DO(writer.write_messages());
  MERIDIAN_TRY_DO(writer.write_collectives());
  MERIDIAN_TRY_DO(writer.write_awaited());
  MERIDIAN_TRY_DO(writer.write_user_values());
  MERIDIAN_TRY(const StoredClocks clocks, trace.read_clocks());
  MERIDIAN_TRY_DO(write_merged_definitions(output.id(), remaining->definitions(), clocks.bounds));
  MERIDIAN_TRY_DO(write_clock_report(output.id(), clocks.report));
  const auto counters = copy_counters(trace, *remaining, facts, map, output);
  if (!counters) return trace.named(counters.error());
  MERIDIAN_TRY_DO(copy_samples(trace, writer.kept(), output.id()));
  MERIDIAN_TRY_DO(copy_processor(trace, writer.kept(), output.id()));
  MERIDIAN_TRY_DO(copy_memory(trace, writer.kept(), output.id()));
  MERIDIAN_TRY_DO(copy_energy(trace, writer.kept(), output.id()));
  Summary summary = remaining->finish(*counters);
  add_findings(writer.counts(), options, summary);
  if (options.progress) options.progress(1, "analyses");
  Status finished = output.finish(map, summary, options.analyse);
  if (!finished) return trace.named(std::move(finished).error());  // the analyses find damage, too
  return writer.counts();
}

}  // namespace meridian
