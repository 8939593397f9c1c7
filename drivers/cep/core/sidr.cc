/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Service ID resolution for UD, from both sides: a question with retries, an answer that
 * is not repeated. The request ID is the asking side's comm ID; the answering side keeps
 * it as the remote one. Called by the boundary and by inbound.cc. The caller holds the
 * CEP's lock. IBA 12.6.16, 12.6.17, 12.11.
 */
#include "codec.hh"
#include "endpoint.hh"

namespace cep
{

cep_result Endpoint::request_sidr(uint64_t now, const cep_send_sidr_req &args, uint8_t *tx,
				  cep_actions &acts)
{
	cep_msg msg;

	if (closed_ || row(Input::SendSidrReq).verdict != Verdict::Accept)
		return CEP_E_STATE;
	msg.tid = args.tid;
	msg.attr = CEP_ATTR_SIDR_REQ;
	msg.local_comm_id = args.local_comm_id;
	msg.remote_comm_id = 0;
	msg.private_data = args.private_data;
	msg.private_data_len = args.private_data_len;
	msg.sidr_req = cep_sidr_req{.service_id = args.service_id, .pkey = args.pkey};
	if (!tx || !args.local_comm_id || !args.response_timeout_ns || args.max_cm_retries > 15 ||
	    !writable(msg))
		return CEP_E_ARG;

	tid_ = Tid{args.tid};
	local_id_ = CommId{args.local_comm_id};
	remote_id_ = no_comm_id;
	peer_guid_ = CaGuid{};
	service_id_ = args.service_id;
	passive_ = false;
	peer_to_peer_ = false;
	kept_for_ = 0;
	has_alternate_ = false;
	max_retries_ = args.max_cm_retries;
	response_timeout_ = args.response_timeout_ns;
	return step(Input::SendSidrReq,
		    {.now = now, .tx = tx, .request = &msg, .retries = max_retries_}, acts);
}

cep_result Endpoint::on_sidr_req(uint64_t now, const cep_msg &msg, CommId local, cep_actions &acts)
{
	if (closed_ || row(Input::NewSidrReq).verdict != Verdict::Accept)
		return CEP_E_STATE;
	if (msg.attr != CEP_ATTR_SIDR_REQ || local == no_comm_id)
		return CEP_E_ARG;

	tid_ = Tid{msg.tid};
	local_id_ = local;
	remote_id_ = CommId{msg.local_comm_id};
	peer_guid_ = CaGuid{};
	service_id_ = msg.sidr_req.service_id;
	passive_ = true;
	peer_to_peer_ = false;
	indexed_ = true;
	kept_for_ = 0;
	has_alternate_ = false;
	return step(Input::NewSidrReq, {.now = now}, acts);
}

cep_result Endpoint::request_sidr_rep(const cep_send_sidr_rep &args, uint8_t *tx, cep_actions &acts)
{
	if (closed_ || row(Input::SendSidrRep).verdict != Verdict::Accept)
		return CEP_E_STATE;
	/* QP1 may be the answer, QP0 never */
	if (args.status == CEP_SIDR_SUCCESS && !args.qpn)
		return CEP_E_ARG;
	return step(Input::SendSidrRep,
		    {.tx = tx,
		     .data = args.private_data,
		     .sidr_rep = &args,
		     .len = args.private_data_len},
		    acts);
}

/*
 * The TID tells a late copy from the first message of another exchange with the same
 * request ID. A SIDR_REQ that differs from the pending one is dropped: the peer has given
 * that one up, and once it is answered the next copy is a new request.
 */
cep_result Endpoint::on_sidr(uint64_t now, const cep_msg &msg, cep_actions &acts)
{
	const bool asks = msg.attr == CEP_ATTR_SIDR_REQ;
	const CommId request_id = asks ? remote_id_ : local_id_;

	if (asks != passive_ || CommId{msg.local_comm_id} != request_id || Tid{msg.tid} != tid_ ||
	    request_id == no_comm_id)
		return CEP_E_PEER;
	if (asks && msg.sidr_req.service_id != service_id_)
		return CEP_E_PEER;
	return step(asks ? Input::DupSidrReq : Input::SidrRep, {.now = now}, acts);
}

} // namespace cep
