// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A port of an adapter: its MAD agent, its counters, and its removal, after which no CEP
 * holds a buffer, handle, GID or netdev reference of the device. Called by the client in
 * main.c, under the device's own add/remove serialisation.
 *
 * Removal, in this order: users is killed and waited for (so no new use, no resolver
 * item), the CEPs give up what they have, the agent goes (which waits for MADs in
 * flight), then the address vectors, then the counters.
 */
#include <linux/slab.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_sysfs.h>
#include "compat.h"
#include "shell.h"

/* --- counters: the kernel's names, and what was dropped ------------------------------------ */

struct cep_counter_attr {
	struct ib_port_attribute attr;
	unsigned short group; /* CEP_NR_GROUPS: a drop counter */
	unsigned short index;
};

static ssize_t cep_counter_show(struct ib_device *ibdev, u32 port_num,
				struct ib_port_attribute *attr, char *buf);

#define CEP_COUNTER(_group, _prefix, _name, _index)                                    \
	static struct cep_counter_attr cep_counter_##_prefix##_##_name = {             \
		.attr = __ATTR(_name, 0444, cep_counter_show, NULL),                   \
		.group = _group,                                                       \
		.index = _index,                                                       \
	}

#define CEP_COUNTERS(_group, _prefix, _dir)                                            \
	CEP_COUNTER(_group, _prefix, req, 0);                                          \
	CEP_COUNTER(_group, _prefix, mra, 1);                                          \
	CEP_COUNTER(_group, _prefix, rej, 2);                                          \
	CEP_COUNTER(_group, _prefix, rep, 3);                                          \
	CEP_COUNTER(_group, _prefix, rtu, 4);                                          \
	CEP_COUNTER(_group, _prefix, dreq, 5);                                         \
	CEP_COUNTER(_group, _prefix, drep, 6);                                         \
	CEP_COUNTER(_group, _prefix, sidr_req, 7);                                     \
	CEP_COUNTER(_group, _prefix, sidr_rep, 8);                                     \
	CEP_COUNTER(_group, _prefix, lap, 9);                                          \
	CEP_COUNTER(_group, _prefix, apr, 10);                                         \
	static struct attribute *cep_attrs_##_prefix[] = {                             \
		&cep_counter_##_prefix##_req.attr.attr,                                \
		&cep_counter_##_prefix##_mra.attr.attr,                                \
		&cep_counter_##_prefix##_rej.attr.attr,                                \
		&cep_counter_##_prefix##_rep.attr.attr,                                \
		&cep_counter_##_prefix##_rtu.attr.attr,                                \
		&cep_counter_##_prefix##_dreq.attr.attr,                               \
		&cep_counter_##_prefix##_drep.attr.attr,                               \
		&cep_counter_##_prefix##_sidr_req.attr.attr,                           \
		&cep_counter_##_prefix##_sidr_rep.attr.attr,                           \
		&cep_counter_##_prefix##_lap.attr.attr,                                \
		&cep_counter_##_prefix##_apr.attr.attr,                                \
		NULL,                                                                  \
	};                                                                             \
	static const struct attribute_group cep_group_##_prefix = {                    \
		.name = _dir,                                                          \
		.attrs = cep_attrs_##_prefix,                                          \
	}

CEP_COUNTERS(CEP_TX, tx, "cm_tx_msgs");
CEP_COUNTERS(CEP_TX_RETRIES, tx_retries, "cm_tx_retries");
CEP_COUNTERS(CEP_RX, rx, "cm_rx_msgs");
CEP_COUNTERS(CEP_RX_DUPLICATES, rx_duplicates, "cm_rx_duplicates");

#define X(name) CEP_COUNTER(CEP_NR_GROUPS, drop, name, CEP_DROP_##name);
CEP_DROPS(X)
#undef X

static struct attribute *cep_attrs_drop[] = {
#define X(name) &cep_counter_drop_##name.attr.attr,
	CEP_DROPS(X)
#undef X
	NULL,
};

static const struct attribute_group cep_group_drop = {
	.name = "cep_drops",
	.attrs = cep_attrs_drop,
};

static const struct attribute_group *cep_groups[] = {
	&cep_group_tx,
	&cep_group_tx_retries,
	&cep_group_rx,
	&cep_group_rx_duplicates,
	&cep_group_drop,
	NULL,
};

static ssize_t cep_counter_show(struct ib_device *ibdev, u32 port_num,
				struct ib_port_attribute *attr, char *buf)
{
	struct cep_counter_attr *counter = container_of(attr, struct cep_counter_attr, attr);
	struct cep_device *dev = cep_device_get(ibdev);
	struct cep_port *port;
	long value = 0;

	if (!dev)
		return -ENODEV;
	port = dev->port[port_num - 1];
	if (port)
		value = counter->group == CEP_NR_GROUPS ?
				atomic_long_read(&port->drop[counter->index]) :
				atomic_long_read(&port->counter[counter->group][counter->index]);
	cep_device_put(dev);
	return sysfs_emit(buf, "%ld\n", value);
}

/* --- life ----------------------------------------------------------------------------------- */

static void cep_port_free(struct kref *ref)
{
	struct cep_port *port = container_of(ref, struct cep_port, ref);
	struct cep_device *dev = port->dev;

	kfree_rcu(port, rcu);
	cep_device_put(dev);
}

void cep_port_put(struct cep_port *port)
{
	kref_put(&port->ref, cep_port_free);
}

static void cep_port_drained(struct percpu_ref *users)
{
	complete(&container_of(users, struct cep_port, users)->drained);
}

static struct cep_port *cep_port_alloc(struct cep_device *dev, u32 num)
{
	struct cep_port *port = kzalloc(sizeof(*port), GFP_KERNEL);
	int i;

	if (!port)
		return NULL;
	/* Dead until the agent is known: a MAD that comes before that is dropped. */
	if (percpu_ref_init(&port->users, cep_port_drained, PERCPU_REF_INIT_DEAD, GFP_KERNEL)) {
		kfree(port);
		return NULL;
	}
	init_completion(&port->drained);
	kref_init(&port->ref);
	kref_get(&dev->ref);
	port->dev = dev;
	port->num = num;
	for (i = 0; i < CEP_PORT_SHARDS; i++) {
		spin_lock_init(&port->shard[i].lock);
		INIT_LIST_HEAD(&port->shard[i].ceps);
	}
	cep_window_init(&port->window);
	cep_av_init(port);
	return port;
}

/* Ends an allocation that never served anybody. */
static void cep_port_unalloc(struct cep_port *port)
{
	cancel_delayed_work_sync(&port->av_reaper);
	percpu_ref_exit(&port->users);
	cep_port_put(port);
}

static bool cep_port_set_cap(struct cep_port *port)
{
	struct ib_port_modify modify = { .set_port_cap_mask = IB_PORT_CM_SUP };
	struct ib_port_attr attr;

	if (!ib_query_port(port->dev->ibdev, port->num, &attr) &&
	    attr.port_cap_flags & IB_PORT_CM_SUP)
		return false;
	return !ib_modify_port(port->dev->ibdev, port->num, 0, &modify);
}

/* No new use from here on; returns when the last one has ended. */
static void cep_port_kill(struct cep_port *port)
{
	percpu_ref_kill(&port->users);
	wait_for_completion(&port->drained);
}

static struct ib_cep *cep_shard_pop(struct cep_shard *shard)
{
	struct ib_cep *cep, *found = NULL;
	unsigned long flags;

	spin_lock_irqsave(&shard->lock, flags);
	list_for_each_entry(cep, &shard->ceps, port_link) {
		/* One whose count is 0 takes itself off the list in a moment. */
		if (refcount_inc_not_zero(&cep->refs)) {
			found = cep;
			list_del_init(&cep->port_link);
			break;
		}
	}
	spin_unlock_irqrestore(&shard->lock, flags);
	return found;
}

/* Everything of the port's ends but the counters. Waits for MADs that the adapter has. */
static void cep_port_quiesce(struct cep_port *port)
{
	struct ib_cep *cep;
	int i;

	cep_port_kill(port);
	for (i = 0; i < CEP_PORT_SHARDS; i++) {
		while ((cep = cep_shard_pop(&port->shard[i]))) {
			cep_device_gone(cep);
			cep_put(cep);
			cond_resched();
		}
	}
	ib_unregister_mad_agent(port->agent);
	cancel_work_sync(&port->window.work);
	cep_av_drain(port);
}

int cep_port_add(struct cep_device *dev, u32 num)
{
	struct ib_mad_reg_req req = {
		.mgmt_class = IB_MGMT_CLASS_CM,
		.mgmt_class_version = CEP_CLASS_VERSION,
	};
	struct cep_port *port = cep_port_alloc(dev, num);
	int ret;

	if (!port)
		return -ENOMEM;
	dev->port[num - 1] = port;
	set_bit(IB_MGMT_METHOD_SEND, req.method_mask);
	port->agent = ib_register_mad_agent(dev->ibdev, num, IB_QPT_GSI, &req, 0, cep_tx_handler,
					    cep_rx_handler, port, 0);
	if (IS_ERR(port->agent)) {
		ret = PTR_ERR(port->agent);
		goto unalloc;
	}
	percpu_ref_reinit(&port->users);
	ret = ib_port_register_client_groups(dev->ibdev, num, cep_groups);
	if (ret)
		goto quiesce;
	port->cap_was_ours = cep_port_set_cap(port);
	return 0;

quiesce:
	/* A listener on all devices may have CEPs here by now. */
	cep_port_quiesce(port);
unalloc:
	dev->port[num - 1] = NULL;
	cep_port_unalloc(port);
	return ret;
}

void cep_port_remove(struct cep_port *port)
{
	struct ib_port_modify modify = { .clr_port_cap_mask = IB_PORT_CM_SUP };
	struct ib_device *ibdev = port->dev->ibdev;

	if (port->cap_was_ours)
		ib_modify_port(ibdev, port->num, 0, &modify);
	cep_port_quiesce(port);
	ib_port_unregister_client_groups(ibdev, port->num, cep_groups);
	percpu_ref_exit(&port->users);
}
