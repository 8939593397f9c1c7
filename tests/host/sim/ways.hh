/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The shortest ways of one engine to its states, from either side. A way that is barred
 * throws. Used by the table and scenario tests. No state.
 */
#ifndef CEP_SIM_WAYS_HH
#define CEP_SIM_WAYS_HH

#include "solo.hh"

namespace cep::sim
{

inline void must(cep_result result)
{
	if (result != CEP_OK)
		throw Violation("the way to a state is barred");
}

/* Active: REQ_SENT, REP_RCVD, ESTABLISHED. */
inline void act_requested(Solo &s)
{
	must(s.send_req(s.req_args()));
}

inline void act_replied(Solo &s)
{
	act_requested(s);
	must(s.on_sent());
	must(s.hear(s.message(CEP_ATTR_REP)));
}

inline void act_up(Solo &s)
{
	act_replied(s);
	must(s.send_rtu("ready"));
}

/* Passive: REQ_RCVD, REP_SENT, ESTABLISHED. */
inline void pas_requested(Solo &s)
{
	must(s.new_req(s.message(CEP_ATTR_REQ)));
}

inline void pas_replied(Solo &s)
{
	pas_requested(s);
	must(s.send_rep(s.rep_args()));
}

inline void pas_up(Solo &s)
{
	pas_replied(s);
	must(s.hear(s.message(CEP_ATTR_RTU)));
}

/* ESTABLISHED and a LAP of either side: LAP_SENT, LAP_RCVD, and answered. */
inline void lap_sent(Solo &s)
{
	act_up(s);
	must(s.send_lap());
}

inline void lap_heard(Solo &s)
{
	pas_up(s);
	must(s.lap(s.message(CEP_ATTR_LAP), CEP_APR_SUCCESS));
}

inline void lap_granted(Solo &s)
{
	lap_sent(s);
	must(s.on_sent());
	must(s.hear(s.message(CEP_ATTR_APR)));
}

inline void lap_answered(Solo &s)
{
	lap_heard(s);
	must(s.send_apr(CEP_APR_SUCCESS, "info", "data"));
}

inline void act_as_peer(Solo &s)
{
	cep_send_req args = s.req_args();

	args.peer_to_peer = 1;
	must(s.send_req(args));
}

} // namespace cep::sim

#endif /* CEP_SIM_WAYS_HH */
