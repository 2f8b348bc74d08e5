// SPDX-License-Identifier: Apache-2.0
#include "merged/energy_reader.hpp"

#include <algorithm>
#include <utility>

#include "merged/read_numbers.hpp"
#include "trace/format/tables/column_table.hpp"
#include "trace/format/tables/long_table.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kReadingsAtOnce = 4096;

Status check_hosts(const std::vector<EnergyHost>& hosts, std::uint64_t rows) {
  std::uint64_t expected = 0;
  for (const EnergyHost& host : hosts) {
    if (host.first != expected || host.count > rows - expected)
      return damaged_merged("the hosts of readings of the energy contradict them");
    expected += host.count;
  }
  return expected == rows ? Status{} : damaged_merged("the hosts of readings of the energy contradict them");
}

}  // namespace

struct EnergyReader::Impl {
  LongTableReader<MergedEnergy> table;
  std::vector<EnergyHost> hosts;
  std::vector<MergedEnergyZone> zones;
};

EnergyReader::EnergyReader(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
EnergyReader::EnergyReader(EnergyReader&&) noexcept = default;
EnergyReader& EnergyReader::operator=(EnergyReader&&) noexcept = default;
EnergyReader::~EnergyReader() = default;

Result<EnergyReader> EnergyReader::open(std::int64_t id) {
  const h5::Quiet quiet;
  const auto file = static_cast<hid_t>(id);
  auto impl = std::make_unique<Impl>();
  if (!h5::exists(file, kEnergy)) return EnergyReader{std::move(impl)};
  MERIDIAN_TRY(impl->table, LongTableReader<MergedEnergy>::open(file, kEnergy, kEnergyColumns));
  MERIDIAN_TRY_DO(read_column_table(file, kEnergyHosts, kEnergyHostColumns, impl->hosts));
  MERIDIAN_TRY_DO(read_column_table(file, kEnergyZones, kEnergyZoneColumns, impl->zones));
  MERIDIAN_TRY_DO(check_hosts(impl->hosts, impl->table.size()));
  if (std::ranges::any_of(impl->zones, [](const MergedEnergyZone& zone) {
        return static_cast<std::size_t>(zone.kind) >= kEnergyKindNames.size();
      }))
    return damaged_merged("a zone of energy is of no kind");
  return EnergyReader{std::move(impl)};
}

std::uint64_t EnergyReader::size() const noexcept { return impl_->table.size(); }
const std::vector<EnergyHost>& EnergyReader::hosts() const noexcept { return impl_->hosts; }
const std::vector<MergedEnergyZone>& EnergyReader::zones() const noexcept { return impl_->zones; }

Status EnergyReader::read(std::uint64_t first, std::span<MergedEnergy> rows) const {
  if (rows.empty()) return {};
  MERIDIAN_TRY_DO(impl_->table.read(first, rows));
  if (std::ranges::any_of(rows, [this](const MergedEnergy& row) { return row.zone >= impl_->zones.size(); }))
    return damaged_merged("a reading of the energy has no zone");
  return {};
}

Result<bool> EnergyCursor::next(std::vector<MergedEnergy>& rows) {
  for (;;) {
    rows.clear();
    while (at_ == end_) {
      if (host_ == reader_->hosts().size()) return false;
      const EnergyHost& host = reader_->hosts()[host_++];
      at_ = host.first;
      end_ = host.first + host.count;
    }
    rows.resize(static_cast<std::size_t>(std::min(kReadingsAtOnce, end_ - at_)));
    MERIDIAN_TRY_DO(reader_->read(at_, rows));
    at_ += rows.size();
    std::erase_if(rows, [this](const MergedEnergy& row) {
      return row.time_ns < selection_.from_ns || row.time_ns >= selection_.to_ns;
    });
    if (!rows.empty()) return true;
  }
}

}  // namespace meridian
