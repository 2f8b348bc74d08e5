// SPDX-License-Identifier: Apache-2.0
#include "trace/records/finish/sample_spool.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace meridian {
namespace {

constexpr std::uint64_t kSampleMagic = 0x314c504d4152454dULL;  // "MERAMPL1" in memory order
constexpr std::size_t kPiece = 1 << 16;
constexpr std::uint64_t kLongestText = 4096;
constexpr std::size_t kMostTexts = 1 << 17;

enum Tag : std::uint8_t { kSample = 1, kStack = 2, kText = 3, kSlept = 4, kReady = 5, kMemory = 6, kEnergy = 7 };

struct SpoolHead {
  std::uint64_t magic = kSampleMagic;
  std::int64_t pid = 0;
  std::uint64_t process_start = 0;
  friend bool operator==(const SpoolHead&, const SpoolHead&) = default;
};

SpoolHead head_of(const RingFile& ring) { return {kSampleMagic, ring.header().pid, ring.header().process_start}; }

Error spool_error(const char* verb, const std::filesystem::path& path) {
  return {Errc::io, std::string{"cannot "} + verb + " '" + path.string() + "': " + std::strerror(errno), ""};
}

/// Small numbers of either sign become small ones.
std::uint64_t fold(std::uint64_t difference) {
  return difference << 1 ^ (difference >> 63 != 0 ? ~std::uint64_t{0} : 0);
}
std::uint64_t unfold(std::uint64_t folded) { return folded >> 1 ^ ((folded & 1) != 0 ? ~std::uint64_t{0} : 0); }

/// The numbers of a reading, in the order of the file.
constexpr std::uint64_t MemoryRow::*kMemoryNumbers[] = {&MemoryRow::ticks,        &MemoryRow::resident_bytes,
                                                        &MemoryRow::peak_bytes,   &MemoryRow::swapped_bytes,
                                                        &MemoryRow::minor_faults, &MemoryRow::major_faults};

}  // namespace

Result<SampleSpoolWriter> SampleSpoolWriter::create(const std::filesystem::path& path, const RingFile& ring) {
  ::unlink(path.c_str());
  Descriptor file{::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600)};
  if (!file) return spool_error("create", path);
  SampleSpoolWriter writer{std::move(file)};
  const SpoolHead header = head_of(ring);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&header);
  writer.bytes_.assign(bytes, bytes + sizeof header);
  return writer;
}

void SampleSpoolWriter::put(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<std::uint8_t>(value | 0x80));
  bytes_.push_back(static_cast<std::uint8_t>(value));
}

void SampleSpoolWriter::put(std::string_view text) {
  put(std::uint64_t{text.size()});
  bytes_.insert(bytes_.end(), text.begin(), text.end());
}

void SampleSpoolWriter::add(const StackRow& row) {
  bytes_.push_back(kStack);
  put(row.parent);
  put(row.address);
}

void SampleSpoolWriter::add(const SampleRow& row) {
  bytes_.push_back(kSample);
  put(fold(row.ticks - std::exchange(ticks_, row.ticks)));
  put(row.thread);
  put(row.stack);
}

void SampleSpoolWriter::add(const ProcessorRow& row) {
  bytes_.push_back(row.is_ready ? kReady : kSlept);
  put(fold(row.ticks - std::exchange(off_ticks_, row.ticks)));
  put(row.thread);
  put(row.length);
  put(row.ran);
  put(row.count);
}

void SampleSpoolWriter::add(const MemoryRow& row) {
  bytes_.push_back(kMemory);
  for (const auto number : kMemoryNumbers) put(fold(row.*number - memory_.*number));
  memory_ = row;
}

void SampleSpoolWriter::add(const EnergyRow& row) {
  bytes_.push_back(kEnergy);
  put(fold(row.ticks - energy_.ticks));
  put(row.energy_uj);
  put(row.zone);
  energy_ = row;
}

void SampleSpoolWriter::add(std::string_view key, std::string_view value, std::uint64_t handle) {
  bytes_.push_back(kText);
  put(key);
  put(value.substr(0, kLongestText));
  put(handle);
}

Status SampleSpoolWriter::store() {
  for (std::size_t at = 0; at < bytes_.size();) {
    const ssize_t written = ::write(file_.get(), bytes_.data() + at, bytes_.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Error{Errc::io, std::string{"cannot store samples: "} + std::strerror(errno), ""};
    at += static_cast<std::size_t>(written);
  }
  bytes_.clear();
  return {};
}

Result<SampleSpoolReader> SampleSpoolReader::open(const std::filesystem::path& path, const RingFile& ring) {
  Descriptor file{::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)};
  if (!file && (errno == ENOENT || errno == ENOTDIR)) return Error{Errc::not_found, "there are no samples", ""};
  if (!file) return spool_error("open", path);
  SampleSpoolReader reader{std::move(file)};
  SpoolHead header;
  std::uint8_t bytes[sizeof header] = {};
  for (std::uint8_t& value : bytes)
    if (!reader.byte(value)) return Error{Errc::not_found, "there are no samples", ""};
  std::memcpy(&header, bytes, sizeof header);
  if (header != head_of(ring))
    return Error{Errc::not_found, std::string{"'"} + path.string() + "' is of another process than its ring", ""};
  return reader;
}

bool SampleSpoolReader::byte(std::uint8_t& value) {
  if (at_ == bytes_.size()) {
    bytes_.resize(kPiece);
    ssize_t got = 0;
    do got = ::read(file_.get(), bytes_.data(), bytes_.size());
    while (got < 0 && errno == EINTR);
    bytes_.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    at_ = 0;
    if (bytes_.empty()) return false;
  }
  value = bytes_[at_++];
  return true;
}

bool SampleSpoolReader::number(std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    std::uint8_t part = 0;
    if (!byte(part)) return false;
    value |= std::uint64_t{part & 0x7fU} << shift;
    if ((part & 0x80) == 0) return true;
  }
  return fail();
}

bool SampleSpoolReader::text(std::string& value) {
  std::uint64_t length = 0;
  if (!number(length)) return false;
  if (length > kLongestText) return fail();
  value.resize(static_cast<std::size_t>(length));
  for (char& letter : value) {
    std::uint8_t part = 0;
    if (!byte(part)) return false;
    letter = static_cast<char>(part);
  }
  return true;
}

bool SampleSpoolReader::fail() {
  is_damaged_ = true;
  return false;
}

bool SampleSpoolReader::take_stack() {
  std::uint64_t parent = 0, address = 0;
  if (!number(parent) || !number(address)) return false;
  if (parent >= stacks_.size() || stacks_.size() >= kMaxStackRows) return fail();
  stacks_.push_back({static_cast<std::uint32_t>(parent), address});
  return true;
}

bool SampleSpoolReader::take_text() {
  TextRow row;
  if (!text(row.key) || !text(row.value) || !number(row.handle)) return false;
  const auto known = std::ranges::find_if(
      texts_, [&](const TextRow& other) { return other.key == row.key && other.handle == row.handle; });
  if (known != texts_.end())
    known->value = std::move(row.value);
  else if (texts_.size() < kMostTexts)
    texts_.push_back(std::move(row));
  return true;
}

bool SampleSpoolReader::take_sample(Row& row) {
  std::uint64_t difference = 0, thread = 0, stack = 0;
  if (!number(difference) || !number(thread) || !number(stack)) return false;
  if (thread > UINT32_MAX || stack >= stacks_.size()) return fail();
  ticks_ += unfold(difference);
  row = SampleRow{ticks_, static_cast<std::uint32_t>(thread), static_cast<std::uint32_t>(stack)};
  return true;
}

bool SampleSpoolReader::take_interval(Row& row) {
  std::uint64_t difference = 0, thread = 0, count = 0;
  ProcessorRow interval;
  interval.is_ready = tag_ == kReady;
  if (!number(difference) || !number(thread) || !number(interval.length) || !number(interval.ran) || !number(count))
    return false;
  if (thread > UINT32_MAX || count > UINT32_MAX) return fail();
  interval.ticks = off_ticks_ += unfold(difference);
  interval.thread = static_cast<std::uint32_t>(thread);
  interval.count = static_cast<std::uint32_t>(count);
  if (!interval.is_valid()) return fail();
  row = interval;
  return true;
}

bool SampleSpoolReader::take_memory(Row& row) {
  for (const auto number : kMemoryNumbers) {
    std::uint64_t difference = 0;
    if (!this->number(difference)) return false;
    memory_.*number += unfold(difference);
  }
  if (!memory_.is_valid()) return fail();
  row = memory_;
  return true;
}

bool SampleSpoolReader::take_energy(Row& row) {
  std::uint64_t difference = 0, zone = 0;
  if (!number(difference) || !number(energy_.energy_uj) || !number(zone)) return false;
  if (zone >= kMostEnergyZones) return fail();
  energy_.ticks += unfold(difference);
  energy_.zone = static_cast<std::uint32_t>(zone);
  if (!energy_.is_valid()) return fail();
  row = energy_;
  return true;
}

bool SampleSpoolReader::next(Row& row) {
  while (!is_damaged_ && byte(tag_)) {
    if (tag_ == kSample) return take_sample(row);
    if (tag_ == kSlept || tag_ == kReady) return take_interval(row);
    if (tag_ == kMemory) return take_memory(row);
    if (tag_ == kEnergy) return take_energy(row);
    const bool is_taken = tag_ == kStack ? take_stack() : tag_ == kText ? take_text() : fail();
    if (!is_taken) return false;
  }
  return false;
}

}  // namespace meridian
