// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The passive side: "listen set=N sid=N ..." and what becomes of requests, by the
 * plan of the listener. One listener for each set; its CEPs go to the same set.
 * REQ callbacks run concurrently; that none runs for a listener that has been
 * destroyed or cancelled is checked here.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "cep_test.h"

int ct_send_rep(struct ct_conn *conn, struct ib_cep *cep, bool format_only)
{
	u8 data[IB_CEP_REP_PRIVATE_DATA_SIZE];
	struct ib_cep_rep_param rep = {
		.starting_psn = get_random_u32() & 0xffffff,
		.private_data = data,
		.responder_resources = conn->responder_resources,
		.initiator_depth = conn->initiator_depth,
		.rnr_retry_count = 7,
	};

	if (!conn->qpn)
		conn->qpn = ct_new_qpn();
	rep.qp_num = conn->qpn;
	rep.private_data_len = ct_conn_data(conn, IB_CEP_REP_RECEIVED, data, sizeof(data));
	return format_only ? ib_cep_format_rep(cep, &rep) : ib_cep_send_rep(cep, &rep);
}

static int ct_reject(struct ct_conn *conn, struct ib_cep *cep)
{
	u8 data[IB_CEP_REJ_PRIVATE_DATA_SIZE];
	u32 len = ct_conn_data(conn, IB_CEP_REJ_RECEIVED, data, sizeof(data));

	return ib_cep_send_rej(cep, conn->plan.reason, NULL, 0, data, len);
}

static int ct_mra(struct ct_conn *conn, struct ib_cep *cep)
{
	u8 data[IB_CEP_MRA_PRIVATE_DATA_SIZE];
	u32 len = ct_conn_data(conn, IB_CEP_MRA_RECEIVED, data, sizeof(data));

	return ib_cep_send_mra(cep, conn->plan.mra_exp, conn->plan.mra_delayed, data, len);
}

/* What the plan says. Non-zero is for the callback to return. */
int ct_on_req(struct ct_conn *conn, struct ib_cep *cep, const struct ib_cep_event *event)
{
	const struct ib_cep_req_event *req = &event->req;

	conn->passive = true;
	conn->responder_resources = req->responder_resources;
	conn->initiator_depth = req->initiator_depth;
	if (conn->plan.tcp)
		ct_check_data(conn, event);
	if (!req->device || !req->port || !req->primary_path || !req->remote_ca_guid ||
	    !event->private_data || event->private_data_len != IB_CEP_REQ_PRIVATE_DATA_SIZE)
		ct_count(conn->set, CT_NOT_DELIVERED);

	switch (conn->plan.on_req) {
	case CT_ACCEPT:
		ct_failed(conn->set, ct_send_rep(conn, cep, false));
		return 0;
	case CT_REJECT:
		ct_failed(conn->set, ct_reject(conn, cep));
		return conn->plan.at_end == CT_KEEP ? 0 : -ECANCELED;
	case CT_MRA:
		ct_failed(conn->set, ct_mra(conn, cep));
		return 0;
	case CT_REFUSE:
		return -ECONNREFUSED;
	case CT_DROP:
		return -ENOMEM;
	case CT_HOLD:
		return 0;
	}
	return 0;
}

/* A new CEP with the listener's handler and context. */
static int ct_on_push(struct ct_conn *listener, struct ib_cep *cep,
		      const struct ib_cep_event *event)
{
	enum ct_on_req on_req = listener->plan.on_req;
	struct ct_conn *conn;
	int ret;

	if (event->req.listener != listener->cep)
		ct_count(listener->set, CT_NOT_DELIVERED);
	/* Refused while it is still the listener's, whose release must not be called for it. */
	if (on_req == CT_DROP)
		return -ENOMEM;
	if (on_req == CT_REFUSE)
		return -ECONNREFUSED;

	conn = ct_conn_alloc(listener->set, &listener->plan);
	if (!conn)
		return -ENOMEM;
	ret = ib_cep_configure(cep, ct_conn_handler, conn, ct_conn_release);
	if (ret) {
		ct_conn_put(conn);
		return ct_failed(listener->set, ret);
	}
	ct_count(listener->set, CT_CREATED);
	ret = ct_on_req(conn, cep, event);
	/* Last: from here on another may destroy it, and then we must return 0. */
	if (!ret)
		ct_conn_own(conn, cep);
	return ret;
}

/* One waiting request; -EAGAIN: none. */
static int ct_pull_one(struct ct_conn *listener)
{
	struct ct_conn *conn;
	struct ib_cep *cep;

	conn = ct_conn_alloc(listener->set, &listener->plan);
	if (!conn)
		return -ENOMEM;
	/* Its handler may run before it is on the list, and then waits for the mutex. */
	kref_get(&conn->ref);
	mutex_lock(&conn->mutex);
	cep = ib_cep_get_request(listener->cep, ct_conn_handler, conn, ct_conn_release);
	if (IS_ERR(cep)) {
		ct_conn_put(conn);
	} else {
		ct_count(listener->set, CT_CREATED);
		ct_conn_own(conn, cep);
	}
	mutex_unlock(&conn->mutex);
	ct_conn_put(conn);
	return PTR_ERR_OR_ZERO(cep);
}

static int ct_listen_handler(struct ib_cep *cep, const struct ib_cep_event *event, void *context)
{
	struct ct_conn *listener = context;
	struct ct_set *set = listener->set;
	int ret = 0;

	atomic_inc(&listener->running);
	ct_conn_enter(listener, event);
	if (event->type == IB_CEP_REQ_RECEIVED)
		ret = ct_on_push(listener, cep, event);
	else if (event->type == IB_CEP_REQ_WAITING && listener->plan.on_req != CT_HOLD)
		while (!ct_pull_one(listener))
			;
	ct_count_event(set, event);
	ct_conn_leave(listener, event);
	atomic_dec(&listener->running);
	return ret;
}

/* After destroy or cancel no callback of the listener may run, nor come later. */
static void ct_check_quiet(struct ct_conn *listener)
{
	if (atomic_read(&listener->running))
		ct_count(listener->set, CT_OVERLAP);
}

/* "compare=OFFSET:HEX" */
static int ct_compare_parse(const char *text, struct ib_cep_compare *compare)
{
	unsigned int offset;
	int at;

	if (sscanf(text, "%u:%n", &offset, &at) != 1)
		return -EINVAL;
	compare->offset = offset;
	compare->length = strlen(text + at) / 2;
	if (compare->length > sizeof(compare->data))
		return -EINVAL;
	return hex2bin(compare->data, text + at, compare->length);
}

int ct_cmd_listen(struct ct_options *opts)
{
	const char *device_name = ct_option(opts, "device", NULL);
	const char *compare_text = ct_option(opts, "compare", NULL);
	u64 tcp = ct_option_u64(opts, "tcp", 0);
	u64 sid = ct_option_u64(opts, "sid", CT_SERVICE_ID);
	struct ib_cep_listen_param param = {
		.service_id = cpu_to_be64(tcp ? CT_TCP_SERVICE_ID | tcp : sid),
		.service_mask = cpu_to_be64(ct_option_u64(opts, "mask", 0)),
		.port = ct_option_u64(opts, "port", 0),
		.backlog = ct_option_u64(opts, "backlog", 0),
		.concurrency = ct_option_u64(opts, "concurrency", 0),
		.pull = ct_option_u64(opts, "pull", 0),
	};
	struct ct_set *set = ct_set(opts);
	struct ib_device *device = NULL;
	struct ib_cep_compare compare = {};
	struct ct_conn *listener;
	struct ct_plan plan;
	struct ib_cep *cep;
	unsigned long flags;
	int ret;

	if (!set || ct_plan_parse(opts, &plan))
		return -EINVAL;
	if (compare_text) {
		if (ct_compare_parse(compare_text, &compare))
			return -EINVAL;
		param.compare = &compare;
	}
	if (device_name) {
		device = ib_device_get_by_name(device_name, RDMA_DRIVER_UNKNOWN);
		if (!device)
			return -ENODEV;
	}

	ret = -ENOMEM;
	listener = ct_conn_alloc(set, &plan);
	if (!listener)
		goto out_device;
	cep = ib_cep_create(device, ct_listen_handler, listener, ct_conn_release);
	if (IS_ERR(cep)) {
		ret = PTR_ERR(cep);
		ct_conn_put(listener);
		goto out_device;
	}
	ct_count(set, CT_CREATED);
	listener->cep = cep;
	/* The set's reference. */
	kref_get(&listener->ref);
	spin_lock_irqsave(&set->lock, flags);
	ret = set->listener ? -EEXIST : 0;
	if (!ret)
		set->listener = listener;
	spin_unlock_irqrestore(&set->lock, flags);
	if (!ret)
		ret = ib_cep_listen(cep, &param);
	if (ret) {
		spin_lock_irqsave(&set->lock, flags);
		if (set->listener == listener)
			set->listener = NULL;
		spin_unlock_irqrestore(&set->lock, flags);
		ib_cep_destroy(cep);
		ct_conn_put(listener);
	}
out_device:
	if (device)
		ib_device_put(device);
	return ret;
}

static struct ct_conn *ct_listener_get(struct ct_set *set, bool take)
{
	struct ct_conn *listener;
	unsigned long flags;

	spin_lock_irqsave(&set->lock, flags);
	listener = set->listener;
	if (listener && take)
		set->listener = NULL;
	else if (listener)
		kref_get(&listener->ref);
	spin_unlock_irqrestore(&set->lock, flags);
	return listener;
}

int ct_cmd_unlisten(struct ct_options *opts)
{
	struct ct_set *set = ct_set(opts);
	struct ct_conn *listener;

	if (!set)
		return -EINVAL;
	listener = ct_listener_get(set, true);
	if (!listener)
		return -ENOENT;
	ib_cep_destroy(listener->cep);
	ct_check_quiet(listener);
	ct_conn_put(listener);
	return 0;
}

/* The tests do not destroy a listener while they cancel or pull it. */
int ct_cmd_cancel(struct ct_options *opts)
{
	struct ct_set *set = ct_set(opts);
	struct ct_conn *listener;
	int ret;

	if (!set)
		return -EINVAL;
	listener = ct_listener_get(set, false);
	if (!listener)
		return -ENOENT;
	ret = ib_cep_cancel_listen(listener->cep);
	if (!ret)
		ct_check_quiet(listener);
	ct_conn_put(listener);
	return ret;
}

/* Takes those waiting of a pull listener that holds them, up to count=. */
int ct_cmd_pull(struct ct_options *opts)
{
	u64 count = ct_option_u64(opts, "count", 1);
	struct ct_set *set = ct_set(opts);
	struct ct_conn *listener;
	struct ct_plan plan;
	int ret = 0;

	if (!set || ct_plan_parse(opts, &plan))
		return -EINVAL;
	listener = ct_listener_get(set, false);
	if (!listener)
		return -ENOENT;
	/* The plan of those pulled; the listener goes on holding the rest. */
	mutex_lock(&listener->mutex);
	swap(listener->plan, plan);
	while (count-- && !ret)
		ret = ct_pull_one(listener);
	swap(listener->plan, plan);
	mutex_unlock(&listener->mutex);
	ct_conn_put(listener);
	return ret;
}
