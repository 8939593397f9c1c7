// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Loading and unloading, and adapters that come and go: the ib_client. A device is found
 * by ULPs' calls through the list here; connections do not pass this file.
 *
 * Concurrency: the verbs layer serialises add and remove of one device; several devices
 * may come and go at once. cep_device_mutex protects the list only.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include "shell.h"

MODULE_AUTHOR("The ib_cep authors");
MODULE_DESCRIPTION("InfiniBand connection manager with per-connection endpoints");
MODULE_LICENSE("Dual BSD/GPL");

unsigned int cep_max_resolving = 1024;
module_param_named(max_resolving, cep_max_resolving, uint, 0644);
MODULE_PARM_DESC(max_resolving, "messages of a port that may wait for an address (1024)");

unsigned int cep_max_posted = 64;
module_param_named(max_posted, cep_max_posted, uint, 0644);
MODULE_PARM_DESC(max_posted, "requests of a port that are posted at once (64; the MAD layer queues 128)");

unsigned int cep_max_orphans = 65536;
module_param_named(max_orphans, cep_max_orphans, uint, 0644);
MODULE_PARM_DESC(max_orphans, "destroyed connections that retry their DREQ; beyond it one DREQ only (65536)");

unsigned int cep_max_mra_exp = 25;
module_param_named(max_mra_exp, cep_max_mra_exp, uint, 0644);
MODULE_PARM_DESC(max_mra_exp, "longest delay that one MRA may ask for, 4.096 us x 2^n (25)");

unsigned int cep_table_order;
module_param_named(table_order, cep_table_order, uint, 0444);
MODULE_PARM_DESC(table_order, "log2 of the buckets in the remote tables (0: by memory)");

LIST_HEAD(cep_device_list);
DEFINE_MUTEX(cep_device_mutex); /* cep_device_list */
struct workqueue_struct *cep_event_wq;
struct workqueue_struct *cep_resolve_wq;
struct workqueue_struct *cep_free_wq;

static void cep_device_free(struct kref *ref)
{
	kfree(container_of(ref, struct cep_device, ref));
}

void cep_device_put(struct cep_device *dev)
{
	kref_put(&dev->ref, cep_device_free);
}

/* The device, referenced, if a CM of ours serves it. May sleep. */
struct cep_device *cep_device_get(struct ib_device *ibdev)
{
	struct cep_device *dev, *found = NULL;

	mutex_lock(&cep_device_mutex);
	list_for_each_entry(dev, &cep_device_list, link) {
		if (dev->ibdev == ibdev) {
			kref_get(&dev->ref);
			found = dev;
			break;
		}
	}
	mutex_unlock(&cep_device_mutex);
	return found;
}

/* Hard interrupt at worst, but the cache's locks are irqsave and the releases queued. */
static void cep_device_event(struct ib_event_handler *handler, struct ib_event *event)
{
	struct cep_device *dev = container_of(handler, struct cep_device, event_handler);
	u32 num = event->element.port_num;

	switch (event->event) {
	case IB_EVENT_GID_CHANGE:
	case IB_EVENT_PKEY_CHANGE:
	case IB_EVENT_LID_CHANGE:
	case IB_EVENT_PORT_ERR:
	case IB_EVENT_PORT_ACTIVE:
	case IB_EVENT_SM_CHANGE:
	case IB_EVENT_CLIENT_REREGISTER:
		if (num && num <= dev->nr_ports && dev->port[num - 1])
			cep_av_invalidate(dev->port[num - 1]);
		break;
	default:
		break;
	}
}

static void cep_device_teardown(struct cep_device *dev)
{
	u32 i;

	for (i = 0; i < dev->nr_ports; i++) {
		struct cep_port *port = dev->port[i];

		if (!port)
			continue;
		cep_port_remove(port);
		WRITE_ONCE(dev->port[i], NULL);
		cep_port_put(port);
	}
}

static int cep_add_ports(struct cep_device *dev)
{
	unsigned int served = 0;
	u32 i;
	int ret;

	rdma_for_each_port(dev->ibdev, i) {
		if (!rdma_cap_ib_cm(dev->ibdev, i))
			continue;
		ret = cep_port_add(dev, i);
		if (ret) {
			cep_device_teardown(dev);
			return ret;
		}
		served++;
	}
	return served ? 0 : -EOPNOTSUPP;
}

static struct ib_client cep_client;

static int cep_add_one(struct ib_device *ibdev)
{
	struct cep_device *dev;
	int ret;

	dev = kzalloc(struct_size(dev, port, ibdev->phys_port_cnt), GFP_KERNEL);
	if (!dev)
		return -ENOMEM;
	kref_init(&dev->ref);
	INIT_LIST_HEAD(&dev->link);
	dev->ibdev = ibdev;
	dev->nr_ports = ibdev->phys_port_cnt;
	dev->node_guid = be64_to_cpu(ibdev->node_guid);
	dev->ack_delay_exp = ibdev->attrs.local_ca_ack_delay;
	ret = cep_add_ports(dev);
	if (ret) {
		if (ret == -EINVAL)
			pr_err("ib_cep: %s: another connection manager (the kernel's ib_cm) serves this device already, which is left alone. To use ib_cep: stop the users of RDMA, 'modprobe -r ib_cm' and what depends on it, load ib_cep and its drop-in ib_cm, then the users again; or 'make install' and reboot.\n",
			       dev_name(&ibdev->dev));
		else if (ret != -EOPNOTSUPP)
			pr_err("ib_cep: %s: cannot be served: error %d\n", dev_name(&ibdev->dev),
			       ret);
		cep_device_put(dev);
		return ret;
	}
	INIT_IB_EVENT_HANDLER(&dev->event_handler, ibdev, cep_device_event);
	ib_register_event_handler(&dev->event_handler);
	ib_set_client_data(ibdev, &cep_client, dev);
	mutex_lock(&cep_device_mutex);
	list_add_tail(&dev->link, &cep_device_list);
	mutex_unlock(&cep_device_mutex);
	return 0;
}

static void cep_remove_one(struct ib_device *ibdev, void *client_data)
{
	struct cep_device *dev = client_data;

	mutex_lock(&cep_device_mutex);
	list_del_init(&dev->link);
	mutex_unlock(&cep_device_mutex);
	WRITE_ONCE(dev->gone, true);
	ib_unregister_event_handler(&dev->event_handler);
	cep_device_teardown(dev);
	cep_device_put(dev);
}

static struct ib_client cep_client = {
	.name = "cep",
	.add = cep_add_one,
	.remove = cep_remove_one,
};

static int cep_workqueues_alloc(void)
{
	cep_event_wq = alloc_workqueue("ib_cep_event", WQ_UNBOUND | WQ_MEM_RECLAIM,
				       WQ_UNBOUND_MAX_ACTIVE);
	cep_resolve_wq = alloc_workqueue("ib_cep_resolve", WQ_UNBOUND | WQ_MEM_RECLAIM,
					 WQ_UNBOUND_MAX_ACTIVE);
	cep_free_wq = alloc_workqueue("ib_cep_free", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return cep_event_wq && cep_resolve_wq && cep_free_wq ? 0 : -ENOMEM;
}

static void cep_workqueues_free(void)
{
	if (cep_event_wq)
		destroy_workqueue(cep_event_wq);
	if (cep_resolve_wq)
		destroy_workqueue(cep_resolve_wq);
	if (cep_free_wq)
		destroy_workqueue(cep_free_wq);
}

static int __init cep_init(void)
{
	int ret;

	ret = cep_workqueues_alloc();
	if (ret)
		goto free_wq;
	ret = cep_index_init();
	if (ret)
		goto free_wq;
	ret = cep_qp_init();
	if (ret)
		goto exit_index;
	ret = cep_av_notifiers_register();
	if (ret)
		goto exit_qp;
	ret = ib_register_client(&cep_client);
	if (ret)
		goto unregister_notifiers;
	return 0;

unregister_notifiers:
	cep_av_notifiers_unregister();
exit_qp:
	cep_qp_exit();
exit_index:
	cep_index_exit();
free_wq:
	cep_workqueues_free();
	return ret;
}

/*
 * Every ULP has gone before us (they use our symbols), so what is left are CEPs without
 * one: orphans and timewait. They end with their devices.
 */
static void __exit cep_exit(void)
{
	ib_unregister_client(&cep_client);
	cep_av_notifiers_unregister();
	/* A timer's handler that was late for its CEP's end may still be in its last lines. */
	synchronize_rcu();
	flush_workqueue(cep_event_wq);
	cep_workqueues_free();
	rcu_barrier();
	cep_qp_exit();
	cep_index_exit();
}

module_init(cep_init);
module_exit(cep_exit);
