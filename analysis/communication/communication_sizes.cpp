// SPDX-License-Identifier: Apache-2.0
// Histogram of the sizes of messages and of the bytes that participants send in collectives, by group of the function.

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "analysis/walk/trace_visitor.hpp"

namespace meridian {
namespace {

/// Bin 0 is for no bytes, bin k for 2^(k-1) bytes up to 2^k - 1.
struct Histogram {
  struct Bin {
    std::uint64_t count = 0, bytes = 0;
  };
  std::array<Bin, 65> bins{};

  void add(std::uint64_t bytes) {
    Bin& bin = bins[static_cast<std::size_t>(std::bit_width(bytes))];
    ++bin.count;
    bin.bytes += bytes;
  }
};

class SizeCounter final : public TraceVisitor {
 public:
  explicit SizeCounter(const MergedTrace& trace) : trace_{trace} {}

  Status look_at(std::span<const WalkedEvent> events) override {
    for (const WalkedEvent& walked : events)
      for (const EventLink& link : walked.links) {
        if (link.kind == LinkKind::sent) {
          MERIDIAN_TRY(const MergedMessage message, trace_.message(link.number, walked.event));
          add(walked.event, message.bytes);
        } else if (link.kind == LinkKind::entered) {
          add(walked.event, walked.event.bytes_sent);
        }
      }
    return {};
  }

  Status finish(Summary& summary) override {
    summary.communication_sizes.clear();
    for (const auto& [group, histogram] : groups_)
      for (std::size_t k = 0; k < histogram.bins.size(); ++k)
        if (const Histogram::Bin& bin = histogram.bins[k]; bin.count != 0)
          summary.communication_sizes.push_back(
              {group, k == 0 ? 0 : std::uint64_t{1} << (k - 1), bin.count, bin.bytes});
    return {};
  }

 private:
  /// Consecutive calls are often of the same group: the last one found is cached.
  void add(const MergedEvent& event, std::uint64_t bytes) {
    if (event.call != last_call_ || last_ == nullptr) {
      const auto& calls = trace_.definitions().calls;
      last_ = &groups_[event.call < calls.size() ? calls[event.call].group : std::string{}];
    }
    last_call_ = event.call;
    last_->add(bytes);
  }

  const MergedTrace& trace_;
  std::map<std::string, Histogram> groups_;
  std::uint32_t last_call_ = 0;
  Histogram* last_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<TraceVisitor>> count_communication_sizes(const AnalysisInput& input) {
  return std::unique_ptr<TraceVisitor>{std::make_unique<SizeCounter>(input.trace)};
}

}  // namespace meridian
