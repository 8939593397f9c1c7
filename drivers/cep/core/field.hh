/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A field of a CM message in the notation of the IBA tables: byte, bit and
 * width, where byte 0 is the first after the MAD header and bit 0 the most
 * significant of its byte. Bounds and overlaps are rejected at compile time.
 * Used by messages.hh and codec.cc. No state, no locks.
 */
#ifndef CEP_FIELD_HH
#define CEP_FIELD_HH

#include "big_endian.hh"

namespace cep
{

constexpr unsigned mad_header_size = 24;
constexpr unsigned mad_data_size = CEP_MAD_SIZE - mad_header_size;

/* Where a field lies, in bits from the start of the message. */
struct Span {
	unsigned first;
	unsigned width;
};

template <unsigned Byte, unsigned Bit, unsigned Width> struct Field {
	static_assert(Width >= 1 && Width <= 64);
	static_assert(Bit < 8);
	static_assert(Byte * 8 + Bit + Width <= mad_data_size * 8, "beyond the MAD");

	static constexpr unsigned bytes = (Bit + Width + 7) / 8;
	static_assert(bytes <= 8, "a field of the tables never spans nine bytes");
	static constexpr unsigned shift = bytes * 8 - Bit - Width;
	static constexpr uint64_t max =
		Width == 64 ? ~uint64_t{0} : (uint64_t{1} << (Width & 63)) - 1;
	static constexpr unsigned offset = mad_header_size + Byte;
	static constexpr Span span{Byte * 8 + Bit, Width};

	static constexpr uint64_t get(const uint8_t *mad)
	{
		return load_be<bytes>(mad + offset) >> shift & max;
	}

	static constexpr bool fits(uint64_t value) { return value <= max; }

	/* The value must fit. */
	static constexpr void set(uint8_t *mad, uint64_t value)
	{
		if constexpr (Bit == 0 && shift == 0) {
			store_be<bytes>(mad + offset, value);
		} else {
			const uint64_t others = load_be<bytes>(mad + offset) & ~(max << shift);
			store_be<bytes>(mad + offset, others | value << shift);
		}
	}
};

/* A run of whole bytes: a GID, private data. */
template <unsigned Byte, unsigned Size> struct Bytes {
	static_assert(Byte + Size <= mad_data_size, "beyond the MAD");

	static constexpr unsigned size = Size;
	static constexpr unsigned offset = mad_header_size + Byte;
	static constexpr Span span{Byte * 8, Size * 8};

	static constexpr const uint8_t *at(const uint8_t *mad) { return mad + offset; }

	static constexpr uint8_t *at(uint8_t *mad) { return mad + offset; }
};

/* No two fields share a bit. */
template <class... Fields> consteval bool disjoint()
{
	const Span spans[] = {Fields::span...};
	constexpr unsigned n = sizeof...(Fields);

	for (unsigned i = 0; i < n; i++) {
		for (unsigned j = i + 1; j < n; j++) {
			if (spans[i].first < spans[j].first + spans[j].width &&
			    spans[j].first < spans[i].first + spans[i].width)
				return false;
		}
	}
	return true;
}

/* Private data is the last field and ends the MAD. */
template <class F> consteval bool ends_mad()
{
	return F::span.first + F::span.width == mad_data_size * 8;
}

} // namespace cep

#endif /* CEP_FIELD_HH */
