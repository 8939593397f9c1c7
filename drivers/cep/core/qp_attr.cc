/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Which QP attributes the protocol has settled, for a transition to INIT, RTR or
 * RTS. Called for get_qp_attr, in any context; the shell adds ports, P_Key
 * indexes and address handles. Nothing changes here. The caller holds the CEP's
 * lock. IBA 12.9.6, 12.9.7, 11.2.5.2.
 */
#include "endpoint.hh"

namespace cep
{
namespace
{

/* The peer's QPN and PSN are known; a passive side may go to RTS before its REP. */
constexpr uint32_t peer_known = bit(CEP_STATE_REQ_RCVD) | bit(CEP_STATE_MRA_REQ_SENT) |
				bit(CEP_STATE_REP_RCVD) | bit(CEP_STATE_MRA_REP_SENT) |
				bit(CEP_STATE_REP_SENT) | bit(CEP_STATE_MRA_REP_RCVD) | up;

constexpr uint32_t on_the_way_up =
	peer_known | bit(CEP_STATE_REQ_SENT) | bit(CEP_STATE_MRA_REQ_RCVD);

} // namespace

cep_result Endpoint::qp_attr(cep_qp_state qp_state, cep_qp_attr &attr) const
{
	const bool formatted = formatted_ && state() == CEP_STATE_IDLE;
	const bool initiator =
		transport_ == CEP_TRANSPORT_RC || (transport_ == CEP_TRANSPORT_XRC && !passive_);
	const bool responder = transport_ == CEP_TRANSPORT_RC || xrc_target();

	switch (qp_state) {
	case CEP_QP_INIT:
		if (!formatted && !among(state(), on_the_way_up))
			return CEP_E_STATE;
		break;
	case CEP_QP_RTR:
	case CEP_QP_RTS:
		if (!among(state(), peer_known))
			return CEP_E_STATE;
		break;
	default: return CEP_E_ARG;
	}

	/* Once the alternate path has changed, that is what there is left to load */
	const bool held = among(state(), peers_lap);
	const bool alt_only = qp_state == CEP_QP_RTS && (held || lap_used_);
	if (alt_only && !held && !has_alternate_)
		return CEP_E_STATE;

	attr = cep_qp_attr{
		.dest_qpn = raw(remote_qpn_),
		.rq_psn = raw(rq_psn_),
		.sq_psn = raw(sq_psn_),
		.transport = transport_,
		.xrc_target = xrc_target(),
		.remote_read_atomic = responder_resources_ != 0,
		.path_mtu = path_mtu_,
		.max_dest_rd_atomic = responder_resources_,
		.max_rd_atomic = initiator_depth_,
		.min_rnr_timer = 0,
		.retry_cnt = retry_count_,
		.rnr_retry = rnr_retry_,
		.timeout_exp = timeout_exp_,
		.alt_timeout_exp = alt_only && held ? new_timeout_exp_ : alt_timeout_exp_,
		.has_alternate = has_alternate_ || (alt_only && held),
		.set_rd_atomic_dest = responder,
		.set_retry = initiator,
		.set_timeout = initiator || responder,
		.alt_only = alt_only,
		.alt_held = alt_only && held,
	};
	return CEP_OK;
}

} // namespace cep
