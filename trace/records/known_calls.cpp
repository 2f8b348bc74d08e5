// SPDX-License-Identifier: Apache-2.0
#include "trace/records/known_calls.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace meridian {
namespace {

constexpr std::uint8_t kKnownFlags = kFlagSite;

// Words of the body of a whole record with this header; nullopt: it cannot be in the table.
std::optional<std::size_t> words_of_body(std::uint64_t header_word) noexcept {
  const auto header = std::bit_cast<RecordHeader>(header_word);
  if (header.call == 0 || (header.flags & ~kKnownFlags) != 0 || !is_call(static_cast<Payload>(header.payload)))
    return std::nullopt;
  const std::size_t others = kHeadWords + ((header.flags & kFlagSite) != 0 ? 1 : 0);
  if (header.words < others || header.words - others > LearnedCalls::kMostWords) return std::nullopt;
  return header.words - others;
}

}  // namespace

void KnownCalls::clear() noexcept {
  if (!is_empty_) {
    std::ranges::fill(calls_->keys, LearnedCalls::Key{});
    std::ranges::fill(prepared_, Prepared{});
  }
  is_empty_ = true;
}

void KnownCalls::make() {
  if (calls_) return;
  prepared_.resize(LearnedCalls::kEntries);
  calls_ = std::make_unique<LearnedCalls>();
}

bool KnownCalls::see(std::span<const std::uint64_t> record) {
  if ((record.front() & kLearnedRecord) == 0) return true;
  const std::uint64_t header = record.front() & ~kLearnedRecord;
  const auto body = words_of_body(header);
  if (!body) return false;
  make();
  const LearnedCalls::Key key{header, (header >> 24 & kFlagSite) != 0 ? record.back() : 0};
  const std::size_t entry = find_learned(calls_->keys, key);
  calls_->keys[entry] = key;
  prepared_[entry].is_ready = false;
  std::ranges::copy(record.subspan(kHeadWords, *body), calls_->bodies[entry]);
  is_empty_ = false;
  return true;
}

std::optional<KnownCalls::Call> KnownCalls::take(std::span<const std::uint64_t> words, std::uint64_t last_ticks) {
  const std::uint64_t word = words.front();
  const std::size_t entry = small_entry(word);
  if (is_empty_ || calls_->keys[entry].header == 0) return std::nullopt;
  const LearnedCalls::Key& key = calls_->keys[entry];
  const auto header = std::bit_cast<RecordHeader>(key.header);
  const std::size_t body = header.words - kHeadWords - ((header.flags & kFlagSite) != 0 ? 1 : 0);
  const std::uint64_t enter = last_ticks + small_pause(word);
  Call call{.words = 1,
            .head = {header, enter, enter + small_duration(word)},
            .body = {calls_->bodies[entry], body},
            .site = key.site,
            .is_part = (word & kSmallPart) != 0};
  if (!call.is_part) call.words = change(entry, body, words);
  return call.words != 0 ? std::optional{call} : std::nullopt;
}

std::size_t KnownCalls::change(std::size_t entry, std::size_t body, std::span<const std::uint64_t> words) noexcept {
  std::uint64_t mask = small_mask(words.front());
  std::size_t taken = 1;
  if (mask == 0) return taken;
  if (body > kSmallMaskBits) {
    if (mask != 1 || words.size() < 2) return 0;
    mask = words[taken++];
  }
  if (body < 64 && mask >> body != 0) return 0;
  if (words.size() - taken < static_cast<std::size_t>(std::popcount(mask))) return 0;
  for (; mask != 0; mask &= mask - 1) calls_->bodies[entry][std::countr_zero(mask)] = words[taken++];
  return taken;
}

Cut KnownCalls::cut(std::span<const std::uint64_t> words, std::uint64_t block_left, std::uint64_t last_ticks) {
  if (!is_small(words.front())) {
    const Cut whole = cut_record(words, block_left);
    if (whole.kind != Cut::Kind::record) return whole;
    if (whole.record.payload() == Payload::thread || whole.record.has(kFlagAbandoned)) clear();
    return see(whole.record.words) ? whole : Cut{};
  }
  const auto call = take(words.first(std::min<std::size_t>(words.size(), block_left)), last_ticks);
  if (!call || call->is_part) return {};
  whole_.resize(kHeadWords);
  whole_.insert(whole_.end(), call->body.begin(), call->body.end());
  if ((call->head.header.flags & kFlagSite) != 0) whole_.push_back(call->site);
  whole_[0] = std::bit_cast<std::uint64_t>(call->head.header);
  whole_[1] = call->head.enter_ticks;
  whole_[2] = call->head.leave_ticks;
  return {.kind = Cut::Kind::record, .words = call->words, .record = {call->head, whole_}};
}

// The used entries: number, header, site, body of each.
std::vector<std::uint64_t> KnownCalls::state() const {
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; !is_empty_ && i < LearnedCalls::kEntries; ++i) {
    const LearnedCalls::Key& key = calls_->keys[i];
    if (key.header == 0) continue;
    words.insert(words.end(), {i, key.header, key.site});
    const std::size_t body = words_of_body(key.header).value_or(0);
    std::copy_n(calls_->bodies[i], body, std::back_inserter(words));
  }
  return words;
}

bool KnownCalls::restore(std::span<const std::uint64_t> state) {
  constexpr std::size_t kBeforeBody = 3;
  while (!state.empty()) {
    if (state.size() < kBeforeBody || state[0] >= LearnedCalls::kEntries) return false;
    const auto body = words_of_body(state[1]);
    if (!body || state.size() - kBeforeBody < *body) return false;
    make();
    calls_->keys[state[0]] = {state[1], state[2]};
    std::ranges::copy(state.subspan(kBeforeBody, *body), calls_->bodies[state[0]]);
    is_empty_ = false;
    state = state.subspan(kBeforeBody + *body);
  }
  return true;
}

}  // namespace meridian
