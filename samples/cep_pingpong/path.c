// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Paths: the one thing that rdma_cm does for its users and that a ULP on the
 * CM-only interface does itself. Called from process context before a request
 * is made; no state of its own.
 */
#include <linux/completion.h>
#include <linux/inet.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>

#include "path.h"

#define CEP_PATH_TIMEOUT_MS 3000

struct cep_path_wait {
	struct completion	done;
	int			status;
	union ib_gid		sgid;
};

static void cep_path_resolved(int status, struct sockaddr *source,
			      struct rdma_dev_addr *dev_addr, void *context)
{
	struct cep_path_wait *wait = context;

	wait->status = status ?: rdma_ip2gid(source, &wait->sgid);
	complete(&wait->done);
}

static int cep_path_mtu(struct ib_device *device, u32 port, u8 *mtu)
{
	struct ib_port_attr attr;
	int ret = ib_query_port(device, port, &attr);

	if (!ret)
		*mtu = attr.active_mtu;
	return ret;
}

/* The route decides about the source address, and that about the source GID. */
static int cep_path_roce(struct ib_device *device, u32 port, const struct cep_path_dest *dest,
			 const struct sockaddr *address, struct sa_path_rec *path,
			 const struct ib_gid_attr **sgid_attr)
{
	struct rdma_dev_addr dev_addr = { .net = &init_net };
	const struct ib_gid_attr *attr;
	struct cep_path_wait wait = {};
	int ret;

	init_completion(&wait.done);
	ret = rdma_resolve_ip(NULL, address, &dev_addr, CEP_PATH_TIMEOUT_MS, cep_path_resolved,
			      false, &wait);
	if (ret)
		return ret;
	wait_for_completion(&wait.done);
	if (wait.status)
		return wait.status;

	attr = rdma_find_gid_by_port(device, &wait.sgid, dest->gid_type, port, NULL);
	if (IS_ERR(attr))
		return PTR_ERR(attr);

	path->rec_type = dest->gid_type == IB_GID_TYPE_ROCE ? SA_PATH_REC_TYPE_ROCE_V1 :
							      SA_PATH_REC_TYPE_ROCE_V2;
	path->sgid = wait.sgid;
	path->pkey = cpu_to_be16(0xffff);
	path->hop_limit = dev_addr.hoplimit;
	path->roce.route_resolved = true;
	sa_path_set_dmac(path, dev_addr.dst_dev_addr);
	*sgid_attr = attr;
	return rdma_ip2gid((struct sockaddr *)address, &path->dgid);
}

static int cep_path_ib(struct ib_device *device, u32 port, const struct cep_path_dest *dest,
		       const struct sockaddr *address, struct sa_path_rec *path,
		       const struct ib_gid_attr **sgid_attr)
{
	const struct ib_gid_attr *attr;
	struct ib_port_attr port_attr;
	u16 pkey;
	int ret;

	if (!dest->dlid || address->sa_family != AF_INET6)
		return -EINVAL;
	ret = ib_query_port(device, port, &port_attr);
	if (ret)
		return ret;
	ret = ib_get_cached_pkey(device, port, 0, &pkey);
	if (ret)
		return ret;
	attr = rdma_get_gid_attr(device, port, 0);
	if (IS_ERR(attr))
		return PTR_ERR(attr);

	path->rec_type = SA_PATH_REC_TYPE_IB;
	path->sgid = attr->gid;
	path->pkey = cpu_to_be16(pkey);
	sa_path_set_slid(path, port_attr.lid);
	sa_path_set_dlid(path, dest->dlid);
	*sgid_attr = attr;
	return rdma_ip2gid((struct sockaddr *)address, &path->dgid);
}

int cep_path_resolve(struct ib_device *device, u32 port, const struct cep_path_dest *dest,
		     struct sa_path_rec *path, const struct ib_gid_attr **sgid_attr)
{
	struct sockaddr_storage address;
	int ret;

	ret = inet_pton_with_scope(&init_net, AF_UNSPEC, dest->address, NULL, &address);
	if (ret)
		return -EINVAL;

	memset(path, 0, sizeof(*path));
	path->reversible = 1;
	path->numb_path = 1;
	path->mtu_selector = IB_SA_EQ;
	path->rate_selector = IB_SA_EQ;
	path->rate = IB_RATE_PORT_CURRENT;
	path->packet_life_time_selector = IB_SA_EQ;
	path->packet_life_time = dest->life_time_exp;
	ret = cep_path_mtu(device, port, &path->mtu);
	if (ret)
		return ret;

	if (rdma_protocol_roce(device, port))
		return cep_path_roce(device, port, dest, (struct sockaddr *)&address, path,
				     sgid_attr);
	return cep_path_ib(device, port, dest, (struct sockaddr *)&address, path, sgid_attr);
}
