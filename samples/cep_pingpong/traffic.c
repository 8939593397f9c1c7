// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Messages over a connection, strictly in turns: the client sends one, the
 * server answers with one of its own, each checks what it gets. Completions run
 * on the RDMA core's workqueue, one at a time for each connection; the turn is
 * under the connection's lock because the first message is sent by the handler.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "pingpong.h"

static enum dma_data_direction pp_direction(enum pp_buffer which)
{
	return which == PP_SEND ? DMA_TO_DEVICE : DMA_FROM_DEVICE;
}

/* Byte @at of message @number: other for each side and each connection. */
static u8 pp_pattern(const struct pp_conn *conn, bool from_server, u32 number, u32 at)
{
	return conn->salt + number * 7 + at * 13 + (from_server ? 101 : 0);
}

static void pp_fill(struct pp_conn *conn)
{
	u8 *data = conn->buffer[PP_SEND];
	u32 at;

	ib_dma_sync_single_for_cpu(conn->pp->device, conn->dma[PP_SEND], conn->size,
				   DMA_TO_DEVICE);
	for (at = 0; at < conn->size; at++)
		data[at] = pp_pattern(conn, conn->passive, conn->sent, at);
	ib_dma_sync_single_for_device(conn->pp->device, conn->dma[PP_SEND], conn->size,
				      DMA_TO_DEVICE);
}

static bool pp_check(struct pp_conn *conn)
{
	const u8 *data = conn->buffer[PP_RECV];
	u32 at;

	for (at = 0; at < conn->size; at++)
		if (data[at] != pp_pattern(conn, !conn->passive, conn->received, at))
			return false;
	return true;
}

static int pp_post_send(struct pp_conn *conn)
{
	struct ib_sge sge = {
		.addr = conn->dma[PP_SEND],
		.length = conn->size,
		.lkey = conn->pp->pd->local_dma_lkey,
	};
	struct ib_send_wr wr = {
		.wr_cqe = &conn->cqe[PP_SEND],
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
	};

	return ib_post_send(conn->qp, &wr, NULL);
}

int pp_traffic_post_recv(struct pp_conn *conn)
{
	struct ib_sge sge = {
		.addr = conn->dma[PP_RECV],
		.length = conn->size,
		.lkey = conn->pp->pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = {
		.wr_cqe = &conn->cqe[PP_RECV],
		.sg_list = &sge,
		.num_sge = 1,
	};

	return ib_post_recv(conn->qp, &wr, NULL);
}

/*
 * Send the next message if it is our turn and the last one has left its buffer;
 * the client disconnects when it has the last answer.
 */
static void pp_traffic_go(struct pp_conn *conn)
{
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&conn->lock, flags);
	if (!conn->my_turn || conn->send_busy || !conn->cep)
		goto out;
	conn->my_turn = false;
	if (conn->sent < conn->messages) {
		pp_fill(conn);
		conn->send_busy = true;
		conn->sent++;
		ret = pp_post_send(conn);
	} else {
		/* -EINVAL: the peer was faster, or the connection has failed. */
		ib_cep_send_dreq(conn->cep, NULL, 0);
	}
out:
	spin_unlock_irqrestore(&conn->lock, flags);
	if (ret)
		pp_conn_end(conn, ret);
}

void pp_traffic_start(struct pp_conn *conn)
{
	unsigned long flags;

	spin_lock_irqsave(&conn->lock, flags);
	conn->my_turn = true;
	spin_unlock_irqrestore(&conn->lock, flags);
	pp_traffic_go(conn);
}

/* Flushed work requests are the normal end of a disconnected QP. */
static bool pp_completed(struct pp_conn *conn, const struct ib_wc *wc)
{
	if (wc->status == IB_WC_SUCCESS)
		return true;
	if (wc->status != IB_WC_WR_FLUSH_ERR) {
		pr_err("QP 0x%x: %s\n", conn->qp->qp_num, ib_wc_status_msg(wc->status));
		pp_conn_end(conn, -EIO);
	}
	return false;
}

static void pp_send_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct pp_conn *conn = container_of(wc->wr_cqe, struct pp_conn, cqe[PP_SEND]);
	unsigned long flags;

	if (!pp_completed(conn, wc))
		return;
	spin_lock_irqsave(&conn->lock, flags);
	conn->send_busy = false;
	spin_unlock_irqrestore(&conn->lock, flags);
	pp_traffic_go(conn);
}

static void pp_recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct pp_conn *conn = container_of(wc->wr_cqe, struct pp_conn, cqe[PP_RECV]);
	unsigned long flags;
	int ret;

	if (!pp_completed(conn, wc))
		return;

	ib_dma_sync_single_for_cpu(conn->pp->device, conn->dma[PP_RECV], conn->size,
				   DMA_FROM_DEVICE);
	if (wc->byte_len != conn->size || conn->received >= conn->messages || !pp_check(conn)) {
		pr_err("QP 0x%x: message %u is not what was sent\n", conn->qp->qp_num,
		       conn->received);
		pp_conn_end(conn, -EBADMSG);
		return;
	}
	ib_dma_sync_single_for_device(conn->pp->device, conn->dma[PP_RECV], conn->size,
				      DMA_FROM_DEVICE);

	/* Before our answer, which lets the peer send again. */
	ret = pp_traffic_post_recv(conn);
	if (ret) {
		pp_conn_end(conn, ret);
		return;
	}

	spin_lock_irqsave(&conn->lock, flags);
	conn->received++;
	/* The server has the last word, and it waits for the DREQ after that. */
	conn->my_turn = !conn->passive || conn->sent < conn->messages;
	spin_unlock_irqrestore(&conn->lock, flags);
	pp_traffic_go(conn);
}

int pp_traffic_alloc(struct pp_conn *conn)
{
	struct ib_device *device = conn->pp->device;
	enum pp_buffer which;

	conn->cqe[PP_SEND].done = pp_send_done;
	conn->cqe[PP_RECV].done = pp_recv_done;
	for (which = 0; which < PP_BUFFERS; which++) {
		void *buffer = kzalloc(conn->size, GFP_KERNEL);
		u64 dma;

		if (!buffer)
			goto err;
		dma = ib_dma_map_single(device, buffer, conn->size, pp_direction(which));
		if (ib_dma_mapping_error(device, dma)) {
			kfree(buffer);
			goto err;
		}
		conn->buffer[which] = buffer;
		conn->dma[which] = dma;
	}
	return 0;

err:
	pp_traffic_free(conn);
	return -ENOMEM;
}

void pp_traffic_free(struct pp_conn *conn)
{
	enum pp_buffer which;

	for (which = 0; which < PP_BUFFERS; which++) {
		if (!conn->buffer[which])
			continue;
		ib_dma_unmap_single(conn->pp->device, conn->dma[which], conn->size,
				    pp_direction(which));
		kfree(conn->buffer[which]);
		conn->buffer[which] = NULL;
	}
}
