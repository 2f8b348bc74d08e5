// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "import/channel_counts.hpp"
#include "import/otf2/location_visitor.hpp"
#include "import/otf2/open_regions.hpp"
#include "import/otf2/region_table.hpp"
#include "import/otf2/world.hpp"
#include "import/persistent_requests.hpp"
#include "trace/containers/temp_spool.hpp"

namespace meridian::imported {

/// The start of a request, with what only the record of its completion shows: the archive's MpiIrecvRequest does not have a
/// communicator.
struct Post {
  std::uint64_t bytes = 0;           ///< of a message; sent in a collective
  std::uint64_t bytes_received = 0;  ///< in a collective
  OTF2_CommRef comm = OTF2_UNDEFINED_COMM;
  std::uint32_t peer = 0;  ///< or root
  std::uint32_t tag = 0;
  std::uint32_t persistent = 0;   ///< number of the persistent request, plus 1; 0: none
  std::uint32_t is_complete = 0;  ///< 1: the archive has its completion
  std::uint32_t reserved = 0;
};

/// The first of the two readings of a location: finds what later records say about the starts of requests.
class PostScan final : public LocationVisitor {
 public:
  /// completes_sends  whether the archive has completions of sends; otherwise they are not waited for
  PostScan(const RegionTable& regions, const World& world, std::int32_t rank, ChannelCounts& channels,
           std::shared_ptr<TempFile> file, bool completes_sends)
      : regions_{regions},
        world_{world},
        rank_{rank},
        channels_{channels},
        posts_{std::move(file)},
        completes_sends_{completes_sends} {}

  /// Call after the last record: keeps only what the second reading needs.
  Status finish();

  /// In the order of the starts: MpiIsend, MpiIrecvRequest, NonBlockingCollectiveRequest.
  TempSpool<Post>& posts() { return posts_; }
  const PersistentRequests& persistent() const { return persistent_; }

  void enter(std::uint64_t ticks, OTF2_RegionRef region, std::uint64_t calls) override;
  void leave(std::uint64_t ticks, OTF2_RegionRef region) override;
  void sent(const Message& message) override;
  void isent(const Message& message, std::uint64_t request) override;
  void send_completed(std::uint64_t request) override;
  void receive_posted(std::uint64_t request) override;
  void received(const Message& message) override;
  void ireceived(const Message& message, std::uint64_t request) override;
  void cancelled(std::uint64_t request) override;
  void collective_started(std::uint64_t request) override;
  void collective_completed(const CollectivePart& part, std::uint64_t request) override;
  bool goes_on() const override { return bool{status_}; }

 private:
  using Moment = PersistentRequests::Moment;
  struct Open {
    OTF2_RegionRef region = OTF2_UNDEFINED_REGION;
    CallId call = CallId::none;
    Moment began = 0;
    bool has_message = false;
  };
  struct Active {
    Post post;
    std::uint64_t number = 0;  // in posts_
    Moment started = 0;
    std::uint32_t made = 0;  // receive requests that had been made
    bool is_start = false;   // of a persistent request
  };
  /// The innermost call; null if it does not start persistent requests.
  const Open* start_call();
  void add(std::uint64_t request, Active active);
  /// Counts the message, which was sent or received.
  void count(const Message& message, bool is_send);
  void complete(std::uint64_t request, const Post& found);

  const RegionTable& regions_;
  const World& world_;
  std::int32_t rank_;
  ChannelCounts& channels_;
  OpenRegions<Open> open_;
  TempSpool<Post> posts_;
  bool completes_sends_;
  std::unordered_map<std::uint64_t, Active> active_;  // by request
  PersistentRequests persistent_;
  std::uint32_t made_sends_ = 0, made_receives_ = 0;
  Moment now_ = 0;
  Status status_;
};

}  // namespace meridian::imported
