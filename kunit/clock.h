/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The time of a KUnit build: it stands still until a test moves it, so that an hour of
 * retries takes a moment and nothing depends on how fast the machine is.
 */
#ifndef CEP_KUNIT_CLOCK_H
#define CEP_KUNIT_CLOCK_H

#include <linux/types.h>

u64 cep_clock_now(void);
/* CEPs whose deadline is armed. */
unsigned int cep_clock_armed(void);
/* Goes to the next timer and runs it, if it is due by then; else time moves to then. */
bool cep_clock_step(u64 until_ns);

#endif /* CEP_KUNIT_CLOCK_H */
