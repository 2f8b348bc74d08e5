// SPDX-License-Identifier: Apache-2.0
#pragma once

// The list of all analyses, and sets of them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/division.hpp"
#include "analysis/walk/trace_visitor.hpp"
#include "merged/model/wait_sink.hpp"

namespace meridian {

using VisitorMaker = Result<std::unique_ptr<TraceVisitor>> (*)(const AnalysisInput& input);
using BackwardMaker = Result<std::unique_ptr<BackwardVisitor>> (*)(const EventWindow& window, const Summary& summary,
                                                                   WaitSink* waits);
using TableFiller = Status (*)(const MergedTrace& trace, Summary& summary);  ///< from the tables of all others

struct Analysis {
  std::string_view name;
  std::variant<VisitorMaker, BackwardMaker, TableFiller> analyse;
  std::array<std::string_view, 6> tables;  ///< of the summary, which only this analysis fills; then empty names
  AnalysisCost cost{};                     ///< of visitors that go forwards
};

/// At most 32.
std::span<const Analysis> all_analyses();

/// The tables of the summary that analyses read. The merger has filled them.
std::span<const std::string_view> tables_for_analyses();

/// Numbers in all_analyses(), as bits.
class AnalysisSet {
 public:
  constexpr AnalysisSet() = default;
  constexpr explicit AnalysisSet(std::uint32_t bits) : bits_{bits} {}

  /// Those that look at events in this direction.
  static AnalysisSet forwards();
  static AnalysisSet backwards();
  /// Those whose results the others read from the file.
  static AnalysisSet waits();

  constexpr std::uint32_t bits() const { return bits_; }
  constexpr bool is_empty() const { return bits_ == 0; }
  constexpr bool has(std::size_t number) const { return (bits_ >> number & 1U) != 0; }
  constexpr void add(std::size_t number) { bits_ |= std::uint32_t{1} << number; }
  constexpr AnalysisSet without(AnalysisSet other) const { return AnalysisSet{bits_ & ~other.bits_}; }
  constexpr AnalysisSet operator&(AnalysisSet other) const { return AnalysisSet{bits_ & other.bits_}; }
  constexpr AnalysisSet operator|(AnalysisSet other) const { return AnalysisSet{bits_ | other.bits_}; }
  constexpr bool operator==(const AnalysisSet&) const = default;
  /// The tables that these analyses fill, in the order of the list.
  std::vector<std::string_view> tables() const;

 private:
  std::uint32_t bits_ = 0;
};

/// Divides the analyses that go forwards: a set for each process. Processes behind the end have nothing to do.
std::vector<AnalysisSet> divide_forwards(std::size_t processes);

}  // namespace meridian
