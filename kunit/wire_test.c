// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What ULPs say and what is on the wire: messages sent through the interface, read field
 * by field with the kernel's own definitions of IBA 12.6 (ibta_vol1_c12.h), and requests
 * written with those, read back from the event. An oracle that this project did not write.
 */
#include <linux/prandom.h>
#include <linux/slab.h>
#include <rdma/ib_mad.h>
#include <rdma/ibta_vol1_c12.h>
#include "world.h"

/* The last frame of each message, by attribute ID. */
struct cep_tap {
	u8 mad[CEP_NR_ATTRS][IB_MGMT_MAD_SIZE];
	unsigned int seen[CEP_NR_ATTRS];
};

static enum cep_fake_verdict cep_tap_filter(void *arg, const struct cep_fake_frame *frame)
{
	const struct ib_mad_hdr *hdr = (const void *)frame->mad;
	unsigned int n = be16_to_cpu(hdr->attr_id) - CEP_ATTR_REQ;
	struct cep_tap *tap = arg;

	if (n < CEP_NR_ATTRS) {
		memcpy(tap->mad[n], frame->mad, sizeof(frame->mad));
		tap->seen[n]++;
	}
	return CEP_FAKE_PASS;
}

static void *cep_tapped(struct kunit *test, struct cep_tap *tap, u16 attr)
{
	KUNIT_EXPECT_GE_MSG(test, tap->seen[attr - CEP_ATTR_REQ], 1U, "attribute %04x", attr);
	return tap->mad[attr - CEP_ATTR_REQ];
}

static struct cep_tap *cep_tap_both(struct kunit *test)
{
	struct cep_tap *tap = kunit_kzalloc(test, sizeof(*tap), GFP_KERNEL);
	struct cep_fake_faults faults = { .filter = cep_tap_filter, .arg = tap };
	struct cep_world *world = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, tap);
	cep_fake_set_faults(world->a, 1, &faults);
	cep_fake_set_faults(world->b, 1, &faults);
	return tap;
}

#define CEP_WIRE(test, field, msg, value) \
	KUNIT_EXPECT_EQ_MSG(test, (u64)_IBA_GET(field, msg), (u64)(value), #field)

/* --- REQ ------------------------------------------------------------------------------------- */

static void cep_random_req(struct rnd_state *rnd, struct ib_cep_req_param *param,
			   struct sa_path_rec *path)
{
	param->qp_num = prandom_u32_state(rnd) & 0xffffff;
	param->starting_psn = prandom_u32_state(rnd) & 0xffffff;
	param->responder_resources = prandom_u32_state(rnd);
	param->initiator_depth = prandom_u32_state(rnd);
	param->remote_cm_response_timeout_exp = prandom_u32_state(rnd) & 31;
	param->local_cm_response_timeout_exp = prandom_u32_state(rnd) & 31;
	param->flow_control = prandom_u32_state(rnd) & 1;
	param->retry_count = prandom_u32_state(rnd) & 7;
	param->rnr_retry_count = prandom_u32_state(rnd) & 7;
	param->max_cm_retries = prandom_u32_state(rnd) & 15;
	param->srq = prandom_u32_state(rnd) & 1;
	param->ece_vendor_id = prandom_u32_state(rnd) & 0xffffff;
	param->ece_attr_mod = prandom_u32_state(rnd);
	param->qp_type = prandom_u32_state(rnd) & 1 ? IB_QPT_RC : IB_QPT_UC;
	path->flow_label = cpu_to_be32(prandom_u32_state(rnd) & 0xfffff);
	path->traffic_class = prandom_u32_state(rnd);
	path->sl = prandom_u32_state(rnd) & 15;
	path->mtu = 1 + prandom_u32_state(rnd) % 5;
	path->packet_life_time = 10 + prandom_u32_state(rnd) % 8;
}

static void cep_check_req(struct kunit *test, struct cep_world *world, struct cm_req_msg *msg,
			  const struct ib_cep_req_param *param, struct sa_path_rec *path)
{
	CEP_WIRE(test, CM_REQ_SERVICE_ID, msg, be64_to_cpu(param->service_id));
	CEP_WIRE(test, CM_REQ_LOCAL_CA_GUID, msg,
		 be64_to_cpu(cep_fake_ibdev(world->a)->node_guid));
	CEP_WIRE(test, CM_REQ_LOCAL_QPN, msg, param->qp_num);
	CEP_WIRE(test, CM_REQ_STARTING_PSN, msg, param->starting_psn);
	CEP_WIRE(test, CM_REQ_RESPONDER_RESOURCES, msg, param->responder_resources);
	CEP_WIRE(test, CM_REQ_INITIATOR_DEPTH, msg, param->initiator_depth);
	CEP_WIRE(test, CM_REQ_REMOTE_CM_RESPONSE_TIMEOUT, msg,
		 param->remote_cm_response_timeout_exp);
	CEP_WIRE(test, CM_REQ_LOCAL_CM_RESPONSE_TIMEOUT, msg, param->local_cm_response_timeout_exp);
	CEP_WIRE(test, CM_REQ_END_TO_END_FLOW_CONTROL, msg, param->flow_control);
	CEP_WIRE(test, CM_REQ_RETRY_COUNT, msg, param->retry_count);
	CEP_WIRE(test, CM_REQ_RNR_RETRY_COUNT, msg, param->rnr_retry_count);
	CEP_WIRE(test, CM_REQ_MAX_CM_RETRIES, msg, param->max_cm_retries);
	CEP_WIRE(test, CM_REQ_SRQ, msg, param->srq);
	CEP_WIRE(test, CM_REQ_VENDOR_ID, msg, param->ece_vendor_id);
	CEP_WIRE(test, CM_REQ_TRANSPORT_SERVICE_TYPE, msg, param->qp_type == IB_QPT_UC ? 1 : 0);
	CEP_WIRE(test, CM_REQ_PARTITION_KEY, msg, 0xffff);
	CEP_WIRE(test, CM_REQ_PATH_PACKET_PAYLOAD_MTU, msg, path->mtu);
	CEP_WIRE(test, CM_REQ_PRIMARY_LOCAL_PORT_LID, msg, cep_fake_lid(world->a, 1));
	CEP_WIRE(test, CM_REQ_PRIMARY_REMOTE_PORT_LID, msg, cep_fake_lid(world->b, 1));
	CEP_WIRE(test, CM_REQ_PRIMARY_FLOW_LABEL, msg, be32_to_cpu(path->flow_label));
	CEP_WIRE(test, CM_REQ_PRIMARY_PACKET_RATE, msg, path->rate);
	CEP_WIRE(test, CM_REQ_PRIMARY_TRAFFIC_CLASS, msg, path->traffic_class);
	CEP_WIRE(test, CM_REQ_PRIMARY_HOP_LIMIT, msg, path->hop_limit);
	CEP_WIRE(test, CM_REQ_PRIMARY_SL, msg, path->sl);
	CEP_WIRE(test, CM_REQ_PRIMARY_SUBNET_LOCAL, msg, 1);
	KUNIT_EXPECT_FALSE(test, memcmp(IBA_GET_MEM_PTR(CM_REQ_PRIMARY_LOCAL_PORT_GID, msg),
					&path->sgid, 16));
	KUNIT_EXPECT_FALSE(test, memcmp(IBA_GET_MEM_PTR(CM_REQ_PRIMARY_REMOTE_PORT_GID, msg),
					&path->dgid, 16));
	KUNIT_EXPECT_FALSE(test, memcmp(IBA_GET_MEM_PTR(CM_REQ_PRIVATE_DATA, msg),
					param->private_data, param->private_data_len));
	KUNIT_EXPECT_EQ(test, be32_to_cpu(msg->hdr.attr_mod), param->ece_attr_mod);
}

static void cep_test_req_on_the_wire(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_tap *tap = cep_tap_both(test);
	struct ib_cep_req_param param;
	struct sa_path_rec path;
	struct rnd_state rnd;
	struct cep_ulp *ulp;
	u8 data[IB_CEP_REQ_PRIVATE_DATA_SIZE];
	int i;

	prandom_seed_state(&rnd, 12);
	for (i = 0; i < 100; i++) {
		ulp = cep_ulp_new(world, world->a);
		cep_world_req(world, world->a, world->b, CEP_WORLD_SERVICE + i, &path, &param);
		cep_random_req(&rnd, &param, &path);
		prandom_bytes_state(&rnd, data, sizeof(data));
		param.private_data = data;
		param.private_data_len = prandom_u32_state(&rnd) % (sizeof(data) + 1);
		KUNIT_ASSERT_EQ(test, ib_cep_send_req(ulp->cep, &param), 0);
		cep_world_settle(world);
		cep_check_req(test, world, cep_tapped(test, tap, CEP_ATTR_REQ), &param, &path);
		cep_ulp_destroy(ulp);
	}
}

/* Both sides of it: what the passive ULP is told of the same request. */
static void cep_test_req_event(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_ulp *listener = cep_ulp_listen(world, world->b, CEP_WORLD_SERVICE);
	struct ib_cep_req_param param;
	const struct ib_cep_req_event *req;
	struct cep_ulp *active, *child;
	struct sa_path_rec path;
	struct rnd_state rnd;
	int i;

	prandom_seed_state(&rnd, 13);
	for (i = 0; i < 50; i++) {
		active = cep_ulp_new(world, world->a);
		cep_world_req(world, world->a, world->b, CEP_WORLD_SERVICE, &path, &param);
		cep_random_req(&rnd, &param, &path);
		KUNIT_ASSERT_EQ(test, ib_cep_send_req(active->cep, &param), 0);
		cep_world_settle(world);
		child = cep_world_child(world, i);
		KUNIT_ASSERT_NOT_NULL(test, child);
		req = &child->seen[0].req;
		KUNIT_EXPECT_EQ(test, req->remote_qpn, param.qp_num);
		KUNIT_EXPECT_EQ(test, req->starting_psn, param.starting_psn);
		KUNIT_EXPECT_EQ(test, req->responder_resources, param.initiator_depth);
		KUNIT_EXPECT_EQ(test, req->initiator_depth, param.responder_resources);
		KUNIT_EXPECT_EQ(test, req->flow_control, param.flow_control);
		KUNIT_EXPECT_EQ(test, req->retry_count, param.retry_count);
		KUNIT_EXPECT_EQ(test, req->rnr_retry_count, param.rnr_retry_count);
		KUNIT_EXPECT_EQ(test, req->srq, param.srq);
		KUNIT_EXPECT_EQ(test, req->ece_vendor_id, param.ece_vendor_id);
		KUNIT_EXPECT_EQ(test, req->ece_attr_mod, param.ece_attr_mod);
		KUNIT_EXPECT_EQ(test, (int)req->qp_type, (int)param.qp_type);
		KUNIT_EXPECT_EQ(test, req->port, 1U);
		KUNIT_EXPECT_EQ(test, req->bth_pkey, 0xffff);
		KUNIT_EXPECT_EQ(test, be64_to_cpu(req->service_id), CEP_WORLD_SERVICE);
		KUNIT_EXPECT_PTR_EQ(test, req->device, cep_fake_ibdev(world->b));
		cep_ulp_destroy(active);
		cep_ulp_destroy(child);
		cep_world_exhaust(world);
	}
	cep_ulp_destroy(listener);
}

/* --- the others --------------------------------------------------------------------------------- */

static void cep_test_others_on_the_wire(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_tap *tap = cep_tap_both(test);
	struct cep_ulp *active, *passive;
	struct ib_cep_info a, b;
	struct cm_rep_msg *rep;
	struct cm_rtu_msg *rtu;
	struct cm_dreq_msg *dreq;
	struct cm_drep_msg *drep;

	cep_world_connect(world, &active, &passive);
	ib_cep_query(active->cep, &a);
	ib_cep_query(passive->cep, &b);
	KUNIT_EXPECT_EQ(test, a.local_comm_id, b.remote_comm_id);
	KUNIT_EXPECT_EQ(test, b.local_comm_id, a.remote_comm_id);
	rep = cep_tapped(test, tap, CEP_ATTR_REP);
	CEP_WIRE(test, CM_REP_LOCAL_COMM_ID, rep, b.local_comm_id);
	CEP_WIRE(test, CM_REP_REMOTE_COMM_ID, rep, a.local_comm_id);
	CEP_WIRE(test, CM_REP_LOCAL_QPN, rep, b.local_qpn);
	CEP_WIRE(test, CM_REP_STARTING_PSN, rep, 0x654321);
	CEP_WIRE(test, CM_REP_RESPONDER_RESOURCES, rep, 3);
	CEP_WIRE(test, CM_REP_INITIATOR_DEPTH, rep, 4);
	CEP_WIRE(test, CM_REP_RNR_RETRY_COUNT, rep, 7);
	CEP_WIRE(test, CM_REP_END_TO_END_FLOW_CONTROL, rep, 1);
	CEP_WIRE(test, CM_REP_LOCAL_CA_GUID, rep,
		 be64_to_cpu(cep_fake_ibdev(world->b)->node_guid));
	rtu = cep_tapped(test, tap, CEP_ATTR_RTU);
	CEP_WIRE(test, CM_RTU_LOCAL_COMM_ID, rtu, a.local_comm_id);
	CEP_WIRE(test, CM_RTU_REMOTE_COMM_ID, rtu, b.local_comm_id);
	/* One transaction: IBA 12.6 has the answer carry the request's TID. */
	KUNIT_EXPECT_EQ(test, be64_to_cpu(rtu->hdr.tid), be64_to_cpu(rep->hdr.tid));

	KUNIT_ASSERT_EQ(test, ib_cep_send_dreq(active->cep, "bye", 4), 0);
	cep_world_settle(world);
	dreq = cep_tapped(test, tap, CEP_ATTR_DREQ);
	CEP_WIRE(test, CM_DREQ_LOCAL_COMM_ID, dreq, a.local_comm_id);
	CEP_WIRE(test, CM_DREQ_REMOTE_COMM_ID, dreq, b.local_comm_id);
	CEP_WIRE(test, CM_DREQ_REMOTE_QPN_EECN, dreq, b.local_qpn);
	KUNIT_EXPECT_STREQ(test, (char *)IBA_GET_MEM_PTR(CM_DREQ_PRIVATE_DATA, dreq), "bye");
	drep = cep_tapped(test, tap, CEP_ATTR_DREP);
	CEP_WIRE(test, CM_DREP_LOCAL_COMM_ID, drep, b.local_comm_id);
	CEP_WIRE(test, CM_DREP_REMOTE_COMM_ID, drep, a.local_comm_id);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(drep->hdr.tid), be64_to_cpu(dreq->hdr.tid));
}

static void cep_test_refusals_on_the_wire(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_tap *tap = cep_tap_both(test);
	struct cep_ulp *ulp, *peer;
	struct cm_mra_msg *mra;
	struct cm_rej_msg *rej;

	cep_world_reach(world, IB_CEP_REQ_RCVD, &ulp, &peer);
	KUNIT_ASSERT_EQ(test, ib_cep_send_mra(ulp->cep, 21, false, "wait", 5), 0);
	cep_world_settle(world);
	mra = cep_tapped(test, tap, CEP_ATTR_MRA);
	CEP_WIRE(test, CM_MRA_MESSAGE_MRAED, mra, 0);
	CEP_WIRE(test, CM_MRA_SERVICE_TIMEOUT, mra, 21);
	KUNIT_EXPECT_STREQ(test, (char *)IBA_GET_MEM_PTR(CM_MRA_PRIVATE_DATA, mra), "wait");
	KUNIT_ASSERT_EQ(test, ib_cep_send_rej(ulp->cep, 28, "ari", 4, "no", 3), 0);
	cep_world_settle(world);
	rej = cep_tapped(test, tap, CEP_ATTR_REJ);
	CEP_WIRE(test, CM_REJ_MESSAGE_REJECTED, rej, 0);
	CEP_WIRE(test, CM_REJ_REASON, rej, 28);
	CEP_WIRE(test, CM_REJ_REJECTED_INFO_LENGTH, rej, 4);
	KUNIT_EXPECT_STREQ(test, (char *)IBA_GET_MEM_PTR(CM_REJ_ARI, rej), "ari");
	KUNIT_EXPECT_STREQ(test, (char *)IBA_GET_MEM_PTR(CM_REJ_PRIVATE_DATA, rej), "no");

	cep_world_reach(world, IB_CEP_REP_RCVD, &ulp, &peer);
	KUNIT_ASSERT_EQ(test, ib_cep_send_rej(ulp->cep, 28, NULL, 0, NULL, 0), 0);
	cep_world_settle(world);
	CEP_WIRE(test, CM_REJ_MESSAGE_REJECTED, rej, 1); /* W2: a REP this time */
	CEP_EXPECT_SAW(test, peer, IB_CEP_REJ_RECEIVED, 1);
	KUNIT_EXPECT_EQ(test, (int)cep_ulp_last(peer)->message_rejected, 1);
}

static struct kunit_case cep_wire_cases[] = {
	KUNIT_CASE(cep_test_req_on_the_wire),
	KUNIT_CASE(cep_test_req_event),
	KUNIT_CASE(cep_test_others_on_the_wire),
	KUNIT_CASE(cep_test_refusals_on_the_wire),
	{}
};

static struct kunit_suite cep_wire_suite = {
	.name = "cep_wire",
	.init = cep_world_begin,
	.exit = cep_world_end,
	.test_cases = cep_wire_cases,
};

kunit_test_suites(&cep_wire_suite);
