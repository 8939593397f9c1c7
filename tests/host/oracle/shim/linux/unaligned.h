/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Unaligned access of the kernel, in user space. */
#ifndef CEP_SHIM_UNALIGNED_H
#define CEP_SHIM_UNALIGNED_H

#define get_unaligned(ptr)                                   \
	({                                                   \
		__typeof__(*(ptr)) v_;                       \
		memcpy((void *)&v_, (ptr), sizeof(v_));      \
		v_;                                          \
	})
#define put_unaligned(value, ptr)                            \
	do {                                                 \
		__typeof__(*(ptr)) v_ = (value);             \
		memcpy((ptr), &v_, sizeof(v_));              \
	} while (0)

#endif
