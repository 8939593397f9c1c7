/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Bytes to struct cep_msg and back, with every length and range check, and
 * nothing else: no state, no decision. Called by the endpoint and the boundary.
 * IBA 12.6, 13.4. No locks.
 */
#ifndef CEP_CODEC_HH
#define CEP_CODEC_HH

#include "cep_core.h"

namespace cep
{

/* REQ transport types that no enum names: both fields hold reserved values. */
constexpr uint8_t transport_reserved = 4;

cep_parse parse(const uint8_t *mad, size_t len, cep_msg &msg);

/* May this message be written: every field in range, every pointer there? */
bool writable(const cep_msg &msg);

/* Writes all of the MAD. The message must be writable. */
void encode(const cep_msg &msg, uint8_t *mad);

/* A message may leave a path out: neither GID nor LID is given then. */
bool path_present(const cep_path &path);

} // namespace cep

#endif /* CEP_CODEC_HH */
