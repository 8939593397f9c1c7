// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * How to bring a CEP into each state, and how to make two calls race: for the suites
 * that try something in every state or at every moment.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include "world.h"

const struct cep_reach cep_reachable[CEP_NR_REACHABLE] = {
	{ IB_CEP_IDLE, "idle" },
	{ IB_CEP_LISTEN, "listen" },
	{ IB_CEP_REQ_SENT, "REQ sent" },
	{ IB_CEP_REQ_RCVD, "REQ received" },
	{ IB_CEP_MRA_REQ_SENT, "MRA for REQ sent" },
	{ IB_CEP_MRA_REQ_RCVD, "MRA for REQ received" },
	{ IB_CEP_REP_SENT, "REP sent" },
	{ IB_CEP_REP_RCVD, "REP received" },
	{ IB_CEP_MRA_REP_SENT, "MRA for REP sent" },
	{ IB_CEP_MRA_REP_RCVD, "MRA for REP received" },
	{ IB_CEP_ESTABLISHED, "established" },
	{ IB_CEP_DREQ_SENT, "DREQ sent" },
	{ IB_CEP_DREQ_RCVD, "DREQ received" },
	{ IB_CEP_TIMEWAIT, "timewait" },
};

/* A client whose REQ has arrived at a server that says nothing by itself. */
static void cep_reach_pair(struct cep_world *world, struct cep_ulp **active,
			   struct cep_ulp **passive)
{
	u64 service = CEP_WORLD_SERVICE + world->nr;
	struct cep_ulp *listener = cep_ulp_listen(world, world->b, service);
	unsigned int n = cep_world_children(world);

	*active = cep_ulp_new(world, world->a);
	KUNIT_ASSERT_EQ(world->test, cep_ulp_connect(*active, world->a, world->b, service), 0);
	cep_world_settle(world);
	*passive = cep_world_child(world, n);
	KUNIT_ASSERT_NOT_NULL(world->test, *passive);
	cep_ulp_destroy(listener);
}

static void cep_reach_early(struct cep_world *world, enum ib_cep_state state,
			    struct cep_ulp **ulp, struct cep_ulp **peer)
{
	static const struct cep_fake_faults lose = { .loss = 1024 };

	*peer = NULL;
	switch (state) {
	case IB_CEP_IDLE:
		*ulp = cep_ulp_new(world, world->a);
		break;
	case IB_CEP_LISTEN:
		*ulp = cep_ulp_listen(world, world->a, CEP_WORLD_SERVICE + world->nr);
		break;
	default:
		*ulp = cep_ulp_new(world, world->a);
		cep_fake_set_faults(world->a, 1, &lose);
		KUNIT_ASSERT_EQ(world->test,
				cep_ulp_connect(*ulp, world->a, world->b, CEP_WORLD_SERVICE), 0);
		cep_world_settle(world);
		cep_fake_set_faults(world->a, 1, NULL);
		break;
	}
}

static void cep_reach_handshake(struct cep_world *world, enum ib_cep_state state,
				struct cep_ulp **ulp, struct cep_ulp **peer)
{
	struct kunit *test = world->test;
	struct cep_ulp *active, *passive;
	bool is_active = state == IB_CEP_MRA_REQ_RCVD || state == IB_CEP_REP_RCVD ||
			 state == IB_CEP_MRA_REP_SENT;

	cep_reach_pair(world, &active, &passive);
	if (state == IB_CEP_MRA_REQ_SENT || state == IB_CEP_MRA_REQ_RCVD)
		KUNIT_ASSERT_EQ(test, ib_cep_send_mra(passive->cep, 20, false, NULL, 0), 0);
	else if (state != IB_CEP_REQ_RCVD)
		KUNIT_ASSERT_EQ(test, cep_ulp_accept(passive), 0);
	cep_world_settle(world);
	if (state == IB_CEP_MRA_REP_SENT || state == IB_CEP_MRA_REP_RCVD)
		KUNIT_ASSERT_EQ(test, ib_cep_send_mra(active->cep, 20, false, NULL, 0), 0);
	cep_world_settle(world);
	*ulp = is_active ? active : passive;
	*peer = is_active ? passive : active;
}

static void cep_reach_connected(struct cep_world *world, enum ib_cep_state state,
				struct cep_ulp **ulp, struct cep_ulp **peer)
{
	static const struct cep_fake_faults lose = { .loss = 1024 };
	struct kunit *test = world->test;

	cep_world_connect(world, ulp, peer);
	switch (state) {
	case IB_CEP_DREQ_SENT:
		cep_fake_set_faults(world->a, 1, &lose);
		KUNIT_ASSERT_EQ(test, ib_cep_send_dreq((*ulp)->cep, NULL, 0), 0);
		cep_world_settle(world);
		cep_fake_set_faults(world->a, 1, NULL);
		break;
	case IB_CEP_DREQ_RCVD:
		(*ulp)->hook = NULL;
		KUNIT_ASSERT_EQ(test, ib_cep_send_dreq((*peer)->cep, NULL, 0), 0);
		cep_world_settle(world);
		break;
	case IB_CEP_TIMEWAIT:
		KUNIT_ASSERT_EQ(test, ib_cep_send_dreq((*ulp)->cep, NULL, 0), 0);
		cep_world_settle(world);
		break;
	default:
		break;
	}
}

void cep_world_reach(struct cep_world *world, enum ib_cep_state state, struct cep_ulp **ulp,
		     struct cep_ulp **peer)
{
	switch (state) {
	case IB_CEP_IDLE:
	case IB_CEP_LISTEN:
	case IB_CEP_REQ_SENT:
		cep_reach_early(world, state, ulp, peer);
		break;
	case IB_CEP_ESTABLISHED:
	case IB_CEP_DREQ_SENT:
	case IB_CEP_DREQ_RCVD:
	case IB_CEP_TIMEWAIT:
		cep_reach_connected(world, state, ulp, peer);
		break;
	default:
		cep_reach_handshake(world, state, ulp, peer);
		break;
	}
	CEP_EXPECT_STATE(world->test, *ulp, state);
}

/* --- races ------------------------------------------------------------------------------------- */

struct cep_racer {
	void (*run)(void *arg);
	void *arg;
	atomic_t *ready;
	struct completion done;
};

static int cep_racer_thread(void *data)
{
	struct cep_racer *racer = data;

	atomic_dec(racer->ready);
	while (atomic_read(racer->ready))
		cond_resched();
	racer->run(racer->arg);
	complete(&racer->done);
	return 0;
}

void cep_race(struct kunit *test, void (*one)(void *arg), void (*other)(void *arg), void *arg)
{
	atomic_t ready = ATOMIC_INIT(2);
	struct cep_racer racer[2] = { { one, arg, &ready }, { other, arg, &ready } };
	struct task_struct *task[2];
	unsigned int i, cpu = cpumask_first(cpu_online_mask);

	for (i = 0; i < 2; i++) {
		init_completion(&racer[i].done);
		task[i] = kthread_create(cep_racer_thread, &racer[i], "cep_racer/%u", i);
		if (IS_ERR(task[i])) {
			if (i)
				kthread_stop(task[0]);
			KUNIT_FAIL(test, "no thread");
			return;
		}
		kthread_bind(task[i], cpu);
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
	}
	for (i = 0; i < 2; i++)
		wake_up_process(task[i]);
	for (i = 0; i < 2; i++)
		wait_for_completion(&racer[i].done);
}
