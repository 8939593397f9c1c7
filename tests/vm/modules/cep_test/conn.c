// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * One CEP of the test ULP: who owns it, what it does at each event, that its
 * callbacks come one at a time and its release once. See struct ct_conn for the
 * rules of ownership.
 */
#include <linux/delay.h>
#include <linux/slab.h>

#include "cep_test.h"

static const char *const ct_on_req_words[] = {
	[CT_ACCEPT] = "accept", [CT_REJECT] = "reject", [CT_REFUSE] = "refuse",
	[CT_DROP] = "drop",	[CT_HOLD] = "hold",	[CT_MRA] = "mra",
};

static const char *const ct_on_rep_words[] = {
	[CT_REP_RTU] = "rtu", [CT_REP_HOLD] = "hold", [CT_REP_REJ] = "rej", [CT_REP_MRA] = "mra",
};

static const char *const ct_on_dreq_words[] = {
	[CT_DREQ_DREP] = "drep", [CT_DREQ_HOLD] = "hold",
};

static const char *const ct_at_end_words[] = {
	[CT_KEEP] = "keep", [CT_RETURN] = "return", [CT_DESTROY] = "destroy",
};

int ct_plan_parse(struct ct_options *opts, struct ct_plan *plan)
{
	plan->on_req = ct_option_word(opts, "on_req", ct_on_req_words,
				      ARRAY_SIZE(ct_on_req_words), CT_ACCEPT);
	plan->on_rep = ct_option_word(opts, "on_rep", ct_on_rep_words,
				      ARRAY_SIZE(ct_on_rep_words), CT_REP_RTU);
	plan->on_dreq = ct_option_word(opts, "on_dreq", ct_on_dreq_words,
				       ARRAY_SIZE(ct_on_dreq_words), CT_DREQ_DREP);
	plan->at_end = ct_option_word(opts, "end", ct_at_end_words,
				      ARRAY_SIZE(ct_at_end_words), CT_KEEP);
	plan->reason = ct_option_u64(opts, "reason", 28);
	plan->mra_exp = ct_option_u64(opts, "mra_exp", 20);
	plan->mra_delayed = ct_option_u64(opts, "mra_delayed", 0);
	plan->sleep_ms = ct_option_u64(opts, "sleep_ms", 0);
	plan->sleep_on = ct_option_u64(opts, "sleep_on", U32_MAX);
	plan->data = ct_option_u64(opts, "data", 0);
	plan->tcp = ct_option(opts, "tcp", NULL);
	plan->check = ct_option_u64(opts, "check", plan->tcp);
	return ct_options_bad(opts) ? -EINVAL : 0;
}

/* ---- ownership ------------------------------------------------------------- */

struct ct_conn *ct_conn_alloc(struct ct_set *set, const struct ct_plan *plan)
{
	struct ct_conn *conn = kzalloc(sizeof(*conn), GFP_KERNEL);

	if (!conn)
		return NULL;
	kref_init(&conn->ref);
	INIT_LIST_HEAD(&conn->link);
	mutex_init(&conn->mutex);
	conn->set = set;
	conn->plan = *plan;
	return conn;
}

static void ct_conn_free(struct kref *ref)
{
	kfree(container_of(ref, struct ct_conn, ref));
}

void ct_conn_put(struct ct_conn *conn)
{
	kref_put(&conn->ref, ct_conn_free);
}

/* On the list: others may find and end it from now on. */
void ct_conn_own(struct ct_conn *conn, struct ib_cep *cep)
{
	struct ct_set *set = conn->set;
	unsigned long flags;

	kref_get(&conn->ref);
	spin_lock_irqsave(&set->lock, flags);
	conn->cep = cep;
	list_add_tail(&conn->link, &set->conns);
	spin_unlock_irqrestore(&set->lock, flags);
}

/* True for one caller only: it ends the CEP, and then drops the list's reference. */
bool ct_conn_claim(struct ct_conn *conn)
{
	struct ct_set *set = conn->set;
	unsigned long flags;
	bool ours;

	mutex_lock(&conn->mutex);
	spin_lock_irqsave(&set->lock, flags);
	ours = !list_empty(&conn->link);
	list_del_init(&conn->link);
	spin_unlock_irqrestore(&set->lock, flags);
	mutex_unlock(&conn->mutex);
	return ours;
}

void ct_conn_destroy(struct ct_conn *conn)
{
	if (!ct_conn_claim(conn))
		return;
	ib_cep_destroy(conn->cep);
	ct_conn_put(conn);
}

void ct_conn_release(void *context)
{
	struct ct_conn *conn = context;
	struct ct_set *set = conn->set;

	if (atomic_inc_return(&conn->released) != 1) {
		/* Leaked on purpose: its reference is gone already. */
		ct_count(set, CT_TWICE);
		return;
	}
	if (atomic_read(&conn->running))
		ct_count(set, CT_OVERLAP);
	ct_conn_answered(conn);
	ct_conn_put(conn);
	ct_count(set, CT_RELEASED);
}

unsigned int ct_conns_get(struct ct_set *set, int state, unsigned int max,
			  struct ct_conn ***conns)
{
	struct ib_cep_info info;
	struct ct_conn *conn;
	unsigned long flags;
	unsigned int room = 0, count = 0;

	spin_lock_irqsave(&set->lock, flags);
	list_for_each_entry(conn, &set->conns, link)
		room++;
	spin_unlock_irqrestore(&set->lock, flags);
	room = min(room, max);
	*conns = kvmalloc_array(room ?: 1, sizeof(**conns), GFP_KERNEL);
	if (!*conns)
		return 0;

	spin_lock_irqsave(&set->lock, flags);
	list_for_each_entry(conn, &set->conns, link) {
		if (count == room)
			break;
		if (state != CT_ANY_STATE) {
			ib_cep_query(conn->cep, &info);
			if (info.state != state)
				continue;
		}
		kref_get(&conn->ref);
		(*conns)[count++] = conn;
	}
	spin_unlock_irqrestore(&set->lock, flags);
	return count;
}

void ct_conns_put(struct ct_conn **conns, unsigned int count)
{
	while (count)
		ct_conn_put(conns[--count]);
	kvfree(conns);
}

void ct_conn_answered(struct ct_conn *conn)
{
	if (atomic_xchg(&conn->connecting, 0))
		ct_uncount(conn->set, CT_CONNECTING);
}

/* ---- events --------------------------------------------------------------------- */

void ct_conn_enter(struct ct_conn *conn, const struct ib_cep_event *event)
{
	if (atomic_read(&conn->released))
		ct_count(conn->set, CT_LATE);
	if (event->type == IB_CEP_REQ_RECEIVED)
		ct_count(conn->set, CT_RUNNING);
	if (conn->plan.sleep_ms && (conn->plan.sleep_on & BIT(event->type)))
		msleep(conn->plan.sleep_ms);
	ct_check_data(conn, event);
}

void ct_conn_leave(struct ct_conn *conn, const struct ib_cep_event *event)
{
	if (event->type == IB_CEP_REQ_RECEIVED)
		ct_uncount(conn->set, CT_RUNNING);
}

static void ct_on_rep(struct ct_conn *conn, struct ib_cep *cep)
{
	u8 data[IB_CEP_RTU_PRIVATE_DATA_SIZE];
	int ret = 0;
	u32 len;

	switch (conn->plan.on_rep) {
	case CT_REP_RTU:
		len = ct_conn_data(conn, IB_CEP_RTU_RECEIVED, data, sizeof(data));
		ret = ib_cep_send_rtu(cep, data, len);
		break;
	case CT_REP_REJ:
		len = ct_conn_data(conn, IB_CEP_REJ_RECEIVED, data, IB_CEP_REJ_PRIVATE_DATA_SIZE);
		ret = ib_cep_send_rej(cep, conn->plan.reason, NULL, 0, data, len);
		break;
	case CT_REP_MRA:
		len = ct_conn_data(conn, IB_CEP_MRA_RECEIVED, data, IB_CEP_MRA_PRIVATE_DATA_SIZE);
		ret = ib_cep_send_mra(cep, conn->plan.mra_exp, conn->plan.mra_delayed, data, len);
		break;
	case CT_REP_HOLD:
		break;
	}
	ct_failed(conn->set, ret);
}

static void ct_on_dreq(struct ct_conn *conn, struct ib_cep *cep)
{
	u8 data[IB_CEP_DREP_PRIVATE_DATA_SIZE];
	u32 len;

	if (conn->plan.on_dreq == CT_DREQ_HOLD)
		return;
	len = ct_conn_data(conn, IB_CEP_DREP_RECEIVED, data, sizeof(data));
	ct_failed(conn->set, ib_cep_send_drep(cep, data, len));
}

/* Non-zero: the callback's return value ends the CEP, as the plan wants it. */
static int ct_on_end(struct ct_conn *conn)
{
	switch (conn->plan.at_end) {
	case CT_KEEP:
		return 0;
	case CT_DESTROY:
		ct_conn_destroy(conn);
		return 0;
	case CT_RETURN:
		break;
	}
	if (!ct_conn_claim(conn))
		return 0;
	ct_conn_put(conn);
	return -ECANCELED;
}

static int ct_on_event(struct ct_conn *conn, struct ib_cep *cep, const struct ib_cep_event *event)
{
	int ret;

	switch (event->type) {
	case IB_CEP_REQ_RECEIVED:
		/* Pulled. The one who pulls lists the CEP under the mutex. */
		ret = ct_on_req(conn, cep, event);
		if (!ret || !ct_conn_claim(conn))
			return 0;
		ct_conn_put(conn);
		return ret;
	case IB_CEP_REP_RECEIVED:
		ct_on_rep(conn, cep);
		return 0;
	case IB_CEP_DREQ_RECEIVED:
		ct_on_dreq(conn, cep);
		return 0;
	case IB_CEP_REQ_ERROR:
	case IB_CEP_REP_ERROR:
	case IB_CEP_REJ_RECEIVED:
	case IB_CEP_TIMEWAIT_EXIT:
	case IB_CEP_DEVICE_REMOVED:
		return ct_on_end(conn);
	default:
		return 0;
	}
}

int ct_conn_handler(struct ib_cep *cep, const struct ib_cep_event *event, void *context)
{
	struct ct_conn *conn = context;
	struct ct_set *set = conn->set;
	int ret;

	if (atomic_inc_return(&conn->running) != 1)
		ct_count(set, CT_OVERLAP);
	ct_conn_enter(conn, event);
	if (event->type != IB_CEP_MRA_RECEIVED)
		ct_conn_answered(conn);
	ret = ct_on_event(conn, cep, event);
	/* Counted when it has been dealt with, so that a test that waits can go on from there. */
	ct_count_event(set, event);
	ct_conn_leave(conn, event);
	atomic_dec(&conn->running);
	return ret;
}
