// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * cep_pingpong: a small ULP on the CM-only interface. One host loads it as a
 * server, another as a client with the server's address; connections are made
 * with real QPs, exchange messages, and are taken down again, timewait included.
 *
 *	insmod cep_pingpong.ko server=1
 *	insmod cep_pingpong.ko address=10.0.0.1 connections=8 messages=100
 *	cat /sys/kernel/debug/cep_pingpong/result	(waits for the end)
 *
 * This file: the device (an ib_client, so that the RDMA core says when it comes
 * and goes), the listener, the client's loop, the verdict. The module can be
 * unloaded, and the device removed, at any time.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "path.h"
#include "pingpong.h"

static bool server;
module_param(server, bool, 0444);
MODULE_PARM_DESC(server, "wait for connections (default: be a client)");
static char *address;
module_param(address, charp, 0444);
MODULE_PARM_DESC(address, "client: the server's IP address (InfiniBand: its GID)");
static ushort dlid;
module_param(dlid, ushort, 0444);
MODULE_PARM_DESC(dlid, "client, InfiniBand: the server's LID");
static char *device;
module_param(device, charp, 0444);
MODULE_PARM_DESC(device, "name of the RDMA device (default: the first)");
static uint port = 1;
module_param(port, uint, 0444);
MODULE_PARM_DESC(port, "its port (default 1)");
static unsigned long long service_id = 0x1000000000000ceULL;
module_param(service_id, ullong, 0444);
MODULE_PARM_DESC(service_id, "service ID");
static uint connections = 1;
module_param(connections, uint, 0444);
MODULE_PARM_DESC(connections, "how many; the server's verdict comes after as many (default 1)");
static uint parallel = 16;
module_param(parallel, uint, 0444);
MODULE_PARM_DESC(parallel, "client: how many at once (default 16)");
static uint messages = 10;
module_param(messages, uint, 0444);
MODULE_PARM_DESC(messages, "client: messages each way on each connection (default 10)");
static uint size = 256;
module_param(size, uint, 0444);
MODULE_PARM_DESC(size, "client: bytes of a message, 1 to 65536 (default 256)");
static bool roce_v1;
module_param(roce_v1, bool, 0444);
MODULE_PARM_DESC(roce_v1, "client: RoCE version 1 (default: 2)");

/* Packet life time of the path: 4.096 us x 2^16 = 268 ms, as rdma_cm takes for RoCE. */
#define PP_LIFE_TIME_EXP	16
/* How long either side may take to answer: 1 s. */
#define PP_RESPONSE_TIME_EXP	18

static struct pp the_pp;
static struct dentry *pp_debugfs;

/* ---- what is going on ---------------------------------------------------- */

/* False: no new connections. */
bool pp_add(struct pp *pp, struct pp_conn *conn)
{
	bool ok;

	spin_lock(&pp->lock);
	ok = !pp->stopping;
	if (ok) {
		list_add_tail(&conn->link, &pp->conns);
		pp->active++;
	}
	spin_unlock(&pp->lock);
	return ok;
}

static void pp_count_failure(struct pp *pp, int error)
{
	lockdep_assert_held(&pp->lock);
	pp->failed++;
	if (!pp->first_error)
		pp->first_error = error;
}

/* A server has its verdict after so many ends; a client says when it has all. */
static bool pp_is_finished(const struct pp *pp)
{
	lockdep_assert_held(&pp->lock);
	return pp->finished || (server && pp->succeeded + pp->failed >= connections);
}

static void pp_print(struct pp *pp, char *text, size_t room)
{
	bool good;

	lockdep_assert_held(&pp->lock);
	good = !pp->failed && pp->succeeded >= connections;
	scnprintf(text, room, "%s: %s, %u connections, %u failed, %llu messages received, error %d",
		  good ? "PASS" : "FAIL", server ? "server" : "client", pp->succeeded, pp->failed,
		  pp->messages, pp->first_error);
}

/* The last touch of @pp by a connection. */
void pp_remove(struct pp *pp, struct pp_conn *conn)
{
	char text[128] = "";
	bool was_finished;

	spin_lock(&pp->lock);
	was_finished = pp_is_finished(pp);
	list_del_init(&conn->link);
	pp->messages += conn->received;
	if (conn->error)
		pp_count_failure(pp, conn->error);
	else
		pp->succeeded++;
	if (server && !was_finished && pp_is_finished(pp))
		pp_print(pp, text, sizeof(text));
	pp->active--;
	/* Under the lock: who waits for the last one may free things after it. */
	wake_up_all(&pp->wait);
	spin_unlock(&pp->lock);
	if (*text)
		pr_info("%s\n", text);
}

static unsigned int pp_active(struct pp *pp)
{
	unsigned int active;

	spin_lock(&pp->lock);
	active = pp->active;
	spin_unlock(&pp->lock);
	return active;
}

/* ---- client --------------------------------------------------------------- */

static int pp_client_run(struct pp *pp)
{
	const struct cep_path_dest dest = {
		.address = address,
		.dlid = dlid,
		.gid_type = roce_v1 ? IB_GID_TYPE_ROCE : IB_GID_TYPE_ROCE_UDP_ENCAP,
		.life_time_exp = PP_LIFE_TIME_EXP,
	};
	const struct ib_gid_attr *sgid_attr;
	struct ib_cep_req_param req = {};
	struct sa_path_rec path;
	unsigned int i;
	int ret;

	ret = cep_path_resolve(pp->device, port, &dest, &path, &sgid_attr);
	if (ret) {
		pr_err("no path to %s: %d\n", address, ret);
		return ret;
	}
	path.service_id = cpu_to_be64(service_id);
	req.primary_path = &path;
	req.sgid_attr = sgid_attr;
	req.service_id = cpu_to_be64(service_id);
	req.qp_type = IB_QPT_RC;
	req.remote_cm_response_timeout_exp = PP_RESPONSE_TIME_EXP;
	req.local_cm_response_timeout_exp = PP_RESPONSE_TIME_EXP;
	req.max_cm_retries = 7;
	req.flow_control = 1;
	req.retry_count = 7;
	req.rnr_retry_count = 7;

	for (i = 0; i < connections && !ret; i++) {
		wait_event(pp->wait, READ_ONCE(pp->stopping) || pp_active(pp) < parallel);
		ret = pp_connect(pp, &req, messages, size);
	}
	rdma_put_gid_attr(sgid_attr);
	wait_event(pp->wait, !pp_active(pp));
	return ret;
}

static void pp_client_work(struct work_struct *work)
{
	struct pp *pp = container_of(work, struct pp, client_work);
	char text[128];
	int ret;

	ret = pp_client_run(pp);
	spin_lock(&pp->lock);
	if (ret)
		pp_count_failure(pp, ret);
	pp->finished = true;
	pp_print(pp, text, sizeof(text));
	spin_unlock(&pp->lock);
	wake_up_all(&pp->wait);
	pr_info("%s\n", text);
}

/* ---- server --------------------------------------------------------------- */

/* Runs for several requests at once, each with its own new CEP. */
static int pp_listen_handler(struct ib_cep *cep, const struct ib_cep_event *event, void *context)
{
	if (event->type != IB_CEP_REQ_RECEIVED)
		return 0;
	return pp_accept(context, cep, event);
}

static int pp_listen(struct pp *pp)
{
	struct ib_cep_listen_param param = {
		.service_id = cpu_to_be64(service_id),
		.port = port,
		.backlog = 1024,
	};
	struct ib_cep *listener;
	int ret;

	listener = ib_cep_create(pp->device, pp_listen_handler, pp, NULL);
	if (IS_ERR(listener))
		return PTR_ERR(listener);
	ret = ib_cep_listen(listener, &param);
	if (ret) {
		ib_cep_destroy(listener);
		return ret;
	}
	pp->listener = listener;
	pr_info("listening on %s port %u for service 0x%llx\n", pp->device->name, port,
		service_id);
	return 0;
}

/* ---- device --------------------------------------------------------------- */

/* Devices may come at the same time. */
static bool pp_claim_device(struct pp *pp, struct ib_device *ibdev)
{
	bool claimed;

	spin_lock(&pp->lock);
	claimed = !pp->device && (!device || !strcmp(ibdev->name, device));
	if (claimed) {
		pp->device = ibdev;
		pp->stopping = false;
	}
	spin_unlock(&pp->lock);
	return claimed;
}

static int pp_add_device(struct ib_device *ibdev)
{
	struct pp *pp = &the_pp;
	int ret;

	if (!rdma_is_port_valid(ibdev, port) || !pp_claim_device(pp, ibdev))
		return -EOPNOTSUPP;	/* not ours, says this to the RDMA core */
	pp->workqueue = alloc_workqueue("cep_pingpong", WQ_UNBOUND, 0);
	if (!pp->workqueue) {
		ret = -ENOMEM;
		goto err_device;
	}
	pp->pd = ib_alloc_pd(ibdev, 0);
	if (IS_ERR(pp->pd)) {
		ret = PTR_ERR(pp->pd);
		goto err_workqueue;
	}
	if (server) {
		ret = pp_listen(pp);
		if (ret)
			goto err_pd;
	} else {
		queue_work(pp->workqueue, &pp->client_work);
	}
	return 0;

err_pd:
	ib_dealloc_pd(pp->pd);
err_workqueue:
	destroy_workqueue(pp->workqueue);
err_device:
	pr_err("%s cannot be used: %d\n", ibdev->name, ret);
	pp->device = NULL;
	return ret;
}

/* Nothing of ours uses the device when this returns. */
static void pp_remove_device(struct ib_device *ibdev, void *client_data)
{
	struct pp *pp = &the_pp;
	struct pp_conn *conn;

	if (pp->device != ibdev)
		return;
	/* No new connections, from either side. */
	spin_lock(&pp->lock);
	pp->stopping = true;
	spin_unlock(&pp->lock);
	if (pp->listener)
		ib_cep_destroy(pp->listener);
	pp->listener = NULL;

	/* Those that exist end now; they leave the list later, in their end work. */
	spin_lock(&pp->lock);
	list_for_each_entry(conn, &pp->conns, link)
		pp_conn_end(conn, -ESHUTDOWN);
	spin_unlock(&pp->lock);
	wake_up_all(&pp->wait);
	wait_event(pp->wait, !pp_active(pp));
	destroy_workqueue(pp->workqueue);

	ib_dealloc_pd(pp->pd);
	pp->device = NULL;
}

static struct ib_client pp_client = {
	.name = "cep_pingpong",
	.add = pp_add_device,
	.remove = pp_remove_device,
};

/* ---- verdict -------------------------------------------------------------- */

static bool pp_verdict(struct pp *pp, char *text, size_t room)
{
	bool finished;

	spin_lock(&pp->lock);
	finished = pp_is_finished(pp);
	pp_print(pp, text, room);
	spin_unlock(&pp->lock);
	return finished;
}

/* Waits for the end. */
static ssize_t pp_result_read(struct file *file, char __user *to, size_t count, loff_t *at)
{
	struct pp *pp = file->private_data;
	char text[128];
	int ret;

	ret = wait_event_interruptible(pp->wait, pp_verdict(pp, text, sizeof(text) - 1));
	if (ret)
		return ret;
	strlcat(text, "\n", sizeof(text));
	return simple_read_from_buffer(to, count, at, text, strlen(text));
}

static const struct file_operations pp_result_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = pp_result_read,
};

static int __init pp_init(void)
{
	struct pp *pp = &the_pp;
	int ret;

	if (!server && !address) {
		pr_err("give server=1, or address= of a server\n");
		return -EINVAL;
	}
	if (!size || size > PP_MAX_SIZE || !parallel) {
		pr_err("size is 1 to %d, parallel at least 1\n", PP_MAX_SIZE);
		return -EINVAL;
	}
	spin_lock_init(&pp->lock);
	INIT_LIST_HEAD(&pp->conns);
	INIT_WORK(&pp->client_work, pp_client_work);
	init_waitqueue_head(&pp->wait);

	pp_debugfs = debugfs_create_dir("cep_pingpong", NULL);
	debugfs_create_file("result", 0400, pp_debugfs, pp, &pp_result_fops);
	ret = ib_register_client(&pp_client);
	if (ret) {
		debugfs_remove_recursive(pp_debugfs);
		return ret;
	}
	if (!pp->device)
		pr_info("waiting for device %s\n", device ?: "");
	return 0;
}

static void __exit pp_exit(void)
{
	debugfs_remove_recursive(pp_debugfs);
	ib_unregister_client(&pp_client);
	/* Callbacks and releases of destroyed CEPs still run through our text. */
	ib_cep_flush();
}

module_init(pp_init);
module_exit(pp_exit);
MODULE_DESCRIPTION("sample ULP on the CM-only interface");
MODULE_LICENSE("Dual BSD/GPL");
