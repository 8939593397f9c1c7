// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// The invariant CRC of a RoCEv2 packet (IBA annex A17.3.3 and IBA 7.8.1): what
// routers may change counts as ones. Called when a frame is built. No state.

#pragma once

#include "bytes.hh"

namespace cep
{

// packet: from the first byte of the IP header to the last before the ICRC.
// The value goes on the wire least significant byte first.
uint32_t icrc(View packet);

} // namespace cep
