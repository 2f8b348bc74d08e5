// SPDX-License-Identifier: Apache-2.0
#include "cli/query/result_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/summary/csv.hpp"
#include "cli/summary/printable.hpp"
#include "cli/summary/text/text.hpp"

namespace meridian {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16;
constexpr std::size_t kTableRows = 1000;
constexpr int kResultJsonVersion = 1;

/// A number in a column of numbers: exact if it is short, otherwise 12 digits.
std::string number_text(double value) {
  constexpr std::size_t kLongest = 16;
  std::string exact = fmt::format("{}", value);
  return exact.size() <= kLongest ? exact : fmt::format("{:.12g}", value);
}

struct TextCell {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return number_text(value); }
  std::string operator()(const std::string& value) const { return printable(value); }
};

struct CsvCell {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return csv_number(value); }
  std::string operator()(const std::string& value) const { return csv_text(value); }
};

struct JsonValue {
  nlohmann::json operator()(std::monostate) const { return nullptr; }
  nlohmann::json operator()(const auto& value) const { return value; }
};

/// Collects rows until it is known which columns hold texts, which are aligned left.
class TextWriter final : public ResultWriter {
 public:
  explicit TextWriter(OutputBuffer& output) : output_{output} {}
  Status begin(const std::vector<std::string>& columns) override {
    for (const std::string& name : columns) columns_.push_back({printable(name), Align::right});
    return {};
  }
  Result<bool> row(std::span<const QueryValue> values) override {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::holds_alternative<std::string>(values[i])) columns_[i].align = Align::left;
      cells.push_back(std::visit(TextCell{}, values[i]));
    }
    rows_.push_back(std::move(cells));
    return rows_.size() < kTableRows ? Result<bool>{true} : print_rows();
  }
  Status finish() override {
    if (!rows_.empty() || is_first_) MERIDIAN_TRY_DO(print_rows());
    auto written = output_.flush();
    return written ? Status{} : Status{std::move(written).error()};
  }

 private:
  Result<bool> print_rows() {
    LongTextTable table{output_, columns_};
    for (auto& cells : std::exchange(rows_, {})) {
      MERIDIAN_TRY(const bool is_wanted, table.add(std::move(cells)));
      if (!is_wanted) return false;
    }
    is_first_ = false;
    return table.finish();
  }

  OutputBuffer& output_;
  std::vector<Table::Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  bool is_first_ = true;
};

class CsvWriter final : public ResultWriter {
 public:
  explicit CsvWriter(OutputBuffer& output) : output_{output} {}
  Status begin(const std::vector<std::string>& columns) override {
    std::string line;
    for (const std::string& name : columns) line.append(line.empty() ? "" : ",").append(csv_text(name));
    auto added = output_.add(line + "\n");
    return added ? Status{} : Status{std::move(added).error()};
  }
  Result<bool> row(std::span<const QueryValue> values) override {
    std::string line;
    for (std::size_t i = 0; i < values.size(); ++i)
      line.append(i == 0 ? "" : ",").append(std::visit(CsvCell{}, values[i]));
    return output_.add(line + "\n");
  }
  Status finish() override {
    auto written = output_.flush();
    return written ? Status{} : Status{std::move(written).error()};
  }

 private:
  OutputBuffer& output_;
};

/// JSON without line ends, in ASCII.
std::string compact(const nlohmann::json& json) {
  return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

class JsonWriter final : public ResultWriter {
 public:
  explicit JsonWriter(OutputBuffer& output) : output_{output} {}
  Status begin(const std::vector<std::string>& columns) override {
    for (const std::string& name : columns) {
      std::string own = name;
      for (int i = 2; std::ranges::find(names_, own) != names_.end(); ++i) own = name + "_" + std::to_string(i);
      names_.push_back(std::move(own));
    }
    std::string text = fmt::format("{{\"schema\": \"meridian-rows\", \"version\": {}, \"columns\": {}, \"rows\": [",
                                   kResultJsonVersion, compact(names_));
    for (std::string& name : names_) name = compact(name);
    auto added = output_.add(text);
    return added ? Status{} : Status{std::move(added).error()};
  }
  Result<bool> row(std::span<const QueryValue> values) override {
    std::string line = std::exchange(is_first_, false) ? "\n{" : ",\n{";
    for (std::size_t i = 0; i < values.size(); ++i)
      line.append(i == 0 ? "" : ", ")
          .append(names_[i])
          .append(": ")
          .append(compact(std::visit(JsonValue{}, values[i])));
    return output_.add(line + "}");
  }
  Status finish() override {
    MERIDIAN_TRY_DO(output_.add("\n]}\n"));
    auto written = output_.flush();
    return written ? Status{} : Status{std::move(written).error()};
  }

 private:
  OutputBuffer& output_;
  std::vector<std::string> names_;  // as JSON
  bool is_first_ = true;
};

}  // namespace

Result<bool> OutputBuffer::add(std::string_view text) {
  text_ += text;
  return text_.size() < kBufferBytes ? Result<bool>{!is_closed_} : flush();
}

Result<bool> OutputBuffer::flush() {
  if (is_closed_ || text_.empty()) return !is_closed_;
  MERIDIAN_TRY(const bool is_read, write_(text_));
  text_.clear();
  is_closed_ = !is_read;
  return is_read;
}

LongTextTable::LongTextTable(OutputBuffer& output, std::vector<Table::Column> columns)
    : output_{output}, columns_{std::move(columns)}, table_{columns_} {}

Result<bool> LongTextTable::add(std::vector<std::string> cells) {
  table_.add(std::move(cells));
  return ++rows_ % kTableRows == 0 ? finish() : Result<bool>{true};
}

Result<bool> LongTextTable::finish() {
  if (table_.empty() && rows_ != 0) return true;
  const Paint paint{output_.has_colour()};
  const std::string text = table_.text([&](const std::string& line) { return paint.title(line); });
  table_ = Table{columns_};
  return output_.add(text);
}

std::unique_ptr<ResultWriter> make_result_writer(ResultForm form, OutputBuffer& output) {
  if (form == ResultForm::csv) return std::make_unique<CsvWriter>(output);
  if (form == ResultForm::json) return std::make_unique<JsonWriter>(output);
  return std::make_unique<TextWriter>(output);
}

}  // namespace meridian
