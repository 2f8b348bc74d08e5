// SPDX-License-Identifier: Apache-2.0
#pragma once

// From the words of a ring to the tables of a rank file.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "trace/format/rank_file.hpp"

namespace meridian {

class StateReader;
class StateWriter;

/// Decodes the streams of all slots of one ring, each fed in order. Calls go in batches of one thread to the sink;
/// everything else into RankMeta. An invalid record ends its slot's stream: what follows it could be matched
/// wrongly, which is worse than missing. Each such end counts one in damaged(). Memory is bounded: a batch is handed
/// over when it is long, or when many slots hold many events together.
class RecordDecoder {
 public:
  using Sink = std::function<Status(ThreadId, const EventBatch&)>;

  /// Events in a batch, unless one more would tear a call apart.
  static constexpr std::size_t kSegmentEvents = 16384;
  /// Completions of one call that are kept; further ones are dropped and counted as damage.
  static constexpr std::size_t kMaxCompletions = std::size_t{1} << 21;

  RecordDecoder(std::uint32_t slot_count, std::uint64_t block_bytes, RankMeta& meta, Sink sink);
  ~RecordDecoder();

  /// Takes whole records of a slot, from stream position `position` on. A part that was fed before is skipped; a gap
  /// ends the stream as damaged. errors: those of the sink.
  Status feed(std::uint32_t slot, std::uint64_t position, std::span<const std::uint64_t> words);

  /// Takes the words at a slot's end behind the last complete record: the call under way, if there is one. It becomes
  /// an event with kFlagUnfinished. Its completions have only their requests (bytes: kNotKnown).
  Status feed_unfinished(std::uint32_t slot, std::span<const std::uint64_t> words);

  /// Hands over what is left, and puts the tables of RankMeta in an order that does not depend on when rings were
  /// drained.
  Status finish();

  /// Saves the state of decoding, with the tables of RankMeta. Before finish().
  void save(StateWriter& archive) const;
  /// For a new decoder of the same ring. False: the state is damaged, and this decoder is of no use.
  bool restore(StateReader& archive);

  /// Stream position behind what was fed.
  std::uint64_t position(std::uint32_t slot) const;
  bool is_stopped(std::uint32_t slot) const;
  /// Calls decoded so far, and ends of streams by damage.
  std::uint64_t events() const noexcept { return events_; }
  std::uint64_t damaged() const noexcept { return damaged_; }

 private:
  struct Record;
  struct Slot;
  Slot& slot_at(std::uint32_t index);
  void stop(Slot& slot);
  template <class Archive>
  static void archive_slot(Archive& archive, Slot& slot);
  bool can_be(const Slot& slot) const;
  Status decode(Slot& slot, const Record& record, bool& is_valid);
  Status decode_call(Slot& slot, const Record& record, bool& is_valid);
  bool decode_other(Slot& slot, const Record& record);
  bool take_members(Slot& slot, const Record& record);
  void take_user_definitions();
  bool take_text(Slot& slot, const Record& record);
  bool take_stack(Slot& slot, const Record& record);
  static bool is_site(const Slot& slot, std::uint64_t word);
  static void take_site(Slot& slot, std::uint64_t word);
  void take_birth(Slot& slot, const Record& record, const CommBirth& birth);
  bool take_fixed_part(Slot& slot, const Record& record);
  void take_counters(Slot& slot, std::span<const std::uint64_t> words);
  void take_completions(Slot& slot, const Record& record, std::span<const std::uint64_t> words, bool is_known);
  Status begin_event(Slot& slot, const Record& record);
  Status flush(Slot& slot);

  std::uint64_t block_bytes_;
  RankMeta& meta_;
  Sink sink_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> stack_rows_;  // by parent's row and address
  std::size_t pending_ = 0;                                                      // events in all batches
  std::uint64_t events_ = 0;
  std::uint64_t damaged_ = 0;
};

}  // namespace meridian
