// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A QP and a CEP are bound only while neither is being destroyed and neither is bound:
 * taken is -EBUSY, going is -ESHUTDOWN, and the two are never confused.
 */
#include "world.h"

struct cep_bind {
	struct cep_world *world;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct cep_ulp *one;
	struct cep_ulp *other;
	int ret_one;
	int ret_other;
};

static struct ib_qp *cep_bind_make_qp(struct cep_bind *bind)
{
	struct ib_qp_init_attr attr = {
		.send_cq = bind->cq,
		.recv_cq = bind->cq,
		.qp_type = IB_QPT_RC,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ib_qp *qp = ib_create_qp(bind->pd, &attr);

	return IS_ERR(qp) ? NULL : qp;
}

static int cep_bind_begin(struct kunit *test)
{
	struct cep_world *world;
	struct cep_bind *bind;
	int ret = cep_world_begin(test);

	if (ret)
		return ret;
	world = test->priv;
	bind = kunit_kzalloc(test, sizeof(*bind), GFP_KERNEL);
	if (!bind)
		return -ENOMEM;
	bind->world = world;
	bind->pd = ib_alloc_pd(cep_fake_ibdev(world->a), 0);
	bind->cq = ib_alloc_cq(cep_fake_ibdev(world->a), bind, 4, 0, IB_POLL_WORKQUEUE);
	if (IS_ERR(bind->pd) || IS_ERR(bind->cq))
		return -ENOMEM;
	bind->qp = cep_bind_make_qp(bind);
	world->extra = bind;
	return bind->qp ? 0 : -ENOMEM;
}

static void cep_bind_end(struct kunit *test)
{
	struct cep_world *world = test->priv;
	struct cep_bind *bind = world ? world->extra : NULL;

	if (bind) {
		if (bind->qp)
			KUNIT_EXPECT_EQ(test, ib_cep_destroy_qp(bind->qp), 0);
		ib_free_cq(bind->cq);
		ib_dealloc_pd(bind->pd);
	}
	cep_world_end(test);
}

static struct cep_bind *cep_bind_of(struct kunit *test)
{
	return ((struct cep_world *)test->priv)->extra;
}

static void cep_test_bind_taken(struct kunit *test)
{
	struct cep_bind *bind = cep_bind_of(test);
	struct ib_qp *second = cep_bind_make_qp(bind);
	struct cep_ulp *one = cep_ulp_new(bind->world, bind->world->a);
	struct cep_ulp *other = cep_ulp_new(bind->world, bind->world->a);

	KUNIT_ASSERT_NOT_NULL(test, second);
	KUNIT_EXPECT_EQ(test, ib_cep_bind_qp(one->cep, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_cep_unbind_qp(one->cep), -EINVAL);
	KUNIT_EXPECT_EQ(test, ib_cep_bind_qp(one->cep, bind->qp), 0);
	KUNIT_EXPECT_PTR_EQ(test, ib_cep_get_qp(one->cep), bind->qp);
	KUNIT_EXPECT_EQ_MSG(test, ib_cep_bind_qp(other->cep, bind->qp), -EBUSY, "QP is bound");
	KUNIT_EXPECT_EQ_MSG(test, ib_cep_bind_qp(one->cep, second), -EBUSY, "CEP is bound");
	KUNIT_EXPECT_PTR_EQ(test, ib_cep_get_qp(other->cep), (struct ib_qp *)NULL);
	KUNIT_EXPECT_EQ(test, ib_cep_unbind_qp(one->cep), 0);
	KUNIT_EXPECT_EQ(test, ib_cep_bind_qp(other->cep, bind->qp), 0);
	KUNIT_EXPECT_EQ(test, ib_cep_destroy_qp(second), 0);
}

static void cep_test_bind_dying_qp(struct kunit *test)
{
	struct cep_bind *bind = cep_bind_of(test);
	struct cep_ulp *one = cep_ulp_new(bind->world, bind->world->a);

	KUNIT_EXPECT_EQ(test, ib_cep_bind_qp(one->cep, bind->qp), 0);
	KUNIT_EXPECT_EQ(test, ib_cep_qp_begin_destroy(bind->qp), 0);
	KUNIT_EXPECT_PTR_EQ(test, ib_cep_get_qp(one->cep), (struct ib_qp *)NULL);
	KUNIT_EXPECT_EQ(test, ib_cep_bind_qp(one->cep, bind->qp), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, ib_cep_qp_begin_destroy(bind->qp), -ESHUTDOWN);
	ib_cep_qp_end_destroy(bind->qp);
	KUNIT_EXPECT_EQ_MSG(test, ib_cep_bind_qp(one->cep, bind->qp), 0, "the mark is forgotten");
}

static int cep_bind_answer;

static int cep_hook_bind_after_destroy(struct cep_ulp *ulp, const struct ib_cep_event *event)
{
	struct cep_bind *bind = ulp->world->extra;

	if (event->type != IB_CEP_REP_RECEIVED)
		return 0;
	cep_ulp_destroy(ulp);
	cep_bind_answer = ib_cep_bind_qp(ulp->cep, bind->qp);
	return 0;
}

static void cep_test_bind_dying_cep(struct kunit *test)
{
	struct cep_bind *bind = cep_bind_of(test);
	struct cep_world *world = bind->world;
	struct cep_ulp *listener = cep_ulp_listen(world, world->b, CEP_WORLD_SERVICE);
	struct cep_ulp *active = cep_ulp_new(world, world->a);

	cep_bind_answer = 1;
	listener->child_hook = cep_hook_accept;
	active->hook = cep_hook_bind_after_destroy;
	KUNIT_ASSERT_EQ(test, cep_ulp_connect(active, world->a, world->b, CEP_WORLD_SERVICE), 0);
	cep_world_settle(world);
	KUNIT_EXPECT_EQ(test, cep_bind_answer, -ESHUTDOWN);
}

static void cep_test_destroy_unbinds(struct kunit *test)
{
	struct cep_bind *bind = cep_bind_of(test);
	struct cep_ulp *one = cep_ulp_new(bind->world, bind->world->a);
	struct cep_ulp *other = cep_ulp_new(bind->world, bind->world->a);

	KUNIT_EXPECT_EQ(test, ib_cep_bind_qp(one->cep, bind->qp), 0);
	cep_ulp_destroy(one);
	KUNIT_EXPECT_EQ(test, ib_cep_bind_qp(other->cep, bind->qp), 0);
}

/* --- races ------------------------------------------------------------------------------------- */

static void cep_race_bind_one(void *arg)
{
	struct cep_bind *bind = arg;

	bind->ret_one = ib_cep_bind_qp(bind->one->cep, bind->qp);
}

static void cep_race_bind_other(void *arg)
{
	struct cep_bind *bind = arg;

	bind->ret_other = ib_cep_bind_qp(bind->other->cep, bind->qp);
}

static void cep_race_destroy_qp(void *arg)
{
	struct cep_bind *bind = arg;

	bind->ret_other = ib_cep_destroy_qp(bind->qp);
}

static void cep_race_mark_qp(void *arg)
{
	struct cep_bind *bind = arg;

	bind->ret_other = ib_cep_qp_begin_destroy(bind->qp);
}

static void cep_race_end_cep(void *arg)
{
	cep_ulp_destroy(((struct cep_bind *)arg)->one);
}

static void cep_test_bind_races_bind(struct kunit *test)
{
	struct cep_bind *bind = cep_bind_of(test);
	int i;

	bind->one = cep_ulp_new(bind->world, bind->world->a);
	bind->other = cep_ulp_new(bind->world, bind->world->a);
	for (i = 0; i < 100; i++) {
		cep_race(test, cep_race_bind_one, cep_race_bind_other, bind);
		KUNIT_EXPECT_EQ(test, bind->ret_one + bind->ret_other, -EBUSY);
		ib_cep_unbind_qp(bind->ret_one ? bind->other->cep : bind->one->cep);
	}
}

/* While the mark is set, no order of the two leaves the QP bound. */
static void cep_test_bind_races_mark(struct kunit *test)
{
	struct cep_bind *bind = cep_bind_of(test);
	int i;

	bind->one = cep_ulp_new(bind->world, bind->world->a);
	for (i = 0; i < 100; i++) {
		cep_race(test, cep_race_bind_one, cep_race_mark_qp, bind);
		KUNIT_EXPECT_EQ(test, bind->ret_other, 0);
		KUNIT_EXPECT_TRUE(test, !bind->ret_one || bind->ret_one == -ESHUTDOWN);
		KUNIT_EXPECT_PTR_EQ(test, ib_cep_get_qp(bind->one->cep), (struct ib_qp *)NULL);
		ib_cep_qp_end_destroy(bind->qp);
	}
}

static void cep_test_bind_races_destroy(struct kunit *test)
{
	struct cep_bind *bind = cep_bind_of(test);
	int i;

	for (i = 0; i < 60; i++) {
		bind->one = cep_ulp_new(bind->world, bind->world->a);
		KUNIT_EXPECT_EQ(test, ib_cep_bind_qp(bind->one->cep, bind->qp), 0);
		cep_race(test, cep_race_end_cep, cep_race_destroy_qp, bind);
		KUNIT_EXPECT_EQ(test, bind->ret_other, 0);
		bind->qp = cep_bind_make_qp(bind);
		KUNIT_ASSERT_NOT_NULL(test, bind->qp);
	}
}

static struct kunit_case cep_bind_cases[] = {
	KUNIT_CASE(cep_test_bind_taken),
	KUNIT_CASE(cep_test_bind_dying_qp),
	KUNIT_CASE(cep_test_bind_dying_cep),
	KUNIT_CASE(cep_test_destroy_unbinds),
	KUNIT_CASE(cep_test_bind_races_bind),
	KUNIT_CASE(cep_test_bind_races_mark),
	KUNIT_CASE(cep_test_bind_races_destroy),
	{}
};

static struct kunit_suite cep_bind_suite = {
	.name = "cep_bind",
	.init = cep_bind_begin,
	.exit = cep_bind_end,
	.test_cases = cep_bind_cases,
};

kunit_test_suites(&cep_bind_suite);
