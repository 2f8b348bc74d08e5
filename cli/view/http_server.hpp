// SPDX-License-Identifier: Apache-2.0
#pragma once

// A small HTTP server for one user on this machine.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "trace/model/result.hpp"

namespace meridian {

struct HttpAnswer {
  unsigned status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
};

/// Serves on the loopback interface only. Refuses requests whose path does not begin with the token, those for another
/// host name (DNS rebinding) or from another site, all methods but GET and HEAD, and bodies; connections are limited in
/// number, in memory and in the time that a request may take to arrive.
class HttpServer {
 public:
  /// Called by serve() with what follows "/TOKEN/", and with the parameters, "a=1&b=2"; escapes are not decoded.
  using Handler = std::function<HttpAnswer(std::string_view path, std::string_view query)>;

  /// port  0: any that is free
  /// errors  unsupported: this build has no server; io: the port is taken, or the system refuses
  static Result<HttpServer> start(std::uint16_t port, const std::string& token, Handler handler);
  HttpServer(HttpServer&&) noexcept;
  HttpServer& operator=(HttpServer&&) noexcept;
  ~HttpServer();  ///< ends all connections

  std::uint16_t port() const noexcept;
  /// Answers requests for at most that time; returns earlier at a signal. Also ends connections whose request takes too
  /// long to arrive.
  void serve(std::chrono::milliseconds time);

 private:
  struct Impl;
  explicit HttpServer(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;  // not shared: a build without the library does not define what it points to
};

/// Whether a Host header names this machine by one of the names that no other site can have.
bool is_loopback_host(std::string_view host) noexcept;

/// 128 random bits as hexadecimal digits. errors: io: the system has none.
Result<std::string> random_token();

}  // namespace meridian
