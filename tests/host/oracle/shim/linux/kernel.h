/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* What rdma/iba.h needs of the kernel, in user space. */
#ifndef CEP_SHIM_KERNEL_H
#define CEP_SHIM_KERNEL_H

#include <assert.h>
#include <endian.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef uint16_t __be16;
typedef uint32_t __be32;
typedef uint64_t __be64;

#define be16_to_cpu be16toh
#define be32_to_cpu be32toh
#define be64_to_cpu be64toh
#define cpu_to_be16 htobe16
#define cpu_to_be32 htobe32
#define cpu_to_be64 htobe64

#define WARN_ON(x) assert(!(x))
#define BUILD_BUG_ON_ZERO(e) ((int)sizeof(struct { int : (-!!(e)); }))

/* IBA 13.4.2 */
struct ib_mad_hdr {
	u8 bytes[24];
};

union ib_gid {
	u8 raw[16];
};

#endif
