// SPDX-License-Identifier: Apache-2.0
#pragma once

// The least squares system of the clock fit, and its solution.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace meridian {

/// An observation: z_to(t) - z_from(t') - latency = value + excess, where excess >= 0 if the clocks are right. Each z
/// is interpolated between two neighbouring knots.
struct ClockRow {
  std::uint32_t to = 0;  ///< unknown of the receiver's left knot; the right one follows
  std::uint32_t from = 0;
  std::uint32_t latency = 0;  ///< number of the latency, from 0
  float to_share = 0;         ///< of the right knot
  float from_share = 0;
  bool is_collective = false;
  double value = 0;
  double weight = 0;
  double doubt = 0;  ///< of the latency, on top of the scale

  double to_z(const std::vector<double>& x) const {
    return x[to] * (1 - static_cast<double>(to_share)) + x[to + 1] * static_cast<double>(to_share);
  }
  double from_z(const std::vector<double>& x) const {
    return x[from] * (1 - static_cast<double>(from_share)) + x[from + 1] * static_cast<double>(from_share);
  }
  double difference(const std::vector<double>& x) const { return to_z(x) - from_z(x); }
};

/// Minimises, over knots z of all domains (those of the reference are fixed) and latencies l,
///   sum weight (z_to - z_from - l - value)^2 + sum bend (second difference)^2 + sum stiffness (l - prior)^2.
/// The matrix is symmetric and positive definite: conjugate gradients, preconditioned by each domain's pentadiagonal
/// block. It is assembled once per solution; domains that communicate throughout the run are coupled by bands.
class ClockSystem {
 public:
  ClockSystem(std::size_t domains, std::size_t knots, std::size_t reference);

  std::vector<ClockRow> rows;
  std::vector<double> bends;   ///< [domain][knot]: weight of the second difference around a knot
  std::vector<double> priors;  ///< [latencies]
  double stiffness = 1;        ///< of the latencies
  std::vector<double> x;       ///< knots of all domains, then latencies: the start, then the solution
  std::vector<double> home;    ///< [domain][knot]: the value of knots without observations

  std::size_t unknowns() const noexcept { return domains_ * knots_; }
  double latency(std::size_t number) const { return x[unknowns() + number]; }

  /// Iterates until the relative error in the energy norm is below the root of `tolerance`, or for `most_steps`
  /// iterations; returns their number. Single precision leaves an error of about 1e-7 of the way from the start;
  /// another call removes it.
  int solve(double tolerance, int most_steps);

 private:
  /// The coupling between the knots of two domains, and with the latency between them.
  struct Bands {
    std::size_t a = 0, b = 0;  // first unknowns of the domains
    std::size_t latency = 0;   // unknown
  };
  /// The bands of a pair, by knot.
  enum BandPart : std::size_t {
    same,    // a's knot and b's
    next_b,  // a's knot and b's next one
    next_a,
    latency_a,
    latency_b,
    kBandParts
  };
  float* band(std::size_t bands, BandPart part) { return &band_values_[(bands * kBandParts + part) * knots_]; }
  const float* band(std::size_t bands, BandPart part) const {
    return &band_values_[(bands * kBandParts + part) * knots_];
  }
  void plan();
  void assemble();
  void factorise();
  void downhill(std::vector<double>& out) const;
  void multiply(const std::vector<double>& v, std::vector<double>& out) const;
  void precondition(const std::vector<double>& v, std::vector<double>& out) const;
  template <std::size_t Lanes>
  void substitute(std::size_t first_domain, const std::vector<double>& v, std::vector<double>& out) const;
  void fix_reference(std::vector<double>& v) const;

  std::size_t domains_, knots_, reference_;
  bool is_planned_ = false;
  std::vector<std::uint32_t> bands_of_row_;  // [rows]: number of the bands that the row is part of, or kNone
  std::vector<std::uint32_t> loose_;         // rows that are part of no bands
  std::vector<Bands> bands_;
  // [bands][part][knot]: most of the memory that an iteration reads, so it is contiguous and in single precision;
  // downhill(), which determines the accuracy, does not use it.
  std::vector<float> band_values_;
  std::vector<double> own_, own_next_, own_second_;  // [unknown]: each domain's block, its diagonal and those above it
  std::vector<float> inverse_, first_, second_;      // [unknown]: of the factors of the blocks
  std::vector<double> latency_own_;                  // [latencies]
};

}  // namespace meridian
