// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The active side: "connect set=N count=N address=A ..." makes CEPs and sends (or
 * only formats) their REQs, no more than outstanding= of them unanswered at a
 * time. It speaks to a service ID, or, with tcp=PORT, to a server that listens
 * through rdma_cm there. Runs in the context of the one who writes the command.
 */
#include <linux/random.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "../../../../samples/cep_pingpong/path.h"
#include "cep_test.h"

/* What rdma_cm puts before its user's private data (IBA annex A11). */
struct ct_ip_header {
	u8	version;
	u8	ip_version;	/* upper four bits */
	__be16	port;
	u8	source[16];
	u8	destination[16];
};

/* Where an IPv4-mapped GID has the IP address, the header has it too. */
static void ct_ip_header_fill(struct ct_ip_header *header, const struct sa_path_rec *path)
{
	memset(header, 0, sizeof(*header));
	header->ip_version = 4 << 4;
	memcpy(header->source + 12, path->sgid.raw + 12, 4);
	memcpy(header->destination + 12, path->dgid.raw + 12, 4);
}

static void ct_request_data(struct ct_request *request, const struct ct_plan *plan)
{
	if (plan->tcp)
		ct_ip_header_fill((struct ct_ip_header *)request->data, &request->path);
	else
		ct_fill(request->data, min_t(u32, plan->data, sizeof(request->data)),
			IB_CEP_REQ_RECEIVED);
	request->param.private_data = request->data;
	request->param.private_data_len =
		plan->tcp ? IB_CEP_REQ_PRIVATE_DATA_SIZE : min_t(u32, plan->data, 255);
}

int ct_request_init(struct ct_options *opts, const struct ct_plan *plan,
		    struct ct_request *request)
{
	const struct cep_path_dest dest = {
		.address = ct_option(opts, "address", ""),
		.gid_type = IB_GID_TYPE_ROCE_UDP_ENCAP,
		.life_time_exp = ct_option_u64(opts, "life_exp", 10),
	};
	struct ib_cep_req_param *param = &request->param;
	u64 tcp = ct_option_u64(opts, "tcp", 0);
	u64 sid = ct_option_u64(opts, "sid", CT_SERVICE_ID);
	int ret;

	memset(request, 0, sizeof(*request));
	param->service_id = cpu_to_be64(tcp ? CT_TCP_SERVICE_ID | tcp : sid);
	param->qp_type = IB_QPT_RC;
	param->timeout_ms = ct_option_u64(opts, "timeout_ms", 0);
	param->max_cm_retries = ct_option_u64(opts, "retries", 15);
	param->remote_cm_response_timeout_exp = ct_option_u64(opts, "remote_exp", 18);
	param->local_cm_response_timeout_exp = ct_option_u64(opts, "local_exp", 18);
	param->responder_resources = ct_option_u64(opts, "responder_resources", 1);
	param->initiator_depth = ct_option_u64(opts, "initiator_depth", 1);
	param->qp_num = ct_option_u64(opts, "qpn", 0);
	param->flow_control = 1;
	param->retry_count = 7;
	param->rnr_retry_count = 7;
	if (ct_options_bad(opts))
		return -EINVAL;

	request->device = ib_device_get_by_name(ct_option(opts, "device", "rxe0"),
						RDMA_DRIVER_UNKNOWN);
	if (!request->device)
		return -ENODEV;
	ret = cep_path_resolve(request->device, 1, &dest, &request->path, &request->sgid_attr);
	if (ret) {
		ib_device_put(request->device);
		return ret;
	}
	request->path.service_id = param->service_id;
	param->primary_path = &request->path;
	param->sgid_attr = request->sgid_attr;
	ct_request_data(request, plan);
	return 0;
}

void ct_request_done(struct ct_request *request)
{
	rdma_put_gid_attr(request->sgid_attr);
	ib_device_put(request->device);
}

/* With the CEP's mutex held. */
static int ct_start(struct ct_conn *conn, const struct ct_request *request, bool format_only)
{
	struct ib_cep_req_param param = request->param;
	u8 data[IB_CEP_REQ_PRIVATE_DATA_SIZE];
	int ret;

	lockdep_assert_held(&conn->mutex);
	param.qp_num = param.qp_num ?: ct_new_qpn();
	param.starting_psn = get_random_u32() & 0xffffff;
	conn->qpn = param.qp_num;
	if (conn->plan.tcp) {
		memcpy(data, request->data, CT_IP_HEADER_SIZE);
		ct_conn_data(conn, IB_CEP_REQ_RECEIVED, data + CT_IP_HEADER_SIZE,
			     sizeof(data) - CT_IP_HEADER_SIZE);
		param.private_data = data;
	}
	if (format_only) {
		ret = ib_cep_format_req(conn->cep, &param);
	} else {
		atomic_set(&conn->connecting, 1);
		ct_count(conn->set, CT_CONNECTING);
		ret = ib_cep_send_req(conn->cep, &param);
		if (ret)
			ct_conn_answered(conn);
	}
	if (!ret)
		ct_count(conn->set, CT_STARTED);
	return ct_failed(conn->set, ret);
}

static int ct_connect_new(struct ct_set *set, const struct ct_plan *plan,
			  const struct ct_request *request, bool format_only)
{
	struct ct_conn *conn;
	struct ib_cep *cep;
	int ret;

	conn = ct_conn_alloc(set, plan);
	if (!conn)
		return ct_failed(set, -ENOMEM);
	cep = ib_cep_create(request->device, ct_conn_handler, conn, ct_conn_release);
	if (IS_ERR(cep)) {
		ct_conn_put(conn);
		return ct_failed(set, PTR_ERR(cep));
	}
	ct_count(set, CT_CREATED);
	conn->index = atomic_read(&set->counter[CT_CREATED]);

	/* Whoever destroys it waits until the REQ is out; so nobody frees it before. */
	kref_get(&conn->ref);
	mutex_lock(&conn->mutex);
	ct_conn_own(conn, cep);
	ret = ct_start(conn, request, format_only);
	mutex_unlock(&conn->mutex);
	if (ret)
		ct_conn_destroy(conn);
	ct_conn_put(conn);
	return ret;
}

/* CEPs of the set that are idle again ask once more. */
static int ct_connect_again(struct ct_set *set, unsigned int count,
			    const struct ct_request *request)
{
	struct ct_conn **conns;
	unsigned int got, i;
	int ret = 0;

	got = ct_conns_get(set, IB_CEP_IDLE, count, &conns);
	for (i = 0; i < got; i++) {
		mutex_lock(&conns[i]->mutex);
		if (!list_empty(&conns[i]->link))
			ret = ct_start(conns[i], request, false) ?: ret;
		mutex_unlock(&conns[i]->mutex);
	}
	ct_conns_put(conns, got);
	return ret ?: (got == count ? 0 : -ENOENT);
}

static bool ct_may_start(struct ct_set *set, u64 outstanding)
{
	return atomic_read(&set->counter[CT_CONNECTING]) < outstanding;
}

int ct_cmd_connect(struct ct_options *opts)
{
	u64 outstanding = ct_option_u64(opts, "outstanding", U32_MAX);
	bool format_only = ct_option_u64(opts, "format_only", 0);
	u64 count = ct_option_u64(opts, "count", 1);
	bool again = ct_option_u64(opts, "again", 0);
	struct ct_set *set = ct_set(opts);
	struct ct_request *request;
	struct ct_plan plan;
	int error = 0;
	int ret;

	if (!set || !outstanding || ct_plan_parse(opts, &plan))
		return -EINVAL;
	request = kmalloc(sizeof(*request), GFP_KERNEL);
	if (!request)
		return -ENOMEM;
	ret = ct_request_init(opts, &plan, request);
	if (ret)
		goto out;

	if (again) {
		error = ct_connect_again(set, count, request);
		count = 0;
	}
	while (count-- && !ret) {
		ret = ct_set_wait_until(set, ct_may_start, outstanding);
		if (!ret)
			error = ct_connect_new(set, &plan, request, format_only) ?: error;
	}
	ct_request_done(request);
out:
	kfree(request);
	return ret ?: error;
}
