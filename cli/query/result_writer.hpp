// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of any table on standard output, as they come.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/summary/table.hpp"
#include "query/sql_query.hpp"
#include "trace/model/result.hpp"

namespace meridian {

enum class ResultForm : std::uint8_t { text, csv, json };

/// Buffers text for standard output.
class OutputBuffer {
 public:
  /// Writes some text; false: the reader has gone.
  using Write = std::function<Result<bool>(std::string_view text)>;

  OutputBuffer(Write write, bool has_colour) : write_{std::move(write)}, has_colour_{has_colour} {}
  /// False: no more is wanted. errors  io
  Result<bool> add(std::string_view text);
  Result<bool> flush();
  bool has_colour() const noexcept { return has_colour_; }

 private:
  Write write_;
  bool has_colour_;
  std::string text_;
  bool is_closed_ = false;
};

/// A table of any length: aligned a thousand rows at a time, each with the title line.
class LongTextTable {
 public:
  LongTextTable(OutputBuffer& output, std::vector<Table::Column> columns);
  Result<bool> add(std::vector<std::string> cells);
  Result<bool> finish();

 private:
  OutputBuffer& output_;
  std::vector<Table::Column> columns_;
  Table table_;
  std::size_t rows_ = 0;
};

/// Writes a result in a form.
class ResultWriter : public QuerySink {
 public:
  /// After the last row.
  virtual Status finish() = 0;
};

/// CSV: a line with the names, then a line a row; NULL is an empty cell. JSON: an object whose member `rows` is an array of
/// objects, a line each; if columns have the same name, the later ones get "_2" and so on.
std::unique_ptr<ResultWriter> make_result_writer(ResultForm form, OutputBuffer& output);

}  // namespace meridian
