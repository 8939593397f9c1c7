/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Our field definitions against the kernel's, both ways and bit by bit: what one
 * writes the other reads, and both change the same bits of a MAD.
 */
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "messages.hh"
#include "oracle/fields.h"

namespace
{

using namespace cep::wire;
using Mad = std::array<uint8_t, CEP_MAD_SIZE>;

struct OurNumber {
	uint64_t (*get)(const uint8_t *mad);
	void (*set)(uint8_t *mad, uint64_t value);
	uint64_t max;
};

struct OurBytes {
	unsigned offset;
	unsigned size;
};

template <class F> constexpr OurNumber number()
{
	return {F::get, F::set, F::max};
}

const OurNumber our_numbers[] = {
#define F(kernel_struct, field, ours) number<ours>(),
	ORACLE_NUMBERS(F)
#undef F
};

const OurBytes our_bytes[] = {
#define F(field, ours) {ours::offset, ours::size},
	ORACLE_BYTES(F)
#undef F
};

TEST(Oracle, NumbersAreWhereTheKernelHasThem)
{
	std::mt19937_64 random(12);

	for (size_t i = 0; i < std::size(our_numbers); i++) {
		const OurNumber &ours = our_numbers[i];
		const oracle_number &theirs = oracle_numbers[i];
		SCOPED_TRACE(theirs.name);
		ASSERT_EQ(ours.max, theirs.max);

		for (int round = 0; round < 200; round++) {
			const uint64_t value = round == 0   ? 0
					       : round == 1 ? ours.max
					       : round < 66
						       ? (uint64_t{1} << (round - 2)) & ours.max
						       : random() & ours.max;
			Mad mad;
			for (uint8_t &byte : mad)
				byte = static_cast<uint8_t>(random());
			Mad by_us = mad;
			Mad by_them = mad;

			ours.set(by_us.data(), value);
			theirs.set(by_them.data(), value);
			ASSERT_EQ(by_us, by_them) << "value " << value;
			ASSERT_EQ(theirs.get(by_us.data()), value);
			ASSERT_EQ(ours.get(by_them.data()), value);
			ASSERT_EQ(ours.get(mad.data()), theirs.get(mad.data()));
		}
	}
}

TEST(Oracle, BytesAreWhereTheKernelHasThem)
{
	for (size_t i = 0; i < std::size(our_bytes); i++) {
		SCOPED_TRACE(oracle_byte_runs[i].name);
		EXPECT_EQ(our_bytes[i].offset, oracle_byte_runs[i].offset);
		EXPECT_EQ(our_bytes[i].size * 8, oracle_byte_runs[i].bits);
	}
}

} // namespace
