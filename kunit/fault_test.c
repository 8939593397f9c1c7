// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Every allocation of every call and of the receive path fails once, one after the other
 * (failslab's fail_nth). A call that fails says -ENOMEM and has changed nothing; a message
 * that cannot be served is as if lost. Needs a kernel with fault injection.
 */
#include "world.h"

#ifdef CONFIG_FAILSLAB

/* What is tried, in the state it is tried in. */
struct cep_fault {
	const char *name;
	enum ib_cep_state state;
	int (*call)(struct cep_ulp *ulp);
};

static int cep_fault_send_req(struct cep_ulp *ulp)
{
	return cep_ulp_connect(ulp, ulp->world->a, ulp->world->b, CEP_WORLD_SERVICE);
}

static int cep_fault_format_req(struct cep_ulp *ulp)
{
	struct ib_cep_req_param param;
	struct sa_path_rec path;

	cep_world_req(ulp->world, ulp->world->a, ulp->world->b, CEP_WORLD_SERVICE, &path, &param);
	return ib_cep_format_req(ulp->cep, &param);
}

static int cep_fault_listen(struct cep_ulp *ulp)
{
	struct ib_cep_listen_param param = { .service_id = cpu_to_be64(CEP_WORLD_SERVICE + 99) };

	return ib_cep_listen(ulp->cep, &param);
}

static int cep_fault_format_rep(struct cep_ulp *ulp)
{
	struct ib_cep_rep_param param = { .qp_num = 5 };

	return ib_cep_format_rep(ulp->cep, &param);
}

static int cep_fault_send_rtu(struct cep_ulp *ulp)
{
	return ib_cep_send_rtu(ulp->cep, "rtu", 4);
}

static int cep_fault_send_mra(struct cep_ulp *ulp)
{
	return ib_cep_send_mra(ulp->cep, 20, false, NULL, 0);
}

static int cep_fault_send_rej(struct cep_ulp *ulp)
{
	return ib_cep_send_rej(ulp->cep, 28, NULL, 0, NULL, 0);
}

static int cep_fault_send_dreq(struct cep_ulp *ulp)
{
	return ib_cep_send_dreq(ulp->cep, NULL, 0);
}

static int cep_fault_send_drep(struct cep_ulp *ulp)
{
	return ib_cep_send_drep(ulp->cep, "drep", 5);
}

static int cep_fault_destroy(struct cep_ulp *ulp)
{
	cep_ulp_destroy(ulp);
	return 0;
}

static const struct cep_fault cep_faults[] = {
	{ "send_req", IB_CEP_IDLE, cep_fault_send_req },
	{ "format_req", IB_CEP_IDLE, cep_fault_format_req },
	{ "listen", IB_CEP_IDLE, cep_fault_listen },
	{ "send_rep", IB_CEP_REQ_RCVD, cep_ulp_accept },
	{ "format_rep", IB_CEP_REQ_RCVD, cep_fault_format_rep },
	{ "send_mra for a REQ", IB_CEP_REQ_RCVD, cep_fault_send_mra },
	{ "send_mra for a REP", IB_CEP_REP_RCVD, cep_fault_send_mra },
	{ "send_rej for a REQ", IB_CEP_REQ_RCVD, cep_fault_send_rej },
	{ "send_rej for a REP", IB_CEP_REP_RCVD, cep_fault_send_rej },
	{ "send_rtu", IB_CEP_REP_RCVD, cep_fault_send_rtu },
	{ "send_dreq", IB_CEP_ESTABLISHED, cep_fault_send_dreq },
	{ "send_drep", IB_CEP_DREQ_RCVD, cep_fault_send_drep },
	{ "destroy after REQ sent", IB_CEP_REQ_SENT, cep_fault_destroy },
	{ "destroy after REQ received", IB_CEP_REQ_RCVD, cep_fault_destroy },
	{ "destroy after REP received", IB_CEP_REP_RCVD, cep_fault_destroy },
	{ "destroy when established", IB_CEP_ESTABLISHED, cep_fault_destroy },
	{ "destroy after DREQ received", IB_CEP_DREQ_RCVD, cep_fault_destroy },
};

static void cep_fault_describe(const struct cep_fault *fault, char *desc)
{
	strscpy(desc, fault->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(cep_fault, cep_faults, cep_fault_describe);

/* Whether the n-th allocation of the call was reached, and so failed. */
static bool cep_fault_try(const struct cep_fault *fault, struct cep_ulp *ulp, unsigned int n,
			  int *ret)
{
	bool reached;

	current->fail_nth = n;
	*ret = fault->call(ulp);
	reached = !current->fail_nth;
	current->fail_nth = 0;
	return reached;
}

static void cep_test_each_allocation_fails(struct kunit *test)
{
	const struct cep_fault *fault = test->param_value;
	struct cep_world *world = test->priv;
	struct cep_ulp *ulp, *peer;
	struct cep_core before;
	bool reached = true;
	unsigned int n;
	u64 activity;
	int ret;

	for (n = 1; reached && n < 64; n++) {
		cep_world_reach(world, fault->state, &ulp, &peer);
		before = ulp->cep->core;
		activity = cep_fake_activity();
		reached = cep_fault_try(fault, ulp, n, &ret);
		if (ret) {
			KUNIT_EXPECT_EQ_MSG(test, ret, -ENOMEM, "allocation %u", n);
			KUNIT_EXPECT_FALSE_MSG(test,
					       memcmp(&before, &ulp->cep->core, sizeof(before)),
					       "allocation %u: changed", n);
			cep_world_settle(world);
			KUNIT_EXPECT_EQ_MSG(test, cep_fake_activity(), activity,
					    "allocation %u: sent", n);
			/* L4: the next try works. */
			KUNIT_EXPECT_EQ_MSG(test, fault->call(ulp), 0, "after allocation %u", n);
		}
		cep_world_settle(world);
		cep_ulp_destroy(ulp);
		if (peer)
			cep_ulp_destroy(peer);
		cep_world_exhaust(world);
		KUNIT_EXPECT_EQ_MSG(test, cep_probe_comm_ids(), 0U, "allocation %u: left", n);
	}
	KUNIT_EXPECT_FALSE_MSG(test, reached, "allocations without end");
	kunit_info(test, "%s: %u allocations", fault->name, n - 2);
}

static int cep_fault_handler(struct ib_cep *cep, const struct ib_cep_event *event, void *context)
{
	return 0;
}

static void cep_test_create_fails(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct ib_cep *cep = NULL;
	unsigned int n;

	for (n = 1; n < 16; n++) {
		current->fail_nth = n;
		cep = ib_cep_create(cep_fake_ibdev(world->a), cep_fault_handler, NULL, NULL);
		if (current->fail_nth)
			break;
		if (IS_ERR(cep))
			KUNIT_EXPECT_EQ(test, PTR_ERR(cep), (long)-ENOMEM);
		else
			ib_cep_destroy(cep);
		cep = NULL;
	}
	current->fail_nth = 0;
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(cep));
	ib_cep_destroy(cep);
}

/*
 * D6: the n-th allocation of the handler of the k-th frame that arrives anywhere. All that
 * may come of it is that a message is lost, which retransmission repairs.
 */
static void cep_fault_receive(struct kunit *test, unsigned int skip)
{
	struct cep_world *world = test->priv;
	struct cep_ulp *active, *listener, *passive;
	unsigned int n, unused = 0;

	for (n = 1; n < 24 && !unused; n++) {
		listener = cep_ulp_listen(world, world->b, CEP_WORLD_SERVICE);
		listener->child_hook = cep_hook_accept;
		active = cep_ulp_new(world, world->a);
		active->hook = skip < 2 ? cep_hook_client : NULL;
		if (!skip)
			cep_fake_fail_nth(n);
		KUNIT_ASSERT_EQ(test, cep_ulp_connect(active, world->a, world->b,
						      CEP_WORLD_SERVICE), 0);
		cep_world_settle(world);
		if (skip == 1) {
			cep_world_exhaust(world);
			cep_fake_fail_nth(n);
			ib_cep_send_dreq(active->cep, NULL, 0);
		} else if (skip == 2) {
			cep_fake_fail_nth(n);
			ib_cep_send_rtu(active->cep, NULL, 0);
		}
		cep_world_exhaust(world);
		passive = cep_world_child(world, 0);
		KUNIT_EXPECT_NOT_NULL(test, passive);
		unused = cep_fake_fail_nth(0);
		if (skip != 1)
			KUNIT_EXPECT_EQ_MSG(test, cep_ulp_saw(passive, IB_CEP_RTU_RECEIVED), 1U,
					    "allocation %u", n);
		else
			KUNIT_EXPECT_EQ_MSG(test, cep_ulp_saw(passive, IB_CEP_DREQ_RECEIVED), 1U,
					    "allocation %u", n);
		cep_ulp_destroy(active);
		cep_ulp_destroy(listener);
		if (passive)
			cep_ulp_destroy(passive);
		cep_world_exhaust(world);
		KUNIT_EXPECT_EQ_MSG(test, cep_probe_comm_ids() + cep_probe_peers(), 0U,
				    "allocation %u: left", n);
		memset(world->ulp, 0, sizeof(world->ulp[0]) * world->nr);
		world->nr = 0;
	}
}

static void cep_test_receiving_req_fails(struct kunit *test)
{
	cep_fault_receive(test, 0);
}

static void cep_test_receiving_dreq_fails(struct kunit *test)
{
	cep_fault_receive(test, 1);
}

static void cep_test_receiving_rtu_fails(struct kunit *test)
{
	cep_fault_receive(test, 2);
}

/* V3: adding an adapter fails at each step; what was set up is undone, the next one works. */
static void cep_test_adding_fails(struct kunit *test)
{
	static const struct cep_fake_param param = { .ports = 2 };
	struct cep_fake *fake;
	unsigned int n, served = 0, unserved = 0;

	for (n = 1; n < 2000; n += 1 + n / 16) {
		struct cep_device *dev;

		current->fail_nth = n;
		fake = cep_fake_add(&param);
		if (current->fail_nth) {
			current->fail_nth = 0;
			KUNIT_ASSERT_FALSE(test, IS_ERR(fake));
			cep_fake_remove(fake);
			break;
		}
		if (IS_ERR(fake))
			continue;
		dev = cep_device_get(cep_fake_ibdev(fake));
		if (dev) {
			served++;
			cep_device_put(dev);
		} else {
			unserved++;
		}
		cep_fake_remove(fake);
	}
	kunit_info(test, "of %u failures %u left an adapter served and %u one without CM", n,
		   served, unserved);
}

static struct kunit_case cep_fault_cases[] = {
	KUNIT_CASE_PARAM(cep_test_each_allocation_fails, cep_fault_gen_params),
	KUNIT_CASE(cep_test_create_fails),
	KUNIT_CASE(cep_test_receiving_req_fails),
	KUNIT_CASE(cep_test_receiving_dreq_fails),
	KUNIT_CASE(cep_test_receiving_rtu_fails),
	KUNIT_CASE(cep_test_adding_fails),
	{}
};

static struct kunit_suite cep_fault_suite = {
	.name = "cep_fault",
	.init = cep_world_begin,
	.exit = cep_world_end,
	.test_cases = cep_fault_cases,
};

kunit_test_suites(&cep_fault_suite);

#endif /* CONFIG_FAILSLAB */
