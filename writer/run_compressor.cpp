// SPDX-License-Identifier: Apache-2.0
#include "writer/run_compressor.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <utility>

#include "trace/format/chunks/chunk_codec.hpp"
#include "trace/format/chunks/chunk_log.hpp"
#include "trace/format/rank/rank_file.hpp"
#include "trace/records/finish/places.hpp"
#include "trace/records/finish/rank_checkpoint.hpp"
#include "trace/records/profile/rank_events.hpp"
#include "trace/records/record_decoder.hpp"

namespace meridian {
namespace {

constexpr std::uint64_t kLeastBytes = std::uint64_t{4} << 20;  // of a spool between checkpoints
// Of a profile, before its spool is converted in any case: nothing is compressed, so that there is less to put off.
constexpr std::uint64_t kMostOfProfile = std::uint64_t{8} << 20;
constexpr std::uint64_t kPartBytes = std::uint64_t{1} << 20;  // converted between two looks at the ring
// A checkpoint grows with the run, slowly: at most this part of all written bytes is checkpoints.
constexpr std::uint64_t kBytesPerStateByte = 8;
constexpr std::uint64_t kBetweenMomentsNs = 4'000'000'000;  // at which all writers of a host convert what they have
constexpr std::uint64_t kBetweenIdleLooksNs = 20'000'000;

std::uint64_t most_bytes_of(const RingFile& ring) {
  if (ring.header().is_recorder()) return kMostOfProfile;  // KeptPart has the limits; MERIDIAN_SPOOL may be 0
  const std::uint64_t half = ring.header().spool_bytes / 2;
  return ring.header().is_profile != 0 ? std::min(half, kMostOfProfile) : half;
}

}  // namespace

struct RunCompressor::Run {
  Run(const RingFile& ring, RankPieces places, ChunkLogWriter log)
      : pieces{std::move(places)},
        chunks{std::move(log)},
        encoder{RankFileWriter::into_log(chunks)},
        events{ring, meta, encoder},
        decoder{ring.geometry().slot_count, ring.geometry().block_bytes, meta,
                [this](ThreadId thread, const EventBatch& batch) { return events.append(thread, batch); }} {}

  RankPieces pieces;
  ChunkLogWriter chunks;
  RankMeta meta;
  RankFileWriter encoder;
  RankEvents events;
  RecordDecoder decoder;
  std::uint64_t number = 0;  // of the last checkpoint
};

RunCompressor::RunCompressor(RingFile& ring, HasIdleProcessor has_idle)
    : ring_{ring},
      has_idle_{has_idle},
      most_{has_own_deflate() ? most_bytes_of(ring) : 0},
      least_{std::min(most_, kLeastBytes)},
      kept_{ring.header()} {}

RunCompressor::~RunCompressor() = default;

template <class Step>
void RunCompressor::attempt(Step&& step) {
  if (most_ == 0) return;
  bool is_done = false;
  try {
    is_done = static_cast<bool>(step());
  } catch (const std::exception&) {  // out of memory: the spool remains
  }
  if (is_done) return;
  most_ = 0;
  run_.reset();
}

bool RunCompressor::can_convert() const {
  return most_ != 0 && (run_ || (!ring_.output_dir().empty() && ring_.world_rank() >= 0));
}

bool RunCompressor::is_time(const SpoolWriter& spool, std::uint64_t now_ns) {
  if (kept_.is_on()) {
    if (surplus_ == 0) {
      surplus_ = kept_.surplus(spool.bytes(), now_ns);
      surplus_ -= std::min<std::uint64_t>(
          surplus_, ring_.geometry().block_bytes + sizeof(SpoolSegment));  // segments go as a whole
    }
    return surplus_ != 0;
  }
  const std::uint64_t moment = now_ns / kBetweenMomentsNs;
  const bool is_moment = moment != std::exchange(moment_, moment);
  if (spool.bytes() >= most_ || (is_moment && spool.bytes() >= most_ / 2)) is_due_ = true;
  if (is_due_) return true;
  if (spool.bytes() < least_ || now_ns < look_ns_) return false;
  if (has_idle_()) return true;
  look_ns_ = now_ns + kBetweenIdleLooksNs;
  return false;
}

bool RunCompressor::run(SpoolWriter& spool, std::uint64_t now_ns) {
  if (!can_convert() || !is_time(spool, now_ns)) return false;
  attempt([&] { return advance(spool); });
  return true;
}

void RunCompressor::settle(SpoolWriter& spool) {
  attempt([&]() -> Status {
    if (!run_ || spool.bytes() == 0 || kept_.is_on()) return {};
    MERIDIAN_TRY_DO(convert(spool, spool.bytes()));
    return commit(spool);
  });
}

// Beyond twice the limit the program waits for room in its ring instead.
Status RunCompressor::advance(SpoolWriter& spool) {
  if (!run_) MERIDIAN_TRY_DO(begin());
  if (kept_.is_on()) return drop(spool);
  MERIDIAN_TRY_DO(convert(spool, spool.bytes() < 2 * most_ ? kPartBytes : spool.bytes()));
  return converted_ == spool.bytes() ? commit(spool) : Status{};
}

Status RunCompressor::drop(SpoolWriter& spool) {
  MERIDIAN_TRY_DO(convert(spool, std::min(kPartBytes, surplus_ - std::min(surplus_, converted_))));
  return converted_ >= surplus_ ? commit(spool) : Status{};
}

Status RunCompressor::begin() {
  RankPieces pieces = pieces_of(ring_.path(), ring_.output_dir(), ring_.world_rank());
  std::error_code problem;
  if (std::filesystem::exists(std::filesystem::symlink_status(pieces.checkpoint, problem)))
    return Error{Errc::io, "cannot create '" + pieces.checkpoint.string() + "': it exists", ""};
  MERIDIAN_TRY(ChunkLogWriter chunks, ChunkLogWriter::create(pieces.chunks));
  run_ = std::make_unique<Run>(ring_, std::move(pieces), std::move(chunks));
  return {};
}

Status RunCompressor::convert(const SpoolWriter& spool, std::uint64_t most_bytes) {
  MERIDIAN_TRY(SpoolReader reader, SpoolReader::open(spool.path(), ring_.geometry(), converted_));
  const std::uint64_t end = std::min(spool.bytes(), converted_ + most_bytes);
  SpoolReader::Segment segment;
  while (converted_ < end && reader.next(segment)) {
    MERIDIAN_TRY_DO(run_->decoder.feed(segment.slot, segment.position, segment.words));
    converted_ = reader.position();
  }
  if (converted_ < end && reader.status()) return Error{Errc::damaged, "the spool is damaged", spool.path().string()};
  return reader.status();
}

// In this order: chunks are written; checkpoint in place; ring informed; spool empty, or shorter. Nothing is synced: a crash of the
// machine loses the ring, too.
Status RunCompressor::commit(SpoolWriter& spool) {
  StateWriter state;
  run_->decoder.save(state);
  run_->events.save(state);
  const std::uint64_t state_bytes = state.bytes().size(), chunk_bytes = run_->chunks.bytes();
  MERIDIAN_TRY_DO(write_checkpoint(run_->pieces.checkpoint, ring_, {run_->number + 1, chunk_bytes, state.take()}));
  ++run_->number;
  ring_.shared_header().compressed_bytes.store(chunk_bytes + state_bytes, std::memory_order_relaxed);
  ring_.shared_header().compressions.store(run_->number, std::memory_order_release);
  least_ = std::min(std::max(kLeastBytes, kBytesPerStateByte * state_bytes), most_);
  if (kept_.is_on()) {
    MERIDIAN_TRY_DO(spool.drop_before(converted_));
    kept_.drop(converted_);
    surplus_ = 0;
  } else {
    MERIDIAN_TRY_DO(spool.restart());
  }
  converted_ = 0;
  is_due_ = false;
  return {};
}

}  // namespace meridian
