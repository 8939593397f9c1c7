/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Unaligned big-endian integers of 1 to 8 bytes in a byte array. This is the
 * only file that swaps bytes. Called by field.hh; usable in constant
 * expressions, so layouts can be tested at compile time. No state, no locks.
 */
#ifndef CEP_BIG_ENDIAN_HH
#define CEP_BIG_ENDIAN_HH

#include "cep_core.h"

namespace cep
{

template <unsigned Bytes> constexpr uint64_t load_be(const uint8_t *p)
{
	static_assert(Bytes >= 1 && Bytes <= 8);
	/* Spelled out: a loop would stay a loop at -O2, and 24-bit fields are many */
	if constexpr (Bytes == 1)
		return p[0];
	if constexpr (Bytes == 3)
		return uint64_t{p[0]} << 16 | uint64_t{p[1]} << 8 | p[2];
	if (!__builtin_is_constant_evaluated()) {
		if constexpr (Bytes == 2) {
			uint16_t v;
			__builtin_memcpy(&v, p, sizeof(v));
			return __builtin_bswap16(v);
		} else if constexpr (Bytes == 4) {
			uint32_t v;
			__builtin_memcpy(&v, p, sizeof(v));
			return __builtin_bswap32(v);
		} else if constexpr (Bytes == 8) {
			uint64_t v;
			__builtin_memcpy(&v, p, sizeof(v));
			return __builtin_bswap64(v);
		}
	}
	uint64_t value = 0;
	for (unsigned i = 0; i < Bytes; i++)
		value = value << 8 | p[i];
	return value;
}

template <unsigned Bytes> constexpr void store_be(uint8_t *p, uint64_t value)
{
	static_assert(Bytes >= 1 && Bytes <= 8);
	if constexpr (Bytes == 3) {
		p[0] = static_cast<uint8_t>(value >> 16);
		p[1] = static_cast<uint8_t>(value >> 8);
		p[2] = static_cast<uint8_t>(value);
		return;
	}
	if (!__builtin_is_constant_evaluated()) {
		if constexpr (Bytes == 2) {
			const uint16_t v = __builtin_bswap16(static_cast<uint16_t>(value));
			__builtin_memcpy(p, &v, sizeof(v));
			return;
		} else if constexpr (Bytes == 4) {
			const uint32_t v = __builtin_bswap32(static_cast<uint32_t>(value));
			__builtin_memcpy(p, &v, sizeof(v));
			return;
		} else if constexpr (Bytes == 8) {
			const uint64_t v = __builtin_bswap64(value);
			__builtin_memcpy(p, &v, sizeof(v));
			return;
		}
	}
	for (unsigned i = 0; i < Bytes; i++)
		p[i] = static_cast<uint8_t>(value >> (8 * (Bytes - 1 - i)));
}

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the swaps assume a little-endian host");

} // namespace cep

#endif /* CEP_BIG_ENDIAN_HH */
