// SPDX-License-Identifier: Apache-2.0
// Takes the place of http_server.cpp in a build without libmicrohttpd.
#include "cli/view/http_server.hpp"

namespace meridian {

HttpServer::HttpServer(std::shared_ptr<Impl> impl) : impl_{std::move(impl)} {}
HttpServer::HttpServer(HttpServer&&) noexcept = default;
HttpServer& HttpServer::operator=(HttpServer&&) noexcept = default;
HttpServer::~HttpServer() = default;

Result<HttpServer> HttpServer::start(std::uint16_t, const std::string&, Handler) {
  return Error{Errc::unsupported, "this build of meridian cannot serve pages",
               "install libmicrohttpd (Debian: libmicrohttpd-dev) and build again, or use meridian report"};
}
std::uint16_t HttpServer::port() const noexcept { return 0; }
void HttpServer::serve(std::chrono::milliseconds) {}

}  // namespace meridian
