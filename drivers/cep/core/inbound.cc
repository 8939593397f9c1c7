/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Input from outside: messages, the deadline, completions, and what the shell
 * finds out about the peer or the device. Each chooses the row of the table by
 * who sent what, and remembers what the message brings. All that a message says
 * is the peer's word: IDs and QPNs are compared first (match.cc). The caller
 * holds the CEP's lock. IBA 12.9.8.
 */
#include "big_endian.hh"
#include "codec.hh"
#include "endpoint.hh"
#include "timeouts.hh"

namespace cep
{

void Endpoint::take_new_req(const cep_msg &msg, CommId local)
{
	const cep_req &req = msg.req;

	tid_ = Tid{msg.tid};
	peer_guid_ = CaGuid{req.local_ca_guid};
	local_id_ = local;
	remote_id_ = CommId{msg.local_comm_id};
	local_qpn_ = no_qpn;
	remote_qpn_ = Qpn{req.local_qpn};
	sq_psn_ = Psn{req.starting_psn};
	rq_psn_ = Psn{};
	passive_ = true;
	indexed_ = true;
	kept_for_ = 0;

	transport_ = req.transport;
	path_mtu_ = req.path_mtu;
	/* What the peer may start is what we must answer, and the other way round */
	responder_resources_ = req.initiator_depth;
	initiator_depth_ = req.responder_resources;
	retry_count_ = req.retry_count;
	rnr_retry_ = req.rnr_retry_count;
	has_alternate_ = path_present(req.alternate);
	/* 0 would mean "wait for ever" to the QP */
	timeout_exp_ = req.primary.local_ack_timeout_exp ? req.primary.local_ack_timeout_exp : 1;
	alt_timeout_exp_ =
		req.alternate.local_ack_timeout_exp ? req.alternate.local_ack_timeout_exp : 1;

	max_retries_ = req.max_cm_retries;
	response_timeout_ = exp_to_ns(req.local_cm_response_timeout_exp);
	/* The peer's ack timeout is two packet life times and its CA's delay already */
	timewait_ = exp_to_ns(req.primary.local_ack_timeout_exp);
	peer_ack_delay_exp_ = 0;
}

cep_result Endpoint::on_new_req(uint64_t now, const cep_msg &msg, CommId local, cep_actions &acts)
{
	if (closed_ || row(Input::NewReq).verdict != Verdict::Accept)
		return CEP_E_STATE;
	if (msg.attr != CEP_ATTR_REQ || local == no_comm_id)
		return CEP_E_ARG;

	take_new_req(msg, local);
	peer_to_peer_ = false;
	return step(Input::NewReq, {.now = now}, acts);
}

/* What the shell kept is right only for the message for which it was kept. */
void Endpoint::repeat(uint16_t attr, const cep_facts &facts, Call &call) const
{
	if (kept_for_ != attr)
		return;
	call.data = facts.repeat_data;
	call.len = facts.repeat_data ? facts.repeat_len : 0;
}

void Endpoint::take_rep(const cep_msg &msg)
{
	const cep_rep &rep = msg.rep;

	remote_id_ = CommId{msg.local_comm_id};
	remote_qpn_ = rep_qpn(msg);
	peer_guid_ = CaGuid{rep.local_ca_guid};
	sq_psn_ = Psn{rep.starting_psn};
	responder_resources_ = rep.initiator_depth;
	initiator_depth_ = rep.responder_resources;
	rnr_retry_ = rep.rnr_retry_count;
	timeout_exp_ = ack_timeout_exp(rep.target_ack_delay_exp, life_time_exp_);
	alt_timeout_exp_ = ack_timeout_exp(rep.target_ack_delay_exp, alt_life_time_exp_);
	timewait_ = add_ns(multiply_ns(exp_to_ns(life_time_exp_), 2),
			   exp_to_ns(rep.target_ack_delay_exp));
	peer_ack_delay_exp_ = rep.target_ack_delay_exp;
	indexed_ = true;
}

cep_result Endpoint::on_rep(uint64_t now, const cep_msg &msg, const cep_facts &facts, uint8_t *tx,
			    cep_actions &acts)
{
	Call call{.now = now, .tx = tx, .received = &msg, .may_be_mute = true};

	if (expects(msg)) {
		if (facts.peer_taken) {
			call.reason = CEP_REJ_STALE_CONN;
			call.cause = CEP_CAUSE_STALE;
			return step(Input::RepTaken, call, acts);
		}
		take_rep(msg);
		return step(Input::Rep, call, acts);
	}
	if (passive_ || !from_peer(msg) || rep_qpn(msg) != remote_qpn_)
		return CEP_E_PEER;

	if (state() == CEP_STATE_MRA_REP_SENT) {
		call.service_timeout_exp = service_timeout_exp_;
		repeat(CEP_ATTR_MRA, facts, call);
	} else {
		repeat(CEP_ATTR_RTU, facts, call);
	}
	return step(Input::DupRep, call, acts);
}

cep_result Endpoint::on_mra(uint64_t now, const cep_msg &msg, const cep_facts &facts,
			    cep_actions &acts)
{
	const uint64_t cap = facts.max_mra_ns ? facts.max_mra_ns : default_max_mra_ns;
	const uint64_t asked = exp_to_ns(msg.mra.service_timeout_exp);
	Call call{.now = now, .mra_ns = asked < cap ? asked : cap};

	if (CommId{msg.remote_comm_id} != local_id_)
		return CEP_E_PEER;
	if (remote_id_ != no_comm_id && CommId{msg.local_comm_id} != remote_id_)
		return CEP_E_PEER;
	if (msg.mra.which == CEP_WHICH_REQ && !passive_)
		return step(Input::MraReq, call, acts);
	if (msg.mra.which == CEP_WHICH_REP && passive_)
		return step(Input::MraRep, call, acts);
	if (msg.mra.which == CEP_WHICH_OTHER)
		return step(Input::MraLap, call, acts);
	return CEP_E_PEER;
}

cep_result Endpoint::on_dreq(uint64_t now, const cep_msg &msg, const cep_facts &facts, uint8_t *tx,
			     cep_actions &acts)
{
	Call call{.now = now, .tx = tx, .received = &msg, .may_be_mute = true};

	/*
	 * A DREQ can overtake the REP. A DREP now would end the connection for the peer
	 * alone, and the REP would begin it for us; the peer asks again.
	 */
	const bool overtaking = remote_id_ == no_comm_id && among(state(), requesting) &&
				CommId{msg.remote_comm_id} == local_id_;
	if (!from_peer(msg) && !overtaking)
		return step(Input::DreqStray, call, acts);
	/* The peer must name our QP (IBA 12.6.10), or it means an older connection */
	if (state() != CEP_STATE_IDLE && local_qpn_ != no_qpn &&
	    Qpn{msg.dreq.remote_qpn} != local_qpn_)
		return CEP_E_PEER;

	repeat(CEP_ATTR_DREP, facts, call);
	if (closed_ || told_)
		return step(Input::DreqOver, call, acts);
	const cep_result result = step(Input::Dreq, call, acts);
	/* Our DREP, whenever the ULP sends it, carries the TID of the DREQ */
	if (result == CEP_OK)
		tid_ = Tid{msg.tid};
	return result;
}

cep_result Endpoint::on_req(uint64_t now, const cep_msg &msg, const cep_facts &facts, uint8_t *tx,
			    cep_actions &acts)
{
	Call call{.now = now, .tx = tx, .received = &msg, .may_be_mute = true};

	if (yielded_req(msg))
		return step(Input::PeerReqLess, call, acts);
	if (!same_req(msg))
		return CEP_E_PEER;
	call.service_timeout_exp = service_timeout_exp_;
	repeat(CEP_ATTR_MRA, facts, call);
	return step(Input::DupReq, call, acts);
}

cep_result Endpoint::on_rej(uint64_t now, const cep_msg &msg, cep_actions &acts)
{
	const bool absent = peer_to_peer_ && !passive_ &&
			    msg.rej.reason == CEP_REJ_INVALID_SERVICE_ID &&
			    row(Input::RejAbsent).verdict != Verdict::Peer;

	if (!rej_is_ours(msg))
		return CEP_E_PEER;
	/* Two that start at once cannot know who of them is first: the retries go on */
	return step(absent ? Input::RejAbsent : Input::Rej, {.now = now}, acts);
}

cep_result Endpoint::on_message(uint64_t now, const cep_msg &msg, const cep_facts &facts,
				uint8_t *tx, cep_actions &acts)
{
	const Call call{.now = now, .tx = tx, .received = &msg, .may_be_mute = true};

	switch (msg.attr) {
	case CEP_ATTR_REQ: return on_req(now, msg, facts, tx, acts);
	case CEP_ATTR_REP: return on_rep(now, msg, facts, tx, acts);
	case CEP_ATTR_RTU:
		if (!passive_ || !from_peer(msg))
			return CEP_E_PEER;
		return step(Input::Rtu, call, acts);
	case CEP_ATTR_MRA: return on_mra(now, msg, facts, acts);
	case CEP_ATTR_REJ: return on_rej(now, msg, acts);
	case CEP_ATTR_DREQ: return on_dreq(now, msg, facts, tx, acts);
	case CEP_ATTR_DREP:
		if (!from_peer(msg))
			return CEP_E_PEER;
		return step(Input::Drep, call, acts);
	case CEP_ATTR_LAP: return on_lap(now, msg, facts, CEP_APR_UNSUPPORTED, tx, acts);
	case CEP_ATTR_APR: return on_apr(now, msg, acts);
	case CEP_ATTR_SIDR_REQ:
	case CEP_ATTR_SIDR_REP: return on_sidr(now, msg, acts);
	default: return CEP_E_PEER;
	}
}

cep_result Endpoint::on_deadline(uint64_t now, CaGuid guid, uint8_t *tx, cep_actions &acts)
{
	uint8_t ari[8];
	Call call{.now = now, .tx = tx, .cause = CEP_CAUSE_TIMEOUT, .may_be_mute = true};

	if (!deadline_ || now < deadline_)
		return CEP_E_STATE;
	if (state() == CEP_STATE_TIMEWAIT)
		return step(Input::TimewaitEnd, {.now = now}, acts);
	/* A request that has not left in all the time that its retries had is lost here */
	if (retries_left_ && !leaving_)
		return step(Input::Retry, call, acts);

	store_be<8>(ari, raw(guid));
	call.reason = CEP_REJ_TIMEOUT;
	call.ari = ari;
	call.ari_len = sizeof(ari);
	return step(Input::GiveUp, call, acts);
}

cep_result Endpoint::on_sent(uint64_t now, cep_actions &acts)
{
	/* a copy that nobody waits for: sent for a duplicate, or answered already */
	if (!leaving_)
		return CEP_E_STATE;
	return step(Input::Sent, {.now = now}, acts);
}

cep_result Endpoint::on_send_failed(uint64_t now, cep_actions &acts)
{
	if (!leaving_)
		return CEP_E_STATE;
	return step(Input::SendFailed, {.now = now, .cause = CEP_CAUSE_SEND_FAILED}, acts);
}

cep_result Endpoint::on_stale(uint64_t now, Tid tid, uint8_t *tx, cep_actions &acts)
{
	Call call{.now = now,
		  .tx = tx,
		  .reason = CEP_REJ_STALE_CONN,
		  .retries = max_retries_,
		  .cause = CEP_CAUSE_STALE,
		  .may_be_mute = true};
	cep_msg msg;

	if (among(state(), up)) {
		build_dreq(tid, nullptr, 0, msg);
		call.request = &msg;
	}
	return step(tx ? Input::Stale : Input::StaleMute, call, acts);
}

void Endpoint::on_device_removed(cep_actions &acts)
{
	(void)step(Input::DeviceRemoved, {}, acts);
}

} // namespace cep
