// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The adapter as the verbs layer sees it. QP1 sends and receives; a send completes at
 * once, unless the port's faults say otherwise. Completions call the CQ's handler inside
 * the post, as an adapter's interrupt on another CPU could.
 *
 * Concurrency: queues under cep_fake_lock.
 */
#include <linux/slab.h>
#include <linux/version.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include "fake.h"

static struct cep_fake_cq *to_cq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct cep_fake_cq, ibcq);
}

static struct cep_fake_qp *to_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct cep_fake_qp, ibqp);
}

static struct cep_fake_ah *to_ah(struct ib_ah *ibah)
{
	return container_of(ibah, struct cep_fake_ah, ibah);
}

/* --- the adapter and its ports --------------------------------------------------------------- */

static int cep_fake_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
				 struct ib_udata *udata)
{
	memset(attr, 0, sizeof(*attr));
	attr->device_cap_flags = IB_DEVICE_CHANGE_PHY_PORT;
	attr->kernel_cap_flags = IBK_LOCAL_DMA_LKEY;
	attr->sys_image_guid = ibdev->node_guid;
	attr->max_mr_size = ~0ULL;
	attr->page_size_cap = PAGE_SIZE;
	attr->max_qp = 1 << 16;
	attr->max_qp_wr = 1 << 14;
	attr->max_send_sge = 2;
	attr->max_recv_sge = 1;
	attr->max_cq = 1 << 16;
	attr->max_cqe = 1 << 16;
	attr->max_pd = 1 << 16;
	attr->max_mr = 1 << 16;
	attr->max_ah = to_fake(ibdev)->param.max_ah ?: 1 << 20;
	attr->max_qp_rd_atom = 16;
	attr->max_qp_init_rd_atom = 16;
	attr->max_pkeys = CEP_FAKE_PKEYS;
	attr->local_ca_ack_delay = 15;
	return 0;
}

static int cep_fake_query_port(struct ib_device *ibdev, u32 num, struct ib_port_attr *attr)
{
	struct cep_fake_port *port = &to_fake(ibdev)->port[num - 1];
	bool active = READ_ONCE(port->active);

	attr->state = active ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	attr->phys_state = active ? IB_PORT_PHYS_STATE_LINK_UP : IB_PORT_PHYS_STATE_DISABLED;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = IB_MTU_1024;
	attr->gid_tbl_len = CEP_FAKE_GIDS;
	attr->pkey_tbl_len = CEP_FAKE_PKEYS;
	attr->port_cap_flags = READ_ONCE(port->cap_mask);
	attr->max_msg_sz = 1U << 31;
	attr->lid = port->lid;
	attr->lmc = port->lmc;
	attr->sm_lid = port->roce ? 0 : 1;
	attr->max_vl_num = 1;
	attr->active_width = IB_WIDTH_4X;
	attr->active_speed = IB_SPEED_EDR;
	attr->ip_gids = port->roce;
	return 0;
}

static int cep_fake_modify_port(struct ib_device *ibdev, u32 num, int mask,
				struct ib_port_modify *modify)
{
	struct cep_fake_port *port = &to_fake(ibdev)->port[num - 1];
	unsigned long flags;

	spin_lock_irqsave(&cep_fake_lock, flags);
	port->cap_mask |= modify->set_port_cap_mask;
	port->cap_mask &= ~modify->clr_port_cap_mask;
	spin_unlock_irqrestore(&cep_fake_lock, flags);
	return 0;
}

static int cep_fake_port_immutable(struct ib_device *ibdev, u32 num,
				   struct ib_port_immutable *immutable)
{
	immutable->pkey_tbl_len = CEP_FAKE_PKEYS;
	immutable->gid_tbl_len = CEP_FAKE_GIDS;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	/* No SMI and no SA: nobody manages this subnet. */
	immutable->core_cap_flags = RDMA_CORE_CAP_PROT_IB | RDMA_CORE_CAP_IB_MAD |
				    RDMA_CORE_CAP_IB_CM | RDMA_CORE_CAP_AF_IB;
	return 0;
}

static int cep_fake_roce_immutable(struct ib_device *ibdev, u32 num,
				   struct ib_port_immutable *immutable)
{
	immutable->pkey_tbl_len = CEP_FAKE_PKEYS;
	immutable->gid_tbl_len = CEP_FAKE_GIDS;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE | RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP;
	return 0;
}

static enum rdma_link_layer cep_fake_link_layer(struct ib_device *ibdev, u32 num)
{
	return to_fake(ibdev)->param.roce ? IB_LINK_LAYER_ETHERNET : IB_LINK_LAYER_INFINIBAND;
}

static int cep_fake_query_gid(struct ib_device *ibdev, u32 num, int index, union ib_gid *gid)
{
	*gid = to_fake(ibdev)->port[num - 1].gid[index];
	return 0;
}

static int cep_fake_set_gid(const struct ib_gid_attr *attr, const union ib_gid *gid)
{
	struct cep_fake_port *port = &to_fake(attr->device)->port[attr->port_num - 1];
	unsigned long flags;

	spin_lock_irqsave(&cep_fake_lock, flags);
	port->gid[attr->index] = *gid;
	spin_unlock_irqrestore(&cep_fake_lock, flags);
	return 0;
}

static int cep_fake_add_gid(const struct ib_gid_attr *attr, void **context)
{
	return cep_fake_set_gid(attr, &attr->gid);
}

static int cep_fake_del_gid(const struct ib_gid_attr *attr, void **context)
{
	static const union ib_gid none;

	return cep_fake_set_gid(attr, &none);
}

static int cep_fake_query_pkey(struct ib_device *ibdev, u32 num, u16 index, u16 *pkey)
{
	if (index >= CEP_FAKE_PKEYS)
		return -EINVAL;
	*pkey = to_fake(ibdev)->port[num - 1].pkey[index];
	return 0;
}

/* --- protection domains, memory, address handles ---------------------------------------------- */

static int cep_fake_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	atomic_inc(&to_fake(ibpd->device)->pds);
	return 0;
}

static int cep_fake_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	atomic_dec(&to_fake(ibpd->device)->pds);
	return 0;
}

static struct ib_mr *cep_fake_get_dma_mr(struct ib_pd *ibpd, int access)
{
	struct ib_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);

	return mr ?: ERR_PTR(-ENOMEM);
}

static struct ib_mr *cep_fake_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length, u64 addr,
					  int access, struct ib_udata *udata)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static int cep_fake_dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	kfree(mr);
	return 0;
}

static int cep_fake_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
			      struct ib_udata *udata)
{
	struct cep_fake *fake = to_fake(ibah->device);
	struct cep_fake_ah *ah = to_ah(ibah);

	if (atomic_inc_return(&fake->ahs) > (int)(fake->param.max_ah ?: INT_MAX)) {
		atomic_dec(&fake->ahs);
		return -ENOMEM;
	}
	ah->attr = *init->ah_attr;
	ah->network_type = RDMA_NETWORK_IB;
	if (rdma_ah_get_ah_flags(&ah->attr) & IB_AH_GRH) {
		ah->sgid = ah->attr.grh.sgid_attr->gid;
		ah->network_type = rdma_gid_attr_network_type(ah->attr.grh.sgid_attr);
	}
	return 0;
}

static int cep_fake_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	*attr = to_ah(ibah)->attr;
	return 0;
}

static int cep_fake_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	atomic_dec(&to_fake(ibah->device)->ahs);
	return 0;
}

/* --- completion queues --------------------------------------------------------------------------- */

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
static int cep_fake_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
			      struct uverbs_attr_bundle *attrs)
#else
static int cep_fake_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
			      struct ib_udata *udata)
#endif
{
	struct cep_fake_cq *cq = to_cq(ibcq);

	cq->ring = kvcalloc(attr->cqe, sizeof(*cq->ring), GFP_KERNEL);
	if (!cq->ring)
		return -ENOMEM;
	cq->size = attr->cqe;
	ibcq->cqe = attr->cqe;
	atomic_inc(&to_fake(ibcq->device)->cqs);
	return 0;
}

static void cep_fake_cq_rest(struct cep_fake_cq *cq)
{
	lockdep_assert_held(&cep_fake_lock);
	cq->busy = false;
	if (!--cep_fake_busy)
		wake_up(&cep_fake_rest);
}

static int cep_fake_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct cep_fake_cq *cq = to_cq(ibcq);
	unsigned long flags;

	spin_lock_irqsave(&cep_fake_lock, flags);
	if (cq->busy)
		cep_fake_cq_rest(cq);
	spin_unlock_irqrestore(&cep_fake_lock, flags);
	kvfree(cq->ring);
	atomic_dec(&to_fake(ibcq->device)->cqs);
	return 0;
}

void cep_fake_cq_push(struct cep_fake_cq *cq, const struct ib_wc *wc)
{
	lockdep_assert_held(&cep_fake_lock);
	if (WARN_ON_ONCE(cq->count == cq->size))
		return;
	cq->ring[(cq->head + cq->count++) % cq->size] = *wc;
	if (!cq->armed)
		return;
	cq->armed = false;
	cq->busy = true;
	cep_fake_busy++;
	cq->ibcq.comp_handler(&cq->ibcq, cq->ibcq.cq_context);
}

/* The poller handles what it gets before it polls again: its next allocations are those. */
static void cep_fake_arm_fault(const struct ib_wc *wc, int got)
{
#ifdef CONFIG_FAULT_INJECTION
	lockdep_assert_held(&cep_fake_lock);
	if (!in_task())
		return;
	current->fail_nth = 0;
	if (got && wc->opcode == IB_WC_RECV && cep_fake_fail) {
		current->fail_nth = cep_fake_fail;
		cep_fake_fail = 0;
	}
#endif
}

static int cep_fake_poll_cq(struct ib_cq *ibcq, int want, struct ib_wc *wc)
{
	struct cep_fake_cq *cq = to_cq(ibcq);
	unsigned long flags;
	int got;

	spin_lock_irqsave(&cep_fake_lock, flags);
	for (got = 0; got < want && cq->count; got++) {
		wc[got] = cq->ring[cq->head];
		cq->head = (cq->head + 1) % cq->size;
		cq->count--;
		cep_fake_active_note();
		if (cep_fake_fail && wc[got].opcode == IB_WC_RECV)
			want = got + 1; /* alone, so that the fault is its own */
	}
	cep_fake_arm_fault(got ? &wc[got - 1] : NULL, got);
	spin_unlock_irqrestore(&cep_fake_lock, flags);
	return got;
}

static int cep_fake_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags notify)
{
	struct cep_fake_cq *cq = to_cq(ibcq);
	unsigned long flags;
	int missed;

	spin_lock_irqsave(&cep_fake_lock, flags);
	missed = (notify & IB_CQ_REPORT_MISSED_EVENTS) && cq->count;
	if (!missed)
		cq->armed = true;
	/* Whoever asks to be told has handled all that he polled. */
	if (!missed && cq->busy)
		cep_fake_cq_rest(cq);
	spin_unlock_irqrestore(&cep_fake_lock, flags);
	return missed;
}

/* --- queue pairs ----------------------------------------------------------------------------------- */

static int cep_fake_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr,
			      struct ib_udata *udata)
{
	static atomic_t next_qpn = ATOMIC_INIT(0x100);
	struct cep_fake *fake = to_fake(ibqp->device);
	struct cep_fake_qp *qp = to_qp(ibqp);
	unsigned long flags;

	qp->state = IB_QPS_RESET;
	if (attr->qp_type != IB_QPT_GSI) {
		ibqp->qp_num = atomic_inc_return(&next_qpn) & 0xffffff;
		atomic_inc(&fake->qps);
		return 0;
	}
	qp->recv_size = attr->cap.max_recv_wr;
	qp->withheld_size = attr->cap.max_send_wr;
	qp->recv = kvcalloc(qp->recv_size, sizeof(*qp->recv), GFP_KERNEL);
	qp->withheld = kvcalloc(qp->withheld_size, sizeof(*qp->withheld), GFP_KERNEL);
	if (!qp->recv || !qp->withheld) {
		kvfree(qp->recv);
		kvfree(qp->withheld);
		return -ENOMEM;
	}
	ibqp->qp_num = 1;
	qp->port = &fake->port[attr->port_num - 1];
	atomic_inc(&fake->qps);
	spin_lock_irqsave(&cep_fake_lock, flags);
	qp->port->gsi = qp;
	spin_unlock_irqrestore(&cep_fake_lock, flags);
	return 0;
}

static int cep_fake_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
			      struct ib_udata *udata)
{
	struct cep_fake_qp *qp = to_qp(ibqp);
	unsigned long flags;

	spin_lock_irqsave(&cep_fake_lock, flags);
	if (mask & IB_QP_STATE)
		qp->state = attr->qp_state;
	spin_unlock_irqrestore(&cep_fake_lock, flags);
	return 0;
}

static int cep_fake_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
			     struct ib_qp_init_attr *init)
{
	memset(attr, 0, sizeof(*attr));
	memset(init, 0, sizeof(*init));
	attr->qp_state = to_qp(ibqp)->state;
	attr->cur_qp_state = attr->qp_state;
	return 0;
}

static int cep_fake_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct cep_fake_qp *qp = to_qp(ibqp);
	unsigned long flags;

	if (qp->port) {
		spin_lock_irqsave(&cep_fake_lock, flags);
		qp->port->gsi = NULL;
		spin_unlock_irqrestore(&cep_fake_lock, flags);
	}
	kvfree(qp->recv);
	kvfree(qp->withheld);
	atomic_dec(&to_fake(ibqp->device)->qps);
	return 0;
}

void cep_fake_qp_complete(struct cep_fake_qp *qp, struct ib_cqe *cqe, enum ib_wc_status status)
{
	struct ib_wc wc = {
		.wr_cqe = cqe,
		.status = status,
		.opcode = IB_WC_SEND,
		.qp = &qp->ibqp,
	};

	cep_fake_cq_push(to_cq(qp->ibqp.send_cq), &wc);
}

static void cep_fake_gather(const struct ib_send_wr *wr, u8 *mad)
{
	u32 at = 0, part;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		part = min_t(u32, wr->sg_list[i].length, IB_MGMT_MAD_SIZE - at);
		memcpy(mad + at, (const u8 *)(uintptr_t)wr->sg_list[i].addr, part);
		at += part;
	}
	memset(mad + at, 0, IB_MGMT_MAD_SIZE - at);
}

static void cep_fake_address(struct cep_fake_port *port, const struct ib_ud_wr *wr,
			     struct cep_fake_frame *frame)
{
	const struct cep_fake_ah *ah = to_ah(wr->ah);

	frame->roce = port->roce;
	frame->grh = rdma_ah_get_ah_flags(&ah->attr) & IB_AH_GRH;
	frame->sl = rdma_ah_get_sl(&ah->attr);
	frame->network_type = ah->network_type;
	frame->sgid = ah->sgid;
	frame->dgid = frame->grh ? ah->attr.grh.dgid : (union ib_gid){};
	frame->slid = port->lid | rdma_ah_get_path_bits(&ah->attr);
	frame->dlid = port->roce ? 0 : rdma_ah_get_dlid(&ah->attr);
	frame->pkey = port->pkey[wr->pkey_index % CEP_FAKE_PKEYS];
	frame->src_qpn = 1;
	frame->dst_qpn = wr->remote_qpn;
}

static int cep_fake_post_one(struct cep_fake_qp *qp, const struct ib_send_wr *wr)
{
	struct cep_fake_port *port = qp->port;
	struct cep_fake_faults *faults = &port->faults;
	enum ib_wc_status status = IB_WC_SUCCESS;
	struct cep_fake_frame frame = {};

	lockdep_assert_held(&cep_fake_lock);
	if (faults->refuse_posts) {
		faults->refuse_posts--;
		return -ENOMEM;
	}
	if (faults->withhold && qp->withheld_count == qp->withheld_size)
		return -ENOMEM;
	if (faults->fail_sends) {
		faults->fail_sends--;
		status = IB_WC_GENERAL_ERR;
	} else {
		cep_fake_gather(wr, frame.mad);
		cep_fake_address(port, ud_wr(wr), &frame);
		cep_fake_transmit(port, &frame);
	}
	if (faults->withhold) {
		qp->withheld[qp->withheld_count].cqe = wr->wr_cqe;
		qp->withheld[qp->withheld_count++].status = status;
	} else {
		cep_fake_qp_complete(qp, wr->wr_cqe, status);
	}
	return 0;
}

static int cep_fake_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
			      const struct ib_send_wr **bad)
{
	struct cep_fake_qp *qp = to_qp(ibqp);
	unsigned long flags;
	int ret = 0;

	if (!qp->port) {
		*bad = wr;
		return -EOPNOTSUPP;
	}
	spin_lock_irqsave(&cep_fake_lock, flags);
	for (; wr && !ret; wr = wr->next) {
		ret = cep_fake_post_one(qp, wr);
		if (ret)
			*bad = wr;
	}
	spin_unlock_irqrestore(&cep_fake_lock, flags);
	return ret;
}

static int cep_fake_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
			      const struct ib_recv_wr **bad)
{
	struct cep_fake_qp *qp = to_qp(ibqp);
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&cep_fake_lock, flags);
	for (; wr; wr = wr->next) {
		struct cep_fake_recv *slot;

		if (qp->recv_count >= qp->recv_size || wr->num_sge != 1) {
			*bad = wr;
			ret = -ENOMEM;
			break;
		}
		slot = &qp->recv[(qp->recv_head + qp->recv_count++) % qp->recv_size];
		slot->cqe = wr->wr_cqe;
		slot->addr = wr->sg_list[0].addr;
		slot->length = wr->sg_list[0].length;
	}
	spin_unlock_irqrestore(&cep_fake_lock, flags);
	return ret;
}

const struct ib_device_ops cep_fake_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.query_device = cep_fake_query_device,
	.query_port = cep_fake_query_port,
	.modify_port = cep_fake_modify_port,
	.get_port_immutable = cep_fake_port_immutable,
	.get_link_layer = cep_fake_link_layer,
	.query_gid = cep_fake_query_gid,
	.query_pkey = cep_fake_query_pkey,
	.alloc_pd = cep_fake_alloc_pd,
	.dealloc_pd = cep_fake_dealloc_pd,
	.get_dma_mr = cep_fake_get_dma_mr,
	.reg_user_mr = cep_fake_reg_user_mr,
	.dereg_mr = cep_fake_dereg_mr,
	.create_ah = cep_fake_create_ah,
	.query_ah = cep_fake_query_ah,
	.destroy_ah = cep_fake_destroy_ah,
	.create_cq = cep_fake_create_cq,
	.destroy_cq = cep_fake_destroy_cq,
	.poll_cq = cep_fake_poll_cq,
	.req_notify_cq = cep_fake_req_notify_cq,
	.create_qp = cep_fake_create_qp,
	.modify_qp = cep_fake_modify_qp,
	.query_qp = cep_fake_query_qp,
	.destroy_qp = cep_fake_destroy_qp,
	.post_send = cep_fake_post_send,
	.post_recv = cep_fake_post_recv,
	INIT_RDMA_OBJ_SIZE(ib_ah, cep_fake_ah, ibah),
	INIT_RDMA_OBJ_SIZE(ib_cq, cep_fake_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_pd, cep_fake_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, cep_fake_qp, ibqp),
};

/* What a RoCE adapter has instead; ib_set_device_ops() keeps the first of each. */
const struct ib_device_ops cep_fake_roce_ops = {
	.get_port_immutable = cep_fake_roce_immutable,
	.add_gid = cep_fake_add_gid,
	.del_gid = cep_fake_del_gid,
};
