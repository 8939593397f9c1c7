/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What IBA 12.9 and the contract of cep_core.h ask of every seat under every input, written
 * from them and not from the engine's table. Used by table_test.cc. No state.
 */
#ifndef CEP_SIM_OUTCOMES_HH
#define CEP_SIM_OUTCOMES_HH

#include "cep_core.h"

#include <string>
#include <vector>

namespace cep::sim
{

/* --- what is to come of it ------------------------------------------------------------------- */

struct Outcome {
	enum Kind { To, Stay, Dup, Peer, State, Arg, Refused, Lawful } kind;
	cep_state next = CEP_STATE_IDLE;
	uint16_t says = 0;    /* attribute of the message; or: */
	bool resends = false; /* the kept bytes */
	std::vector<unsigned> events = {};
	unsigned cause = CEP_CAUSE_NONE;
	int lap = -1; /* enum cep_lap_state; -1: as before, or none if the state changes */
};

inline Outcome to(cep_state next, uint16_t says = 0, std::vector<unsigned> events = {},
		  unsigned cause = CEP_CAUSE_NONE)
{
	return {Outcome::To, next, says, false, std::move(events), cause};
}

inline Outcome to_lap(cep_lap_state lap, uint16_t says = 0, std::vector<unsigned> events = {},
		      unsigned cause = CEP_CAUSE_NONE)
{
	return {Outcome::To, CEP_STATE_ESTABLISHED, says, false, std::move(events), cause, lap};
}

inline Outcome stay(uint16_t says = 0)
{
	return {.kind = Outcome::Stay, .says = says};
}

inline Outcome resend()
{
	return {.kind = Outcome::Stay, .resends = true};
}

inline const Outcome dup = {.kind = Outcome::Dup}, peer = {.kind = Outcome::Peer},
		     state = {.kind = Outcome::State}, arg = {.kind = Outcome::Arg},
		     refused = {.kind = Outcome::Refused}, lawful = {.kind = Outcome::Lawful};

struct Rule {
	std::vector<std::string> seats; /* a name, or what comes before its dot */
	Outcome outcome;
};

struct Row {
	std::string input;
	std::vector<Rule> rules;
	Outcome otherwise;
};

#define TO(s) to(CEP_STATE_##s)

inline const Row rows[] = {
	{"listen", {{{"IDLE"}, TO(LISTEN)}}, state},
	{"cancel_listen", {{{"LISTEN"}, TO(IDLE)}}, state},
	{"format_req", {{{"IDLE"}, stay()}}, state},
	{"send_req", {{{"IDLE"}, to(CEP_STATE_REQ_SENT, CEP_ATTR_REQ)}}, state},
	{"send_req, bad QPN", {{{"IDLE"}, arg}}, state},
	{"format_rep", {{{"REQ_RCVD", "MRA_REQ_SENT"}, stay()}}, state},
	{"send_rep", {{{"REQ_RCVD", "MRA_REQ_SENT"}, to(CEP_STATE_REP_SENT, CEP_ATTR_REP)}}, state},
	{"send_rep, bad PSN", {{{"REQ_RCVD", "MRA_REQ_SENT"}, arg}}, state},
	{"send_rtu",
	 {{{"REP_RCVD", "MRA_REP_SENT"}, to(CEP_STATE_ESTABLISHED, CEP_ATTR_RTU)}},
	 state},
	{"send_rtu, too long", {{{"REP_RCVD", "MRA_REP_SENT"}, arg}}, state},
	{"send_mra",
	 {{{"REQ_RCVD"}, to(CEP_STATE_MRA_REQ_SENT, CEP_ATTR_MRA)},
	  {{"REP_RCVD"}, to(CEP_STATE_MRA_REP_SENT, CEP_ATTR_MRA)},
	  {{"ESTABLISHED.P.LAP_RCVD"}, to_lap(CEP_MRA_LAP_SENT, CEP_ATTR_MRA)}},
	 state},
	{"arm_mra",
	 {{{"REQ_RCVD"}, TO(MRA_REQ_SENT)},
	  {{"REP_RCVD"}, TO(MRA_REP_SENT)},
	  {{"ESTABLISHED.P.LAP_RCVD"}, to_lap(CEP_MRA_LAP_SENT)}},
	 state},
	{"send_mra, bad timeout",
	 {{{"REQ_RCVD", "REP_RCVD", "ESTABLISHED.P.LAP_RCVD"}, arg}},
	 state},
	{"arm_mra, bad timeout",
	 {{{"REQ_RCVD", "REP_RCVD", "ESTABLISHED.P.LAP_RCVD"}, arg}},
	 state},
	/* no record is kept of a rejected REQ; a REP that went out may have been used */
	{"send_rej",
	 {{{"REQ_SENT", "MRA_REQ_RCVD", "REQ_RCVD", "MRA_REQ_SENT", "REP_RCVD", "MRA_REP_SENT"},
	   to(CEP_STATE_IDLE, CEP_ATTR_REJ)},
	  {{"REP_SENT", "MRA_REP_RCVD"}, to(CEP_STATE_TIMEWAIT, CEP_ATTR_REJ)}},
	 state},
	{"send_rej, ARI too long",
	 {{{"REQ_SENT", "MRA_REQ_RCVD", "REQ_RCVD", "MRA_REQ_SENT", "REP_RCVD", "MRA_REP_SENT",
	    "REP_SENT", "MRA_REP_RCVD"},
	   arg}},
	 state},
	{"send_dreq", {{{"ESTABLISHED"}, to(CEP_STATE_DREQ_SENT, CEP_ATTR_DREQ)}}, state},
	{"send_dreq, too long", {{{"ESTABLISHED"}, arg}}, state},
	{"send_drep", {{{"DREQ_RCVD"}, to(CEP_STATE_TIMEWAIT, CEP_ATTR_DREP)}}, state},
	{"send_drep, too long", {{{"DREQ_RCVD"}, arg}}, state},
	{"established",
	 {{{"REP_SENT", "MRA_REP_RCVD"},
	   to(CEP_STATE_ESTABLISHED, 0, {CEP_EVENT_USER_ESTABLISHED})},
	  {{"ESTABLISHED"}, dup}},
	 state},
	{"enter_timewait",
	 {{{"DREQ_SENT.C"}, state}, {{"ESTABLISHED", "DREQ_SENT", "DREQ_RCVD"}, TO(TIMEWAIT)}},
	 state},

	{"close",
	 {{{"IDLE", "LISTEN"}, TO(CLOSED)},
	  {{"REQ_SENT", "MRA_REQ_RCVD", "REQ_RCVD", "MRA_REQ_SENT", "REP_RCVD", "MRA_REP_SENT"},
	   to(CEP_STATE_CLOSED, CEP_ATTR_REJ)},
	  {{"REP_SENT", "MRA_REP_RCVD"}, to(CEP_STATE_TIMEWAIT, CEP_ATTR_REJ)},
	  {{"ESTABLISHED"}, to(CEP_STATE_DREQ_SENT, CEP_ATTR_DREQ)},
	  {{"DREQ_RCVD"}, to(CEP_STATE_TIMEWAIT, CEP_ATTR_DREP)},
	  {{"SIDR_REQ_SENT"}, TO(CLOSED)},
	  {{"SIDR_REQ_RCVD"}, to(CEP_STATE_CLOSED, CEP_ATTR_SIDR_REP)}},
	 stay()},
	{"close, no memory",
	 {{{"IDLE", "LISTEN", "REQ_SENT", "MRA_REQ_RCVD", "REQ_RCVD", "MRA_REQ_SENT", "REP_RCVD",
	    "MRA_REP_SENT", "SIDR_REQ_SENT", "SIDR_REQ_RCVD"},
	   TO(CLOSED)},
	  {{"REP_SENT", "MRA_REP_RCVD", "ESTABLISHED", "DREQ_RCVD"}, TO(TIMEWAIT)}},
	 stay()},
	{"close, no retry",
	 {{{"IDLE", "LISTEN"}, TO(CLOSED)},
	  {{"REQ_SENT", "MRA_REQ_RCVD", "REQ_RCVD", "MRA_REQ_SENT", "REP_RCVD", "MRA_REP_SENT"},
	   to(CEP_STATE_CLOSED, CEP_ATTR_REJ)},
	  {{"REP_SENT", "MRA_REP_RCVD"}, to(CEP_STATE_TIMEWAIT, CEP_ATTR_REJ)},
	  {{"ESTABLISHED"}, to(CEP_STATE_DREQ_SENT, CEP_ATTR_DREQ)},
	  {{"DREQ_RCVD"}, to(CEP_STATE_TIMEWAIT, CEP_ATTR_DREP)},
	  {{"SIDR_REQ_SENT"}, TO(CLOSED)},
	  {{"SIDR_REQ_RCVD"}, to(CEP_STATE_CLOSED, CEP_ATTR_SIDR_REP)}},
	 stay()},

	{"new REQ", {{{"IDLE"}, to(CEP_STATE_REQ_RCVD, 0, {CEP_EVENT_REQ_RECEIVED})}}, state},
	{"REQ",
	 {{{"MRA_REQ_SENT"}, stay(CEP_ATTR_MRA)},
	  {{"REP_SENT"}, resend()},
	  {{"MRA_REP_RCVD"}, lawful},
	  {{"REQ_RCVD", "ESTABLISHED.P", "DREQ_SENT.P", "DREQ_RCVD.P", "TIMEWAIT.P", "DREQ_SENT.S"},
	   dup}},
	 refused},
	{"REQ, other PSN", {}, refused},
	{"REP",
	 {{{"REQ_SENT", "MRA_REQ_RCVD"}, to(CEP_STATE_REP_RCVD, 0, {CEP_EVENT_REP_RECEIVED})},
	  {{"REP_RCVD", "DREQ_SENT.A", "DREQ_RCVD.A", "TIMEWAIT.A", "DREQ_SENT.C", "TIMEWAIT.C"},
	   dup},
	  {{"MRA_REP_SENT"}, stay(CEP_ATTR_MRA)},
	  {{"ESTABLISHED.A"}, stay(CEP_ATTR_RTU)}},
	 peer},
	{"REP, peer taken",
	 {{{"REQ_SENT", "MRA_REQ_RCVD"},
	   to(CEP_STATE_IDLE, CEP_ATTR_REJ, {CEP_EVENT_REQ_ERROR}, CEP_CAUSE_STALE)},
	  {{"REP_RCVD", "DREQ_SENT.A", "DREQ_RCVD.A", "TIMEWAIT.A", "DREQ_SENT.C", "TIMEWAIT.C"},
	   dup},
	  {{"MRA_REP_SENT"}, stay(CEP_ATTR_MRA)},
	  {{"ESTABLISHED.A"}, stay(CEP_ATTR_RTU)}},
	 peer},
	{"REP, other peer ID",
	 {{{"REQ_SENT", "MRA_REQ_RCVD"}, to(CEP_STATE_REP_RCVD, 0, {CEP_EVENT_REP_RECEIVED})}},
	 peer},
	{"REP, not for us", {}, peer},
	{"RTU",
	 {{{"REP_SENT", "MRA_REP_RCVD"}, to(CEP_STATE_ESTABLISHED, 0, {CEP_EVENT_RTU_RECEIVED})},
	  {{"ESTABLISHED.P"}, dup}},
	 refused},
	{"RTU, other peer ID", {}, peer},
	{"MRA of REQ",
	 {{{"REQ_SENT"}, to(CEP_STATE_MRA_REQ_RCVD, 0, {CEP_EVENT_MRA_RECEIVED})},
	  {{"MRA_REQ_RCVD"}, stay()}},
	 refused},
	{"MRA of REP",
	 {{{"REP_SENT"}, to(CEP_STATE_MRA_REP_RCVD, 0, {CEP_EVENT_MRA_RECEIVED})},
	  {{"MRA_REP_RCVD"}, stay()}},
	 refused},
	{"MRA of another",
	 {{{"ESTABLISHED.A.LAP_SENT"}, to_lap(CEP_MRA_LAP_RCVD, 0, {CEP_EVENT_MRA_RECEIVED})},
	  {{"ESTABLISHED.A.MRA_LAP_RCVD"}, stay()}},
	 refused},
	{"MRA, not for us", {}, peer},
	{"REJ of REQ",
	 {{{"REQ_SENT", "MRA_REQ_RCVD"}, to(CEP_STATE_IDLE, 0, {CEP_EVENT_REJ_RECEIVED})}},
	 refused},
	{"REJ of REP",
	 {{{"REP_SENT", "MRA_REP_RCVD"}, to(CEP_STATE_IDLE, 0, {CEP_EVENT_REJ_RECEIVED})},
	  {{"REQ_SENT", "MRA_REQ_RCVD", "REQ_RCVD", "MRA_REQ_SENT", "ESTABLISHED.P", "DREQ_SENT.P",
	    "DREQ_SENT.S"},
	   lawful}},
	 refused},
	{"REJ of another",
	 {{{"REQ_SENT", "MRA_REQ_RCVD", "REQ_RCVD", "MRA_REQ_SENT", "REP_SENT", "MRA_REP_RCVD"},
	   to(CEP_STATE_IDLE, 0, {CEP_EVENT_REJ_RECEIVED})},
	  {{"DREQ_SENT.C", "DREQ_SENT.S"}, TO(TIMEWAIT)},
	  {{"REP_RCVD", "MRA_REP_SENT", "ESTABLISHED", "DREQ_SENT"},
	   to(CEP_STATE_TIMEWAIT, 0, {CEP_EVENT_REJ_RECEIVED})}},
	 refused},
	{"REJ stale",
	 {{{"REQ_SENT", "MRA_REQ_RCVD"}, to(CEP_STATE_IDLE, 0, {CEP_EVENT_REJ_RECEIVED})}},
	 refused},
	/* whose peer is known by GUID and ID; on the active side both came in its REP */
	{"REJ timeout, by GUID",
	 {{{"REQ_RCVD", "MRA_REQ_SENT", "REP_SENT", "MRA_REP_RCVD"},
	   to(CEP_STATE_IDLE, 0, {CEP_EVENT_REJ_RECEIVED})},
	  {{"DREQ_SENT.C", "DREQ_SENT.S"}, TO(TIMEWAIT)},
	  {{"REP_RCVD", "MRA_REP_SENT", "ESTABLISHED", "DREQ_SENT"},
	   to(CEP_STATE_TIMEWAIT, 0, {CEP_EVENT_REJ_RECEIVED})}},
	 refused},
	{"REJ, other peer ID",
	 {{{"REQ_SENT", "MRA_REQ_RCVD"}, to(CEP_STATE_IDLE, 0, {CEP_EVENT_REJ_RECEIVED})}},
	 peer},
	{"REJ, not for us", {}, peer},

	{"DREQ",
	 {{{"REP_SENT", "MRA_REP_RCVD", "ESTABLISHED", "DREQ_SENT.A", "DREQ_SENT.P"},
	   to(CEP_STATE_DREQ_RCVD, 0, {CEP_EVENT_DREQ_RECEIVED})},
	  /* nobody to ask, or who has been told: answered at once */
	  {{"DREQ_SENT.C", "DREQ_SENT.S"}, to(CEP_STATE_TIMEWAIT, CEP_ATTR_DREP)},
	  {{"TIMEWAIT"}, stay(CEP_ATTR_DREP)},
	  {{"DREQ_RCVD"}, dup},
	  {{"IDLE", "LISTEN", "REQ_RCVD", "MRA_REQ_SENT"}, lawful}},
	 refused},
	{"DREQ, other QPN", {{{"IDLE", "LISTEN"}, lawful}}, peer},
	/* ours lives with another peer: the sender is told that its own does not */
	{"DREQ, other peer ID",
	 {{{"IDLE", "LISTEN", "REQ_RCVD", "MRA_REQ_SENT", "REP_SENT", "MRA_REP_RCVD", "REP_RCVD",
	    "MRA_REP_SENT", "ESTABLISHED", "DREQ_SENT", "DREQ_RCVD", "TIMEWAIT", "SIDR_REQ_RCVD"},
	   stay(CEP_ATTR_DREP)}},
	 refused},
	{"DREP",
	 {{{"DREQ_SENT.C", "DREQ_SENT.S"}, TO(TIMEWAIT)},
	  {{"DREQ_SENT"}, to(CEP_STATE_TIMEWAIT, 0, {CEP_EVENT_DREP_RECEIVED})},
	  {{"TIMEWAIT"}, dup},
	  {{"DREQ_RCVD"}, refused}},
	 peer},
	{"DREP, other peer ID", {}, peer},
	/* by the call that has no address for it: unsupported; what is known is known */
	{"LAP",
	 {{{"ESTABLISHED.P.LAP_RCVD"}, dup},
	  {{"ESTABLISHED.P.MRA_LAP_SENT"}, stay(CEP_ATTR_MRA)},
	  {{"ESTABLISHED", "TIMEWAIT"}, stay(CEP_ATTR_APR)}},
	 peer},
	{"LAP, address ready",
	 {{{"ESTABLISHED.P.LAP_RCVD"}, dup},
	  {{"ESTABLISHED.P.MRA_LAP_SENT"}, stay(CEP_ATTR_MRA)},
	  {{"ESTABLISHED.P.ANSWERED", "ESTABLISHED.A.LAP_SENT", "ESTABLISHED.A.MRA_LAP_RCVD",
	    "TIMEWAIT"},
	   stay(CEP_ATTR_APR)},
	  {{"ESTABLISHED"}, to_lap(CEP_LAP_RCVD, 0, {CEP_EVENT_LAP_RECEIVED})}},
	 peer},
	{"LAP, bad GID",
	 {{{"ESTABLISHED.P.LAP_RCVD"}, dup},
	  {{"ESTABLISHED.P.MRA_LAP_SENT"}, stay(CEP_ATTR_MRA)},
	  {{"ESTABLISHED", "TIMEWAIT"}, stay(CEP_ATTR_APR)}},
	 peer},
	{"LAP, another",
	 {{{"ESTABLISHED.P.LAP_RCVD", "ESTABLISHED.P.MRA_LAP_SENT", "ESTABLISHED.A.LAP_SENT",
	    "ESTABLISHED.A.MRA_LAP_RCVD", "TIMEWAIT"},
	   stay(CEP_ATTR_APR)},
	  {{"ESTABLISHED"}, to_lap(CEP_LAP_RCVD, 0, {CEP_EVENT_LAP_RECEIVED})}},
	 peer},
	{"LAP, no path", {{{"ESTABLISHED", "TIMEWAIT"}, stay(CEP_ATTR_APR)}}, peer},
	{"LAP, other QPN", {{{"ESTABLISHED", "TIMEWAIT"}, stay(CEP_ATTR_APR)}}, peer},
	{"LAP, other peer ID", {}, peer},
	{"APR",
	 {{{"ESTABLISHED.A.LAP_SENT", "ESTABLISHED.A.MRA_LAP_RCVD"},
	   to_lap(CEP_LAP_IDLE, 0, {CEP_EVENT_APR_RECEIVED})},
	  {{"ESTABLISHED.A.GRANTED"}, dup}},
	 peer},
	{"APR, refusing",
	 {{{"ESTABLISHED.A.LAP_SENT", "ESTABLISHED.A.MRA_LAP_RCVD"},
	   to_lap(CEP_LAP_UNINIT, 0, {CEP_EVENT_APR_RECEIVED})},
	  {{"ESTABLISHED.A.GRANTED"}, dup}},
	 peer},
	{"APR, other TID", {}, peer},
	{"APR, other peer ID", {}, peer},
	{"send_lap",
	 {{{"ESTABLISHED.A.LAP_SENT", "ESTABLISHED.A.MRA_LAP_RCVD", "ESTABLISHED.P.LAP_RCVD",
	    "ESTABLISHED.P.MRA_LAP_SENT"},
	   state},
	  {{"ESTABLISHED"}, to_lap(CEP_LAP_SENT, CEP_ATTR_LAP)}},
	 state},
	{"send_lap, no path",
	 {{{"ESTABLISHED.A.LAP_SENT", "ESTABLISHED.A.MRA_LAP_RCVD", "ESTABLISHED.P.LAP_RCVD",
	    "ESTABLISHED.P.MRA_LAP_SENT"},
	   state},
	  {{"ESTABLISHED"}, arg}},
	 state},
	{"send_apr",
	 {{{"ESTABLISHED.P.LAP_RCVD", "ESTABLISHED.P.MRA_LAP_SENT"},
	   to_lap(CEP_LAP_IDLE, CEP_ATTR_APR)}},
	 state},
	{"send_apr, refusing",
	 {{{"ESTABLISHED.P.LAP_RCVD", "ESTABLISHED.P.MRA_LAP_SENT"},
	   to_lap(CEP_LAP_UNINIT, CEP_ATTR_APR)}},
	 state},
	{"send_apr, too long",
	 {{{"ESTABLISHED.P.LAP_RCVD", "ESTABLISHED.P.MRA_LAP_SENT"}, arg}},
	 state},
	{"migrate", {{{"ESTABLISHED.A.GRANTED", "ESTABLISHED.P.ANSWERED"}, stay()}}, state},

	{"send_sidr_req", {{{"IDLE"}, to(CEP_STATE_SIDR_REQ_SENT, CEP_ATTR_SIDR_REQ)}}, state},
	{"send_sidr_req, no time", {{{"IDLE"}, arg}}, state},
	{"send_sidr_rep", {{{"SIDR_REQ_RCVD"}, to(CEP_STATE_IDLE, CEP_ATTR_SIDR_REP)}}, state},
	{"send_sidr_rep, no QPN", {{{"SIDR_REQ_RCVD"}, arg}}, state},
	{"new SIDR_REQ",
	 {{{"IDLE"}, to(CEP_STATE_SIDR_REQ_RCVD, 0, {CEP_EVENT_SIDR_REQ_RECEIVED})}},
	 state},
	{"SIDR_REQ", {{{"SIDR_REQ_RCVD"}, dup}}, peer},
	{"SIDR_REQ, other TID", {}, peer},
	{"SIDR_REP",
	 {{{"SIDR_REQ_SENT"}, to(CEP_STATE_IDLE, 0, {CEP_EVENT_SIDR_REP_RECEIVED})},
	  {{"IDLE.SIDR"}, dup}},
	 peer},
	{"SIDR_REP, other TID", {}, peer},

	{"send_req, peer to peer", {{{"IDLE"}, to(CEP_STATE_REQ_SENT, CEP_ATTR_REQ)}}, state},
	{"peer REQ, greater",
	 {{{"REQ_SENT.PP"}, to(CEP_STATE_REQ_RCVD, 0, {CEP_EVENT_REQ_RECEIVED})}},
	 peer},
	{"peer REQ, lesser", {{{"REQ_SENT.PP"}, resend()}, {{"MRA_REQ_RCVD.PP"}, dup}}, peer},
	{"REJ, no service",
	 {{{"REQ_SENT.PP"}, dup},
	  {{"REQ_SENT", "MRA_REQ_RCVD"}, to(CEP_STATE_IDLE, 0, {CEP_EVENT_REJ_RECEIVED})}},
	 refused},

	/* REQ_SENT and so on are seats whose request has not left or has, see below */
	{"deadline",
	 {{{"TIMEWAIT.C"}, TO(CLOSED)},
	  {{"TIMEWAIT"}, to(CEP_STATE_IDLE, 0, {CEP_EVENT_TIMEWAIT_EXIT})},
	  {{"REQ_SENT", "MRA_REQ_RCVD", "REP_SENT", "MRA_REP_RCVD", "DREQ_SENT",
	    "ESTABLISHED.A.LAP_SENT", "ESTABLISHED.A.MRA_LAP_RCVD", "SIDR_REQ_SENT"},
	   lawful}},
	 state},
	{"deadline, early", {}, state},
	/* the MRA has come before the completion: the wait that it asked for stands */
	{"sent",
	 {{{"REQ_SENT", "REP_SENT", "DREQ_SENT", "ESTABLISHED.A.LAP_SENT", "SIDR_REQ_SENT"},
	   stay()},
	  {{"MRA_REQ_RCVD", "MRA_REP_RCVD"}, lawful}},
	 state},
	{"send failed",
	 {{{"REQ_SENT"}, to(CEP_STATE_IDLE, 0, {CEP_EVENT_REQ_ERROR}, CEP_CAUSE_SEND_FAILED)},
	  {{"REP_SENT"}, to(CEP_STATE_IDLE, 0, {CEP_EVENT_REP_ERROR}, CEP_CAUSE_SEND_FAILED)},
	  {{"DREQ_SENT.C", "DREQ_SENT.S"}, TO(TIMEWAIT)},
	  {{"DREQ_SENT"}, to(CEP_STATE_TIMEWAIT, 0, {CEP_EVENT_DREQ_ERROR}, CEP_CAUSE_SEND_FAILED)},
	  {{"ESTABLISHED.A.LAP_SENT"},
	   to_lap(CEP_LAP_UNINIT, 0, {CEP_EVENT_LAP_ERROR}, CEP_CAUSE_SEND_FAILED)},
	  {{"SIDR_REQ_SENT"},
	   to(CEP_STATE_IDLE, 0, {CEP_EVENT_SIDR_REQ_ERROR}, CEP_CAUSE_SEND_FAILED)},
	  {{"MRA_REQ_RCVD", "MRA_REP_RCVD"}, lawful}},
	 state},
	{"stale",
	 {{{"ESTABLISHED"},
	   to(CEP_STATE_DREQ_SENT, CEP_ATTR_DREQ, {CEP_EVENT_DREQ_ERROR}, CEP_CAUSE_STALE)},
	  {{"REQ_RCVD", "MRA_REQ_SENT", "REP_RCVD", "MRA_REP_SENT", "REP_SENT", "MRA_REP_RCVD",
	    "DREQ_SENT", "DREQ_RCVD"},
	   lawful}},
	 state},
	{"stale, no memory",
	 {{{"ESTABLISHED"}, to(CEP_STATE_TIMEWAIT, 0, {CEP_EVENT_DREQ_ERROR}, CEP_CAUSE_STALE)},
	  {{"REQ_RCVD", "MRA_REQ_SENT", "REP_RCVD", "MRA_REP_SENT", "REP_SENT", "MRA_REP_RCVD",
	    "DREQ_SENT", "DREQ_RCVD"},
	   lawful}},
	 state},
	{"device removed",
	 {{{"LISTEN", "CLOSED"}, stay()},
	  {{"DREQ_SENT.C", "TIMEWAIT.C"}, TO(CLOSED)},
	  {{"TIMEWAIT"},
	   to(CEP_STATE_IDLE, 0, {CEP_EVENT_TIMEWAIT_EXIT, CEP_EVENT_DEVICE_REMOVED})}},
	 to(CEP_STATE_IDLE, 0, {CEP_EVENT_DEVICE_REMOVED})},
};

#undef TO

} // namespace cep::sim

#endif /* CEP_SIM_OUTCOMES_HH */
