// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The only executor of the engine's action lists. A caller prepares a struct cep_run
 * (everything that can fail), takes the CEP's lock, calls the engine, calls cep_run(),
 * unlocks, and calls cep_run_finish(), which does what must not be done under the lock:
 * posting replies, freeing buffers, dropping references.
 *
 * Concurrency: a struct cep_run belongs to one caller. cep_run() runs under the CEP's
 * lock in any context; cep_run_finish() runs without locks, in any context.
 */
#include <linux/slab.h>
#include "shell.h"

void cep_run_init(struct cep_run *run, gfp_t gfp)
{
	run->acts.count = 0;
	run->tx = NULL;
	run->rx = NULL;
	run->keep = NULL;
	run->keep_len = 0;
	run->gfp = gfp;
	run->reply = false;
	run->to_source = false;
	run->answer = false;
	run->reply_av = NULL;
	run->reply_port = NULL;
	run->ungate = false;
	run->puts = 0;
	INIT_LIST_HEAD(&run->garbage);
}

/* Where the engine writes its message: the reserved buffer, or memory to copy from. */
u8 *cep_run_mad(struct cep_run *run)
{
	return run->tx ? cep_tx_mad(run->tx) : run->scratch;
}

static void cep_run_drop_request(struct ib_cep *cep, struct cep_run *run)
{
	struct cep_tx *tx = cep->tx;

	if (!tx)
		return;
	cep->tx = NULL;
	if (tx->where == CEP_TX_WAITING && cep_window_forget(tx))
		run->puts++;
	if (tx->where == CEP_TX_IDLE)
		list_add(&tx->link, &run->garbage);
	else
		tx->detached = true; /* its completion, or the window's work, frees it */
}

static int cep_run_post(struct ib_cep *cep)
{
	/* A copy that is still here is on its way: not queued again. */
	if (!cep->tx || cep->tx->where != CEP_TX_IDLE)
		return 0;
	return cep_tx_post_request(cep->tx, false);
}

static int cep_run_request(struct ib_cep *cep, struct cep_run *run)
{
	cep_run_drop_request(cep, run);
	if (WARN_ON_ONCE(!run->tx))
		return -ENOMEM;
	cep->tx = run->tx;
	run->tx = NULL;
	cep->tx->cep = cep;
	return cep_run_post(cep);
}

static void cep_run_reply(struct ib_cep *cep, struct cep_run *run)
{
	if (run->to_source) {
		run->answer = true;
		return;
	}
	if (!cep->av || !cep->port)
		return;
	run->reply = true;
	if (!run->tx) {
		run->reply_av = cep_av_fresh(cep->av);
		run->reply_port = cep->port;
		kref_get(&cep->port->ref);
	}
}

static void cep_run_release(struct ib_cep *cep, struct cep_run *run)
{
	cep_timer_disarm(cep);
	cep_run_drop_request(cep, run);
	cep_comm_id_free(cep->comm_id);
	cep_av_put(cep->av);
	cep_av_put(cep->alt_av);
	cep->av = NULL;
	cep->alt_av = NULL;
	run->puts++;
}

static int cep_run_one(struct ib_cep *cep, struct cep_run *run, const struct cep_action *act)
{
	switch (act->kind) {
	case CEP_ACT_SEND_REQUEST:
		return cep_run_request(cep, run);
	case CEP_ACT_RESEND:
		return cep_run_post(cep);
	case CEP_ACT_SEND_REPLY:
		cep_run_reply(cep, run);
		break;
	case CEP_ACT_DROP_REQUEST:
		cep_run_drop_request(cep, run);
		break;
	case CEP_ACT_ARM:
		cep_timer_arm(cep, act->value);
		break;
	case CEP_ACT_DISARM:
		cep_timer_disarm(cep);
		break;
	case CEP_ACT_EVENT:
		cep_event_queue(cep, run, act->event, act->arg);
		break;
	case CEP_ACT_UNINDEX:
		if (cep->peer.indexed) {
			cep_index_withdraw(&cep->peer);
			run->puts++;
		}
		break;
	case CEP_ACT_KEEP_DATA:
		kfree(cep->repeat_data);
		cep->repeat_data = run->keep;
		cep->repeat_len = run->keep ? run->keep_len : 0;
		run->keep = NULL;
		break;
	case CEP_ACT_RELEASE:
		cep_run_release(cep, run);
		break;
	case CEP_ACT_ENTER_TIMEWAIT:
	case CEP_ACT_LEAVE_TIMEWAIT:
	case CEP_ACT_NONE:
		break;
	}
	return 0;
}

void cep_run(struct ib_cep *cep, struct cep_run *run)
{
	enum cep_state state;
	unsigned int i;
	int failed;

	lockdep_assert_held(&cep->lock);
	do {
		failed = 0;
		for (i = 0; i < run->acts.count; i++)
			if (cep_run_one(cep, run, &run->acts.act[i]))
				failed = 1;
		run->acts.count = 0;
		/*
		 * A post that failed is the engine's to judge. It never asks to post again at
		 * once, so this ends after one more round.
		 */
		if (failed) {
			cep_drop(cep->port, CEP_DROP_send_failed);
			if (cep_core_on_send_failed(&cep->core, cep_now_ns(), &run->acts))
				run->acts.count = 0;
		}
	} while (run->acts.count);

	state = cep_core_state(&cep->core);
	if (state != CEP_STATE_REQ_RCVD && test_and_clear_bit(CEP_F_BACKLOG, &cep->flags))
		atomic_dec(&cep->origin->backlog);
	if (state != CEP_STATE_DREQ_SENT && test_and_clear_bit(CEP_F_ORPHAN, &cep->flags))
		atomic_dec(&cep_nr_orphans);
	if (state == CEP_STATE_IDLE && test_bit(CEP_F_GATED, &cep->flags))
		run->ungate = true;
}

void cep_run_finish(struct ib_cep *cep, struct cep_run *run)
{
	struct cep_tx *tx, *next;

	if (run->reply && run->tx) {
		cep_tx_post_reply(run->tx);
		run->tx = NULL;
	} else if (run->reply) {
		cep_tx_send_copy(run->reply_port, run->reply_av, run->scratch, run->gfp);
	}
	cep_av_put(run->reply_av);
	if (run->reply_port)
		cep_port_put(run->reply_port);
	list_for_each_entry_safe(tx, next, &run->garbage, link)
		cep_tx_free(tx);
	if (run->tx)
		cep_tx_free(run->tx);
	kfree(run->keep);
	/*
	 * Ended before any ULP saw it: it leaves the listener's queue. Whoever takes it from
	 * there has the queue's reference and the ULP's.
	 */
	if (run->ungate && cep_listen_withdraw(cep)) {
		cep_abandon(cep, 0, false);
		cep_put(cep);
	}
	while (run->puts) {
		run->puts--;
		cep_put(cep);
	}
}
