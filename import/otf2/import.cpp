// SPDX-License-Identifier: Apache-2.0
#include "import/import.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "import/channel_counts.hpp"
#include "import/otf2/archive_clock.hpp"
#include "import/otf2/archive_reader.hpp"
#include "import/otf2/location_import.hpp"
#include "import/otf2/posts.hpp"
#include "import/otf2/region_table.hpp"
#include "import/otf2/world.hpp"
#include "trace/model/import_keys.hpp"

namespace meridian::imported {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOwnCreator = "meridian export";  // its archives have no completions of sends

class ArchiveImport {
 public:
  ArchiveImport(ArchiveReader& archive, const Definitions& definitions, const World& world, const fs::path& directory,
                const ImportProgress& progress, Imported& result)
      : archive_{archive},
        definitions_{definitions},
        regions_{definitions},
        counters_{CounterMetric::of(definitions)},
        world_{world},
        directory_{directory},
        progress_{progress},
        result_{result} {
    for (const WorldRank& rank : world.ranks()) locations_ += rank.locations.size();
  }

  Status run() {
    std::vector<OTF2_LocationRef> locations;
    for (const WorldRank& rank : world_.ranks())
      for (const std::size_t i : rank.locations) locations.push_back(definitions_.locations[i].self);
    MERIDIAN_TRY_DO(archive_.choose(locations));
    MERIDIAN_TRY(const std::shared_ptr<TempFile> temporary, TempFile::create(directory_));
    for (std::size_t rank = 0; rank < world_.ranks().size(); ++rank)
      for (const std::size_t i : world_.ranks()[rank].locations) {
        scans_.push_back(std::make_unique<PostScan>(regions_, world_, static_cast<std::int32_t>(rank), channels_,
                                                    temporary, archive_.creator() != kOwnCreator));
        MERIDIAN_TRY_DO(read(i, *scans_.back()));
        MERIDIAN_TRY_DO(scans_.back()->finish());
      }
    for (std::size_t rank = 0; rank < world_.ranks().size(); ++rank)
      MERIDIAN_TRY_DO(write_rank(static_cast<std::int32_t>(rank)));
    return {};
  }

 private:
  Status write_rank(std::int32_t rank) {
    const WorldRank& of = world_.ranks()[static_cast<std::size_t>(rank)];
    MERIDIAN_TRY(RankFileWriter writer, RankFileWriter::create(directory_ / rank_file_name(rank)));
    RankMeta meta = meta_of(rank);
    RankOutput output{writer, meta, static_cast<std::uint32_t>(of.locations.size())};
    for (std::size_t thread = 0; thread < of.locations.size(); ++thread) {
      const std::unique_ptr<PostScan> scan = std::move(scans_[next_scan_++]);
      LocationImport events{{definitions_, regions_, world_, ArchiveClock{definitions_}, channels_, counters_},
                            output,
                            ThreadId{static_cast<std::uint32_t>(thread)},
                            *scan};
      MERIDIAN_TRY_DO(read(of.locations[thread], events));
      MERIDIAN_TRY_DO(events.finish());
    }
    output.describe_left_out();
    result_.calls += output.events();
    result_.one_sided_messages += output.one_sided_messages;
    for (const auto& [what, count] : output.left_out.counts()) result_.left_out.add(what, count);
    std::ranges::sort(meta.threads, {}, &ThreadRow::thread);
    std::uint64_t end = meta.anchors.front().before_ticks;
    const std::uint64_t begin = end;
    for (const ThreadRow& row : meta.threads) end = std::max(end, row.end_ticks);
    meta.anchors.push_back({AnchorPhase::finish, end, end, static_cast<std::int64_t>(end),
                            meta.anchors.front().realtime_ns + static_cast<std::int64_t>(end - begin)});
    return writer.finish(meta);
  }

  /// Reads a location; half of the progress is the first reading of all of them.
  Status read(std::size_t index, LocationVisitor& visitor) {
    const Definitions::Location& location = definitions_.locations[index];
    std::uint64_t records = 0;
    const auto show = [&](std::uint64_t more) {
      records += more;
      const double part = static_cast<double>(records) / static_cast<double>(std::max(location.events, records));
      const auto all = 2 * static_cast<double>(std::max<std::size_t>(locations_, 1));
      if (progress_ && records != 0) progress_((static_cast<double>(read_) + part) / all, "reading the archive");
    };
    Status status = archive_.read(location.self, definitions_, visitor, show);
    ++read_;
    return status;
  }

  RankMeta meta_of(std::int32_t rank) const {
    const WorldRank& of = world_.ranks()[static_cast<std::size_t>(rank)];
    RankMeta meta;
    meta.rank = rank;
    meta.size = static_cast<std::int32_t>(world_.ranks().size());
    meta.hostname = of.host;
    meta.executable = archive_.anchor().string();  // the program is not in it
    meta.clock = ClockKind::monotonic;             // ticks are ns
    meta.domain = of.clock;
    meta.is_finalized = true;
    meta.texts.push_back({"run", "imported-" + std::to_string(archive_.trace_id()), 0, 0});
    meta.texts.push_back({"mpi_library", kImportedLibrary, 0, 0});
    meta.texts.push_back({"tick_hz", "1000000000", 0, 0});
    meta.texts.push_back({kImportedKey, result_.creator.empty() ? "unknown" : result_.creator, 0, 0});
    const std::uint64_t begin = ArchiveClock{definitions_}.ticks(definitions_.first_ticks);
    const auto realtime = static_cast<std::int64_t>(definitions_.first_realtime_ns.value_or(begin));
    meta.anchors.push_back({AnchorPhase::start, begin, begin, static_cast<std::int64_t>(begin), realtime});
    counters_.describe(meta);
    world_.describe_comms(rank, meta);
    return meta;
  }

  ArchiveReader& archive_;
  const Definitions& definitions_;
  RegionTable regions_;
  CounterMetric counters_;
  const World& world_;
  fs::path directory_;
  const ImportProgress& progress_;
  Imported& result_;
  ChannelCounts channels_;
  std::vector<std::unique_ptr<PostScan>> scans_;  // of all locations, by rank
  std::size_t next_scan_ = 0;
  std::size_t locations_ = 0, read_ = 0;
};

}  // namespace
}  // namespace meridian::imported

namespace meridian {

Result<Imported> import_otf2(const std::filesystem::path& archive, const std::filesystem::path& directory,
                             const ImportProgress& progress) {
  using namespace imported;
  MERIDIAN_TRY(ArchiveReader reader, ArchiveReader::open(archive));
  Imported result;
  result.creator = reader.creator();
  MERIDIAN_TRY(const Definitions definitions, reader.definitions());
  MERIDIAN_TRY(const World world, World::of(definitions, result.left_out));
  result.ranks = static_cast<std::int32_t>(world.ranks().size());
  MERIDIAN_TRY_DO(ArchiveImport{reader, definitions, world, directory, progress, result}.run());
  return result;
}

}  // namespace meridian
