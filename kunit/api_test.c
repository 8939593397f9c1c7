// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Arguments and errors of the interface: every call in every state, and what is refused
 * has changed nothing: not one byte of the engine's state, and no frame went out.
 */
#include "world.h"

#define S(state) (1U << IB_CEP_##state)

/* Where a call is allowed; in the states of @open the answer is the engine's business. */
struct cep_call {
	const char *name;
	int (*call)(struct cep_ulp *ulp);
	u32 allowed;
	u32 open;
};

static int cep_call_send_req(struct cep_ulp *ulp)
{
	return cep_ulp_connect(ulp, ulp->world->a, ulp->world->b, CEP_WORLD_SERVICE);
}

static int cep_call_format_req(struct cep_ulp *ulp)
{
	struct ib_cep_req_param param;
	struct sa_path_rec path;

	cep_world_req(ulp->world, ulp->world->a, ulp->world->b, CEP_WORLD_SERVICE, &path, &param);
	return ib_cep_format_req(ulp->cep, &param);
}

static int cep_call_send_formatted_req(struct cep_ulp *ulp)
{
	return ib_cep_send_formatted_req(ulp->cep);
}

static int cep_call_format_rep(struct cep_ulp *ulp)
{
	struct ib_cep_rep_param param = { .qp_num = 5 };

	return ib_cep_format_rep(ulp->cep, &param);
}

static int cep_call_send_formatted_rep(struct cep_ulp *ulp)
{
	return ib_cep_send_formatted_rep(ulp->cep);
}

static int cep_call_send_rtu(struct cep_ulp *ulp)
{
	return ib_cep_send_rtu(ulp->cep, "rtu", 4);
}

static int cep_call_send_mra(struct cep_ulp *ulp)
{
	return ib_cep_send_mra(ulp->cep, 20, false, NULL, 0);
}

static int cep_call_send_rej(struct cep_ulp *ulp)
{
	return ib_cep_send_rej(ulp->cep, 28, NULL, 0, NULL, 0);
}

static int cep_call_send_dreq(struct cep_ulp *ulp)
{
	return ib_cep_send_dreq(ulp->cep, NULL, 0);
}

static int cep_call_send_drep(struct cep_ulp *ulp)
{
	return ib_cep_send_drep(ulp->cep, NULL, 0);
}

static int cep_call_established(struct cep_ulp *ulp)
{
	return ib_cep_established(ulp->cep);
}

static int cep_call_listen(struct cep_ulp *ulp)
{
	struct ib_cep_listen_param param = { .service_id = cpu_to_be64(CEP_WORLD_SERVICE + 99) };

	return ib_cep_listen(ulp->cep, &param);
}

static int cep_call_cancel_listen(struct cep_ulp *ulp)
{
	return ib_cep_cancel_listen(ulp->cep);
}

static const struct cep_call cep_calls[] = {
	{ "send_req", cep_call_send_req, S(IDLE) },
	{ "format_req", cep_call_format_req, S(IDLE) },
	{ "send_formatted_req", cep_call_send_formatted_req, 0 },
	{ "send_rep", cep_ulp_accept, S(REQ_RCVD) | S(MRA_REQ_SENT) },
	{ "format_rep", cep_call_format_rep, S(REQ_RCVD) | S(MRA_REQ_SENT) },
	{ "send_formatted_rep", cep_call_send_formatted_rep, 0 },
	{ "send_rtu", cep_call_send_rtu, S(REP_RCVD) | S(MRA_REP_SENT) },
	{ "send_mra", cep_call_send_mra, S(REQ_RCVD) | S(REP_RCVD),
	  S(MRA_REQ_SENT) | S(MRA_REP_SENT) },
	{ "send_rej", cep_call_send_rej, S(REQ_RCVD) | S(MRA_REQ_SENT) | S(REP_RCVD) |
	  S(MRA_REP_SENT), S(REQ_SENT) | S(MRA_REQ_RCVD) | S(REP_SENT) | S(MRA_REP_RCVD) },
	{ "send_dreq", cep_call_send_dreq, S(ESTABLISHED) },
	{ "send_drep", cep_call_send_drep, S(DREQ_RCVD) },
	{ "established", cep_call_established, S(REP_SENT) | S(MRA_REP_RCVD), S(ESTABLISHED) },
	{ "listen", cep_call_listen, S(IDLE) },
	{ "cancel_listen", cep_call_cancel_listen, S(LISTEN) },
};

static void cep_call_describe(const struct cep_call *call, char *desc)
{
	strscpy(desc, call->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(cep_call, cep_calls, cep_call_describe);

static void cep_test_call_in_every_state(struct kunit *test)
{
	const struct cep_call *call = test->param_value;
	struct cep_world *world = test->priv;
	struct cep_ulp *ulp, *peer;
	struct cep_core before;
	enum ib_cep_state state;
	u64 activity;
	int i, ret;

	for (i = 0; i < CEP_NR_REACHABLE; i++) {
		state = cep_reachable[i].state;
		cep_world_reach(world, state, &ulp, &peer);
		before = ulp->cep->core;
		activity = cep_fake_activity();
		ret = call->call(ulp);
		if (call->allowed & 1U << state)
			KUNIT_EXPECT_EQ_MSG(test, ret, 0, "%s in '%s'", call->name,
					    cep_reachable[i].name);
		else if (!(call->open & 1U << state))
			KUNIT_EXPECT_EQ_MSG(test, ret, -EINVAL, "%s in '%s'", call->name,
					    cep_reachable[i].name);
		if (ret) {
			KUNIT_EXPECT_FALSE_MSG(test,
					       memcmp(&before, &ulp->cep->core, sizeof(before)),
					       "refused %s changed '%s'", call->name,
					       cep_reachable[i].name);
			cep_world_settle(world);
			KUNIT_EXPECT_EQ_MSG(test, cep_fake_activity(), activity,
					    "refused %s sent in '%s'", call->name,
					    cep_reachable[i].name);
		}
		cep_world_settle(world);
		cep_ulp_destroy(ulp);
		if (peer)
			cep_ulp_destroy(peer);
		cep_world_exhaust(world);
	}
}

/* W3: one byte too many is -EINVAL, and nothing is sent; the most that fits is taken. */
static void cep_test_private_data_sizes(struct kunit *test)
{
	struct cep_world *world = test->priv;
	static const u8 data[256];
	struct ib_cep_req_param req;
	struct ib_cep_rep_param rep = { .qp_num = 7, .private_data = data,
					.private_data_len = IB_CEP_REP_PRIVATE_DATA_SIZE + 1 };
	struct sa_path_rec path;
	struct cep_ulp *ulp, *peer;

	ulp = cep_ulp_new(world, world->a);
	cep_world_req(world, world->a, world->b, CEP_WORLD_SERVICE, &path, &req);
	req.private_data = data;
	req.private_data_len = IB_CEP_REQ_PRIVATE_DATA_SIZE + 1;
	KUNIT_EXPECT_EQ(test, ib_cep_send_req(ulp->cep, &req), -EINVAL);
	req.private_data_len = IB_CEP_REQ_PRIVATE_DATA_SIZE;
	KUNIT_EXPECT_EQ(test, ib_cep_send_req(ulp->cep, &req), 0);

	cep_world_reach(world, IB_CEP_REQ_RCVD, &ulp, &peer);
	KUNIT_EXPECT_EQ(test, ib_cep_send_rep(ulp->cep, &rep), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_cep_send_mra(ulp->cep, 20, false, data,
					      IB_CEP_MRA_PRIVATE_DATA_SIZE + 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_cep_send_mra(ulp->cep, 32, false, NULL, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_cep_send_rej(ulp->cep, 28, data, IB_CEP_REJ_ARI_SIZE + 1, NULL,
					      0), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_cep_send_rej(ulp->cep, 28, NULL, 0, data,
					      IB_CEP_REJ_PRIVATE_DATA_SIZE + 1), -EINVAL);
	rep.private_data_len = IB_CEP_REP_PRIVATE_DATA_SIZE;
	KUNIT_EXPECT_EQ(test, ib_cep_send_rep(ulp->cep, &rep), 0);
	cep_world_settle(world);
	KUNIT_EXPECT_EQ(test, ib_cep_send_rtu(peer->cep, data, IB_CEP_RTU_PRIVATE_DATA_SIZE + 1),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, ib_cep_send_rtu(peer->cep, data, IB_CEP_RTU_PRIVATE_DATA_SIZE), 0);
	cep_world_settle(world);
	KUNIT_EXPECT_EQ(test, ib_cep_send_dreq(ulp->cep, data, IB_CEP_DREQ_PRIVATE_DATA_SIZE + 1),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, ib_cep_send_dreq(ulp->cep, data, IB_CEP_DREQ_PRIVATE_DATA_SIZE), 0);
	cep_world_settle(world);
	KUNIT_EXPECT_EQ(test, ib_cep_send_drep(peer->cep, data, IB_CEP_DREP_PRIVATE_DATA_SIZE + 1),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, ib_cep_send_drep(peer->cep, data, IB_CEP_DREP_PRIVATE_DATA_SIZE), 0);
}

static void cep_test_bad_paths(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_ulp *ulp = cep_ulp_new(world, world->a);
	struct cep_ulp *deviceless = cep_ulp_new(world, NULL);
	struct ib_cep_req_param req;
	struct sa_path_rec path, other;

	cep_world_req(world, world->a, world->b, CEP_WORLD_SERVICE, &path, &req);
	KUNIT_EXPECT_EQ_MSG(test, ib_cep_send_req(deviceless->cep, &req), -EINVAL, "no device");
	req.primary_path = NULL;
	KUNIT_EXPECT_EQ_MSG(test, ib_cep_send_req(ulp->cep, &req), -EINVAL, "no path");
	req.primary_path = &path;
	req.qp_type = IB_QPT_UD;
	KUNIT_EXPECT_EQ_MSG(test, ib_cep_send_req(ulp->cep, &req), -EINVAL, "UD");
	req.qp_type = IB_QPT_RC;
	path.sgid.raw[15] ^= 0x55;
	KUNIT_EXPECT_EQ_MSG(test, ib_cep_send_req(ulp->cep, &req), -EINVAL, "foreign source");
	path.sgid.raw[15] ^= 0x55;
	path.pkey = cpu_to_be16(0x8234);
	KUNIT_EXPECT_NE_MSG(test, ib_cep_send_req(ulp->cep, &req), 0, "P_Key not in the table");
	path.pkey = cpu_to_be16(0xffff);
	other = path;
	other.mtu = IB_MTU_256;
	req.alternate_path = &other;
	KUNIT_EXPECT_EQ_MSG(test, ib_cep_send_req(ulp->cep, &req), -EINVAL, "MTUs differ");
	req.alternate_path = NULL;
	CEP_EXPECT_STATE(test, ulp, IB_CEP_IDLE);
	/* L4: the next try works. */
	KUNIT_EXPECT_EQ(test, ib_cep_send_req(ulp->cep, &req), 0);
}

static void cep_test_format_then_send(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_ulp *listener = cep_ulp_listen(world, world->b, CEP_WORLD_SERVICE);
	struct cep_ulp *ulp = cep_ulp_new(world, world->a);
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT };
	struct ib_cep_rep_param rep = { .qp_num = 77, .responder_resources = 1 };
	struct cep_ulp *passive;
	int mask;

	KUNIT_EXPECT_EQ(test, cep_call_format_req(ulp), 0);
	KUNIT_EXPECT_EQ_MSG(test, cep_call_format_req(ulp), 0, "a second replaces the first");
	KUNIT_EXPECT_EQ(test, ib_cep_get_qp_attr(ulp->cep, &attr, &mask), 0);
	KUNIT_EXPECT_EQ(test, ib_cep_send_formatted_req(ulp->cep), 0);
	KUNIT_EXPECT_EQ(test, ib_cep_send_formatted_req(ulp->cep), -EINVAL);
	cep_world_settle(world);
	passive = cep_world_child(world, 0);
	KUNIT_ASSERT_NOT_NULL(test, passive);
	KUNIT_EXPECT_EQ(test, ib_cep_format_rep(passive->cep, &rep), 0);
	attr.qp_state = IB_QPS_RTR;
	KUNIT_EXPECT_EQ(test, ib_cep_get_qp_attr(passive->cep, &attr, &mask), 0);
	KUNIT_EXPECT_EQ(test, ib_cep_send_formatted_rep(passive->cep), 0);
	cep_world_settle(world);
	KUNIT_EXPECT_EQ(test, ib_cep_send_rtu(ulp->cep, NULL, 0), 0);
	cep_world_settle(world);
	CEP_EXPECT_STATE(test, passive, IB_CEP_ESTABLISHED);
	cep_ulp_destroy(listener);
}

/* What is prepared and never sent goes with the CEP. */
static void cep_test_formatted_and_destroyed(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_ulp *ulp = cep_ulp_new(world, world->a), *peer;
	struct ib_cep_rep_param rep = { .qp_num = 77 };

	KUNIT_EXPECT_EQ(test, cep_call_format_req(ulp), 0);
	cep_ulp_destroy(ulp);
	cep_world_reach(world, IB_CEP_REQ_RCVD, &ulp, &peer);
	KUNIT_EXPECT_EQ(test, ib_cep_format_rep(ulp->cep, &rep), 0);
	cep_ulp_destroy(ulp);
}

/* L15: atomic callers find their interrupts as they left them. */
static void cep_test_interrupt_state(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_ulp *ulp, *peer;
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RTS };
	struct ib_cep_info info;
	unsigned long flags;
	int mask, ret;

	cep_world_reach(world, IB_CEP_REP_RCVD, &ulp, &peer);
	local_irq_save(flags);
	ret = ib_cep_send_mra(ulp->cep, 20, false, NULL, 0);
	ret = ret ?: ib_cep_send_rtu(ulp->cep, "x", 1);
	ret = ret ?: ib_cep_get_qp_attr(ulp->cep, &attr, &mask);
	ib_cep_query(ulp->cep, &info);
	ib_cep_established(ulp->cep);
	ret = ret ?: ib_cep_send_dreq(ulp->cep, NULL, 0);
	KUNIT_EXPECT_TRUE(test, irqs_disabled());
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, ret, 0);
	cep_world_settle(world);
	cep_world_reach(world, IB_CEP_DREQ_RCVD, &ulp, &peer);
	local_irq_save(flags);
	ret = ib_cep_send_drep(ulp->cep, "y", 1);
	KUNIT_EXPECT_TRUE(test, irqs_disabled());
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, ret, 0);
	cep_world_reach(world, IB_CEP_REQ_RCVD, &ulp, &peer);
	local_irq_save(flags);
	ret = ib_cep_send_rej(ulp->cep, 28, NULL, 0, NULL, 0);
	KUNIT_EXPECT_TRUE(test, irqs_disabled());
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, ret, 0);
}

static struct kunit_case cep_api_cases[] = {
	KUNIT_CASE_PARAM(cep_test_call_in_every_state, cep_call_gen_params),
	KUNIT_CASE(cep_test_private_data_sizes),
	KUNIT_CASE(cep_test_bad_paths),
	KUNIT_CASE(cep_test_format_then_send),
	KUNIT_CASE(cep_test_formatted_and_destroyed),
	KUNIT_CASE(cep_test_interrupt_state),
	{}
};

static struct kunit_suite cep_api_suite = {
	.name = "cep_api",
	.init = cep_world_begin,
	.exit = cep_world_end,
	.test_cases = cep_api_cases,
};

kunit_test_suites(&cep_api_suite);
