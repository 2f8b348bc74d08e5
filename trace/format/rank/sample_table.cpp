// SPDX-License-Identifier: Apache-2.0
#include "trace/format/rank/sample_table.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "trace/format/tables/column_table.hpp"
#include "trace/format/tables/h5.hpp"
#include "trace/format/tables/long_table.hpp"

namespace meridian {
namespace {

constexpr const char* kSampleGroup = "samples";
constexpr const char* kSampleStackGroup = "sample_stacks";

// Ticks are stored as they are: the differences between threads' samples are no smaller.
constexpr Columns kRankSampleColumns{
    column<&SampleRow::ticks>("ticks", "ticks"),
    column<&SampleRow::thread>("thread"),
    column<&SampleRow::stack>("stack"),
};
constexpr Columns kSampleStackColumns{
    column<&StackRow::parent>("parent"),
    column<&StackRow::address>("address"),
};

Error contradiction(const char* reason) {
  return {Errc::damaged, std::string{"the rank file contradicts itself: "} + reason, ""};
}

Status check(const std::vector<StackRow>& rows) {
  if (rows.empty() || rows.size() > kMaxStackRows) return contradiction("'sample_stacks' has no or too many rows");
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].parent >= std::max<std::size_t>(i, 1))
      return contradiction("a row of 'sample_stacks' has a parent that is not before it");
  return {};
}

}  // namespace

struct SampleTableWriter::Impl {
  hid_t file = H5I_INVALID_HID;
  std::optional<LongTableWriter<SampleRow>> table;
};

SampleTableWriter::SampleTableWriter(std::int64_t file)
    : impl_{std::make_unique<Impl>(Impl{static_cast<hid_t>(file), std::nullopt})} {}
SampleTableWriter::~SampleTableWriter() = default;

Status SampleTableWriter::push(const SampleRow& row) {
  if (!impl_->table) {
    MERIDIAN_TRY(impl_->table, LongTableWriter<SampleRow>::create(impl_->file, kSampleGroup, kRankSampleColumns));
  }
  return impl_->table->push(row);
}

Status SampleTableWriter::finish(const std::vector<StackRow>& stacks) {
  if (!impl_->table) return {};
  MERIDIAN_TRY_DO(impl_->table->finish());
  impl_->table.reset();
  return write_column_table(impl_->file, kSampleStackGroup, kSampleStackColumns, stacks);
}

struct SampleTable::Impl {
  h5::File file;
  h5::Group group;  // none: the root
  LongTableReader<SampleRow> table;
  std::vector<StackRow> stacks;
  std::uint64_t piece = 0;

  hid_t root() const { return group ? group.get() : file.get(); }
};

SampleTable::SampleTable(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
SampleTable::SampleTable(SampleTable&&) noexcept = default;
SampleTable& SampleTable::operator=(SampleTable&&) noexcept = default;
SampleTable::~SampleTable() = default;

Result<SampleTable> SampleTable::open(const std::filesystem::path& path, const std::string& group) {
  const h5::Quiet quiet;
  auto impl = std::make_unique<Impl>();
  const auto in_file = [&](Error error) { return h5::in_file(std::move(error), "rank file", path); };
  MERIDIAN_TRY(impl->file, h5::open_read_only(path));
  if (!group.empty()) {
    auto opened = h5::open_group(impl->file.get(), group);
    if (!opened) return in_file(std::move(opened).error());
    impl->group = *std::move(opened);
  }
  if (!h5::exists(impl->root(), kSampleGroup)) return SampleTable{std::move(impl)};
  auto table = LongTableReader<SampleRow>::open(impl->root(), kSampleGroup, kRankSampleColumns);
  if (!table) return in_file(std::move(table).error());
  impl->table = *std::move(table);
  Status stacks = read_column_table(impl->root(), kSampleStackGroup, kSampleStackColumns, impl->stacks);
  if (stacks) stacks = check(impl->stacks);
  if (!stacks) return in_file(std::move(stacks).error());
  return SampleTable{std::move(impl)};
}

std::uint64_t SampleTable::size() const noexcept { return impl_->table.size(); }
const std::vector<StackRow>& SampleTable::stacks() const noexcept { return impl_->stacks; }

Result<std::span<const SampleRow>> SampleTable::next() {
  if (impl_->piece == impl_->table.pieces()) return std::span<const SampleRow>{};
  MERIDIAN_TRY(const std::span<const SampleRow> rows, impl_->table.piece(impl_->piece++));
  for (const SampleRow& row : rows)
    if (row.stack >= impl_->stacks.size()) return contradiction("a sample has a stack that is not in 'sample_stacks'");
  return rows;
}

}  // namespace meridian
