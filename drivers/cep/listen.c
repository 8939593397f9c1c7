// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Listeners: which one a REQ is for, how many REQs may wait, how many REQ callbacks run
 * at once, and an end after which no REQ callback of the listener runs. Called from
 * rx.c/resolve.c (find, offer), event.c (callbacks) and by ULPs.
 *
 * Concurrency: the set of listeners changes under cep_listen_mutex and is read under
 * RCU. A new passive CEP is gated: its events wait until the listener lets it through
 * (push) or a ULP pulls it; the queue of those is under cep_listen.lock.
 */
#include <linux/hash.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>
#include "shell.h"

#define CEP_LISTEN_BITS 8

static DEFINE_MUTEX(cep_listen_mutex); /* both sets below, ib_cep.listen */
static struct hlist_head cep_listeners[1 << CEP_LISTEN_BITS]; /* full mask, by service ID */
static HLIST_HEAD(cep_masked_listeners);
static u64 cep_next_service_id; /* offset of the next one assigned; cep_listen_mutex */

#define CEP_ASSIGN_BASE 0x0200000000000000ULL
#define CEP_AGN_MASK 0xff00000000000000ULL

static struct hlist_head *cep_listen_set(u64 service_id, u64 mask)
{
	if (~mask)
		return &cep_masked_listeners;
	return &cep_listeners[hash_64(service_id, CEP_LISTEN_BITS)];
}

static bool cep_listen_matches(const struct cep_listen *listen, struct cep_device *dev, u32 port,
			       u64 service_id, const u8 *private_data)
{
	const struct ib_cep_compare *compare = &listen->compare;

	return (service_id & listen->service_mask) == listen->service_id &&
	       (!listen->dev || listen->dev == dev) &&
	       (!listen->port || listen->port == port) &&
	       !memcmp(private_data + compare->offset, compare->data, compare->length);
}

/* More conditions win: device, port, compare. */
static int cep_listen_rank(const struct cep_listen *listen)
{
	return !!listen->dev * 4 + !!listen->compare.length * 2 + !!listen->port;
}

static struct cep_listen *cep_listen_find_in(struct hlist_head *set, struct cep_device *dev,
					     u32 port, u64 service_id, const u8 *private_data)
{
	struct cep_listen *listen, *best = NULL;

	hlist_for_each_entry_rcu(listen, set, node) {
		if (cep_listen_matches(listen, dev, port, service_id, private_data) &&
		    (!best || cep_listen_rank(listen) > cep_listen_rank(best)))
			best = listen;
	}
	return best;
}

/* The listener that a REQ is for, referenced, or NULL. Any context. */
struct cep_listen *cep_listen_find(struct cep_device *dev, u32 port, u64 service_id,
				   const u8 *private_data)
{
	struct cep_listen *listen;

	rcu_read_lock();
	listen = cep_listen_find_in(cep_listen_set(service_id, ~0ULL), dev, port, service_id,
				    private_data);
	if (!listen)
		listen = cep_listen_find_in(&cep_masked_listeners, dev, port, service_id,
					    private_data);
	if (listen && !kref_get_unless_zero(&listen->ref))
		listen = NULL;
	rcu_read_unlock();
	return listen;
}

static void cep_listen_free(struct kref *ref)
{
	struct cep_listen *listen = container_of(ref, struct cep_listen, ref);

	if (listen->dev)
		cep_device_put(listen->dev);
	kfree_rcu(listen, rcu);
}

void cep_listen_put(struct cep_listen *listen)
{
	kref_put(&listen->ref, cep_listen_free);
}

/* A place in the backlog, given back by run.c when the REQ is answered. */
bool cep_listen_backlog(struct cep_listen *listen)
{
	if ((unsigned int)atomic_inc_return(&listen->backlog) <= listen->max_backlog ||
	    !listen->max_backlog)
		return true;
	atomic_dec(&listen->backlog);
	return false;
}

/* --- letting requests through ---------------------------------------------------------- */

static struct ib_cep *cep_listen_next(struct cep_listen *listen)
{
	struct ib_cep *cep = list_first_entry_or_null(&listen->waiting, struct ib_cep, gate_link);

	lockdep_assert_held(&listen->lock);
	if (cep)
		list_del_init(&cep->gate_link); /* the queue's reference is the caller's now */
	return cep;
}

/* Lets as many requests through as may run. */
void cep_listen_admit(struct cep_listen *listen)
{
	struct ib_cep *cep;
	unsigned long flags;

	for (;;) {
		spin_lock_irqsave(&listen->lock, flags);
		cep = NULL;
		if (!listen->dying && (!listen->concurrency || listen->running < listen->concurrency))
			cep = cep_listen_next(listen);
		if (cep)
			listen->running++;
		spin_unlock_irqrestore(&listen->lock, flags);
		if (!cep)
			return;
		spin_lock_irqsave(&cep->lock, flags);
		clear_bit(CEP_F_GATED, &cep->flags);
		cep_event_schedule(cep);
		spin_unlock_irqrestore(&cep->lock, flags);
		cep_put(cep);
	}
}

static void cep_listen_tell_waiting(struct cep_listen *listen)
{
	struct ib_cep *cep = listen->cep;
	struct cep_run run;
	unsigned long flags;

	cep_run_init(&run, GFP_NOIO);
	spin_lock_irqsave(&cep->lock, flags);
	/* One event stands for all that wait: it is not queued behind itself. */
	if (!cep->event_count)
		cep_event_queue(cep, &run, CEP_EVENT_REQ_WAITING, 0);
	spin_unlock_irqrestore(&cep->lock, flags);
}

/*
 * A new CEP joins the queue. The caller holds a reference on the listener and one on
 * the CEP. False: the listener has gone.
 */
bool cep_listen_offer(struct cep_listen *listen, struct ib_cep *cep)
{
	struct ib_cep *listener = NULL;
	unsigned long flags;
	bool dying;

	spin_lock_irqsave(&listen->lock, flags);
	dying = listen->dying;
	if (!dying) {
		cep_get(cep);
		list_add_tail(&cep->gate_link, &listen->waiting);
		if (listen->pull)
			listener = cep_get(listen->cep);
	}
	spin_unlock_irqrestore(&listen->lock, flags);
	if (dying)
		return false;
	if (listener) {
		cep_listen_tell_waiting(listen);
		cep_put(listener);
	} else {
		cep_listen_admit(listen);
	}
	return true;
}

/* Takes a CEP that ended out of the queue; true: the queue's reference is the caller's. */
bool cep_listen_withdraw(struct ib_cep *cep)
{
	struct cep_listen *listen = cep->origin;
	unsigned long flags;
	bool queued;

	spin_lock_irqsave(&listen->lock, flags);
	queued = !list_empty(&cep->gate_link);
	list_del_init(&cep->gate_link);
	spin_unlock_irqrestore(&listen->lock, flags);
	return queued;
}

/* False: the listener is going and its handler must not be called. */
bool cep_listen_callback_begin(struct cep_listen *listen, struct cep_callback *cb)
{
	unsigned long flags;
	bool dying;

	spin_lock_irqsave(&listen->lock, flags);
	dying = listen->dying;
	if (!dying) {
		cb->task = current;
		cb->awaited = false;
		list_add(&cb->link, &listen->callbacks);
	}
	spin_unlock_irqrestore(&listen->lock, flags);
	return !dying;
}

void cep_listen_callback_end(struct cep_listen *listen, struct cep_callback *cb)
{
	unsigned long flags;

	spin_lock_irqsave(&listen->lock, flags);
	if (cb)
		list_del(&cb->link);
	listen->running--;
	spin_unlock_irqrestore(&listen->lock, flags);
	smp_mb(); /* the list before the look for waiters: pairs with wait_var_event() */
	wake_up_var(&listen->callbacks);
	cep_listen_admit(listen);
}

static bool cep_listen_quiet(struct cep_listen *listen)
{
	struct cep_callback *cb;
	unsigned long flags;
	bool quiet = true;

	spin_lock_irqsave(&listen->lock, flags);
	list_for_each_entry(cb, &listen->callbacks, link)
		if (cb->awaited && cb->task != current)
			quiet = false;
	spin_unlock_irqrestore(&listen->lock, flags);
	return quiet;
}

/*
 * Waits for the callbacks that run now, but not for the one that asks. Those that begin
 * later see what the caller has changed before, so a storm of them delays nobody.
 */
static void cep_listen_drain(struct cep_listen *listen)
{
	struct cep_callback *cb;
	unsigned long flags;

	spin_lock_irqsave(&listen->lock, flags);
	list_for_each_entry(cb, &listen->callbacks, link)
		cb->awaited = true;
	spin_unlock_irqrestore(&listen->lock, flags);
	wait_var_event(&listen->callbacks, cep_listen_quiet(listen));
}

/* --- the ULP's calls ---------------------------------------------------------------------- */

static bool cep_listen_overlaps(const struct cep_listen *a, const struct cep_listen *b)
{
	u64 mask = a->service_mask & b->service_mask;

	if ((a->service_id & mask) != (b->service_id & mask))
		return false;
	if (a->dev && b->dev && a->dev != b->dev)
		return false;
	if (a->port && b->port && a->port != b->port)
		return false;
	/* Compares over different ranges, or one without: the more special one wins. */
	return a->compare.length == b->compare.length && a->compare.offset == b->compare.offset &&
	       !memcmp(a->compare.data, b->compare.data, a->compare.length) &&
	       !!a->dev == !!b->dev && !!a->port == !!b->port;
}

static bool cep_listen_taken(const struct cep_listen *listen)
{
	struct cep_listen *other;
	int i;

	lockdep_assert_held(&cep_listen_mutex);
	for (i = 0; i < ARRAY_SIZE(cep_listeners); i++)
		hlist_for_each_entry(other, &cep_listeners[i], node)
			if (cep_listen_overlaps(listen, other))
				return true;
	hlist_for_each_entry(other, &cep_masked_listeners, node)
		if (cep_listen_overlaps(listen, other))
			return true;
	return false;
}

static struct cep_listen *cep_listen_make(struct ib_cep *cep,
					  const struct ib_cep_listen_param *param)
{
	struct cep_listen *listen;
	u64 mask = param->service_mask ? be64_to_cpu(param->service_mask) : ~0ULL;

	if (be64_to_cpu(param->service_id) & ~mask)
		return ERR_PTR(-EINVAL);
	if (param->compare && (!param->compare->length ||
			       param->compare->offset + param->compare->length >
				       IB_CEP_REQ_PRIVATE_DATA_SIZE))
		return ERR_PTR(-EINVAL);
	if (param->port && (!cep->dev || param->port > cep->dev->nr_ports ||
			    !cep->dev->port[param->port - 1]))
		return ERR_PTR(-EINVAL);
	listen = kzalloc(sizeof(*listen), GFP_KERNEL);
	if (!listen)
		return ERR_PTR(-ENOMEM);
	kref_init(&listen->ref);
	spin_lock_init(&listen->lock);
	INIT_LIST_HEAD(&listen->waiting);
	INIT_LIST_HEAD(&listen->callbacks);
	if (cep->dev) {
		kref_get(&cep->dev->ref);
		listen->dev = cep->dev;
	}
	if (param->compare)
		listen->compare = *param->compare;
	listen->cep = cep;
	listen->service_id = be64_to_cpu(param->service_id);
	listen->service_mask = mask;
	listen->port = param->port;
	listen->max_backlog = param->backlog;
	listen->concurrency = param->concurrency;
	listen->pull = param->pull;
	return listen;
}

/* Gives the listener a service ID of the locally administered range (IBA A3.2.1). */
static void cep_listen_assign(struct cep_listen *listen)
{
	do {
		if (!cep_next_service_id)
			cep_next_service_id = get_random_u32();
		listen->service_id = CEP_ASSIGN_BASE + (u32)cep_next_service_id++;
	} while (listen->service_id == CEP_ASSIGN_BASE || cep_listen_taken(listen));
}

int ib_cep_listen(struct ib_cep *cep, struct ib_cep_listen_param *param)
{
	bool assign = param->service_id == IB_CEP_ASSIGN_SERVICE_ID;
	struct cep_listen *listen;
	struct cep_run run;
	unsigned long flags;
	bool taken;
	int ret = 0;

	might_sleep();
	/* IBA A3: the rest of the locally administered range is the CM's to give. */
	if (!assign && (be64_to_cpu(param->service_id) & CEP_AGN_MASK) == CEP_ASSIGN_BASE)
		return -EINVAL;
	if (assign && param->service_mask && ~param->service_mask)
		return -EINVAL;
	listen = cep_listen_make(cep, param);
	if (IS_ERR(listen))
		return PTR_ERR(listen);

	cep_run_init(&run, GFP_KERNEL);
	mutex_lock(&cep_listen_mutex);
	if (assign)
		cep_listen_assign(listen);
	taken = cep_listen_taken(listen);
	spin_lock_irqsave(&cep->lock, flags);
	if (test_bit(CEP_F_DESTROYED, &cep->flags))
		ret = -ESHUTDOWN;
	else if (cep->dev && READ_ONCE(cep->dev->gone))
		ret = -ENODEV;
	else if (cep_core_state(&cep->core) != CEP_STATE_IDLE || cep->format)
		ret = -EINVAL;
	else if (taken)
		ret = -EBUSY;
	else if (cep_core_listen(&cep->core, &run.acts))
		ret = -EINVAL;
	if (!ret) {
		cep_run(cep, &run);
		cep->service_id = cpu_to_be64(listen->service_id);
		WRITE_ONCE(cep->listen, listen);
		hlist_add_head_rcu(&listen->node,
				   cep_listen_set(listen->service_id, listen->service_mask));
		param->service_id = cep->service_id;
	}
	spin_unlock_irqrestore(&cep->lock, flags);
	mutex_unlock(&cep_listen_mutex);
	if (ret)
		cep_listen_put(listen);
	return ret;
}
EXPORT_SYMBOL_GPL(ib_cep_listen);

/* No new REQ, no new callback. The listener, with a reference of the caller's beside that of ib_cep.past. */
static struct cep_listen *cep_listen_unhash(struct ib_cep *cep)
{
	struct cep_listen *listen;
	unsigned long flags;

	mutex_lock(&cep_listen_mutex);
	listen = cep->listen;
	if (listen) {
		spin_lock_irqsave(&listen->lock, flags);
		listen->dying = true;
		spin_unlock_irqrestore(&listen->lock, flags);
		hlist_del_rcu(&listen->node);
		WRITE_ONCE(cep->listen, NULL);
		kref_get(&listen->ref);
		listen->older = cep->past;
		WRITE_ONCE(cep->past, listen);
	}
	mutex_unlock(&cep_listen_mutex);
	return listen;
}

/* Forgets those cancelled ones that have no callback any more: none can begin. */
static void cep_listen_settle(struct ib_cep *cep)
{
	struct cep_listen **link = &cep->past, *listen;
	unsigned long flags;
	bool over;

	mutex_lock(&cep_listen_mutex);
	while ((listen = *link)) {
		spin_lock_irqsave(&listen->lock, flags);
		over = list_empty(&listen->callbacks);
		spin_unlock_irqrestore(&listen->lock, flags);
		if (over) {
			WRITE_ONCE(*link, listen->older);
			cep_listen_put(listen);
		} else {
			link = &listen->older;
		}
	}
	mutex_unlock(&cep_listen_mutex);
}

static int cep_listen_cancel(struct ib_cep *cep)
{
	struct cep_listen *listen = cep_listen_unhash(cep);
	struct ib_cep *waiting;
	struct cep_run run;
	unsigned long flags;

	if (!listen)
		return -EINVAL;

	cep_run_init(&run, GFP_KERNEL);
	spin_lock_irqsave(&cep->lock, flags);
	if (!cep_core_cancel_listen(&cep->core, &run.acts))
		cep_run(cep, &run);
	spin_unlock_irqrestore(&cep->lock, flags);

	for (;;) {
		spin_lock_irqsave(&listen->lock, flags);
		waiting = cep_listen_next(listen);
		spin_unlock_irqrestore(&listen->lock, flags);
		if (!waiting)
			break;
		cep_abandon(waiting, CEP_REJ_INVALID_SERVICE_ID, true);
		cep_put(waiting);
	}
	cep_listen_drain(listen);
	cep_listen_put(listen);
	cep_listen_settle(cep);
	return 0;
}

/*
 * For a CEP that is marked destroyed. Waits also for REQ callbacks of a listen that was
 * cancelled before: by one of them, or by another context that still waits itself.
 */
void cep_listen_end(struct ib_cep *cep)
{
	struct cep_listen *listen, *older;

	/* No new listen can come, and the mutex is not for connections. */
	if (!READ_ONCE(cep->listen) && !READ_ONCE(cep->past))
		return;
	cep_listen_cancel(cep);
	mutex_lock(&cep_listen_mutex);
	listen = cep->past;
	WRITE_ONCE(cep->past, NULL);
	mutex_unlock(&cep_listen_mutex);
	for (; listen; listen = older) {
		older = listen->older;
		cep_listen_drain(listen);
		cep_listen_put(listen);
	}
}

/* For a CEP that has a new handler: no REQ callback has the old one when this returns. */
void cep_listen_wait(struct ib_cep *cep)
{
	struct cep_listen *listen;

	if (!READ_ONCE(cep->listen))
		return;
	mutex_lock(&cep_listen_mutex);
	listen = cep->listen;
	if (listen)
		kref_get(&listen->ref);
	mutex_unlock(&cep_listen_mutex);
	if (!listen)
		return;
	cep_listen_drain(listen);
	cep_listen_put(listen);
}

int ib_cep_cancel_listen(struct ib_cep *cep)
{
	might_sleep();
	return cep_listen_cancel(cep);
}
EXPORT_SYMBOL_GPL(ib_cep_cancel_listen);

struct ib_cep *ib_cep_get_request(struct ib_cep *listener, ib_cep_handler handler, void *context,
				  ib_cep_release release)
{
	struct cep_listen *listen = NULL;
	struct ib_cep *cep = NULL;
	unsigned long flags;
	int err = -EINVAL;

	might_sleep();
	if (!handler)
		return ERR_PTR(-EINVAL);
	mutex_lock(&cep_listen_mutex);
	if (test_bit(CEP_F_DESTROYED, &listener->flags))
		err = -ESHUTDOWN;
	else if (listener->listen && listener->listen->pull)
		listen = listener->listen;
	if (listen) {
		spin_lock_irqsave(&listen->lock, flags);
		cep = cep_listen_next(listen);
		spin_unlock_irqrestore(&listen->lock, flags);
		err = -EAGAIN;
	}
	mutex_unlock(&cep_listen_mutex);
	if (!cep)
		return ERR_PTR(err);

	spin_lock_irqsave(&cep->lock, flags);
	cep->handler = handler;
	cep->context = context;
	cep->release = release;
	clear_bit(CEP_F_GATED, &cep->flags);
	cep_event_schedule(cep);
	spin_unlock_irqrestore(&cep->lock, flags);
	cep_put(cep); /* the queue's; the ULP's stays with the caller */
	return cep;
}
EXPORT_SYMBOL_GPL(ib_cep_get_request);
