#include "merger/clocks/clock_system.hpp"

#include <algorithm>
#include <numeric>

namespace meridian {
namespace {

constexpr double kRidge = 1e-12;  // keeps in place what no observation binds
constexpr double kSmallestPivot = 1e-18;
constexpr double kExactEnough = 1e-18;
constexpr double kBlownUp = 1e6;  // a residual that is so much larger than the first: nothing comes of it

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

ClockSystem::ClockSystem(std::size_t domains, std::size_t knots, std::size_t reference)
    : bends(domains * knots), domains_{domains}, knots_{knots}, reference_{reference} {}

void ClockSystem::fix_reference(std::vector<double>& v) const {
  std::fill_n(v.begin() + static_cast<std::ptrdiff_t>(reference_ * knots_), knots_, 0.0);
}

void ClockSystem::multiply(const std::vector<double>& v, std::vector<double>& out) const {
  const std::size_t n = unknowns();
  for (std::size_t i = 0; i < n; ++i) out[i] = kRidge * v[i];
  for (std::size_t l = n; l < v.size(); ++l) out[l] = stiffness * v[l];
  for (const ClockRow& row : rows) {
    const double q = row.weight * (row.difference(v) - v[n + row.latency]);
    const auto to = static_cast<double>(row.to_share), from = static_cast<double>(row.from_share);
    out[row.to] += q * (1 - to);
    out[row.to + 1] += q * to;
    out[row.from] -= q * (1 - from);
    out[row.from + 1] -= q * from;
    out[n + row.latency] -= q;
  }
  for (std::size_t h = 0; h < domains_; ++h) {
    if (h == reference_) continue;
    const double* const in = &v[h * knots_];
    double* const to = &out[h * knots_];
    const double* const bend = &bends[h * knots_];
    for (std::size_t k = 1; k + 1 < knots_; ++k) {
      const double q = bend[k] * (in[k - 1] - 2 * in[k] + in[k + 1]);
      to[k - 1] += q;
      to[k] -= 2 * q;
      to[k + 1] += q;
    }
  }
  fix_reference(out);
}

/// L D L' of each domain's own block, which has two diagonals beside the main one.
void ClockSystem::factorise() {
  const std::size_t n = unknowns();
  diagonal_.assign(n, kRidge);
  first_.assign(n, 0);
  second_.assign(n, 0);
  latency_diagonal_.assign(priors.size(), stiffness);
  const auto add = [&](std::uint32_t left, double share, double weight) {
    diagonal_[left] += weight * (1 - share) * (1 - share);
    first_[left] += weight * (1 - share) * share;
    diagonal_[left + 1] += weight * share * share;
  };
  for (const ClockRow& row : rows) {
    add(row.to, static_cast<double>(row.to_share), row.weight);
    add(row.from, static_cast<double>(row.from_share), row.weight);
    latency_diagonal_[row.latency] += row.weight;
  }
  for (std::size_t h = 0; h < domains_; ++h) {
    const std::size_t base = h * knots_;
    for (std::size_t k = 1; k + 1 < knots_; ++k) {
      const double w = bends[base + k];
      const std::size_t i = base + k;
      diagonal_[i - 1] += w;
      diagonal_[i] += 4 * w;
      diagonal_[i + 1] += w;
      first_[i - 1] -= 2 * w;
      first_[i] -= 2 * w;
      second_[i - 1] += w;
    }
    for (std::size_t k = 0; k < knots_; ++k) {
      const std::size_t i = base + k;
      double d = diagonal_[i];
      if (k >= 1) d -= first_[i - 1] * first_[i - 1] * diagonal_[i - 1];
      if (k >= 2) d -= second_[i - 2] * second_[i - 2] * diagonal_[i - 2];
      diagonal_[i] = std::max(d, kSmallestPivot);
      double off = first_[i];
      if (k >= 1) off -= first_[i - 1] * diagonal_[i - 1] * second_[i - 1];
      first_[i] = k + 1 < knots_ ? off / diagonal_[i] : 0;
      second_[i] = k + 2 < knots_ ? second_[i] / diagonal_[i] : 0;
    }
  }
}

void ClockSystem::precondition(const std::vector<double>& v, std::vector<double>& out) const {
  for (std::size_t h = 0; h < domains_; ++h) {
    const std::size_t base = h * knots_;
    for (std::size_t i = base; i < base + knots_; ++i) {
      double y = v[i];
      if (i >= base + 1) y -= first_[i - 1] * out[i - 1];
      if (i >= base + 2) y -= second_[i - 2] * out[i - 2];
      out[i] = y;
    }
    for (std::size_t i = base; i < base + knots_; ++i) out[i] /= diagonal_[i];
    for (std::size_t i = base + knots_; i-- > base;) {
      double y = out[i];
      if (i + 1 < base + knots_) y -= first_[i] * out[i + 1];
      if (i + 2 < base + knots_) y -= second_[i] * out[i + 2];
      out[i] = y;
    }
  }
  const std::size_t n = unknowns();
  for (std::size_t l = 0; l < priors.size(); ++l) out[n + l] = v[n + l] / latency_diagonal_[l];
  fix_reference(out);
}

int ClockSystem::solve(double tolerance, int most_steps) {
  factorise();
  const std::size_t n = unknowns(), total = x.size();
  std::vector<double> right(total, 0), residual(total), direction(total), image(total), helped(total);
  for (std::size_t i = 0; i < n; ++i) right[i] = kRidge * home[i];
  for (const ClockRow& row : rows) {
    const double q = row.weight * row.value;
    const auto to = static_cast<double>(row.to_share), from = static_cast<double>(row.from_share);
    right[row.to] += q * (1 - to);
    right[row.to + 1] += q * to;
    right[row.from] -= q * (1 - from);
    right[row.from + 1] -= q * from;
    right[n + row.latency] -= q;
  }
  for (std::size_t l = 0; l < priors.size(); ++l) right[n + l] += stiffness * priors[l];
  multiply(x, image);
  for (std::size_t i = 0; i < total; ++i) residual[i] = right[i] - image[i];
  fix_reference(residual);
  precondition(residual, helped);
  direction = helped;
  double energy = dot(residual, helped);
  const double enough = std::max(tolerance * energy, kExactEnough), hopeless = kBlownUp * energy;
  const std::vector<double> start = x;
  int steps = 0;
  for (; steps < most_steps && energy > enough; ++steps) {
    multiply(direction, image);
    const double curvature = dot(direction, image);
    if (!(curvature > 0)) break;  // rounding has eaten what is positive definite
    const double length = energy / curvature;
    for (std::size_t i = 0; i < total; ++i) {
      x[i] += length * direction[i];
      residual[i] -= length * image[i];
    }
    precondition(residual, helped);
    const double next = dot(residual, helped);
    if (!(next >= 0 && next <= hopeless)) {  // no numbers, or ever larger ones
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
