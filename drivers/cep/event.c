// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Delivery of events to ULPs: those of one CEP one at a time and in order, by the CEP's
 * own work item on an unbound workqueue, so those of different CEPs run concurrently.
 * An event is an entry in a small ring; the MAD of one that has a payload waits beside
 * it, and what the ULP sees of it is built here, in process context.
 *
 * Concurrency: ring and list are under the CEP's lock. running names the task whose
 * callback runs; destroy and configure wait for it to change.
 */
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>
#include <rdma/ib_cache.h>
#include "shell.h"

static bool cep_event_has_payload(u8 event)
{
	switch (event) {
	case CEP_EVENT_REQ_RECEIVED:
	case CEP_EVENT_REP_RECEIVED:
	case CEP_EVENT_RTU_RECEIVED:
	case CEP_EVENT_DREQ_RECEIVED:
	case CEP_EVENT_DREP_RECEIVED:
	case CEP_EVENT_MRA_RECEIVED:
	case CEP_EVENT_REJ_RECEIVED:
	case CEP_EVENT_LAP_RECEIVED:
	case CEP_EVENT_APR_RECEIVED:
	case CEP_EVENT_SIDR_REQ_RECEIVED:
	case CEP_EVENT_SIDR_REP_RECEIVED:
		return true;
	default:
		return false;
	}
}

void cep_event_schedule(struct ib_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	if (!cep->event_count || test_bit(CEP_F_GATED, &cep->flags) ||
	    test_and_set_bit(CEP_F_SCHEDULED, &cep->flags))
		return;
	cep_get(cep);
	queue_work(cep_event_wq, &cep->work);
}

void cep_event_queue(struct ib_cep *cep, struct cep_run *run, u8 event, u8 cause)
{
	unsigned int tail;

	lockdep_assert_held(&cep->lock);
	if (test_bit(CEP_F_DESTROYED, &cep->flags))
		return;
	/*
	 * The states allow at most six events between two of the ULP's own calls; a ring that
	 * is full anyway means an error in the engine, and losing an event is all that is left.
	 */
	if (WARN_ON_ONCE(cep->event_count == CEP_EVENT_RING))
		return;
	if (cep_event_has_payload(event)) {
		if (WARN_ON_ONCE(!run->rx))
			return;
		list_add_tail(&run->rx->link, &cep->payloads);
		run->rx = NULL;
	}
	tail = (cep->event_head + cep->event_count++) % CEP_EVENT_RING;
	cep->event[tail] = event | cause << 8;
	cep_event_schedule(cep);
}

/* Discards what is queued; the CEP is destroyed, so nothing is added any more. */
void cep_event_discard(struct ib_cep *cep, struct list_head *payloads)
{
	struct cep_rx *rx, *next;
	unsigned long flags;

	spin_lock_irqsave(&cep->lock, flags);
	cep->event_count = 0;
	list_splice_init(&cep->payloads, payloads);
	spin_unlock_irqrestore(&cep->lock, flags);
	list_for_each_entry_safe(rx, next, payloads, link)
		cep_rx_free(rx);
}

static bool cep_event_idle(struct ib_cep *cep)
{
	struct task_struct *running = READ_ONCE(cep->running);

	return !running || running == current;
}

/* Returns when no callback of the CEP runs, but for the one that calls this. */
void cep_event_wait(struct ib_cep *cep)
{
	wait_var_event(&cep->running, cep_event_idle(cep));
	/* What the callback wrote is seen from here on: pairs with its unlock of the CEP. */
	smp_rmb();
}

static enum ib_qp_type cep_qp_type(u8 transport, bool passive)
{
	switch (transport) {
	case CEP_TRANSPORT_UC:
		return IB_QPT_UC;
	case CEP_TRANSPORT_XRC:
		return passive ? IB_QPT_XRC_TGT : IB_QPT_XRC_INI;
	default:
		return IB_QPT_RC;
	}
}

/* P_Key of the packet itself, which may differ from the connection's. */
static u16 cep_bth_pkey(const struct cep_rx *rx)
{
	u16 pkey = 0;

	if (cep_port_enter(rx->port)) {
		if (ib_get_cached_pkey(rx->port->dev->ibdev, rx->port->num, rx->wc->wc->pkey_index,
				       &pkey))
			pkey = 0;
		cep_port_exit(rx->port);
	}
	return pkey;
}

static void cep_event_build_req(struct ib_cep_event *event, const struct cep_msg *msg,
				struct cep_rx *rx, const struct cep_av *av,
				struct ib_cep *listener, struct sa_path_rec *paths)
{
	const struct cep_req *req = &msg->req;
	struct ib_cep_req_event *out = &event->req;

	cep_path_from_req(rx, msg, av, &paths[0], &paths[1]);
	out->listener = listener;
	out->device = rx->port->dev->ibdev;
	out->primary_path = &paths[0];
	out->alternate_path = cep_msg_has_alternate(req) ? &paths[1] : NULL;
	out->sgid_attr = av->ah_attr.grh.sgid_attr;
	out->service_id = cpu_to_be64(req->service_id);
	out->remote_ca_guid = cpu_to_be64(req->local_ca_guid);
	out->bth_pkey = cep_bth_pkey(rx);
	out->port = rx->port->num;
	out->remote_qkey = req->local_qkey;
	out->remote_qpn = req->local_qpn;
	out->qp_type = cep_qp_type(req->transport, true);
	out->starting_psn = req->starting_psn;
	out->ece_vendor_id = req->ece_vendor_id;
	out->ece_attr_mod = req->ece_attr_mod;
	out->responder_resources = req->initiator_depth;
	out->initiator_depth = req->responder_resources;
	out->local_cm_response_timeout_exp = req->remote_cm_response_timeout_exp;
	out->remote_cm_response_timeout_exp = req->local_cm_response_timeout_exp;
	out->flow_control = req->flow_control;
	out->retry_count = req->retry_count;
	out->rnr_retry_count = req->rnr_retry_count;
	out->srq = req->srq;
}

static void cep_event_build_rep(struct ib_cep_event *event, const struct cep_rep *rep)
{
	struct ib_cep_rep_event *out = &event->rep;

	out->remote_ca_guid = cpu_to_be64(rep->local_ca_guid);
	out->remote_qkey = rep->local_qkey;
	/* An XRC target names its QP where others name an EE context. */
	out->remote_qpn = rep->local_qpn ?: rep->local_eecn;
	out->starting_psn = rep->starting_psn;
	out->ece_vendor_id = rep->ece_vendor_id;
	out->ece_attr_mod = rep->ece_attr_mod;
	out->responder_resources = rep->initiator_depth;
	out->initiator_depth = rep->responder_resources;
	out->target_ack_delay_exp = rep->target_ack_delay_exp;
	out->failover_accepted = rep->failover_accepted;
	out->flow_control = rep->flow_control;
	out->rnr_retry_count = rep->rnr_retry_count;
	out->srq = rep->srq;
}

/* The paths that a REQ event shows live as long as its callback. */
struct cep_event_scratch {
	struct ib_cep_event event;
	struct cep_msg msg;
	struct sa_path_rec paths[2];
};

static int cep_event_call(struct ib_cep *cep, ib_cep_handler handler, void *context, u8 type,
			  u8 cause, struct cep_rx *rx, struct cep_av *av, struct ib_cep *listener)
{
	struct cep_event_scratch small, *s = &small;
	int ret;

	BUILD_BUG_ON((int)IB_CEP_DEVICE_REMOVED != (int)CEP_EVENT_DEVICE_REMOVED);
	BUILD_BUG_ON((int)IB_CEP_REQ_WAITING != (int)CEP_EVENT_REQ_WAITING);
	memset(&s->event, 0, sizeof(s->event));
	s->event.type = (enum ib_cep_event_type)type;
	s->event.cause = (enum ib_cep_cause)cause;
	if (rx) {
		/* It was parsed when it came; it has not changed since. */
		cep_core_parse(cep_rx_mad(rx), CEP_MAD_SIZE, &s->msg);
		s->event.private_data = s->msg.private_data;
		s->event.private_data_len = s->msg.private_data_len;
		switch (type) {
		case CEP_EVENT_REQ_RECEIVED:
			cep_event_build_req(&s->event, &s->msg, rx, av, listener, s->paths);
			break;
		case CEP_EVENT_REP_RECEIVED:
			cep_event_build_rep(&s->event, &s->msg.rep);
			break;
		case CEP_EVENT_REJ_RECEIVED:
			s->event.rej.reason = s->msg.rej.reason;
			s->event.rej.message_rejected = s->msg.rej.which;
			s->event.rej.ari = s->msg.rej.ari;
			s->event.rej.ari_length = s->msg.rej.ari_len;
			break;
		case CEP_EVENT_MRA_RECEIVED:
			s->event.mra.service_timeout_exp = s->msg.mra.service_timeout_exp;
			break;
		}
	}
	ret = handler(cep, &s->event, context);
	return ret;
}

/* The CEP's own end of a destroy that began in its callback, or by the callback's answer. */
static void cep_event_complete_destroy(struct ib_cep *cep)
{
	if (cep->release)
		cep->release(cep->context);
	cep_put(cep);
}

/*
 * A pushed CEP is its listener's until it is configured. Read at the callback and not when
 * the REQ came: the listener may have changed hands since.
 */
static void cep_event_inherit(struct ib_cep *cep, struct ib_cep *listener)
{
	ib_cep_handler handler;
	unsigned long flags;
	void *context;

	spin_lock_irqsave(&listener->lock, flags);
	handler = listener->handler;
	context = listener->context;
	spin_unlock_irqrestore(&listener->lock, flags);
	spin_lock_irqsave(&cep->lock, flags);
	cep->handler = handler;
	cep->context = context;
	spin_unlock_irqrestore(&cep->lock, flags);
}

/*
 * Delivers one event that was taken from the ring. Returns with the CEP unlocked and its
 * callback, if there was one, returned.
 */
static void cep_event_deliver(struct ib_cep *cep, u8 type, u8 cause, struct cep_rx *rx,
			      struct cep_av *av, struct cep_listen *origin)
{
	bool is_req = type == CEP_EVENT_REQ_RECEIVED;
	bool pushed = is_req && !origin->pull;
	struct ib_cep *listener = NULL;
	LIST_HEAD(payloads);
	struct cep_callback cb;
	bool refused = false, complete = false, lost = false;
	unsigned long flags;
	int ret = 0;

	if (pushed) {
		/* The listener may have gone since the request was let through. */
		if (!cep_listen_callback_begin(origin, &cb)) {
			lost = true;
		} else {
			listener = origin->cep;
			cep_event_inherit(cep, listener);
		}
	}
	/*
	 * A REQ whose device went before it could be shown has no addresses to show. Nobody
	 * has a pushed CEP yet; who pulled one hears DEVICE_REMOVED next.
	 */
	if (is_req && !av)
		lost = pushed;
	else if (!lost)
		ret = cep_event_call(cep, cep->handler, cep->context, type, cause, rx, av, listener);

	spin_lock_irqsave(&cep->lock, flags);
	WRITE_ONCE(cep->running, NULL);
	if (test_bit(CEP_F_IN_CALLBACK, &cep->flags)) {
		complete = true;
		if (ret)
			pr_warn_ratelimited("ib_cep: CEP %08x: destroyed in a callback that also refused\n",
					    cep->comm_id);
	} else if ((ret || lost) && !test_and_set_bit(CEP_F_DESTROYED, &cep->flags)) {
		refused = true;
	}
	spin_unlock_irqrestore(&cep->lock, flags);
	smp_mb(); /* running before the look for waiters: pairs with wait_var_event() */
	wake_up_var(&cep->running);

	if (refused) {
		cep_listen_end(cep);
		cep_qp_forget(cep);
		cep_close(cep, lost ? CEP_REJ_INVALID_SERVICE_ID : CEP_REJ_CONSUMER_DEFINED,
			  !(is_req && (ret == -ENOMEM || ret == -EAGAIN)));
		cep_event_discard(cep, &payloads);
		complete = true;
		/* Nobody was told of this CEP: there is no release to call. */
		if (lost)
			cep->release = NULL;
	}
	if (pushed)
		cep_listen_callback_end(origin, listener ? &cb : NULL);
	if (complete)
		cep_event_complete_destroy(cep);
	if (rx)
		cep_rx_free(rx);
}

void cep_event_work(struct work_struct *work)
{
	struct ib_cep *cep = container_of(work, struct ib_cep, work);
	unsigned int noio = memalloc_noio_save();
	struct cep_listen *origin;
	struct cep_av *av;
	struct cep_rx *rx;
	unsigned long flags;
	u16 event;

	for (;;) {
		spin_lock_irqsave(&cep->lock, flags);
		if (!cep->event_count || test_bit(CEP_F_DESTROYED, &cep->flags)) {
			clear_bit(CEP_F_SCHEDULED, &cep->flags);
			spin_unlock_irqrestore(&cep->lock, flags);
			break;
		}
		event = cep->event[cep->event_head];
		cep->event_head = (cep->event_head + 1) % CEP_EVENT_RING;
		cep->event_count--;
		rx = NULL;
		if (cep_event_has_payload(event & 0xff)) {
			rx = list_first_entry(&cep->payloads, struct cep_rx, link);
			list_del_init(&rx->link);
		}
		origin = cep->origin;
		av = (event & 0xff) == CEP_EVENT_REQ_RECEIVED ? cep_av_get(cep->av) : NULL;
		WRITE_ONCE(cep->running, current);
		spin_unlock_irqrestore(&cep->lock, flags);

		cep_event_deliver(cep, event & 0xff, event >> 8, rx, av, origin);
		cep_av_put(av);
	}
	memalloc_noio_restore(noio);
	cep_put(cep);
}

const char *ib_cep_event_msg(enum ib_cep_event_type event)
{
	return event == IB_CEP_REQ_WAITING ? "REQ_WAITING" : cep_core_event_name(event);
}
EXPORT_SYMBOL_GPL(ib_cep_event_msg);
