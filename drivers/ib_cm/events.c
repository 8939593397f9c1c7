// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Delivery: an event of a CEP in the words of <rdma/ib_cm.h>. Called by ib_cep in
 * process context, one event of a CEP at a time. ULPs rewrite id->cm_handler and
 * id->context while they run, so both are read anew for each event; what a
 * callback returns goes back to ib_cep, which destroys the CEP if it is not 0.
 */
#include "wrap.h"

/* Both interfaces number the kernel's events alike. */
static_assert((int)IB_CEP_REQ_ERROR == (int)IB_CM_REQ_ERROR);
static_assert((int)IB_CEP_USER_ESTABLISHED == (int)IB_CM_USER_ESTABLISHED);
static_assert((int)IB_CEP_REJ_RECEIVED == (int)IB_CM_REJ_RECEIVED);
static_assert((int)IB_CEP_SIDR_REP_RECEIVED == (int)IB_CM_SIDR_REP_RECEIVED);

static void cep_event_req(struct ib_cm_req_event_param *to, const struct ib_cep_req_event *from,
			  struct cep_wrap *listener)
{
	to->listen_id = &listener->id;
	to->bth_pkey = from->bth_pkey;
	to->port = from->port;
	to->primary_path = from->primary_path;
	to->alternate_path = from->alternate_path;
	to->ppath_sgid_attr = from->sgid_attr;
	to->remote_ca_guid = from->remote_ca_guid;
	to->remote_qkey = from->remote_qkey;
	to->remote_qpn = from->remote_qpn;
	to->qp_type = from->qp_type;
	to->starting_psn = from->starting_psn;
	to->responder_resources = from->responder_resources;
	to->initiator_depth = from->initiator_depth;
	to->local_cm_response_timeout = from->local_cm_response_timeout_exp;
	to->remote_cm_response_timeout = from->remote_cm_response_timeout_exp;
	to->flow_control = from->flow_control;
	to->retry_count = from->retry_count;
	to->rnr_retry_count = from->rnr_retry_count;
	to->srq = from->srq;
	to->ece.vendor_id = from->ece_vendor_id;
	to->ece.attr_mod = from->ece_attr_mod;
}

static void cep_event_rep(struct ib_cm_rep_event_param *to, const struct ib_cep_rep_event *from)
{
	to->remote_ca_guid = from->remote_ca_guid;
	to->remote_qkey = from->remote_qkey;
	to->remote_qpn = from->remote_qpn;
	to->starting_psn = from->starting_psn;
	to->responder_resources = from->responder_resources;
	to->initiator_depth = from->initiator_depth;
	to->target_ack_delay = from->target_ack_delay_exp;
	to->failover_accepted = from->failover_accepted;
	to->flow_control = from->flow_control;
	to->rnr_retry_count = from->rnr_retry_count;
	to->srq = from->srq;
	to->ece.vendor_id = from->ece_vendor_id;
	to->ece.attr_mod = from->ece_attr_mod;
}

static void cep_event_rej(struct ib_cm_rej_event_param *to, const struct ib_cep_rej_event *from)
{
	/* ib_srp reads a redirection from here whatever the length says. */
	static u8 none[IB_CM_REJ_ARI_LENGTH];

	to->reason = from->reason;
	to->ari = from->ari ? (void *)from->ari : none;
	to->ari_length = from->ari_length;
}

static enum ib_wc_status cep_event_status(enum ib_cep_cause cause)
{
	return cause == IB_CEP_CAUSE_SEND_FAILED ? IB_WC_GENERAL_ERR : IB_WC_RESP_TIMEOUT_ERR;
}

/*
 * A CEP that a listener's REQ made becomes an id of its own. Without memory the
 * peer is told nothing, and its next try finds us again.
 */
static struct cep_wrap *cep_wrap_adopt(struct cep_wrap *listener, struct ib_cep *cep,
				       const struct ib_cep_req_event *req)
{
	struct cep_wrap *wrap;
	int ret;

	wrap = cep_wrap_alloc(req->device, READ_ONCE(listener->id.cm_handler),
			      READ_ONCE(listener->id.context));
	if (!wrap)
		return ERR_PTR(-ENOMEM);

	wrap->cep = cep;
	wrap->id.service_id = req->service_id;
	ret = ib_cep_configure(cep, cep_wrap_handler, wrap, cep_wrap_release);
	if (ret) {
		kfree(wrap);
		return ERR_PTR(ret);
	}
	return wrap;
}

int cep_wrap_handler(struct ib_cep *cep, const struct ib_cep_event *event, void *context)
{
	struct cep_wrap *wrap = context;
	struct ib_cm_event out = {
		.event = (enum ib_cm_event_type)event->type,
		.private_data = (void *)event->private_data,
	};
	ib_cm_handler handler;
	int ret;

	switch (event->type) {
	case IB_CEP_REQ_RECEIVED:
		/* The context is still the listener's, the CEP is new. */
		cep_event_req(&out.param.req_rcvd, &event->req, wrap);
		wrap = cep_wrap_adopt(wrap, cep, &event->req);
		if (IS_ERR(wrap))
			return PTR_ERR(wrap);
		break;
	case IB_CEP_REP_RECEIVED:
		cep_event_rep(&out.param.rep_rcvd, &event->rep);
		break;
	case IB_CEP_REJ_RECEIVED:
		cep_event_rej(&out.param.rej_rcvd, &event->rej);
		break;
	case IB_CEP_MRA_RECEIVED:
		out.param.mra_rcvd.service_timeout = event->mra.service_timeout_exp;
		break;
	case IB_CEP_REQ_ERROR:
	case IB_CEP_REP_ERROR:
	case IB_CEP_DREQ_ERROR:
		out.param.send_status = cep_event_status(event->cause);
		break;
	case IB_CEP_RTU_RECEIVED:
	case IB_CEP_USER_ESTABLISHED:
	case IB_CEP_DREQ_RECEIVED:
	case IB_CEP_DREP_RECEIVED:
	case IB_CEP_TIMEWAIT_EXIT:
		break;
	default:
		/*
		 * ULPs hear of a departing device from the RDMA core. The others belong
		 * to calls that this drop-in does not have yet.
		 */
		return 0;
	}

	cep_wrap_sync(wrap);
	handler = READ_ONCE(wrap->id.cm_handler);
	ret = handler(&wrap->id, &out);
	/* The wrapper may be gone. Only -ENOMEM is silent in the kernel's CM. */
	return ret == -EAGAIN ? -ECONNREFUSED : ret;
}
