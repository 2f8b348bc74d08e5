// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "import/otf2/archive_clock.hpp"
#include "import/otf2/counter_readings.hpp"
#include "import/otf2/location_visitor.hpp"
#include "import/otf2/open_regions.hpp"
#include "import/otf2/posts.hpp"
#include "import/otf2/rank_output.hpp"
#include "import/otf2/region_table.hpp"
#include "import/otf2/request_handles.hpp"
#include "import/otf2/world.hpp"

namespace meridian::imported {

/// Data that all locations of an archive share.
struct ImportContext {
  const Definitions& definitions;
  const RegionTable& regions;
  const World& world;
  ArchiveClock clock;
  const ChannelCounts& channels;
  const CounterMetric& counters;
};

/// The second of the two readings of a location: makes events of its records. Communication belongs to the innermost call
/// that is open; what happens inside calls goes to threads of their own, as for callbacks.
class LocationImport final : public LocationVisitor {
 public:
  /// scan  of the same location, complete
  LocationImport(const ImportContext& context, RankOutput& output, ThreadId thread, PostScan& scan);

  /// Call after the last record: writes the rest, and the rows of the threads.
  Status finish();

  void enter(std::uint64_t ticks, OTF2_RegionRef region, std::uint64_t calls) override;
  void leave(std::uint64_t ticks, OTF2_RegionRef region) override;
  void sent(const Message& message) override;
  void isent(const Message& message, std::uint64_t request) override;
  void send_completed(std::uint64_t request) override;
  void receive_posted(std::uint64_t request) override;
  void received(const Message& message) override;
  void ireceived(const Message& message, std::uint64_t request) override;
  void cancelled(std::uint64_t request) override;
  void collective(const CollectivePart& part) override;
  void collective_started(std::uint64_t request) override;
  void collective_completed(const CollectivePart& part, std::uint64_t request) override;
  void measured(std::uint64_t ticks, OTF2_MetricRef metric, std::span<const OTF2_Type> types,
                std::span<const OTF2_MetricValue> values) override;
  void flushed(std::uint64_t begin_ticks, std::uint64_t end_ticks) override;
  void switched(std::uint64_t ticks, bool is_on) override;
  void left_out(std::string_view kind) override { output_.left_out.add(kind); }
  bool goes_on() const override { return bool{status_}; }

 private:
  struct Open {
    OTF2_RegionRef region = OTF2_UNDEFINED_REGION;
    CallId call = CallId::none;
    std::uint64_t enter_ticks = 0;
    std::uint64_t count = 0;             // of calls that are one event; 0: it is one call
    CounterReadings::Values counters{};  // at the enter
    std::optional<PointToPoint> sent{}, received{};
    std::optional<Collective> collective{};
    std::vector<Completion> completions{};
  };

  EventStream& stream(std::size_t depth);
  void write_if_full(EventStream& stream);
  void close(Open& open, std::uint64_t ticks, std::uint8_t flags);
  /// A region begins or ends: until then the thread may have waited for others of its team.
  void end_wait(std::uint64_t ticks);
  /// After a region has begun or ended: the thread may wait from then on.
  void begin_wait(std::uint64_t ticks, const RegionUse& use);
  void add_rows(EventBatch& batch, Open& open);
  void add_template(EventBatch& batch, const Open& open);
  /// The innermost call; null if its role is none of these.
  template <class... Roles>
  Open* call_of(Roles... roles);
  /// Nothing, with a count, if the archive does not have the partner or the other side of the message.
  std::optional<PointToPoint> row_of(const Message& message, bool is_send);
  std::optional<Collective> row_of(const CollectivePart& part, CallId call);
  /// The scan's result for the next start of a request.
  Post next_post();
  void complete(std::uint64_t request, const Completion& outcome, std::string_view nobody);

  ImportContext context_;
  RankOutput& output_;
  OpenRegions<Open> open_;
  std::deque<EventStream> streams_;  // by depth
  TempSpoolReader<Post> posts_;
  std::vector<Repeated> sends_, receives_;  // of persistent requests
  std::size_t made_sends_ = 0, made_receives_ = 0;
  RequestHandles handles_;
  CounterReadings counters_;
  CallId waits_ = CallId::none;  // it waits since then, as in this call
  std::uint64_t waits_since_ticks_ = 0;
  CounterReadings::Values waits_counters_;  // then
  std::size_t rows_of_rank_ = 0;            // in the tables of RankMeta
  Status status_;
};

}  // namespace meridian::imported
