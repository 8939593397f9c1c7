// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Listeners: what may be listened for, who gets a request, backlog and concurrency,
 * requests that are pulled, and the end of a listener with requests in every stage.
 */
#include <linux/kthread.h>
#include "world.h"

static void cep_ask(struct cep_world *world, unsigned int n, struct cep_ulp **active)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		active[i] = cep_ulp_new(world, world->a);
		active[i]->hook = cep_hook_client;
		KUNIT_ASSERT_EQ(world->test, cep_ulp_connect(active[i], world->a, world->b,
							     CEP_WORLD_SERVICE), 0);
	}
	cep_world_settle(world);
}

static int cep_try_listen(struct cep_world *world, struct cep_fake *fake,
			  struct ib_cep_listen_param *param)
{
	struct cep_ulp *ulp = cep_ulp_new(world, fake);
	int ret = ib_cep_listen(ulp->cep, param);

	if (ret) {
		CEP_EXPECT_STATE(world->test, ulp, IB_CEP_IDLE);
		cep_ulp_destroy(ulp);
	}
	return ret;
}

/* L6 */
static void cep_test_listen_arguments(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct ib_cep_compare compare = { .offset = 90, .length = 3 };
	struct ib_cep_listen_param param;
	__be64 service = cpu_to_be64(CEP_WORLD_SERVICE);

	param = (struct ib_cep_listen_param){ .service_id = service,
					      .service_mask = cpu_to_be64(0xffff000000000000ULL) };
	KUNIT_EXPECT_EQ_MSG(test, cep_try_listen(world, world->b, &param), -EINVAL,
			    "bits outside the mask");
	param = (struct ib_cep_listen_param){ .service_id = service, .compare = &compare };
	KUNIT_EXPECT_EQ_MSG(test, cep_try_listen(world, world->b, &param), -EINVAL,
			    "a compare beyond the private data");
	compare = (struct ib_cep_compare){ .offset = 3, .length = 0 };
	KUNIT_EXPECT_EQ_MSG(test, cep_try_listen(world, world->b, &param), -EINVAL,
			    "a compare of nothing");
	param = (struct ib_cep_listen_param){ .service_id = service, .port = 3 };
	KUNIT_EXPECT_EQ_MSG(test, cep_try_listen(world, world->b, &param), -EINVAL,
			    "a port that is not there");
	param.port = 1;
	KUNIT_EXPECT_EQ_MSG(test, cep_try_listen(world, NULL, &param), -EINVAL,
			    "a port of no device");
}

/* L7 */
static void cep_test_listen_taken(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct ib_cep_listen_param param = { .service_id = cpu_to_be64(CEP_WORLD_SERVICE) };

	KUNIT_EXPECT_EQ(test, cep_try_listen(world, world->b, &param), 0);
	KUNIT_EXPECT_EQ(test, cep_try_listen(world, world->b, &param), -EBUSY);
	/* Another device is another place. */
	KUNIT_EXPECT_EQ(test, cep_try_listen(world, world->a, &param), 0);
	cep_ulp_destroy(&world->ulp[0]);
	KUNIT_EXPECT_EQ(test, cep_try_listen(world, world->b, &param), 0);
}

static void cep_test_listen_assigned(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct ib_cep_listen_param one = { .service_id = IB_CEP_ASSIGN_SERVICE_ID };
	struct ib_cep_listen_param other = { .service_id = IB_CEP_ASSIGN_SERVICE_ID };

	KUNIT_EXPECT_EQ(test, cep_try_listen(world, world->b, &one), 0);
	KUNIT_EXPECT_EQ(test, cep_try_listen(world, world->b, &other), 0);
	KUNIT_EXPECT_NE(test, be64_to_cpu(one.service_id), be64_to_cpu(other.service_id));
	KUNIT_EXPECT_NE(test, be64_to_cpu(one.service_id), be64_to_cpu(IB_CEP_ASSIGN_SERVICE_ID));
}

/* P1: beyond the backlog silence, and the peer's next try gets through. */
static void cep_test_backlog(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct ib_cep_listen_param param = { .service_id = cpu_to_be64(CEP_WORLD_SERVICE),
					     .backlog = 3 };
	struct cep_ulp *listener = cep_ulp_new(world, world->b);
	struct cep_ulp *active[5];
	unsigned int i;

	listener->listener = true;
	KUNIT_ASSERT_EQ(test, ib_cep_listen(listener->cep, &param), 0);
	cep_ask(world, ARRAY_SIZE(active), active);
	KUNIT_EXPECT_EQ(test, cep_world_children(world), 3U);
	for (i = 0; i < ARRAY_SIZE(active); i++)
		KUNIT_EXPECT_EQ(test, active[i]->nr_seen, 0U);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, cep_ulp_accept(cep_world_child(world, i)), 0);
	cep_world_advance(world, 5ULL * NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, cep_world_children(world), 5U);
	for (i = 3; i < 5; i++)
		KUNIT_EXPECT_EQ(test, cep_ulp_accept(cep_world_child(world, i)), 0);
	cep_world_settle(world);
	for (i = 0; i < ARRAY_SIZE(active); i++)
		CEP_EXPECT_STATE(test, active[i], IB_CEP_ESTABLISHED);
}

static int cep_hook_block(struct cep_ulp *ulp, const struct ib_cep_event *event)
{
	if (ulp->listener) {
		complete(ulp->entered);
		wait_for_completion(ulp->leave);
	}
	return 0;
}

static void cep_test_concurrency(struct kunit *test)
{
	DECLARE_COMPLETION_ONSTACK(entered);
	DECLARE_COMPLETION_ONSTACK(leave);
	struct cep_world *world = test->priv;
	struct ib_cep_listen_param param = { .service_id = cpu_to_be64(CEP_WORLD_SERVICE),
					     .concurrency = 2 };
	struct cep_ulp *listener = cep_ulp_new(world, world->b);
	struct cep_ulp *active;
	unsigned int i;

	listener->listener = true;
	listener->hook = cep_hook_block;
	listener->child_hook = cep_hook_accept;
	listener->entered = &entered;
	listener->leave = &leave;
	KUNIT_ASSERT_EQ(test, ib_cep_listen(listener->cep, &param), 0);
	for (i = 0; i < 4; i++) {
		active = cep_ulp_new(world, world->a);
		active->hook = cep_hook_client;
		KUNIT_ASSERT_EQ(test, cep_ulp_connect(active, world->a, world->b,
						      CEP_WORLD_SERVICE), 0);
	}
	wait_for_completion(&entered);
	wait_for_completion(&entered);
	/* Two are inside; the third stays out. */
	KUNIT_EXPECT_EQ(test, wait_for_completion_timeout(&entered, HZ / 5), 0UL);
	complete_all(&leave);
	cep_world_settle(world);
	KUNIT_EXPECT_EQ(test, cep_world_children(world), 4U);
	KUNIT_EXPECT_TRUE(test, try_wait_for_completion(&entered));
	KUNIT_EXPECT_TRUE(test, try_wait_for_completion(&entered));
}

/* --- pulled ------------------------------------------------------------------------------------ */

static int cep_pull_handler(struct ib_cep *cep, const struct ib_cep_event *event, void *context)
{
	atomic_t *count = context;

	if (event->type == IB_CEP_REQ_RECEIVED)
		atomic_inc(count);
	return 0;
}

static void cep_pull_release(void *context)
{
	atomic_t *count = context;

	atomic_add(100, count);
}

static struct cep_ulp *cep_pull_listen(struct cep_world *world)
{
	struct ib_cep_listen_param param = { .service_id = cpu_to_be64(CEP_WORLD_SERVICE),
					     .pull = true };
	struct cep_ulp *listener = cep_ulp_new(world, world->b);

	KUNIT_ASSERT_EQ(world->test, ib_cep_listen(listener->cep, &param), 0);
	return listener;
}

static void cep_test_get_request(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_ulp *listener = cep_pull_listen(world);
	struct cep_ulp *active[2];
	atomic_t count = ATOMIC_INIT(0);
	struct ib_cep *first, *second;

	first = ib_cep_get_request(listener->cep, cep_pull_handler, &count, cep_pull_release);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(first), -EAGAIN);
	first = ib_cep_get_request(listener->cep, NULL, &count, NULL);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(first), -EINVAL);
	cep_ask(world, 2, active);
	KUNIT_EXPECT_GE(test, cep_ulp_saw(listener, IB_CEP_REQ_WAITING), 1U);
	first = ib_cep_get_request(listener->cep, cep_pull_handler, &count, cep_pull_release);
	KUNIT_ASSERT_FALSE(test, IS_ERR(first));
	second = ib_cep_get_request(listener->cep, cep_pull_handler, &count, cep_pull_release);
	KUNIT_ASSERT_FALSE(test, IS_ERR(second));
	KUNIT_EXPECT_PTR_NE(test, first, second);
	cep_world_settle(world);
	KUNIT_EXPECT_EQ(test, atomic_read(&count), 2);
	ib_cep_destroy(first);
	KUNIT_EXPECT_EQ(test, atomic_read(&count), 102);
	ib_cep_destroy(second);
	KUNIT_EXPECT_EQ(test, atomic_read(&count), 202);
	cep_world_settle(world);
	CEP_EXPECT_SAW(test, active[0], IB_CEP_REJ_RECEIVED, 1);
	CEP_EXPECT_SAW(test, active[1], IB_CEP_REJ_RECEIVED, 1);
}

/* A request that ends before anybody pulls it leaves the queue. */
static void cep_test_waiting_request_ends(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_ulp *listener = cep_pull_listen(world);
	struct cep_ulp *active[1];
	atomic_t count = ATOMIC_INIT(0);
	struct ib_cep *cep;

	cep_ask(world, 1, active);
	cep_ulp_destroy(active[0]);
	cep_world_settle(world);
	cep = ib_cep_get_request(listener->cep, cep_pull_handler, &count, cep_pull_release);
	/* The peer said REJ when it was destroyed, so nothing waits any more. */
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(cep), -EAGAIN);
	if (!IS_ERR(cep))
		ib_cep_destroy(cep);
}

/* --- the end of a listener -------------------------------------------------------------------------- */

static void cep_test_waiting_requests_get_rej_8(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_ulp *listener = cep_pull_listen(world);
	struct cep_ulp *active[3];
	unsigned int i;

	cep_ask(world, ARRAY_SIZE(active), active);
	cep_ulp_destroy(listener);
	cep_world_settle(world);
	for (i = 0; i < ARRAY_SIZE(active); i++) {
		CEP_EXPECT_SAW(test, active[i], IB_CEP_REJ_RECEIVED, 1);
		KUNIT_EXPECT_EQ(test, (int)cep_ulp_last(active[i])->reason, 8);
	}
}

static void cep_test_delivered_requests_stay(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_ulp *listener = cep_ulp_listen(world, world->b, CEP_WORLD_SERVICE);
	struct cep_ulp *active[1];

	cep_ask(world, 1, active);
	KUNIT_EXPECT_EQ(test, ib_cep_cancel_listen(listener->cep), 0);
	KUNIT_EXPECT_EQ(test, ib_cep_cancel_listen(listener->cep), -EINVAL);
	CEP_EXPECT_STATE(test, listener, IB_CEP_IDLE);
	KUNIT_EXPECT_EQ(test, cep_ulp_accept(cep_world_child(world, 0)), 0);
	cep_world_settle(world);
	CEP_EXPECT_STATE(test, active[0], IB_CEP_ESTABLISHED);
}

struct cep_listen_end {
	struct cep_ulp *listener;
	struct completion done;
};

static int cep_listen_end_thread(void *arg)
{
	struct cep_listen_end *end = arg;

	cep_ulp_destroy(end->listener);
	complete(&end->done);
	return 0;
}

/* L17: destroy returns after the REQ callback that uses the listener's context. */
static void cep_test_listener_waits_for_req_callback(struct kunit *test)
{
	DECLARE_COMPLETION_ONSTACK(entered);
	DECLARE_COMPLETION_ONSTACK(leave);
	struct cep_world *world = test->priv;
	struct cep_ulp *listener = cep_ulp_listen(world, world->b, CEP_WORLD_SERVICE);
	struct cep_ulp *active = cep_ulp_new(world, world->a);
	struct cep_listen_end end = { listener };
	struct task_struct *task;

	listener->hook = cep_hook_block;
	listener->entered = &entered;
	listener->leave = &leave;
	KUNIT_ASSERT_EQ(test, cep_ulp_connect(active, world->a, world->b, CEP_WORLD_SERVICE), 0);
	wait_for_completion(&entered);
	init_completion(&end.done);
	task = kthread_run(cep_listen_end_thread, &end, "cep_listen_end");
	KUNIT_EXPECT_FALSE(test, IS_ERR(task));
	KUNIT_EXPECT_EQ(test, wait_for_completion_timeout(&end.done, HZ / 5), 0UL);
	KUNIT_EXPECT_EQ(test, listener->released, 0U);
	complete_all(&leave);
	wait_for_completion(&end.done);
	KUNIT_EXPECT_EQ(test, listener->released, 1U);
}

static void cep_race_end_listener(void *arg)
{
	cep_ulp_destroy(arg);
}

static void cep_race_frames(void *arg)
{
	cep_fake_release_all();
}

static enum cep_fake_verdict cep_hold(void *arg, const struct cep_fake_frame *frame)
{
	return CEP_FAKE_HOLD;
}

static void cep_test_listener_end_races_requests(struct kunit *test)
{
	static const struct cep_fake_faults hold = { .filter = cep_hold };
	struct cep_world *world = test->priv;
	struct cep_ulp *listener, *active[4];
	int round, i;

	for (round = 0; round < 12; round++) {
		listener = cep_ulp_listen(world, world->b, CEP_WORLD_SERVICE);
		listener->child_hook = cep_hook_accept;
		cep_fake_set_faults(world->a, 1, &hold);
		cep_ask(world, ARRAY_SIZE(active), active);
		cep_fake_set_faults(world->a, 1, NULL);
		cep_race(test, cep_race_end_listener, cep_race_frames, listener);
		cep_world_settle(world);
		/* Each is connected or refused as by a service that has gone. */
		for (i = 0; i < ARRAY_SIZE(active); i++)
			if (cep_ulp_state(active[i]) != IB_CEP_ESTABLISHED) {
				CEP_EXPECT_SAW(test, active[i], IB_CEP_REJ_RECEIVED, 1);
				KUNIT_EXPECT_EQ(test, (int)cep_ulp_last(active[i])->reason, 8);
			}
	}
}

static struct kunit_case cep_listen_cases[] = {
	KUNIT_CASE(cep_test_listen_arguments),
	KUNIT_CASE(cep_test_listen_taken),
	KUNIT_CASE(cep_test_listen_assigned),
	KUNIT_CASE(cep_test_backlog),
	KUNIT_CASE(cep_test_concurrency),
	KUNIT_CASE(cep_test_get_request),
	KUNIT_CASE(cep_test_waiting_request_ends),
	KUNIT_CASE(cep_test_waiting_requests_get_rej_8),
	KUNIT_CASE(cep_test_delivered_requests_stay),
	KUNIT_CASE(cep_test_listener_waits_for_req_callback),
	KUNIT_CASE(cep_test_listener_end_races_requests),
	{}
};

static struct kunit_suite cep_listen_suite = {
	.name = "cep_listen",
	.init = cep_world_begin,
	.exit = cep_world_end,
	.test_cases = cep_listen_cases,
};

kunit_test_suites(&cep_listen_suite);
