// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Commands to CEPs that exist: "act set=N do=dreq state=ESTABLISHED count=N" makes
 * the call for each, "destroy" ends them. Each call is made under the CEP's mutex,
 * so that it is not destroyed meanwhile.
 */
#include <linux/minmax.h>
#include <linux/slab.h>

#include "cep_test.h"

enum ct_act {
	CT_ACT_SEND, CT_ACT_REP, CT_ACT_FORMAT_REP, CT_ACT_SEND_REP, CT_ACT_RTU, CT_ACT_MRA,
	CT_ACT_REJ, CT_ACT_DREQ, CT_ACT_DREP, CT_ACT_ESTABLISHED, CT_ACT_TIMEWAIT,
};

static const char *const ct_act_words[] = {
	[CT_ACT_SEND] = "send",
	[CT_ACT_REP] = "rep",
	[CT_ACT_FORMAT_REP] = "format_rep",
	[CT_ACT_SEND_REP] = "send_rep",
	[CT_ACT_RTU] = "rtu",
	[CT_ACT_MRA] = "mra",
	[CT_ACT_REJ] = "rej",
	[CT_ACT_DREQ] = "dreq",
	[CT_ACT_DREP] = "drep",
	[CT_ACT_ESTABLISHED] = "established",
	[CT_ACT_TIMEWAIT] = "timewait",
};

static int ct_send_formatted(struct ct_conn *conn)
{
	int ret;

	atomic_set(&conn->connecting, 1);
	ct_count(conn->set, CT_CONNECTING);
	ret = ib_cep_send_formatted_req(conn->cep);
	if (ret)
		ct_conn_answered(conn);
	return ret;
}

/* Each message carries as many bytes as the plan says, salted with its event. */
static int ct_act_one(struct ct_conn *conn, enum ct_act act, const struct ct_plan *plan)
{
	u8 data[IB_CEP_RTU_PRIVATE_DATA_SIZE];
	struct ib_cep *cep = conn->cep;
	u32 len = min_t(u32, plan->data, sizeof(data));

	switch (act) {
	case CT_ACT_SEND:
		return ct_send_formatted(conn);
	case CT_ACT_REP:
		return ct_send_rep(conn, cep, false);
	case CT_ACT_FORMAT_REP:
		return ct_send_rep(conn, cep, true);
	case CT_ACT_SEND_REP:
		return ib_cep_send_formatted_rep(cep);
	case CT_ACT_RTU:
		ct_fill(data, len, IB_CEP_RTU_RECEIVED);
		return ib_cep_send_rtu(cep, data, len);
	case CT_ACT_MRA:
		ct_fill(data, len, IB_CEP_MRA_RECEIVED);
		return ib_cep_send_mra(cep, plan->mra_exp, plan->mra_delayed, data, len);
	case CT_ACT_REJ:
		ct_fill(data, len, IB_CEP_REJ_RECEIVED);
		return ib_cep_send_rej(cep, plan->reason, NULL, 0, data, len);
	case CT_ACT_DREQ:
		ct_fill(data, len, IB_CEP_DREQ_RECEIVED);
		return ib_cep_send_dreq(cep, data, len);
	case CT_ACT_DREP:
		ct_fill(data, len, IB_CEP_DREP_RECEIVED);
		return ib_cep_send_drep(cep, data, len);
	case CT_ACT_ESTABLISHED:
		return ib_cep_established(cep);
	case CT_ACT_TIMEWAIT:
		return ib_cep_enter_timewait(cep);
	}
	return -EINVAL;
}

static int ct_state_option(struct ct_options *opts)
{
	const char *const *names;
	int count;

	names = ct_state_names(&count);
	return ct_option_word(opts, "state", names, count, CT_ANY_STATE);
}

/* -ENOENT: no such CEP; otherwise the last error. */
int ct_cmd_act(struct ct_options *opts)
{
	int act = ct_option_word(opts, "do", ct_act_words, ARRAY_SIZE(ct_act_words), -1);
	u64 count = ct_option_u64(opts, "count", UINT_MAX);
	int state = ct_state_option(opts);
	struct ct_set *set = ct_set(opts);
	struct ct_conn **conns;
	struct ct_plan plan;
	unsigned int got, i;
	int ret = 0;

	if (!set || act < 0 || ct_plan_parse(opts, &plan))
		return -EINVAL;
	got = ct_conns_get(set, state, min_t(u64, count, UINT_MAX), &conns);
	for (i = 0; i < got; i++) {
		mutex_lock(&conns[i]->mutex);
		/* It can have gone since. */
		if (!list_empty(&conns[i]->link))
			ret = ct_failed(set, ct_act_one(conns[i], act, &plan)) ?: ret;
		mutex_unlock(&conns[i]->mutex);
		cond_resched();
	}
	ct_conns_put(conns, got);
	return got ? ret : -ENOENT;
}

int ct_cmd_destroy(struct ct_options *opts)
{
	u64 count = ct_option_u64(opts, "count", UINT_MAX);
	int state = ct_state_option(opts);
	struct ct_set *set = ct_set(opts);
	struct ct_conn **conns;
	unsigned int got, i;

	if (!set)
		return -EINVAL;
	got = ct_conns_get(set, state, min_t(u64, count, UINT_MAX), &conns);
	for (i = 0; i < got; i++) {
		ct_conn_destroy(conns[i]);
		cond_resched();
	}
	ct_conns_put(conns, got);
	return 0;
}
