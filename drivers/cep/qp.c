// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Which CEP a QP belongs to. Binding is atomic with respect to the end of either: it
 * succeeds only while neither is being destroyed and neither is bound. The verbs layer
 * tells nobody that a QP goes, so the ULP says so (begin/end of destroy), and a QP that
 * is marked cannot be bound.
 *
 * Concurrency: cep_qp_mutex protects table, marks and ib_cep.qp. Taken by binding ULPs
 * only, in process context, never with another lock held; a CEP that was never bound
 * does not take it on its way out.
 */
#include <linux/mutex.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include "shell.h"

struct cep_qp {
	struct rhash_head node;
	struct ib_qp *qp;   /* the key: never followed but by ib_cep_destroy_qp() */
	struct ib_cep *cep; /* bound to; the CEP unbinds before it goes */
	bool dying;
};

static const struct rhashtable_params cep_qp_params = {
	.key_len = sizeof(struct ib_qp *),
	.key_offset = offsetof(struct cep_qp, qp),
	.head_offset = offsetof(struct cep_qp, node),
	.automatic_shrinking = true,
};

static struct rhashtable cep_qp_table;
static DEFINE_MUTEX(cep_qp_mutex); /* cep_qp_table, its entries, ib_cep.qp */

int cep_qp_init(void)
{
	return rhashtable_init(&cep_qp_table, &cep_qp_params);
}

void cep_qp_exit(void)
{
	WARN_ON(atomic_read(&cep_qp_table.nelems));
	rhashtable_destroy(&cep_qp_table);
}

static struct cep_qp *cep_qp_find(struct ib_qp *qp)
{
	lockdep_assert_held(&cep_qp_mutex);
	return rhashtable_lookup_fast(&cep_qp_table, &qp, cep_qp_params);
}

static struct cep_qp *cep_qp_add(struct ib_qp *qp)
{
	struct cep_qp *entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	int ret;

	lockdep_assert_held(&cep_qp_mutex);
	if (!entry)
		return ERR_PTR(-ENOMEM);
	entry->qp = qp;
	ret = rhashtable_insert_fast(&cep_qp_table, &entry->node, cep_qp_params);
	if (ret) {
		kfree(entry);
		return ERR_PTR(-ENOMEM);
	}
	return entry;
}

static void cep_qp_remove(struct cep_qp *entry)
{
	lockdep_assert_held(&cep_qp_mutex);
	rhashtable_remove_fast(&cep_qp_table, &entry->node, cep_qp_params);
	kfree(entry);
}

/* Destroy marks the CEP under its lock before it looks whether a QP is bound. */
static int cep_set_qp(struct ib_cep *cep, struct ib_qp *qp)
{
	unsigned long flags;
	int ret = 0;

	lockdep_assert_held(&cep_qp_mutex);
	spin_lock_irqsave(&cep->lock, flags);
	if (qp && test_bit(CEP_F_DESTROYED, &cep->flags))
		ret = -ESHUTDOWN;
	else
		cep->qp = qp;
	spin_unlock_irqrestore(&cep->lock, flags);
	return ret;
}

static void cep_qp_unbind(struct cep_qp *entry)
{
	lockdep_assert_held(&cep_qp_mutex);
	cep_set_qp(entry->cep, NULL);
	entry->cep = NULL;
	if (!entry->dying)
		cep_qp_remove(entry);
}

int ib_cep_bind_qp(struct ib_cep *cep, struct ib_qp *qp)
{
	struct cep_qp *entry;
	int ret = 0;

	might_sleep();
	if (!qp)
		return -EINVAL;
	mutex_lock(&cep_qp_mutex);
	entry = cep_qp_find(qp);
	if (entry) {
		ret = entry->dying ? -ESHUTDOWN : -EBUSY;
	} else if (cep->qp) {
		ret = -EBUSY;
	} else {
		entry = cep_qp_add(qp);
		ret = PTR_ERR_OR_ZERO(entry);
		if (!ret)
			ret = cep_set_qp(cep, qp);
		if (ret && !IS_ERR(entry))
			cep_qp_remove(entry);
		else if (!ret)
			entry->cep = cep;
	}
	mutex_unlock(&cep_qp_mutex);
	return ret;
}
EXPORT_SYMBOL_GPL(ib_cep_bind_qp);

int ib_cep_unbind_qp(struct ib_cep *cep)
{
	int ret = -EINVAL;

	might_sleep();
	mutex_lock(&cep_qp_mutex);
	if (cep->qp) {
		cep_qp_unbind(cep_qp_find(cep->qp));
		ret = 0;
	}
	mutex_unlock(&cep_qp_mutex);
	return ret;
}
EXPORT_SYMBOL_GPL(ib_cep_unbind_qp);

/* For a CEP that is marked destroyed: no new binding can come. */
void cep_qp_forget(struct ib_cep *cep)
{
	unsigned long flags;
	bool bound;

	spin_lock_irqsave(&cep->lock, flags);
	bound = cep->qp;
	spin_unlock_irqrestore(&cep->lock, flags);
	if (!bound)
		return;
	mutex_lock(&cep_qp_mutex);
	/* The QP's own end may have unbound it meanwhile. */
	if (cep->qp)
		cep_qp_unbind(cep_qp_find(cep->qp));
	mutex_unlock(&cep_qp_mutex);
}

struct ib_qp *ib_cep_get_qp(struct ib_cep *cep)
{
	return READ_ONCE(cep->qp);
}
EXPORT_SYMBOL_GPL(ib_cep_get_qp);

int ib_cep_qp_begin_destroy(struct ib_qp *qp)
{
	struct cep_qp *entry;
	int ret = 0;

	might_sleep();
	if (!qp)
		return -EINVAL;
	mutex_lock(&cep_qp_mutex);
	entry = cep_qp_find(qp);
	if (!entry)
		entry = cep_qp_add(qp);
	if (IS_ERR(entry)) {
		ret = PTR_ERR(entry);
	} else if (entry->dying) {
		ret = -ESHUTDOWN;
	} else {
		/*
		 * The CM uses a QP only under this mutex, so with the mark set and the binding
		 * gone nothing of the CM refers to it.
		 */
		entry->dying = true;
		if (entry->cep)
			cep_qp_unbind(entry);
	}
	mutex_unlock(&cep_qp_mutex);
	return ret;
}
EXPORT_SYMBOL_GPL(ib_cep_qp_begin_destroy);

void ib_cep_qp_end_destroy(struct ib_qp *qp)
{
	struct cep_qp *entry;

	might_sleep();
	mutex_lock(&cep_qp_mutex);
	entry = cep_qp_find(qp);
	if (!WARN_ON_ONCE(!entry || !entry->dying))
		cep_qp_remove(entry);
	mutex_unlock(&cep_qp_mutex);
}
EXPORT_SYMBOL_GPL(ib_cep_qp_end_destroy);

int ib_cep_destroy_qp(struct ib_qp *qp)
{
	int ret = ib_cep_qp_begin_destroy(qp);

	if (ret)
		return ret;
	ret = ib_destroy_qp(qp);
	ib_cep_qp_end_destroy(qp);
	return ret;
}
EXPORT_SYMBOL_GPL(ib_cep_destroy_qp);
