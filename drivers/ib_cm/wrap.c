// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The life of a wrapper: creation, the copy of the CEP's state that ULPs read,
 * and the end. Called by ULPs (process context) and by the other files here.
 * Nothing here waits but ib_destroy_cm_id(), which waits for a callback that is
 * running, never for the network.
 */
#include "wrap.h"

struct cep_wrap *cep_wrap_alloc(struct ib_device *device, ib_cm_handler handler, void *context)
{
	struct cep_wrap *wrap;

	wrap = kzalloc(sizeof(*wrap), GFP_KERNEL);
	if (!wrap)
		return NULL;

	wrap->id.device = device;
	wrap->id.cm_handler = handler;
	wrap->id.context = context;
	wrap->id.state = IB_CM_IDLE;
	wrap->id.lap_state = IB_CM_LAP_UNINIT;
	wrap->id.remote_cm_qpn = 1;
	spin_lock_init(&wrap->lock);
	INIT_LIST_HEAD(&wrap->listeners);
	return wrap;
}

struct cep_wrap *cep_wrap_create(struct ib_device *device, ib_cm_handler handler, void *context)
{
	struct cep_wrap *wrap;
	struct ib_cep *cep;

	wrap = cep_wrap_alloc(device, handler, context);
	if (!wrap)
		return ERR_PTR(-ENOMEM);

	cep = ib_cep_create(device, cep_wrap_handler, wrap, cep_wrap_release);
	if (IS_ERR(cep)) {
		kfree(wrap);
		return ERR_CAST(cep);
	}

	wrap->cep = cep;
	cep_wrap_sync(wrap);
	return wrap;
}

/* The states of the two interfaces are the same ones, in the same order. */
static_assert((int)IB_CEP_IDLE == (int)IB_CM_IDLE);
static_assert((int)IB_CEP_REQ_RCVD == (int)IB_CM_REQ_RCVD);
static_assert((int)IB_CEP_MRA_REP_RCVD == (int)IB_CM_MRA_REP_RCVD);
static_assert((int)IB_CEP_TIMEWAIT == (int)IB_CM_TIMEWAIT);
static_assert((int)IB_CEP_SIDR_REQ_RCVD == (int)IB_CM_SIDR_REQ_RCVD);

/**
 * cep_wrap_sync - bring the fields that ULPs read up to date
 *
 * Before each callback and before each call returns. Any context.
 */
void cep_wrap_sync(struct cep_wrap *wrap)
{
	struct ib_cep_info info;
	unsigned long flags;

	spin_lock_irqsave(&wrap->lock, flags);
	ib_cep_query(wrap->cep, &info);
	/* Beyond the last of them a CEP is over, which is IDLE to a ULP. */
	WRITE_ONCE(wrap->id.state, (int)info.state <= (int)IB_CM_SIDR_REQ_RCVD ?
				   (enum ib_cm_state)info.state : IB_CM_IDLE);
	WRITE_ONCE(wrap->id.local_id, cpu_to_be32(info.local_comm_id));
	WRITE_ONCE(wrap->id.remote_id, cpu_to_be32(info.remote_comm_id));
	spin_unlock_irqrestore(&wrap->lock, flags);
}

/* The CEP's last word: no event can come any more. */
void cep_wrap_release(void *context)
{
	struct cep_wrap *wrap = context;

	cep_wrap_forget_listener(wrap);
	kfree_rcu(wrap, rcu);
}

struct ib_cm_id *ib_create_cm_id(struct ib_device *device, ib_cm_handler cm_handler, void *context)
{
	struct cep_wrap *wrap = cep_wrap_create(device, cm_handler, context);

	return IS_ERR(wrap) ? ERR_CAST(wrap) : &wrap->id;
}
EXPORT_SYMBOL(ib_create_cm_id);

void ib_destroy_cm_id(struct ib_cm_id *cm_id)
{
	struct cep_wrap *wrap = cep_wrap_of(cm_id);

	if (cep_wrap_unlisten(wrap))
		ib_cep_destroy(wrap->cep);
}
EXPORT_SYMBOL(ib_destroy_cm_id);
