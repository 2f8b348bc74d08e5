// SPDX-License-Identifier: Apache-2.0
#include "export/csv.hpp"

#include <array>
#include <charconv>
#include <concepts>
#include <span>
#include <string>
#include <string_view>

#include "export/texts.hpp"
#include "merged/user_values.hpp"

namespace meridian {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::uint64_t kProgressEvery = 4096;  // rows
constexpr std::string_view kShapes[] = {"all-to-all", "one-to-all", "all-to-one", "prefix", "none"};

/// Rows of one file, buffered until they are written.
class CsvFile {
 public:
  CsvFile(ExportSink& sink, std::string_view header) : sink_{sink}, text_{header} { text_ += "\r\n"; }

  CsvFile& number(std::integral auto value) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    return put({digits.data(), static_cast<std::size_t>(end - digits.data())});
  }
  /// An empty cell if the trace has -1 for "none".
  CsvFile& known(std::int32_t value) { return value < 0 ? put({}) : number(value); }
  CsvFile& text(std::string_view value) { return put(csv_cell(value)); }
  Status end_row() {
    text_ += "\r\n";
    is_first_ = true;
    return text_.size() < kBufferBytes ? Status{} : flush();
  }
  Status flush() {
    MERIDIAN_TRY_DO(sink_.write(text_));
    text_.clear();
    return {};
  }

 private:
  CsvFile& put(std::string_view cell) {
    if (!is_first_) text_ += ',';
    is_first_ = false;
    text_ += cell;
    return *this;
  }
  ExportSink& sink_;
  std::string text_;
  bool is_first_ = true;
};

class Exporter {
 public:
  Exporter(ExportSource& source, ExportSink& sink)
      : source_{source}, trace_{source.trace}, names_{source.trace.definitions()}, values_{source.trace}, sink_{sink} {}

  Status events() {
    MERIDIAN_TRY(const bool is_wanted, sink_.begin("events.csv"));
    if (!is_wanted) return {};
    CsvFile file{
        sink_,
        "enter_ns,duration_ns,rank,thread,sequence,function,function_group,flags,comm,communicator,peer,tag,bytes_sent,"
        "bytes_received,caller,file,line,calls,outside_ns,fields"};
    MERIDIAN_TRY(EventCursor cursor, trace_.select({.links = kNoLinks}));
    MergedBatch batch;
    for (;;) {
      MERIDIAN_TRY(const bool has_more, cursor.next(batch));
      if (!has_more) return file.flush();
      for (const MergedEvent& event : batch.events)
        if (source_.keeps(event.row)) MERIDIAN_TRY_DO(add(file, event));
      source_.report("events", batch.events.back().row + 1, trace_.events());
    }
  }

  Status messages() {
    MERIDIAN_TRY(const bool is_wanted, sink_.begin("messages.csv"));
    if (!is_wanted) return {};
    CsvFile file{sink_,
                 "send_rank,send_thread,send_sequence,send_enter_ns,receive_rank,post_thread,post_sequence,"
                 "post_enter_ns,completion_thread,completion_sequence,receive_leave_ns,comm,communicator,tag,bytes"};
    for (std::uint64_t i = 0; i < trace_.messages(); ++i) {
      if (!source_.shows_message(i)) continue;
      MERIDIAN_TRY(const MergedMessage message, trace_.message(i));
      MERIDIAN_TRY(const MergedEvent send, trace_.event(message.send));
      MERIDIAN_TRY(const MergedEvent post, trace_.event(message.post));
      MERIDIAN_TRY(const MergedEvent completion, trace_.event(message.completion));
      file.number(send.rank).number(send.thread).number(send.sequence).number(send.enter_ns);
      file.number(completion.rank).number(post.thread).number(post.sequence).number(post.enter_ns);
      file.number(completion.thread).number(completion.sequence).number(completion.leave_ns());
      file.known(message.comm).text(communicator(message.comm)).number(message.tag).number(message.bytes);
      MERIDIAN_TRY_DO(file.end_row());
      if (i % kProgressEvery == 0) source_.report("messages", i, trace_.messages());
    }
    return file.flush();
  }

  Status collectives() {
    MERIDIAN_TRY(const bool is_wanted, sink_.begin("collectives.csv"));
    if (!is_wanted) return {};
    CsvFile file{
        sink_,
        "instance,function,comm,communicator,root,parts,comm_rank,shape,rank,start_thread,start_sequence,enter_ns,"
        "completion_thread,completion_sequence,leave_ns"};
    for (std::uint64_t i = 0; i < trace_.parts(); ++i) {
      MERIDIAN_TRY(const MergedPart part, trace_.part(i));
      if (!source_.shows_instance(part.instance)) continue;
      MERIDIAN_TRY(const MergedEvent start, trace_.event(part.start));
      MERIDIAN_TRY(const MergedEvent completion, trace_.event(part.completion));
      const auto shape = static_cast<std::size_t>(part.shape);
      file.number(part.instance).text(names_.call_name(start.call));
      file.known(part.comm).text(communicator(part.comm)).known(part.root).number(part.parts).number(part.comm_rank);
      file.text(shape < std::size(kShapes) ? kShapes[shape] : "");
      file.number(start.rank).number(start.thread).number(start.sequence).number(start.enter_ns);
      file.number(completion.thread).number(completion.sequence).number(completion.leave_ns());
      MERIDIAN_TRY_DO(file.end_row());
      if (i % kProgressEvery == 0) source_.report("collectives", i, trace_.parts());
    }
    return file.flush();
  }

 private:
  Status add(CsvFile& file, const MergedEvent& event) {
    const bool has_site = event.site != 0 && event.site < names_.sites.size();
    file.number(event.enter_ns).number(event.duration_ns).number(event.rank).number(event.thread);
    file.number(event.sequence).text(names_.call_name(event.call)).text(group(event.call)).number(event.flags);
    file.known(event.comm).text(communicator(event.comm)).known(event.peer).known(event.tag);
    file.number(event.bytes_sent).number(event.bytes_received);
    file.text(has_site ? std::string_view{names_.sites[event.site].function} : std::string_view{});
    file.text(has_site ? std::string_view{names_.sites[event.site].file} : std::string_view{});
    file.known(has_site && names_.sites[event.site].line != 0 ? static_cast<std::int32_t>(names_.sites[event.site].line)
                                                              : -1);
    MERIDIAN_TRY(const std::span<const NamedValue> fields, values_.of(event));
    file.number(event.calls).number(event.outside_ns).text(text_of(fields));
    return file.end_row();
  }

  std::string_view communicator(std::int32_t comm) const {
    const auto at = static_cast<std::size_t>(comm);
    return comm >= 0 && at < names_.communicators.size() ? std::string_view{names_.communicators[at].name}
                                                         : std::string_view{};
  }
  std::string_view group(std::uint32_t call) const {
    return call < names_.calls.size() ? std::string_view{names_.calls[call].group} : std::string_view{};
  }

  ExportSource& source_;
  const MergedTrace& trace_;
  const MergedDefinitions& names_;
  UserValues values_;
  ExportSink& sink_;
};

}  // namespace

std::string csv_cell(std::string_view text) {
  const bool is_formula = !text.empty() && std::string_view{"=+-@\t\r"}.find(text.front()) != std::string_view::npos;
  std::string cell = is_formula ? "'" : "";
  cell += valid_utf8(text);
  if (cell.find_first_of("\",\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

Status export_csv(ExportSource& source, ExportSink& sink) {
  Exporter exporter{source, sink};
  MERIDIAN_TRY_DO(exporter.events());
  MERIDIAN_TRY_DO(exporter.messages());
  return exporter.collectives();
}

}  // namespace meridian
