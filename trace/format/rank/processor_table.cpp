// SPDX-License-Identifier: Apache-2.0
#include "trace/format/rank/processor_table.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "trace/format/tables/h5.hpp"
#include "trace/format/tables/long_table.hpp"

namespace meridian {
namespace {

constexpr const char* kProcessorGroup = "processor";

constexpr Columns kRankProcessorColumns{
    column<&ProcessorRow::ticks>("ticks", "ticks"), column<&ProcessorRow::length>("length", "ticks"),
    column<&ProcessorRow::ran>("ran", "ticks"),     column<&ProcessorRow::thread>("thread"),
    column<&ProcessorRow::count>("count"),          column<&ProcessorRow::is_ready>("is_ready"),
};

}  // namespace

struct ProcessorTableWriter::Impl {
  hid_t file = H5I_INVALID_HID;
  std::optional<LongTableWriter<ProcessorRow>> table;
};

ProcessorTableWriter::ProcessorTableWriter(std::int64_t file)
    : impl_{std::make_unique<Impl>(Impl{static_cast<hid_t>(file), std::nullopt})} {}
ProcessorTableWriter::~ProcessorTableWriter() = default;

Status ProcessorTableWriter::push(const ProcessorRow& row) {
  if (!impl_->table) {
    MERIDIAN_TRY(impl_->table,
                 LongTableWriter<ProcessorRow>::create(impl_->file, kProcessorGroup, kRankProcessorColumns));
  }
  return impl_->table->push(row);
}

Status ProcessorTableWriter::finish() {
  if (!impl_->table) return {};
  MERIDIAN_TRY_DO(impl_->table->finish());
  impl_->table.reset();
  return {};
}

struct ProcessorTable::Impl {
  h5::File file;
  h5::Group group;  // none: the root
  LongTableReader<ProcessorRow> table;
  std::uint64_t piece = 0;
};

ProcessorTable::ProcessorTable(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
ProcessorTable::ProcessorTable(ProcessorTable&&) noexcept = default;
ProcessorTable& ProcessorTable::operator=(ProcessorTable&&) noexcept = default;
ProcessorTable::~ProcessorTable() = default;

Result<ProcessorTable> ProcessorTable::open(const std::filesystem::path& path, const std::string& group) {
  const h5::Quiet quiet;
  auto impl = std::make_unique<Impl>();
  const auto in_file = [&](Error error) { return h5::in_file(std::move(error), "rank file", path); };
  MERIDIAN_TRY(impl->file, h5::open_read_only(path));
  if (!group.empty()) {
    auto opened = h5::open_group(impl->file.get(), group);
    if (!opened) return in_file(std::move(opened).error());
    impl->group = *std::move(opened);
  }
  const hid_t root = impl->group ? impl->group.get() : impl->file.get();
  if (!h5::exists(root, kProcessorGroup)) return ProcessorTable{std::move(impl)};
  auto table = LongTableReader<ProcessorRow>::open(root, kProcessorGroup, kRankProcessorColumns);
  if (!table) return in_file(std::move(table).error());
  impl->table = *std::move(table);
  return ProcessorTable{std::move(impl)};
}

std::uint64_t ProcessorTable::size() const noexcept { return impl_->table.size(); }

Result<std::span<const ProcessorRow>> ProcessorTable::next() {
  if (impl_->piece == impl_->table.pieces()) return std::span<const ProcessorRow>{};
  MERIDIAN_TRY(const std::span<const ProcessorRow> rows, impl_->table.piece(impl_->piece++));
  if (!std::ranges::all_of(rows, &ProcessorRow::is_valid))
    return Error{Errc::damaged, "the rank file contradicts itself: an interval of 'processor' ends before it begins",
                 ""};
  return rows;
}

}  // namespace meridian
