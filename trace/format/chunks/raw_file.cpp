// SPDX-License-Identifier: Apache-2.0
#include "trace/format/chunks/raw_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <list>
#include <mutex>
#include <string>

#include "trace/model/handles.hpp"

namespace meridian {
namespace {

using Descriptor = Unique<&::close, -1>;

/// The open files, the latest used first.
class OpenFiles {
 public:
  struct Entry {
    const RawFile* file;
    std::shared_ptr<const Descriptor> descriptor;
  };

  std::shared_ptr<const Descriptor> find(const RawFile* file) {
    const std::scoped_lock lock{mutex_};
    for (auto at = entries_.begin(); at != entries_.end(); ++at) {
      if (at->file != file) continue;
      entries_.splice(entries_.begin(), entries_, at);
      return entries_.front().descriptor;
    }
    return nullptr;
  }
  void add(const RawFile* file, std::shared_ptr<const Descriptor> descriptor) {
    const std::scoped_lock lock{mutex_};
    if (entries_.size() == RawFile::kMostOpen) entries_.pop_back();  // closed when its last reader has finished
    entries_.push_front({file, std::move(descriptor)});
  }
  void forget(const RawFile* file) {
    const std::scoped_lock lock{mutex_};
    std::erase_if(entries_, [&](const Entry& entry) { return entry.file == file; });
  }

 private:
  std::mutex mutex_;
  std::list<Entry> entries_;
};

OpenFiles& open_files() {
  static OpenFiles files;
  return files;
}

}  // namespace

Error RawFile::problem(const char* reason) const {
  return Error{Errc::io, "cannot read '" + path_.string() + "': " + reason, ""};
}

Result<std::shared_ptr<RawFile>> RawFile::find(const std::filesystem::path& path) {
  std::shared_ptr<RawFile> file{new RawFile{path}};
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    Error error = file->problem(std::strerror(errno));
    if (errno == ENOENT) error.code = Errc::not_found;
    return error;
  }
  file->device_ = status.st_dev;
  file->inode_ = status.st_ino;
  file->bytes_ = static_cast<std::uint64_t>(status.st_size);
  return file;
}

RawFile::~RawFile() { open_files().forget(this); }

Status RawFile::read(std::uint64_t offset, std::span<std::uint8_t> bytes) const {
  std::shared_ptr<const Descriptor> descriptor = open_files().find(this);
  if (descriptor == nullptr) {
    descriptor = std::make_shared<const Descriptor>(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    if (descriptor->get() < 0) return problem(std::strerror(errno));
    struct stat status {};
    if (::fstat(descriptor->get(), &status) != 0) return problem(std::strerror(errno));
    if (status.st_dev != device_ || status.st_ino != inode_) return problem("another file has taken its place");
    open_files().add(this, descriptor);
  }
  while (!bytes.empty()) {
    const ssize_t done = ::pread(descriptor->get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return problem(std::strerror(errno));
    if (done == 0) return Error{Errc::damaged, "'" + path_.string() + "' ends too early", ""};
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    offset += static_cast<std::uint64_t>(done);
  }
  return {};
}

}  // namespace meridian
