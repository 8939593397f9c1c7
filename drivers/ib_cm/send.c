// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The calls that send a message. Called by ULPs; REQ and REP may sleep, the
 * others may be called from atomic context. Each brings the id's state up to date
 * before it returns, also when it fails. Fields that are wider in the parameters
 * than on the wire are cut to the wire's width, as the kernel's CM cuts them.
 */
#include "wrap.h"

#define CEP_24_BITS	0xffffff

/* A time that no exponent can express means the longest there is. */
static u8 cep_time_exp(u8 exponent)
{
	return min_t(u8, exponent, 31);
}

int ib_send_cm_req(struct ib_cm_id *cm_id, struct ib_cm_req_param *param)
{
	struct cep_wrap *wrap = cep_wrap_of(cm_id);
	struct ib_cep_req_param req = {
		.primary_path = param->primary_path,
		.primary_path_inbound = param->primary_path_inbound,
		.primary_path_outbound = param->primary_path_outbound,
		.alternate_path = param->alternate_path,
		.sgid_attr = param->ppath_sgid_attr,
		.service_id = param->service_id,
		.qp_num = param->qp_num & CEP_24_BITS,
		.qp_type = param->qp_type,
		.starting_psn = param->starting_psn & CEP_24_BITS,
		.private_data = param->private_data,
		.private_data_len = cep_data_len(param->private_data, param->private_data_len),
		.responder_resources = param->responder_resources,
		.initiator_depth = param->initiator_depth,
		.remote_cm_response_timeout_exp = cep_time_exp(param->remote_cm_response_timeout),
		.local_cm_response_timeout_exp = cep_time_exp(param->local_cm_response_timeout),
		.flow_control = param->flow_control & 1,
		.retry_count = param->retry_count & 7,
		.rnr_retry_count = param->rnr_retry_count & 7,
		.max_cm_retries = param->max_cm_retries & 15,
		.srq = param->srq & 1,
		.ece_vendor_id = param->ece.vendor_id & CEP_24_BITS,
		.ece_attr_mod = param->ece.attr_mod,
		/* ib_srp writes it between a REJ that redirects and its next try. */
		.remote_cm_qpn = READ_ONCE(cm_id->remote_cm_qpn),
	};
	int ret;

	if (!param->primary_path)
		return -EINVAL;

	ret = ib_cep_send_req(wrap->cep, &req);
	if (!ret)
		cm_id->service_id = param->service_id;
	cep_wrap_sync(wrap);
	return ret;
}
EXPORT_SYMBOL(ib_send_cm_req);

int ib_send_cm_rep(struct ib_cm_id *cm_id, struct ib_cm_rep_param *param)
{
	struct cep_wrap *wrap = cep_wrap_of(cm_id);
	struct ib_cep_rep_param rep = {
		.qp_num = param->qp_num & CEP_24_BITS,
		.starting_psn = param->starting_psn & CEP_24_BITS,
		.private_data = param->private_data,
		.private_data_len = cep_data_len(param->private_data, param->private_data_len),
		.responder_resources = param->responder_resources,
		.initiator_depth = param->initiator_depth,
		.failover_accepted = param->failover_accepted & 3,
		.flow_control = param->flow_control & 1,
		.rnr_retry_count = param->rnr_retry_count & 7,
		.srq = param->srq & 1,
		.ece_vendor_id = param->ece.vendor_id & CEP_24_BITS,
		.ece_attr_mod = param->ece.attr_mod,
	};
	int ret;

	ret = ib_cep_send_rep(wrap->cep, &rep);
	cep_wrap_sync(wrap);
	return ret;
}
EXPORT_SYMBOL(ib_send_cm_rep);

int ib_send_cm_rtu(struct ib_cm_id *cm_id, const void *private_data, u8 private_data_len)
{
	struct cep_wrap *wrap = cep_wrap_of(cm_id);
	int ret;

	ret = ib_cep_send_rtu(wrap->cep, private_data,
			      cep_data_len(private_data, private_data_len));
	cep_wrap_sync(wrap);
	return ret;
}
EXPORT_SYMBOL(ib_send_cm_rtu);

/*
 * A disconnect that cannot be sent is one all the same: ULPs wait for
 * TIMEWAIT_EXIT and nothing else would bring it. -EINVAL is no such case: the
 * caller has misused the call, or the peer's DREQ came first and gets a DREP.
 */
static int cep_or_timewait(struct cep_wrap *wrap, int ret)
{
	if (ret && ret != -EINVAL)
		ib_cep_enter_timewait(wrap->cep);
	cep_wrap_sync(wrap);
	return ret;
}

int ib_send_cm_dreq(struct ib_cm_id *cm_id, const void *private_data, u8 private_data_len)
{
	struct cep_wrap *wrap = cep_wrap_of(cm_id);

	return cep_or_timewait(wrap, ib_cep_send_dreq(wrap->cep, private_data,
						      cep_data_len(private_data,
								   private_data_len)));
}
EXPORT_SYMBOL(ib_send_cm_dreq);

int ib_send_cm_drep(struct ib_cm_id *cm_id, const void *private_data, u8 private_data_len)
{
	struct cep_wrap *wrap = cep_wrap_of(cm_id);

	return cep_or_timewait(wrap, ib_cep_send_drep(wrap->cep, private_data,
						      cep_data_len(private_data,
								   private_data_len)));
}
EXPORT_SYMBOL(ib_send_cm_drep);

int ib_send_cm_rej(struct ib_cm_id *cm_id, enum ib_cm_rej_reason reason, void *ari, u8 ari_length,
		   const void *private_data, u8 private_data_len)
{
	struct cep_wrap *wrap = cep_wrap_of(cm_id);
	int ret;

	ret = ib_cep_send_rej(wrap->cep, reason, ari, cep_data_len(ari, ari_length), private_data,
			      cep_data_len(private_data, private_data_len));
	cep_wrap_sync(wrap);
	return ret;
}
EXPORT_SYMBOL(ib_send_cm_rej);

int ib_send_cm_mra(struct ib_cm_id *cm_id, u8 service_timeout, const void *private_data,
		   u8 private_data_len)
{
	struct cep_wrap *wrap = cep_wrap_of(cm_id);
	int ret;

	ret = ib_cep_send_mra(wrap->cep, service_timeout & 0x1f,
			      service_timeout & IB_CM_MRA_FLAG_DELAY, private_data,
			      cep_data_len(private_data, private_data_len));
	cep_wrap_sync(wrap);
	return ret;
}
EXPORT_SYMBOL(ib_send_cm_mra);

/* Service ID resolution comes later; its symbols are here, so that ULPs load. */
int ib_send_cm_sidr_req(struct ib_cm_id *cm_id, struct ib_cm_sidr_req_param *param)
{
	return -EOPNOTSUPP;
}
EXPORT_SYMBOL(ib_send_cm_sidr_req);

int ib_send_cm_sidr_rep(struct ib_cm_id *cm_id, struct ib_cm_sidr_rep_param *param)
{
	return -EOPNOTSUPP;
}
EXPORT_SYMBOL(ib_send_cm_sidr_rep);
