// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pmpi/libraries/interface.hpp"

namespace meridian {

/// Replaces the image of this process, before the program begins, by the same program with the tracer for `interface`, if
/// `meridian run` has left the choice open. Returns if it has not, or if that tracer cannot be started.
void change_tracer(Interface interface, char** arguments, char** environment) noexcept;

/// The interface that the launcher of this process belongs to, according to its environment; that of this tracer if unknown.
Interface launcher_interface() noexcept;

}  // namespace meridian
