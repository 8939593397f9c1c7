// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Connecting, refusing and disconnecting (IBA 12.9), over a wire that loses, doubles and
 * holds. Each case asks both ends what they saw; cep_world_end() asks what is left.
 */
#include "world.h"

#define HOUR_NS (3600ULL * NSEC_PER_SEC)

/* --- the straight way ---------------------------------------------------------------------- */

static void cep_test_connects(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_ulp *active, *passive;
	const struct cep_seen *seen;

	cep_world_connect(world, &active, &passive);
	KUNIT_EXPECT_EQ(test, active->nr_seen, 1U);
	KUNIT_EXPECT_EQ(test, passive->nr_seen, 2U);
	seen = &active->seen[0];
	KUNIT_EXPECT_EQ(test, (int)seen->type, (int)IB_CEP_REP_RECEIVED);
	KUNIT_EXPECT_EQ(test, seen->rep.starting_psn, 0x654321U);
	/* W5: depths as seen from here, so crossed over. */
	KUNIT_EXPECT_EQ(test, (int)seen->rep.responder_resources, 4);
	KUNIT_EXPECT_EQ(test, (int)seen->rep.initiator_depth, 3);
	KUNIT_EXPECT_STREQ(test, (const char *)seen->private_data, "reply");
	seen = &passive->seen[0];
	KUNIT_EXPECT_EQ(test, (int)seen->type, (int)IB_CEP_REQ_RECEIVED);
	KUNIT_EXPECT_EQ(test, seen->req.starting_psn, 0x123456U);
	KUNIT_EXPECT_EQ(test, (int)seen->req.responder_resources, 3);
	KUNIT_EXPECT_EQ(test, (int)seen->req.initiator_depth, 4);
	KUNIT_EXPECT_STREQ(test, (const char *)seen->private_data, "request");
	KUNIT_EXPECT_EQ(test, (int)passive->seen[1].type, (int)IB_CEP_RTU_RECEIVED);
}

static void cep_disconnect(struct cep_world *world, struct cep_ulp *one, struct cep_ulp *other)
{
	struct kunit *test = world->test;

	KUNIT_ASSERT_EQ(test, ib_cep_send_dreq(one->cep, "bye", 4), 0);
	cep_world_settle(world);
	CEP_EXPECT_SAW(test, one, IB_CEP_DREP_RECEIVED, 1);
	CEP_EXPECT_SAW(test, other, IB_CEP_DREQ_RECEIVED, 1);
	CEP_EXPECT_STATE(test, one, IB_CEP_TIMEWAIT);
	CEP_EXPECT_STATE(test, other, IB_CEP_TIMEWAIT);
	CEP_EXPECT_SAW(test, one, IB_CEP_TIMEWAIT_EXIT, 0);
	cep_world_exhaust(world);
	CEP_EXPECT_SAW(test, one, IB_CEP_TIMEWAIT_EXIT, 1);
	CEP_EXPECT_SAW(test, other, IB_CEP_TIMEWAIT_EXIT, 1);
	CEP_EXPECT_STATE(test, one, IB_CEP_IDLE);
	CEP_EXPECT_STATE(test, other, IB_CEP_IDLE);
}

static void cep_test_active_disconnects(struct kunit *test)
{
	struct cep_ulp *active, *passive;

	cep_world_connect(test->priv, &active, &passive);
	cep_disconnect(test->priv, active, passive);
}

static void cep_test_passive_disconnects(struct kunit *test)
{
	struct cep_ulp *active, *passive;

	cep_world_connect(test->priv, &active, &passive);
	cep_disconnect(test->priv, passive, active);
}

static enum cep_fake_verdict cep_hold_everything(void *arg, const struct cep_fake_frame *frame)
{
	return CEP_FAKE_HOLD;
}

static void cep_test_both_disconnect(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_ulp *active, *passive;
	struct cep_fake_faults hold = { .filter = cep_hold_everything };

	cep_world_connect(world, &active, &passive);
	/* Both DREQs are on the wire before either arrives. */
	cep_fake_set_faults(world->a, 1, &hold);
	cep_fake_set_faults(world->b, 1, &hold);
	KUNIT_ASSERT_EQ(test, ib_cep_send_dreq(active->cep, NULL, 0), 0);
	KUNIT_ASSERT_EQ(test, ib_cep_send_dreq(passive->cep, NULL, 0), 0);
	cep_fake_set_faults(world->a, 1, NULL);
	cep_fake_set_faults(world->b, 1, NULL);
	cep_world_settle(world);
	KUNIT_EXPECT_EQ(test, cep_fake_held(), 2U);
	cep_fake_release_all();
	cep_world_exhaust(world);
	CEP_EXPECT_SAW(test, active, IB_CEP_TIMEWAIT_EXIT, 1);
	CEP_EXPECT_SAW(test, passive, IB_CEP_TIMEWAIT_EXIT, 1);
	KUNIT_EXPECT_EQ(test, cep_ulp_saw(active, IB_CEP_DREP_RECEIVED) +
			cep_ulp_saw(active, IB_CEP_DREQ_RECEIVED) +
			cep_ulp_saw(active, IB_CEP_DREQ_ERROR), 1U);
}

static int cep_hook_refuse(struct cep_ulp *ulp, const struct ib_cep_event *event)
{
	return event->type == IB_CEP_REQ_RECEIVED ? -EACCES : 0;
}

static void cep_test_handler_refuses(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_ulp *listener = cep_ulp_listen(world, world->b, CEP_WORLD_SERVICE);
	struct cep_ulp *active = cep_ulp_new(world, world->a);
	const struct cep_seen *seen;

	listener->child_hook = cep_hook_refuse;
	KUNIT_ASSERT_EQ(test, cep_ulp_connect(active, world->a, world->b, CEP_WORLD_SERVICE), 0);
	cep_world_settle(world);
	KUNIT_ASSERT_EQ(test, active->nr_seen, 1U);
	seen = &active->seen[0];
	KUNIT_EXPECT_EQ(test, (int)seen->type, (int)IB_CEP_REJ_RECEIVED);
	KUNIT_EXPECT_EQ(test, (int)seen->reason, 28);
	KUNIT_EXPECT_EQ(test, (int)seen->message_rejected, 0);
	CEP_EXPECT_STATE(test, active, IB_CEP_IDLE);
	/* The same CEP may ask again. */
	listener->child_hook = cep_hook_accept;
	active->hook = cep_hook_client;
	KUNIT_EXPECT_EQ(test, cep_ulp_connect(active, world->a, world->b, CEP_WORLD_SERVICE), 0);
	cep_world_settle(world);
	CEP_EXPECT_STATE(test, active, IB_CEP_ESTABLISHED);
}

static void cep_test_no_listener(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_ulp *active = cep_ulp_new(world, world->a);

	KUNIT_ASSERT_EQ(test, cep_ulp_connect(active, world->a, world->b, CEP_WORLD_SERVICE), 0);
	cep_world_settle(world);
	KUNIT_ASSERT_EQ(test, active->nr_seen, 1U);
	KUNIT_EXPECT_EQ(test, (int)active->seen[0].type, (int)IB_CEP_REJ_RECEIVED);
	KUNIT_EXPECT_EQ(test, (int)active->seen[0].reason, 8);
}

/* D5: no memory is no refusal; the peer's next copy is a new request. */
static unsigned int cep_refusals;

static int cep_hook_no_memory_once(struct cep_ulp *ulp, const struct ib_cep_event *event)
{
	return event->type == IB_CEP_REQ_RECEIVED && cep_refusals++ == 0 ? -ENOMEM : 0;
}

static void cep_test_no_memory_is_silent(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_ulp *listener = cep_ulp_listen(world, world->b, CEP_WORLD_SERVICE);
	struct cep_ulp *active = cep_ulp_new(world, world->a);

	cep_refusals = 0;
	listener->hook = cep_hook_no_memory_once;
	listener->child_hook = cep_hook_accept;
	active->hook = cep_hook_client;
	KUNIT_ASSERT_EQ(test, cep_ulp_connect(active, world->a, world->b, CEP_WORLD_SERVICE), 0);
	cep_world_settle(world);
	KUNIT_EXPECT_EQ(test, active->nr_seen, 0U);
	cep_world_advance(world, 5ULL * NSEC_PER_SEC);
	CEP_EXPECT_STATE(test, active, IB_CEP_ESTABLISHED);
	KUNIT_EXPECT_EQ(test, cep_refusals, 2U);
}

/* --- losses ------------------------------------------------------------------------------------- */

/*
 * D7, D8 and their kind: every way to lose the first frames of both sides. Either both
 * are established, or both have ended with an event that says so, and no deadline is left.
 */
static void cep_test_loss_masks(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_fake_faults faults = {};
	struct cep_ulp *active, *passive, *listener;
	unsigned int mask, bad = 0;

	for (mask = 0; mask < 256; mask++) {
		listener = cep_ulp_listen(world, world->b, CEP_WORLD_SERVICE);
		listener->child_hook = cep_hook_accept;
		faults.loss_mask = mask & 15;
		cep_fake_set_faults(world->a, 1, &faults);
		faults.loss_mask = mask >> 4;
		cep_fake_set_faults(world->b, 1, &faults);
		active = cep_ulp_new(world, world->a);
		active->hook = cep_hook_client;
		KUNIT_ASSERT_EQ(test,
				cep_ulp_connect(active, world->a, world->b, CEP_WORLD_SERVICE), 0);
		cep_world_exhaust(world);
		passive = cep_world_child(world, 0);
		if (!passive || cep_ulp_state(active) != IB_CEP_ESTABLISHED ||
		    cep_ulp_state(passive) != IB_CEP_ESTABLISHED || active->nr_seen != 1 ||
		    passive->nr_seen != 2) {
			kunit_info(test, "mask %02x: not connected", mask);
			bad++;
		}
		KUNIT_EXPECT_EQ(test, cep_world_children(world), 1U);
		/* The disconnect too meets what is left of the mask. */
		ib_cep_send_dreq(active->cep, NULL, 0);
		cep_world_exhaust(world);
		KUNIT_EXPECT_EQ(test, cep_ulp_saw(active, IB_CEP_TIMEWAIT_EXIT), 1U);
		cep_ulp_destroy(active);
		cep_ulp_destroy(listener);
		if (passive)
			cep_ulp_destroy(passive);
		cep_world_exhaust(world);
		/* The places in the world are few: begin at the first again. */
		memset(world->ulp, 0, sizeof(world->ulp[0]) * world->nr);
		world->nr = 0;
	}
	KUNIT_EXPECT_EQ(test, bad, 0U);
}

static enum cep_fake_verdict cep_lose_attr(void *arg, const struct cep_fake_frame *frame)
{
	const struct ib_mad_hdr *hdr = (const void *)frame->mad;
	unsigned int *counts = arg;
	u16 attr = be16_to_cpu(hdr->attr_id);

	counts[1]++;
	if (attr != counts[0])
		return CEP_FAKE_PASS;
	counts[2]++;
	return CEP_FAKE_DROP;
}

/* D7: all lost: 1 + 15 sent, then one error event. */
static void cep_test_req_always_lost(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_ulp *active = cep_ulp_new(world, world->a);
	unsigned int counts[3] = { CEP_ATTR_REQ };
	struct cep_fake_faults faults = { .filter = cep_lose_attr, .arg = counts };

	cep_fake_set_faults(world->a, 1, &faults);
	KUNIT_ASSERT_EQ(test, cep_ulp_connect(active, world->a, world->b, CEP_WORLD_SERVICE), 0);
	cep_world_exhaust(world);
	KUNIT_EXPECT_EQ(test, counts[2], 16U);
	KUNIT_EXPECT_EQ(test, active->nr_seen, 1U);
	KUNIT_EXPECT_EQ(test, (int)active->seen[0].type, (int)IB_CEP_REQ_ERROR);
	KUNIT_EXPECT_EQ(test, (int)active->seen[0].cause, (int)IB_CEP_CAUSE_TIMEOUT);
}

static void cep_test_rep_always_lost(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_ulp *listener = cep_ulp_listen(world, world->b, CEP_WORLD_SERVICE);
	struct cep_ulp *active = cep_ulp_new(world, world->a);
	unsigned int counts[3] = { CEP_ATTR_REP };
	struct cep_fake_faults faults = { .filter = cep_lose_attr, .arg = counts };
	struct cep_ulp *passive;

	listener->child_hook = cep_hook_accept;
	cep_fake_set_faults(world->b, 1, &faults);
	KUNIT_ASSERT_EQ(test, cep_ulp_connect(active, world->a, world->b, CEP_WORLD_SERVICE), 0);
	cep_world_exhaust(world);
	passive = cep_world_child(world, 0);
	KUNIT_ASSERT_NOT_NULL(test, passive);
	CEP_EXPECT_SAW(test, passive, IB_CEP_REP_ERROR, 1);
	KUNIT_EXPECT_EQ(test, active->nr_seen, 1U);
	CEP_EXPECT_STATE(test, active, IB_CEP_IDLE);
}

static void cep_test_dreq_always_lost(struct kunit *test)
{
	struct cep_world *world = test->priv;
	unsigned int counts[3] = { CEP_ATTR_DREQ };
	struct cep_fake_faults faults = { .filter = cep_lose_attr, .arg = counts };
	struct cep_ulp *active, *passive;

	cep_world_connect(world, &active, &passive);
	cep_fake_set_faults(world->a, 1, &faults);
	KUNIT_ASSERT_EQ(test, ib_cep_send_dreq(active->cep, NULL, 0), 0);
	cep_world_exhaust(world);
	KUNIT_EXPECT_EQ(test, counts[2], 16U);
	CEP_EXPECT_SAW(test, active, IB_CEP_DREQ_ERROR, 1);
	CEP_EXPECT_SAW(test, active, IB_CEP_TIMEWAIT_EXIT, 1);
	CEP_EXPECT_STATE(test, passive, IB_CEP_ESTABLISHED);
}

/* D1, D2, D4: every frame of both sides arrives twice: no second event anywhere. */
static void cep_test_everything_twice(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_fake_faults faults = { .duplicate = 1024 };
	struct cep_ulp *active, *passive;

	cep_fake_set_faults(world->a, 1, &faults);
	cep_fake_set_faults(world->b, 1, &faults);
	cep_world_connect(world, &active, &passive);
	KUNIT_EXPECT_EQ(test, active->nr_seen, 1U);
	KUNIT_EXPECT_EQ(test, passive->nr_seen, 2U);
	KUNIT_EXPECT_EQ(test, cep_world_children(world), 1U);
	cep_disconnect(world, active, passive);
	KUNIT_EXPECT_EQ(test, active->nr_seen, 3U);
	KUNIT_EXPECT_EQ(test, passive->nr_seen, 4U);
}

/* --- sends that go wrong in the adapter ------------------------------------------------------------ */

static void cep_test_send_completes_with_error(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_fake_faults faults = { .fail_sends = 1 };
	struct cep_ulp *active = cep_ulp_new(world, world->a);

	cep_fake_set_faults(world->a, 1, &faults);
	KUNIT_ASSERT_EQ(test, cep_ulp_connect(active, world->a, world->b, CEP_WORLD_SERVICE), 0);
	cep_world_exhaust(world);
	KUNIT_EXPECT_EQ(test, active->nr_seen, 1U);
	KUNIT_EXPECT_EQ(test, (int)active->seen[0].type, (int)IB_CEP_REQ_ERROR);
	KUNIT_EXPECT_EQ(test, (int)active->seen[0].cause, (int)IB_CEP_CAUSE_SEND_FAILED);
}

/* L11: the adapter never completes: the ULP gets its error in time all the same. */
static void cep_test_send_never_completes(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_fake_faults faults = { .withhold = true, .loss = 1024 };
	struct cep_ulp *active = cep_ulp_new(world, world->a);

	cep_fake_set_faults(world->a, 1, &faults);
	KUNIT_ASSERT_EQ(test, cep_ulp_connect(active, world->a, world->b, CEP_WORLD_SERVICE), 0);
	cep_world_advance(world, HOUR_NS);
	KUNIT_EXPECT_EQ(test, active->nr_seen, 1U);
	KUNIT_EXPECT_EQ(test, (int)active->seen[0].type, (int)IB_CEP_REQ_ERROR);
	cep_ulp_destroy(active);
	KUNIT_EXPECT_EQ(test, active->released, 1U);
}

/* L10: answers whose completion does not come; destroy returns. */
static void cep_test_destroy_with_completions_withheld(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_fake_faults faults = { .withhold = true };
	struct cep_ulp *active, *passive;

	cep_fake_set_faults(world->a, 1, &faults);
	cep_fake_set_faults(world->b, 1, &faults);
	cep_world_connect(world, &active, &passive);
	cep_ulp_destroy(active);
	cep_ulp_destroy(passive);
	KUNIT_EXPECT_EQ(test, active->released, 1U);
	KUNIT_EXPECT_EQ(test, passive->released, 1U);
}

static void cep_test_send_queue_full(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_fake_faults faults = { .refuse_posts = 1 };
	struct cep_ulp *active = cep_ulp_new(world, world->a);
	int ret;

	cep_fake_set_faults(world->a, 1, &faults);
	ret = cep_ulp_connect(active, world->a, world->b, CEP_WORLD_SERVICE);
	cep_world_exhaust(world);
	/* Either the call says so, or an event does; never both, never neither. */
	KUNIT_EXPECT_EQ(test, active->nr_seen, ret ? 0U : 1U);
	CEP_EXPECT_STATE(test, active, IB_CEP_IDLE);
}

/* Two arrays: KUnit keeps its log in them. */
#define CEP_CONNECT_CASES \
	KUNIT_CASE(cep_test_connects), \
	KUNIT_CASE(cep_test_active_disconnects), \
	KUNIT_CASE(cep_test_passive_disconnects), \
	KUNIT_CASE(cep_test_both_disconnect), \
	KUNIT_CASE(cep_test_handler_refuses), \
	KUNIT_CASE(cep_test_no_listener), \
	KUNIT_CASE(cep_test_no_memory_is_silent), \
	KUNIT_CASE(cep_test_loss_masks), \
	KUNIT_CASE(cep_test_req_always_lost), \
	KUNIT_CASE(cep_test_rep_always_lost), \
	KUNIT_CASE(cep_test_dreq_always_lost), \
	KUNIT_CASE(cep_test_everything_twice), \
	KUNIT_CASE(cep_test_send_completes_with_error), \
	KUNIT_CASE(cep_test_send_never_completes), \
	KUNIT_CASE(cep_test_destroy_with_completions_withheld), \
	KUNIT_CASE(cep_test_send_queue_full)

static struct kunit_case cep_connect_cases[] = { CEP_CONNECT_CASES, {} };
static struct kunit_case cep_connect_roce_cases[] = { CEP_CONNECT_CASES, {} };

static struct kunit_suite cep_connect_suite = {
	.name = "cep_connect",
	.init = cep_world_begin,
	.exit = cep_world_end,
	.test_cases = cep_connect_cases,
};

/* The same with the other form of address. */
static struct kunit_suite cep_connect_roce_suite = {
	.name = "cep_connect_roce",
	.init = cep_world_begin_roce,
	.exit = cep_world_end,
	.test_cases = cep_connect_roce_cases,
};

kunit_test_suites(&cep_connect_suite, &cep_connect_roce_suite);
