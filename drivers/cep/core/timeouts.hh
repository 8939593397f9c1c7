/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Time as the CM messages carry it: an exponent n that stands for 4.096 us x
 * 2^n, which is 2^(n+12) ns exactly, so a shift does it. Sums saturate. Called
 * by the endpoint. IBA 12.7.20 to 12.7.34, 9.7.6.1.3. No state, no locks.
 */
#ifndef CEP_TIMEOUTS_HH
#define CEP_TIMEOUTS_HH

#include "cep_core.h"

namespace cep
{

constexpr uint64_t never = ~uint64_t{0};
constexpr unsigned max_exp = 31;
constexpr unsigned max_life_time_exp = 63; /* a path record has six bits for it */

/* Wire fields have five bits; a path record's six-bit life time is cut to them. */
constexpr uint64_t exp_to_ns(unsigned exp)
{
	return uint64_t{4096} << (exp < max_exp ? exp : max_exp);
}

constexpr uint64_t add_ns(uint64_t a, uint64_t b)
{
	return a + b < a ? never : a + b;
}

/* times is small (at most 16): a long multiplication is never needed to see the overflow. */
constexpr uint64_t multiply_ns(uint64_t ns, unsigned times)
{
	uint64_t product = 0;
	return __builtin_mul_overflow(ns, uint64_t{times}, &product) ? never : product;
}

/* One MRA never adds more than this, unless the shell is told otherwise. */
constexpr uint64_t default_max_mra_ns = exp_to_ns(25);

/*
 * The ack timeout of a QP covers the way there, the way back and the time that
 * the other CA takes to answer: 2 x life time + delay. As an exponent that is
 * the larger of the two, plus one if the smaller one is at least half of it;
 * always rounding up would double a timeout that nearly fits.
 */
constexpr uint8_t ack_timeout_exp(unsigned ack_delay_exp, unsigned life_time_exp)
{
	const unsigned round_trip = life_time_exp + 1;
	const unsigned longer = round_trip > ack_delay_exp ? round_trip : ack_delay_exp;
	const unsigned shorter = round_trip > ack_delay_exp ? ack_delay_exp : round_trip;
	const unsigned exp = longer + (shorter + 1 >= longer ? 1 : 0);

	return static_cast<uint8_t>(exp < max_exp ? exp : max_exp);
}

static_assert(exp_to_ns(0) == 4096);
static_assert(exp_to_ns(31) == 8796093022208);
static_assert(add_ns(never, 1) == never);
static_assert(ack_timeout_exp(0, 18) == 19);
static_assert(ack_timeout_exp(18, 18) == 20);
static_assert(ack_timeout_exp(15, 0) == 15);
static_assert(ack_timeout_exp(31, 31) == 31);

} // namespace cep

#endif /* CEP_TIMEOUTS_HH */
