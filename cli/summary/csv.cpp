#include "cli/summary/csv.hpp"

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <string_view>

#include "cli/summary/measures.hpp"
#include "cli/summary/printable.hpp"
#include "trace/format/summary_columns.hpp"

namespace meridian {
namespace {

std::string cell(std::string_view text) {
  std::string clean = printable(text);
  if (clean.find_first_of(",\" ") == std::string::npos) return clean;
  std::string quoted = "\"";
  for (const char c : clean) quoted += c == '"' ? std::string{"\"\""} : std::string(1, c);
  return quoted + "\"";
}
std::string cell(const std::string& text) { return cell(std::string_view{text}); }
std::string cell(const char* text) { return cell(std::string_view{text}); }
std::string cell(std::integral auto value) { return fmt::format("{}", value); }
/// The shortest text that reads back as the same number; empty for what is no number.
std::string cell(double value) { return std::isfinite(value) ? fmt::format("{}", value) : std::string{}; }

class Csv {
 public:
  void begin(const char* section, const std::string& columns) {
    if (!text_.empty()) text_ += "\n";
    section_ = section;
    text_ += fmt::format("section,{}\n", columns);
  }
  template <class... Values>
  void row(const Values&... values) {
    text_ += section_;
    ((text_ += fmt::format(",{}", cell(values))), ...);
    text_ += "\n";
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  const char* section_ = "";
};

void add_ranks(const Summary& summary, Csv& csv) {
  csv.begin("ranks",
            "rank,host,threads,calls,time_s,mpi_s,mpi_share,messages_sent,bytes_sent,messages_received,bytes_received");
  for (const RankLoad& load : measure_load(summary).ranks) {
    const RankSummary& rank = *load.rank;
    csv.row(rank.rank, rank.host, rank.threads, rank.calls, rank.time_s, rank.mpi_s, load.mpi_share, rank.messages_sent,
            rank.bytes_sent, rank.messages_received, rank.bytes_received);
  }
}

void add_functions(const Summary& summary, Csv& csv) {
  csv.begin("functions", "name,group,count,total_s,mean_s,min_s,max_s,sd_s,bytes_sent,bytes_received");
  for (const FunctionSummary& function : summary.functions)
    csv.row(function.name, function.group, function.count, function.total_s, function.mean_s, function.min_s,
            function.max_s, function.sd_s, function.bytes_sent, function.bytes_received);
}

void add_sites(const Summary& summary, Csv& csv) {
  csv.begin("sites",
            "function,caller,outer,file,line,column,module,offset,count,ranks,total_s,mean_s,min_s,max_s,sd_s,share,"
            "bytes_sent,bytes_received");
  for (const SiteSummary& site : summary.sites)
    csv.row(site.function, site.caller, site.outer, site.file, site.line, site.column, site.module, site.offset,
            site.count, site.ranks, site.total_s, site.mean_s, site.min_s, site.max_s, site.sd_s, site.share,
            site.bytes_sent, site.bytes_received);
}

void add_clocks(const Summary& summary, Csv& csv) {
  csv.begin("clocks",
            "host,domain,leader,ranks,clock,model,frequency_hz,offset_s,drift_ppm,residual_s,offset_error_s,"
            "drift_error_ppm,rtt_min_s,rtt_median_s,exchanges,exchanges_dropped,t1_s,t2_s");
  for (const ClockSummary& clock : summary.clocks)
    csv.row(clock.host, clock.domain, clock.leader, fmt::format("{}", fmt::join(clock.ranks, " ")), clock.clock,
            clock.model, clock.frequency_hz, clock.offset_s, clock.drift_ppm, clock.residual_s, clock.offset_error_s,
            clock.drift_error_ppm, clock.rtt_min_s, clock.rtt_median_s, clock.exchanges, clock.exchanges_dropped,
            clock.t1_s, clock.t2_s);
  if (!summary.clock_models.empty()) csv.begin("clock_models", "name,is_chosen,messages,reversed,worst_s,residual_s");
  for (const ClockModelSummary& model : summary.clock_models)
    csv.row(model.name, model.is_chosen ? 1 : 0, model.messages, model.reversed, model.worst_s, model.residual_s);
  csv.begin("reversed", "before,after");
  csv.row(summary.reversed_before, summary.reversed_after);
}

/// Tables of counters and context; those without rows are left out.
void add_more(const Summary& summary, Csv& csv) {
  summary_columns::for_each_table(summary, [&](const char* name, const auto& rows, const auto& columns) {
    if (rows.empty()) return;
    std::apply(
        [&](const auto&... column) {
          std::string names;
          ((names += std::string{names.empty() ? "" : ","} + column.name), ...);
          csv.begin(name, names);
          for (const auto& row : rows) csv.row(row.*column.member...);
        },
        columns);
  });
}

void add_user(const Summary& summary, Csv& csv) {
  csv.begin("regions", "name,count,total_s,exclusive_s,mpi_s,min_s,max_s");
  for (const RegionSummary& region : summary.regions)
    csv.row(region.name, region.count, region.total_s, region.exclusive_s, region.mpi_s, region.min_s, region.max_s);
  csv.begin("user_events", "kind,level,name,count,min,mean,max,last");
  for (const UserEventSummary& event : summary.user_events)
    csv.row(event.kind, event.level, event.name, event.count, event.min, event.mean, event.max, event.last);
  csv.begin("user_messages", "matched,bytes");
  csv.row(summary.user_messages, summary.user_message_bytes);
  if (!summary.passed.empty()) csv.begin("passed", "rank,name,group,count");
  for (const PassedSummary& row : summary.passed) csv.row(row.rank, row.name, row.group, row.count);
}

void add_threads(const Summary& summary, Csv& csv) {
  if (!summary.locks.empty())
    csv.begin("locks",
              "rank,kind,object,lives,acquisitions,contended,wait_s,longest_s,most_waiters,holder,held,waiter,waited");
  for (const LockSummary& lock : summary.locks)
    csv.row(lock.rank, lock.kind, lock.object, lock.lives, lock.acquisitions, lock.contended, lock.wait_s,
            lock.longest_s, lock.most_waiters, lock.holder, lock.held, lock.waiter, lock.waited);
  if (!summary.threads.empty())
    csv.begin("threads", "rank,thread,name,routine,routine_name,creator,kernel_tid,begin_s,life_s,calls");
  for (const ThreadSummary& thread : summary.threads)
    csv.row(thread.rank, thread.thread, thread.name, thread.routine, thread.routine_name, thread.creator,
            thread.kernel_tid, thread.begin_s, thread.life_s, thread.calls);
}

}  // namespace

std::string summary_csv(const Summary& summary) {
  const RunSummary& run = summary.run;
  const MessageSummary& messages = summary.messages;
  Csv csv;
  csv.begin("run",
            "executable,mpi_library,ranks_expected,ranks_present,threads,hosts,begin_realtime_ns,time_s,calls,"
            "trace_bytes,mpi_s,mpi_share");
  csv.row(run.executable, run.mpi_library, run.ranks_expected, run.ranks_present, run.threads, run.hosts,
          run.begin_realtime_ns, run.time_s, run.calls, run.trace_bytes, mpi_seconds(summary),
          measure_load(summary).mpi_share);
  add_ranks(summary, csv);
  add_functions(summary, csv);
  add_sites(summary, csv);
  csv.begin("messages", "matched,bytes,unmatched_sends,unmatched_receives");
  csv.row(messages.matched, messages.bytes, messages.unmatched_sends, messages.unmatched_receives);
  csv.begin("collectives", "count,calls,bytes_sent,bytes_received");
  csv.row(messages.collectives, messages.collective_calls, messages.collective_bytes_sent,
          messages.collective_bytes_received);
  csv.begin("pairs", "source,dest,messages,bytes");
  for (const PairSummary& pair : summary.pairs) csv.row(pair.source, pair.dest, pair.messages, pair.bytes);
  add_clocks(summary, csv);
  add_user(summary, csv);
  csv.begin("overhead", "name,count,total_s,share");
  for (const OverheadSummary& row : summary.overhead) csv.row(row.name, row.count, row.total_s, row.share);
  add_more(summary, csv);
  add_threads(summary, csv);
  csv.begin("findings", "name,severity,count,text,detail");
  for (const Finding& finding : summary.findings)
    csv.row(finding.name, severity_name(finding.severity), finding.count, finding.text, finding.detail);
  return csv.take();
}

}  // namespace meridian
