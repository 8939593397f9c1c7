/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A path to a destination, made without rdma_cm. RoCE: from an IP address, by
 * the host's routes and neighbours. InfiniBand: from a LID and GID that the
 * user has given (a real ULP would ask the subnet administrator).
 */
#ifndef CEP_PINGPONG_PATH_H
#define CEP_PINGPONG_PATH_H

#include <linux/types.h>
#include <rdma/ib_sa.h>
#include <rdma/ib_verbs.h>

/**
 * struct cep_path_dest - where to, in the user's words
 * @address: RoCE: IPv4 or IPv6 address; InfiniBand: the GID, in IPv6 notation
 * @dlid: InfiniBand: destination LID
 * @gid_type: RoCE: version 2 (IB_GID_TYPE_ROCE_UDP_ENCAP) or 1 (IB_GID_TYPE_ROCE)
 * @life_time_exp: packet life time, 4.096 us x 2^n
 */
struct cep_path_dest {
	const char		*address;
	u16			dlid;
	enum ib_gid_type	gid_type;
	u8			life_time_exp;
};

/**
 * cep_path_resolve - fill @path and find its source GID
 *
 * May sleep up to three seconds for a neighbour. On success *@sgid_attr holds a
 * reference (rdma_put_gid_attr()).
 */
int cep_path_resolve(struct ib_device *device, u32 port, const struct cep_path_dest *dest,
		     struct sa_path_rec *path, const struct ib_gid_attr **sgid_attr);

#endif
