// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include "trace/format/rank/distant_rank.hpp"
#include "trace/format/rank/rank_source.hpp"
#include "trace/format/rank/segment_reader.hpp"

namespace meridian {
namespace {

using rank_schema::contradiction;
using rank_schema::kMaxSegmentEvents;
using rank_schema::kMaxSegmentRows;
using rank_schema::LostParts;

constexpr const char* kDoNotFit = "events and the tables that they refer to do not fit";

/// Calls visit(rows, rows) with the numbers of rows of each table; without user values, which are known last.
template <class Visit>
void for_each_table(auto& a, auto& b, Visit&& visit) {
  visit(a.events, b.events);
  visit(a.completions, b.completions);
  visit(a.sites, b.sites);
  visit(a.nodes, b.nodes);
  visit(a.counters, b.counters);
#define MERIDIAN_EVENT(payload, Row, table) visit(a.table, b.table);
#define MERIDIAN_PAIR(payload, of, Row, table)
#define MERIDIAN_OTHER(payload, Body)
#include "trace/model/payloads.def"
}

/// Adds the rows of every table.
void operator+=(SegmentRow& sum, const SegmentRow& row) {
  for_each_table(sum, row, [](std::uint64_t& to, std::uint64_t rows) { to += rows; });
  sum.user_values += row.user_values;
}

/// Whether the rows used so far can be those of the segment; all of them: they are exactly these.
bool fit(const SegmentRow& used, const SegmentRow& segment) {
  bool fits = true;
  const bool are_all = used.events == segment.events;
  for_each_table(used, segment,
                 [&](std::uint64_t some, std::uint64_t all) { fits = fits && (are_all ? some == all : some <= all); });
  return fits;
}

bool is_bounded(const SegmentRow& row) {
  std::uint64_t most = row.user_values;
  for_each_table(row, row, [&](std::uint64_t rows, std::uint64_t) { most = std::max(most, rows); });
  return most <= kMaxSegmentRows && row.events <= kMaxSegmentEvents && row.events > 0 &&
         (row.nodes == 0 || row.nodes == row.sites);
}

}  // namespace

struct SegmentPieces::State {
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (distant != nullptr) distant->end(stream);
  }

  SegmentRow used;               // rows before the next piece
  std::uint64_t left_ticks = 0;  // leave of the last event before it
  LostParts lost;
  DistantRank* distant = nullptr;  // not null: has a stream that is not over
  std::uint64_t stream = 0;
};

SegmentPieces::SegmentPieces() = default;
SegmentPieces::SegmentPieces(SegmentPieces&&) noexcept = default;
SegmentPieces& SegmentPieces::operator=(SegmentPieces&&) noexcept = default;
SegmentPieces::~SegmentPieces() = default;

struct RankFile::Impl {
  RankSource source;  // closed if no column needs it
  RankMeta meta;
  std::vector<SegmentRow> starts;  // index: segment
  std::vector<bool> has_flaw;      // index: segment; damage that read() found and reported in `meta`
  rank_schema::SegmentReader reader;
  std::size_t piece_events = kMaxSegmentEvents;
  std::unique_ptr<DistantRank> distant;  // not null: there is nothing to read here

  Status open_columns() {
    SegmentRow total;
    starts.reserve(meta.segments.size());
    for (const SegmentRow& row : meta.segments) {
      if (!is_bounded(row)) return contradiction("a segment has no or too many rows");
      starts.push_back(total);
      total += row;
    }
    has_flaw.resize(meta.segments.size());
    reader.open(source.root(), total, meta);
    return {};
  }

  // Reads the next events, `most` at a time.
  Status read_piece(SegmentPieces& at, std::uint64_t most, EventBatch& batch) {
    const SegmentRow& segment = meta.segments[at.index_];
    SegmentPieces::State& state = *at.state_;
    SegmentRow start = starts[at.index_];
    start += state.used;
    SegmentRow piece;
    piece.first_ticks = state.left_ticks;
    piece.events = std::min(at.left_, most);
    piece.nodes = segment.nodes;
    MERIDIAN_TRY_DO(reader.read_events(meta, start, piece, batch));
    const std::uint64_t values = state.used.user_values;
    state.used += piece;
    if (!fit(state.used, segment)) return contradiction(kDoNotFit);
    reader.read_tables(meta, start, piece, batch, state.lost);
    state.used.user_values = values + piece.user_values;
    state.left_ticks = batch.leave_ticks.back();
    at.left_ -= piece.events;
    const bool has_values = at.left_ != 0 || state.used.user_values == segment.user_values;
    if (!has_values && !state.lost.has(LostParts::user))
      rank_schema::SegmentReader::lose_user(contradiction("user events and their values do not fit").what, batch,
                                            state.lost);
    return {};
  }

  // Finds out what of a segment cannot be read, before the first of its pieces is used.
  Status check(const SegmentPieces& first, EventBatch& batch, LostParts& lost) {
    SegmentPieces trial = start(first.index_);
    Status status;
    while (status && trial.left_ != 0) status = read_piece(trial, piece_events, batch);
    lost = std::move(trial.state_->lost);
    return status;
  }

  Status read_distant(SegmentPieces& at, bool is_whole, EventBatch& batch) {
    SegmentPieces::State& state = *at.state_;
    if (state.distant == nullptr) {
      state.stream = distant->begin(at.index_, is_whole);
      state.distant = distant.get();
    }
    DistantRank::Piece piece = distant->read(state.stream, at.left_, batch);
    has_flaw[at.index_] = has_flaw[at.index_] || piece.has_flaw;
    std::ranges::move(piece.new_texts, std::back_inserter(meta.texts));
    if (piece.status) at.left_ -= std::min<std::uint64_t>(at.left_, batch.payload.size());
    if (!piece.status || at.left_ == 0) state.distant = nullptr;
    return std::move(piece.status);
  }

  SegmentPieces start(std::size_t index) const {
    SegmentPieces at;
    at.index_ = index;
    at.left_ = meta.segments[index].events;
    at.state_ = std::make_unique<SegmentPieces::State>();
    at.state_->left_ticks = meta.segments[index].first_ticks;
    return at;
  }

  // Closes HDF5's file, which takes a megabyte and more, if everything can be read without it.
  void detach() {
    if (source.raw != nullptr && reader.detach(source.raw)) source.close();
  }

  // Records the gap as the tracer does when it drops calls.
  void note_gap(std::size_t index) {
    if (has_flaw[index]) return;
    has_flaw[index] = true;
    const SegmentRow& segment = meta.segments[index];
    const auto next = std::find_if(meta.segments.begin() + static_cast<std::ptrdiff_t>(index) + 1, meta.segments.end(),
                                   [&](const SegmentRow& other) { return other.thread == segment.thread; });
    std::string value = std::to_string(segment.first_ticks);
    const bool has_others_alone = segment.events == segment.locks + segment.thread_ops + segment.user;
    if (next != meta.segments.end() || has_others_alone)
      value.append(" ").append(std::to_string(segment.events)).append(has_others_alone ? " others" : " messages");
    meta.texts.push_back(
        {kLostKey, std::move(value), segment.thread, next == meta.segments.end() ? 0 : next->first_ticks});
  }
};

RankFile::RankFile(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
RankFile::RankFile(RankFile&&) noexcept = default;
RankFile& RankFile::operator=(RankFile&&) noexcept = default;
RankFile::~RankFile() = default;

std::shared_ptr<RawFile> find_raw(const h5::File& file, const std::filesystem::path& path) {
  const h5::Properties creation{H5Fget_create_plist(file.get())};
  hsize_t user_bytes = 1;
  if (!creation || H5Pget_userblock(creation.get(), &user_bytes) < 0 || user_bytes != 0) return nullptr;
  auto raw = RawFile::find(path);
  return raw ? *std::move(raw) : nullptr;
}

Result<RankFile> RankFile::open(const std::filesystem::path& path) {
  MERIDIAN_TRY(h5::File file, h5::open_read_only(path));
  RankSource source;
  source.name = path;
  source.raw = find_raw(file, path);
  source.file = std::make_shared<const h5::File>(std::move(file));
  return open(std::move(source));
}

Result<RankFile> RankFile::open(RankSource source) {
  auto impl = std::make_unique<Impl>();
  impl->source = std::move(source);
  const std::filesystem::path name = impl->source.name;
  const auto in_file = [&](Error error) { return h5::in_file(std::move(error), "rank file", name); };
  auto meta = rank_schema::read_meta(impl->source.root(), name);
  if (!meta) return in_file(std::move(meta).error());
  impl->meta = *std::move(meta);
  if (auto opened = impl->open_columns(); !opened) return in_file(std::move(opened).error());
  impl->detach();
  return RankFile{std::move(impl)};
}

RankFile RankFile::at(RankMeta meta, std::unique_ptr<DistantRank> rank) {
  auto impl = std::make_unique<Impl>();
  impl->meta = std::move(meta);
  impl->has_flaw.resize(impl->meta.segments.size());
  impl->distant = std::move(rank);
  return RankFile{std::move(impl)};
}

const RankMeta& RankFile::meta() const { return impl_->meta; }

bool RankFile::needs_hdf5() const { return impl_->source.file != nullptr; }

std::size_t RankFile::flaws() const { return static_cast<std::size_t>(std::ranges::count(impl_->has_flaw, true)); }

void RankFile::place_in_world(std::uint32_t world, std::int32_t first_rank) {
  meridian::place_in_world(impl_->meta, world, first_rank);
}

void place_in_world(RankMeta& meta, std::uint32_t world, std::int32_t first_rank) {
  meta.world = world;
  meta.first_rank = first_rank;
  meta.rank += first_rank;
  for (ExchangeRow& exchange : meta.exchanges) exchange.peer += first_rank;
  for (MembersRow& members : meta.members)
    for (std::int32_t& rank : members.world_ranks)
      if (rank >= 0) rank += first_rank;
}

Status RankFile::read(std::size_t index, EventBatch& batch) {
  SegmentPieces whole = pieces(index);
  if (impl_->distant) return impl_->read_distant(whole, true, batch);
  Status status = impl_->read_piece(whole, kMaxSegmentEvents, batch);
  if (!status || whole.state_->lost.has_messages()) impl_->note_gap(index);
  return status;
}

SegmentPieces RankFile::pieces(std::size_t index) const {
  MERIDIAN_CHECK(index < impl_->meta.segments.size());
  return impl_->start(index);
}

Status RankFile::read(SegmentPieces& pieces, EventBatch& batch) {
  MERIDIAN_CHECK(pieces.left_ != 0);
  if (impl_->distant) return impl_->read_distant(pieces, false, batch);
  LostParts& lost = pieces.state_->lost;
  const bool is_first = pieces.left_ == impl_->meta.segments[pieces.index_].events;
  Status status;
  if (is_first && pieces.left_ > impl_->piece_events) status = impl_->check(pieces, batch, lost);
  if (status) status = impl_->read_piece(pieces, impl_->piece_events, batch);
  if (!status || lost.has_messages()) impl_->note_gap(pieces.index_);
  return status;
}

void RankFile::announce(std::size_t index) {
  if (impl_->distant) impl_->distant->announce(index);
}

void RankFile::read_by_pieces(std::size_t events, const std::shared_ptr<PlaneStore>& store) {
  if (impl_->distant) {
    impl_->distant->read_by_pieces(std::max<std::size_t>(events, 1), store != nullptr);
    return;
  }
  impl_->piece_events = std::max<std::size_t>(events, 1);
  impl_->reader.keep_in(store);
}

}  // namespace meridian
