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

constexpr unsigned nr_states = CEP_NR_STATES;

constexpr uint32_t bit(cep_state s)
{
	return uint32_t{1} << s;
}

constexpr bool among(cep_state s, uint32_t set)
{
	return (bit(s) & set) != 0;
}

/* An own REQ, REP or DREQ waits for its answer; the shell keeps its buffer. */
constexpr uint32_t requesting = bit(CEP_STATE_REQ_SENT) | bit(CEP_STATE_MRA_REQ_RCVD) |
				bit(CEP_STATE_REP_SENT) | bit(CEP_STATE_MRA_REP_RCVD) |
				bit(CEP_STATE_DREQ_SENT);

/* The states that wait for something other than the ULP, and so have a deadline. */
constexpr uint32_t timed = requesting | bit(CEP_STATE_TIMEWAIT);

/* No connection: neither the remote tables nor a buffer know the CEP. */
constexpr uint32_t at_rest = bit(CEP_STATE_IDLE) | bit(CEP_STATE_LISTEN) | bit(CEP_STATE_CLOSED);

/* The peer's QPN is known and in use: another connection with it is stale (IBA 12.9.8.3.1). */
constexpr uint32_t holding_qpn =
	bit(CEP_STATE_REQ_RCVD) | bit(CEP_STATE_MRA_REQ_SENT) | bit(CEP_STATE_REP_SENT) |
	bit(CEP_STATE_MRA_REP_RCVD) | bit(CEP_STATE_REP_RCVD) | bit(CEP_STATE_MRA_REP_SENT) |
	bit(CEP_STATE_ESTABLISHED) | bit(CEP_STATE_DREQ_SENT) | bit(CEP_STATE_DREQ_RCVD);

} // namespace cep

#endif /* CEP_STATE_HH */
