// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Adapters that come and go. Module parameters make some when the module is loaded, so
 * that it is of use without a test module; they stay until it is unloaded.
 *
 * Concurrency: callers serialise add and remove of one adapter; ports are joined to and
 * taken from the fabric under its lock.
 */
#include <linux/etherdevice.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include "fake.h"

MODULE_AUTHOR("The ib_cep authors");
MODULE_DESCRIPTION("InfiniBand adapters made of software, with faults on request");
MODULE_LICENSE("Dual BSD/GPL");

static unsigned int adapters;
module_param(adapters, uint, 0444);
MODULE_PARM_DESC(adapters, "adapters to make at load (0)");

static unsigned int ports = 1;
module_param(ports, uint, 0444);
MODULE_PARM_DESC(ports, "ports of each (1)");

static bool roce;
module_param(roce, bool, 0444);
MODULE_PARM_DESC(roce, "RoCE instead of InfiniBand");

static LIST_HEAD(cep_fake_adapters); /* those made at load; init and exit only */

/* --- the network interface of a RoCE port ------------------------------------------------------ */

/* No Ethernet frame leaves it: RDMA has the fabric. */
static netdev_tx_t cep_fake_xmit(struct sk_buff *skb, struct net_device *netdev)
{
	dev_kfree_skb_any(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops cep_fake_netdev_ops = {
	.ndo_start_xmit = cep_fake_xmit,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
};

static void cep_fake_netdev_setup(struct net_device *netdev)
{
	ether_setup(netdev);
	netdev->netdev_ops = &cep_fake_netdev_ops;
	netdev->flags |= IFF_NOARP;
	netdev->needs_free_netdev = true;
	eth_hw_addr_random(netdev);
}

static struct net_device *cep_fake_netdev_add(void)
{
	struct net_device *netdev;
	int ret;

	netdev = alloc_netdev(0, "cepfake%d", NET_NAME_ENUM, cep_fake_netdev_setup);
	if (!netdev)
		return ERR_PTR(-ENOMEM);
	ret = register_netdev(netdev);
	if (ret) {
		free_netdev(netdev);
		return ERR_PTR(ret);
	}
	rtnl_lock();
	ret = dev_open(netdev, NULL);
	rtnl_unlock();
	if (ret) {
		unregister_netdev(netdev);
		return ERR_PTR(ret);
	}
	return netdev;
}

/* --- ports -------------------------------------------------------------------------------------- */

static bool cep_fake_lid_free(u32 lid, u8 lmc)
{
	struct cep_fake_port *port;

	list_for_each_entry(port, &cep_fake_ports, link)
		if (!port->roce && port->lid < lid + (1U << lmc) &&
		    lid < port->lid + (1U << port->lmc))
			return false;
	return true;
}

/* Joins the fabric with the first free range of unicast LIDs. */
static int cep_fake_port_join(struct cep_fake_port *port)
{
	u32 step = 1U << port->lmc, lid = step > 1 ? step : 2; /* 1 would be the manager's */
	int ret = 0;

	spin_lock_irq(&cep_fake_lock);
	if (!port->roce) {
		while (lid < 0xc000 && !cep_fake_lid_free(lid, port->lmc))
			lid += step;
		if (lid + step > 0xc000)
			ret = -ENOSPC;
		port->lid = lid;
	}
	if (!ret)
		list_add_tail(&port->link, &cep_fake_ports);
	spin_unlock_irq(&cep_fake_lock);
	return ret;
}

static void cep_fake_port_leave(struct cep_fake_port *port)
{
	spin_lock_irq(&cep_fake_lock);
	list_del_init(&port->link);
	spin_unlock_irq(&cep_fake_lock);
	if (port->netdev) {
		ib_device_set_netdev(&port->fake->ibdev, NULL, port->num);
		unregister_netdev(port->netdev);
	}
	port->netdev = NULL;
}

static int cep_fake_port_init(struct cep_fake *fake, u32 num)
{
	struct cep_fake_port *port = &fake->port[num - 1];
	struct net_device *netdev;
	int ret;

	port->fake = fake;
	port->num = num;
	port->lmc = fake->param.lmc;
	port->roce = fake->param.roce;
	port->active = true;
	port->pkey[0] = 0xffff;
	port->pkey[1] = 0x8001;
	if (port->roce) {
		netdev = cep_fake_netdev_add();
		if (IS_ERR(netdev))
			return PTR_ERR(netdev);
		port->netdev = netdev;
		ret = ib_device_set_netdev(&fake->ibdev, netdev, num);
		if (ret)
			return ret;
	} else {
		port->gid[0].global.subnet_prefix = cpu_to_be64(0xfe80000000000000ULL);
		port->gid[0].global.interface_id =
			cpu_to_be64(be64_to_cpu(fake->ibdev.node_guid) + num);
	}
	return cep_fake_port_join(port);
}

/* --- adapters ----------------------------------------------------------------------------------- */

static void cep_fake_leave_all(struct cep_fake *fake)
{
	u32 i;

	for (i = 0; i < fake->param.ports; i++)
		cep_fake_port_leave(&fake->port[i]);
}

struct cep_fake *cep_fake_add(const struct cep_fake_param *param)
{
	static atomic_t next_guid = ATOMIC_INIT(0);
	struct ib_device *ibdev;
	struct cep_fake *fake;
	int ret = 0;
	u32 i;

	if (!param->ports || param->ports > 255 || param->lmc > 7)
		return ERR_PTR(-EINVAL);
	/* The ports follow the device, which the verbs layer allocates by its size. */
	ibdev = _ib_alloc_device(struct_size(fake, port, param->ports));
	if (!ibdev)
		return ERR_PTR(-ENOMEM);
	fake = to_fake(ibdev);
	fake->param = *param;
	INIT_LIST_HEAD(&fake->link);
	ibdev->node_type = RDMA_NODE_IB_CA;
	ibdev->node_guid = cpu_to_be64(0x0200ce0000000000ULL +
				       ((u64)(u32)atomic_inc_return(&next_guid) << 8));
	ibdev->phys_port_cnt = param->ports;
	ibdev->num_comp_vectors = 1;
	strscpy(ibdev->node_desc, "software adapter", sizeof(ibdev->node_desc));
	if (param->roce)
		ib_set_device_ops(ibdev, &cep_fake_roce_ops);
	ib_set_device_ops(ibdev, &cep_fake_ops);
	for (i = 0; i < param->ports; i++)
		INIT_LIST_HEAD(&fake->port[i].link);
	for (i = 1; i <= param->ports && !ret; i++)
		ret = cep_fake_port_init(fake, i);
	if (!ret)
		ret = ib_register_device(ibdev, "cepfake%d", NULL);
	if (ret) {
		cep_fake_leave_all(fake);
		ib_dealloc_device(ibdev);
		return ERR_PTR(ret);
	}
	return fake;
}
EXPORT_SYMBOL_GPL(cep_fake_add);

void cep_fake_remove(struct cep_fake *fake)
{
	u32 i;

	for (i = 1; i <= fake->param.ports; i++) {
		cep_fake_set_faults(fake, i, NULL);
		cep_fake_complete(fake, i);
	}
	ib_unregister_device(&fake->ibdev);
	cep_fake_leave_all(fake);
	WARN_ON(atomic_read(&fake->ahs) || atomic_read(&fake->qps) || atomic_read(&fake->cqs) ||
		atomic_read(&fake->pds));
	ib_dealloc_device(&fake->ibdev);
}
EXPORT_SYMBOL_GPL(cep_fake_remove);

struct ib_device *cep_fake_ibdev(struct cep_fake *fake)
{
	return &fake->ibdev;
}
EXPORT_SYMBOL_GPL(cep_fake_ibdev);

u16 cep_fake_lid(struct cep_fake *fake, u32 port)
{
	return fake->port[port - 1].lid;
}
EXPORT_SYMBOL_GPL(cep_fake_lid);

void cep_fake_use(struct cep_fake *fake, struct cep_fake_use *use)
{
	use->ahs = atomic_read(&fake->ahs);
	use->qps = atomic_read(&fake->qps);
	use->cqs = atomic_read(&fake->cqs);
	use->pds = atomic_read(&fake->pds);
}
EXPORT_SYMBOL_GPL(cep_fake_use);

void cep_fake_set_active(struct cep_fake *fake, u32 port, bool active)
{
	struct ib_event event = {
		.device = &fake->ibdev,
		.element.port_num = port,
		.event = active ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR,
	};

	spin_lock_irq(&cep_fake_lock);
	fake->port[port - 1].active = active;
	spin_unlock_irq(&cep_fake_lock);
	ib_dispatch_event(&event);
}
EXPORT_SYMBOL_GPL(cep_fake_set_active);

void cep_fake_set_faults(struct cep_fake *fake, u32 port, const struct cep_fake_faults *faults)
{
	static const struct cep_fake_faults none;
	struct cep_fake_port *at = &fake->port[port - 1];
	unsigned long flags;

	spin_lock_irqsave(&cep_fake_lock, flags);
	at->faults = faults ? *faults : none;
	at->chance = at->faults.seed ?: 0x9e3779b97f4a7c15ULL;
	at->sent = 0;
	spin_unlock_irqrestore(&cep_fake_lock, flags);
}
EXPORT_SYMBOL_GPL(cep_fake_set_faults);

void cep_fake_complete(struct cep_fake *fake, u32 port)
{
	struct cep_fake_qp *qp;
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&cep_fake_lock, flags);
	qp = fake->port[port - 1].gsi;
	for (i = 0; qp && i < qp->withheld_count; i++)
		cep_fake_qp_complete(qp, qp->withheld[i].cqe, qp->withheld[i].status);
	if (qp)
		qp->withheld_count = 0;
	spin_unlock_irqrestore(&cep_fake_lock, flags);
}
EXPORT_SYMBOL_GPL(cep_fake_complete);

static void cep_fake_remove_all(void)
{
	struct cep_fake *fake, *next;

	list_for_each_entry_safe(fake, next, &cep_fake_adapters, link) {
		list_del_init(&fake->link);
		cep_fake_remove(fake);
	}
	cep_fake_wire_stop();
}

static int __init cep_fake_init(void)
{
	struct cep_fake_param param = { .ports = ports, .roce = roce };
	struct cep_fake *fake;
	unsigned int i;

	for (i = 0; i < adapters; i++) {
		fake = cep_fake_add(&param);
		if (IS_ERR(fake)) {
			cep_fake_remove_all();
			return PTR_ERR(fake);
		}
		list_add_tail(&fake->link, &cep_fake_adapters);
	}
	return 0;
}

static void __exit cep_fake_exit(void)
{
	cep_fake_remove_all();
}

module_init(cep_fake_init);
module_exit(cep_fake_exit);
