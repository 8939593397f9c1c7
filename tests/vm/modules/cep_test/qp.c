// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * "qp device=NAME": the rules of binding QPs to CEPs, each with its result, on two
 * real QPs and two idle CEPs. And the race: "qp race=N" binds, unbinds and destroys
 * from two sides at once.
 */
#include <linux/kthread.h>
#include <linux/slab.h>

#include "cep_test.h"

struct ct_qp_test {
	struct ib_pd	*pd;
	struct ib_cq	*cq;
	struct ib_qp	*qp[2];
	struct ib_cep	*cep[2];
};

static int ct_no_events(struct ib_cep *cep, const struct ib_cep_event *event, void *context)
{
	return 0;
}

static struct ib_qp *ct_make_qp(struct ct_qp_test *test)
{
	struct ib_qp_init_attr init = {
		.send_cq = test->cq,
		.recv_cq = test->cq,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
		.cap = {
			.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1,
		},
	};

	return ib_create_qp(test->pd, &init);
}

static int ct_qp_setup(struct ct_qp_test *test, struct ib_device *device)
{
	int i;

	test->pd = ib_alloc_pd(device, 0);
	if (IS_ERR(test->pd)) {
		test->pd = NULL;
		return -ENOMEM;
	}
	test->cq = ib_alloc_cq(device, NULL, 4, 0, IB_POLL_WORKQUEUE);
	if (IS_ERR(test->cq)) {
		test->cq = NULL;
		return -ENOMEM;
	}
	for (i = 0; i < 2; i++) {
		test->qp[i] = ct_make_qp(test);
		if (IS_ERR(test->qp[i])) {
			test->qp[i] = NULL;
			return -ENOMEM;
		}
		test->cep[i] = ib_cep_create(device, ct_no_events, NULL, NULL);
		if (IS_ERR(test->cep[i])) {
			test->cep[i] = NULL;
			return -ENOMEM;
		}
	}
	return 0;
}

static void ct_qp_teardown(struct ct_qp_test *test)
{
	int i;

	for (i = 0; i < 2; i++) {
		if (test->cep[i])
			ib_cep_destroy(test->cep[i]);
		if (test->qp[i])
			ib_destroy_qp(test->qp[i]);
	}
	if (test->cq)
		ib_free_cq(test->cq);
	if (test->pd)
		ib_dealloc_pd(test->pd);
}

static int ct_expected(long got, long wanted, const char *what)
{
	if (got == wanted)
		return 0;
	pr_info("cep_test: %s: %ld, not %ld\n", what, got, wanted);
	return 1;
}

#define CT_EXPECT(expression, wanted) \
	(wrong += ct_expected((long)(expression), (long)(wanted), #expression))

static int ct_qp_rules(struct ct_qp_test *test)
{
	struct ib_cep **cep = test->cep;
	struct ib_qp **qp = test->qp;
	int wrong = 0;

	/* Neither may be bound already. */
	CT_EXPECT(ib_cep_unbind_qp(cep[0]), -EINVAL);
	CT_EXPECT(ib_cep_get_qp(cep[0]), NULL);
	CT_EXPECT(ib_cep_bind_qp(cep[0], qp[0]), 0);
	CT_EXPECT(ib_cep_get_qp(cep[0]), qp[0]);
	CT_EXPECT(ib_cep_bind_qp(cep[0], qp[0]), -EBUSY);
	CT_EXPECT(ib_cep_bind_qp(cep[0], qp[1]), -EBUSY);
	CT_EXPECT(ib_cep_bind_qp(cep[1], qp[0]), -EBUSY);
	CT_EXPECT(ib_cep_get_qp(cep[1]), NULL);
	CT_EXPECT(ib_cep_unbind_qp(cep[0]), 0);
	CT_EXPECT(ib_cep_unbind_qp(cep[0]), -EINVAL);

	/* A QP that goes: unbound by it, and not to be bound until it has gone. */
	CT_EXPECT(ib_cep_bind_qp(cep[1], qp[0]), 0);
	CT_EXPECT(ib_cep_qp_begin_destroy(qp[0]), 0);
	CT_EXPECT(ib_cep_get_qp(cep[1]), NULL);
	CT_EXPECT(ib_cep_bind_qp(cep[0], qp[0]), -ESHUTDOWN);
	CT_EXPECT(ib_cep_qp_begin_destroy(qp[0]), -ESHUTDOWN);
	CT_EXPECT(ib_cep_destroy_qp(qp[0]), -ESHUTDOWN);
	ib_cep_qp_end_destroy(qp[0]);
	CT_EXPECT(ib_cep_bind_qp(cep[0], qp[0]), 0);

	/* The whole of it, with the other CEP free for the other QP. */
	CT_EXPECT(ib_cep_bind_qp(cep[1], qp[1]), 0);
	CT_EXPECT(ib_cep_destroy_qp(qp[1]), 0);
	qp[1] = NULL;
	CT_EXPECT(ib_cep_get_qp(cep[1]), NULL);

	/* Destroying the CEP unbinds too. */
	ib_cep_destroy(cep[0]);
	cep[0] = NULL;
	CT_EXPECT(ib_cep_bind_qp(cep[1], qp[0]), 0);
	CT_EXPECT(ib_cep_unbind_qp(cep[1]), 0);
	CT_EXPECT(ib_cep_bind_qp(cep[1], NULL), -EINVAL);
	return wrong ? -EILSEQ : 0;
}

struct ct_qp_racer {
	struct ct_qp_test	*test;
	struct ib_cep		*cep;
	u64			rounds;
	int			error;
	struct completion	done;
};

static int ct_qp_race_thread(void *context)
{
	struct ct_qp_racer *racer = context;
	struct ib_qp *qp = racer->test->qp[0];
	int ret;

	while (racer->rounds-- && !racer->error) {
		ret = ib_cep_bind_qp(racer->cep, qp);
		if (ret && ret != -EBUSY && ret != -ESHUTDOWN)
			racer->error = ret;
		if (!ret) {
			/* -EINVAL: the other has begun to destroy the QP, which unbinds. */
			ret = ib_cep_unbind_qp(racer->cep);
			if (ret && ret != -EINVAL)
				racer->error = ret;
		}
		ret = ib_cep_qp_begin_destroy(qp);
		if (!ret)
			ib_cep_qp_end_destroy(qp);
		else if (ret != -ESHUTDOWN)
			racer->error = ret;
		cond_resched();
	}
	complete(&racer->done);
	return 0;
}

static int ct_qp_race(struct ct_qp_test *test, u64 rounds)
{
	struct ct_qp_racer racer[2];
	int i, ret = 0;

	for (i = 0; i < 2; i++) {
		struct task_struct *task;

		racer[i] = (struct ct_qp_racer){
			.test = test, .cep = test->cep[i], .rounds = rounds,
		};
		init_completion(&racer[i].done);
		task = kthread_run(ct_qp_race_thread, &racer[i], "cep_test_qp/%d", i);
		if (IS_ERR(task)) {
			ret = PTR_ERR(task);
			complete(&racer[i].done);
		}
	}
	for (i = 0; i < 2; i++) {
		wait_for_completion(&racer[i].done);
		ret = racer[i].error ?: ret;
	}
	return ret;
}

int ct_cmd_qp(struct ct_options *opts)
{
	u64 rounds = ct_option_u64(opts, "race", 0);
	struct ct_qp_test test = {};
	struct ib_device *device;
	int ret;

	if (ct_options_bad(opts))
		return -EINVAL;
	device = ib_device_get_by_name(ct_option(opts, "device", "rxe0"), RDMA_DRIVER_UNKNOWN);
	if (!device)
		return -ENODEV;
	ret = ct_qp_setup(&test, device);
	if (!ret)
		ret = rounds ? ct_qp_race(&test, rounds) : ct_qp_rules(&test);
	ct_qp_teardown(&test);
	ib_device_put(device);
	return ret;
}
