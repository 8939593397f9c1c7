// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Cases: requests that are refused, calls that are wrong, ids that go early. */
#include <linux/err.h>

#include "ib_cm_test.h"

void ct_refused_then_again(void)
{
	struct ib_cm_req_param param;
	const struct ct_seen *seen;

	if (!ct_open())
		return;
	ct.answer = CT_REFUSE;
	ct_fill_req(&param);
	if (!CT_CHECK(!ib_send_cm_req(ct.active.id, &param)))
		goto out;
	seen = ct_expect(&ct.active, IB_CM_REJ_RECEIVED);
	CT_CHECK(seen->event.param.rej_rcvd.reason == IB_CM_REJ_CONSUMER_DEFINED);
	CT_CHECK(seen->event.param.rej_rcvd.ari_length == 0);
	CT_CHECK(seen->state == IB_CM_IDLE);

	ct.answer = CT_KEEP;
	if (ct_connect())
		ct_disconnect(&ct.active, &ct.passive);
	CT_CHECK(ct.requests == 2);
out:
	ct_close();
}

void ct_no_memory(void)
{
	if (!ct_open())
		return;
	ct.answer = CT_NO_MEMORY_ONCE;
	/* The second copy of the REQ, which nobody has answered, makes the connection. */
	if (ct_connect())
		ct_disconnect(&ct.active, &ct.passive);
	CT_CHECK(ct.requests == 2);
	ct_close();
}

void ct_reject_passive(void)
{
	const struct ct_seen *seen;

	if (!ct_open())
		return;
	if (!ct_request())
		goto out;
	CT_CHECK(!ib_send_cm_rej(ct.passive.id, IB_CM_REJ_NO_RESOURCES, "info", 5, "sorry", 6));
	CT_CHECK(ct.passive.id->state == IB_CM_IDLE);
	seen = ct_expect(&ct.active, IB_CM_REJ_RECEIVED);
	CT_CHECK(seen->state == IB_CM_IDLE);
	CT_CHECK(seen->event.param.rej_rcvd.reason == IB_CM_REJ_NO_RESOURCES);
	CT_CHECK(seen->event.param.rej_rcvd.ari_length == 5);
	CT_CHECK(!memcmp(seen->ari, "info", 5));
	CT_CHECK(!memcmp(seen->data, "sorry", 6));
	CT_CHECK(ib_send_cm_rej(ct.passive.id, IB_CM_REJ_NO_RESOURCES, NULL, 0, NULL, 0) ==
		 -EINVAL);
out:
	ct_close();
}

void ct_reject_active(void)
{
	const struct ct_seen *seen;

	if (!ct_open())
		return;
	if (!ct_request() || !ct_reply())
		goto out;
	CT_CHECK(!ib_send_cm_rej(ct.active.id, IB_CM_REJ_CONSUMER_DEFINED, NULL, 0, "no", 3));
	CT_CHECK(ct.active.id->state == IB_CM_IDLE);
	seen = ct_expect(&ct.passive, IB_CM_REJ_RECEIVED);
	CT_CHECK(seen->state == IB_CM_IDLE);
	CT_CHECK(seen->event.param.rej_rcvd.reason == IB_CM_REJ_CONSUMER_DEFINED);
	CT_CHECK(!memcmp(seen->data, "no", 3));
out:
	ct_close();
}

static u8 ct_too_much[256];

void ct_sizes(void)
{
	struct ib_cm_req_param req;
	struct ib_cm_rep_param rep;

	if (!ct_open())
		return;
	ct_fill_req(&req);
	req.private_data = ct_too_much;
	req.private_data_len = IB_CM_REQ_PRIVATE_DATA_SIZE + 1;
	CT_CHECK(ib_send_cm_req(ct.active.id, &req) == -EINVAL);
	CT_CHECK(ct.active.id->state == IB_CM_IDLE);
	req.primary_path = NULL;
	req.private_data_len = 0;
	CT_CHECK(ib_send_cm_req(ct.active.id, &req) == -EINVAL);
	ct_fill_req(&req);
	req.qp_type = IB_QPT_UD;
	CT_CHECK(ib_send_cm_req(ct.active.id, &req) == -EINVAL);
	if (!ct_request())
		goto out;

	ct_fill_rep(&rep);
	rep.private_data = ct_too_much;
	rep.private_data_len = IB_CM_REP_PRIVATE_DATA_SIZE + 1;
	CT_CHECK(ib_send_cm_rep(ct.passive.id, &rep) == -EINVAL);
	CT_CHECK(ib_send_cm_mra(ct.passive.id, 10, ct_too_much,
				IB_CM_MRA_PRIVATE_DATA_SIZE + 1) == -EINVAL);
	CT_CHECK(ib_send_cm_rej(ct.passive.id, IB_CM_REJ_NO_QP, NULL, 0, ct_too_much,
				IB_CM_REJ_PRIVATE_DATA_SIZE + 1) == -EINVAL);
	CT_CHECK(ib_send_cm_rej(ct.passive.id, IB_CM_REJ_NO_QP, ct_too_much,
				IB_CM_REJ_ARI_LENGTH + 1, NULL, 0) == -EINVAL);
	CT_CHECK(ct.passive.id->state == IB_CM_REQ_RCVD);
	if (!ct_reply())
		goto out;

	CT_CHECK(ib_send_cm_rtu(ct.active.id, ct_too_much, IB_CM_RTU_PRIVATE_DATA_SIZE + 1) ==
		 -EINVAL);
	CT_CHECK(ct.active.id->state == IB_CM_REP_RCVD);
	/* A length without data is no data. */
	CT_CHECK(!ib_send_cm_rtu(ct.active.id, NULL, 255));
	ct_expect(&ct.passive, IB_CM_RTU_RECEIVED);
	CT_CHECK(ib_send_cm_dreq(ct.active.id, ct_too_much, IB_CM_DREQ_PRIVATE_DATA_SIZE + 1) ==
		 -EINVAL);
	CT_CHECK(ct.active.id->state == IB_CM_ESTABLISHED);
	ct_disconnect(&ct.active, &ct.passive);
out:
	ct_close();
}

void ct_wrong_state(void)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT };
	struct ib_cm_req_param req;
	struct ib_cm_rep_param rep;
	struct ib_cm_id *id;
	int mask;

	if (!ct_open())
		return;
	id = ct.active.id;
	ct_fill_req(&req);
	ct_fill_rep(&rep);
	CT_CHECK(ib_send_cm_rep(id, &rep) == -EINVAL);
	CT_CHECK(ib_send_cm_rtu(id, NULL, 0) == -EINVAL);
	CT_CHECK(ib_send_cm_mra(id, 10, NULL, 0) == -EINVAL);
	CT_CHECK(ib_send_cm_rej(id, IB_CM_REJ_NO_QP, NULL, 0, NULL, 0) == -EINVAL);
	CT_CHECK(ib_send_cm_dreq(id, NULL, 0) == -EINVAL);
	CT_CHECK(ib_send_cm_drep(id, NULL, 0) == -EINVAL);
	CT_CHECK(ib_cm_notify(id, IB_EVENT_COMM_EST) == -EINVAL);
	CT_CHECK(ib_cm_init_qp_attr(id, &attr, &mask) == -EINVAL);
	CT_CHECK(id->state == IB_CM_IDLE);
	CT_CHECK(ib_send_cm_req(ct.listener, &req) == -EINVAL);
	CT_CHECK(ct.listener->state == IB_CM_LISTEN);

	if (!ct_request())
		goto out;
	CT_CHECK(ib_send_cm_req(id, &req) == -EINVAL);
	CT_CHECK(ib_send_cm_rtu(id, NULL, 0) == -EINVAL);
	CT_CHECK(ib_cm_listen(id, CT_SERVICE) == -EINVAL);
	CT_CHECK(id->state == IB_CM_REQ_SENT);
	CT_CHECK(ib_send_cm_dreq(ct.passive.id, NULL, 0) == -EINVAL);
	CT_CHECK(ib_cm_notify(ct.passive.id, IB_EVENT_COMM_EST) == -EINVAL);
	CT_CHECK(ct.passive.id->state == IB_CM_REQ_RCVD);
	if (!ct_reply())
		goto out;
	CT_CHECK(ib_send_cm_rep(ct.passive.id, &rep) == -EINVAL);
	CT_CHECK(!ib_send_cm_rtu(id, NULL, 0));
	CT_CHECK(ib_send_cm_rtu(id, NULL, 0) == -EINVAL);
	ct_expect(&ct.passive, IB_CM_RTU_RECEIVED);
	CT_CHECK(ib_send_cm_drep(id, NULL, 0) == -EINVAL);
	CT_CHECK(id->state == IB_CM_ESTABLISHED);
	ct_disconnect(&ct.active, &ct.passive);
out:
	ct_close();
}

static void ct_rejected(struct ct_end *end, enum ib_cm_rej_reason reason)
{
	const struct ct_seen *seen = ct_expect(end, IB_CM_REJ_RECEIVED);

	CT_CHECK(seen->event.param.rej_rcvd.reason == reason);
	if (reason == IB_CM_REJ_TIMEOUT) {
		CT_CHECK(seen->event.param.rej_rcvd.ari_length == sizeof(__be64));
		CT_CHECK(!memcmp(seen->ari, &ct.device->node_guid, sizeof(__be64)));
	}
}

void ct_destroy_states(void)
{
	/* REQ_SENT: the peer, who may have our REQ, hears that we wait no longer. */
	if (!ct_open())
		return;
	if (ct_request()) {
		ct_drop(&ct.active);
		ct_rejected(&ct.passive, IB_CM_REJ_TIMEOUT);
	}
	ct_close();

	/* REQ_RCVD */
	if (!ct_open())
		return;
	if (ct_request()) {
		ct_drop(&ct.passive);
		ct_rejected(&ct.active, IB_CM_REJ_CONSUMER_DEFINED);
	}
	ct_close();

	/* REP_SENT */
	if (!ct_open())
		return;
	if (ct_request() && ct_reply()) {
		ct_drop(&ct.passive);
		ct_rejected(&ct.active, IB_CM_REJ_CONSUMER_DEFINED);
	}
	ct_close();

	/* REP_RCVD */
	if (!ct_open())
		return;
	if (ct_request() && ct_reply()) {
		ct_drop(&ct.active);
		ct_rejected(&ct.passive, IB_CM_REJ_CONSUMER_DEFINED);
	}
	ct_close();

	/* ESTABLISHED, and then DREQ_RCVD on the other side */
	if (!ct_open())
		return;
	if (ct_connect()) {
		ct_drop(&ct.passive);
		CT_CHECK(ct_expect(&ct.active, IB_CM_DREQ_RECEIVED)->state == IB_CM_DREQ_RCVD);
	}
	ct_close();

	/* DREQ_SENT: no event comes after destroy, the peer is served all the same. */
	if (!ct_open())
		return;
	if (ct_connect()) {
		CT_CHECK(!ib_send_cm_dreq(ct.active.id, NULL, 0));
		ct_drop(&ct.active);
		ct_expect(&ct.passive, IB_CM_DREQ_RECEIVED);
		CT_CHECK(!ib_send_cm_drep(ct.passive.id, NULL, 0));
		ct_expect(&ct.passive, IB_CM_TIMEWAIT_EXIT);
	}
	ct_close();
}

/* IBA 14: a target QP belongs to its domain and lives on; so does the initiator's view. */
void ct_xrc_target(void)
{
	ct.qp_type = IB_QPT_XRC_INI;
	if (!ct_open())
		return;
	if (ct_connect()) {
		ct_drop(&ct.passive);
		/* What the initiator hears of it is the answer to its own DREQ. */
		CT_CHECK(ct.active.id->state == IB_CM_ESTABLISHED);
		CT_CHECK(!ib_send_cm_dreq(ct.active.id, NULL, 0));
		CT_CHECK(ct_expect(&ct.active, IB_CM_DREP_RECEIVED)->state == IB_CM_TIMEWAIT);
		ct_expect(&ct.active, IB_CM_TIMEWAIT_EXIT);
	}
	ct_close();
}
