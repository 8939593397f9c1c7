// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The calls about the QP of a connection: its attributes for each transition, and
 * what it has seen. Called by ULPs; ib_cm_notify() from hard interrupt too.
 */
#include "wrap.h"

#include <linux/version.h>

/*
 * From 6.2 on the kernel's CM lets a QP that accepts remote reads accept flushes
 * as well, on an adapter that can do them. The only difference that kernels make.
 */
static int cep_flush_access(const struct ib_device *device)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	if (device && (device->attrs.device_cap_flags &
		       (IB_DEVICE_FLUSH_GLOBAL | IB_DEVICE_FLUSH_PERSISTENT)))
		return IB_ACCESS_FLUSH_GLOBAL | IB_ACCESS_FLUSH_PERSISTENT;
#endif
	return 0;
}

int ib_cm_init_qp_attr(struct ib_cm_id *cm_id, struct ib_qp_attr *qp_attr, int *qp_attr_mask)
{
	struct cep_wrap *wrap = cep_wrap_of(cm_id);
	int ret;

	ret = ib_cep_get_qp_attr(wrap->cep, qp_attr, qp_attr_mask);
	if (ret)
		return ret;

	if ((*qp_attr_mask & IB_QP_ACCESS_FLAGS) &&
	    (qp_attr->qp_access_flags & IB_ACCESS_REMOTE_READ))
		qp_attr->qp_access_flags |= cep_flush_access(cm_id->device);
	return 0;
}
EXPORT_SYMBOL(ib_cm_init_qp_attr);

int ib_cm_notify(struct ib_cm_id *cm_id, enum ib_event_type event)
{
	struct cep_wrap *wrap = cep_wrap_of(cm_id);
	int ret;

	switch (event) {
	case IB_EVENT_COMM_EST:
		ret = ib_cep_established(wrap->cep);
		cep_wrap_sync(wrap);
		return ret;
	case IB_EVENT_PATH_MIG:
		/* Alternate paths come later. */
		return -EOPNOTSUPP;
	default:
		return -EINVAL;
	}
}
EXPORT_SYMBOL(ib_cm_notify);
