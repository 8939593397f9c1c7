// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Listeners of the drop-in, and who shares one. rdma_cm asks for a listener once
 * for each of its own, and all of them on one (device, service ID) get the same.
 * Called by ULPs in process context. One mutex, off the connection path; no wait
 * for a callback happens under it, because rdma_cm's callbacks take a mutex that
 * it also holds when it asks for a listener.
 */
#include "wrap.h"

#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>

/* REQ callbacks that run at once: ULPs take a listener-wide mutex in theirs. */
#define CEP_DROPIN_CONCURRENCY 2

/* Protects the list and the shares of every listener, and makes one step of a listen. */
static DEFINE_MUTEX(cep_dropin_listen_lock);
/* From listen until release; those with no shares left are on their way out. */
static LIST_HEAD(cep_dropin_listeners);

/* Service IDs that the CM assigns are its own to give (IBA annex A3). */
static bool cep_service_id_valid(__be64 service_id)
{
	return (service_id & IB_SERVICE_ID_AGN_MASK) != IB_CM_ASSIGN_SERVICE_ID ||
	       service_id == IB_CM_ASSIGN_SERVICE_ID;
}

static int cep_wrap_listen_locked(struct cep_wrap *wrap, __be64 service_id)
{
	struct ib_cep_listen_param param = {
		.service_id = service_id,
		.concurrency = CEP_DROPIN_CONCURRENCY,
	};
	int ret;

	lockdep_assert_held(&cep_dropin_listen_lock);

	ret = ib_cep_listen(wrap->cep, &param);
	if (ret)
		return ret;

	wrap->id.service_id = param.service_id;
	wrap->shares = 1;
	list_add_tail(&wrap->listeners, &cep_dropin_listeners);
	return 0;
}

/* A listener for the same, and whether it can still be shared or is going. */
static struct cep_wrap *cep_wrap_find_locked(struct ib_device *device, __be64 service_id,
					     bool going)
{
	struct cep_wrap *wrap;

	lockdep_assert_held(&cep_dropin_listen_lock);

	list_for_each_entry(wrap, &cep_dropin_listeners, listeners) {
		if (wrap->id.device == device && wrap->id.service_id == service_id &&
		    going == !wrap->shares)
			return wrap;
	}
	return NULL;
}

/*
 * Can the listener be handed out once more? Only one with no context: nothing in
 * its events then tells one owner from another.
 */
static bool cep_wrap_shareable(const struct cep_wrap *wrap, ib_cm_handler handler)
{
	return handler && wrap->id.cm_handler == handler && !wrap->id.context;
}

/*
 * Listens, or shares a listener of @handler (not NULL): that one is returned then.
 *
 * Waits for one that is between its last ib_destroy_cm_id() and the moment its
 * CEP gives the service ID back. That moment is not an event anybody can wait
 * for, comes before the CEP waits for callbacks, and is microseconds away; the
 * bound is for the case that it is not.
 */
static struct cep_wrap *cep_wrap_listen(struct cep_wrap *wrap, __be64 service_id,
					ib_cm_handler handler)
{
	unsigned long bound = jiffies + HZ;
	struct cep_wrap *found;
	int ret;

	for (;;) {
		mutex_lock(&cep_dropin_listen_lock);
		ret = cep_wrap_listen_locked(wrap, service_id);
		if (ret == -EBUSY) {
			found = cep_wrap_find_locked(wrap->id.device, service_id, false);
			if (found && cep_wrap_shareable(found, handler)) {
				found->shares++;
				mutex_unlock(&cep_dropin_listen_lock);
				return found;
			}
			if (!found && time_after(bound, jiffies) &&
			    cep_wrap_find_locked(wrap->id.device, service_id, true))
				ret = -EAGAIN;
		}
		mutex_unlock(&cep_dropin_listen_lock);

		if (!ret)
			return wrap;
		if (ret != -EAGAIN)
			return ERR_PTR(ret);
		usleep_range(20, 100);
	}
}

/**
 * cep_wrap_unlisten - the ULP gives one share of a listener back
 *
 * Return: whether that was the last one, or @wrap no listener: destroy it.
 */
bool cep_wrap_unlisten(struct cep_wrap *wrap)
{
	bool last;

	/* Only ib_cm_listen() of the owner sets it; it is never 0 before the last destroy. */
	if (!READ_ONCE(wrap->shares))
		return true;

	mutex_lock(&cep_dropin_listen_lock);
	last = !--wrap->shares;
	mutex_unlock(&cep_dropin_listen_lock);
	return last;
}

/* From the release of its CEP. */
void cep_wrap_forget_listener(struct cep_wrap *wrap)
{
	/* Nobody but this wrapper's owner ever adds it, and the owner is gone. */
	if (list_empty(&wrap->listeners))
		return;

	mutex_lock(&cep_dropin_listen_lock);
	list_del_init(&wrap->listeners);
	mutex_unlock(&cep_dropin_listen_lock);
}

int ib_cm_listen(struct ib_cm_id *cm_id, __be64 service_id)
{
	struct cep_wrap *wrap = cep_wrap_of(cm_id);
	struct cep_wrap *listener;

	/* An id that listens already is misused, not in the way of another. */
	if (!cep_service_id_valid(service_id) || READ_ONCE(wrap->shares))
		return -EINVAL;

	listener = cep_wrap_listen(wrap, service_id, NULL);
	cep_wrap_sync(wrap);
	return PTR_ERR_OR_ZERO(listener);
}
EXPORT_SYMBOL(ib_cm_listen);

struct ib_cm_id *ib_cm_insert_listen(struct ib_device *device, ib_cm_handler cm_handler,
				     __be64 service_id)
{
	struct cep_wrap *wrap, *listener;

	if (!cep_service_id_valid(service_id))
		return ERR_PTR(-EINVAL);

	/* Made in advance, because a look and a listen are one step under the mutex. */
	wrap = cep_wrap_create(device, cm_handler, NULL);
	if (IS_ERR(wrap))
		return ERR_CAST(wrap);

	listener = cep_wrap_listen(wrap, service_id, cm_handler);
	if (listener != wrap)
		ib_cep_destroy(wrap->cep);
	else
		cep_wrap_sync(wrap);

	if (IS_ERR(listener))
		return listener == ERR_PTR(-EBUSY) ? ERR_PTR(-EINVAL) : ERR_CAST(listener);
	return &listener->id;
}
EXPORT_SYMBOL(ib_cm_insert_listen);
