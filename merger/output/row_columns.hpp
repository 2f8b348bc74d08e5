#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "trace/format/column.hpp"

namespace meridian {

/// One column of a table whose rows are structs: where it goes, what it means, and its value in a row.
template <class Get>
struct RowColumn {
  std::string_view name;
  std::string_view unit;
  std::string_view text;
  Get get;
  bool is_narrow = true;  ///< stored in the smallest type of its signedness that holds all values
};
template <class Get>
RowColumn(std::string_view, std::string_view, std::string_view, Get) -> RowColumn<Get>;
template <class Get>
RowColumn(std::string_view, std::string_view, std::string_view, Get, bool) -> RowColumn<Get>;

/// Writes rows into a group of columns. `Columns` is a tuple of RowColumn.
template <class Row, class Columns>
class RowColumnsWriter {
  static constexpr std::size_t kCount = std::tuple_size_v<Columns>;
  template <std::size_t I>
  using Value = std::invoke_result_t<decltype(std::tuple_element_t<I, Columns>::get), const Row&>;

 public:
  RowColumnsWriter(hid_t file, std::string group, const Columns& columns)
      : file_{file}, group_{std::move(group)}, columns_{columns} {}

  Status open() {
    return each([&]<std::size_t I>() -> Status {
      const auto& column = std::get<I>(columns_);
      const ColumnOptions options{.is_narrow = column.is_narrow, .unit = column.unit, .description = column.text};
      auto writer =
          ColumnWriter::create(file_, group_ + "/" + std::string{column.name}, column_type<Value<I>>, options);
      if (!writer) return std::move(writer).error();
      writers_[I].emplace(*std::move(writer));
      return {};
    });
  }

  Status append(std::span<const Row> rows) {
    return each([&]<std::size_t I>() -> Status {
      const auto get = std::get<I>(columns_).get;
      auto& values = std::get<std::vector<Value<I>>>(values_);
      values.resize(rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) values[i] = get(rows[i]);
      return writers_[I]->append(std::span<const Value<I>>{values});
    });
  }

  Status finish() {
    return each([&]<std::size_t I>() -> Status { return writers_[I]->finish(); });
  }

 private:
  template <class Action>
  Status each(Action&& action) {
    return each(action, std::make_index_sequence<kCount>{});
  }
  template <class Action, std::size_t... I>
  Status each(Action& action, std::index_sequence<I...>) {
    Status status;
    (void)((status = action.template operator()<I>(), bool{status}) && ...);
    return status;
  }

  hid_t file_;
  std::string group_;
  const Columns& columns_;
  std::array<std::optional<ColumnWriter>, kCount> writers_;
  std::tuple<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::int32_t>,
             std::vector<std::uint32_t>, std::vector<std::int64_t>, std::vector<std::uint64_t>>
      values_;
};

}  // namespace meridian
