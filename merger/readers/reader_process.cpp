// SPDX-License-Identifier: Apache-2.0
#include "merger/readers/reader_process.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "trace/containers/temp_planes.hpp"

namespace meridian {
namespace {

Error strange_request() { return {Errc::damaged, "a request of process 0 of the merge cannot be understood", ""}; }

}  // namespace

Status ReaderProcess::answer(std::span<const std::uint8_t> request) {
  StateReader archive{request};
  RankWork work{};
  archive(work);
  if (!archive.is_good()) return strange_request();
  std::uint64_t stream = 0;
  switch (work) {
    case RankWork::finish:
      return finish(archive);
    case RankWork::open:
      return open(archive);
    case RankWork::pieces:
      return bound(archive);
    case RankWork::begin:
      return begin(archive);
    case RankWork::next:
      archive(stream);
      return archive.is_good() ? read(stream) : Status{strange_request()};
    case RankWork::end:
      archive(stream);
      streams_.erase(stream);
      return {};
  }
  return strange_request();
}

Status ReaderProcess::finish(StateReader& request) {
  std::string directory;
  std::vector<std::string> notes;
  request(directory);
  archive_rows(request, notes, 8, [](StateReader& from, std::string& note) { from(note); });
  if (!request.is_good()) return strange_request();
  StateWriter answer;
  for (const std::string& note : notes) {
    Status status = recover_ ? recover_(note, directory) : Status{Error{Errc::unsupported, "not tried", ""}};
    archive_status(answer, status);
  }
  return processes_.send(0, answer.take());
}

Status ReaderProcess::open(StateReader& request) {
  std::vector<RankPlace> places;
  archive_places(request, places);
  if (!request.is_good()) return strange_request();
  for (std::size_t first = 0; first < places.size(); first += kOpenedAtATime) {
    StateWriter answer;
    for (std::size_t i = first; i < std::min(first + kOpenedAtATime, places.size()); ++i) {
      const Result<RankFile>& file = files_.emplace_back(opener_.open(places[i]));
      OpenedRank opened;
      if (file)
        opened.meta = file->meta();
      else
        opened.status = file.error();
      archive_opened(answer, opened);
    }
    MERIDIAN_TRY_DO(processes_.send(0, answer.take()));
  }
  return {};
}

Status ReaderProcess::bound(StateReader& request) {
  std::uint64_t events = 0;
  std::uint8_t is_stored = 0;
  std::string directory;
  request(events, is_stored, directory);
  if (!request.is_good()) return strange_request();
  std::shared_ptr<PlaneStore> store;
  // Where the file cannot be made, more memory is used.
  if (is_stored != 0)
    if (auto file = TempFile::create(directory)) store = std::make_shared<TempPlanes>(*std::move(file));
  for (Result<RankFile>& file : files_)
    if (file) file->read_by_pieces(static_cast<std::size_t>(events), store);
  return {};
}

Status ReaderProcess::begin(StateReader& request) {
  std::uint64_t number = 0, rank = 0, segment = 0;
  std::uint8_t is_whole = 0;
  request(number, rank, segment, is_whole);
  if (!request.is_good() || rank >= files_.size() || !files_[rank] || segment >= files_[rank]->meta().segments.size())
    return strange_request();
  streams_[number] = {static_cast<std::size_t>(rank), static_cast<std::size_t>(segment), is_whole != 0,
                      files_[rank]->pieces(static_cast<std::size_t>(segment))};
  return read(number);
}

Status ReaderProcess::read(std::uint64_t number) {
  const auto found = streams_.find(number);
  if (found == streams_.end()) return strange_request();
  Stream& stream = found->second;
  RankFile& file = *files_[stream.rank];
  const std::size_t flaws = file.flaws(), texts = file.meta().texts.size();
  StreamPiece piece;
  piece.stream = number;
  piece.status = stream.is_whole ? file.read(stream.segment, batch_) : file.read(stream.pieces, batch_);
  piece.has_flaw = file.flaws() != flaws;
  piece.new_texts.assign(file.meta().texts.begin() + static_cast<std::ptrdiff_t>(texts), file.meta().texts.end());
  if (!piece.status || stream.is_whole || stream.pieces.left() == 0) streams_.erase(found);
  StateWriter answer;
  archive_piece(answer, piece, batch_);
  return processes_.send(0, answer.take());
}

}  // namespace meridian
