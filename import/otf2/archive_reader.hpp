// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "import/otf2/definitions.hpp"
#include "import/otf2/location_visitor.hpp"
#include "trace/model/result.hpp"

namespace meridian::imported {

/// An OTF2 archive that is being read, one location at a time. One at a time in a process.
class ArchiveReader {
 public:
  /// errors  not_found, damaged, io
  static Result<ArchiveReader> open(const std::filesystem::path& anchor);

  const std::filesystem::path& anchor() const { return anchor_; }
  /// The program that wrote the archive, as it calls itself.
  std::string creator() const;
  std::uint64_t trace_id() const;
  /// errors  damaged
  Result<Definitions> definitions();
  /// Call once, before read(): `locations` are those that will be read.
  /// errors  damaged: files of locations are missing
  Status choose(const std::vector<OTF2_LocationRef>& locations);

  /// Passes all records of a location to the visitor, any number of times. The library corrects the times by the archive's
  /// own measurements of clocks, if it has any.
  /// done    called now and then with the number of records read since the last time
  /// errors  damaged
  Status read(OTF2_LocationRef location, const Definitions& definitions, LocationVisitor& visitor,
              const std::function<void(std::uint64_t)>& done);

 private:
  using Owner = std::unique_ptr<OTF2_Reader, OTF2_ErrorCode (*)(OTF2_Reader*)>;
  ArchiveReader(std::filesystem::path anchor, Owner reader) : anchor_{std::move(anchor)}, reader_{std::move(reader)} {}
  Error refuse(OTF2_ErrorCode code, const std::string& what) const;

  std::filesystem::path anchor_;
  Owner reader_;
};

}  // namespace meridian::imported
