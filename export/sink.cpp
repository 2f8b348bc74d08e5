// SPDX-License-Identifier: Apache-2.0
#include "export/sink.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "trace/format/tables/temporary_files.hpp"

namespace meridian {
namespace {

namespace fs = std::filesystem;

/// 0, or errno.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(descriptor, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return done < 0 ? errno : EIO;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  return 0;
}

class DirectorySink final : public ExportSink {
 public:
  DirectorySink(fs::path directory, bool is_forced) : directory_{std::move(directory)}, is_forced_{is_forced} {}
  ~DirectorySink() override {
    close();
    for (const fs::path& name : begun_) {
      ::unlink(part_of(name).c_str());
      forget_temporary_file(part_of(name));
    }
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }

  Result<bool> begin(const std::string& file) override {
    MERIDIAN_TRY_DO(close_written());
    MERIDIAN_TRY(const fs::path name, final_name(file));
    const fs::path part = part_of(name);
    ::unlink(part.c_str());
    file_ = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file_ < 0) return refuse("create", part, errno);
    begun_.push_back(name);
    note_temporary_file(part);
    return true;
  }

  Status write(std::string_view text) override {
    if (const int code = write_all(file_, text); code != 0) return refuse("write", part_of(begun_.back()), code);
    return {};
  }

  Result<fs::path> begin_folder(const std::vector<std::string>& names) override {
    MERIDIAN_TRY_DO(close_written());
    for (const std::string& name : names) MERIDIAN_TRY_DO(final_name(name));
    folder_ = directory_ / ".part";
    in_folder_ = names;
    std::error_code problem;
    fs::remove_all(folder_, problem);  // of an export that was killed
    if (!problem) fs::create_directory(folder_, problem);
    if (problem) return refuse("make", folder_, problem.value());
    return folder_;
  }

  Status finish() override {
    MERIDIAN_TRY_DO(close_written());
    for (const std::string& name : in_folder_) {
      std::error_code problem;
      fs::remove_all(directory_ / name, problem);
      fs::rename(folder_ / name, directory_ / name, problem);
      if (problem) return refuse("rename to", directory_ / name, problem.value());
    }
    in_folder_.clear();
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
    for (; !begun_.empty(); begun_.erase(begun_.begin())) {
      if (::rename(part_of(begun_.front()).c_str(), begun_.front().c_str()) != 0)
        return refuse("rename to", begun_.front(), errno);
      forget_temporary_file(part_of(begun_.front()));
    }
    return {};
  }

 private:
  /// The file must not exist, but its directory does afterwards.
  Result<fs::path> final_name(const std::string& file) const {
    std::error_code problem;
    fs::create_directories(directory_, problem);
    if (problem) return refuse("make", directory_, problem.value());
    fs::path name = directory_ / file;
    if (!is_forced_ && fs::exists(fs::symlink_status(name, problem)))
      return Error{Errc::invalid_argument, std::string{"'"}.append(name.string()).append("' exists"),
                   "choose another directory, or give --force"};
    return name;
  }
  static fs::path part_of(fs::path name) { return name += ".part"; }
  static Error refuse(const char* action, const fs::path& path, int code) {
    return {Errc::io, std::string{"cannot "} + action + " '" + path.string() + "': " + std::strerror(code),
            "choose a directory that can be written with --output"};
  }
  bool close() {
    const int file = std::exchange(file_, -1);
    return file < 0 || ::close(file) == 0;
  }
  Status close_written() {
    if (!close()) return refuse("write", part_of(begun_.back()), errno);
    return {};
  }

  fs::path directory_;
  bool is_forced_;
  int file_ = -1;
  std::vector<fs::path> begun_;  // not renamed yet
  fs::path folder_;              // empty: none
  std::vector<std::string> in_folder_;
};

class StreamSink final : public ExportSink {
 public:
  StreamSink(int descriptor, std::string wanted) : descriptor_{descriptor}, wanted_{std::move(wanted)} {}
  Result<bool> begin(const std::string& file) override { return file == wanted_ && !is_closed_; }
  Status write(std::string_view text) override {
    if (is_closed_) return {};
    const int code = write_all(descriptor_, text);
    if (code == EPIPE) is_closed_ = true;
    if (code == 0 || code == EPIPE) return {};
    return Error{Errc::io, std::string{"cannot write to standard output: "} + std::strerror(code), ""};
  }
  Result<fs::path> begin_folder(const std::vector<std::string>&) override {
    return Error{Errc::unsupported, "this format has several files and cannot be printed",
                 "give --output instead of --stdout"};
  }
  Status finish() override { return {}; }

 private:
  int descriptor_;
  std::string wanted_;
  bool is_closed_ = false;
};

}  // namespace

std::unique_ptr<ExportSink> directory_sink(fs::path directory, bool is_forced) {
  return std::make_unique<DirectorySink>(std::move(directory), is_forced);
}
std::unique_ptr<ExportSink> stream_sink(int descriptor, std::string wanted) {
  return std::make_unique<StreamSink>(descriptor, std::move(wanted));
}

}  // namespace meridian
