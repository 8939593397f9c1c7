/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What is true of a state wherever it is entered or left: whether it keeps a
 * request, has a deadline, holds the peer's QPN. The endpoint derives the
 * bookkeeping actions from these, so that no transition can forget one. The
 * lists of states and events themselves are in cep_core.h, for both languages.
 * IBA 12.9.5 to 12.9.7. No state of its own, no locks.
 */
#ifndef CEP_STATE_HH
#define CEP_STATE_HH

#include "cep_core.h"

namespace cep
{

/*
 * ESTABLISHED with an alternate path under negotiation is four states of the table, so that
 * deadline, buffer and cancellation follow as they do everywhere. Outside they are one state
 * and a LAP state: shown() and lap_state().
 */
constexpr cep_state lap_sent = static_cast<cep_state>(CEP_NR_STATES);
constexpr cep_state lap_rcvd = static_cast<cep_state>(CEP_NR_STATES + 1);
constexpr cep_state mra_lap_sent = static_cast<cep_state>(CEP_NR_STATES + 2); /* ours */
constexpr cep_state mra_lap_rcvd = static_cast<cep_state>(CEP_NR_STATES + 3);
constexpr unsigned nr_states = CEP_NR_STATES + 4;

constexpr uint32_t bit(cep_state s)
{
	return uint32_t{1} << s;
}

constexpr bool among(cep_state s, uint32_t set)
{
	return (bit(s) & set) != 0;
}

/* A LAP of ours, or of the peer, that is not settled; the shell holds its address. */
constexpr uint32_t own_lap = bit(lap_sent) | bit(mra_lap_rcvd);
constexpr uint32_t peers_lap = bit(lap_rcvd) | bit(mra_lap_sent);
constexpr uint32_t any_lap = own_lap | peers_lap;

constexpr uint32_t up = bit(CEP_STATE_ESTABLISHED) | any_lap;

/* The state as all but the engine know it. */
constexpr cep_state shown(cep_state s)
{
	return among(s, up) ? CEP_STATE_ESTABLISHED : s;
}

/* An own REQ, REP, DREQ, LAP or SIDR_REQ waits for its answer; the shell keeps its buffer. */
constexpr uint32_t requesting = bit(CEP_STATE_REQ_SENT) | bit(CEP_STATE_MRA_REQ_RCVD) |
				bit(CEP_STATE_REP_SENT) | bit(CEP_STATE_MRA_REP_RCVD) |
				bit(CEP_STATE_DREQ_SENT) | bit(CEP_STATE_SIDR_REQ_SENT) | own_lap;

/* The states that wait for something other than the ULP, and so have a deadline. */
constexpr uint32_t timed = requesting | bit(CEP_STATE_TIMEWAIT);

/* No connection: neither the remote tables nor a buffer know the CEP. */
constexpr uint32_t at_rest = bit(CEP_STATE_IDLE) | bit(CEP_STATE_LISTEN) | bit(CEP_STATE_CLOSED);

/* The peer's QPN is known and in use: another connection with it is stale (IBA 12.9.8.3.1). */
constexpr uint32_t holding_qpn = bit(CEP_STATE_REQ_RCVD) | bit(CEP_STATE_MRA_REQ_SENT) |
				 bit(CEP_STATE_REP_SENT) | bit(CEP_STATE_MRA_REP_RCVD) |
				 bit(CEP_STATE_REP_RCVD) | bit(CEP_STATE_MRA_REP_SENT) | up |
				 bit(CEP_STATE_DREQ_SENT) | bit(CEP_STATE_DREQ_RCVD);

} // namespace cep

#endif /* CEP_STATE_HH */
