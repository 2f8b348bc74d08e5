// SPDX-License-Identifier: Apache-2.0
#pragma once

// Messages between process 0 of a merge and those that read rank files for it. After Work::ranks, a request has one byte of
// RankWork; what follows is described there. Ranks are numbered in the order in which the reader has opened them.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "merger/readers/rank_place.hpp"
#include "processes/work.hpp"
#include "trace/format/chunks/state_archive.hpp"
#include "trace/format/rank/rank_archive.hpp"
#include "trace/model/result.hpp"

namespace meridian {

enum class RankWork : std::uint8_t {
  finish,  ///< the directory and a list of notes, texts; answer: a status for each of them
  open,    ///< a list of RankPlace; the answers have an OpenedRank for each of them, kOpenedAtATime in a message
  pieces,  ///< u64 events, u8 whether decoded chunks are kept in an unnamed file, and its directory: for all ranks; no answer
  begin,  ///< u64 stream, u64 rank, u64 segment, u8 whether it is read as one piece; answer: StreamPiece
  next,   ///< u64 stream; answer: StreamPiece
  end,    ///< u64 stream; no answer
};

inline constexpr std::size_t kOpenedAtATime = 64;

/// An Error, or its absence.
template <class Archive>
void archive_status(Archive& archive, Status& status) {
  auto is_error = std::uint8_t{!status};
  archive(is_error);
  if (is_error == 0) return;
  Error error = status ? Error{} : status.error();
  archive(error.code, error.what, error.hint);
  if constexpr (Archive::is_reading) status = std::move(error);
}

struct OpenedRank {
  Status status;
  RankMeta meta;  ///< unless `status` is an error
};
template <class Archive>
void archive_opened(Archive& archive, OpenedRank& opened) {
  archive_status(archive, opened.status);
  if (opened.status) archive_rank_meta(archive, opened.meta);
}

/// The next events of a stream.
struct StreamPiece {
  std::uint64_t stream = 0;
  Status status;
  bool has_flaw = false;
  std::vector<TextRow> new_texts;
};
/// batch  only if the status is no error
template <class Archive>
void archive_piece(Archive& archive, StreamPiece& piece, EventBatch& batch) {
  archive(piece.stream);
  archive_status(archive, piece.status);
  archive_flag(archive, piece.has_flaw);
  archive_texts(archive, piece.new_texts);
  if (piece.status) archive_batch(archive, batch);
}

template <class Archive>
void archive_places(Archive& archive, std::vector<RankPlace>& places) {
  archive_rows(archive, places, 16, [](Archive& to, RankPlace& place) {
    std::string file = place.file.native();
    to(file, place.group);
    place.file = std::move(file);
  });
}

}  // namespace meridian
