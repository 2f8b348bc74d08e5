// SPDX-License-Identifier: Apache-2.0
#include "merged/user_value_reader.hpp"

namespace meridian {

Result<UserValueReader> UserValueReader::open(hid_t file, std::uint64_t events) {
  UserValueReader reader;
  if (!h5::exists(file, kUserValues)) return reader;
  MERIDIAN_TRY(reader.links_, LinkTable::open_user_values(file, events));
  MERIDIAN_TRY(reader.rows_, LongTableReader<StoredWord>::open(file, kUserValues, kUserValueColumns));
  if (reader.rows_->size() != reader.links_->size())
    return damaged_merged("columns of values of user events differ in length");
  return reader;
}

Status UserValueReader::read(std::uint64_t first, std::uint64_t last, std::vector<EventWord>& words) {
  if (!links_) return {};
  MERIDIAN_TRY(std::uint64_t number, links_->lower_bound(0, first));
  for (; number < links_->size(); ++number) {
    MERIDIAN_TRY(const LinkTable::Ends ends, links_->ends(number));
    if (ends[0] < first) return damaged_merged("values of user events are out of order");
    if (ends[0] >= last) break;
    first = ends[0];
    MERIDIAN_TRY(const StoredWord* const row, rows_->at(number));
    words.push_back({ends[0], static_cast<std::uint64_t>(row->word)});
  }
  return {};
}

}  // namespace meridian
