// SPDX-License-Identifier: Apache-2.0
#include "merger/sites/resolve_sites.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <string>
#include <string_view>

#include "merger/sites/run_apart.hpp"

namespace meridian {
namespace {

constexpr std::chrono::seconds kMostTime{60};               // for one module
constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // of one module's answer
constexpr std::size_t kLongestText = 4096;
constexpr std::string_view kStatMark = "stat:";

// An answer begins with one of these letters. Then follow, for each site, function, outer, file, line and column, each
// terminated by a zero.
constexpr char kIsRead = 'r', kIsOther = 'o', kIsUnreadable = 'u';

/// Collects text and writes it in large pieces.
class Answer {
 public:
  explicit Answer(int descriptor) : descriptor_{descriptor} {}
  void add(std::string_view text) {
    text_.append(text.substr(0, std::min(text.find('\0'), kLongestText)));
    text_ += '\0';
    if (text_.size() > kPiece) send();
  }
  void mark(char what) { text_ += what; }
  void send() {
    std::string_view left = text_;
    while (!left.empty()) {
      const ssize_t written = ::write(descriptor_, left.data(), left.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) break;
      left.remove_prefix(static_cast<std::size_t>(written));
    }
    text_.clear();
  }

 private:
  static constexpr std::size_t kPiece = 1 << 14;
  int descriptor_;
  std::string text_;
};

/// Takes the next text; false if it is not complete.
bool take(std::string_view& answer, std::string_view& text) {
  const std::size_t length = answer.find('\0');
  if (length == std::string_view::npos) return false;
  text = answer.substr(0, length);
  answer.remove_prefix(length + 1);
  return true;
}

std::uint32_t number(std::string_view text) {
  std::uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// False if the answer ends before the source location is complete.
bool take(std::string_view& answer, SourcePlace& place) {
  std::string_view function, outer, file, line, column;
  if (!take(answer, function) || !take(answer, outer) || !take(answer, file) || !take(answer, line) ||
      !take(answer, column))
    return false;
  place = {std::string{function}, std::string{outer}, std::string{file}, number(line), number(column)};
  return true;
}

std::string stat_identity(const struct stat& status) {
  std::string nanoseconds = std::to_string(status.st_mtim.tv_nsec);
  nanoseconds.insert(0, 9 - std::min<std::size_t>(nanoseconds.size(), 9), '0');
  return std::string{kStatMark} + std::to_string(status.st_size) + ":" + std::to_string(status.st_mtim.tv_sec) + "." +
         nanoseconds;
}

/// Opens the module's file if it is a regular file and may be the one that ran; otherwise -1.
int open_module(const Module& module) {
  struct stat status {};
  if (::stat(module.path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return -1;
  const int descriptor = ::open(module.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return -1;
  const bool has_build_id = module.identity.size() > 1 && !module.identity.starts_with(kStatMark);
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
      (has_build_id || module.identity == stat_identity(status)))
    return descriptor;
  ::close(descriptor);
  return -1;
}

class Resolver {
 public:
  Resolver(const SiteTable& table, Findings& findings)
      : table_{table}, findings_{findings}, places_(table.sites().size()) {}

  std::vector<SourcePlace> run() {
    std::vector<std::vector<std::uint32_t>> sites_of(table_.modules().size());
    for (std::uint32_t i = 1; i < table_.sites().size(); ++i) sites_of[table_.sites()[i].module].push_back(i);
    if (!sites_of[kNoModule].empty()) findings_.add(FindingId::site_unknown, sites_of[kNoModule].size());
    if (table_.is_full()) findings_.add(FindingId::site_too_many);
    for (std::size_t i = 1; i < sites_of.size(); ++i)
      if (!sites_of[i].empty()) resolve(table_.modules()[i], sites_of[i]);
    return std::move(places_);
  }

 private:
  void resolve(const Module& module, const std::vector<std::uint32_t>& sites) {
    if (module.is_script) {
      for (const std::uint32_t site : sites) {
        const ScriptLine& line = table_.line(site);
        places_[site] = {line.function, "", line.file, line.line, 0};
      }
      return;
    }
    if (module.is_mpi) findings_.add(FindingId::site_in_mpi, sites.size(), module.path);
    if (!can_read_debug_info()) {
      findings_.add(FindingId::site_no_reader, sites.size());
      return;
    }
    const int descriptor = open_module(module);
    if (descriptor < 0) {
      findings_.add(FindingId::site_file_missing, sites.size(), module.path);
      return;
    }
    const Apart apart = run_apart([&](int output) { read(module, descriptor, sites, output); }, kMostTime, kMostBytes);
    ::close(descriptor);
    std::string_view answer = apart.output;
    const char mark = answer.empty() ? kIsUnreadable : answer.front();
    if (mark == kIsOther) {
      findings_.add(FindingId::site_file_missing, sites.size(), module.path);
      return;
    }
    if (!answer.empty()) answer.remove_prefix(1);
    std::size_t known = 0;
    while (mark == kIsRead && known < sites.size() && take(answer, places_[sites[known]])) ++known;
    if (known < sites.size()) findings_.add(FindingId::site_unreadable, sites.size() - known, module.path);
  }

  /// Runs in the separate process.
  void read(const Module& module, int descriptor, const std::vector<std::uint32_t>& sites, int output) const {
    std::vector<std::uint64_t> offsets;
    offsets.reserve(sites.size());
    for (const std::uint32_t site : sites) offsets.push_back(table_.sites()[site].offset);
    const std::string build_id = module.identity.starts_with(kStatMark) ? "" : module.identity;
    Answer answer{output};
    bool is_begun = false;
    const auto take = [&](const SourcePlace& place) {
      if (!is_begun) answer.mark(kIsRead);
      is_begun = true;
      answer.add(place.function);
      answer.add(place.outer);
      answer.add(place.file);
      answer.add(std::to_string(place.line));
      answer.add(std::to_string(place.column));
    };
    const DebugInfo found = read_places(descriptor, module.path, build_id, offsets, take);
    if (!is_begun) answer.mark(found == DebugInfo::is_other_file ? kIsOther : kIsUnreadable);
    answer.send();
  }

  const SiteTable& table_;
  Findings& findings_;
  std::vector<SourcePlace> places_;
};

}  // namespace

std::vector<SourcePlace> resolve_sites(const SiteTable& table, Findings& findings) {
  return Resolver{table, findings}.run();
}

}  // namespace meridian
