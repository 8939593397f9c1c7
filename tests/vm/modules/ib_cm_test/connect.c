// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Cases: the life of a connection that forms. */
#include <linux/err.h>

#include "ib_cm_test.h"

void ct_whole_life(void)
{
	if (!ct_open())
		return;
	if (ct_connect()) {
		CT_CHECK(ib_cm_notify(ct.active.id, IB_EVENT_COMM_EST) == -EISCONN);
		CT_CHECK(ib_cm_notify(ct.passive.id, IB_EVENT_COMM_EST) == -EISCONN);
		CT_CHECK(ib_cm_notify(ct.passive.id, IB_EVENT_QP_FATAL) == -EINVAL);
		ct_disconnect(&ct.active, &ct.passive);
	}
	ct_close();

	/* The other side ends it; and a listener that goes leaves connections alone. */
	if (!ct_open())
		return;
	if (ct_connect()) {
		ib_destroy_cm_id(ct.listener);
		ct_disconnect(&ct.passive, &ct.active);
		ct.listener = ib_cm_insert_listen(ct.device, ct_listen_handler, CT_SERVICE);
		CT_CHECK(!IS_ERR(ct.listener));
	}
	ct_close();
}

void ct_request_event(void)
{
	const struct ib_cm_req_event_param *req;
	const struct ct_seen *seen;

	if (!ct_open())
		return;
	if (!ct_request())
		goto out;

	seen = &ct.passive.seen[0];
	req = &seen->event.param.req_rcvd;
	CT_CHECK(ct.passive.id->service_id == CT_SERVICE);
	CT_CHECK(ct.passive.id->remote_cm_qpn == 1);
	CT_CHECK(seen->local_id && seen->local_id == ct.passive.id->local_id);
	CT_CHECK(req->port == 1);
	CT_CHECK(req->bth_pkey == 0xffff);
	CT_CHECK(seen->has_sgid_attr);
	CT_CHECK(!seen->has_alternate);
	CT_CHECK(req->remote_ca_guid == ct.device->node_guid);
	CT_CHECK(req->remote_qpn == CT_REQ_QPN);
	CT_CHECK(req->qp_type == IB_QPT_RC);
	CT_CHECK(req->starting_psn == CT_REQ_PSN);
	/* What the peer can do as initiator we may do as responder. */
	CT_CHECK(req->responder_resources == CT_REQ_DEPTH);
	CT_CHECK(req->initiator_depth == CT_REQ_RESOURCES);
	CT_CHECK(req->local_cm_response_timeout == CT_REMOTE_EXP);
	CT_CHECK(req->remote_cm_response_timeout == CT_LOCAL_EXP);
	CT_CHECK(req->flow_control == 1);
	CT_CHECK(req->retry_count == 6);
	CT_CHECK(req->rnr_retry_count == 5);
	CT_CHECK(req->srq == 1);
	CT_CHECK(req->ece.vendor_id == 0x123456);
	CT_CHECK(req->ece.attr_mod == 0x89abcdef);
	CT_CHECK(!memcmp(seen->data, "request", 8));

	CT_CHECK(seen->path.rec_type == ct.path.rec_type);
	CT_CHECK(!memcmp(&seen->path.sgid, &ct.path.dgid, sizeof(union ib_gid)));
	CT_CHECK(!memcmp(&seen->path.dgid, &ct.path.sgid, sizeof(union ib_gid)));
	CT_CHECK(seen->path.pkey == ct.path.pkey);
	CT_CHECK(seen->path.mtu == ct.path.mtu);
	CT_CHECK(seen->path.service_id == CT_SERVICE);
	CT_CHECK(seen->path.hop_limit == ct.path.hop_limit);
	CT_CHECK(seen->path.reversible == 1);
	CT_CHECK(seen->path.mtu_selector == IB_SA_EQ);
	CT_CHECK(seen->path.rate_selector == IB_SA_EQ);
	ct_attr("path rate %u life %u sl %u tclass %u flow %x\n", seen->path.rate,
		seen->path.packet_life_time, seen->path.sl, seen->path.traffic_class,
		be32_to_cpu(seen->path.flow_label));
out:
	ct_close();
}

void ct_reply_event(void)
{
	const struct ib_cm_rep_event_param *rep;
	const struct ct_seen *seen;

	if (!ct_open())
		return;
	if (!ct_request() || !ct_reply())
		goto out;

	seen = &ct.active.seen[0];
	rep = &seen->event.param.rep_rcvd;
	CT_CHECK(rep->remote_ca_guid == ct.device->node_guid);
	CT_CHECK(rep->remote_qpn == CT_REP_QPN);
	CT_CHECK(rep->starting_psn == CT_REP_PSN);
	CT_CHECK(rep->responder_resources == CT_REP_DEPTH);
	CT_CHECK(rep->initiator_depth == CT_REP_RESOURCES);
	CT_CHECK(rep->failover_accepted == 0);
	CT_CHECK(rep->flow_control == 1);
	CT_CHECK(rep->rnr_retry_count == 4);
	CT_CHECK(rep->srq == 1);
	CT_CHECK(rep->ece.vendor_id == 0x654321);
	CT_CHECK(rep->ece.attr_mod == 0x13579bdf);
	CT_CHECK(!memcmp(seen->data, "reply", 6));
	ct_attr("rep ack delay %u\n", rep->target_ack_delay);
out:
	ct_close();
}

void ct_mra(void)
{
	const struct ct_seen *seen;

	if (!ct_open())
		return;
	if (!ct_request())
		goto out;
	/* Delayed: the peer hears of it when its duplicate comes, and not before. */
	CT_CHECK(!ib_send_cm_mra(ct.passive.id, IB_CM_MRA_FLAG_DELAY | 20, "wait", 5));
	CT_CHECK(ct.passive.id->state == IB_CM_MRA_REQ_SENT);
	CT_CHECK(ib_send_cm_mra(ct.passive.id, 20, NULL, 0) == -EINVAL);
	seen = ct_expect(&ct.active, IB_CM_MRA_RECEIVED);
	CT_CHECK(seen->state == IB_CM_MRA_REQ_RCVD);
	CT_CHECK(seen->event.param.mra_rcvd.service_timeout == 20);
	CT_CHECK(!memcmp(seen->data, "wait", 5));
	if (!ct_reply())
		goto out;

	/* At once, to a REP. */
	CT_CHECK(!ib_send_cm_mra(ct.active.id, 19, "hold", 5));
	CT_CHECK(ct.active.id->state == IB_CM_MRA_REP_SENT);
	seen = ct_expect(&ct.passive, IB_CM_MRA_RECEIVED);
	CT_CHECK(seen->state == IB_CM_MRA_REP_RCVD);
	CT_CHECK(seen->event.param.mra_rcvd.service_timeout == 19);
	CT_CHECK(!ib_send_cm_rtu(ct.active.id, NULL, 0));
	CT_CHECK(ct_expect(&ct.passive, IB_CM_RTU_RECEIVED)->state == IB_CM_ESTABLISHED);
	ct_disconnect(&ct.active, &ct.passive);
out:
	ct_close();
}

void ct_established_by_qp(void)
{
	const struct ct_seen *seen;

	if (!ct_open())
		return;
	if (!ct_request() || !ct_reply())
		goto out;

	/* From a QP's event handler: interrupts are off, the state moves at once. */
	local_irq_disable();
	CT_CHECK(!ib_cm_notify(ct.passive.id, IB_EVENT_COMM_EST));
	CT_CHECK(irqs_disabled());
	local_irq_enable();
	CT_CHECK(ct.passive.id->state == IB_CM_ESTABLISHED);
	CT_CHECK(ib_cm_notify(ct.passive.id, IB_EVENT_COMM_EST) == -EISCONN);
	seen = ct_expect(&ct.passive, IB_CM_USER_ESTABLISHED);
	CT_CHECK(seen->state == IB_CM_ESTABLISHED);

	/* The late RTU is no news: what comes next is the DREQ. */
	CT_CHECK(!ib_send_cm_rtu(ct.active.id, NULL, 0));
	ct_disconnect(&ct.active, &ct.passive);
out:
	ct_close();
}

static void ct_one_attr(const char *side, struct ib_cm_id *id, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };
	int mask = 0;
	int ret = ib_cm_init_qp_attr(id, &attr, &mask);

	ct_attr("%s%d %d %x", side, state, ret, mask);
	if (mask & IB_QP_ACCESS_FLAGS)
		ct_attr(" acc %x", attr.qp_access_flags);
	if (mask & IB_QP_PKEY_INDEX)
		ct_attr(" pk %u", attr.pkey_index);
	if (mask & IB_QP_PORT)
		ct_attr(" po %u", attr.port_num);
	if (mask & IB_QP_AV)
		ct_attr(" ah %u %u %u %x %u %u %u %u %d",
			attr.ah_attr.type, attr.ah_attr.sl, attr.ah_attr.static_rate,
			attr.ah_attr.ah_flags, attr.ah_attr.port_num, attr.ah_attr.grh.hop_limit,
			attr.ah_attr.grh.traffic_class, attr.ah_attr.grh.sgid_index,
			!memcmp(&attr.ah_attr.grh.dgid, &ct.path.dgid, sizeof(union ib_gid)));
	if (mask & IB_QP_PATH_MTU)
		ct_attr(" mtu %u", attr.path_mtu);
	if (mask & IB_QP_DEST_QPN)
		ct_attr(" qpn %x", attr.dest_qp_num);
	if (mask & IB_QP_RQ_PSN)
		ct_attr(" rq %x", attr.rq_psn);
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		ct_attr(" dr %u", attr.max_dest_rd_atomic);
	if (mask & IB_QP_MIN_RNR_TIMER)
		ct_attr(" rt %u", attr.min_rnr_timer);
	if (mask & IB_QP_SQ_PSN)
		ct_attr(" sq %x", attr.sq_psn);
	if (mask & IB_QP_RETRY_CNT)
		ct_attr(" rc %u", attr.retry_cnt);
	if (mask & IB_QP_RNR_RETRY)
		ct_attr(" rnr %u", attr.rnr_retry);
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		ct_attr(" rd %u", attr.max_rd_atomic);
	if (mask & IB_QP_TIMEOUT)
		ct_attr(" to %u", attr.timeout);
	ct_attr("\n");
}

static void ct_all_attrs(const char *side, struct ib_cm_id *id)
{
	ct_one_attr(side, id, IB_QPS_INIT);
	ct_one_attr(side, id, IB_QPS_RTR);
	ct_one_attr(side, id, IB_QPS_RTS);
}

/* Most of it is for the comparison of two CMs; the numbers that we chose are checked. */
static void ct_attrs_of(enum ib_qp_type qp_type)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RTR };
	int mask = 0;

	if (!ct_open())
		return;
	ct.qp_type = qp_type;
	ct_attr("QP type %d\n", qp_type);
	if (!ct_request())
		goto out;
	CT_CHECK(ct.passive.seen[0].event.param.req_rcvd.qp_type ==
		 (qp_type == IB_QPT_XRC_INI ? IB_QPT_XRC_TGT : qp_type));
	ct_all_attrs("s", ct.active.id);
	ct_all_attrs("r", ct.passive.id);
	if (!ct_reply())
		goto out;
	ct_all_attrs("S", ct.passive.id);
	ct_all_attrs("R", ct.active.id);
	CT_CHECK(!ib_send_cm_rtu(ct.active.id, NULL, 0));
	ct_expect(&ct.passive, IB_CM_RTU_RECEIVED);
	ct_all_attrs("a", ct.active.id);
	ct_all_attrs("p", ct.passive.id);

	CT_CHECK(!ib_cm_init_qp_attr(ct.active.id, &attr, &mask));
	CT_CHECK(attr.dest_qp_num == ct.active.seen[0].event.param.rep_rcvd.remote_qpn);
	CT_CHECK(attr.rq_psn == CT_REQ_PSN);
	CT_CHECK(attr.ah_attr.grh.sgid_attr);
	CT_CHECK(!ib_cm_init_qp_attr(ct.passive.id, &attr, &mask));
	CT_CHECK(attr.dest_qp_num == CT_REQ_QPN && attr.rq_psn == CT_REP_PSN);
	attr.qp_state = IB_QPS_SQD;
	CT_CHECK(ib_cm_init_qp_attr(ct.active.id, &attr, &mask) == -EINVAL);
	ct_disconnect(&ct.active, &ct.passive);
out:
	ct_close();
}

void ct_qp_attributes(void)
{
	ct_attrs_of(IB_QPT_RC);
	ct_attrs_of(IB_QPT_UC);
}

void ct_xrc_attributes(void)
{
	ct_attrs_of(IB_QPT_XRC_INI);
}
