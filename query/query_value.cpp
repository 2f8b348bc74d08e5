// SPDX-License-Identifier: Apache-2.0
#include "query/query_value.hpp"

#include <cmath>
#include <utility>

namespace meridian {
namespace {

struct Converter {
  bool is_nullable;

  QueryValue operator()(std::string text) const {
    if (is_nullable && text.empty()) return {};
    return text;
  }
  QueryValue operator()(const std::vector<std::int32_t>& list) const {
    std::string text;
    for (const std::int32_t number : list) {
      if (!text.empty()) text += ' ';
      text += std::to_string(number);
    }
    return text;
  }
  QueryValue operator()(bool flag) const { return std::int64_t{flag ? 1 : 0}; }
  QueryValue operator()(double value) const {
    if (std::isnan(value)) return {};
    return value;
  }
  QueryValue operator()(std::int64_t value) const {
    if (is_nullable && value < 0) return {};
    return value;
  }
  QueryValue operator()(std::uint64_t value) const {
    if (value > static_cast<std::uint64_t>(INT64_MAX)) return static_cast<double>(value);
    return static_cast<std::int64_t>(value);
  }
};

}  // namespace

QueryValue query_value(const AnyColumn& column, const void* row) {
  return std::visit(Converter{column.is_nullable}, value_of(column, row));
}

}  // namespace meridian
