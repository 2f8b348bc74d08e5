// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace meridian {

enum class Errc {
  invalid_argument,  ///< the request of the caller or user is not valid
  not_found,         ///< a file, directory, group or dataset does not exist
  io,                ///< the operating system or HDF5 refused
  damaged,           ///< the data contradict their format
  unsupported,       ///< a newer schema, or a feature that this build does not have
};

/// `what` names the action, the object and the reason; `hint` says what the user can do (may be empty).
/// Neither has an "Error:" prefix or a trailing newline.
struct Error {
  Errc code{};
  std::string what;
  std::string hint;
};

/// A value or the Error that prevented it.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_{std::in_place_index<0>, std::move(value)} {}
  Result(Error error) : state_{std::in_place_index<1>, std::move(error)} {}
  explicit operator bool() const noexcept { return state_.index() == 0; }
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  Error& error() { return std::get<1>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

/// As small as a pointer, because functions that look at one event return it.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_{std::make_unique<Error>(std::move(error))} {}
  Result(const Result& other) : error_{other.error_ ? std::make_unique<Error>(*other.error_) : nullptr} {}
  Result(Result&&) noexcept = default;
  Result& operator=(Result other) noexcept {
    error_ = std::move(other.error_);
    return *this;
  }
  ~Result() = default;
  explicit operator bool() const noexcept { return !error_; }
  Error& error() { return *error_; }
  const Error& error() const { return *error_; }

 private:
  std::unique_ptr<Error> error_;
};

using Status = Result<void>;

}  // namespace meridian

#define MERIDIAN_CONCAT_(a, b) a##b
#define MERIDIAN_CONCAT(a, b) MERIDIAN_CONCAT_(a, b)

/// MERIDIAN_TRY(declaration, expression): declares from the value, or returns the error from this function.
#define MERIDIAN_TRY(declaration, ...) MERIDIAN_TRY_(MERIDIAN_CONCAT(meridian_try_, __LINE__), declaration, __VA_ARGS__)
#define MERIDIAN_TRY_(temporary, declaration, ...)     \
  auto temporary = (__VA_ARGS__);                      \
  if (!temporary) return std::move(temporary).error(); \
  declaration = *std::move(temporary)

/// MERIDIAN_TRY_DO(expression): for Status; returns the error from this function.
#define MERIDIAN_TRY_DO(...)                                                 \
  do {                                                                       \
    auto meridian_try_status = (__VA_ARGS__);                                \
    if (!meridian_try_status) return std::move(meridian_try_status).error(); \
  } while (false)

/// Checks an invariant of our own code, never input, which gives an Error. Not for code that runs in an application.
#define MERIDIAN_CHECK(condition)                                                                      \
  do {                                                                                                 \
    if (!(condition)) [[unlikely]] {                                                                   \
      std::fprintf(stderr, "meridian: internal error: %s at %s:%d\n", #condition, __FILE__, __LINE__); \
      std::abort();                                                                                    \
    }                                                                                                  \
  } while (false)
