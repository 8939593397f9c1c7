/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Peer to peer: both sides send a REQ for the same service, and the comparison of IBA
 * 12.10.4 makes one of them passive. Its own REQ is then as if it had never been sent:
 * it sent its ID in it, and keeps it. Called by the boundary. The caller holds the CEP's
 * lock.
 */
#include "endpoint.hh"

namespace cep
{

cep_peer_role Endpoint::peer_role(const cep_msg &msg, CaGuid ours) const
{
	const cep_req &req = msg.req;

	if (!peer_to_peer_ || passive_ || closed_ || msg.attr != CEP_ATTR_REQ ||
	    req.service_id != service_id_ || req.transport != transport_)
		return CEP_PEER_NONE;
	const bool same_ca = req.local_ca_guid == raw(ours);
	/* With itself no QP can be connected in this way */
	if (same_ca && req.local_qpn == raw(local_qpn_))
		return CEP_PEER_NONE;
	const bool greater =
		same_ca ? req.local_qpn > raw(local_qpn_) : req.local_ca_guid > raw(ours);
	if (state() == CEP_STATE_REQ_SENT)
		return greater ? CEP_PEER_YIELD : CEP_PEER_STAY;
	/* Whoever sent an MRA for our REQ is passive already: a late copy of its own REQ */
	return state() == CEP_STATE_MRA_REQ_RCVD && !greater ? CEP_PEER_STAY : CEP_PEER_NONE;
}

cep_result Endpoint::on_peer_req(uint64_t now, const cep_msg &msg, CaGuid ours, cep_actions &acts)
{
	const cep_peer_role role = peer_role(msg, ours);

	if (role == CEP_PEER_NONE)
		return CEP_E_PEER;
	if (role == CEP_PEER_STAY)
		return step(Input::PeerReqLess, {.now = now}, acts);
	take_new_req(msg, local_id_);
	return step(Input::PeerReq, {.now = now}, acts);
}

} // namespace cep
