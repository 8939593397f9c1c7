/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Pure rules that compare a message with what a CEP knows of its peer: is it
 * from the peer, is it a duplicate, is the peer's connection stale. Called by
 * inbound.cc and by the shell before it accepts a REQ or REP. Nothing changes
 * here. The caller holds the CEP's lock. IBA 12.6.7, 12.9.8.3.
 */
#include "big_endian.hh"
#include "endpoint.hh"

namespace cep
{

bool Endpoint::from_peer(const cep_msg &msg) const
{
	return remote_id_ != no_comm_id && CommId{msg.local_comm_id} == remote_id_ &&
	       CommId{msg.remote_comm_id} == local_id_;
}

/* Where a REP of this connection names the peer's QP. */
Qpn Endpoint::rep_qpn(const cep_msg &rep) const
{
	return Qpn{transport_ == CEP_TRANSPORT_XRC ? rep.rep.local_eecn : rep.rep.local_qpn};
}

bool Endpoint::xrc_target() const
{
	return passive_ && transport_ == CEP_TRANSPORT_XRC;
}

bool Endpoint::expects(const cep_msg &rep) const
{
	return rep.attr == CEP_ATTR_REP && !passive_ &&
	       row(Input::Rep).verdict == Verdict::Accept &&
	       CommId{rep.remote_comm_id} == local_id_ && rep.local_comm_id &&
	       connectable(rep_qpn(rep));
}

/*
 * A REJ of a REQ comes from a peer that may have no ID yet. One that says
 * "time-out" comes from a peer that may know no ID of ours: its CA GUID in the
 * ARI and its own ID lead here.
 */
bool Endpoint::rej_is_ours(const cep_msg &msg) const
{
	const cep_rej &rej = msg.rej;
	const bool knows_us = CommId{msg.remote_comm_id} == local_id_;
	const bool peer_known = remote_id_ != no_comm_id;
	const bool is_peer = peer_known && CommId{msg.local_comm_id} == remote_id_;

	if (local_id_ == no_comm_id)
		return false;
	if (rej.reason == CEP_REJ_TIMEOUT && !msg.remote_comm_id)
		return is_peer && rej.ari_len >= 8 && rej.ari &&
		       CaGuid{load_be<8>(rej.ari)} == peer_guid_;
	if (!knows_us)
		return false;
	if (!peer_known)
		return true;
	/* A REQ is not rejected any more once its REP is here, nor a REP by whom it came from */
	if (rej.which == CEP_WHICH_REQ || (rej.which == CEP_WHICH_REP && !passive_))
		return is_peer && rej.reason == CEP_REJ_TIMEOUT;
	return is_peer;
}

/* IBA 12.9.8.3.1: what makes two REQs the same one. */
bool Endpoint::same_req(const cep_msg &req) const
{
	return passive_ && CaGuid{req.req.local_ca_guid} == peer_guid_ &&
	       CommId{req.local_comm_id} == remote_id_ && Qpn{req.req.local_qpn} == remote_qpn_ &&
	       Psn{req.req.starting_psn} == sq_psn_;
}

/* A late copy of the REQ that a peer-to-peer peer sent before it became the passive side. */
bool Endpoint::yielded_req(const cep_msg &req) const
{
	return peer_to_peer_ && !passive_ && remote_id_ != no_comm_id &&
	       CaGuid{req.req.local_ca_guid} == peer_guid_ &&
	       CommId{req.local_comm_id} == remote_id_ && Qpn{req.req.local_qpn} == remote_qpn_;
}

cep_req_class Endpoint::classify(const cep_msg &req) const
{
	if (among(state(), at_rest))
		return CEP_REQ_NEW;
	if (same_req(req) || yielded_req(req))
		return CEP_REQ_DUPLICATE;
	/* The peer has left its own timewait, so ours need not hold its ID back */
	if (state() == CEP_STATE_TIMEWAIT)
		return CEP_REQ_NEW;
	/* The same ID and QP from a new starting point: the peer has begun anew */
	return Qpn{req.req.local_qpn} == remote_qpn_ ? CEP_REQ_STALE : CEP_REQ_COMM_ID_TAKEN;
}

bool Endpoint::holds_qpn() const
{
	return among(state(), holding_qpn);
}

bool Endpoint::needs_source(const cep_msg &msg) const
{
	switch (msg.attr) {
	case CEP_ATTR_REQ:
	case CEP_ATTR_REP: return holds_qpn();
	case CEP_ATTR_DREQ:
	case CEP_ATTR_REJ: return holds_qpn() || among(state(), requesting);
	default: return false;
	}
}

} // namespace cep
