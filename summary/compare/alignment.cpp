// SPDX-License-Identifier: Apache-2.0
#include "summary/compare/alignment.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace meridian {
namespace {

using Key = std::tuple<Subject, std::string, std::string, std::string, std::string>;

/// "halo.c" and 70 of "halo.c:70"; "app" and 0x1234 of "app+0x1234".
std::pair<std::string, std::uint64_t> file_and_position(const std::string& place) {
  const std::size_t mark = place.find_last_of(":+");
  if (mark == std::string::npos) return {place, 0};
  const bool is_offset = place.compare(mark, 3, "+0x") == 0;
  const char* const begin = place.data() + mark + (is_offset ? 3 : 1);
  std::uint64_t position = 0;
  const auto [end, problem] = std::from_chars(begin, place.data() + place.size(), position, is_offset ? 16 : 10);
  if (problem != std::errc{} || end != place.data() + place.size()) return {place, 0};
  return {place.substr(0, mark), position};
}

Key exact_key(const ProfileItem& item) { return {item.subject, item.name, item.function, item.caller, item.place}; }

/// Without the position.
Key loose_key(const ProfileItem& item) {
  return {item.subject, item.name, item.function, item.caller, file_and_position(item.place).first};
}

class Aligner {
 public:
  explicit Aligner(std::size_t runs) : runs_{runs} {}

  void add(std::size_t run, const RunProfile& profile) {
    std::map<Key, std::vector<const ProfileItem*>> left;
    for (const ProfileItem& item : profile.items) {
      const auto known = rows_.find(exact_key(item));
      if (known != rows_.end())
        take(run, known->second, item);
      else
        left[loose_key(item)].push_back(&item);
    }
    std::map<Key, std::vector<std::size_t>> free;
    for (std::size_t row = 0; row < items_.size(); ++row)
      if (items_[row].of_runs[run] == nullptr) free[loose_key(*items_[row].latest)].push_back(row);
    for (auto& [key, unknown] : left) {
      std::vector<std::size_t>& candidates = free[key];
      const bool are_moved = candidates.size() == unknown.size();
      std::ranges::stable_sort(unknown, {},
                               [](const ProfileItem* item) { return file_and_position(item->place).second; });
      std::ranges::stable_sort(candidates, {},
                               [this](std::size_t row) { return file_and_position(items_[row].latest->place).second; });
      for (std::size_t i = 0; i < unknown.size(); ++i)
        take(run, are_moved ? candidates[i] : items_.size(), *unknown[i]);
    }
  }

  std::vector<AlignedItem> result() { return std::move(items_); }

 private:
  void take(std::size_t run, std::size_t row, const ProfileItem& item) {
    if (row == items_.size()) items_.push_back({.latest = nullptr, .of_runs = std::vector<const ProfileItem*>(runs_)});
    items_[row].latest = &item;
    items_[row].of_runs[run] = &item;
    rows_.try_emplace(exact_key(item), row);
  }

  std::size_t runs_;
  std::vector<AlignedItem> items_;
  std::map<Key, std::size_t> rows_;  // all places that an item has had
};

}  // namespace

std::vector<AlignedItem> align_items(std::span<const RunProfile* const> runs) {
  Aligner aligner{runs.size()};
  for (std::size_t run = 0; run < runs.size(); ++run) aligner.add(run, *runs[run]);
  return aligner.result();
}

}  // namespace meridian
