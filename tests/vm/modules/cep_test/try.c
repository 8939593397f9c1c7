// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * "try set=N call=NAME expect=ERRNO": one call of the interface on the set's first
 * CEP (fresh=1: on a new idle one), whose result the test knows beforehand. An
 * error must leave the CEP as it was. len= is the length of the private data.
 */
#include <linux/slab.h>

#include "cep_test.h"

#define CT_WRONG_RESULT	(-EILSEQ)
#define CT_CHANGED	(-EUCLEAN)

struct ct_try {
	struct ct_conn		*conn;
	struct ib_cep		*cep;
	struct ct_request	*request;	/* NULL without address= */
	struct ib_cep_rep_param	rep;
	struct ib_cep_listen_param listen;
	u8			len;
	u8			ari_len;
	u8			data[256];
};

static int ct_try_send_req(struct ct_try *try)
{
	return ib_cep_send_req(try->cep, &try->request->param);
}

static int ct_try_format_req(struct ct_try *try)
{
	return ib_cep_format_req(try->cep, &try->request->param);
}

static int ct_try_send_formatted_req(struct ct_try *try)
{
	return ib_cep_send_formatted_req(try->cep);
}

static int ct_try_send_rep(struct ct_try *try)
{
	return ib_cep_send_rep(try->cep, &try->rep);
}

static int ct_try_format_rep(struct ct_try *try)
{
	return ib_cep_format_rep(try->cep, &try->rep);
}

static int ct_try_send_formatted_rep(struct ct_try *try)
{
	return ib_cep_send_formatted_rep(try->cep);
}

static int ct_try_rtu(struct ct_try *try)
{
	return ib_cep_send_rtu(try->cep, try->data, try->len);
}

static int ct_try_mra(struct ct_try *try)
{
	return ib_cep_send_mra(try->cep, 20, false, try->data, try->len);
}

static int ct_try_mra_exp(struct ct_try *try)
{
	return ib_cep_send_mra(try->cep, 32, false, try->data, try->len);
}

static int ct_try_rej(struct ct_try *try)
{
	return ib_cep_send_rej(try->cep, 28, try->data, try->ari_len, try->data, try->len);
}

static int ct_try_dreq(struct ct_try *try)
{
	return ib_cep_send_dreq(try->cep, try->data, try->len);
}

static int ct_try_drep(struct ct_try *try)
{
	return ib_cep_send_drep(try->cep, try->data, try->len);
}

static int ct_try_timewait(struct ct_try *try)
{
	return ib_cep_enter_timewait(try->cep);
}

static int ct_try_established(struct ct_try *try)
{
	return ib_cep_established(try->cep);
}

static int ct_try_attr(struct ct_try *try, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };
	int mask = 0;
	int ret = ib_cep_get_qp_attr(try->cep, &attr, &mask);

	if (!ret && !(mask & IB_QP_STATE))
		return CT_CHANGED;
	return ret;
}

static int ct_try_init(struct ct_try *try)
{
	return ct_try_attr(try, IB_QPS_INIT);
}

static int ct_try_rtr(struct ct_try *try)
{
	return ct_try_attr(try, IB_QPS_RTR);
}

static int ct_try_rts(struct ct_try *try)
{
	return ct_try_attr(try, IB_QPS_RTS);
}

static int ct_try_sqd(struct ct_try *try)
{
	return ct_try_attr(try, IB_QPS_SQD);
}

static int ct_try_listen(struct ct_try *try)
{
	return ib_cep_listen(try->cep, &try->listen);
}

static int ct_try_cancel_listen(struct ct_try *try)
{
	return ib_cep_cancel_listen(try->cep);
}

static int ct_try_get_request(struct ct_try *try)
{
	struct ib_cep *cep = ib_cep_get_request(try->cep, ct_conn_handler, NULL, NULL);

	/* Nobody waits: a CEP here would be a fault, and is not ours to end. */
	return IS_ERR(cep) ? PTR_ERR(cep) : CT_CHANGED;
}

static int ct_try_unbind(struct ct_try *try)
{
	return ib_cep_unbind_qp(try->cep);
}

static int ct_try_bind_null(struct ct_try *try)
{
	return ib_cep_bind_qp(try->cep, NULL);
}

static const struct {
	const char	*name;
	int		(*call)(struct ct_try *try);
	bool		needs_request;
} ct_tries[] = {
	{ "send_req", ct_try_send_req, true },
	{ "format_req", ct_try_format_req, true },
	{ "send_formatted_req", ct_try_send_formatted_req },
	{ "send_rep", ct_try_send_rep },
	{ "format_rep", ct_try_format_rep },
	{ "send_formatted_rep", ct_try_send_formatted_rep },
	{ "send_rtu", ct_try_rtu },
	{ "send_mra", ct_try_mra },
	{ "send_mra_exp", ct_try_mra_exp },
	{ "send_rej", ct_try_rej },
	{ "send_dreq", ct_try_dreq },
	{ "send_drep", ct_try_drep },
	{ "enter_timewait", ct_try_timewait },
	{ "established", ct_try_established },
	{ "attr_init", ct_try_init },
	{ "attr_rtr", ct_try_rtr },
	{ "attr_rts", ct_try_rts },
	{ "attr_sqd", ct_try_sqd },
	{ "listen", ct_try_listen },
	{ "cancel_listen", ct_try_cancel_listen },
	{ "get_request", ct_try_get_request },
	{ "unbind_qp", ct_try_unbind },
	{ "bind_null", ct_try_bind_null },
};

static int ct_try_prepare(struct ct_options *opts, struct ct_try *try, int which)
{
	struct ct_plan plan;
	int ret;

	try->len = ct_option_u64(opts, "len", 0);
	try->ari_len = ct_option_u64(opts, "ari_len", 0);
	ct_fill(try->data, sizeof(try->data), 0);
	try->rep.qp_num = ct_option_u64(opts, "qpn", ct_new_qpn());
	try->rep.starting_psn = ct_option_u64(opts, "psn", 0);
	try->rep.private_data = try->data;
	try->rep.private_data_len = try->len;
	try->listen.service_id = cpu_to_be64(ct_option_u64(opts, "sid", CT_SERVICE_ID));
	try->listen.port = ct_option_u64(opts, "listen_port", 0);
	if (!ct_tries[which].needs_request)
		return ct_options_bad(opts) ? -EINVAL : 0;

	try->request = kmalloc(sizeof(*try->request), GFP_KERNEL);
	if (!try->request)
		return -ENOMEM;
	ret = ct_plan_parse(opts, &plan) ?: ct_request_init(opts, &plan, try->request);
	if (ret) {
		kfree(try->request);
		return ret;
	}
	try->request->param.starting_psn = try->rep.starting_psn;
	try->request->param.private_data_len = try->len;
	if (!ct_option(opts, "qpn", NULL))
		try->request->param.qp_num = try->rep.qp_num;
	return 0;
}

/* The set's first CEP, or a new one that nobody else knows. Referenced, mutex held. */
static struct ct_conn *ct_try_conn(struct ct_options *opts, struct ct_set *set)
{
	static const struct ct_plan plan;
	struct ib_device *device = NULL;
	struct ct_conn **conns, *conn;
	struct ib_cep *cep;

	if (!ct_option_u64(opts, "fresh", 0)) {
		conn = NULL;
		if (ct_conns_get(set, CT_ANY_STATE, 1, &conns))
			conn = conns[0];
		kvfree(conns);
		if (conn)
			mutex_lock(&conn->mutex);
		return conn;
	}
	conn = ct_conn_alloc(set, &plan);
	if (!conn)
		return NULL;
	if (!ct_option_u64(opts, "no_device", 0))
		device = ib_device_get_by_name(ct_option(opts, "device", "rxe0"),
					       RDMA_DRIVER_UNKNOWN);
	cep = ib_cep_create(device, ct_conn_handler, conn, ct_conn_release);
	if (device)
		ib_device_put(device);
	if (IS_ERR(cep)) {
		ct_conn_put(conn);
		return NULL;
	}
	ct_count(set, CT_CREATED);
	kref_get(&conn->ref);
	mutex_lock(&conn->mutex);
	ct_conn_own(conn, cep);
	return conn;
}

int ct_cmd_try(struct ct_options *opts)
{
	const char *name = ct_option(opts, "call", "");
	int expect = -(int)ct_option_u64(opts, "expect", 0);
	struct ib_cep_info before = {}, after = {};
	struct ct_set *set = ct_set(opts);
	struct ct_conn *conn;
	struct ct_try *try;
	int which, ret, got;

	for (which = 0; which < ARRAY_SIZE(ct_tries); which++)
		if (!strcmp(ct_tries[which].name, name))
			break;
	if (!set || which == ARRAY_SIZE(ct_tries))
		return -EINVAL;
	try = kzalloc(sizeof(*try), GFP_KERNEL);
	if (!try)
		return -ENOMEM;
	ret = ct_try_prepare(opts, try, which);
	if (ret)
		goto out_free;
	conn = ct_try_conn(opts, set);
	ret = -ENOENT;
	if (!conn)
		goto out_request;

	try->conn = conn;
	try->cep = conn->cep;
	ib_cep_query(try->cep, &before);
	got = ct_tries[which].call(try);
	ib_cep_query(try->cep, &after);
	mutex_unlock(&conn->mutex);
	ret = 0;
	if (got != expect) {
		pr_info("cep_test: try %s in %d: %d, not %d\n", name, before.state, got, expect);
		ret = CT_WRONG_RESULT;
	} else if (got && memcmp(&before, &after, sizeof(before))) {
		pr_info("cep_test: try %s in %d failed and changed it\n", name, before.state);
		ret = CT_CHANGED;
	}
	if (ct_option_u64(opts, "fresh", 0))
		ct_conn_destroy(conn);
	ct_conn_put(conn);
out_request:
	if (try->request) {
		ct_request_done(try->request);
		kfree(try->request);
	}
out_free:
	kfree(try);
	return ret;
}
