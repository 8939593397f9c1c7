/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The kernel's own definitions of the CM fields, compiled in user space: for each
 * a function that reads and one that writes it. oracle_test.cc compares them with
 * ours. Nobody here wrote what is compared against.
 */
#include <rdma/ibta_vol1_c12.h>

#include "fields.h"

#define FIELD_MAX_OF_(field_struct, offset, mask, bits) FIELD_MAX(mask)
#define FIELD_MAX_OF(field) FIELD_MAX_OF_(field)
#define MEM_OFFSET_(field_struct, offset, type, bits) (offset)
#define MEM_OFFSET(field) MEM_OFFSET_(field)
#define MEM_BITS_(field_struct, offset, type, bits) (bits)
#define MEM_BITS(field) MEM_BITS_(field)

#define F(kernel_struct, field, ours)                                              \
	static unsigned long long get_##field(unsigned char *mad)                  \
	{                                                                          \
		return IBA_GET(CM_##field, (struct kernel_struct *)mad);                \
	}                                                                          \
	static void set_##field(unsigned char *mad, unsigned long long value)      \
	{                                                                          \
		IBA_SET(CM_##field, (struct kernel_struct *)mad, value);                \
	}
ORACLE_NUMBERS(F)
#undef F

const struct oracle_number oracle_numbers[] = {
#define F(kernel_struct, field, ours) { #field, get_##field, set_##field, FIELD_MAX_OF(CM_##field) },
	ORACLE_NUMBERS(F)
#undef F
};

const struct oracle_bytes oracle_byte_runs[] = {
#define F(field, ours) { #field, MEM_OFFSET(CM_##field), MEM_BITS(CM_##field) },
	ORACLE_BYTES(F)
#undef F
};
