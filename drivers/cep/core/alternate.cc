/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Alternate paths: LAP and APR from both sides, and migration. An address is taken as a
 * whole or not at all: the shell holds that of a LAP until the engine takes or drops it,
 * and what the QP needs of it (timeouts) is kept here in the same way. Called by the
 * boundary and by inbound.cc. The caller holds the CEP's lock. IBA 12.6.14, 12.6.15, 12.8.
 */
#include "codec.hh"
#include "endpoint.hh"
#include "timeouts.hh"

namespace cep
{

cep_lap_state Endpoint::lap_state() const
{
	switch (static_cast<unsigned>(state_)) {
	case lap_sent: return CEP_LAP_SENT;
	case lap_rcvd: return CEP_LAP_RCVD;
	case mra_lap_sent: return CEP_MRA_LAP_SENT;
	case mra_lap_rcvd: return CEP_MRA_LAP_RCVD;
	default: return lap_used_ ? CEP_LAP_IDLE : CEP_LAP_UNINIT;
	}
}

bool Endpoint::build_lap(const cep_send_lap &args, cep_msg &msg) const
{
	if (!path_present(args.alternate) || args.packet_life_time_exp > max_life_time_exp ||
	    args.local_ca_ack_delay_exp > max_exp)
		return false;

	msg.tid = args.tid;
	msg.attr = CEP_ATTR_LAP;
	msg.local_comm_id = raw(local_id_);
	msg.remote_comm_id = raw(remote_id_);
	msg.private_data = args.private_data;
	msg.private_data_len = args.private_data_len;
	msg.lap.remote_qpn = raw(remote_qpn_);
	msg.lap.remote_cm_response_timeout_exp = args.remote_cm_response_timeout_exp;
	msg.lap.alternate = args.alternate;
	msg.lap.alternate.local_ack_timeout_exp =
		ack_timeout_exp(args.local_ca_ack_delay_exp, args.packet_life_time_exp);
	return writable(msg);
}

cep_result Endpoint::request_lap(uint64_t now, const cep_send_lap &args, uint8_t *tx,
				 cep_actions &acts)
{
	cep_msg msg;

	if (closed_ || row(Input::SendLap).verdict != Verdict::Accept)
		return CEP_E_STATE;
	if (!tx || !build_lap(args, msg))
		return CEP_E_ARG;

	lap_tid_ = Tid{args.tid};
	new_life_time_exp_ = args.packet_life_time_exp;
	new_timeout_exp_ = ack_timeout_exp(peer_ack_delay_exp_, args.packet_life_time_exp);
	/* A passive side was told the sum only, which has the delay of the peer's CA in it */
	if (passive_ && new_timeout_exp_ < timeout_exp_)
		new_timeout_exp_ = timeout_exp_;
	return step(Input::SendLap,
		    {.now = now, .tx = tx, .request = &msg, .retries = max_retries_}, acts);
}

cep_result Endpoint::request_apr(uint8_t status, const uint8_t *info, uint8_t info_len,
				 const uint8_t *data, uint8_t len, uint8_t *tx, cep_actions &acts)
{
	const Call call{.tx = tx,
			.data = data,
			.ari = info,
			.keep_for = CEP_ATTR_APR,
			.len = len,
			.ari_len = info_len,
			.status = status};
	const Input input = status == CEP_APR_SUCCESS ? Input::SendApr : Input::SendAprNo;

	if (closed_)
		return CEP_E_STATE;
	const cep_result result = step(input, call, acts);
	if (result == CEP_OK) {
		apr_status_ = status;
		apr_info_len_ = info_len;
	}
	return result;
}

cep_result Endpoint::migrate(cep_actions &acts)
{
	if (closed_ || !has_alternate_)
		return CEP_E_STATE;
	return step(Input::Migrate, {}, acts);
}

bool Endpoint::lap_is_known(const cep_msg &lap) const
{
	return lap_heard_ && Tid{lap.tid} == peer_lap_tid_;
}

bool Endpoint::expects_lap(const cep_msg &lap) const
{
	return lap.attr == CEP_ATTR_LAP && from_peer(lap) && !lap_is_known(lap) &&
	       state() == CEP_STATE_ESTABLISHED && !lap_fault(lap, CEP_APR_SUCCESS);
}

/* What is wrong with it, beyond what the shell has found: enum cep_apr_status. */
uint8_t Endpoint::lap_fault(const cep_msg &lap, uint8_t status) const
{
	if (among(state(), bit(CEP_STATE_TIMEWAIT) | bit(CEP_STATE_IDLE)))
		return CEP_APR_INVALID_COMM_ID;
	if (Qpn{lap.lap.remote_qpn} != local_qpn_)
		return CEP_APR_INVALID_QPN;
	if (among(state(), any_lap))
		return CEP_APR_REJECT;
	if (!status && !path_present(lap.lap.alternate))
		return CEP_APR_INVALID_GID;
	return status;
}

cep_result Endpoint::on_lap(uint64_t now, const cep_msg &msg, const cep_facts &facts,
			    uint8_t status, uint8_t *tx, cep_actions &acts)
{
	Call call{.now = now, .tx = tx, .received = &msg, .may_be_mute = true};

	if (msg.attr != CEP_ATTR_LAP)
		return CEP_E_ARG;
	if (!from_peer(msg))
		return CEP_E_PEER;
	if (lap_is_known(msg)) {
		if (state() == mra_lap_sent) {
			call.service_timeout_exp = service_timeout_exp_;
			repeat(CEP_ATTR_MRA, facts, call);
			return step(Input::LapDup, call, acts);
		}
		/* Information and private data were kept in one piece */
		call.status = apr_status_;
		repeat(CEP_ATTR_APR, facts, call);
		if (call.len >= apr_info_len_ && call.data) {
			call.ari = call.data;
			call.ari_len = apr_info_len_;
			call.data += apr_info_len_;
			call.len = static_cast<uint8_t>(call.len - apr_info_len_);
		}
		return step(Input::LapDup, call, acts);
	}

	call.status = lap_fault(msg, status);
	if (call.status)
		return step(Input::LapBad, call, acts);
	const cep_result result = step(Input::Lap, call, acts);
	if (result == CEP_OK && state() == lap_rcvd) {
		peer_lap_tid_ = Tid{msg.tid};
		lap_heard_ = true;
		new_life_time_exp_ = 0;
		/* As in a REQ, 0 would mean "wait for ever" to the QP */
		new_timeout_exp_ = msg.lap.alternate.local_ack_timeout_exp
					   ? msg.lap.alternate.local_ack_timeout_exp
					   : 1;
	}
	return result;
}

cep_result Endpoint::on_apr(uint64_t now, const cep_msg &msg, cep_actions &acts)
{
	/* An APR of an earlier LAP does not speak of the path of this one */
	if (!from_peer(msg) || Tid{msg.tid} != lap_tid_)
		return CEP_E_PEER;
	return step(msg.apr.status == CEP_APR_SUCCESS ? Input::Apr : Input::AprNo, {.now = now},
		    acts);
}

void Endpoint::take_alternate()
{
	has_alternate_ = true;
	lap_used_ = true;
	alt_life_time_exp_ = new_life_time_exp_;
	alt_timeout_exp_ = new_timeout_exp_;
}

/* The connection is over, and with it its alternate path. */
void Endpoint::forget_laps()
{
	has_alternate_ = false;
	alt_life_time_exp_ = 0;
	alt_timeout_exp_ = 0;
	peer_ack_delay_exp_ = 0;
	lap_used_ = false;
	lap_heard_ = false;
	lap_tid_ = Tid{};
	peer_lap_tid_ = Tid{};
	new_life_time_exp_ = 0;
	new_timeout_exp_ = 0;
	apr_status_ = 0;
	apr_info_len_ = 0;
}

void Endpoint::swap_paths()
{
	const uint8_t life_time = life_time_exp_, timeout = timeout_exp_;

	lap_used_ = true;
	life_time_exp_ = alt_life_time_exp_;
	timeout_exp_ = alt_timeout_exp_;
	alt_life_time_exp_ = life_time;
	alt_timeout_exp_ = timeout;
	/* Packets of either path may be under way at the end; an ack timeout covers them */
	if (timewait_ < exp_to_ns(timeout_exp_))
		timewait_ = exp_to_ns(timeout_exp_);
}

} // namespace cep
