/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The only place that knows about kernel versions, and the two prototypes that no
 * public header of the kernel has.
 */
#ifndef CEP_COMPAT_H
#define CEP_COMPAT_H

#include <linux/version.h>
#include <rdma/ib_verbs.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "ib_cep needs Linux 6.1 or later"
#endif

int ib_port_register_client_groups(struct ib_device *ibdev, u32 port_num,
				   const struct attribute_group **groups);
void ib_port_unregister_client_groups(struct ib_device *ibdev, u32 port_num,
				      const struct attribute_group **groups);

#endif /* CEP_COMPAT_H */
