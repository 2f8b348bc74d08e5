// SPDX-License-Identifier: Apache-2.0
#include "merger/statistics/summarize_context.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "trace/format/rank/dropped_rows.hpp"
#include "trace/format/rank/rank_file.hpp"

namespace meridian {
namespace {

constexpr double kSecondsPerUs = 1e-6;
constexpr std::string_view kEnvironment = "env.";

UsageSummary summarize_usage(std::int32_t rank, std::int32_t thread, const Usage& usage) {
  return {rank,
          thread,
          static_cast<double>(usage.user_us) * kSecondsPerUs,
          static_cast<double>(usage.system_us) * kSecondsPerUs,
          usage.minor_faults,
          usage.major_faults,
          usage.voluntary_switches,
          usage.involuntary_switches,
          usage.high_water_bytes,
          static_cast<double>(usage.ready_us) * kSecondsPerUs};
}

/// The time that a process was ready to run and had no processor, in the spans in which it was recorded.
class ReadyTime {
 public:
  void add(UsageKind kind, std::uint64_t ready_us) {
    if (kind == UsageKind::process_begin) {
      begin_us_ = ready_us;
      before_us_ += std::exchange(span_us_, 0);
    } else if (ready_us > begin_us_) {
      span_us_ = ready_us - begin_us_;
    }
  }
  double seconds() const { return static_cast<double>(before_us_ + span_us_) * kSecondsPerUs; }

 private:
  std::uint64_t begin_us_ = 0, before_us_ = 0, span_us_ = 0;
};

/// The usage of the process, then of its threads, each from its last record. How long the process was ready in the last part of a run
/// is not known.
void add_usage(const RankMeta& meta, std::vector<UsageSummary>& list) {
  std::map<std::int32_t, UsageSummary> last;
  ReadyTime ready;
  for (const UsageRow& row : meta.usages) {
    const auto kind = static_cast<UsageKind>(row.usage.kind);
    const bool is_process = kind == UsageKind::process_begin || kind == UsageKind::process_end;
    const std::int32_t thread = is_process ? -1 : static_cast<std::int32_t>(row.usage.thread);
    last[thread] = summarize_usage(meta.rank, thread, row.usage);
    if (is_process) ready.add(kind, row.usage.ready_us);
  }
  const bool is_last_part = std::ranges::find(meta.texts, kRecorderKey, &TextRow::key) != meta.texts.end();
  if (const auto process = last.find(-1); process != last.end())
    process->second.ready_s = is_last_part ? 0 : ready.seconds();
  for (const auto& [thread, usage] : last) list.push_back(usage);
}

}  // namespace

void summarize_context(const Trace& trace, Summary& summary) {
  std::map<std::pair<std::string, std::string>, VariableSummary> variables;
  for (const RankFile* file : trace.files) {
    const RankMeta& meta = file->meta();
    ContextSummary context{meta.rank, meta.hostname, {}, {}, {}};
    for (const TextRow& text : meta.texts) {
      if (text.key == "cpu.model") context.cpu_model = text.value;
      if (text.key == "cpu.binding") context.cpus = text.value;
      if (text.key == "command") context.command = text.value;
      if (!text.key.starts_with(kEnvironment)) continue;
      const std::string name = text.key.substr(kEnvironment.size());
      const auto [at, is_new] =
          variables.try_emplace({name, text.value}, VariableSummary{name, text.value, meta.rank, 0});
      ++at->second.ranks;
    }
    summary.context.push_back(std::move(context));
    add_usage(meta, summary.usage);
  }
  for (auto& [name, variable] : variables) summary.environment.push_back(std::move(variable));
}

}  // namespace meridian
