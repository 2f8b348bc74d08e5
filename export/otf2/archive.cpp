// SPDX-License-Identifier: Apache-2.0
#include "export/otf2/archive.hpp"

#include <sys/resource.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "export/otf2/library_errors.hpp"

namespace meridian::otf2 {
namespace {

constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20;
constexpr std::uint32_t kFewLocations = 256;  // more of them take the smallest chunks that the library permits
constexpr rlim_t kSpareFiles = 64;

OTF2_FlushType flush_always(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }
constexpr OTF2_FlushCallbacks kFlushCallbacks{&flush_always,
                                              nullptr};  // no time: flushes are not events of the program

// By itself the library would collect 128 MiB for each location before it writes. A buffer without memory is written, and
// then asks again.
constexpr std::size_t kChunksOfABuffer = 2;
using BufferChunks = std::array<void*, kChunksOfABuffer>;

void* allocate_chunk(void*, OTF2_FileType, OTF2_LocationRef, void** buffer, std::uint64_t bytes) {
  if (*buffer == nullptr) *buffer = new BufferChunks{};
  for (void*& chunk : *static_cast<BufferChunks*>(*buffer))
    if (chunk == nullptr) return chunk = std::malloc(static_cast<std::size_t>(bytes));
  return nullptr;
}
void free_chunks(void*, OTF2_FileType, OTF2_LocationRef, void** buffer, bool is_final) {
  auto* const chunks = static_cast<BufferChunks*>(*buffer);
  if (chunks == nullptr) return;
  for (void*& chunk : *chunks) std::free(std::exchange(chunk, nullptr));
  if (!is_final) return;
  delete chunks;
  *buffer = nullptr;
}
constexpr OTF2_MemoryCallbacks kMemoryCallbacks{&allocate_chunk, &free_chunks};

/// The library keeps a file open for each location.
void allow_open_files(rlim_t files) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= files) return;
  limit.rlim_cur = limit.rlim_max < files ? limit.rlim_max : files;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Status check(OTF2_ErrorCode code, const char* action) {
  if (code == OTF2_SUCCESS) return {};
  return Error{Errc::io, std::string{"cannot "} + action + " the OTF2 archive: " + describe(code),
               "choose a directory with enough space with --output"};
}

Result<Archive> Archive::create(const std::filesystem::path& folder, std::uint32_t locations) {
  keep_library_errors();
  allow_open_files(rlim_t{locations} + kSpareFiles);
  const std::uint64_t chunk = locations <= kFewLocations ? kMegabyte : OTF2_CHUNK_SIZE_MIN;
  Archive made{OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, chunk,
                                 OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)};
  if (made.archive_ == nullptr) return check(OTF2_ERROR_FILE_INTERACTION, "create").error();
  MERIDIAN_TRY_DO(check(OTF2_Archive_SetSerialCollectiveCallbacks(made.archive_), "create"));
  MERIDIAN_TRY_DO(check(OTF2_Archive_SetFlushCallbacks(made.archive_, &kFlushCallbacks, nullptr), "create"));
  MERIDIAN_TRY_DO(check(OTF2_Archive_SetMemoryCallbacks(made.archive_, &kMemoryCallbacks, nullptr), "create"));
  MERIDIAN_TRY_DO(check(OTF2_Archive_SetCreator(made.archive_, "meridian export"), "create"));
  MERIDIAN_TRY_DO(check(OTF2_Archive_OpenEvtFiles(made.archive_), "create"));
  for (std::uint32_t location = 0; location < locations; ++location) {
    OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(made.archive_, location);
    if (writer == nullptr) return check(OTF2_ERROR_MEM_FAULT, "write events of").error();
    made.writers_.push_back(writer);
  }
  return made;
}

Archive::Archive(Archive&& other) noexcept
    : archive_{std::exchange(other.archive_, nullptr)}, writers_{std::move(other.writers_)} {}
Archive& Archive::operator=(Archive&& other) noexcept {
  std::swap(archive_, other.archive_);
  std::swap(writers_, other.writers_);
  return *this;
}
Archive::~Archive() { (void)close(); }

Result<std::vector<std::uint64_t>> Archive::close_events() {
  std::vector<std::uint64_t> counts(writers_.size());
  for (std::size_t location = 0; location < writers_.size(); ++location) {
    MERIDIAN_TRY_DO(check(OTF2_EvtWriter_GetNumberOfEvents(writers_[location], &counts[location]), "count events of"));
    MERIDIAN_TRY_DO(check(OTF2_Archive_CloseEvtWriter(archive_, writers_[location]), "write events of"));
  }
  MERIDIAN_TRY_DO(check(OTF2_Archive_CloseEvtFiles(archive_), "write events of"));
  MERIDIAN_TRY_DO(check(OTF2_Archive_OpenDefFiles(archive_), "write definitions of"));
  for (std::size_t location = 0; location < writers_.size(); ++location) {  // readers expect a file for each
    OTF2_DefWriter* const writer = OTF2_Archive_GetDefWriter(archive_, location);
    if (writer == nullptr) return check(OTF2_ERROR_MEM_FAULT, "write definitions of").error();
    MERIDIAN_TRY_DO(check(OTF2_Archive_CloseDefWriter(archive_, writer), "write definitions of"));
  }
  MERIDIAN_TRY_DO(check(OTF2_Archive_CloseDefFiles(archive_), "write definitions of"));
  return counts;
}

Result<OTF2_GlobalDefWriter*> Archive::definitions() {
  OTF2_GlobalDefWriter* const writer = OTF2_Archive_GetGlobalDefWriter(archive_);
  if (writer == nullptr) return check(OTF2_ERROR_MEM_FAULT, "write definitions of").error();
  return writer;
}

Status Archive::close() {
  OTF2_Archive* const archive = std::exchange(archive_, nullptr);
  return archive == nullptr ? Status{} : check(OTF2_Archive_Close(archive), "write");
}

}  // namespace meridian::otf2
