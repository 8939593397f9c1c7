// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The MAD receive handler: parse, find the CEP, feed the engine. Duplicates are answered
 * and stale requests refused here, without any ULP. The handler is in process context
 * but must not wait, for QP1's one completion queue waits with it: whatever needs an
 * address that is not in the cache goes to the resolver (resolve.c).
 *
 * Concurrency: one handler for each port at a time, so several in all; a users reference
 * of the port is held throughout. A CEP is looked up, referenced, then locked.
 */
#include <linux/slab.h>
#include "shell.h"

/* Message, facts, action list and reply of one input; on the stack of the handler. */
struct cep_input {
	struct cep_run run;
	struct cep_msg msg;
	struct cep_rx *rx;
};

static const enum cep_drop cep_parse_drop[] = {
	[CEP_PARSE_SHORT] = CEP_DROP_short_mad,
	[CEP_PARSE_BASE_VERSION] = CEP_DROP_malformed,
	[CEP_PARSE_CLASS] = CEP_DROP_malformed,
	[CEP_PARSE_CLASS_VERSION] = CEP_DROP_class_version,
	[CEP_PARSE_METHOD] = CEP_DROP_malformed,
	[CEP_PARSE_ATTR] = CEP_DROP_unknown_attr,
	[CEP_PARSE_FIELD] = CEP_DROP_malformed,
};

void cep_rx_free(struct cep_rx *rx)
{
	if (!rx)
		return;
	cep_index_withdraw(&rx->peer);
	ib_free_recv_mad(rx->wc);
	kfree(rx->reply);
	cep_port_put(rx->port);
	kfree(rx);
}

static struct cep_rx *cep_rx_alloc(struct cep_port *port, struct ib_mad_recv_wc *wc)
{
	struct cep_rx *rx = kzalloc(sizeof(*rx), GFP_NOIO);

	if (!rx)
		return NULL;
	INIT_LIST_HEAD(&rx->link);
	rx->wc = wc;
	rx->peer.kind = CEP_PEER_PLACEHOLDER;
	rx->port = port;
	kref_get(&port->ref);
	return rx;
}

/* Counts what the engine did not take. */
static void cep_rx_verdict(struct cep_port *port, u16 attr, enum cep_result res)
{
	if (res == CEP_E_DUP)
		cep_count(port, CEP_RX_DUPLICATES, attr);
	else if (res)
		cep_drop(port, CEP_DROP_out_of_place);
}

static void cep_rx_facts(struct ib_cep *cep, struct cep_facts *facts)
{
	facts->ca_guid = cep->dev ? cep->dev->node_guid : 0;
	facts->peer_taken = 0;
	facts->repeat_data = cep->repeat_data;
	facts->repeat_len = cep->repeat_len;
	facts->max_mra_ns = 4096ULL << min(READ_ONCE(cep_max_mra_exp), 31U);
}

/* Was a message that the engine took one that it had seen before? */
static bool cep_rx_repeats(u16 attr, const struct cep_actions *acts)
{
	unsigned int i;

	if (attr != CEP_ATTR_REQ && attr != CEP_ATTR_REP && attr != CEP_ATTR_DREQ)
		return false;
	for (i = 0; i < acts->count; i++)
		if (acts->act[i].kind == CEP_ACT_EVENT)
			return false;
	return acts->state_before == acts->state_after;
}

static enum cep_result cep_rx_feed(struct ib_cep *cep, struct cep_input *in)
{
	struct cep_facts facts;
	enum cep_result res;
	unsigned long flags;

	cep_run_init(&in->run, GFP_NOIO);
	in->run.rx = in->rx;
	/* A DREQ may name a CEP of ours whose peer is another, or which has no address yet. */
	in->run.to_source = in->msg.attr == CEP_ATTR_DREQ;
	spin_lock_irqsave(&cep->lock, flags);
	cep_rx_facts(cep, &facts);
	res = cep_core_on_message(&cep->core, cep_now_ns(), &in->msg, &facts,
				  cep_run_mad(&in->run), &in->run.acts);
	if (!res) {
		if (cep_rx_repeats(in->msg.attr, &in->run.acts))
			cep_count(in->rx->port, CEP_RX_DUPLICATES, in->msg.attr);
		cep_run(cep, &in->run);
	}
	spin_unlock_irqrestore(&cep->lock, flags);
	in->rx = in->run.rx; /* NULL if it became an event's payload */
	cep_run_finish(cep, &in->run);
	if (in->run.answer && in->rx) {
		cep_rx_reply(in->rx, in->run.scratch);
		in->rx = NULL;
	}
	return res;
}

/* Ends a connection that its peer has shown to have lost. */
static void cep_rx_stale(struct ib_cep *cep)
{
	struct cep_port *port = NULL;
	struct cep_av *av, *fresh;
	struct cep_run run;
	unsigned long flags;
	u64 tid = 0;

	cep_run_init(&run, GFP_NOIO);
	spin_lock_irqsave(&cep->lock, flags);
	av = cep_av_get(cep->av);
	port = av ? cep->port : NULL;
	spin_unlock_irqrestore(&cep->lock, flags);
	if (port && !cep_port_enter(port))
		port = NULL;
	if (port) {
		fresh = cep_av_fresh(av);
		run.tx = cep_tx_alloc(port, fresh, GFP_NOIO);
		cep_av_put(fresh);
		tid = cep_next_tid(port);
	}
	spin_lock_irqsave(&cep->lock, flags);
	if (!cep_core_on_stale(&cep->core, cep_now_ns(), tid,
			       run.tx ? cep_tx_mad(run.tx) : NULL, &run.acts))
		cep_run(cep, &run);
	spin_unlock_irqrestore(&cep->lock, flags);
	cep_run_finish(cep, &run);
	cep_av_put(av);
	if (port)
		cep_port_exit(port);
}

static bool cep_holds_qpn(struct ib_cep *cep)
{
	unsigned long flags;
	bool holds;

	spin_lock_irqsave(&cep->lock, flags);
	holds = cep_core_holds_qpn(&cep->core);
	spin_unlock_irqrestore(&cep->lock, flags);
	return holds;
}

static void cep_rx_reject(struct cep_input *in, u16 reason)
{
	cep_core_reject(&in->msg, reason, NULL, 0, in->run.scratch);
	cep_rx_reply(in->rx, in->run.scratch);
	in->rx = NULL;
}

/* --- REQ ---------------------------------------------------------------------------------- */

/* A REQ with the (CA GUID, QPN) of a CEP, and another comm ID: stale, unless it is over. */
static bool cep_rx_req_stale(struct cep_input *in, struct ib_cep *owner)
{
	if (!cep_holds_qpn(owner)) {
		cep_retire(owner);
		return true;
	}
	cep_drop(in->rx->port, CEP_DROP_stale);
	cep_rx_stale(owner);
	cep_rx_reject(in, CEP_REJ_STALE_CONN);
	return false;
}

/* A REQ with the (CA GUID, comm ID) of a CEP. Returns whether the claim is worth another try. */
static bool cep_rx_req_known(struct cep_input *in, struct ib_cep *owner)
{
	enum cep_req_class class;
	unsigned long flags;

	spin_lock_irqsave(&owner->lock, flags);
	class = cep_core_classify_req(&owner->core, &in->msg);
	spin_unlock_irqrestore(&owner->lock, flags);
	switch (class) {
	case CEP_REQ_DUPLICATE:
		cep_rx_verdict(in->rx->port, CEP_ATTR_REQ, cep_rx_feed(owner, in));
		return false;
	case CEP_REQ_NEW:
		cep_retire(owner);
		return true;
	case CEP_REQ_COMM_ID_TAKEN:
		cep_drop(in->rx->port, CEP_DROP_refused);
		cep_rx_reject(in, CEP_REJ_DUPLICATE_LOCAL_COMM_ID);
		return false;
	case CEP_REQ_STALE:
		return cep_rx_req_stale(in, owner);
	}
	return false;
}

static void cep_rx_req(struct cep_input *in)
{
	struct cep_rx *rx = in->rx;
	u16 reason = cep_core_check_req(&in->msg);
	struct ib_cep *owner;
	struct cep_av *av;
	bool again = true;
	int tries;

	if (reason) {
		cep_drop(rx->port, CEP_DROP_refused);
		cep_rx_reject(in, reason);
		return;
	}
	rx->peer.ca_guid = in->msg.req.local_ca_guid;
	rx->peer.comm_id = in->msg.local_comm_id;
	rx->peer.qpn = in->msg.req.local_qpn;
	/* Another CPU may claim between our retiring the old and claiming: then the peer retries. */
	for (tries = 0; again && tries < 3; tries++) {
		switch (cep_index_claim(&rx->peer, &owner)) {
		case CEP_CLAIMED:
			in->rx = NULL;
			av = cep_av_find_wc(rx->port, rx->wc);
			if (av)
				cep_accept(rx, av, false);
			else
				cep_resolve(rx);
			return;
		case CEP_CLAIM_BUSY:
			cep_count(rx->port, CEP_RX_DUPLICATES, CEP_ATTR_REQ);
			return;
		case CEP_CLAIM_COMM_ID:
			again = cep_rx_req_known(in, owner);
			cep_put(owner);
			break;
		case CEP_CLAIM_QPN:
			again = cep_rx_req_stale(in, owner);
			cep_put(owner);
			break;
		}
	}
}

/* --- REP ------------------------------------------------------------------------------------ */

/*
 * The first REP gives the peer its name: it is claimed before the CEP is locked, as a
 * placeholder, because whoever has it already may have to be locked for stale handling.
 * Returns false if the message is a duplicate of one that is being worked on.
 */
static bool cep_rx_rep_claim(struct cep_input *in, struct ib_cep *cep, bool *taken)
{
	struct ib_cep *owner;
	int tries;

	in->rx->peer.ca_guid = in->msg.rep.local_ca_guid;
	in->rx->peer.comm_id = in->msg.local_comm_id;
	/* IBA 12.6.8: an XRC target names its QP where others name an EE context. */
	in->rx->peer.qpn = in->msg.rep.local_qpn ?: in->msg.rep.local_eecn;
	for (tries = 0; tries < 3; tries++) {
		*taken = false;
		switch (cep_index_claim(&in->rx->peer, &owner)) {
		case CEP_CLAIMED:
			return true;
		case CEP_CLAIM_BUSY:
			cep_count(in->rx->port, CEP_RX_DUPLICATES, CEP_ATTR_REP);
			return false;
		case CEP_CLAIM_COMM_ID:
		case CEP_CLAIM_QPN:
			break;
		}
		if (owner == cep) { /* another CPU took the same REP meanwhile */
			cep_put(owner);
			return true;
		}
		*taken = true;
		if (cep_holds_qpn(owner)) {
			cep_drop(in->rx->port, CEP_DROP_stale);
			cep_rx_stale(owner);
			cep_put(owner);
			return true;
		}
		cep_retire(owner);
		cep_put(owner);
	}
	return true;
}

static enum cep_result cep_rx_rep(struct ib_cep *cep, struct cep_input *in)
{
	struct cep_facts facts;
	enum cep_result res;
	unsigned long flags;
	bool expected, taken = false;

	spin_lock_irqsave(&cep->lock, flags);
	expected = cep_core_expects_rep(&cep->core, &in->msg);
	spin_unlock_irqrestore(&cep->lock, flags);
	if (!expected)
		return cep_rx_feed(cep, in);
	if (!cep_rx_rep_claim(in, cep, &taken))
		return CEP_OK;

	cep_run_init(&in->run, GFP_NOIO);
	in->run.rx = in->rx;
	spin_lock_irqsave(&cep->lock, flags);
	expected = cep_core_expects_rep(&cep->core, &in->msg);
	cep_rx_facts(cep, &facts);
	facts.peer_taken = taken;
	res = cep_core_on_message(&cep->core, cep_now_ns(), &in->msg, &facts,
				  cep_run_mad(&in->run), &in->run.acts);
	if (!res) {
		if (expected && !taken && in->rx->peer.indexed) {
			cep_get(cep); /* the entry's */
			cep_index_replace(&in->rx->peer, &cep->peer);
		}
		cep_run(cep, &in->run);
	}
	spin_unlock_irqrestore(&cep->lock, flags);
	in->rx = in->run.rx;
	if (in->rx)
		cep_index_withdraw(&in->rx->peer);
	cep_run_finish(cep, &in->run);
	return res;
}

/* --- the rest ----------------------------------------------------------------------------------- */

static struct ib_cep *cep_rx_find(const struct cep_msg *msg)
{
	struct ib_cep *cep = NULL;
	u64 guid = 0;
	int i;

	if (msg->remote_comm_id)
		return cep_comm_id_find(msg->remote_comm_id);
	/* IBA 12.6.7: a peer that never heard from us names itself by CA GUID and comm ID. */
	if (msg->attr == CEP_ATTR_REJ && msg->rej.reason == CEP_REJ_TIMEOUT &&
	    msg->rej.ari_len >= 8) {
		for (i = 0; i < 8; i++)
			guid = guid << 8 | msg->rej.ari[i];
		cep = cep_index_find_peer(guid, msg->local_comm_id);
	}
	return cep;
}

static void cep_rx_unknown(struct cep_input *in)
{
	/* A SIDR_REQ names nothing that could be unknown. */
	if (in->msg.attr != CEP_ATTR_SIDR_REQ)
		cep_drop(in->rx->port, CEP_DROP_unknown_id);
	if (cep_core_answer_unknown(&in->msg, in->run.scratch)) {
		cep_rx_reply(in->rx, in->run.scratch);
		in->rx = NULL;
	}
}

static void cep_rx_one(struct cep_input *in)
{
	struct cep_port *port = in->rx->port;
	u16 attr = in->msg.attr;
	enum cep_result res;
	struct ib_cep *cep;

	if (attr == CEP_ATTR_REQ) {
		cep_rx_req(in);
		return;
	}
	if (attr == CEP_ATTR_SIDR_REQ || attr == CEP_ATTR_SIDR_REP) {
		cep_rx_unknown(in);
		return;
	}
	cep = cep_rx_find(&in->msg);
	/* A comm ID is a connection's on one device; the other port of it may be used. */
	if (cep && cep->dev != port->dev) {
		cep_put(cep);
		cep = NULL;
	}
	if (!cep) {
		cep_rx_unknown(in);
		return;
	}
	res = attr == CEP_ATTR_REP ? cep_rx_rep(cep, in) : cep_rx_feed(cep, in);
	cep_rx_verdict(port, attr, res);
	cep_put(cep);
}

/*
 * The MAD layer says 256 whatever came; the completion counts the bytes, with the room
 * for a GRH that a datagram QP always has. What was not received is an older packet's.
 */
static size_t cep_rx_length(const struct ib_mad_recv_wc *wc)
{
	u32 bytes = wc->wc->byte_len;

	return bytes > sizeof(struct ib_grh) ? bytes - sizeof(struct ib_grh) : 0;
}

void cep_rx_handler(struct ib_mad_agent *agent, struct ib_mad_send_buf *send_buf,
		    struct ib_mad_recv_wc *wc)
{
	struct cep_port *port = agent->context;
	struct cep_input in;
	enum cep_parse parse;

	if (!cep_port_enter(port)) {
		ib_free_recv_mad(wc);
		return;
	}
	parse = cep_core_parse((const u8 *)wc->recv_buf.mad, cep_rx_length(wc), &in.msg);
	if (parse && !(parse == CEP_PARSE_CLASS_VERSION && in.msg.attr == CEP_ATTR_REQ)) {
		cep_drop(port, cep_parse_drop[parse]);
		ib_free_recv_mad(wc);
		goto out;
	}
	in.rx = cep_rx_alloc(port, wc);
	if (!in.rx) {
		cep_drop(port, CEP_DROP_no_memory);
		ib_free_recv_mad(wc);
		goto out;
	}
	if (parse) {
		cep_drop(port, CEP_DROP_class_version);
		cep_rx_reject(&in, CEP_REJ_INVALID_CLASS_VERSION);
	} else {
		cep_count(port, CEP_RX, in.msg.attr);
		cep_rx_one(&in);
	}
	cep_rx_free(in.rx);
out:
	cep_port_exit(port);
}
