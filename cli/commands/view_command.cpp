// SPDX-License-Identifier: Apache-2.0
// meridian view: the page of `meridian report` with every event at hand, served to a browser on this machine.

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/report_text.hpp"
#include "cli/support/interruption.hpp"
#include "cli/view/http_server.hpp"
#include "report/data/page_part.hpp"

namespace meridian {
namespace {

struct ViewArguments {
  std::string trace;
  std::uint64_t port = 0;
};

/// More bins than a file has, because nobody has to store or to send this page.
constexpr PageBudget kViewBudget{.rows = 128, .cells = std::size_t{1} << 21, .bins = 32768, .events = 120'000};
constexpr std::chrono::milliseconds kTurn{500};

volatile std::sig_atomic_t is_ended = 0;
void end_serving(int) { is_ended = 1; }

/// From now on SIGINT, SIGTERM and SIGHUP end the server, not the process. Those that the caller ignores (nohup) stay ignored.
void end_at_signals() {
  struct sigaction action {};
  action.sa_handler = &end_serving;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
}

HttpAnswer answer(const ReportSource& source, const std::string& page, std::string_view path, std::string_view query) {
  if (path.empty()) return {.type = "text/html; charset=utf-8", .body = page};
  if (path != "part") return {.status = 404, .body = "there is no such part of the report\n"};
  const auto request = parse_part(query, source.rows, source.trace.definitions());
  if (!request) return {.status = 400, .body = request.error().what + "\n"};
  const auto part = page_part(source.trace, *request);
  if (!part) return {.status = 500, .body = part.error().what + "\n"};
  return {.type = "application/json", .body = part->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)};
}

int view(const ViewArguments& arguments) {
  clean_up_when_interrupted(&wipe_progress);
  auto source = open_report_source(arguments.trace, kViewBudget);
  if (!source) return fail(source.error());
  // Before the trace is read, which may take a while: a port that is taken, or a build without a server, is an error at once.
  const auto token = random_token();
  if (!token) return fail(token.error());
  std::string page;
  auto server = HttpServer::start(
      static_cast<std::uint16_t>(arguments.port), *token,
      [&](std::string_view path, std::string_view query) { return answer(**source, page, path, query); });
  if (!server) return fail(server.error());
  PageText about = page_text((*source)->summary);
  about.is_served = true;
  auto made = make_report(**source, kViewBudget, about);
  if (!made) return fail(made.error());
  page = *std::move(made);

  end_at_signals();
  std::string text = fmt::format("Report at http://127.0.0.1:{}/{}/\nCtrl-C ends it.\n", server->port(), *token);
  if (std::getenv("SSH_CONNECTION") != nullptr)
    text += fmt::format("From elsewhere: ssh -L {0}:127.0.0.1:{0} HOST, then the same address.\n", server->port());
  if (!print(text)) return kExitCouldNotRun;
  while (is_ended == 0) server->serve(kTurn);
  return kExitFine;
}

}  // namespace

Command view_command() {
  const auto arguments = std::make_shared<ViewArguments>();
  return {"view",
          "Show the report in a browser on this machine, with every event at hand",
          {{"trace", "PATH", "merged.h5 or its directory (default: latest)", &arguments->trace},
           {"--port", "N", "Port on 127.0.0.1 (default: any that is free)", &arguments->port, AllowedRange{1, 65535}}},
          [arguments] { return view(*arguments); },
          "The address that it prints has a random part: only who knows it sees the trace. Nothing is written."};
}

}  // namespace meridian
