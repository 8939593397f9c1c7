// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Steps that many cases share: a listener, a request, a whole connection, its
 * end. Each checks on its way; a case goes on only when a step says true.
 */
#include <linux/err.h>

#include "ib_cm_test.h"

void ct_fill_req(struct ib_cm_req_param *param)
{
	static const u8 data[IB_CM_REQ_PRIVATE_DATA_SIZE] = "request";

	*param = (struct ib_cm_req_param) {
		.primary_path = &ct.path,
		.ppath_sgid_attr = ct.sgid_attr,
		.service_id = CT_SERVICE,
		.qp_num = CT_REQ_QPN,
		.qp_type = ct.qp_type,
		.starting_psn = CT_REQ_PSN,
		.private_data = data,
		.private_data_len = sizeof(data),
		.responder_resources = CT_REQ_RESOURCES,
		.initiator_depth = CT_REQ_DEPTH,
		.remote_cm_response_timeout = CT_REMOTE_EXP,
		.local_cm_response_timeout = CT_LOCAL_EXP,
		.flow_control = 1,
		.retry_count = 6,
		.rnr_retry_count = 5,
		.max_cm_retries = 15,
		.srq = 1,
		.ece = { .vendor_id = 0x123456, .attr_mod = 0x89abcdef },
	};
}

void ct_fill_rep(struct ib_cm_rep_param *param)
{
	static const u8 data[IB_CM_REP_PRIVATE_DATA_SIZE] = "reply";

	*param = (struct ib_cm_rep_param) {
		.qp_num = CT_REP_QPN,
		.starting_psn = CT_REP_PSN,
		.private_data = data,
		.private_data_len = sizeof(data),
		.responder_resources = CT_REP_RESOURCES,
		.initiator_depth = CT_REP_DEPTH,
		.flow_control = 1,
		.rnr_retry_count = 4,
		.srq = 1,
		.ece = { .vendor_id = 0x654321, .attr_mod = 0x13579bdf },
	};
}

/* A listener and an id that may ask it. */
bool ct_open(void)
{
	ct_end_init(&ct.active);
	ct_end_init(&ct.passive);
	ct.answer = CT_KEEP;
	ct.requests = 0;

	/* Shared listeners have no context: what REQ ids inherit is NULL. */
	ct.listener = ib_cm_insert_listen(ct.device, ct_listen_handler, CT_SERVICE);
	if (!CT_CHECK(!IS_ERR(ct.listener)))
		return false;
	CT_CHECK(ct.listener->state == IB_CM_LISTEN);
	CT_CHECK(ct.listener->service_id == CT_SERVICE);

	ct.active.id = ib_create_cm_id(ct.device, ct_active_handler, &ct.active);
	if (!CT_CHECK(!IS_ERR(ct.active.id))) {
		ct.active.id = NULL;
		ib_destroy_cm_id(ct.listener);
		return false;
	}
	CT_CHECK(ct.active.id->state == IB_CM_IDLE);
	CT_CHECK(ct.active.id->remote_cm_qpn == 1);
	CT_CHECK(ct.active.id->local_id);
	return true;
}

void ct_drop(struct ct_end *end)
{
	if (end->id)
		ib_destroy_cm_id(end->id);
	end->id = NULL;
}

void ct_close(void)
{
	ct_drop(&ct.active);
	ct_drop(&ct.passive);
	ib_destroy_cm_id(ct.listener);
}

/* Up to a passive id in REQ_RCVD. */
bool ct_request(void)
{
	struct ib_cm_req_param param;
	const struct ct_seen *seen;

	ct_fill_req(&param);
	if (!CT_CHECK(!ib_send_cm_req(ct.active.id, &param)))
		return false;
	CT_CHECK(ct.active.id->state == IB_CM_REQ_SENT);

	seen = ct_expect(&ct.passive, IB_CM_REQ_RECEIVED);
	CT_CHECK(seen->state == IB_CM_REQ_RCVD);
	CT_CHECK(seen->remote_id == ct.active.id->local_id);
	return seen->event.event == IB_CM_REQ_RECEIVED && ct.passive.id;
}

/* On to an active id in REP_RCVD. */
bool ct_reply(void)
{
	struct ib_cm_rep_param param;
	const struct ct_seen *seen;

	ct_fill_rep(&param);
	if (!CT_CHECK(!ib_send_cm_rep(ct.passive.id, &param)))
		return false;
	/* The answer may be here already. */
	CT_CHECK(ct.passive.id->state == IB_CM_REP_SENT);

	seen = ct_expect(&ct.active, IB_CM_REP_RECEIVED);
	CT_CHECK(seen->state == IB_CM_REP_RCVD);
	CT_CHECK(seen->remote_id == ct.passive.id->local_id);
	CT_CHECK(seen->local_id == ct.passive.id->remote_id);
	return seen->event.event == IB_CM_REP_RECEIVED;
}

bool ct_connect(void)
{
	const struct ct_seen *seen;

	if (!ct_request() || !ct_reply())
		return false;
	if (!CT_CHECK(!ib_send_cm_rtu(ct.active.id, NULL, 0)))
		return false;
	CT_CHECK(ct.active.id->state == IB_CM_ESTABLISHED);

	seen = ct_expect(&ct.passive, IB_CM_RTU_RECEIVED);
	CT_CHECK(seen->state == IB_CM_ESTABLISHED);
	return seen->event.event == IB_CM_RTU_RECEIVED;
}

/* From ESTABLISHED to the end of timewait on both sides. */
void ct_disconnect(struct ct_end *first, struct ct_end *second)
{
	const struct ct_seen *seen;

	if (!CT_CHECK(!ib_send_cm_dreq(first->id, "bye", 4)))
		return;
	CT_CHECK(first->id->state == IB_CM_DREQ_SENT);

	seen = ct_expect(second, IB_CM_DREQ_RECEIVED);
	CT_CHECK(seen->state == IB_CM_DREQ_RCVD);
	CT_CHECK(!memcmp(seen->data, "bye", 4));
	/* rdma_cm and ib_srpt try a DREQ first and take this for "send a DREP". */
	CT_CHECK(ib_send_cm_dreq(second->id, NULL, 0) == -EINVAL);
	CT_CHECK(second->id->state == IB_CM_DREQ_RCVD);
	CT_CHECK(!ib_send_cm_drep(second->id, "farewell", 9));
	CT_CHECK(second->id->state == IB_CM_TIMEWAIT);

	seen = ct_expect(first, IB_CM_DREP_RECEIVED);
	CT_CHECK(seen->state == IB_CM_TIMEWAIT);
	CT_CHECK(!memcmp(seen->data, "farewell", 9));

	CT_CHECK(ct_expect(first, IB_CM_TIMEWAIT_EXIT)->state == IB_CM_IDLE);
	CT_CHECK(ct_expect(second, IB_CM_TIMEWAIT_EXIT)->state == IB_CM_IDLE);
	CT_CHECK(first->count == first->taken);
	CT_CHECK(second->count == second->taken);
}
