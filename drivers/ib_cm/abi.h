/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What a file that exports a symbol of ib_cm must see, and nothing else.
 *
 * The CRC of an exported symbol is a hash of its type with every type that it
 * reaches, expanded as far as the exporting file can see them. These are the
 * public headers that the kernel's own ib_cm sees; leave one out, or add one
 * that completes another type, and every CRC changes (`make crc-check`).
 * Included first by each file with an EXPORT_SYMBOL; wrap.h does it.
 */
#ifndef IB_CM_ABI_H
#define IB_CM_ABI_H

#include <linux/cgroup_rdma.h>
#include <linux/completion.h>
#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/etherdevice.h>
#include <linux/idr.h>
#include <linux/interrupt.h>
#include <linux/kdev_t.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/rbtree.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/sysfs.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_cm.h>
#include <rdma/ib_smi.h>
#include <rdma/ib_sysfs.h>
#include <rdma/ibta_vol1_c12.h>
#include <rdma/opa_addr.h>
#include <rdma/opa_smi.h>
#include <trace/misc/rdma.h>

/* Private to the RDMA core; an ib_device points to one, so the CRCs know it. */
struct rdma_restrack_root {
	struct xarray	xa;
	u32		next_id;
};

#endif /* IB_CM_ABI_H */
