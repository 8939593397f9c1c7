// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What a received message needs an address for: a REQ becomes a CEP here, and an answer
 * without a CEP is sent from here. Where the address is in the cache that happens at
 * once, in the receive handler; else the message waits in the port's bounded resolver
 * queue, on an unbound workqueue, so that a source without a neighbour delays nobody.
 *
 * Concurrency: an item in the resolver is its worker's alone; its placeholder in the
 * remote tables swallows duplicates meanwhile. It holds a users reference of the port,
 * so removal waits for it.
 */
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include "shell.h"

bool cep_msg_has_alternate(const struct cep_req *req)
{
	static const u8 zero[16];

	/* IBA 12.6.5: no alternate path is said by a local LID and GID of zero. */
	return req->alternate.local_lid || memcmp(req->alternate.local_gid, zero, sizeof(zero));
}

static void cep_path_fill(const struct cep_msg *msg, const struct cep_path *from,
			  struct sa_path_rec *path)
{
	const struct cep_req *req = &msg->req;

	memcpy(&path->dgid, from->local_gid, sizeof(path->dgid));
	memcpy(&path->sgid, from->remote_gid, sizeof(path->sgid));
	path->flow_label = cpu_to_be32(from->flow_label);
	path->hop_limit = from->hop_limit;
	path->traffic_class = from->traffic_class;
	path->reversible = 1;
	path->pkey = cpu_to_be16(req->pkey);
	path->sl = from->sl;
	path->mtu_selector = IB_SA_EQ;
	path->mtu = req->path_mtu;
	path->rate_selector = IB_SA_EQ;
	path->rate = from->packet_rate;
	path->packet_life_time_selector = IB_SA_EQ;
	/* The local ACK timeout is twice the life time, and the ACK delay. */
	path->packet_life_time = from->local_ack_timeout_exp - (from->local_ack_timeout_exp > 0);
	path->service_id = cpu_to_be64(req->service_id);
}

/* Path records as seen from here. wc_av: the way back to the sender. */
void cep_path_from_req(const struct cep_rx *rx, const struct cep_msg *msg,
		       const struct cep_av *wc_av, struct sa_path_rec *primary,
		       struct sa_path_rec *alternate)
{
	const struct rdma_ah_attr *attr = &wc_av->ah_attr;
	const struct cep_req *req = &msg->req;
	const struct ib_wc *wc = rx->wc->wc;
	struct cep_path main = req->primary, alt = req->alternate;
	bool roce = attr->type == RDMA_AH_ATTR_TYPE_ROCE;

	memset(primary, 0, sizeof(*primary));
	memset(alternate, 0, sizeof(*alternate));
	primary->rec_type = roce ? sa_conv_gid_to_pathrec_type(attr->grh.sgid_attr->gid_type) :
				   SA_PATH_REC_TYPE_IB;
	alternate->rec_type = primary->rec_type;
	if (!roce && !main.subnet_local) {
		/* IBA 12.7.11, .21: permissive LIDs of a routed path are those of the packet. */
		if (main.local_lid == 0xffff)
			main.sl = wc->sl;
		if (main.remote_lid == 0xffff)
			main.remote_lid = wc->dlid_path_bits;
	}
	cep_path_fill(msg, &main, primary);
	cep_path_fill(msg, &alt, alternate);
	if (roce) {
		sa_path_set_dmac(primary, (u8 *)attr->roce.dmac);
		/* The hop limit that the route from here needs, not the peer's. */
		primary->hop_limit = attr->grh.hop_limit;
	} else {
		sa_path_set_dlid(primary, wc->slid);
		sa_path_set_slid(primary, main.remote_lid);
		sa_path_set_dlid(alternate, alt.local_lid);
		sa_path_set_slid(alternate, alt.remote_lid);
		primary->hop_limit = attr->grh.hop_limit;
	}
}

/* --- a REQ becomes a CEP ------------------------------------------------------------------- */

static void cep_accept_reject(struct cep_rx *rx, struct cep_av *av, const struct cep_msg *msg,
			      u16 reason, const void *ari, u8 ari_len)
{
	u8 mad[CEP_MAD_SIZE];

	cep_core_reject(msg, reason, ari, ari_len, mad);
	cep_tx_send_copy(rx->port, av, mad, GFP_NOIO);
}

/*
 * The avs of both paths of a REQ. -EAGAIN: one would have to be resolved and the caller
 * must not wait. Other errors have been answered.
 */
static int cep_accept_paths(struct cep_rx *rx, const struct cep_msg *msg, struct cep_av *wc_av,
			    bool may_wait, struct cep_av **av, struct cep_av **alt_av)
{
	const struct ib_gid_attr *sgid_attr = wc_av->ah_attr.grh.sgid_attr;
	struct sa_path_rec path, alternate;
	bool has_alternate = cep_msg_has_alternate(&msg->req);
	union ib_gid gid;
	int ret;

	cep_path_from_req(rx, msg, wc_av, &path, &alternate);
	*av = cep_av_find_path(rx->port, &path, sgid_attr);
	*alt_av = has_alternate ? cep_av_find_path(rx->port, &alternate, NULL) : NULL;
	if (*av && (*alt_av || !has_alternate))
		return 0;
	if (!may_wait) {
		ret = -EAGAIN;
		goto put;
	}
	if (!*av) {
		*av = cep_av_make_path(rx->port, &path, sgid_attr);
		ret = PTR_ERR_OR_ZERO(*av);
		if (ret) {
			*av = NULL;
			if (ret == -ENOMEM)
				goto put;
			cep_drop(rx->port, CEP_DROP_refused);
			/* IBA table 109: the GID that would be acceptable goes with reason 12. */
			ret = rdma_query_gid(rx->port->dev->ibdev, rx->port->num, 0, &gid);
			cep_accept_reject(rx, wc_av, msg, CEP_REJ_INVALID_GID, ret ? NULL : &gid,
					  ret ? 0 : sizeof(gid));
			ret = -EINVAL;
			goto put;
		}
	}
	if (has_alternate && !*alt_av) {
		*alt_av = cep_av_make_path(rx->port, &alternate, NULL);
		ret = PTR_ERR_OR_ZERO(*alt_av);
		if (ret) {
			*alt_av = NULL;
			if (ret == -ENOMEM)
				goto put;
			cep_drop(rx->port, CEP_DROP_refused);
			cep_accept_reject(rx, wc_av, msg, CEP_REJ_INVALID_ALT_GID, &path.sgid,
					  sizeof(path.sgid));
			ret = -EINVAL;
			goto put;
		}
	}
	return 0;
put:
	cep_av_put(*av);
	cep_av_put(*alt_av);
	return ret;
}

/* Builds the CEP and publishes it last. Takes rx on success. */
static int cep_accept_build(struct cep_rx *rx, const struct cep_msg *msg,
			    struct cep_listen *listen, struct cep_av *av, struct cep_av *alt_av)
{
	struct cep_port *port = rx->port;
	struct cep_run run;
	struct ib_cep *cep;
	unsigned long flags;
	bool offered;

	/* Its handler comes with the first event: from the listener, or from who pulls it. */
	cep = cep_alloc(port->dev, NULL, NULL, NULL, GFP_NOIO);
	if (IS_ERR(cep))
		return PTR_ERR(cep);
	cep_run_init(&run, GFP_NOIO);
	spin_lock_irqsave(&cep->lock, flags);
	if (cep_core_on_new_req(&cep->core, cep_now_ns(), msg, cep->comm_id, &run.acts)) {
		spin_unlock_irqrestore(&cep->lock, flags);
		cep_abandon(cep, 0, false);
		cep_drop(port, CEP_DROP_malformed);
		return -EINVAL;
	}
	kref_get(&listen->ref);
	cep->origin = listen;
	cep->service_id = cpu_to_be64(msg->req.service_id);
	cep->av = cep_av_get(av);
	cep->alt_av = cep_av_get(alt_av);
	cep->data.flow_label = msg->req.primary.flow_label;
	cep->data.alt_flow_label = msg->req.alternate.flow_label;
	if (av->ah_attr.type == RDMA_AH_ATTR_TYPE_IB)
		cep->data.dlid = msg->req.primary.local_lid;
	set_bit(CEP_F_GATED, &cep->flags);
	set_bit(CEP_F_BACKLOG, &cep->flags);
	cep_attach(cep, port);
	cep_get(cep); /* the entry's */
	cep_index_replace(&rx->peer, &cep->peer);
	run.rx = rx;
	cep_get(cep); /* ours, across the offer */
	cep_run(cep, &run);
	cep_comm_id_publish(cep->comm_id, cep);
	spin_unlock_irqrestore(&cep->lock, flags);
	cep_run_finish(cep, &run);

	offered = cep_listen_offer(listen, cep);
	if (!offered)
		cep_abandon(cep, CEP_REJ_INVALID_SERVICE_ID, true);
	cep_put(cep);
	return 0;
}

/*
 * A REQ that has claimed its place, with the way back to its sender. Takes rx and the
 * caller's reference on wc_av. may_wait: false in the receive handler; what would wait
 * goes to the resolver.
 */
void cep_accept(struct cep_rx *rx, struct cep_av *wc_av, bool may_wait)
{
	struct cep_listen *listen;
	struct cep_av *av, *alt_av;
	struct cep_msg msg;
	int ret;

	cep_core_parse(cep_rx_mad(rx), CEP_MAD_SIZE, &msg);
	listen = cep_listen_find(rx->port->dev, rx->port->num, msg.req.service_id,
				 msg.private_data);
	if (!listen) {
		cep_drop(rx->port, CEP_DROP_no_listener);
		cep_accept_reject(rx, wc_av, &msg, CEP_REJ_INVALID_SERVICE_ID, NULL, 0);
		goto free;
	}
	ret = cep_accept_paths(rx, &msg, wc_av, may_wait, &av, &alt_av);
	if (ret == -EAGAIN) {
		cep_listen_put(listen);
		cep_av_put(wc_av);
		cep_resolve(rx);
		return;
	}
	if (ret == -ENOMEM)
		cep_drop(rx->port, CEP_DROP_no_memory);
	if (ret)
		goto put_listen;
	/* IBA 12.9.8.2.2 lets a CM drop what it has no room for: the peer tries again. */
	if (!cep_listen_backlog(listen)) {
		cep_drop(rx->port, CEP_DROP_backlog);
		goto put_av;
	}
	ret = cep_accept_build(rx, &msg, listen, av, alt_av);
	if (!ret) {
		rx = NULL;
	} else {
		atomic_dec(&listen->backlog);
		cep_drop(rx->port, CEP_DROP_no_memory);
	}
put_av:
	cep_av_put(av);
	cep_av_put(alt_av);
put_listen:
	cep_listen_put(listen);
free:
	cep_av_put(wc_av);
	cep_rx_free(rx);
}

/* --- the queue ---------------------------------------------------------------------------------- */

static void cep_resolve_work(struct work_struct *work)
{
	struct cep_rx *rx = container_of(work, struct cep_rx, work);
	struct cep_port *port = rx->port;
	struct cep_av *av;

	av = cep_av_make_wc(port, rx->wc);
	if (IS_ERR(av)) {
		cep_drop(port, PTR_ERR(av) == -ENOMEM ? CEP_DROP_no_memory : CEP_DROP_no_route);
		cep_rx_free(rx);
	} else if (rx->reply) {
		cep_tx_send_copy(port, av, rx->reply, GFP_NOIO);
		cep_av_put(av);
		cep_rx_free(rx);
	} else {
		cep_accept(rx, av, true);
	}
	atomic_dec(&port->resolving);
	cep_port_exit(port); /* last: removal may go on, and the port with it */
}

/* Takes rx. The caller holds a users reference; the item takes its own. */
void cep_resolve(struct cep_rx *rx)
{
	struct cep_port *port = rx->port;

	if ((unsigned int)atomic_inc_return(&port->resolving) > READ_ONCE(cep_max_resolving)) {
		atomic_dec(&port->resolving);
		cep_drop(port, CEP_DROP_resolver_full);
		cep_rx_free(rx);
		return;
	}
	percpu_ref_get(&port->users);
	INIT_WORK(&rx->work, cep_resolve_work);
	queue_work(cep_resolve_wq, &rx->work);
}

/* Answers a message without a CEP. Takes rx; mad is copied. */
void cep_rx_reply(struct cep_rx *rx, const u8 *mad)
{
	struct cep_av *av = cep_av_find_wc(rx->port, rx->wc);

	/* A claim must not outlive the message's being worked on. */
	cep_index_withdraw(&rx->peer);
	if (av) {
		cep_tx_send_copy(rx->port, av, mad, GFP_NOIO);
		cep_av_put(av);
		cep_rx_free(rx);
		return;
	}
	rx->reply = kmemdup(mad, CEP_MAD_SIZE, GFP_NOIO);
	if (!rx->reply) {
		cep_drop(rx->port, CEP_DROP_no_memory);
		cep_rx_free(rx);
		return;
	}
	cep_resolve(rx);
}
