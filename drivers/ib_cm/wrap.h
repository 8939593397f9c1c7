/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Private declarations of the drop-in: one wrapper for each struct ib_cm_id.
 *
 * A wrapper belongs to the ULP from ib_create_cm_id() (or from the REQ callback
 * that hands it over) until its CEP's release. ULPs read and write the public
 * struct without any lock, as they do with the kernel's CM. Locks: cep_dropin_listen_lock
 * (mutex, listeners only), then wrap->lock, then those of the CEP. wrap->lock
 * is taken from hard interrupt too.
 */
#ifndef IB_CM_WRAP_H
#define IB_CM_WRAP_H

#include "abi.h"
#include <rdma/ib_cep.h>

/**
 * struct cep_wrap - a CEP in the clothes of an ib_cm_id
 * @id: what the ULP holds
 * @cep: what does the work; set before anybody else can see the wrapper
 * @lock: makes one step of "ask the CEP and write @id", so that the answer of an
 *	earlier question never overwrites that of a later one
 * @shares: how many times a listener has been handed out, under
 *	cep_dropin_listen_lock; 0: this is no listener
 * @listeners: a listener's place in the list of all, under the same lock
 * @rcu: frees it late, as the kernel's CM does
 */
struct cep_wrap {
	struct ib_cm_id		id;
	struct ib_cep		*cep;
	spinlock_t		lock;
	unsigned int		shares;
	struct list_head	listeners;
	struct rcu_head		rcu;
};

static inline struct cep_wrap *cep_wrap_of(struct ib_cm_id *id)
{
	return container_of(id, struct cep_wrap, id);
}

/* wrap.c */
struct cep_wrap *cep_wrap_alloc(struct ib_device *device, ib_cm_handler handler, void *context);
struct cep_wrap *cep_wrap_create(struct ib_device *device, ib_cm_handler handler, void *context);
void cep_wrap_sync(struct cep_wrap *wrap);
void cep_wrap_release(void *context);

/* events.c */
int cep_wrap_handler(struct ib_cep *cep, const struct ib_cep_event *event, void *context);

/* listen.c */
bool cep_wrap_unlisten(struct cep_wrap *wrap);
void cep_wrap_forget_listener(struct cep_wrap *wrap);

/* The kernel's CM ignores a length without data, and many ULPs rely on it. */
static inline u8 cep_data_len(const void *data, u8 len)
{
	return data ? len : 0;
}

#endif /* IB_CM_WRAP_H */
