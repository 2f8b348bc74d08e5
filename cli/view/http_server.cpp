// SPDX-License-Identifier: Apache-2.0
#include "cli/view/http_server.hpp"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <list>
#include <optional>
#include <utility>

#include "cli/view/peer_user.hpp"

namespace meridian {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kMostConnections = 32;
constexpr long kMostOfOthers = 8;  // connections of other users of the machine: they get no answers, and could keep all
constexpr unsigned kIdleSeconds = 10;
constexpr std::chrono::seconds kRequestTime{15};  // from the beginning of a connection, or from the last answer
constexpr std::size_t kConnectionBytes = 32768;   // of request line and headers: longer ones are refused

struct Connection {
  int socket = -1;
  Clock::time_point since;
  bool is_answered = false;  // the answer is on its way
  bool is_of_other = false;  // of another user of the machine
};

/// Compares all of it, whatever is equal.
bool is_same_token(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

std::string_view header(MHD_Connection* connection, const char* name) noexcept {
  const char* const value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
  return value == nullptr ? std::string_view{} : value;
}

MHD_Result add_parameter(void* to, MHD_ValueKind, const char* key, const char* value) {
  std::string& query = *static_cast<std::string*>(to);
  if (!query.empty()) query += '&';
  query += key;
  query += '=';
  if (value != nullptr) query += value;
  return MHD_YES;
}

/// Nothing that is asked for needs escapes: they stay as they are, and then name nothing.
std::size_t keep_escapes(void*, MHD_Connection*, char* text) { return std::strlen(text); }

MHD_Result send(MHD_Connection* connection, const HttpAnswer& answer) {
  std::string body = answer.body;
  MHD_Response* const response = MHD_create_response_from_buffer(body.size(), body.data(), MHD_RESPMEM_MUST_COPY);
  if (response == nullptr) return MHD_NO;
  constexpr std::pair<const char*, const char*> kHeaders[] = {{"Cache-Control", "no-store"},
                                                              {"X-Content-Type-Options", "nosniff"},
                                                              {"Referrer-Policy", "no-referrer"},
                                                              {"X-Frame-Options", "DENY"},
                                                              {"Cross-Origin-Resource-Policy", "same-origin"},
                                                              {"Cross-Origin-Opener-Policy", "same-origin"}};
  for (const auto& [name, value] : kHeaders) MHD_add_response_header(response, name, value);
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer.type.c_str());
  if (answer.status >= 400) MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
  const MHD_Result result = MHD_queue_response(connection, answer.status, response);
  MHD_destroy_response(response);
  return result;
}

}  // namespace

struct HttpServer::Impl {
  std::string prefix;  // "/TOKEN/"
  Handler handler;
  std::list<Connection> connections;
  MHD_Daemon* daemon = nullptr;
  std::uint16_t port = 0;
  bool is_next_of_other = false;  // the connection that is accepted now

  Impl(const std::string& token, Handler answers) : prefix{"/" + token + "/"}, handler{std::move(answers)} {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (daemon != nullptr) MHD_stop_daemon(daemon);
  }

  /// Why a request is refused, before anything that it names is looked at.
  std::optional<HttpAnswer> refusal(MHD_Connection* connection, std::string_view method, std::string_view url) const {
    const auto refuse = [](unsigned status, std::string text) {
      return HttpAnswer{.status = status, .body = std::move(text) + "\n"};
    };
    if (!is_loopback_host(header(connection, MHD_HTTP_HEADER_HOST)))
      return refuse(MHD_HTTP_FORBIDDEN, "this server answers requests for 127.0.0.1 and localhost only");
    const std::string_view site = header(connection, "Sec-Fetch-Site");
    if (!site.empty() && site != "same-origin" && site != "none")
      return refuse(MHD_HTTP_FORBIDDEN, "this server answers its own page only");
    if (method != MHD_HTTP_METHOD_GET && method != MHD_HTTP_METHOD_HEAD)
      return refuse(MHD_HTTP_METHOD_NOT_ALLOWED, "only GET is allowed");
    const std::string_view length = header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
    if ((!length.empty() && length != "0") || !header(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING).empty())
      return refuse(MHD_HTTP_CONTENT_TOO_LARGE, "a request has no body here");
    if (url.size() < prefix.size() || !is_same_token(url.substr(0, prefix.size()), prefix))
      return refuse(MHD_HTTP_NOT_FOUND, "there is nothing here: use the address that meridian view printed");
    return std::nullopt;
  }

  static MHD_Result look_at(void* self, MHD_Connection* connection, const char* url, const char* method, const char*,
                            const char*, std::size_t* uploaded, void** state) {
    Impl& server = *static_cast<Impl*>(self);
    const MHD_ConnectionInfo* const info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    Connection* const own = info == nullptr ? nullptr : static_cast<Connection*>(info->socket_context);
    const auto answer = [&](const HttpAnswer& what) {
      if (own != nullptr) own->is_answered = true;
      return send(connection, what);
    };
    if (*state == nullptr) {  // the headers have arrived
      *state = self;
      if (const auto refused = server.refusal(connection, method, url)) return answer(*refused);
      return MHD_YES;
    }
    if (*uploaded != 0) return MHD_NO;
    std::string query;
    MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, &add_parameter, &query);
    return answer(server.handler(std::string_view{url}.substr(server.prefix.size()), query));
  }

  static MHD_Result accept(void* self, const sockaddr* from, socklen_t bytes) {
    Impl& server = *static_cast<Impl*>(self);
    server.is_next_of_other = false;
    if (from->sa_family != AF_INET || bytes < sizeof(sockaddr_in)) return MHD_YES;
    const std::uint16_t peer = ntohs(reinterpret_cast<const sockaddr_in*>(from)->sin_port);
    const std::optional<uid_t> user = peer_user(peer, server.port);
    server.is_next_of_other = user && *user != ::geteuid();
    const auto others = std::ranges::count(server.connections, true, &Connection::is_of_other);
    return server.is_next_of_other && others >= kMostOfOthers ? MHD_NO : MHD_YES;
  }

  static void follow_connection(void* self, MHD_Connection* connection, void** context,
                                MHD_ConnectionNotificationCode code) {
    Impl& server = *static_cast<Impl*>(self);
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
      const MHD_ConnectionInfo* const info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
      *context = &server.connections.emplace_back(
          Connection{info == nullptr ? -1 : info->connect_fd, Clock::now(), false, server.is_next_of_other});
    } else {
      server.connections.remove_if([&](const Connection& each) { return &each == *context; });
    }
  }

  static void end_request(void*, MHD_Connection* connection, void**, MHD_RequestTerminationCode) {
    const MHD_ConnectionInfo* const info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    if (info == nullptr || info->socket_context == nullptr) return;
    Connection& own = *static_cast<Connection*>(info->socket_context);
    own.is_answered = false;
    own.since = Clock::now();
  }
};

HttpServer::HttpServer(std::shared_ptr<Impl> impl) : impl_{std::move(impl)} {}
HttpServer::HttpServer(HttpServer&&) noexcept = default;
HttpServer& HttpServer::operator=(HttpServer&&) noexcept = default;
HttpServer::~HttpServer() = default;

Result<HttpServer> HttpServer::start(std::uint16_t port, const std::string& token, Handler handler) {
  auto impl = std::make_shared<Impl>(token, std::move(handler));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  errno = 0;
  impl->daemon = MHD_start_daemon(MHD_USE_EPOLL, port, &Impl::accept, impl.get(), &Impl::look_at, impl.get(),
                                  MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_LIMIT, kMostConnections,
                                  MHD_OPTION_CONNECTION_TIMEOUT, kIdleSeconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                                  kConnectionBytes, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_UNESCAPE_CALLBACK,
                                  &keep_escapes, nullptr, MHD_OPTION_NOTIFY_CONNECTION, &Impl::follow_connection,
                                  impl.get(), MHD_OPTION_NOTIFY_COMPLETED, &Impl::end_request, nullptr, MHD_OPTION_END);
  if (impl->daemon == nullptr)
    return Error{Errc::io,
                 "cannot serve on port " + std::to_string(port) +
                     " of 127.0.0.1: " + (errno == 0 ? "the server does not start" : std::strerror(errno)),
                 "choose another port with --port, or leave it out"};
  const MHD_DaemonInfo* const info = MHD_get_daemon_info(impl->daemon, MHD_DAEMON_INFO_BIND_PORT);
  impl->port = info == nullptr ? port : info->port;
  return HttpServer{std::move(impl)};
}

std::uint16_t HttpServer::port() const noexcept { return impl_->port; }

void HttpServer::serve(std::chrono::milliseconds time) {
  MHD_run_wait(impl_->daemon, static_cast<std::int32_t>(time.count()));
  const Clock::time_point now = Clock::now();
  for (const Connection& connection : impl_->connections)
    if (!connection.is_answered && connection.socket >= 0 && now - connection.since > kRequestTime)
      shutdown(connection.socket, SHUT_RDWR);
}

}  // namespace meridian
