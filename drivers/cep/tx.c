// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * MAD buffers: made, posted, given back. All MADs are posted with timeout 0 and no
 * retries of the MAD layer, so that the buffer comes back as soon as the adapter has
 * sent it; retransmission is the engine's, with the same buffer and the same bytes.
 *
 * Concurrency: cep_tx.where says whose a buffer is. A request's is changed under its
 * CEP's lock; the completion handler runs in process context without locks.
 */
#include <linux/slab.h>
#include <rdma/ib_mad.h>
#include "shell.h"

/* The caller holds a users reference of the port. Any context, by gfp. NULL: no memory. */
struct cep_tx *cep_tx_alloc(struct cep_port *port, struct cep_av *av, gfp_t gfp)
{
	struct cep_tx *tx = kzalloc(sizeof(*tx), gfp);
	struct ib_mad_send_buf *buf;

	if (!tx)
		return NULL;
	buf = ib_create_send_mad(port->agent, 1, av->pkey_index, 0, IB_MGMT_MAD_HDR,
				 IB_MGMT_MAD_DATA, gfp, IB_MGMT_BASE_VERSION);
	if (IS_ERR(buf)) {
		kfree(tx);
		return NULL;
	}
	buf->ah = av->ah;
	buf->context[0] = tx;
	tx->buf = buf;
	tx->port = port;
	tx->av = cep_av_get(av);
	INIT_LIST_HEAD(&tx->link);
	return tx;
}

void cep_tx_free(struct cep_tx *tx)
{
	ib_free_send_mad(tx->buf);
	cep_av_put(tx->av);
	kfree(tx);
}

static int cep_tx_post(struct cep_tx *tx)
{
	int ret;

	tx->where = CEP_TX_IN_FLIGHT;
	tx->buf->timeout_ms = 0;
	tx->buf->retries = 0;
	ret = ib_post_send_mad(tx->buf, NULL);
	if (ret) {
		tx->where = CEP_TX_IDLE;
		return ret;
	}
	return 0;
}

/*
 * Posts a request, or queues it for a place in the window (placed: it has one). On success
 * the buffer holds a reference on its CEP until it is idle again.
 */
int cep_tx_post_request(struct cep_tx *tx, bool placed)
{
	struct ib_cep *cep = tx->cep;
	const struct ib_mad_hdr *hdr = tx->buf->mad;
	u16 attr = be16_to_cpu(hdr->attr_id);
	int ret;

	lockdep_assert_held(&cep->lock);
	/* Answers, and a REP is one, never wait behind requests. */
	tx->windowed = attr != CEP_ATTR_REP;
	if (tx->windowed && !placed && !cep_window_enter(tx)) {
		cep_get(cep);
		return 0;
	}
	cep_get(cep);
	cep_count(tx->port, CEP_TX, attr);
	if (tx->sent_before)
		cep_count(tx->port, CEP_TX_RETRIES, attr);
	tx->sent_before = true;
	ret = cep_tx_post(tx);
	if (ret) {
		if (tx->windowed)
			cep_window_leave(tx->port);
		WARN_ON_ONCE(refcount_dec_and_test(&cep->refs)); /* the caller has one */
	}
	return ret;
}

/* Posts and forgets; frees on failure: the peer will ask again. */
void cep_tx_post_reply(struct cep_tx *tx)
{
	const struct ib_mad_hdr *hdr = tx->buf->mad;

	tx->cep = NULL;
	tx->windowed = false;
	cep_count(tx->port, CEP_TX, be16_to_cpu(hdr->attr_id));
	if (cep_tx_post(tx)) {
		cep_drop(tx->port, CEP_DROP_send_failed);
		cep_tx_free(tx);
	}
}

/* A reply for which no buffer was reserved. Any context, by gfp. */
void cep_tx_send_copy(struct cep_port *port, struct cep_av *av, const u8 *mad, gfp_t gfp)
{
	struct cep_tx *tx;

	if (!cep_port_enter(port))
		return;
	tx = cep_tx_alloc(port, av, gfp);
	if (tx) {
		memcpy(cep_tx_mad(tx), mad, CEP_MAD_SIZE);
		cep_tx_post_reply(tx);
	} else {
		cep_drop(port, CEP_DROP_no_memory);
	}
	cep_port_exit(port);
}

/* A request's buffer is back. Returns whether its owner does not need it any more. */
static bool cep_tx_returned(struct cep_tx *tx, bool sent, struct cep_run *run)
{
	struct ib_cep *cep = tx->cep;
	enum cep_result res;

	lockdep_assert_held(&cep->lock);
	tx->where = CEP_TX_IDLE;
	if (tx->detached)
		return true;
	if (sent) {
		res = cep_core_on_sent(&cep->core, cep_now_ns(), &run->acts);
	} else {
		cep_drop(tx->port, CEP_DROP_send_failed);
		res = cep_core_on_send_failed(&cep->core, cep_now_ns(), &run->acts);
	}
	if (!res)
		cep_run(cep, run);
	return false;
}

void cep_tx_handler(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	struct cep_tx *tx = wc->send_buf->context[0];
	struct cep_port *port = agent->context;
	struct ib_cep *cep = tx->cep;
	struct cep_run run;
	unsigned long flags;
	bool detached;

	if (tx->windowed)
		cep_window_leave(port);
	if (!cep) {
		cep_tx_free(tx);
		return;
	}
	cep_run_init(&run, GFP_NOIO);
	spin_lock_irqsave(&cep->lock, flags);
	detached = cep_tx_returned(tx, wc->status == IB_WC_SUCCESS, &run);
	spin_unlock_irqrestore(&cep->lock, flags);
	cep_run_finish(cep, &run);
	if (detached)
		cep_tx_free(tx);
	cep_put(cep);
}
