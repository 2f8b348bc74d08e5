// SPDX-License-Identifier: Apache-2.0
// The sums as tables of the rank file, and as a state to go on from.

#include <algorithm>
#include <map>
#include <tuple>

#include "trace/model/log_ranges.hpp"
#include "trace/records/profile/call_profile.hpp"

namespace meridian {

RankProfile CallProfile::rows() const {
  RankProfile profile{.calls = rows_, .peers = peers_, .times = {}, .sizes = {}};
  std::ranges::sort(profile.calls, {}, [](const ProfileCallRow& row) {
    return std::tuple{row.call, row.thread, row.site, row.node, row.comm, row.seen_ticks};
  });
  std::ranges::sort(profile.peers, {}, [](const ProfilePeerRow& row) {
    return std::tuple{row.comm, row.seen_ticks, row.peer};
  });
  for (const auto& [call, counts] : std::map{times_.begin(), times_.end()})
    for (std::uint32_t range = 0; range < counts.size(); ++range)
      if (counts[range] != 0) profile.times.push_back({call, range, counts[range]});
  for (const auto& [call, classes] : std::map{sizes_.begin(), sizes_.end()})
    for (std::uint32_t number = 0; number < classes.size(); ++number)
      if (classes[number].count != 0)
        profile.sizes.push_back({call, number, classes[number].count, classes[number].bytes});
  return profile;
}

DroppedPart CallProfile::dropped() const {
  DroppedPart part = channels_.rows(meta_);
  for (const ProfileRequest& request : requests_.live()) {
    if (request.comm >= meta_.comms.size()) continue;
    part.requests.push_back({.request = request.handle,
                             .call = request.call,
                             .thread = request.thread,
                             .comm = meta_.comms[request.comm].birth.comm,
                             .made_ticks = request.seen_ticks,
                             .peer = request.peer,
                             .tag = request.tag,
                             .bytes = request.bytes,
                             .root = request.part.root,
                             .send_bytes = request.part.send_bytes,
                             .receive_bytes = request.part.receive_bytes,
                             .series = request.series,
                             .started = request.started});
  }
  std::ranges::stable_sort(part.requests, {}, &OpenRequestRow::made_ticks);
  return part;
}

void CallProfile::save(StateWriter& archive) const {
  const RankProfile profile = rows();
  archive(calls_, rows_, row_comms_, row_made_, peers_, peer_comms_, profile.times, profile.sizes);
  std::vector<std::uint64_t> made;
  for (const auto& [handle, count] : std::map{made_.begin(), made_.end()}) made.insert(made.end(), {handle, count});
  archive(made);
  requests_.save(archive);
  found_.save(archive);
  channels_.save(archive);
}

bool CallProfile::restore(StateReader& archive) {
  RankProfile profile;
  archive(calls_, rows_, row_comms_, row_made_, peers_, peer_comms_, profile.times, profile.sizes);
  std::vector<std::uint64_t> made;
  archive(made);
  requests_.restore(archive);
  found_.restore(archive);
  if (!channels_.restore(archive, meta_.comms.size())) return false;
  for (std::size_t i = 0; i + 1 < made.size(); i += 2) made_[made[i]] = static_cast<std::uint32_t>(made[i + 1]);
  if (!archive.is_good() || rows_.size() != row_comms_.size() || rows_.size() != row_made_.size() ||
      peers_.size() != peer_comms_.size())
    return false;
  const auto is_comm = [&](std::uint32_t comm) { return comm == kNoBirth || comm < meta_.comms.size(); };
  if (!std::ranges::all_of(row_comms_, is_comm) || !std::ranges::all_of(peer_comms_, is_comm)) return false;
  for (std::uint32_t i = 0; i < rows_.size(); ++i)
    by_key_.set(
        {rows_[i].site, rows_[i].thread, rows_[i].node, row_comms_[i], rows_[i].call, rows_[i].object, row_made_[i]},
        i);
  for (std::uint32_t i = 0; i < peers_.size(); ++i) by_peer_.set({peer_comms_[i], peers_[i].peer}, i);
  for (const ProfileTimeRow& row : profile.times) {
    if (row.range >= LogRanges::kCount) return false;
    std::vector<std::uint64_t>& times = times_[row.call];
    times.resize(LogRanges::kCount);
    times[row.range] = row.count;
  }
  for (const ProfileSizeRow& row : profile.sizes) {
    if (row.size_class > 64) return false;
    sizes_[row.call][row.size_class] = {row.count, row.bytes};
  }
  return true;
}

}  // namespace meridian
