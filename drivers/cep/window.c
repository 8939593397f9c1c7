// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The limit on requests (REQ, DREQ) of a port that are posted and not yet completed, so
 * that the MAD layer's own send queue of 128 never fills and a storm is paced instead of
 * dropped. Answers do not count and never wait. Time spent waiting counts against the
 * request's own retries: the engine's watchdog runs from the first attempt to post.
 *
 * Concurrency: window.lock is a leaf under a CEP's lock. Those that wait are woken by
 * work, which takes each CEP's lock in its turn.
 */
#include "shell.h"

/* Never 0: what waits is woken by what comes back. */
static unsigned int cep_window_size(void)
{
	return READ_ONCE(cep_max_posted) ?: 1;
}

static void cep_window_post(struct cep_tx *tx)
{
	struct ib_cep *cep = tx->cep;
	struct cep_run run;
	unsigned long flags;
	bool detached;
	int ret = 0;

	cep_run_init(&run, GFP_NOIO);
	spin_lock_irqsave(&cep->lock, flags);
	tx->where = CEP_TX_IDLE;
	detached = tx->detached;
	if (!detached) {
		ret = cep_tx_post_request(tx, true);
		if (ret && !cep_core_on_send_failed(&cep->core, cep_now_ns(), &run.acts))
			cep_run(cep, &run);
	}
	spin_unlock_irqrestore(&cep->lock, flags);
	if (detached) {
		cep_window_leave(tx->port);
		cep_tx_free(tx);
	}
	cep_run_finish(cep, &run);
	cep_put(cep); /* of the wait; the post took its own */
}

static void cep_window_work(struct work_struct *work)
{
	struct cep_window *window = container_of(work, struct cep_window, work);
	struct cep_tx *tx;
	unsigned long flags;

	for (;;) {
		spin_lock_irqsave(&window->lock, flags);
		if (list_empty(&window->waiting) || window->posted >= cep_window_size()) {
			spin_unlock_irqrestore(&window->lock, flags);
			return;
		}
		tx = list_first_entry(&window->waiting, struct cep_tx, link);
		list_del_init(&tx->link);
		tx->where = CEP_TX_POPPED;
		window->posted++;
		spin_unlock_irqrestore(&window->lock, flags);
		cep_window_post(tx);
	}
}

void cep_window_init(struct cep_window *window)
{
	spin_lock_init(&window->lock);
	INIT_LIST_HEAD(&window->waiting);
	INIT_WORK(&window->work, cep_window_work);
}

/* Takes a place, or queues: then false. */
bool cep_window_enter(struct cep_tx *tx)
{
	struct cep_window *window = &tx->port->window;
	unsigned long flags;
	bool entered;

	spin_lock_irqsave(&window->lock, flags);
	entered = window->posted < cep_window_size() && list_empty(&window->waiting);
	if (entered) {
		window->posted++;
	} else {
		tx->where = CEP_TX_WAITING;
		list_add_tail(&tx->link, &window->waiting);
	}
	spin_unlock_irqrestore(&window->lock, flags);
	if (!entered)
		cep_drop(tx->port, CEP_DROP_window_waits);
	return entered;
}

void cep_window_leave(struct cep_port *port)
{
	struct cep_window *window = &port->window;
	unsigned long flags;

	spin_lock_irqsave(&window->lock, flags);
	window->posted--;
	if (!list_empty(&window->waiting))
		queue_work(cep_free_wq, &window->work);
	spin_unlock_irqrestore(&window->lock, flags);
}

/* Takes a buffer that waits out of the queue. False: the window's work has it. */
bool cep_window_forget(struct cep_tx *tx)
{
	struct cep_window *window = &tx->port->window;
	unsigned long flags;
	bool forgotten = false;

	spin_lock_irqsave(&window->lock, flags);
	if (tx->where == CEP_TX_WAITING) {
		list_del_init(&tx->link);
		tx->where = CEP_TX_IDLE;
		forgotten = true;
	}
	spin_unlock_irqrestore(&window->lock, flags);
	return forgotten;
}
