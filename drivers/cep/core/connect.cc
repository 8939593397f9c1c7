/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The commands that make a connection: REQ, REP, RTU, MRA, and what the CEP
 * remembers of their arguments for the QP. Arguments are checked by building
 * the message; nothing is remembered before it has proved writable. The caller
 * holds the CEP's lock. IBA 12.7, 12.9.6, 12.9.7.
 */
#include "codec.hh"
#include "endpoint.hh"
#include "timeouts.hh"

namespace cep
{
namespace
{

bool offered_transport(uint8_t transport)
{
	return transport == CEP_TRANSPORT_RC || transport == CEP_TRANSPORT_UC ||
	       transport == CEP_TRANSPORT_XRC;
}

} // namespace

bool Endpoint::build_req(const cep_send_req &args, cep_msg &msg) const
{
	const cep_req &from = args.req;

	if (!offered_transport(from.transport) || from.rdc_exists || from.path_mtu < 1 ||
	    from.path_mtu > 5 || !connectable(Qpn{from.local_qpn}) || args.xrc_tgt)
		return false;
	if (args.packet_life_time_exp > max_life_time_exp ||
	    args.alt_packet_life_time_exp > max_life_time_exp ||
	    args.local_ca_ack_delay_exp > max_exp)
		return false;
	/* An initiator and a target are no peers */
	if (args.peer_to_peer && from.transport == CEP_TRANSPORT_XRC)
		return false;

	msg.tid = args.tid;
	msg.attr = CEP_ATTR_REQ;
	msg.local_comm_id = args.local_comm_id;
	msg.remote_comm_id = 0;
	msg.private_data = args.private_data;
	msg.private_data_len = args.private_data_len;
	msg.req = from;

	cep_req &req = msg.req;
	req.primary.local_ack_timeout_exp =
		ack_timeout_exp(args.local_ca_ack_delay_exp, args.packet_life_time_exp);
	req.alternate.local_ack_timeout_exp = 0;
	if (path_present(req.alternate))
		req.alternate.local_ack_timeout_exp =
			ack_timeout_exp(args.local_ca_ack_delay_exp, args.alt_packet_life_time_exp);
	/* An XRC initiator has no responder side, and its target's numbers are the target's */
	if (req.transport == CEP_TRANSPORT_XRC) {
		req.responder_resources = 0;
		req.retry_count = 0;
		req.rnr_retry_count = 0;
		req.srq = 0;
	}
	return writable(msg);
}

void Endpoint::take_req_args(const cep_send_req &args)
{
	const cep_req &req = args.req;

	tid_ = Tid{args.tid};
	local_id_ = CommId{args.local_comm_id};
	local_qpn_ = Qpn{req.local_qpn};
	rq_psn_ = Psn{req.starting_psn};

	/* Of the peer nothing is known, even if this CEP was connected before */
	peer_guid_ = CaGuid{};
	remote_id_ = no_comm_id;
	remote_qpn_ = no_qpn;
	sq_psn_ = Psn{};
	passive_ = false;
	peer_to_peer_ = args.peer_to_peer != 0;
	service_id_ = req.service_id;
	kept_for_ = 0;

	transport_ = req.transport;
	path_mtu_ = req.path_mtu;
	responder_resources_ = req.responder_resources;
	initiator_depth_ = req.initiator_depth;
	retry_count_ = req.retry_count;
	rnr_retry_ = req.rnr_retry_count;
	has_alternate_ = path_present(req.alternate);
	life_time_exp_ = args.packet_life_time_exp;
	alt_life_time_exp_ = args.alt_packet_life_time_exp;
	/* Until the REP tells how long the peer's CA takes */
	timeout_exp_ = ack_timeout_exp(0, life_time_exp_);
	alt_timeout_exp_ = ack_timeout_exp(0, alt_life_time_exp_);
	peer_ack_delay_exp_ = 0;

	max_retries_ = req.max_cm_retries;
	const uint64_t round_trip = multiply_ns(exp_to_ns(life_time_exp_), 2);
	response_timeout_ = args.response_timeout_ns;
	if (!response_timeout_)
		response_timeout_ =
			add_ns(round_trip, exp_to_ns(req.remote_cm_response_timeout_exp));
	timewait_ = round_trip;
}

cep_result Endpoint::format_req(const cep_send_req &args)
{
	cep_msg msg;

	if (closed_ || row(Input::SendReq).verdict != Verdict::Accept)
		return CEP_E_STATE;
	if (!build_req(args, msg))
		return CEP_E_ARG;
	take_req_args(args);
	formatted_ = true;
	return CEP_OK;
}

cep_result Endpoint::request_connection(uint64_t now, const cep_send_req &args, uint8_t *tx,
					cep_actions &acts)
{
	cep_msg msg;

	if (closed_ || row(Input::SendReq).verdict != Verdict::Accept)
		return CEP_E_STATE;
	if (!tx || !build_req(args, msg))
		return CEP_E_ARG;
	take_req_args(args);
	return step(Input::SendReq,
		    {.now = now, .tx = tx, .request = &msg, .retries = max_retries_}, acts);
}

bool Endpoint::build_rep(const cep_send_rep &args, cep_msg &msg) const
{
	msg.tid = raw(tid_);
	msg.attr = CEP_ATTR_REP;
	msg.local_comm_id = raw(local_id_);
	msg.remote_comm_id = raw(remote_id_);
	msg.private_data = args.private_data;
	msg.private_data_len = args.private_data_len;
	msg.rep = args.rep;

	/* IBA 14.4: XRC names the target QP where RD named its EE context */
	cep_rep &rep = msg.rep;
	if (transport_ == CEP_TRANSPORT_XRC) {
		if (!rep.local_eecn)
			rep.local_eecn = rep.local_qpn;
		rep.local_qpn = 0;
		rep.initiator_depth = 0;
		rep.flow_control = 0;
		rep.srq = 1;
	}
	return connectable(rep_qpn(msg)) && writable(msg);
}

void Endpoint::take_rep_args(const cep_send_rep &args)
{
	const cep_rep &rep = args.rep;

	local_qpn_ = Qpn{transport_ == CEP_TRANSPORT_XRC && rep.local_eecn ? rep.local_eecn
									   : rep.local_qpn};
	rq_psn_ = Psn{rep.starting_psn};
	responder_resources_ = rep.responder_resources;
	initiator_depth_ = rep.initiator_depth;
}

cep_result Endpoint::format_rep(const cep_send_rep &args)
{
	cep_msg msg;

	if (closed_ || row(Input::SendRep).verdict != Verdict::Accept)
		return CEP_E_STATE;
	if (!build_rep(args, msg))
		return CEP_E_ARG;
	take_rep_args(args);
	return CEP_OK;
}

cep_result Endpoint::request_reply(uint64_t now, const cep_send_rep &args, uint8_t *tx,
				   cep_actions &acts)
{
	cep_msg msg;

	if (closed_ || row(Input::SendRep).verdict != Verdict::Accept)
		return CEP_E_STATE;
	if (!tx || !build_rep(args, msg))
		return CEP_E_ARG;
	take_rep_args(args);
	return step(Input::SendRep,
		    {.now = now, .tx = tx, .request = &msg, .retries = max_retries_}, acts);
}

cep_result Endpoint::request_rtu(const uint8_t *data, uint8_t len, uint8_t *tx, cep_actions &acts)
{
	Call call{.tx = tx, .data = data, .keep_for = CEP_ATTR_RTU, .len = len};

	return closed_ ? CEP_E_STATE : step(Input::SendRtu, call, acts);
}

cep_result Endpoint::request_mra(uint8_t service_timeout_exp, bool delayed, const uint8_t *data,
				 uint8_t len, uint8_t *tx, cep_actions &acts)
{
	Call call{.tx = tx,
		  .data = data,
		  .keep_for = CEP_ATTR_MRA,
		  .len = len,
		  .service_timeout_exp = service_timeout_exp};
	const Input input = delayed ? Input::ArmMra : Input::SendMra;

	if (closed_ || row(input).verdict != Verdict::Accept)
		return CEP_E_STATE;
	if (service_timeout_exp > max_exp || len > CEP_MRA_PRIVATE_DATA_SIZE || (len && !data))
		return CEP_E_ARG;
	const cep_result result = step(input, call, acts);
	if (result == CEP_OK)
		service_timeout_exp_ = service_timeout_exp;
	return result;
}

} // namespace cep
