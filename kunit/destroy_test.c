// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Destroying a CEP: in every state, from its callbacks, while one runs, and racing with
 * what its peer sends. Exactly one release each, and nothing left: see cep_world_end().
 */
#include <linux/kthread.h>
#include "world.h"

static void cep_reach_describe(const struct cep_reach *reach, char *desc)
{
	strscpy(desc, reach->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(cep_reach, cep_reachable, cep_reach_describe);

/* The peer is told at once or finds out by its own deadlines; it ends idle. */
static void cep_test_destroy_in_state(struct kunit *test)
{
	const struct cep_reach *reach = test->param_value;
	struct cep_world *world = test->priv;
	struct cep_ulp *ulp, *peer;

	cep_world_reach(world, reach->state, &ulp, &peer);
	cep_ulp_destroy(ulp);
	KUNIT_EXPECT_EQ(test, ulp->released, 1U);
	cep_world_exhaust(world);
	if (peer)
		CEP_EXPECT_STATE(test, peer, IB_CEP_IDLE);
}

/* The same with a wire that loses everything from the destroy on (S2, L9). */
static void cep_test_destroy_in_silence(struct kunit *test)
{
	static const struct cep_fake_faults lose = { .loss = 1024 };
	const struct cep_reach *reach = test->param_value;
	struct cep_world *world = test->priv;
	struct cep_ulp *ulp, *peer;

	cep_world_reach(world, reach->state, &ulp, &peer);
	cep_fake_set_faults(world->a, 1, &lose);
	cep_fake_set_faults(world->b, 1, &lose);
	cep_ulp_destroy(ulp);
	KUNIT_EXPECT_EQ(test, ulp->released, 1U);
	cep_world_exhaust(world);
}

/* L12 and its kind: the completion of the last message comes after the destroy. */
static void cep_test_destroy_before_completion(struct kunit *test)
{
	static const struct cep_fake_faults withhold = { .withhold = true };
	const struct cep_reach *reach = test->param_value;
	struct cep_world *world = test->priv;
	struct cep_ulp *ulp, *peer;

	cep_fake_set_faults(world->b, 1, &withhold);
	cep_world_reach(world, reach->state, &ulp, &peer);
	cep_fake_set_faults(world->a, 1, &withhold);
	cep_ulp_destroy(ulp);
	KUNIT_EXPECT_EQ(test, ulp->released, 1U);
	cep_world_exhaust(world);
	cep_fake_complete(world->a, 1);
	cep_fake_complete(world->b, 1);
	cep_world_settle(world);
}

/* A second destroy while the object lives is noticed and changes nothing. */
static void cep_test_destroy_twice(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_ulp *active, *passive;

	cep_world_connect(world, &active, &passive);
	cep_ulp_destroy(active);
	/* It lives on as an orphan until the peer has answered. */
	ib_cep_destroy(active->cep);
	KUNIT_EXPECT_EQ(test, active->released, 1U);
}

/* --- from callbacks ------------------------------------------------------------------------- */

struct cep_at {
	enum ib_cep_event_type event;
	bool passive;
	bool by_answer;
	const char *name;
};

static const struct cep_at cep_ats[] = {
	{ IB_CEP_REQ_RECEIVED, true, false, "REQ" },
	{ IB_CEP_REQ_RECEIVED, true, true, "REQ, by its answer" },
	{ IB_CEP_REP_RECEIVED, false, false, "REP" },
	{ IB_CEP_REP_RECEIVED, false, true, "REP, by its answer" },
	{ IB_CEP_RTU_RECEIVED, true, false, "RTU" },
	{ IB_CEP_RTU_RECEIVED, true, true, "RTU, by its answer" },
	{ IB_CEP_DREQ_RECEIVED, true, false, "DREQ" },
	{ IB_CEP_DREQ_RECEIVED, true, true, "DREQ, by its answer" },
	{ IB_CEP_DREP_RECEIVED, false, false, "DREP" },
	{ IB_CEP_DREP_RECEIVED, false, true, "DREP, by its answer" },
	{ IB_CEP_TIMEWAIT_EXIT, false, false, "timewait exit" },
	{ IB_CEP_TIMEWAIT_EXIT, false, true, "timewait exit, by its answer" },
};

static void cep_at_describe(const struct cep_at *at, char *desc)
{
	strscpy(desc, at->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(cep_at, cep_ats, cep_at_describe);

static int cep_hook_end(struct cep_ulp *ulp, const struct ib_cep_event *event)
{
	const struct cep_at *at = ulp->world->test->param_value;
	bool passive = ulp->seen[0].type == IB_CEP_REQ_RECEIVED;

	if (event->type != at->event || passive != at->passive)
		return passive ? cep_hook_accept(ulp, event) : cep_hook_client(ulp, event);
	if (at->by_answer)
		return -ECANCELED;
	cep_ulp_destroy(ulp);
	/* Not yet: the callback has not returned. */
	KUNIT_EXPECT_EQ(ulp->world->test, ulp->released, 0U);
	return 0;
}

static void cep_test_destroy_from_callback(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_ulp *listener = cep_ulp_listen(world, world->b, CEP_WORLD_SERVICE);
	struct cep_ulp *active = cep_ulp_new(world, world->a);
	struct cep_ulp *passive;

	listener->child_hook = cep_hook_end;
	active->hook = cep_hook_end;
	KUNIT_ASSERT_EQ(test, cep_ulp_connect(active, world->a, world->b, CEP_WORLD_SERVICE), 0);
	cep_world_settle(world);
	if (!active->destroyed)
		ib_cep_send_dreq(active->cep, NULL, 0);
	cep_world_exhaust(world);
	passive = cep_world_child(world, 0);
	KUNIT_ASSERT_NOT_NULL(test, passive);
	KUNIT_EXPECT_TRUE(test, active->destroyed || passive->destroyed);
	if (active->destroyed)
		KUNIT_EXPECT_EQ(test, active->released, 1U);
	if (passive->destroyed)
		KUNIT_EXPECT_EQ(test, passive->released, 1U);
}

/* --- while a callback runs --------------------------------------------------------------------- */

struct cep_destroyer {
	struct cep_ulp *ulp;
	struct completion done;
};

static int cep_destroyer_thread(void *arg)
{
	struct cep_destroyer *destroyer = arg;

	cep_ulp_destroy(destroyer->ulp);
	complete(&destroyer->done);
	return 0;
}

/* L1: destroy waits for the one callback that runs; what is queued is not delivered. */
static void cep_test_destroy_waits_for_callback(struct kunit *test)
{
	DECLARE_COMPLETION_ONSTACK(entered);
	DECLARE_COMPLETION_ONSTACK(leave);
	struct cep_world *world = test->priv;
	struct cep_destroyer destroyer;
	struct cep_ulp *active, *passive;
	struct task_struct *task;

	cep_world_connect(world, &active, &passive);
	passive->entered = &entered;
	passive->leave = &leave;
	KUNIT_ASSERT_EQ(test, ib_cep_send_dreq(active->cep, NULL, 0), 0);
	wait_for_completion(&entered);

	destroyer.ulp = passive;
	init_completion(&destroyer.done);
	task = kthread_run(cep_destroyer_thread, &destroyer, "cep_destroyer");
	KUNIT_EXPECT_FALSE(test, IS_ERR(task));
	/* It must not return; there is no event to wait for. */
	KUNIT_EXPECT_EQ(test, wait_for_completion_timeout(&destroyer.done, HZ / 5), 0UL);
	KUNIT_EXPECT_EQ(test, passive->released, 0U);
	complete(&leave);
	wait_for_completion(&destroyer.done);
	KUNIT_EXPECT_EQ(test, passive->released, 1U);
	CEP_EXPECT_SAW(test, passive, IB_CEP_DREQ_RECEIVED, 1);
}

/* --- races ---------------------------------------------------------------------------------------- */

struct cep_destroy_race {
	struct cep_world *world;
	struct cep_ulp *one;
	struct cep_ulp *other;
};

static void cep_race_destroy_one(void *arg)
{
	cep_ulp_destroy(((struct cep_destroy_race *)arg)->one);
}

static void cep_race_destroy_other(void *arg)
{
	cep_ulp_destroy(((struct cep_destroy_race *)arg)->other);
}

static void cep_race_dreq_other(void *arg)
{
	ib_cep_send_dreq(((struct cep_destroy_race *)arg)->other->cep, NULL, 0);
}

static void cep_race_release_frames(void *arg)
{
	cep_fake_release_all();
}

static void cep_test_both_ends_destroyed(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_destroy_race race = { world };
	int i;

	for (i = 0; i < 40; i++) {
		cep_world_connect(world, &race.one, &race.other);
		cep_race(test, cep_race_destroy_one, cep_race_destroy_other, &race);
	}
}

static void cep_test_destroy_races_dreq(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_destroy_race race = { world };
	int i;

	for (i = 0; i < 40; i++) {
		cep_world_connect(world, &race.one, &race.other);
		cep_race(test, cep_race_destroy_one, cep_race_dreq_other, &race);
	}
}

static enum cep_fake_verdict cep_hold_all(void *arg, const struct cep_fake_frame *frame)
{
	return CEP_FAKE_HOLD;
}

/* L2: the answer arrives while its CEP is being destroyed, in each state that awaits one. */
static void cep_test_destroy_races_answer(struct kunit *test)
{
	static const struct cep_fake_faults hold = { .filter = cep_hold_all };
	static const enum ib_cep_state states[] = { IB_CEP_REQ_RCVD, IB_CEP_REP_RCVD,
						    IB_CEP_ESTABLISHED, IB_CEP_DREQ_RCVD };
	struct cep_world *world = test->priv;
	struct cep_destroy_race race = { world };
	struct cep_ulp *ulp, *peer;
	int i;

	for (i = 0; i < 40; i++) {
		enum ib_cep_state state = states[i % ARRAY_SIZE(states)];

		cep_world_reach(world, state, &ulp, &peer);
		cep_fake_set_faults(world->a, 1, &hold);
		cep_fake_set_faults(world->b, 1, &hold);
		switch (state) {
		case IB_CEP_REQ_RCVD:
			cep_ulp_accept(ulp);
			break;
		case IB_CEP_REP_RCVD:
			ib_cep_send_rtu(ulp->cep, NULL, 0);
			break;
		case IB_CEP_ESTABLISHED:
			ib_cep_send_dreq(ulp->cep, NULL, 0);
			break;
		default:
			ib_cep_send_drep(ulp->cep, NULL, 0);
			break;
		}
		race.one = peer;
		cep_race(test, cep_race_destroy_one, cep_race_release_frames, &race);
		cep_fake_set_faults(world->a, 1, NULL);
		cep_fake_set_faults(world->b, 1, NULL);
		cep_fake_release_all();
		cep_world_settle(world);
	}
}

static struct kunit_case cep_destroy_cases[] = {
	KUNIT_CASE_PARAM(cep_test_destroy_in_state, cep_reach_gen_params),
	KUNIT_CASE_PARAM(cep_test_destroy_in_silence, cep_reach_gen_params),
	KUNIT_CASE_PARAM(cep_test_destroy_before_completion, cep_reach_gen_params),
	KUNIT_CASE(cep_test_destroy_twice),
	KUNIT_CASE_PARAM(cep_test_destroy_from_callback, cep_at_gen_params),
	KUNIT_CASE(cep_test_destroy_waits_for_callback),
	KUNIT_CASE(cep_test_both_ends_destroyed),
	KUNIT_CASE(cep_test_destroy_races_dreq),
	KUNIT_CASE(cep_test_destroy_races_answer),
	{}
};

static struct kunit_suite cep_destroy_suite = {
	.name = "cep_destroy",
	.init = cep_world_begin,
	.exit = cep_world_end,
	.test_cases = cep_destroy_cases,
};

kunit_test_suites(&cep_destroy_suite);
