/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Masks and fields of the kernel, in user space. */
#ifndef CEP_SHIM_BITFIELD_H
#define CEP_SHIM_BITFIELD_H

#define GENMASK_ULL(high, low) ((~0ULL << (low)) & (~0ULL >> (63 - (high))))
#define GENMASK(high, low) GENMASK_ULL(high, low)

#define FIELD_SHIFT(mask) __builtin_ctzll(mask)
#define FIELD_MAX(mask) ((unsigned long long)(mask) >> FIELD_SHIFT(mask))
#define FIELD_PREP(mask, value) (((unsigned long long)(value) << FIELD_SHIFT(mask)) & (mask))
#define FIELD_GET(mask, reg) (((unsigned long long)(reg) & (mask)) >> FIELD_SHIFT(mask))

#endif
