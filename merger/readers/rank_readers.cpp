// SPDX-License-Identifier: Apache-2.0
#include "merger/readers/rank_readers.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "trace/format/rank/distant_rank.hpp"

namespace meridian {
namespace {

StateWriter request_of(RankWork work) {
  StateWriter request;
  request(Work::ranks, work);
  return request;
}

Error strange_answer(int process) {
  return {Errc::damaged, "an answer of process " + std::to_string(process) + " of the merge cannot be understood", ""};
}

/// The places of one process: as many as of the others, and next to each other.
std::span<const RankPlace> part_of(std::span<const RankPlace> places, int process, int processes) {
  const auto at = [&](int i) {
    return places.size() * static_cast<std::size_t>(i) / static_cast<std::size_t>(processes);
  };
  return places.subspan(at(process), at(process + 1) - at(process));
}

}  // namespace

class RankReaders::Rank : public DistantRank {
 public:
  Rank(RankReaders& readers, int process, std::uint64_t number)
      : readers_{readers}, process_{process}, number_{number} {}
  ~Rank() override {
    for (const auto& [segment, stream] : announced_) end(stream);
  }

  void read_by_pieces(std::size_t events, bool is_stored) override {
    readers_.read_by_pieces(process_, events, is_stored);
  }
  void announce(std::size_t segment) override {
    if (!announced_.contains(segment)) announced_[segment] = start(segment, false);
  }
  std::uint64_t begin(std::size_t segment, bool is_whole) override {
    const auto found = is_whole ? announced_.end() : announced_.find(segment);
    if (found == announced_.end()) return start(segment, is_whole);
    const std::uint64_t stream = found->second;
    announced_.erase(found);
    return stream;
  }
  Piece read(std::uint64_t stream, std::uint64_t left, EventBatch& batch) override {
    const auto answer = readers_.answer(process_, stream);
    if (!answer) return {answer.error(), false, {}};
    StateReader archive{*answer};
    StreamPiece piece;
    archive_piece(archive, piece, batch);
    const std::size_t events = batch.payload.size();
    if (!archive.is_good() || (piece.status && (events == 0 || events > left))) {
      if (readers_.status_) readers_.status_ = strange_answer(process_);
      return {readers_.status_, false, {}};
    }
    if (piece.status && events < left) {  // read while these are looked at
      StateWriter request = request_of(RankWork::next);
      request(stream);
      readers_.ask_for_piece(process_, stream, std::move(request));
    }
    return {std::move(piece.status), piece.has_flaw, std::move(piece.new_texts)};
  }
  void end(std::uint64_t stream) override { readers_.give_up(process_, stream); }

 private:
  std::uint64_t start(std::size_t segment, bool is_whole) {
    const std::uint64_t stream = readers_.streams_++;
    StateWriter request = request_of(RankWork::begin);
    request(stream, number_, std::uint64_t{segment}, std::uint8_t{is_whole});
    readers_.ask_for_piece(process_, stream, std::move(request));
    return stream;
  }

  RankReaders& readers_;
  int process_;
  std::uint64_t number_;                            // of the rank in that process
  std::map<std::size_t, std::uint64_t> announced_;  // [segment]: its stream
};

RankReaders::RankReaders(Processes& processes, std::filesystem::path scratch)
    : processes_{processes}, scratch_{std::move(scratch)}, readers_(static_cast<std::size_t>(processes.count())) {}

Result<std::vector<Status>> RankReaders::finish(const std::filesystem::path& directory,
                                                std::span<const std::filesystem::path> notes) {
  std::vector<std::string> names;
  for (const std::filesystem::path& note : notes) names.push_back(note.native());
  for (int process = 1; process < processes_.count(); ++process) {
    StateWriter request = request_of(RankWork::finish);
    request(directory.native());
    archive_rows(request, names, 8, [](StateWriter& to, std::string& name) { to(name); });
    ask(process, std::move(request));
  }
  std::vector<Status> results(notes.size());
  std::vector<bool> are_done(notes.size());
  for (int process = 1; process < processes_.count(); ++process) {
    if (!status_) return status_.error();
    MERIDIAN_TRY(const Message answer, processes_.receive(process));
    StateReader archive{answer};
    for (std::size_t i = 0; i < notes.size(); ++i) {
      Status status;
      archive_status(archive, status);
      if (!archive.is_good()) return strange_answer(process);
      are_done[i] = are_done[i] || status;
      if (are_done[i])
        results[i] = {};
      else if (results[i] || status.error().code != Errc::invalid_argument)  // that code: not the rank's node
        results[i] = std::move(status);
    }
  }
  return results;
}

Result<std::vector<Result<RankFile>>> RankReaders::open(std::span<const RankPlace> places) {
  const int count = processes_.count();
  for (int process = 1; process < count; ++process) {
    const std::span part = part_of(places, process, count);
    std::vector<RankPlace> list{part.begin(), part.end()};
    if (list.empty()) continue;
    StateWriter request = request_of(RankWork::open);
    archive_places(request, list);
    ask(process, std::move(request));
  }
  std::vector<Result<RankFile>> files;
  files.reserve(places.size());
  PlaceOpener opener;
  for (const RankPlace& place : part_of(places, 0, count)) files.push_back(opener.open(place));
  for (int process = 1; process < count; ++process) {
    Reader& reader = readers_[static_cast<std::size_t>(process)];
    const std::span part = part_of(places, process, count);
    for (std::size_t first = 0; first < part.size(); first += kOpenedAtATime) {
      if (!status_) return status_.error();
      MERIDIAN_TRY(const Message answer, processes_.receive(process));
      StateReader archive{answer};
      for (const RankPlace& place : part.subspan(first, std::min(kOpenedAtATime, part.size() - first))) {
        OpenedRank opened;
        archive_opened(archive, opened);
        if (!archive.is_good()) return strange_answer(process);
        const std::uint64_t number = reader.ranks++;
        if (opened.status) {
          files.push_back(RankFile::at(std::move(opened.meta), std::make_unique<Rank>(*this, process, number)));
          continue;
        }
        std::error_code ignored;
        if (opened.status.error().code == Errc::not_found && std::filesystem::exists(place.file, ignored))
          return Error{
              Errc::not_found,
              "process " + std::to_string(process) + " of the merge does not see '" + place.file.string() + "'",
              "merge where all processes see the same file system, or run `meridian merge` alone"};
        files.push_back(std::move(opened.status).error());
      }
    }
  }
  return files;
}

void RankReaders::ask(int process, StateWriter request) {
  if (!status_) return;
  if (Status sent = processes_.send(process, request.take()); !sent) status_ = std::move(sent);
}

void RankReaders::ask_for_piece(int process, std::uint64_t stream, StateWriter request) {
  readers_[static_cast<std::size_t>(process)].answers.try_emplace(stream);
  ask(process, std::move(request));
}

void RankReaders::read_by_pieces(int process, std::size_t events, bool is_stored) {
  Reader& reader = readers_[static_cast<std::size_t>(process)];
  if (reader.piece_events == events) return;
  reader.piece_events = events;
  StateWriter request = request_of(RankWork::pieces);
  request(std::uint64_t{events}, std::uint8_t{is_stored}, scratch_.native());
  ask(process, std::move(request));
}

Result<Message> RankReaders::answer(int process, std::uint64_t stream) {
  auto& answers = readers_[static_cast<std::size_t>(process)].answers;
  const auto asked = answers.find(stream);
  MERIDIAN_CHECK(asked != answers.end());
  while (!asked->second && status_) {
    auto message = processes_.receive(process);
    if (!message) {
      status_ = std::move(message).error();
      break;
    }
    std::uint64_t number = 0;
    StateReader{*message}(number);
    const auto to = answers.find(number);
    if (to == answers.end() || to->second)
      status_ = strange_answer(process);
    else
      to->second = *std::move(message);
  }
  auto done = answers.extract(asked);
  if (!done.mapped()) return status_.error();
  return *std::move(done.mapped());
}

void RankReaders::give_up(int process, std::uint64_t stream) {
  // Its next piece is on its way, and would stay among the answers.
  (void)bool{answer(process, stream)};
  StateWriter request = request_of(RankWork::end);
  request(stream);
  ask(process, std::move(request));
}

}  // namespace meridian
