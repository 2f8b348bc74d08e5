// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meridian {

/// Starts the writer process. False: the rings remain for `meridian merge`.
bool start_writer() noexcept;

/// Wakes the writer if it sleeps.
void wake_writer() noexcept;

/// Requests a complete rank file and waits for it, at most MERIDIAN_FINALIZE_TIMEOUT.
void request_rank_file() noexcept;

/// True while a process drains the rings.
bool is_writer_alive() noexcept;

}  // namespace meridian
