// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Questions about a CEP that change nothing: QP attributes, identifiers, times, texts.
 * Any context; under the CEP's lock.
 */
#include <linux/export.h>
#include "shell.h"

static void cep_qp_init_attr(const struct ib_cep *cep, const struct cep_qp_attr *core,
			     struct ib_qp_attr *attr, int *mask)
{
	*mask = IB_QP_STATE | IB_QP_ACCESS_FLAGS | IB_QP_PKEY_INDEX | IB_QP_PORT;
	attr->qp_access_flags = IB_ACCESS_REMOTE_WRITE;
	if (core->remote_read_atomic)
		attr->qp_access_flags |= IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC;
	attr->pkey_index = cep->av->pkey_index;
	attr->port_num = cep->av->port->num;
}

static void cep_qp_alt_attr(const struct ib_cep *cep, const struct cep_qp_attr *core,
			    struct ib_qp_attr *attr)
{
	attr->alt_port_num = cep->alt_av->port->num;
	attr->alt_pkey_index = cep->alt_av->pkey_index;
	attr->alt_timeout = core->alt_timeout_exp;
	attr->alt_ah_attr = cep->alt_av->ah_attr;
	attr->alt_ah_attr.grh.flow_label = cep->data.alt_flow_label;
}

static void cep_qp_rtr_attr(const struct ib_cep *cep, const struct cep_qp_attr *core,
			    struct ib_qp_attr *attr, int *mask)
{
	*mask = IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN;
	attr->ah_attr = cep->av->ah_attr;
	/* The data path's LID may differ from that of the MADs (routed paths). */
	if (attr->ah_attr.type == RDMA_AH_ATTR_TYPE_IB && cep->data.dlid &&
	    cep->data.dlid != 0xffff)
		attr->ah_attr.ib.dlid = cep->data.dlid;
	attr->ah_attr.grh.flow_label = cep->data.flow_label;
	attr->path_mtu = core->path_mtu;
	attr->dest_qp_num = core->dest_qpn;
	attr->rq_psn = core->rq_psn;
	if (core->set_rd_atomic_dest) {
		*mask |= IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER;
		attr->max_dest_rd_atomic = core->max_dest_rd_atomic;
		attr->min_rnr_timer = core->min_rnr_timer;
	}
	if (cep->alt_av) {
		*mask |= IB_QP_ALT_PATH;
		cep_qp_alt_attr(cep, core, attr);
	}
}

static void cep_qp_rts_attr(const struct ib_cep *cep, const struct cep_qp_attr *core,
			    struct ib_qp_attr *attr, int *mask)
{
	*mask = IB_QP_STATE | IB_QP_SQ_PSN;
	attr->sq_psn = core->sq_psn;
	if (core->set_retry) {
		*mask |= IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_MAX_QP_RD_ATOMIC;
		attr->retry_cnt = core->retry_cnt;
		attr->rnr_retry = core->rnr_retry;
		attr->max_rd_atomic = core->max_rd_atomic;
	}
	if (core->set_timeout) {
		*mask |= IB_QP_TIMEOUT;
		attr->timeout = core->timeout_exp;
	}
	if (cep->alt_av) {
		*mask |= IB_QP_PATH_MIG_STATE;
		attr->path_mig_state = IB_MIG_REARM;
	}
}

int ib_cep_get_qp_attr(struct ib_cep *cep, struct ib_qp_attr *attr, int *mask)
{
	struct cep_qp_attr core;
	enum cep_qp_state state;
	unsigned long flags;
	int ret = 0;

	switch (attr->qp_state) {
	case IB_QPS_INIT:
		state = CEP_QP_INIT;
		break;
	case IB_QPS_RTR:
		state = CEP_QP_RTR;
		break;
	case IB_QPS_RTS:
		state = CEP_QP_RTS;
		break;
	default:
		return -EINVAL;
	}
	spin_lock_irqsave(&cep->lock, flags);
	if (test_bit(CEP_F_GONE, &cep->flags)) {
		ret = -ENODEV;
	} else if (!cep->av || cep_core_qp_attr(&cep->core, state, &core)) {
		ret = -EINVAL;
	} else {
		if (state == CEP_QP_INIT)
			cep_qp_init_attr(cep, &core, attr, mask);
		else if (state == CEP_QP_RTR)
			cep_qp_rtr_attr(cep, &core, attr, mask);
		else
			cep_qp_rts_attr(cep, &core, attr, mask);
	}
	spin_unlock_irqrestore(&cep->lock, flags);
	return ret;
}
EXPORT_SYMBOL_GPL(ib_cep_get_qp_attr);

void ib_cep_query(struct ib_cep *cep, struct ib_cep_info *info)
{
	struct cep_info core;
	unsigned long flags;

	memset(info, 0, sizeof(*info));
	spin_lock_irqsave(&cep->lock, flags);
	cep_core_info(&cep->core, &core);
	/* CLOSED is nobody's to see: the ULP has given the handle up. */
	info->state = core.state <= CEP_STATE_SIDR_REQ_RCVD ? (enum ib_cep_state)core.state :
							     IB_CEP_IDLE;
	info->local_comm_id = cep->comm_id;
	info->remote_comm_id = core.remote_comm_id;
	info->local_qpn = core.local_qpn;
	info->remote_qpn = core.remote_qpn;
	info->service_id = cep->service_id;
	if (cep->dev && !READ_ONCE(cep->dev->gone))
		info->device = cep->dev->ibdev;
	if (cep->port)
		info->port = cep->port->num;
	spin_unlock_irqrestore(&cep->lock, flags);
}
EXPORT_SYMBOL_GPL(ib_cep_query);

u64 ib_cep_timewait_ns(struct ib_cep *cep)
{
	struct cep_info core;
	unsigned long flags;

	spin_lock_irqsave(&cep->lock, flags);
	cep_core_info(&cep->core, &core);
	spin_unlock_irqrestore(&cep->lock, flags);
	return core.timewait_ns;
}
EXPORT_SYMBOL_GPL(ib_cep_timewait_ns);

const char *ib_cep_reject_msg(u16 reason)
{
	return cep_core_reject_msg(reason);
}
EXPORT_SYMBOL_GPL(ib_cep_reject_msg);
