// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "export/sink.hpp"
#include "trace/model/result.hpp"

namespace meridian {

/// Collects text for a file of a sink, which receives it in large pieces.
class SinkBuffer {
 public:
  explicit SinkBuffer(ExportSink& sink) : sink_{sink} {}

  SinkBuffer& operator<<(std::string_view text) {
    text_ += text;
    return *this;
  }
  SinkBuffer& operator<<(char letter) {
    text_ += letter;
    return *this;
  }
  template <std::integral Number>
  SinkBuffer& operator<<(Number number) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    text_.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
    return *this;
  }
  /// `value` / 10^digits, with all digits: fixed_point(1234567, 3) is "1234.567".
  SinkBuffer& fixed_point(std::int64_t value, std::size_t digits) {
    const std::string whole =
        std::to_string(value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value));
    const std::string padded = whole.size() > digits ? whole : std::string(digits + 1 - whole.size(), '0') + whole;
    if (value < 0) text_ += '-';
    text_.append(padded, 0, padded.size() - digits).append(1, '.').append(padded, padded.size() - digits);
    return *this;
  }
  /// To be called now and then: writes what has been collected if it is much.
  Status pass_on() { return text_.size() < kFullBytes ? Status{} : flush(); }
  Status flush() {
    MERIDIAN_TRY_DO(sink_.write(text_));
    text_.clear();
    return {};
  }

 private:
  static constexpr std::size_t kFullBytes = std::size_t{1} << 20;
  ExportSink& sink_;
  std::string text_;
};

}  // namespace meridian
