// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <otf2/otf2.h>

#include "import/otf2/definitions.hpp"
#include "import/otf2/location_visitor.hpp"

namespace meridian::imported {

/// The data of the callbacks for a location's records.
struct EventContext {
  LocationVisitor& visitor;
  const Definitions& definitions;
};

/// Makes the library pass the records of a location to context.visitor; the context outlives the reader of events.
OTF2_ErrorCode register_events(EventContext& context, OTF2_Reader* reader, OTF2_EvtReader* events);

}  // namespace meridian::imported
