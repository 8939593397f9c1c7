/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * How a CEP moves: step() looks a cell of the transition table up, writes the
 * message that it asks for and has apply() carry it out. Also the commands of
 * the ULP that end or watch a connection; those that make one are in
 * connect.cc. The caller holds the CEP's lock.
 */
#include "endpoint.hh"
#include "big_endian.hh"
#include "codec.hh"
#include "timeouts.hh"

namespace cep
{

namespace
{

/* Without a reply of the ULP: it refuses by its going. */
void fill_sidr_rep(const cep_send_sidr_rep *from, uint64_t service_id, cep_sidr_rep &to)
{
	to = cep_sidr_rep{};
	to.service_id = service_id;
	to.status = CEP_SIDR_REJECT;
	if (!from)
		return;
	to.vendor_id = from->ece_vendor_id;
	to.attr_mod = from->ece_attr_mod;
	to.qpn = from->qpn;
	to.qkey = from->qkey;
	to.status = from->status;
	to.info_len = from->info_len;
	to.info = from->info;
}

} // namespace

/*
 * Never inlined, like write_reply(): each has a message on its stack, and a frame
 * of the kernel may not hold two.
 */
[[gnu::noinline]] bool Endpoint::write_reply(Say say, const Call &call) const
{
	const cep_msg *received = call.received;
	cep_msg msg;

	msg.tid = raw(tid_);
	msg.local_comm_id = raw(local_id_);
	msg.remote_comm_id = raw(remote_id_);
	msg.private_data = call.data;
	msg.private_data_len = call.len;

	/* Answers to one message rather than to a connection mirror it */
	if (received && (say == Say::Drep || say == Say::Apr || say == Say::RejRep)) {
		msg.tid = received->tid;
		msg.local_comm_id = received->remote_comm_id;
		msg.remote_comm_id = received->local_comm_id;
	} else if (among(state(), peers_lap)) {
		if (say == Say::Apr || say == Say::Mra)
			msg.tid = raw(peer_lap_tid_);
	}

	switch (say) {
	case Say::Rtu: msg.attr = CEP_ATTR_RTU; break;
	case Say::Mra:
		msg.attr = CEP_ATTR_MRA;
		msg.mra.which = among(state(), peers_lap) ? CEP_WHICH_OTHER
				: passive_                ? CEP_WHICH_REQ
							  : CEP_WHICH_REP;
		msg.mra.service_timeout_exp = call.service_timeout_exp;
		break;
	case Say::RejReq:
	case Say::RejRep:
	case Say::RejOther:
		msg.attr = CEP_ATTR_REJ;
		msg.rej.which = say == Say::RejReq   ? CEP_WHICH_REQ
				: say == Say::RejRep ? CEP_WHICH_REP
						     : CEP_WHICH_OTHER;
		msg.rej.reason = call.reason;
		msg.rej.ari = call.ari;
		msg.rej.ari_len = call.ari_len;
		/* The peer has never heard of our ID before a message of ours named it */
		if (state() == CEP_STATE_REQ_RCVD)
			msg.local_comm_id = 0;
		break;
	case Say::Drep: msg.attr = CEP_ATTR_DREP; break;
	case Say::Apr:
		msg.attr = CEP_ATTR_APR;
		msg.apr.status = call.status;
		msg.apr.info_len = call.ari_len;
		msg.apr.info = call.ari;
		break;
	case Say::SidrRep:
		msg.attr = CEP_ATTR_SIDR_REP;
		msg.local_comm_id = raw(remote_id_); /* the request ID */
		msg.remote_comm_id = 0;
		fill_sidr_rep(call.sidr_rep, service_id_, msg.sidr_rep);
		break;
	case Say::None:
	case Say::Request:
	case Say::Resend:
	case Say::ResendForDup: return false;
	}

	if (!writable(msg))
		return false;
	encode(msg, call.tx);
	return true;
}

/* Tells whether the ULP is to hear of an event. */
bool Endpoint::is_news(uint8_t event) const
{
	if (closed_ || event == no_event)
		return false;
	if (!told_)
		return true;
	return event != CEP_EVENT_DREQ_ERROR && event != CEP_EVENT_DREQ_RECEIVED &&
	       event != CEP_EVENT_DREP_RECEIVED && event != CEP_EVENT_REJ_RECEIVED;
}

void Endpoint::arm(Arm what, const Call &call)
{
	switch (what) {
	case Arm::None: return;
	case Arm::Watchdog:
		leaving_ = true;
		deadline_ = add_ns(call.now, multiply_ns(response_timeout_, retries_left_ + 1u));
		return;
	case Arm::Response:
		leaving_ = false;
		deadline_ = add_ns(call.now, response_timeout_);
		return;
	case Arm::Mra:
		/* An answer: the request has left, whatever its completion still says */
		leaving_ = false;
		deadline_ = add_ns(add_ns(call.now, call.mra_ns), response_timeout_);
		return;
	}
}

/*
 * Carries a row out. The only place where the state changes; what must follow from
 * a change of state follows here, so no row can forget it.
 */
void Endpoint::apply(const Row &row, const Call &call, cep_act_kind sent, cep_actions &acts)
{
	const cep_state before = state();
	const bool had_deadline = deadline_ != 0;
	ActionList list{acts, before};
	cep_state next = static_cast<cep_state>(row.next);

	if (next == CEP_STATE_IDLE && closed_)
		next = CEP_STATE_CLOSED;

	if (row.say == Say::Request)
		retries_left_ = call.retries;
	else if (row.say == Say::Resend)
		retries_left_--;

	/* The messages, before the buffers that carried earlier ones go */
	if (sent != CEP_ACT_NONE)
		list.push(sent);
	if (call.keep_for) {
		const bool any = call.len || call.ari_len;
		kept_for_ = any ? call.keep_for : 0;
		if (any)
			list.push(CEP_ACT_KEEP_DATA);
	}
	if (among(before, requesting) && !among(next, requesting))
		list.push(CEP_ACT_DROP_REQUEST);

	state_ = static_cast<uint8_t>(next);

	/* The one deadline */
	if (row.arm != Arm::None) {
		arm(row.arm, call);
	} else if (next == CEP_STATE_TIMEWAIT && before != CEP_STATE_TIMEWAIT) {
		deadline_ = add_ns(call.now, timewait_);
	} else if (!among(next, timed)) {
		deadline_ = 0;
	}
	if (row.arm != Arm::None || (next == CEP_STATE_TIMEWAIT && before != CEP_STATE_TIMEWAIT))
		list.push(CEP_ACT_ARM, deadline_);
	else if (had_deadline && !deadline_)
		list.push(CEP_ACT_DISARM);
	if (!among(next, requesting))
		leaving_ = false;

	/* The addresses */
	if (!among(before, any_lap) && among(next, any_lap))
		list.push(CEP_ACT_HOLD_ALT);
	if (row.alt == Alt::Take)
		take_alternate();
	if (among(before, any_lap) && !among(next, any_lap))
		list.push(row.alt == Alt::Take ? CEP_ACT_TAKE_ALT : CEP_ACT_DROP_ALT);
	if (row.alt == Alt::Swap) {
		swap_paths();
		list.push(CEP_ACT_SWAP_PATHS);
	}

	/* The indexes: a record stays until its timewait is over */
	if (indexed_ && among(next, at_rest)) {
		list.push(CEP_ACT_UNINDEX);
		indexed_ = false;
	}
	if (next == CEP_STATE_TIMEWAIT && before != CEP_STATE_TIMEWAIT) {
		list.push(CEP_ACT_ENTER_TIMEWAIT);
	} else if (next != CEP_STATE_TIMEWAIT && before == CEP_STATE_TIMEWAIT) {
		list.push(CEP_ACT_LEAVE_TIMEWAIT);
		/* one exit for each entry, even if a removal cuts it short */
		if (!closed_)
			list.event(CEP_EVENT_TIMEWAIT_EXIT, CEP_CAUSE_NONE);
	}

	if (is_news(row.event))
		list.event(row.event, call.cause);
	if (call.cause == CEP_CAUSE_STALE)
		told_ = true;
	if (among(next, at_rest) && !among(before, at_rest)) {
		told_ = false;
		formatted_ = false;
		peer_to_peer_ = false;
		service_id_ = 0;
	}
	if (among(before, up) && !among(next, up))
		forget_laps();
	if (next == CEP_STATE_CLOSED && before != CEP_STATE_CLOSED)
		list.push(CEP_ACT_RELEASE);
	list.settle(next);
}

[[gnu::noinline]] cep_result Endpoint::step(Input input, const Call &call, cep_actions &acts)
{
	const Row &r = row(input);
	cep_act_kind sent = CEP_ACT_NONE;

	switch (r.verdict) {
	case Verdict::Accept: break;
	case Verdict::Unset:
	case Verdict::Refuse: return CEP_E_STATE;
	case Verdict::Peer: return CEP_E_PEER;
	case Verdict::Duplicate: return CEP_E_DUP;
	}

	switch (r.say) {
	case Say::None: break;
	case Say::Resend:
	case Say::ResendForDup: sent = CEP_ACT_RESEND; break;
	case Say::Request:
		if (!call.tx || !call.request)
			return CEP_E_ARG;
		encode(*call.request, call.tx);
		sent = CEP_ACT_SEND_REQUEST;
		break;
	case Say::Rtu:
	case Say::Mra:
	case Say::RejReq:
	case Say::RejRep:
	case Say::RejOther:
	case Say::Drep:
	case Say::Apr:
	case Say::SidrRep:
		if (call.tx && write_reply(r.say, call))
			sent = CEP_ACT_SEND_REPLY;
		else if (!call.may_be_mute)
			return CEP_E_ARG;
		else if (r.next == state_)
			return CEP_E_DUP; /* cannot be answered for want of a buffer */
		break;
	}

	apply(r, call, sent, acts);
	return CEP_OK;
}

void Endpoint::build_dreq(Tid tid, const uint8_t *data, uint8_t len, cep_msg &msg) const
{
	msg.tid = raw(tid);
	msg.attr = CEP_ATTR_DREQ;
	msg.local_comm_id = raw(local_id_);
	msg.remote_comm_id = raw(remote_id_);
	msg.dreq.remote_qpn = raw(remote_qpn_);
	msg.private_data = data;
	msg.private_data_len = len;
}

cep_result Endpoint::listen(cep_actions &acts)
{
	return closed_ ? CEP_E_STATE : step(Input::Listen, {}, acts);
}

cep_result Endpoint::cancel_listen(cep_actions &acts)
{
	return closed_ ? CEP_E_STATE : step(Input::CancelListen, {}, acts);
}

cep_result Endpoint::request_rej(uint64_t now, uint16_t reason, const uint8_t *ari, uint8_t ari_len,
				 const uint8_t *data, uint8_t len, uint8_t *tx, cep_actions &acts)
{
	Call call{.now = now,
		  .tx = tx,
		  .data = data,
		  .ari = ari,
		  .reason = reason,
		  .len = len,
		  .ari_len = ari_len};

	return closed_ ? CEP_E_STATE : step(Input::SendRej, call, acts);
}

cep_result Endpoint::request_dreq(uint64_t now, Tid tid, const uint8_t *data, uint8_t len,
				  uint8_t *tx, cep_actions &acts)
{
	cep_msg msg;

	if (closed_ || row(Input::SendDreq).verdict != Verdict::Accept)
		return CEP_E_STATE;
	build_dreq(tid, data, len, msg);
	if (!writable(msg))
		return CEP_E_ARG;
	return step(Input::SendDreq,
		    {.now = now, .tx = tx, .request = &msg, .retries = max_retries_}, acts);
}

cep_result Endpoint::request_drep(uint64_t now, const uint8_t *data, uint8_t len, uint8_t *tx,
				  cep_actions &acts)
{
	Call call{.now = now, .tx = tx, .data = data, .keep_for = CEP_ATTR_DREP, .len = len};

	return closed_ ? CEP_E_STATE : step(Input::SendDrep, call, acts);
}

cep_result Endpoint::established(cep_actions &acts)
{
	return closed_ ? CEP_E_STATE : step(Input::Established, {}, acts);
}

cep_result Endpoint::enter_timewait(uint64_t now, cep_actions &acts)
{
	return closed_ ? CEP_E_STATE : step(Input::EnterTimewait, {.now = now}, acts);
}

void Endpoint::close(uint64_t now, Tid tid, CaGuid guid, uint16_t reason, bool may_retry,
		     uint8_t *tx, cep_actions &acts)
{
	uint8_t ari[8];
	Call call{.now = now, .tx = tx, .reason = reason, .may_be_mute = true};
	cep_msg msg;

	ActionList{acts, state()};
	if (closed_)
		return;

	/* IBA 12.6.7.2: who gives up on its REQ says who it is, for a peer that knows no more */
	if (state() == CEP_STATE_REQ_SENT || state() == CEP_STATE_MRA_REQ_RCVD) {
		store_be<8>(ari, raw(guid));
		call.reason = CEP_REJ_TIMEOUT;
		call.ari = ari;
		call.ari_len = sizeof(ari);
	}

	Input input = tx ? Input::Close : Input::CloseMute;
	if (among(state(), up)) {
		if (xrc_target())
			input = Input::CloseTarget;
		build_dreq(tid, nullptr, 0, msg);
		call.request = &msg;
		call.retries = may_retry ? max_retries_ : 0;
	} else if (state() == CEP_STATE_DREQ_SENT && !may_retry) {
		retries_left_ = 0;
	}

	closed_ = true;
	(void)step(input, call, acts);
}

void Endpoint::info(cep_info &info) const
{
	info = cep_info{
		.peer_ca_guid = raw(peer_guid_),
		.deadline_ns = deadline_,
		.timewait_ns = timewait_,
		.local_comm_id = raw(local_id_),
		.remote_comm_id = raw(remote_id_),
		.local_qpn = raw(local_qpn_),
		.remote_qpn = raw(remote_qpn_),
		.state = static_cast<uint8_t>(shown(state())),
		.closed = closed_,
		.retries_left = retries_left_,
		.passive = passive_,
		.transport = transport_,
		.lap_state = static_cast<uint8_t>(lap_state()),
		.peer_to_peer = peer_to_peer_,
	};
}

} // namespace cep
