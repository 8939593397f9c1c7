// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * One connection: its CEP, its QP, what it does at each event, and its end.
 *
 * Events come one at a time for each CEP, in process context. Whoever sees that
 * the connection is over, an event, a completion or the module's exit, calls
 * pp_conn_end(); the first call queues the one piece of work that destroys the
 * CEP, drains and destroys the QP, in this order: after ib_cep_destroy() no
 * event can touch the QP any more.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "pingpong.h"

static void pp_conn_free(struct kref *ref)
{
	kfree(container_of(ref, struct pp_conn, ref));
}

static void pp_conn_put(struct pp_conn *conn)
{
	kref_put(&conn->ref, pp_conn_free);
}

/* The CEP's last word: no event can come, its reference goes. */
static void pp_conn_release(void *context)
{
	pp_conn_put(context);
}

/* ---- queue pair ---------------------------------------------------------- */

static int pp_modify_qp(struct pp_conn *conn, struct ib_cep *cep, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };
	int mask = 0;
	int ret;

	ret = ib_cep_get_qp_attr(cep, &attr, &mask);
	if (ret)
		return ret;
	ret = ib_modify_qp(conn->qp, &attr, mask);
	if (!ret)
		conn->qp_left_reset = true;
	return ret;
}

static int pp_ready_to_send(struct pp_conn *conn, struct ib_cep *cep)
{
	return pp_modify_qp(conn, cep, IB_QPS_RTR) ?: pp_modify_qp(conn, cep, IB_QPS_RTS);
}

/* What is still posted comes back flushed. */
static void pp_stop_qp(struct pp_conn *conn)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };

	ib_modify_qp(conn->qp, &attr, IB_QP_STATE);
}

/* May come from hard interrupt. A message before the RTU proves that the peer has the REP. */
static void pp_qp_event(struct ib_event *event, void *context)
{
	struct pp_conn *conn = context;
	unsigned long flags;

	if (event->event != IB_EVENT_COMM_EST)
		return;
	spin_lock_irqsave(&conn->lock, flags);
	if (conn->cep)
		ib_cep_established(conn->cep);
	spin_unlock_irqrestore(&conn->lock, flags);
}

static void pp_destroy_qp(struct pp_conn *conn)
{
	if (conn->qp) {
		/* A QP in RESET has nothing posted and cannot be moved to ERR. */
		if (conn->qp_left_reset)
			ib_drain_qp(conn->qp);
		/* It fails for want of memory only, and then there is no CEP left to bind it. */
		if (ib_cep_destroy_qp(conn->qp))
			ib_destroy_qp(conn->qp);
	}
	if (conn->cq)
		ib_free_cq(conn->cq);
	pp_traffic_free(conn);
}

/* What exists after a failure is for pp_destroy_qp(). */
static int pp_create_qp(struct pp_conn *conn)
{
	struct ib_qp_init_attr init = {
		.event_handler = pp_qp_event,
		.qp_context = conn,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = IB_QPT_RC,
		/* One message at a time each way, and one for ib_drain_qp(). */
		.cap = {
			.max_send_wr = 2,
			.max_recv_wr = 2,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};
	struct pp *pp = conn->pp;
	struct ib_qp *qp;
	struct ib_cq *cq;
	int ret;

	ret = pp_traffic_alloc(conn);
	if (ret)
		return ret;
	cq = ib_alloc_cq(pp->device, conn, init.cap.max_send_wr + init.cap.max_recv_wr, 0,
			 IB_POLL_WORKQUEUE);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	conn->cq = cq;
	init.send_cq = cq;
	init.recv_cq = cq;
	qp = ib_create_qp(pp->pd, &init);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	conn->qp = qp;
	return 0;
}

/* ---- the end ------------------------------------------------------------- */

static void pp_conn_end_work(struct work_struct *work)
{
	struct pp_conn *conn = container_of(work, struct pp_conn, end_work);
	struct ib_cep *cep;
	unsigned long flags;

	/* Not before the one who sets the connection up has let go of it. */
	mutex_lock(&conn->setup);
	mutex_unlock(&conn->setup);

	spin_lock_irqsave(&conn->lock, flags);
	cep = conn->cep;
	conn->cep = NULL;
	spin_unlock_irqrestore(&conn->lock, flags);

	if (cep)
		ib_cep_destroy(cep);
	pp_destroy_qp(conn);
	pp_remove(conn->pp, conn);
	pp_conn_put(conn);
}

/* Any context; only the first call counts. */
void pp_conn_end(struct pp_conn *conn, int error)
{
	if (test_and_set_bit(0, &conn->ending))
		return;
	conn->error = error;
	queue_work(conn->pp->workqueue, &conn->end_work);
}

/* ---- events -------------------------------------------------------------- */

static void pp_on_rep(struct pp_conn *conn, struct ib_cep *cep)
{
	int ret;

	ret = pp_ready_to_send(conn, cep) ?: ib_cep_send_rtu(cep, NULL, 0);
	/* Destroying the CEP tells the peer: REJ before the RTU, DREQ after it. */
	if (ret)
		pp_conn_end(conn, ret);
	else
		pp_traffic_start(conn);
}

static void pp_on_rej(struct pp_conn *conn, struct ib_cep *cep,
		      const struct ib_cep_rej_event *rej)
{
	struct ib_cep_info info;

	pr_info("refused: %s\n", ib_cep_reject_msg(rej->reason));
	ib_cep_query(cep, &info);
	/* The peer gave up a connection that was up here: that goes through timewait too. */
	if (info.state == IB_CEP_TIMEWAIT)
		pp_stop_qp(conn);
	else
		pp_conn_end(conn, -ECONNREFUSED);
}

/*
 * Always 0: the end work destroys the CEP, and only one may. (A ULP without such
 * work returns non-zero for that instead.)
 */
static int pp_conn_handler(struct ib_cep *cep, const struct ib_cep_event *event, void *context)
{
	struct pp_conn *conn = context;

	switch (event->type) {
	case IB_CEP_REP_RECEIVED:
		pp_on_rep(conn, cep);
		break;
	case IB_CEP_RTU_RECEIVED:
	case IB_CEP_USER_ESTABLISHED:
	case IB_CEP_MRA_RECEIVED:
		/* The server's QP was ready before its REP: nothing to be done. */
		break;
	case IB_CEP_DREQ_RECEIVED:
		ib_cep_send_drep(cep, NULL, 0);
		fallthrough;
	case IB_CEP_DREP_RECEIVED:
	case IB_CEP_DREQ_ERROR:
		/* Packets of ours may still be on their way: the QP waits for the exit. */
		pp_stop_qp(conn);
		break;
	case IB_CEP_TIMEWAIT_EXIT:
		pp_conn_end(conn, conn->received == conn->messages ? 0 : -ECONNRESET);
		break;
	case IB_CEP_REJ_RECEIVED:
		pp_on_rej(conn, cep, &event->rej);
		break;
	case IB_CEP_DEVICE_REMOVED:
		pp_conn_end(conn, -ENODEV);
		break;
	default:
		pr_info("%s\n", ib_cep_event_msg(event->type));
		pp_conn_end(conn, -ETIMEDOUT);
		break;
	}
	return 0;
}

/* ---- beginning ----------------------------------------------------------- */

/* With the setup mutex held. */
static struct pp_conn *pp_conn_alloc(struct pp *pp, const struct pp_hello *hello, bool passive)
{
	struct pp_conn *conn = kzalloc(sizeof(*conn), GFP_KERNEL);

	if (!conn)
		return NULL;
	kref_init(&conn->ref);
	INIT_LIST_HEAD(&conn->link);
	INIT_WORK(&conn->end_work, pp_conn_end_work);
	mutex_init(&conn->setup);
	spin_lock_init(&conn->lock);
	conn->pp = pp;
	conn->passive = passive;
	conn->hello = *hello;
	conn->salt = be32_to_cpu(hello->salt);
	conn->messages = be32_to_cpu(hello->messages);
	conn->size = be32_to_cpu(hello->size);
	/* Whoever ends the connection waits until it is complete, see pp_conn_setup_done(). */
	mutex_lock(&conn->setup);
	return conn;
}

static void pp_conn_setup_done(struct pp_conn *conn, int error)
{
	/* The end work may free it between the two steps of unlocking a mutex. */
	kref_get(&conn->ref);
	mutex_unlock(&conn->setup);
	if (error)
		pp_conn_end(conn, error);
	pp_conn_put(conn);
}

static void pp_set_cep(struct pp_conn *conn, struct ib_cep *cep)
{
	unsigned long flags;

	spin_lock_irqsave(&conn->lock, flags);
	conn->cep = cep;
	spin_unlock_irqrestore(&conn->lock, flags);
}

/* A QP that can receive, tied to the CEP. For both sides, before anything is sent. */
static int pp_prepare(struct pp_conn *conn, struct ib_cep *cep)
{
	return ib_cep_bind_qp(cep, conn->qp) ?: pp_modify_qp(conn, cep, IB_QPS_INIT) ?:
	       pp_traffic_post_recv(conn);
}

static int pp_request(struct pp_conn *conn, struct ib_cep_req_param *req)
{
	struct ib_cep *cep;

	kref_get(&conn->ref);
	cep = ib_cep_create(conn->pp->device, pp_conn_handler, conn, pp_conn_release);
	if (IS_ERR(cep)) {
		pp_conn_put(conn);
		return PTR_ERR(cep);
	}
	pp_set_cep(conn, cep);

	req->qp_num = conn->qp->qp_num;
	req->starting_psn = get_random_u32() & 0xffffff;
	req->private_data = &conn->hello;
	req->private_data_len = sizeof(conn->hello);
	/* Formatting settles the path, so that the QP can go to INIT before the REQ goes. */
	return ib_cep_format_req(cep, req) ?: pp_prepare(conn, cep) ?:
	       ib_cep_send_formatted_req(cep);
}

/**
 * pp_connect - the active side: QP, CEP, REQ
 *
 * After the return of 0 there is a connection, which ends by itself.
 */
int pp_connect(struct pp *pp, const struct ib_cep_req_param *template, u32 messages, u32 size)
{
	const struct pp_hello hello = {
		.magic = cpu_to_be32(PP_MAGIC),
		.salt = cpu_to_be32(get_random_u32()),
		.messages = cpu_to_be32(messages),
		.size = cpu_to_be32(size),
	};
	struct ib_cep_req_param req = *template;
	struct pp_conn *conn;
	int ret;

	conn = pp_conn_alloc(pp, &hello, false);
	if (!conn)
		return -ENOMEM;
	if (!pp_add(pp, conn)) {
		mutex_unlock(&conn->setup);
		pp_conn_put(conn);
		return -ESHUTDOWN;
	}

	ret = pp_create_qp(conn) ?: pp_request(conn, &req);
	pp_conn_setup_done(conn, ret);
	return 0;
}

static bool pp_hello_valid(const struct ib_cep_event *event, struct pp_hello *hello)
{
	if (event->private_data_len < sizeof(*hello))
		return false;
	memcpy(hello, event->private_data, sizeof(*hello));
	return hello->magic == cpu_to_be32(PP_MAGIC) && be32_to_cpu(hello->size) > 0 &&
	       be32_to_cpu(hello->size) <= PP_MAX_SIZE && event->req.qp_type == IB_QPT_RC;
}

static int pp_reply(struct pp_conn *conn, struct ib_cep *cep, const struct ib_cep_req_event *req)
{
	const struct ib_cep_rep_param rep = {
		.qp_num = conn->qp->qp_num,
		.starting_psn = get_random_u32() & 0xffffff,
		.responder_resources = req->responder_resources,
		.initiator_depth = req->initiator_depth,
		.flow_control = req->flow_control,
		.rnr_retry_count = req->rnr_retry_count,
	};

	/* The QP is ready before the REP goes: the client may send as soon as it has that. */
	return ib_cep_format_rep(cep, &rep) ?: pp_prepare(conn, cep) ?:
	       pp_ready_to_send(conn, cep) ?: ib_cep_send_formatted_rep(cep);
}

/**
 * pp_accept - the passive side, called for the listener's IB_CEP_REQ_RECEIVED
 *
 * Its result is that of the callback: non-zero refuses and destroys @cep.
 * -ENOMEM makes the client try again instead. Once @cep has been configured it
 * is the connection's, and what goes wrong then is for the end work.
 */
int pp_accept(struct pp *pp, struct ib_cep *cep, const struct ib_cep_event *event)
{
	struct pp_hello hello;
	struct pp_conn *conn;
	int ret;

	if (event->req.device != pp->device || !pp_hello_valid(event, &hello))
		return -EINVAL;
	conn = pp_conn_alloc(pp, &hello, true);
	if (!conn)
		return -ENOMEM;
	if (!pp_add(pp, conn)) {
		mutex_unlock(&conn->setup);
		pp_conn_put(conn);
		return -ESHUTDOWN;
	}

	ret = pp_create_qp(conn);
	if (ret)
		goto err_end;
	/* The new CEP comes with the listener's handler and context. */
	kref_get(&conn->ref);
	ret = ib_cep_configure(cep, pp_conn_handler, conn, pp_conn_release);
	if (ret)
		goto err_put;
	pp_set_cep(conn, cep);
	pp_conn_setup_done(conn, pp_reply(conn, cep, &event->req));
	return 0;

err_put:
	pp_conn_put(conn);
err_end:
	pp_conn_setup_done(conn, ret);
	return ret;
}
