// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Adapters that go: with CEPs in every state, with requests formatted but not sent, with
 * frames for them on the wire, while others work. Afterwards the adapter holds nothing
 * (cep_fake_remove() asks) and its CEPs can still be destroyed.
 */
#include "world.h"

static void cep_reach_describe(const struct cep_reach *reach, char *desc)
{
	strscpy(desc, reach->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(cep_reach, cep_reachable, cep_reach_describe);

static void cep_lose_device(struct cep_world *world, struct cep_fake **fake)
{
	cep_fake_remove(*fake);
	*fake = NULL;
	cep_world_settle(world);
}

/* V1: the state is on one adapter, its peer on the other: each goes once. */
static void cep_test_remove_in_state(struct kunit *test)
{
	const struct cep_reach *reach = test->param_value;
	struct cep_world *world = test->priv;
	struct cep_ulp *ulp, *peer;

	cep_world_reach(world, reach->state, &ulp, &peer);
	cep_lose_device(world, &world->a);
	cep_lose_device(world, &world->b);
	/* One that has no path yet learns it from its next call. */
	if (reach->state != IB_CEP_IDLE && reach->state != IB_CEP_LISTEN)
		CEP_EXPECT_SAW(test, ulp, IB_CEP_DEVICE_REMOVED, 1);
	if (peer)
		CEP_EXPECT_SAW(test, peer, IB_CEP_DEVICE_REMOVED, 1);
	KUNIT_EXPECT_EQ(test, cep_clock_armed(), 0U);
	/* Destroying is what is left to do: see cep_world_end(). */
}

/* Destroyed first, so that it is an orphan or in timewait when the adapter goes. */
static void cep_test_remove_after_destroy(struct kunit *test)
{
	static const struct cep_fake_faults lose = { .loss = 1024 };
	const struct cep_reach *reach = test->param_value;
	struct cep_world *world = test->priv;
	struct cep_ulp *ulp, *peer;

	cep_world_reach(world, reach->state, &ulp, &peer);
	cep_fake_set_faults(world->a, 1, &lose);
	cep_fake_set_faults(world->b, 1, &lose);
	cep_ulp_destroy(ulp);
	if (peer)
		cep_ulp_destroy(peer);
	cep_lose_device(world, &world->a);
	cep_lose_device(world, &world->b);
	KUNIT_EXPECT_EQ(test, cep_clock_armed(), 0U);
	KUNIT_EXPECT_EQ(test, cep_probe_peers(), 0U);
}

static void cep_test_calls_after_removal(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_ulp *active, *passive, *idle, *formatted;
	struct ib_cep_req_param param;
	struct sa_path_rec path;
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RTS };
	int mask;

	cep_world_connect(world, &active, &passive);
	idle = cep_ulp_new(world, world->a);
	formatted = cep_ulp_new(world, world->a);
	cep_world_req(world, world->a, world->b, CEP_WORLD_SERVICE, &path, &param);
	KUNIT_ASSERT_EQ(test, ib_cep_format_req(formatted->cep, &param), 0);
	KUNIT_EXPECT_EQ(test, ib_cep_get_qp_attr(active->cep, &attr, &mask), 0);
	cep_lose_device(world, &world->a);
	KUNIT_EXPECT_EQ(test, ib_cep_send_dreq(active->cep, NULL, 0), -ENODEV);
	KUNIT_EXPECT_EQ(test, ib_cep_get_qp_attr(active->cep, &attr, &mask), -ENODEV);
	KUNIT_EXPECT_EQ(test, ib_cep_send_formatted_req(formatted->cep), -ENODEV);
	KUNIT_EXPECT_EQ(test, ib_cep_send_req(idle->cep, &param), -ENODEV);
}

/* Frames on the wire and completions in the adapter when it goes. */
static enum cep_fake_verdict cep_hold(void *arg, const struct cep_fake_frame *frame)
{
	return CEP_FAKE_HOLD;
}

static void cep_test_frames_after_removal(struct kunit *test)
{
	static const struct cep_fake_faults hold = { .filter = cep_hold };
	struct cep_world *world = test->priv;
	struct cep_ulp *active, *passive;

	cep_world_connect(world, &active, &passive);
	cep_fake_set_faults(world->a, 1, &hold);
	cep_fake_set_faults(world->b, 1, &hold);
	ib_cep_send_dreq(active->cep, NULL, 0);
	ib_cep_send_dreq(passive->cep, NULL, 0);
	cep_world_settle(world);
	KUNIT_EXPECT_EQ(test, cep_fake_held(), 2U);
	cep_lose_device(world, &world->b);
	cep_fake_release_all();
	cep_world_exhaust(world);
	CEP_EXPECT_SAW(test, passive, IB_CEP_DEVICE_REMOVED, 1);
	CEP_EXPECT_SAW(test, active, IB_CEP_TIMEWAIT_EXIT, 1);
}

/* The window is full and more wait in it. */
static void cep_test_remove_with_requests_waiting(struct kunit *test)
{
	static const struct cep_fake_faults withhold = { .withhold = true };
	struct cep_world *world = test->priv;
	struct cep_ulp *ulp;
	int i;

	cep_fake_set_faults(world->a, 1, &withhold);
	for (i = 0; i < 100; i++) {
		ulp = cep_ulp_new(world, world->a);
		KUNIT_ASSERT_EQ(test, cep_ulp_connect(ulp, world->a, world->b, CEP_WORLD_SERVICE),
				0);
	}
	cep_lose_device(world, &world->a);
	for (i = 0; i < 100; i++)
		CEP_EXPECT_SAW(test, &world->ulp[i], IB_CEP_DEVICE_REMOVED, 1);
}

/* --- races ------------------------------------------------------------------------------------- */

static void cep_race_remove_a(void *arg)
{
	struct cep_world *world = arg;

	cep_fake_remove(world->a);
}

static void cep_race_connect(void *arg)
{
	struct cep_world *world = arg;
	struct cep_ulp *ulp;
	unsigned int i;

	for (i = 0; i < world->nr; i++) {
		ulp = &world->ulp[i];
		if (ulp->cep && !ulp->destroyed && !ulp->listener && !ulp->nr_seen)
			ib_cep_send_req(ulp->cep, world->extra);
	}
}

static void cep_race_end_all(void *arg)
{
	struct cep_world *world = arg;
	unsigned int i;

	for (i = 0; i < world->nr; i++)
		cep_ulp_destroy(&world->ulp[i]);
}

static void cep_test_removal_races_connects(struct kunit *test)
{
	static const struct cep_fake_param param = { .ports = 2, .lmc = 1 };
	struct cep_world *world = test->priv;
	struct ib_cep_req_param req;
	struct sa_path_rec path;
	struct cep_ulp *listener;
	int round, i;

	for (round = 0; round < 8; round++) {
		listener = cep_ulp_listen(world, world->b, CEP_WORLD_SERVICE + round);
		listener->child_hook = cep_hook_accept;
		for (i = 0; i < 8; i++)
			cep_ulp_new(world, world->a)->hook = cep_hook_client;
		cep_world_req(world, world->a, world->b, CEP_WORLD_SERVICE + round, &path, &req);
		world->extra = &req;
		cep_race(test, cep_race_connect, cep_race_remove_a, world);
		cep_world_settle(world);
		cep_race_end_all(world);
		world->a = cep_fake_add(&param);
		KUNIT_ASSERT_FALSE(test, IS_ERR(world->a));
	}
	world->extra = NULL;
}

static void cep_test_removal_races_destroys(struct kunit *test)
{
	static const struct cep_fake_param param = { .ports = 2, .lmc = 1 };
	struct cep_world *world = test->priv;
	struct cep_ulp *ulp, *peer;
	int round, i;

	for (round = 0; round < 6; round++) {
		for (i = 0; i < 6; i++)
			cep_world_reach(world, cep_reachable[2 + (round * 6 + i) % 12].state, &ulp,
					&peer);
		cep_race(test, cep_race_end_all, cep_race_remove_a, world);
		cep_world_settle(world);
		world->a = cep_fake_add(&param);
		KUNIT_ASSERT_FALSE(test, IS_ERR(world->a));
	}
}

static struct kunit_case cep_device_cases[] = {
	KUNIT_CASE_PARAM(cep_test_remove_in_state, cep_reach_gen_params),
	KUNIT_CASE_PARAM(cep_test_remove_after_destroy, cep_reach_gen_params),
	KUNIT_CASE(cep_test_calls_after_removal),
	KUNIT_CASE(cep_test_frames_after_removal),
	KUNIT_CASE(cep_test_remove_with_requests_waiting),
	KUNIT_CASE(cep_test_removal_races_connects),
	KUNIT_CASE(cep_test_removal_races_destroys),
	{}
};

static struct kunit_suite cep_device_suite = {
	.name = "cep_device",
	.init = cep_world_begin,
	.exit = cep_world_end,
	.test_cases = cep_device_cases,
};

kunit_test_suites(&cep_device_suite);
