// SPDX-License-Identifier: Apache-2.0
#include "import/otf2/archive_reader.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "export/otf2/library_errors.hpp"
#include "export/texts.hpp"
#include "import/otf2/event_callbacks.hpp"

namespace meridian::imported {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kRecordsAtOnce = 1 << 16;
constexpr const char* kCopyAgain =
    "copy the whole archive again from where it was written: NAME.otf2, NAME.def and the folder NAME";

/// A text that the library has allocated.
std::string take(char* text) {
  const std::unique_ptr<char, void (*)(void*)> owner{text, &std::free};
  return text == nullptr ? std::string{} : plain_text(std::string_view{text}.substr(0, 256));
}

}  // namespace

Error ArchiveReader::refuse(OTF2_ErrorCode code, const std::string& what) const {
  return {Errc::damaged,
          "cannot read " + what + " of the OTF2 archive '" + anchor_.string() + "': " + otf2::describe(code),
          kCopyAgain};
}

Result<ArchiveReader> ArchiveReader::open(const fs::path& anchor) {
  otf2::keep_library_errors();
  std::error_code problem;
  const fs::file_status status = fs::status(anchor, problem);
  if (!fs::exists(status))
    return Error{Errc::not_found, "there is no file '" + anchor.string() + "'",
                 "give the anchor file of an OTF2 archive, such as scorep-run/traces.otf2"};
  if (fs::is_directory(status))
    return Error{Errc::invalid_argument, "'" + anchor.string() + "' is a directory",
                 "give the anchor file in it, such as " + (anchor / "traces.otf2").string()};
  ArchiveReader opened{anchor, Owner{OTF2_Reader_Open(anchor.c_str()), &OTF2_Reader_Close}};
  if (opened.reader_ == nullptr) {
    const std::string reason = otf2::describe(OTF2_ERROR_INVALID_DATA);
    return Error{Errc::damaged, "cannot open the OTF2 archive '" + anchor.string() + "': " + reason,
                 "give the anchor file of an OTF2 archive (NAME.otf2), and copy it again if it is damaged"};
  }
  if (const OTF2_ErrorCode code = OTF2_Reader_SetSerialCollectiveCallbacks(opened.reader_.get()); code != OTF2_SUCCESS)
    return opened.refuse(code, "the anchor file");
  return opened;
}

std::string ArchiveReader::creator() const {
  char* text = nullptr;
  return OTF2_Reader_GetCreator(reader_.get(), &text) == OTF2_SUCCESS ? take(text) : std::string{};
}

std::uint64_t ArchiveReader::trace_id() const {
  std::uint64_t id = 0;
  return OTF2_Reader_GetTraceId(reader_.get(), &id) == OTF2_SUCCESS ? id : 0;
}

Result<Definitions> ArchiveReader::definitions() {
  Definitions definitions;
  OTF2_GlobalDefReader* const global = OTF2_Reader_GetGlobalDefReader(reader_.get());
  if (global == nullptr) return refuse(OTF2_ERROR_FILE_INTERACTION, "the definitions");
  OTF2_ErrorCode code = read_into(definitions, reader_.get(), global);
  std::uint64_t read = 0;
  if (code == OTF2_SUCCESS) code = OTF2_Reader_ReadAllGlobalDefinitions(reader_.get(), global, &read);
  if (code != OTF2_SUCCESS) return refuse(code, "the definitions");
  (void)OTF2_Reader_CloseGlobalDefReader(reader_.get(), global);
  if (definitions.ticks_per_second == 0) return refuse(OTF2_ERROR_INVALID_DATA, "the clock");
  return definitions;
}

Status ArchiveReader::choose(const std::vector<OTF2_LocationRef>& locations) {
  OTF2_Reader* const reader = reader_.get();
  for (const OTF2_LocationRef location : locations)
    if (const OTF2_ErrorCode code = OTF2_Reader_SelectLocation(reader, location); code != OTF2_SUCCESS)
      return refuse(code, "location " + std::to_string(location));
  // Local definitions translate numbers, and have the archive's measurements of clocks. Not all programs write them.
  if (OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS) {
    for (const OTF2_LocationRef location : locations) {
      OTF2_DefReader* const local = OTF2_Reader_GetDefReader(reader, location);
      if (local == nullptr) continue;
      std::uint64_t read = 0;
      const OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalDefinitions(reader, local, &read);
      if (code != OTF2_SUCCESS) return refuse(code, "the definitions of location " + std::to_string(location));
      (void)OTF2_Reader_CloseDefReader(reader, local);
    }
    (void)OTF2_Reader_CloseDefFiles(reader);
  }
  if (const OTF2_ErrorCode code = OTF2_Reader_OpenEvtFiles(reader); code != OTF2_SUCCESS)
    return refuse(code, "the events");
  return {};
}

Status ArchiveReader::read(OTF2_LocationRef location, const Definitions& definitions, LocationVisitor& visitor,
                           const std::function<void(std::uint64_t)>& done) {
  const std::string what = "the events of location " + std::to_string(location);
  OTF2_EvtReader* const events = OTF2_Reader_GetEvtReader(reader_.get(), location);
  if (events == nullptr) return refuse(OTF2_ERROR_FILE_INTERACTION, what);
  EventContext context{visitor, definitions};
  OTF2_ErrorCode code = register_events(context, reader_.get(), events);
  for (std::uint64_t read = kRecordsAtOnce;
       code == OTF2_SUCCESS && read == kRecordsAtOnce;) {  // reading on is an error
    code = OTF2_Reader_ReadLocalEvents(reader_.get(), events, kRecordsAtOnce, &read);
    done(read);
  }
  const OTF2_ErrorCode closed = OTF2_Reader_CloseEvtReader(reader_.get(), events);
  if (!visitor.goes_on()) return {};  // the visitor knows why
  if (code == OTF2_SUCCESS) code = closed;
  return code == OTF2_SUCCESS ? Status{} : Status{refuse(code, what)};
}

}  // namespace meridian::imported
