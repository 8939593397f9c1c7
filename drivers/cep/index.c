// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Finding a CEP by what a message says: its local communication ID, or what the
 * peer calls itself, (CA GUID, comm ID) and (CA GUID, QPN). Called from the receive
 * path and from run.c.
 *
 * Concurrency: each bucket and each comm-ID shard has its own irqsave leaf lock, held
 * for O(1). Inserting never allocates: remote entries are part of the CEP or of the
 * received message, and the slot of a comm ID is reserved in process context.
 * An entry of a CEP holds a reference that is put by whoever withdraws it.
 */
#include <linux/hash.h>
#include <linux/jhash.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include "shell.h"

#define CEP_ID_SHARD_BITS 3
#define CEP_ID_SHARDS (1 << CEP_ID_SHARD_BITS)

struct cep_bucket {
	spinlock_t lock; /* leaf: the list and its entries' hlist_node */
	struct hlist_head head;
};

struct cep_id_shard {
	struct xarray ids; /* its own lock is the leaf lock */
	u32 next;          /* cyclic, so that an ID is not used again soon */
} ____cacheline_aligned_in_smp;

static struct cep_id_shard cep_ids[CEP_ID_SHARDS];
static struct cep_bucket *cep_by_comm_id;
static struct cep_bucket *cep_by_qpn;
static unsigned int cep_bucket_mask;
static u32 cep_hash_seed;

static struct cep_bucket *cep_bucket(struct cep_bucket *table, u64 ca_guid, u32 id)
{
	u32 hash = jhash_3words((u32)ca_guid, (u32)(ca_guid >> 32), id, cep_hash_seed);

	return &table[hash & cep_bucket_mask];
}

static struct cep_bucket *cep_table_alloc(unsigned int size)
{
	struct cep_bucket *table = kvmalloc_array(size, sizeof(*table), GFP_KERNEL);
	unsigned int i;

	for (i = 0; table && i < size; i++) {
		spin_lock_init(&table[i].lock);
		INIT_HLIST_HEAD(&table[i].head);
	}
	return table;
}

int cep_index_init(void)
{
	unsigned int order = cep_table_order;
	int i;

	/* By default one bucket for each 64 KiB of memory, as a table of this kind has. */
	if (!order)
		order = ilog2(totalram_pages() >> 4 ?: 1);
	order = clamp(order, 10U, 20U);
	cep_bucket_mask = (1U << order) - 1;
	cep_hash_seed = get_random_u32();
	cep_by_comm_id = cep_table_alloc(1U << order);
	cep_by_qpn = cep_table_alloc(1U << order);
	if (!cep_by_comm_id || !cep_by_qpn) {
		kvfree(cep_by_comm_id);
		kvfree(cep_by_qpn);
		return -ENOMEM;
	}
	for (i = 0; i < CEP_ID_SHARDS; i++) {
		xa_init_flags(&cep_ids[i].ids, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_IRQ);
		cep_ids[i].next = get_random_u32() >> CEP_ID_SHARD_BITS;
	}
	return 0;
}

void cep_index_exit(void)
{
	unsigned int b;
	int i;

	for (i = 0; i < CEP_ID_SHARDS; i++) {
		WARN_ON(!xa_empty(&cep_ids[i].ids));
		xa_destroy(&cep_ids[i].ids);
	}
	for (b = 0; b <= cep_bucket_mask; b++) {
		WARN_ON_ONCE(!hlist_empty(&cep_by_comm_id[b].head));
		WARN_ON_ONCE(!hlist_empty(&cep_by_qpn[b].head));
	}
	kvfree(cep_by_comm_id);
	kvfree(cep_by_qpn);
}

/* --- comm IDs: shard in the low bits, index (never 0) above ------------------------ */

int cep_comm_id_reserve(u32 *comm_id)
{
	static atomic_t turn;
	u32 shard_nr = (u32)atomic_inc_return(&turn) & (CEP_ID_SHARDS - 1);
	struct cep_id_shard *shard = &cep_ids[shard_nr];
	struct xa_limit limit = XA_LIMIT(1, U32_MAX >> CEP_ID_SHARD_BITS);
	unsigned long flags;
	u32 id;
	int ret;

	might_sleep();
	xa_lock_irqsave(&shard->ids, flags);
	/* A NULL entry reserves: lookups find nothing until publish. */
	ret = __xa_alloc_cyclic(&shard->ids, &id, NULL, limit, &shard->next, GFP_NOIO);
	xa_unlock_irqrestore(&shard->ids, flags);
	if (ret < 0)
		return ret == -EBUSY ? -ENOMEM : ret;
	*comm_id = id << CEP_ID_SHARD_BITS | shard_nr;
	return 0;
}

void cep_comm_id_publish(u32 comm_id, struct ib_cep *cep)
{
	struct xarray *ids = &cep_ids[comm_id & (CEP_ID_SHARDS - 1)].ids;
	unsigned long flags;

	xa_lock_irqsave(ids, flags);
	WARN_ON_ONCE(xa_is_err(__xa_store(ids, comm_id >> CEP_ID_SHARD_BITS, cep, 0)));
	xa_unlock_irqrestore(ids, flags);
}

void cep_comm_id_free(u32 comm_id)
{
	struct xarray *ids = &cep_ids[comm_id & (CEP_ID_SHARDS - 1)].ids;
	unsigned long flags;

	xa_lock_irqsave(ids, flags);
	__xa_erase(ids, comm_id >> CEP_ID_SHARD_BITS);
	xa_unlock_irqrestore(ids, flags);
}

struct ib_cep *cep_comm_id_find(u32 comm_id)
{
	struct ib_cep *cep;

	rcu_read_lock();
	cep = xa_load(&cep_ids[comm_id & (CEP_ID_SHARDS - 1)].ids, comm_id >> CEP_ID_SHARD_BITS);
	/* Freed after a grace period: its count may be looked at, and 0 stays 0. */
	if (cep && !refcount_inc_not_zero(&cep->refs))
		cep = NULL;
	rcu_read_unlock();
	return cep;
}

/* --- remote tables ------------------------------------------------------------------ */

/* A reference on the CEP behind an entry; NULL for a placeholder. Bucket lock held. */
static struct ib_cep *cep_peer_owner(struct cep_peer *peer)
{
	return peer->kind == CEP_PEER_CEP ? cep_get(container_of(peer, struct ib_cep, peer)) : NULL;
}

static struct cep_peer *cep_find_comm_id(struct cep_bucket *bucket, u64 ca_guid, u32 comm_id)
{
	struct cep_peer *peer;

	lockdep_assert_held(&bucket->lock);
	hlist_for_each_entry(peer, &bucket->head, by_comm_id)
		if (peer->ca_guid == ca_guid && peer->comm_id == comm_id)
			return peer;
	return NULL;
}

static struct cep_peer *cep_find_qpn(struct cep_bucket *bucket, u64 ca_guid, u32 qpn)
{
	struct cep_peer *peer;

	lockdep_assert_held(&bucket->lock);
	hlist_for_each_entry(peer, &bucket->head, by_qpn)
		if (peer->ca_guid == ca_guid && peer->qpn == qpn)
			return peer;
	return NULL;
}

/*
 * Enters a placeholder into both tables, or says who is there already: a CEP under the
 * same comm ID or only under the same QPN (*owner, referenced), or BUSY: another
 * placeholder, so the message is a duplicate of one that is being worked on.
 */
enum cep_claim cep_index_claim(struct cep_peer *peer, struct ib_cep **owner)
{
	struct cep_bucket *comm = cep_bucket(cep_by_comm_id, peer->ca_guid, peer->comm_id);
	struct cep_bucket *qpn = cep_bucket(cep_by_qpn, peer->ca_guid, peer->qpn);
	struct cep_peer *other;
	unsigned long flags;

	*owner = NULL;
	spin_lock_irqsave(&comm->lock, flags);
	other = cep_find_comm_id(comm, peer->ca_guid, peer->comm_id);
	if (other)
		*owner = cep_peer_owner(other);
	else
		hlist_add_head(&peer->by_comm_id, &comm->head);
	spin_unlock_irqrestore(&comm->lock, flags);
	if (other)
		return *owner ? CEP_CLAIM_COMM_ID : CEP_CLAIM_BUSY;

	spin_lock_irqsave(&qpn->lock, flags);
	other = cep_find_qpn(qpn, peer->ca_guid, peer->qpn);
	if (other)
		*owner = cep_peer_owner(other);
	else
		hlist_add_head(&peer->by_qpn, &qpn->head);
	spin_unlock_irqrestore(&qpn->lock, flags);
	if (!other) {
		peer->indexed = true;
		return CEP_CLAIMED;
	}

	spin_lock_irqsave(&comm->lock, flags);
	hlist_del_init(&peer->by_comm_id);
	spin_unlock_irqrestore(&comm->lock, flags);
	return *owner ? CEP_CLAIM_QPN : CEP_CLAIM_BUSY;
}

/* A CEP's entry takes the placeholder's places. The caller holds its lock and gives a reference. */
void cep_index_replace(struct cep_peer *from, struct cep_peer *to)
{
	struct cep_bucket *comm = cep_bucket(cep_by_comm_id, from->ca_guid, from->comm_id);
	struct cep_bucket *qpn = cep_bucket(cep_by_qpn, from->ca_guid, from->qpn);
	unsigned long flags;

	to->ca_guid = from->ca_guid;
	to->comm_id = from->comm_id;
	to->qpn = from->qpn;
	to->indexed = true;
	spin_lock_irqsave(&comm->lock, flags);
	hlist_add_behind(&to->by_comm_id, &from->by_comm_id);
	hlist_del_init(&from->by_comm_id);
	spin_unlock_irqrestore(&comm->lock, flags);
	spin_lock_irqsave(&qpn->lock, flags);
	hlist_add_behind(&to->by_qpn, &from->by_qpn);
	hlist_del_init(&from->by_qpn);
	spin_unlock_irqrestore(&qpn->lock, flags);
	from->indexed = false;
}

void cep_index_withdraw(struct cep_peer *peer)
{
	struct cep_bucket *comm = cep_bucket(cep_by_comm_id, peer->ca_guid, peer->comm_id);
	struct cep_bucket *qpn = cep_bucket(cep_by_qpn, peer->ca_guid, peer->qpn);
	unsigned long flags;

	if (!peer->indexed)
		return;
	spin_lock_irqsave(&comm->lock, flags);
	hlist_del_init(&peer->by_comm_id);
	spin_unlock_irqrestore(&comm->lock, flags);
	spin_lock_irqsave(&qpn->lock, flags);
	hlist_del_init(&peer->by_qpn);
	spin_unlock_irqrestore(&qpn->lock, flags);
	peer->indexed = false;
}

struct ib_cep *cep_index_find_peer(u64 ca_guid, u32 comm_id)
{
	struct cep_bucket *comm = cep_bucket(cep_by_comm_id, ca_guid, comm_id);
	struct cep_peer *peer;
	struct ib_cep *cep = NULL;
	unsigned long flags;

	spin_lock_irqsave(&comm->lock, flags);
	peer = cep_find_comm_id(comm, ca_guid, comm_id);
	if (peer)
		cep = cep_peer_owner(peer);
	spin_unlock_irqrestore(&comm->lock, flags);
	return cep;
}
