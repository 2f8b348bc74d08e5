// hot
// SPDX-License-Identifier: Apache-2.0
#include "pmpi/rings/small.hpp"

namespace meridian {

void leave_changed_call(ThreadState& thread, std::uint64_t* at, std::uint64_t header, std::uint64_t body) noexcept {
  LearnedCalls& learned = *thread.learned;
  std::uint64_t* const words = at + words_of<RecordHead>;
  if (&learned == &g_nothing_learned || body > LearnedCalls::kMostWords) {
    store_release(at[0], header);
    return leave_call(thread, at, words_in(header));
  }
  const LearnedCalls::Key key{header, (header & std::uint64_t{kFlagSite} << 24) != 0 ? words[body] : 0};
  const std::size_t entry = find_learned(learned.keys, key);
  std::uint64_t* const known = learned.bodies[entry];
  const std::uint64_t pause = at[1] - thread.last_leave;
  const std::uint64_t duration = at[2] - at[1];
  if (!(learned.keys[entry] == key) || (pause | duration) >> kSmallTickBits != 0) {
    learned.keys[entry] = key;
    for (std::uint64_t i = 0; i < body; ++i) known[i] = words[i];
    store_release(at[0], header | kLearnedRecord);
    return leave_call(thread, at, words_in(header));
  }
  std::uint64_t mask = 0;
  for (std::uint64_t i = 0; i < body; ++i) mask |= std::uint64_t{words[i] != known[i]} << i;
  const bool is_long = body > kSmallMaskBits;
  const std::uint64_t word = small_word(entry, is_long ? mask != 0 : mask, pause, duration);
  const std::uint64_t leave = at[2];
  store_release(at[0], word | kSmallPart);
  std::uint64_t* next = at + 1;
  if (is_long && mask != 0) store_release(*next++, mask);
  for (; mask != 0; mask &= mask - 1) {  // a word is stored before or where it was read
    const auto i = static_cast<std::uint64_t>(__builtin_ctzll(mask));
    known[i] = words[i];
    store_release(*next++, known[i]);
  }
  thread.last_leave = leave;
  store_release(at[0], word);
  commit(thread, at, static_cast<std::uint64_t>(next - at));
}

}  // namespace meridian
