// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The CEP as an object: birth, references, its place on a port, and its end. A CEP
 * ends in two steps that are independent of each other: the ULP's (destroy: no more
 * callbacks, then release) and the protocol's (RELEASE: off the wire and out of every
 * table). The memory goes when both are over and nobody looks any more.
 *
 * Concurrency: everything here may be called by several contexts; see ib_cep.lock.
 */
#include <linux/sched.h>
#include <linux/slab.h>
#include "shell.h"

atomic_t cep_nr_orphans = ATOMIC_INIT(0);

struct ib_cep *cep_alloc(struct cep_device *dev, ib_cep_handler handler, void *context,
			 ib_cep_release release, gfp_t gfp)
{
	struct ib_cep *cep = kzalloc(sizeof(*cep), gfp);
	int ret;

	if (!cep)
		return ERR_PTR(-ENOMEM);
	ret = cep_comm_id_reserve(&cep->comm_id);
	if (ret) {
		kfree(cep);
		return ERR_PTR(ret);
	}
	spin_lock_init(&cep->lock);
	refcount_set(&cep->refs, 2); /* the ULP's and the protocol's */
	cep_core_init(&cep->core);
	INIT_LIST_HEAD(&cep->port_link);
	INIT_LIST_HEAD(&cep->payloads);
	INIT_LIST_HEAD(&cep->gate_link);
	INIT_WORK(&cep->work, cep_event_work);
	cep_timer_init(cep);
	cep->peer.kind = CEP_PEER_CEP;
	cep->handler = handler;
	cep->context = context;
	cep->release = release;
	if (dev) {
		kref_get(&dev->ref);
		cep->dev = dev;
	}
	return cep;
}

static struct cep_shard *cep_shard(struct ib_cep *cep, struct cep_port *port)
{
	return &port->shard[(cep->comm_id >> 3) % CEP_PORT_SHARDS];
}

static void cep_detach(struct ib_cep *cep)
{
	struct cep_port *port = cep->port;
	struct cep_shard *shard;
	unsigned long flags;

	if (!port)
		return;
	shard = cep_shard(cep, port);
	spin_lock_irqsave(&shard->lock, flags);
	list_del_init(&cep->port_link);
	spin_unlock_irqrestore(&shard->lock, flags);
	cep->port = NULL;
	cep_port_put(port);
}

/*
 * From here on removal of the port finds the CEP. The caller holds a users reference of
 * the port, so removal has not begun its walk, and has seen that the CEP is not gone.
 */
void cep_attach(struct ib_cep *cep, struct cep_port *port)
{
	struct cep_shard *shard = cep_shard(cep, port);
	unsigned long flags;

	lockdep_assert_held(&cep->lock);
	if (cep->port == port)
		return;
	cep_detach(cep);
	kref_get(&port->ref);
	cep->port = port;
	spin_lock_irqsave(&shard->lock, flags);
	list_add_tail(&cep->port_link, &shard->ceps);
	spin_unlock_irqrestore(&shard->lock, flags);
}

void cep_put(struct ib_cep *cep)
{
	if (!refcount_dec_and_test(&cep->refs))
		return;
	WARN_ON_ONCE(cep->peer.indexed || cep->tx || cep->format || cep->qp);
	WARN_ON_ONCE(cep->listen || cep->past);
	WARN_ON_ONCE(!list_empty(&cep->payloads) || !list_empty(&cep->gate_link));
	cep_detach(cep);
	cep_av_put(cep->av);
	cep_av_put(cep->alt_av);
	kfree(cep->repeat_data);
	if (cep->origin)
		cep_listen_put(cep->origin);
	if (cep->dev)
		cep_device_put(cep->dev);
	kfree_rcu(cep, rcu);
}

void cep_format_free(struct cep_format *format)
{
	if (!format)
		return;
	if (format->tx)
		cep_tx_free(format->tx);
	cep_av_put(format->av);
	cep_av_put(format->alt_av);
	kfree(format);
}

/* Does the engine write a message when the CEP is closed in this state? */
static bool cep_close_speaks(enum cep_state state)
{
	switch (state) {
	case CEP_STATE_IDLE:
	case CEP_STATE_LISTEN:
	case CEP_STATE_DREQ_SENT:
	case CEP_STATE_TIMEWAIT:
	case CEP_STATE_CLOSED:
		return false;
	default:
		return true;
	}
}

/*
 * The protocol's half of destroy. @tell: false keeps silent towards the peer, who will
 * try again. A buffer for the last message is reserved before the lock; without memory
 * the peer is not told and finds out by its own timeout.
 */
void cep_close(struct ib_cep *cep, u16 reason, bool tell)
{
	struct cep_port *port = NULL;
	struct cep_format *format;
	struct cep_av *av = NULL;
	struct cep_run run;
	unsigned long flags;
	bool may_retry;
	u64 tid = 0;

	cep_run_init(&run, GFP_NOIO);
	spin_lock_irqsave(&cep->lock, flags);
	if (tell && cep_close_speaks(cep_core_state(&cep->core))) {
		av = cep_av_get(cep->av);
		port = av ? cep->port : NULL;
	}
	spin_unlock_irqrestore(&cep->lock, flags);
	if (port && !cep_port_enter(port))
		port = NULL;
	if (port) {
		/* av, not cep->port, keeps the port from here on. */
		struct cep_av *fresh = cep_av_fresh(av);

		run.tx = cep_tx_alloc(port, fresh, GFP_NOIO);
		cep_av_put(fresh);
		tid = cep_next_tid(port);
	}

	spin_lock_irqsave(&cep->lock, flags);
	may_retry = atomic_read(&cep_nr_orphans) < READ_ONCE(cep_max_orphans);
	cep_core_close(&cep->core, cep_now_ns(), tid, cep->dev ? cep->dev->node_guid : 0, reason,
		       may_retry, run.tx ? cep_tx_mad(run.tx) : NULL, &run.acts);
	if (run.acts.count)
		cep_run(cep, &run);
	if (cep_core_state(&cep->core) == CEP_STATE_DREQ_SENT &&
	    !test_and_set_bit(CEP_F_ORPHAN, &cep->flags))
		atomic_inc(&cep_nr_orphans);
	format = cep->format;
	cep->format = NULL;
	spin_unlock_irqrestore(&cep->lock, flags);

	cep_run_finish(cep, &run);
	cep_format_free(format);
	cep_av_put(av);
	if (port)
		cep_port_exit(port);
}

/* Ends a CEP that no ULP has seen: both steps at once. The caller has its ULP reference. */
void cep_abandon(struct ib_cep *cep, u16 reason, bool tell)
{
	LIST_HEAD(payloads);
	unsigned long flags;

	spin_lock_irqsave(&cep->lock, flags);
	set_bit(CEP_F_DESTROYED, &cep->flags);
	spin_unlock_irqrestore(&cep->lock, flags);
	cep_close(cep, reason, tell);
	cep_event_discard(cep, &payloads);
	cep_put(cep);
}

/*
 * The peer uses the comm ID or QPN of a CEP in timewait for something new: it has left
 * its own timewait, so ours is over too.
 */
void cep_retire(struct ib_cep *cep)
{
	struct cep_run run;
	struct cep_info info;
	unsigned long flags;

	cep_run_init(&run, GFP_NOIO);
	spin_lock_irqsave(&cep->lock, flags);
	cep_core_info(&cep->core, &info);
	if (info.state == CEP_STATE_TIMEWAIT && info.deadline_ns &&
	    !cep_core_on_deadline(&cep->core, info.deadline_ns, 0, cep_run_mad(&run), &run.acts))
		cep_run(cep, &run);
	spin_unlock_irqrestore(&cep->lock, flags);
	cep_run_finish(cep, &run);
}

/* Removal: afterwards the CEP holds nothing of the device. */
void cep_device_gone(struct ib_cep *cep)
{
	struct cep_format *format;
	struct cep_av *av, *alt_av;
	struct cep_run run;
	unsigned long flags;

	cep_run_init(&run, GFP_NOIO);
	spin_lock_irqsave(&cep->lock, flags);
	/* One that moved between two ports of the device is found on both. */
	if (test_and_set_bit(CEP_F_GONE, &cep->flags)) {
		spin_unlock_irqrestore(&cep->lock, flags);
		return;
	}
	cep_core_on_device_removed(&cep->core, &run.acts);
	cep_run(cep, &run);
	av = cep->av;
	alt_av = cep->alt_av;
	format = cep->format;
	cep->av = NULL;
	cep->alt_av = NULL;
	cep->format = NULL;
	spin_unlock_irqrestore(&cep->lock, flags);
	cep_run_finish(cep, &run);
	cep_format_free(format);
	cep_av_put(av);
	cep_av_put(alt_av);
}

/* --- the ULP's half -------------------------------------------------------------------- */

struct ib_cep *ib_cep_create(struct ib_device *device, ib_cep_handler handler, void *context,
			     ib_cep_release release)
{
	struct cep_device *dev = NULL;
	struct ib_cep *cep;

	might_sleep();
	if (!handler)
		return ERR_PTR(-EINVAL);
	if (device) {
		dev = cep_device_get(device);
		if (!dev)
			return ERR_PTR(-ENODEV);
	}
	cep = cep_alloc(dev, handler, context, release, GFP_NOIO);
	if (dev)
		cep_device_put(dev);
	if (!IS_ERR(cep))
		cep_comm_id_publish(cep->comm_id, cep);
	return cep;
}
EXPORT_SYMBOL_GPL(ib_cep_create);

int ib_cep_configure(struct ib_cep *cep, ib_cep_handler handler, void *context,
		     ib_cep_release release)
{
	ib_cep_release old_release;
	void *old_context;
	unsigned long flags;
	int ret = 0;

	might_sleep();
	if (!handler)
		return -EINVAL;
	for (;;) {
		cep_event_wait(cep);
		spin_lock_irqsave(&cep->lock, flags);
		/* A callback may have begun since the wait. */
		if (!cep->running || cep->running == current)
			break;
		spin_unlock_irqrestore(&cep->lock, flags);
	}
	old_release = cep->release;
	old_context = cep->context;
	if (test_bit(CEP_F_DESTROYED, &cep->flags)) {
		ret = -ESHUTDOWN;
	} else {
		cep->handler = handler;
		cep->context = context;
		cep->release = release;
	}
	spin_unlock_irqrestore(&cep->lock, flags);
	if (ret)
		return ret;
	cep_listen_wait(cep);
	if (old_release)
		old_release(old_context);
	return 0;
}
EXPORT_SYMBOL_GPL(ib_cep_configure);

void ib_cep_destroy_reason(struct ib_cep *cep, u16 reason)
{
	LIST_HEAD(payloads);
	unsigned long flags;
	bool in_callback;

	might_sleep();
	spin_lock_irqsave(&cep->lock, flags);
	if (test_and_set_bit(CEP_F_DESTROYED, &cep->flags)) {
		spin_unlock_irqrestore(&cep->lock, flags);
		pr_warn_ratelimited("ib_cep: CEP %08x is destroyed twice, by %ps\n", cep->comm_id,
				    __builtin_return_address(0));
		return;
	}
	in_callback = cep->running == current;
	if (in_callback)
		set_bit(CEP_F_IN_CALLBACK, &cep->flags);
	spin_unlock_irqrestore(&cep->lock, flags);

	cep_listen_end(cep);
	cep_qp_forget(cep);
	cep_close(cep, reason, true);
	cep_event_discard(cep, &payloads);
	if (in_callback)
		return;
	cep_event_wait(cep);
	if (cep->release)
		cep->release(cep->context);
	cep_put(cep);
}
EXPORT_SYMBOL_GPL(ib_cep_destroy_reason);

void ib_cep_destroy(struct ib_cep *cep)
{
	ib_cep_destroy_reason(cep, CEP_REJ_CONSUMER_DEFINED);
}
EXPORT_SYMBOL_GPL(ib_cep_destroy);

void ib_cep_flush(void)
{
	might_sleep();
	flush_workqueue(cep_event_wq);
}
EXPORT_SYMBOL_GPL(ib_cep_flush);
