// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The ULP's calls that send a message or ask a question; the others are where their noun
 * is (cep.c, listen.c, qp.c). Arguments are checked, everything that can fail is done
 * before the lock, then the engine decides; a refused call has changed nothing.
 *
 * Concurrency: callers of any context, as the header says for each call.
 */
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include "shell.h"

static int cep_errno(enum cep_result res)
{
	return res == CEP_OK ? 0 : -EINVAL;
}

/* Under the lock: may the ULP still use it? */
static int cep_usable(struct ib_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	if (test_bit(CEP_F_DESTROYED, &cep->flags))
		return -ESHUTDOWN;
	if (test_bit(CEP_F_GONE, &cep->flags) || (cep->dev && READ_ONCE(cep->dev->gone)))
		return -ENODEV;
	return 0;
}

/*
 * The CEP's port and av for a send, both referenced (the port's users too): 0 or why not.
 * cep_api_end() undoes it.
 */
struct cep_api {
	struct cep_run run;
	struct cep_port *port;
	struct cep_av *av;
	u64 tid;
};

static int cep_api_begin(struct ib_cep *cep, struct cep_api *api, gfp_t gfp)
{
	struct cep_av *av;
	unsigned long flags;
	int ret;

	cep_run_init(&api->run, gfp);
	api->port = NULL;
	api->av = NULL;
	spin_lock_irqsave(&cep->lock, flags);
	ret = cep_usable(cep);
	if (!ret) {
		api->av = cep_av_get(cep->av);
		/* No address: nothing was ever exchanged, so no call that answers is allowed. */
		if (!api->av)
			ret = -EINVAL;
	}
	spin_unlock_irqrestore(&cep->lock, flags);
	if (ret)
		return ret;
	/* The av keeps the port's memory, users its agent. */
	if (!cep_port_enter(api->av->port)) {
		cep_av_put(api->av);
		api->av = NULL;
		return -ENODEV;
	}
	api->port = api->av->port;
	av = cep_av_fresh(api->av);
	api->run.tx = cep_tx_alloc(api->port, av, gfp);
	cep_av_put(av);
	api->tid = cep_next_tid(api->port);
	return api->run.tx ? 0 : -ENOMEM;
}

static void cep_api_end(struct ib_cep *cep, struct cep_api *api)
{
	cep_run_finish(cep, &api->run);
	if (api->port)
		cep_port_exit(api->port);
	cep_av_put(api->av);
}

/* --- REQ ---------------------------------------------------------------------------------- */

static int cep_check_req(const struct ib_cep *cep, const struct ib_cep_req_param *param)
{
	const struct sa_path_rec *alt = param->alternate_path;

	if (!param->primary_path || !cep->dev)
		return -EINVAL;
	if (param->qp_type != IB_QPT_RC && param->qp_type != IB_QPT_UC &&
	    param->qp_type != IB_QPT_XRC_INI)
		return -EINVAL;
	if (param->private_data_len > IB_CEP_REQ_PRIVATE_DATA_SIZE ||
	    (param->private_data_len && !param->private_data))
		return -EINVAL;
	if (alt && (alt->pkey != param->primary_path->pkey || alt->mtu != param->primary_path->mtu))
		return -EINVAL;
	if (param->sgid_attr && param->sgid_attr->device != cep->dev->ibdev)
		return -EINVAL;
	return 0;
}

/* A port of the device, entered, or NULL: the device goes and takes its ports with it. */
static struct cep_port *cep_device_enter_port(struct cep_device *dev, u32 index)
{
	struct cep_port *port;

	rcu_read_lock();
	port = READ_ONCE(dev->port[index]);
	if (port && !cep_port_enter(port))
		port = NULL;
	rcu_read_unlock();
	return port;
}

/* The port that a path starts from, entered. */
static struct cep_port *cep_path_port(struct cep_device *dev, const struct sa_path_rec *path,
				      const struct ib_gid_attr *sgid_attr)
{
	struct sa_path_rec *rec = (struct sa_path_rec *)path; /* helper lacks const */
	const struct ib_gid_attr *attr;
	struct cep_port *port;
	u32 i;

	for (i = 0; i < dev->nr_ports; i++) {
		if (sgid_attr && sgid_attr->port_num != i + 1)
			continue;
		port = cep_device_enter_port(dev, i);
		if (!port)
			continue;
		if (sgid_attr)
			return port;
		attr = rdma_find_gid_by_port(dev->ibdev, &path->sgid,
					     sa_conv_pathrec_to_gid_type(rec), port->num, NULL);
		if (!IS_ERR(attr)) {
			rdma_put_gid_attr(attr);
			return port;
		}
		cep_port_exit(port);
	}
	return NULL;
}

static void cep_fill_path(const struct sa_path_rec *from, struct cep_path *to)
{
	struct sa_path_rec *rec = (struct sa_path_rec *)from; /* accessors lack const */

	memcpy(to->local_gid, from->sgid.raw, sizeof(to->local_gid));
	memcpy(to->remote_gid, from->dgid.raw, sizeof(to->remote_gid));
	to->subnet_local = from->hop_limit <= 1;
	if (to->subnet_local) {
		to->local_lid = be32_to_cpu(sa_path_get_slid(rec));
		to->remote_lid = be32_to_cpu(sa_path_get_dlid(rec));
	} else {
		/* IBA 12.7.11, .21: not known across a router */
		to->local_lid = 0xffff;
		to->remote_lid = 0xffff;
	}
	to->flow_label = be32_to_cpu(from->flow_label) & 0xfffff;
	to->packet_rate = from->rate & 0x3f;
	to->traffic_class = from->traffic_class;
	to->hop_limit = from->hop_limit;
	to->sl = from->sl & 0xf;
}

static void cep_fill_req(struct ib_cep *cep, const struct ib_cep_req_param *param,
			 struct cep_send_req *args)
{
	const struct sa_path_rec *path = param->primary_path;
	struct cep_req *req = &args->req;

	args->local_comm_id = cep->comm_id;
	args->packet_life_time_exp = path->packet_life_time;
	args->local_ca_ack_delay_exp = cep->dev->ack_delay_exp;
	args->response_timeout_ns = param->timeout_ms * (u64)NSEC_PER_MSEC;
	req->service_id = be64_to_cpu(param->service_id);
	req->local_ca_guid = cep->dev->node_guid;
	req->ece_vendor_id = param->ece_vendor_id & 0xffffff;
	req->ece_attr_mod = param->ece_attr_mod;
	req->local_qpn = param->qp_num;
	req->starting_psn = param->starting_psn;
	req->pkey = be16_to_cpu(path->pkey);
	req->initiator_depth = param->initiator_depth;
	req->remote_cm_response_timeout_exp = param->remote_cm_response_timeout_exp;
	req->local_cm_response_timeout_exp = param->local_cm_response_timeout_exp;
	req->flow_control = !!param->flow_control;
	req->path_mtu = path->mtu;
	req->max_cm_retries = param->max_cm_retries;
	switch (param->qp_type) {
	case IB_QPT_UC:
		req->transport = CEP_TRANSPORT_UC;
		break;
	case IB_QPT_XRC_INI:
		req->transport = CEP_TRANSPORT_XRC;
		break;
	default:
		req->transport = CEP_TRANSPORT_RC;
		break;
	}
	/* An XRC initiator keeps these to itself: the engine does not write them. */
	req->responder_resources = param->responder_resources;
	req->retry_count = param->retry_count;
	req->rnr_retry_count = param->rnr_retry_count;
	req->srq = !!param->srq;
	cep_fill_path(path, &req->primary);
	if (!req->primary.subnet_local && param->primary_path_inbound)
		req->primary.local_lid = be16_to_cpu(param->primary_path_inbound->ib.dlid);
	if (param->alternate_path) {
		cep_fill_path(param->alternate_path, &req->alternate);
		args->alt_packet_life_time_exp = param->alternate_path->packet_life_time;
	}
}

/*
 * Resolves and reserves everything that a REQ needs. On success *port is entered: the
 * caller exits it.
 */
static struct cep_format *cep_prepare_req(struct ib_cep *cep,
					  const struct ib_cep_req_param *param,
					  struct cep_port **port)
{
	struct cep_format *format;
	struct sa_path_rec path;
	struct cep_av *av;
	int ret;

	ret = cep_check_req(cep, param);
	if (ret)
		return ERR_PTR(ret);
	if (READ_ONCE(cep->dev->gone))
		return ERR_PTR(-ENODEV);
	*port = cep_path_port(cep->dev, param->primary_path, param->sgid_attr);
	if (!*port)
		return ERR_PTR(READ_ONCE(cep->dev->gone) ? -ENODEV : -EINVAL);
	ret = -ENOMEM;
	format = kzalloc(sizeof(*format), GFP_NOIO);
	if (!format)
		goto exit_port;

	path = *param->primary_path;
	av = cep_av_make_path(*port, &path, param->sgid_attr);
	ret = PTR_ERR_OR_ZERO(av);
	if (ret)
		goto free;
	format->av = av;
	if (param->alternate_path) {
		path = *param->alternate_path;
		av = cep_av_make_path(*port, &path, NULL);
		ret = PTR_ERR_OR_ZERO(av);
		if (ret)
			goto free;
		format->alt_av = av;
	}
	format->tx = cep_tx_alloc(*port, format->av, GFP_NOIO);
	if (!format->tx) {
		ret = -ENOMEM;
		goto free;
	}
	if (param->remote_cm_qpn > 1) {
		/* A peer that redirected us: ib_create_send_mad() knows the QP only at birth. */
		struct ib_mad_send_buf *buf;

		buf = ib_create_send_mad((*port)->agent, param->remote_cm_qpn,
					 format->av->pkey_index, 0, IB_MGMT_MAD_HDR,
					 IB_MGMT_MAD_DATA, GFP_NOIO, IB_MGMT_BASE_VERSION);
		if (IS_ERR(buf)) {
			ret = PTR_ERR(buf);
			goto free;
		}
		buf->ah = format->av->ah;
		buf->context[0] = format->tx;
		ib_free_send_mad(format->tx->buf);
		format->tx->buf = buf;
	}
	format->service_id = param->service_id;
	cep_fill_req(cep, param, &format->req);
	format->data.flow_label = format->req.req.primary.flow_label;
	format->data.alt_flow_label = format->req.req.alternate.flow_label;
	if (param->primary_path_outbound)
		format->data.dlid = be16_to_cpu(param->primary_path_outbound->ib.dlid);
	format->req.tid = cep_next_tid(*port);
	memcpy(format->private_data, param->private_data, param->private_data_len);
	format->req.private_data = format->private_data;
	format->req.private_data_len = param->private_data_len;
	return format;
free:
	cep_format_free(format);
exit_port:
	cep_port_exit(*port);
	return ERR_PTR(ret);
}

/* The CEP takes the addresses of a prepared REQ; the old ones go with the format. */
static void cep_take_avs(struct ib_cep *cep, struct cep_format *format)
{
	lockdep_assert_held(&cep->lock);
	swap(cep->av, format->av);
	swap(cep->alt_av, format->alt_av);
	cep->data = format->data;
	cep->service_id = format->service_id;
}

/*
 * Under the lock, with the port entered: hands a prepared REQ to the engine. If it takes
 * it, the caller does what goes with it and then calls cep_run().
 */
static int cep_launch_req(struct ib_cep *cep, struct cep_format *format, struct cep_run *run)
{
	int ret;

	ret = cep_errno(cep_core_send_req(&cep->core, cep_now_ns(), &format->req,
					  cep_tx_mad(format->tx), &run->acts));
	if (!ret)
		swap(run->tx, format->tx);
	return ret;
}

int ib_cep_send_req(struct ib_cep *cep, const struct ib_cep_req_param *param)
{
	struct cep_format *format, *old = NULL;
	struct cep_port *port;
	struct cep_run run;
	unsigned long flags;
	int ret;

	might_sleep();
	format = cep_prepare_req(cep, param, &port);
	if (IS_ERR(format))
		return PTR_ERR(format);
	cep_run_init(&run, GFP_NOIO);
	spin_lock_irqsave(&cep->lock, flags);
	ret = cep_usable(cep);
	if (!ret)
		ret = cep_launch_req(cep, format, &run);
	if (!ret) {
		cep_attach(cep, port);
		cep_take_avs(cep, format);
		swap(old, cep->format);
		cep_run(cep, &run);
	}
	spin_unlock_irqrestore(&cep->lock, flags);
	cep_run_finish(cep, &run);
	cep_format_free(format);
	cep_format_free(old);
	cep_port_exit(port);
	return ret;
}
EXPORT_SYMBOL_GPL(ib_cep_send_req);

int ib_cep_format_req(struct ib_cep *cep, const struct ib_cep_req_param *param)
{
	struct cep_format *format;
	struct cep_port *port;
	unsigned long flags;
	int ret;

	might_sleep();
	format = cep_prepare_req(cep, param, &port);
	if (IS_ERR(format))
		return PTR_ERR(format);
	spin_lock_irqsave(&cep->lock, flags);
	ret = cep_usable(cep);
	if (!ret)
		ret = cep_errno(cep_core_format_req(&cep->core, &format->req));
	if (!ret) {
		cep_attach(cep, port);
		cep_take_avs(cep, format);
		swap(cep->format, format);
	}
	spin_unlock_irqrestore(&cep->lock, flags);
	cep_format_free(format);
	cep_port_exit(port);
	return ret;
}
EXPORT_SYMBOL_GPL(ib_cep_format_req);

/* The port of a CEP, entered, while its memory is certain; NULL: gone or none. */
static struct cep_port *cep_enter_port(struct ib_cep *cep)
{
	struct cep_port *port;
	unsigned long flags;

	spin_lock_irqsave(&cep->lock, flags);
	port = cep->port;
	if (port && !cep_port_enter(port))
		port = NULL;
	spin_unlock_irqrestore(&cep->lock, flags);
	return port;
}

int ib_cep_send_formatted_req(struct ib_cep *cep)
{
	struct cep_port *port = cep_enter_port(cep);
	struct cep_format *format = NULL;
	struct cep_run run;
	unsigned long flags;
	int ret;

	might_sleep();
	cep_run_init(&run, GFP_NOIO);
	spin_lock_irqsave(&cep->lock, flags);
	ret = cep_usable(cep);
	if (!ret && (!cep->format || cep->format->is_rep))
		ret = -EINVAL;
	if (!ret && !port)
		ret = -ENODEV;
	if (!ret) {
		ret = cep_launch_req(cep, cep->format, &run);
		if (!ret) {
			swap(format, cep->format);
			cep_run(cep, &run);
		}
	}
	spin_unlock_irqrestore(&cep->lock, flags);
	cep_run_finish(cep, &run);
	cep_format_free(format);
	if (port)
		cep_port_exit(port);
	return ret;
}
EXPORT_SYMBOL_GPL(ib_cep_send_formatted_req);

/* --- REP ---------------------------------------------------------------------------------- */

static int cep_fill_rep(struct ib_cep *cep, const struct ib_cep_rep_param *param,
			struct cep_send_rep *args)
{
	struct cep_rep *rep = &args->rep;

	if (param->private_data_len > IB_CEP_REP_PRIVATE_DATA_SIZE ||
	    (param->private_data_len && !param->private_data))
		return -EINVAL;
	if (!cep->dev)
		return -EINVAL;
	memset(args, 0, sizeof(*args));
	rep->local_ca_guid = cep->dev->node_guid;
	rep->ece_vendor_id = param->ece_vendor_id & 0xffffff;
	rep->ece_attr_mod = param->ece_attr_mod;
	rep->local_qpn = param->qp_num;
	rep->starting_psn = param->starting_psn;
	rep->responder_resources = param->responder_resources;
	rep->initiator_depth = param->initiator_depth;
	rep->target_ack_delay_exp = cep->dev->ack_delay_exp;
	rep->failover_accepted = param->failover_accepted;
	rep->flow_control = !!param->flow_control;
	rep->rnr_retry_count = param->rnr_retry_count;
	rep->srq = !!param->srq;
	args->private_data = param->private_data;
	args->private_data_len = param->private_data_len;
	return 0;
}

int ib_cep_send_rep(struct ib_cep *cep, const struct ib_cep_rep_param *param)
{
	struct cep_format *format = NULL;
	struct cep_send_rep args;
	struct cep_api api;
	unsigned long flags;
	int ret;

	might_sleep();
	ret = cep_fill_rep(cep, param, &args);
	if (ret)
		return ret;
	ret = cep_api_begin(cep, &api, GFP_NOIO);
	if (!ret) {
		spin_lock_irqsave(&cep->lock, flags);
		ret = cep_usable(cep);
		if (!ret)
			ret = cep_errno(cep_core_send_rep(&cep->core, cep_now_ns(), &args,
							  cep_run_mad(&api.run), &api.run.acts));
		if (!ret) {
			cep_run(cep, &api.run);
			swap(format, cep->format);
		}
		spin_unlock_irqrestore(&cep->lock, flags);
	}
	cep_api_end(cep, &api);
	cep_format_free(format);
	return ret;
}
EXPORT_SYMBOL_GPL(ib_cep_send_rep);

int ib_cep_format_rep(struct ib_cep *cep, const struct ib_cep_rep_param *param)
{
	struct cep_format *format;
	struct cep_api api;
	unsigned long flags;
	int ret;

	might_sleep();
	format = kzalloc(sizeof(*format), GFP_NOIO);
	if (!format)
		return -ENOMEM;
	format->is_rep = true;
	ret = cep_fill_rep(cep, param, &format->rep);
	if (ret) {
		kfree(format);
		return ret;
	}
	memcpy(format->private_data, param->private_data, param->private_data_len);
	format->rep.private_data = format->private_data;
	ret = cep_api_begin(cep, &api, GFP_NOIO);
	if (!ret) {
		spin_lock_irqsave(&cep->lock, flags);
		ret = cep_usable(cep);
		if (!ret)
			ret = cep_errno(cep_core_format_rep(&cep->core, &format->rep));
		if (!ret) {
			swap(format->tx, api.run.tx);
			swap(cep->format, format);
		}
		spin_unlock_irqrestore(&cep->lock, flags);
	}
	cep_api_end(cep, &api);
	cep_format_free(format);
	return ret;
}
EXPORT_SYMBOL_GPL(ib_cep_format_rep);

int ib_cep_send_formatted_rep(struct ib_cep *cep)
{
	struct cep_port *port = cep_enter_port(cep);
	struct cep_format *format = NULL;
	struct cep_run run;
	unsigned long flags;
	int ret;

	might_sleep();
	cep_run_init(&run, GFP_NOIO);
	spin_lock_irqsave(&cep->lock, flags);
	ret = cep_usable(cep);
	if (!ret && (!cep->format || !cep->format->is_rep))
		ret = -EINVAL;
	if (!ret && !port)
		ret = -ENODEV;
	if (!ret) {
		run.tx = cep->format->tx;
		ret = cep_errno(cep_core_send_rep(&cep->core, cep_now_ns(), &cep->format->rep,
						  cep_run_mad(&run), &run.acts));
		if (ret) {
			run.tx = NULL;
		} else {
			cep->format->tx = NULL;
			swap(format, cep->format);
			cep_run(cep, &run);
		}
	}
	spin_unlock_irqrestore(&cep->lock, flags);
	cep_run_finish(cep, &run);
	cep_format_free(format);
	if (port)
		cep_port_exit(port);
	return ret;
}
EXPORT_SYMBOL_GPL(ib_cep_send_formatted_rep);

/* --- the short messages: atomic context ------------------------------------------------------ */

static int cep_check_data(const void *data, u8 len, u8 max)
{
	return len > max || (len && !data) ? -EINVAL : 0;
}

/* Private data that may have to be repeated; kept only if there is any. */
static int cep_api_keep(struct cep_api *api, const void *data, u8 len)
{
	if (!len)
		return 0;
	api->run.keep = kmemdup(data, len, GFP_ATOMIC);
	api->run.keep_len = len;
	return api->run.keep ? 0 : -ENOMEM;
}

int ib_cep_send_rtu(struct ib_cep *cep, const void *private_data, u8 len)
{
	struct cep_api api;
	unsigned long flags;
	int ret = cep_check_data(private_data, len, IB_CEP_RTU_PRIVATE_DATA_SIZE);

	if (ret)
		return ret;
	ret = cep_api_begin(cep, &api, GFP_ATOMIC);
	if (!ret)
		ret = cep_api_keep(&api, private_data, len);
	if (!ret) {
		spin_lock_irqsave(&cep->lock, flags);
		ret = cep_usable(cep);
		if (!ret)
			ret = cep_errno(cep_core_send_rtu(&cep->core, private_data, len,
							  cep_run_mad(&api.run), &api.run.acts));
		if (!ret)
			cep_run(cep, &api.run);
		spin_unlock_irqrestore(&cep->lock, flags);
	}
	cep_api_end(cep, &api);
	return ret;
}
EXPORT_SYMBOL_GPL(ib_cep_send_rtu);

int ib_cep_send_mra(struct ib_cep *cep, u8 service_timeout_exp, bool delayed,
		    const void *private_data, u8 len)
{
	struct cep_api api;
	unsigned long flags;
	int ret = cep_check_data(private_data, len, IB_CEP_MRA_PRIVATE_DATA_SIZE);

	if (ret || service_timeout_exp > 31)
		return -EINVAL;
	ret = cep_api_begin(cep, &api, GFP_ATOMIC);
	if (!ret)
		ret = cep_api_keep(&api, private_data, len);
	if (!ret) {
		spin_lock_irqsave(&cep->lock, flags);
		ret = cep_usable(cep);
		if (!ret)
			ret = cep_errno(cep_core_send_mra(&cep->core, service_timeout_exp, delayed,
							  private_data, len, cep_run_mad(&api.run),
							  &api.run.acts));
		if (!ret)
			cep_run(cep, &api.run);
		spin_unlock_irqrestore(&cep->lock, flags);
	}
	cep_api_end(cep, &api);
	return ret;
}
EXPORT_SYMBOL_GPL(ib_cep_send_mra);

int ib_cep_send_rej(struct ib_cep *cep, u16 reason, const void *ari, u8 ari_length,
		    const void *private_data, u8 len)
{
	struct cep_api api;
	unsigned long flags;
	int ret = cep_check_data(private_data, len, IB_CEP_REJ_PRIVATE_DATA_SIZE);

	if (!ret)
		ret = cep_check_data(ari, ari_length, IB_CEP_REJ_ARI_SIZE);
	if (ret)
		return ret;
	ret = cep_api_begin(cep, &api, GFP_ATOMIC);
	if (!ret) {
		spin_lock_irqsave(&cep->lock, flags);
		ret = cep_usable(cep);
		if (!ret)
			ret = cep_errno(cep_core_send_rej(&cep->core, cep_now_ns(), reason, ari,
							  ari_length, private_data, len,
							  cep_run_mad(&api.run), &api.run.acts));
		if (!ret)
			cep_run(cep, &api.run);
		spin_unlock_irqrestore(&cep->lock, flags);
	}
	cep_api_end(cep, &api);
	return ret;
}
EXPORT_SYMBOL_GPL(ib_cep_send_rej);

int ib_cep_send_dreq(struct ib_cep *cep, const void *private_data, u8 len)
{
	struct cep_api api;
	unsigned long flags;
	int ret = cep_check_data(private_data, len, IB_CEP_DREQ_PRIVATE_DATA_SIZE);

	if (ret)
		return ret;
	ret = cep_api_begin(cep, &api, GFP_ATOMIC);
	if (!ret) {
		spin_lock_irqsave(&cep->lock, flags);
		ret = cep_usable(cep);
		if (!ret)
			ret = cep_errno(cep_core_send_dreq(&cep->core, cep_now_ns(), api.tid,
							   private_data, len,
							   cep_run_mad(&api.run), &api.run.acts));
		if (!ret)
			cep_run(cep, &api.run);
		spin_unlock_irqrestore(&cep->lock, flags);
	}
	cep_api_end(cep, &api);
	return ret;
}
EXPORT_SYMBOL_GPL(ib_cep_send_dreq);

int ib_cep_send_drep(struct ib_cep *cep, const void *private_data, u8 len)
{
	struct cep_api api;
	unsigned long flags;
	int ret = cep_check_data(private_data, len, IB_CEP_DREP_PRIVATE_DATA_SIZE);

	if (ret)
		return ret;
	ret = cep_api_begin(cep, &api, GFP_ATOMIC);
	if (!ret)
		ret = cep_api_keep(&api, private_data, len);
	if (!ret) {
		spin_lock_irqsave(&cep->lock, flags);
		ret = cep_usable(cep);
		if (!ret)
			ret = cep_errno(cep_core_send_drep(&cep->core, cep_now_ns(), private_data,
							   len, cep_run_mad(&api.run),
							   &api.run.acts));
		if (!ret)
			cep_run(cep, &api.run);
		spin_unlock_irqrestore(&cep->lock, flags);
	}
	cep_api_end(cep, &api);
	return ret;
}
EXPORT_SYMBOL_GPL(ib_cep_send_drep);

int ib_cep_enter_timewait(struct ib_cep *cep)
{
	struct cep_run run;
	unsigned long flags;
	int ret;

	cep_run_init(&run, GFP_ATOMIC);
	spin_lock_irqsave(&cep->lock, flags);
	ret = cep_usable(cep);
	if (!ret)
		ret = cep_errno(cep_core_enter_timewait(&cep->core, cep_now_ns(), &run.acts));
	if (!ret)
		cep_run(cep, &run);
	spin_unlock_irqrestore(&cep->lock, flags);
	cep_run_finish(cep, &run);
	return ret;
}
EXPORT_SYMBOL_GPL(ib_cep_enter_timewait);

int ib_cep_established(struct ib_cep *cep)
{
	struct cep_run run;
	enum cep_result res;
	unsigned long flags;
	int ret;

	cep_run_init(&run, GFP_ATOMIC);
	spin_lock_irqsave(&cep->lock, flags);
	ret = cep_usable(cep);
	if (!ret) {
		res = cep_core_established(&cep->core, &run.acts);
		if (!res)
			cep_run(cep, &run);
		ret = res == CEP_E_DUP ? -EISCONN : cep_errno(res);
	}
	spin_unlock_irqrestore(&cep->lock, flags);
	cep_run_finish(cep, &run);
	return ret;
}
EXPORT_SYMBOL_GPL(ib_cep_established);
