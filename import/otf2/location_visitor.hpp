// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <span>
#include <string_view>

namespace meridian::imported {

/// A message as an archive records it. Partners are ranks in the communicator.
struct Message {
  std::uint32_t peer = 0;
  OTF2_CommRef comm = OTF2_UNDEFINED_COMM;
  std::uint32_t tag = 0;
  std::uint64_t bytes = 0;
};

/// One rank's part in a collective operation.
struct CollectivePart {
  OTF2_CommRef comm = OTF2_UNDEFINED_COMM;
  std::uint32_t root = OTF2_COLLECTIVE_ROOT_NONE;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
};

/// Receives the records of one location in their order; times are the archive's ticks.
class LocationVisitor {
 public:
  virtual ~LocationVisitor() = default;

  /// calls  how many calls the enter stands for; 0: it is one call
  virtual void enter(std::uint64_t ticks, OTF2_RegionRef region, std::uint64_t calls) = 0;
  virtual void leave(std::uint64_t ticks, OTF2_RegionRef region) = 0;
  virtual void sent(const Message&) {}
  virtual void isent(const Message&, std::uint64_t) {}
  virtual void send_completed(std::uint64_t) {}
  virtual void receive_posted(std::uint64_t) {}
  virtual void received(const Message&) {}
  virtual void ireceived(const Message&, std::uint64_t) {}
  virtual void cancelled(std::uint64_t) {}
  virtual void collective(const CollectivePart&) {}
  virtual void collective_started(std::uint64_t) {}
  virtual void collective_completed(const CollectivePart&, std::uint64_t) {}
  virtual void measured(std::uint64_t, OTF2_MetricRef, std::span<const OTF2_Type>, std::span<const OTF2_MetricValue>) {}
  virtual void flushed(std::uint64_t, std::uint64_t) {}
  virtual void switched(std::uint64_t, bool) {}
  /// A record that is not imported; a literal describes its kind.
  virtual void left_out(std::string_view) {}

  /// False: reading stops, because of an error that the visitor knows.
  virtual bool goes_on() const { return true; }
};

}  // namespace meridian::imported
