// SPDX-License-Identifier: Apache-2.0
#include "merger/clocks/fit/clock_system.hpp"

#include <algorithm>
#include <array>

#include "merger/model/clock_tuning.hpp"

namespace meridian {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;

/// The dot product as four independent sums, for instruction-level parallelism.
template <class Number>
double dot(const Number* a, const double* b, std::size_t size) {
  std::array<double, 4> sums{};
  const std::size_t most = size / 4 * 4;
  for (std::size_t i = 0; i < most; i += 4)
    for (std::size_t s = 0; s < 4; ++s) sums[s] += static_cast<double>(a[i + s]) * b[i + s];
  for (std::size_t i = most; i < size; ++i) sums[0] += static_cast<double>(a[i]) * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double dot(const std::vector<double>& a, const std::vector<double>& b) { return dot(a.data(), b.data(), a.size()); }

/// Adds to `to` the product of a tridiagonal matrix with `values`, and a multiple of `more`. up[k] is the entry (k, k +
/// 1), down[k] the entry (k + 1, k). The arrays must not overlap.
void add_band(double* __restrict__ to, const float* __restrict__ middle, const float* __restrict__ up,
              const float* __restrict__ down, const double* __restrict__ values, const float* __restrict__ more,
              double factor, std::size_t size) {
  const auto term = [](float entry, double value) { return static_cast<double>(entry) * value; };
  to[0] += term(middle[0], values[0]) + term(up[0], values[1]) + term(more[0], factor);
  for (std::size_t k = 1; k + 1 < size; ++k)
    to[k] += term(middle[k], values[k]) + term(up[k], values[k + 1]) + term(down[k - 1], values[k - 1]) +
             term(more[k], factor);
  const std::size_t last = size - 1;
  to[last] += term(middle[last], values[last]) + term(down[last - 1], values[last - 1]) + term(more[last], factor);
}

/// Sets `to` to the product of a symmetric pentadiagonal matrix with `values`.
void multiply_band(double* __restrict__ to, const double* __restrict__ middle, const double* __restrict__ next,
                   const double* __restrict__ second, const double* __restrict__ values, std::size_t size) {
  const auto careful = [&](std::size_t i) {
    double sum = middle[i] * values[i];
    if (i + 1 < size) sum += next[i] * values[i + 1];
    if (i >= 1) sum += next[i - 1] * values[i - 1];
    if (i + 2 < size) sum += second[i] * values[i + 2];
    if (i >= 2) sum += second[i - 2] * values[i - 2];
    to[i] = sum;
  };
  for (std::size_t i = 0; i < std::min<std::size_t>(2, size); ++i) careful(i);
  for (std::size_t i = 2; i + 2 < size; ++i)
    to[i] = middle[i] * values[i] + next[i] * values[i + 1] + next[i - 1] * values[i - 1] + second[i] * values[i + 2] +
            second[i - 2] * values[i - 2];
  for (std::size_t i = std::max<std::size_t>(2, size - 2); i < size; ++i) careful(i);
}

struct Shares {
  explicit Shares(const ClockRow& row)
      : to_right{static_cast<double>(row.to_share)},
        from_right{static_cast<double>(row.from_share)},
        to_left{1 - to_right},
        from_left{1 - from_right} {}
  double to_right, from_right, to_left, from_left;
};

}  // namespace

ClockSystem::ClockSystem(std::size_t domains, std::size_t knots, std::size_t reference)
    : bends(domains * knots), domains_{domains}, knots_{knots}, reference_{reference} {}

void ClockSystem::fix_reference(std::vector<double>& v) const {
  std::fill_n(v.begin() + static_cast<std::ptrdiff_t>(reference_ * knots_), knots_, 0.0);
}

/// Finds the pairs of domains that get bands: those with as many rows as knots whose two ends lie at the same knot.
void ClockSystem::plan() {
  is_planned_ = true;
  const auto place = [&](const ClockRow& row) { return std::pair{row.to / knots_, row.from / knots_}; };
  const auto is_level = [&](const ClockRow& row) { return row.to % knots_ == row.from % knots_; };
  std::vector<std::uint32_t> count(priors.size(), 0), number(priors.size(), kNone);
  std::vector<std::pair<std::size_t, std::size_t>> ends(priors.size());
  std::vector<bool> is_pair(priors.size(), true);
  for (const ClockRow& row : rows) {
    if (!is_level(row)) continue;
    const auto [to, from] = place(row);
    const auto both = std::minmax(to, from);
    if (count[row.latency]++ == 0) ends[row.latency] = both;
    if (ends[row.latency] != std::pair<std::size_t, std::size_t>{both}) is_pair[row.latency] = false;
  }
  bands_of_row_.assign(rows.size(), kNone);
  for (std::uint32_t r = 0; r < rows.size(); ++r) {
    const std::uint32_t l = rows[r].latency;
    if (!is_pair[l] || count[l] < knots_ || !is_level(rows[r])) {
      loose_.push_back(r);
      continue;
    }
    if (number[l] == kNone) {
      number[l] = static_cast<std::uint32_t>(bands_.size());
      bands_.push_back({ends[l].first * knots_, ends[l].second * knots_, unknowns() + l});
    }
    bands_of_row_[r] = number[l];
  }
}

void ClockSystem::assemble() {
  if (!is_planned_) plan();
  const std::size_t n = unknowns();
  for (auto* own : {&own_, &own_next_, &own_second_}) own->assign(n, 0);
  std::ranges::fill(own_, ClockTuning::kRidge);
  latency_own_.assign(priors.size(), stiffness);
  band_values_.assign(bands_.size() * kBandParts * knots_, 0);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const ClockRow& row = rows[r];
    const Shares share{row};
    const double w = row.weight;
    own_[row.to] += w * share.to_left * share.to_left;
    own_next_[row.to] += w * share.to_left * share.to_right;
    own_[row.to + 1] += w * share.to_right * share.to_right;
    own_[row.from] += w * share.from_left * share.from_left;
    own_next_[row.from] += w * share.from_left * share.from_right;
    own_[row.from + 1] += w * share.from_right * share.from_right;
    latency_own_[row.latency] += w;
    if (bands_of_row_[r] == kNone) continue;
    const std::size_t number = bands_of_row_[r], k = row.to % knots_;
    const bool is_to_a = row.to - k == bands_[number].a;
    const auto add = [&](BandPart part, std::size_t knot, double value) {
      band(number, part)[knot] += static_cast<float>(value);
    };
    add(same, k, -w * share.to_left * share.from_left);
    add(same, k + 1, -w * share.to_right * share.from_right);
    add(is_to_a ? next_b : next_a, k, -w * share.to_left * share.from_right);
    add(is_to_a ? next_a : next_b, k, -w * share.to_right * share.from_left);
    const BandPart latency_to = is_to_a ? latency_a : latency_b, latency_from = is_to_a ? latency_b : latency_a;
    add(latency_to, k, -w * share.to_left);
    add(latency_to, k + 1, -w * share.to_right);
    add(latency_from, k, w * share.from_left);
    add(latency_from, k + 1, w * share.from_right);
  }
  for (std::size_t h = 0; h < domains_; ++h)
    for (std::size_t k = 1; k + 1 < knots_; ++k) {
      const std::size_t i = h * knots_ + k;
      const double w = bends[i];
      own_[i - 1] += w;
      own_[i] += 4 * w;
      own_[i + 1] += w;
      own_next_[i - 1] -= 2 * w;
      own_next_[i] -= 2 * w;
      own_second_[i - 1] += w;
    }
}

/// The direction of descent: minus half of the gradient. Computed from the rows, because x can be large.
void ClockSystem::downhill(std::vector<double>& out) const {
  const std::size_t n = unknowns();
  for (std::size_t i = 0; i < n; ++i) out[i] = ClockTuning::kRidge * (home[i] - x[i]);
  for (std::size_t l = 0; l < priors.size(); ++l) out[n + l] = stiffness * (priors[l] - x[n + l]);
  for (const ClockRow& row : rows) {
    const Shares share{row};
    const double q = row.weight * (row.value - row.difference(x) + x[n + row.latency]);
    out[row.to] += q * share.to_left;
    out[row.to + 1] += q * share.to_right;
    out[row.from] -= q * share.from_left;
    out[row.from + 1] -= q * share.from_right;
    out[n + row.latency] -= q;
  }
  for (std::size_t h = 0; h < domains_; ++h)
    for (std::size_t k = 1; k + 1 < knots_; ++k) {
      const std::size_t i = h * knots_ + k;
      const double q = bends[i] * (x[i - 1] - 2 * x[i] + x[i + 1]);
      out[i - 1] -= q;
      out[i] += 2 * q;
      out[i + 1] -= q;
    }
  fix_reference(out);
}

void ClockSystem::multiply(const std::vector<double>& v, std::vector<double>& out) const {
  const std::size_t n = unknowns();
  // Entries between the last knots of a domain and the first knots of the next are zero.
  multiply_band(out.data(), own_.data(), own_next_.data(), own_second_.data(), v.data(), n);
  for (std::size_t l = 0; l < priors.size(); ++l) out[n + l] = latency_own_[l] * v[n + l];
  for (std::size_t number = 0; number < bands_.size(); ++number) {
    const Bands& bands = bands_[number];
    const double *const a = &v[bands.a], *const b = &v[bands.b];
    const auto part = [&](BandPart one) { return band(number, one); };
    add_band(&out[bands.a], part(same), part(next_b), part(next_a), b, part(latency_a), v[bands.latency], knots_);
    add_band(&out[bands.b], part(same), part(next_a), part(next_b), a, part(latency_b), v[bands.latency], knots_);
    out[bands.latency] += dot(part(latency_a), a, knots_) + dot(part(latency_b), b, knots_);
  }
  for (const std::uint32_t r : loose_) {
    const ClockRow& row = rows[r];
    const Shares share{row};
    const double latency = v[n + row.latency], to = row.to_z(v), from = row.from_z(v);
    const double at_to = row.weight * (from + latency), at_from = row.weight * (to - latency);
    out[row.to] -= at_to * share.to_left;
    out[row.to + 1] -= at_to * share.to_right;
    out[row.from] -= at_from * share.from_left;
    out[row.from + 1] -= at_from * share.from_right;
    out[n + row.latency] -= row.weight * (to - from);
  }
  fix_reference(out);
}

/// The factors L D L' of each domain's own pentadiagonal block.
void ClockSystem::factorise() {
  for (auto* part : {&inverse_, &first_, &second_}) part->resize(unknowns());
  for (std::size_t h = 0; h < domains_; ++h) {
    // Pivots of the previous two knots, and the entries below them in their columns.
    double pivot = 1, pivot_before = 1, next = 0, second = 0, second_before = 0;
    for (std::size_t k = 0; k < knots_; ++k) {
      const std::size_t i = h * knots_ + k;
      const double d = std::max(own_[i] - next * next * pivot - second_before * second_before * pivot_before,
                                ClockTuning::kLeastPivot);
      const double off = own_next_[i] - next * second * pivot;
      pivot_before = pivot;
      pivot = d;
      second_before = second;
      next = k + 1 < knots_ ? off / d : 0;
      second = k + 2 < knots_ ? own_second_[i] / d : 0;
      inverse_[i] = static_cast<float>(1 / d);
      first_[i] = static_cast<float>(next);
      second_[i] = static_cast<float>(second);
    }
  }
}

template <std::size_t Lanes>
void ClockSystem::substitute(std::size_t first_domain, const std::vector<double>& v, std::vector<double>& out) const {
  const std::size_t base = first_domain * knots_;
  std::array<double, Lanes> last{}, before{};
  for (std::size_t k = 0; k < knots_; ++k)
    for (std::size_t lane = 0; lane < Lanes; ++lane) {
      const std::size_t i = base + lane * knots_ + k;
      double y = v[i];
      if (k >= 1) y -= first_[i - 1] * last[lane];
      if (k >= 2) y -= second_[i - 2] * before[lane];
      before[lane] = last[lane];
      last[lane] = y;
      out[i] = y * inverse_[i];
    }
  last = before = {};
  for (std::size_t k = knots_; k-- > 0;)
    for (std::size_t lane = 0; lane < Lanes; ++lane) {
      const std::size_t i = base + lane * knots_ + k;
      const double y = out[i] - first_[i] * last[lane] - second_[i] * before[lane];
      before[lane] = last[lane];
      last[lane] = y;
      out[i] = y;
    }
}

void ClockSystem::precondition(const std::vector<double>& v, std::vector<double>& out) const {
  std::size_t h = 0;
  for (; h + ClockTuning::kLanes <= domains_; h += ClockTuning::kLanes) substitute<ClockTuning::kLanes>(h, v, out);
  for (; h < domains_; ++h) substitute<1>(h, v, out);
  const std::size_t n = unknowns();
  for (std::size_t l = 0; l < priors.size(); ++l) out[n + l] = v[n + l] / latency_own_[l];
  fix_reference(out);
}

int ClockSystem::solve(double tolerance, int most_steps) {
  assemble();
  factorise();
  const std::size_t total = x.size();
  std::vector<double> residual(total), image(total), helped(total);
  downhill(residual);
  precondition(residual, helped);
  std::vector<double> direction = helped;
  double energy = dot(residual, helped);
  const double enough = std::max(tolerance * energy, ClockTuning::kExactEnough),
               diverged = ClockTuning::kBlownUp * energy;
  const std::vector<double> start = x;
  int steps = 0;
  for (; steps < most_steps && energy > enough; ++steps) {
    multiply(direction, image);
    const double curvature = dot(direction, image);
    if (!(curvature > 0)) break;  // rounding: no longer positive definite
    const double length = energy / curvature;
    for (std::size_t i = 0; i < total; ++i) {
      x[i] += length * direction[i];
      residual[i] -= length * image[i];
    }
    precondition(residual, helped);
    const double next = dot(residual, helped);
    if (!(next >= 0 && next <= diverged)) {  // NaN, or the solver diverged
      x = start;
      break;
    }
    const double turn = next / energy;
    energy = next;
    for (std::size_t i = 0; i < total; ++i) direction[i] = helped[i] + turn * direction[i];
  }
  return steps;
}

}  // namespace meridian
