// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Address vectors: how to reach one peer from one port, shared by all CEPs with that
 * path, with one address handle. (A handle for each CEP cannot scale: Soft-RoCE has
 * 32,767 of them, other adapters need a firmware command each, each pins a GID.) The
 * flow label is a connection's own, and no part of this.
 *
 * Concurrency: found under RCU in any context; made in process context, where they may
 * sleep for an address resolution; changes of a bucket are under its leaf lock. The last
 * put may come from any context and queues the release to cep_free_wq.
 */
#include <linux/etherdevice.h>
#include <linux/jhash.h>
#include <linux/jiffies.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>
#include <net/neighbour.h>
#include <net/netevent.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include "shell.h"

/* A neighbour, route or firmware may have changed without telling us. */
#define CEP_AV_MAX_AGE (60 * HZ)

static struct cep_av_bucket *cep_av_bucket(struct cep_port *port, const union ib_gid *dgid,
					   u32 dlid)
{
	u32 hash = jhash2((const u32 *)dgid->raw, sizeof(dgid->raw) / 4, dlid);

	return &port->av[hash % CEP_AV_BUCKETS];
}

static struct cep_av_bucket *cep_av_key_bucket(struct cep_port *port, const struct cep_av_key *key)
{
	return cep_av_bucket(port, &key->dgid, key->dlid);
}

static bool cep_av_usable(const struct cep_av *av)
{
	return !READ_ONCE(av->stale) && time_before(jiffies, av->born + CEP_AV_MAX_AGE);
}

static struct cep_av *cep_av_find(struct cep_port *port, const struct cep_av_key *key)
{
	struct cep_av_bucket *bucket = cep_av_key_bucket(port, key);
	struct cep_av *av, *found = NULL;

	rcu_read_lock();
	hlist_for_each_entry_rcu(av, &bucket->head, node) {
		if (!memcmp(&av->key, key, sizeof(*key)) && cep_av_usable(av) &&
		    refcount_inc_not_zero(&av->refs)) {
			found = av;
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

static void cep_av_release(struct work_struct *work)
{
	struct cep_av *av = container_of(work, struct cep_av, work);
	struct cep_port *port = av->port;

	rdma_destroy_ah(av->ah, RDMA_DESTROY_AH_SLEEPABLE);
	rdma_destroy_ah_attr(&av->ah_attr);
	kfree_rcu(av, rcu);
	if (atomic_dec_and_test(&port->nr_av))
		wake_up_var(&port->nr_av);
	cep_port_put(port);
}

void cep_av_put(struct cep_av *av)
{
	if (!av || !refcount_dec_and_test(&av->refs))
		return;
	INIT_WORK(&av->work, cep_av_release);
	queue_work(cep_free_wq, &av->work);
}

/* Takes an av out of the cache; the cache's reference goes. */
static void cep_av_evict(struct cep_av_bucket *bucket, struct cep_av *av)
{
	lockdep_assert_held(&bucket->lock);
	WRITE_ONCE(av->stale, true);
	hlist_del_init_rcu(&av->node);
	cep_av_put(av);
}

/*
 * Enters a new av. If another context was faster, theirs is used; what was there under the
 * same key and is not usable any more leaves the cache.
 */
static struct cep_av *cep_av_enter(struct cep_av *new)
{
	struct cep_av_bucket *bucket = cep_av_key_bucket(new->port, &new->key);
	struct hlist_node *next;
	struct cep_av *av;
	unsigned long flags;

	spin_lock_irqsave(&bucket->lock, flags);
	hlist_for_each_entry_safe(av, next, &bucket->head, node) {
		if (memcmp(&av->key, &new->key, sizeof(av->key)))
			continue;
		if (cep_av_usable(av)) {
			refcount_inc(&av->refs); /* the cache has one */
			spin_unlock_irqrestore(&bucket->lock, flags);
			cep_av_put(new);
			return av;
		}
		cep_av_evict(bucket, av);
	}
	refcount_inc(&new->refs);
	hlist_add_head_rcu(&new->node, &bucket->head);
	spin_unlock_irqrestore(&bucket->lock, flags);
	return new;
}

/* Takes ownership of ah_attr, also on failure. The caller holds a users reference. */
static struct cep_av *cep_av_make(struct cep_port *port, const struct cep_av_key *key,
				  struct rdma_ah_attr *ah_attr, u16 pkey_index)
{
	struct cep_av *av;
	struct ib_ah *ah;

	/* RoCE has no static rate; what a peer's REQ says there must not reach the handle. */
	if (ah_attr->type == RDMA_AH_ATTR_TYPE_ROCE)
		rdma_ah_set_static_rate(ah_attr, 0);
	/* MADs have none: rdma_cm gives each connection its own, and no av could be shared. */
	if (rdma_ah_get_ah_flags(ah_attr) & IB_AH_GRH)
		ah_attr->grh.flow_label = 0;
	av = kzalloc(sizeof(*av), GFP_NOIO);
	if (!av) {
		rdma_destroy_ah_attr(ah_attr);
		return ERR_PTR(-ENOMEM);
	}
	ah = rdma_create_ah(port->agent->qp->pd, ah_attr, RDMA_CREATE_AH_SLEEPABLE);
	if (IS_ERR(ah)) {
		rdma_destroy_ah_attr(ah_attr);
		kfree(av);
		return ERR_CAST(ah);
	}
	refcount_set(&av->refs, 1);
	av->port = port;
	av->key = *key;
	av->pkey_index = pkey_index;
	av->ah = ah;
	av->born = jiffies;
	rdma_move_ah_attr(&av->ah_attr, ah_attr);
	kref_get(&port->ref);
	atomic_inc(&port->nr_av);
	return cep_av_enter(av);
}

/* --- the way back to where a packet came from ---------------------------------------------- */

static int cep_av_wc_key(struct cep_port *port, const struct ib_mad_recv_wc *rwc,
			 struct cep_av_key *key)
{
	const struct ib_wc *wc = rwc->wc;
	const struct ib_grh *grh = rwc->recv_buf.grh;
	enum rdma_network_type net = RDMA_NETWORK_IB;

	memset(key, 0, sizeof(*key));
	key->kind = CEP_AV_WC;
	key->pkey = wc->pkey_index;
	key->sl = wc->sl;
	key->vlan = wc->wc_flags & IB_WC_WITH_VLAN ? wc->vlan_id : 0xffff;
	if (rdma_cap_eth_ah(port->dev->ibdev, port->num)) {
		if (!(wc->wc_flags & IB_WC_GRH))
			return -EPROTOTYPE;
		if (wc->wc_flags & IB_WC_WITH_NETWORK_HDR_TYPE)
			net = wc->network_hdr_type;
		else
			net = RDMA_NETWORK_ROCE_V1; /* asked for by its own key only */
	} else {
		key->dlid = wc->slid;
		key->slid = wc->dlid_path_bits;
	}
	key->type = net;
	if (wc->wc_flags & IB_WC_GRH) {
		/* IPv4 headers are told from GRHs by the adapter's word only (net). */
		if (ib_get_gids_from_rdma_hdr((const union rdma_network_hdr *)grh,
					      net == RDMA_NETWORK_ROCE_V1 ? RDMA_NETWORK_IB : net,
					      &key->dgid, &key->sgid))
			return -EPROTOTYPE;
		if (net != RDMA_NETWORK_IPV4)
			key->tclass = be32_to_cpu(grh->version_tclass_flow) >> 20;
	}
	return 0;
}

struct cep_av *cep_av_find_wc(struct cep_port *port, const struct ib_mad_recv_wc *wc)
{
	struct cep_av_key key;

	return cep_av_wc_key(port, wc, &key) ? NULL : cep_av_find(port, &key);
}

struct cep_av *cep_av_make_wc(struct cep_port *port, const struct ib_mad_recv_wc *wc)
{
	struct rdma_ah_attr ah_attr;
	struct cep_av_key key;
	struct cep_av *av;
	int ret;

	might_sleep();
	ret = cep_av_wc_key(port, wc, &key);
	if (ret)
		return ERR_PTR(ret);
	av = cep_av_find(port, &key);
	if (av)
		return av;
	ret = ib_init_ah_attr_from_wc(port->dev->ibdev, port->num, wc->wc, wc->recv_buf.grh,
				      &ah_attr);
	if (ret)
		return ERR_PTR(ret);
	return cep_av_make(port, &key, &ah_attr, wc->wc->pkey_index);
}

/* --- the way along a path record --------------------------------------------------------------- */

static void cep_av_path_key(const struct sa_path_rec *path, const struct ib_gid_attr *sgid_attr,
			    struct cep_av_key *key)
{
	struct sa_path_rec *rec = (struct sa_path_rec *)path; /* accessors lack const */

	memset(key, 0, sizeof(*key));
	key->kind = CEP_AV_PATH;
	key->sgid = path->sgid;
	key->dgid = path->dgid;
	key->pkey = be16_to_cpu(path->pkey);
	/* Two netdevs of a port may have the same address. */
	if (sgid_attr)
		key->vlan = sgid_attr->index + 1;
	key->type = path->rec_type;
	key->sl = path->sl;
	key->tclass = path->traffic_class;
	key->hop_limit = path->hop_limit;
	if (sa_path_is_roce(rec)) {
		ether_addr_copy(key->dmac, sa_path_get_dmac(rec));
	} else {
		key->dlid = be32_to_cpu(sa_path_get_dlid(rec));
		key->slid = be32_to_cpu(sa_path_get_slid(rec));
		key->rate = path->rate;
	}
}

struct cep_av *cep_av_find_path(struct cep_port *port, const struct sa_path_rec *path,
				const struct ib_gid_attr *sgid_attr)
{
	struct cep_av_key key;

	cep_av_path_key(path, sgid_attr, &key);
	return cep_av_find(port, &key);
}

struct cep_av *cep_av_make_path(struct cep_port *port, struct sa_path_rec *path,
				const struct ib_gid_attr *sgid_attr)
{
	struct rdma_ah_attr ah_attr;
	struct cep_av_key key;
	struct cep_av *av;
	u16 pkey_index;
	int ret;

	might_sleep();
	cep_av_path_key(path, sgid_attr, &key);
	av = cep_av_find(port, &key);
	if (av)
		return av;
	if (ib_find_cached_pkey(port->dev->ibdev, port->num, be16_to_cpu(path->pkey), &pkey_index))
		return ERR_PTR(-EINVAL);
	ret = ib_init_ah_attr_from_path(port->dev->ibdev, port->num, path, &ah_attr, sgid_attr);
	if (ret)
		return ERR_PTR(ret);
	return cep_av_make(port, &key, &ah_attr, pkey_index);
}

/*
 * For a later send of a CEP that has had its av for a while: a newer one of the same path
 * if the cache has it, else the old one, which works as long as nothing changed. Referenced.
 */
struct cep_av *cep_av_fresh(struct cep_av *av)
{
	struct cep_av *newer;

	if (cep_av_usable(av))
		return cep_av_get(av);
	newer = cep_av_find(av->port, &av->key);
	return newer ?: cep_av_get(av);
}

/* --- when an av gets old ------------------------------------------------------------------------ */

static void cep_av_sweep(struct cep_port *port, bool all)
{
	struct hlist_node *next;
	struct cep_av *av;
	unsigned long flags;
	int i;

	for (i = 0; i < CEP_AV_BUCKETS; i++) {
		struct cep_av_bucket *bucket = &port->av[i];

		spin_lock_irqsave(&bucket->lock, flags);
		hlist_for_each_entry_safe(av, next, &bucket->head, node)
			if (all || !cep_av_usable(av))
				cep_av_evict(bucket, av);
		spin_unlock_irqrestore(&bucket->lock, flags);
	}
}

/* GIDs, LIDs, P_Keys or the link changed: nothing in the cache is for new sends. */
void cep_av_invalidate(struct cep_port *port)
{
	cep_av_sweep(port, true);
}

static void cep_av_reap(struct work_struct *work)
{
	struct cep_port *port = container_of(work, struct cep_port, av_reaper.work);

	cep_av_sweep(port, false);
	queue_delayed_work(cep_free_wq, &port->av_reaper, CEP_AV_MAX_AGE);
}

void cep_av_init(struct cep_port *port)
{
	int i;

	for (i = 0; i < CEP_AV_BUCKETS; i++) {
		spin_lock_init(&port->av[i].lock);
		INIT_HLIST_HEAD(&port->av[i].head);
	}
	INIT_DELAYED_WORK(&port->av_reaper, cep_av_reap);
	queue_delayed_work(cep_free_wq, &port->av_reaper, CEP_AV_MAX_AGE);
}

/*
 * Removal: no CEP and no MAD has an av any more; a REQ callback that still runs may have
 * one, and the device must not go before its addresses.
 */
void cep_av_drain(struct cep_port *port)
{
	cancel_delayed_work_sync(&port->av_reaper);
	cep_av_sweep(port, true);
	wait_var_event(&port->nr_av, !atomic_read(&port->nr_av));
	/* The release that woke us may still be in its last lines. */
	flush_workqueue(cep_free_wq);
}

/* --- a neighbour has another hardware address ------------------------------------------------------ */

struct cep_neigh {
	struct list_head link;
	union ib_gid gid;
	u8 ha[ETH_ALEN];
};

static void cep_av_neigh_moved(struct cep_port *port, const union ib_gid *gid, const u8 *ha)
{
	struct cep_av_bucket *bucket = cep_av_bucket(port, gid, 0);
	struct hlist_node *next;
	struct cep_av *av;
	unsigned long flags;

	spin_lock_irqsave(&bucket->lock, flags);
	hlist_for_each_entry_safe(av, next, &bucket->head, node)
		if (!memcmp(&av->key.dgid, gid, sizeof(*gid)) &&
		    av->ah_attr.type == RDMA_AH_ATTR_TYPE_ROCE &&
		    !ether_addr_equal(av->ah_attr.roce.dmac, ha))
			cep_av_evict(bucket, av);
	spin_unlock_irqrestore(&bucket->lock, flags);
}

static LIST_HEAD(cep_neighs);
static DEFINE_SPINLOCK(cep_neigh_lock); /* cep_neighs: from softirq to the work below */

static void cep_neigh_work(struct work_struct *work)
{
	struct cep_neigh *neigh, *next;
	struct cep_device *dev;
	LIST_HEAD(list);
	u32 i;

	spin_lock_bh(&cep_neigh_lock);
	list_splice_init(&cep_neighs, &list);
	spin_unlock_bh(&cep_neigh_lock);
	mutex_lock(&cep_device_mutex);
	list_for_each_entry_safe(neigh, next, &list, link) {
		list_for_each_entry(dev, &cep_device_list, link)
			for (i = 0; i < dev->nr_ports; i++)
				if (dev->port[i])
					cep_av_neigh_moved(dev->port[i], &neigh->gid, neigh->ha);
		kfree(neigh);
	}
	mutex_unlock(&cep_device_mutex);
}

static DECLARE_WORK(cep_neigh_update, cep_neigh_work);

/* Softirq or process context; a note that is lost costs at most the age limit. */
static int cep_netevent(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct cep_neigh *note;
	struct neighbour *neigh = ptr;

	if (event != NETEVENT_NEIGH_UPDATE || !(READ_ONCE(neigh->nud_state) & NUD_VALID) ||
	    neigh->dev->addr_len != ETH_ALEN)
		return NOTIFY_DONE;
	note = kzalloc(sizeof(*note), GFP_ATOMIC);
	if (!note)
		return NOTIFY_DONE;
	neigh_ha_snapshot((char *)note->ha, neigh, neigh->dev);
	if (neigh->tbl->family == AF_INET)
		ipv6_addr_set_v4mapped(*(__be32 *)neigh->primary_key,
				       (struct in6_addr *)&note->gid);
	else if (neigh->tbl->family == AF_INET6)
		memcpy(&note->gid, neigh->primary_key, sizeof(note->gid));
	else
		goto free;
	spin_lock_bh(&cep_neigh_lock);
	list_add_tail(&note->link, &cep_neighs);
	spin_unlock_bh(&cep_neigh_lock);
	queue_work(cep_free_wq, &cep_neigh_update);
	return NOTIFY_DONE;
free:
	kfree(note);
	return NOTIFY_DONE;
}

static struct notifier_block cep_netevent_block = { .notifier_call = cep_netevent };

int cep_av_notifiers_register(void)
{
	return register_netevent_notifier(&cep_netevent_block);
}

void cep_av_notifiers_unregister(void)
{
	struct cep_neigh *neigh, *next;

	unregister_netevent_notifier(&cep_netevent_block);
	cancel_work_sync(&cep_neigh_update);
	list_for_each_entry_safe(neigh, next, &cep_neighs, link)
		kfree(neigh);
}
