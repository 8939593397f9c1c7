/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Every state (from each side, closed or not) under every input: the outcome that
 * IBA 12.9 and the contract of cep_core.h ask for, written as rules here and not taken
 * from the engine's table. That a refusal changes nothing and that every action list is
 * consistent is checked by sim/invariants.hh on the way, also on every CEP that any
 * sequence of inputs can reach.
 */
#include "sim/ways.hh"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace cep::sim
{
namespace
{

/* --- the states to start from, by the shortest way there --------------------------------- */

struct Seat {
	const char *name; /* A: active, P: passive, C: destroyed, S: found stale */
	cep_state state;
	void (*reach)(Solo &);
};

void mra_of_rep(Solo &s)
{
	cep_msg msg = s.message(CEP_ATTR_MRA);

	msg.mra.which = CEP_WHICH_REP;
	must(s.hear(msg));
}

const Seat seats[] = {
	{"IDLE", CEP_STATE_IDLE, [](Solo &) {}},
	{"LISTEN", CEP_STATE_LISTEN, [](Solo &s) { must(inputs()[0].apply(s)); }},
	{"REQ_SENT", CEP_STATE_REQ_SENT, act_requested},
	{"MRA_REQ_RCVD", CEP_STATE_MRA_REQ_RCVD,
	 [](Solo &s) {
		 act_requested(s);
		 must(s.hear(s.message(CEP_ATTR_MRA)));
	 }},
	{"REP_RCVD", CEP_STATE_REP_RCVD, act_replied},
	{"MRA_REP_SENT", CEP_STATE_MRA_REP_SENT,
	 [](Solo &s) {
		 act_replied(s);
		 must(s.send_mra(true));
	 }},
	{"ESTABLISHED.A", CEP_STATE_ESTABLISHED, act_up},
	{"DREQ_SENT.A", CEP_STATE_DREQ_SENT,
	 [](Solo &s) {
		 act_up(s);
		 must(s.send_dreq());
	 }},
	{"DREQ_RCVD.A", CEP_STATE_DREQ_RCVD,
	 [](Solo &s) {
		 act_up(s);
		 must(s.hear(s.message(CEP_ATTR_DREQ)));
	 }},
	{"TIMEWAIT.A", CEP_STATE_TIMEWAIT,
	 [](Solo &s) {
		 act_up(s);
		 must(s.hear(s.message(CEP_ATTR_DREQ)));
		 must(s.send_drep("bye"));
	 }},
	{"REQ_RCVD", CEP_STATE_REQ_RCVD, pas_requested},
	{"MRA_REQ_SENT", CEP_STATE_MRA_REQ_SENT,
	 [](Solo &s) {
		 pas_requested(s);
		 must(s.send_mra(true));
	 }},
	{"REP_SENT", CEP_STATE_REP_SENT, pas_replied},
	{"MRA_REP_RCVD", CEP_STATE_MRA_REP_RCVD,
	 [](Solo &s) {
		 pas_replied(s);
		 mra_of_rep(s);
	 }},
	{"ESTABLISHED.P", CEP_STATE_ESTABLISHED, pas_up},
	{"DREQ_SENT.P", CEP_STATE_DREQ_SENT,
	 [](Solo &s) {
		 pas_up(s);
		 must(s.send_dreq());
	 }},
	{"DREQ_RCVD.P", CEP_STATE_DREQ_RCVD,
	 [](Solo &s) {
		 pas_up(s);
		 must(s.hear(s.message(CEP_ATTR_DREQ)));
	 }},
	{"TIMEWAIT.P", CEP_STATE_TIMEWAIT,
	 [](Solo &s) {
		 pas_up(s);
		 must(s.send_dreq());
		 must(s.hear(s.message(CEP_ATTR_DREP)));
	 }},
	{"DREQ_SENT.S", CEP_STATE_DREQ_SENT,
	 [](Solo &s) {
		 pas_up(s);
		 must(s.on_stale());
	 }},
	{"DREQ_SENT.C", CEP_STATE_DREQ_SENT,
	 [](Solo &s) {
		 act_up(s);
		 must(s.close());
	 }},
	{"TIMEWAIT.C", CEP_STATE_TIMEWAIT,
	 [](Solo &s) {
		 act_up(s);
		 must(s.close());
		 must(s.hear(s.message(CEP_ATTR_DREP)));
	 }},
	{"ESTABLISHED.A.LAP_SENT", CEP_STATE_ESTABLISHED, lap_sent},
	{"ESTABLISHED.A.MRA_LAP_RCVD", CEP_STATE_ESTABLISHED,
	 [](Solo &s) {
		 lap_sent(s);
		 cep_msg msg = s.message(CEP_ATTR_MRA);
		 msg.mra.which = CEP_WHICH_OTHER;
		 must(s.hear(msg));
	 }},
	{"ESTABLISHED.A.GRANTED", CEP_STATE_ESTABLISHED, lap_granted},
	{"ESTABLISHED.P.LAP_RCVD", CEP_STATE_ESTABLISHED, lap_heard},
	{"ESTABLISHED.P.MRA_LAP_SENT", CEP_STATE_ESTABLISHED,
	 [](Solo &s) {
		 lap_heard(s);
		 must(s.send_mra(true));
	 }},
	{"ESTABLISHED.P.ANSWERED", CEP_STATE_ESTABLISHED, lap_answered},
	{"SIDR_REQ_SENT", CEP_STATE_SIDR_REQ_SENT, [](Solo &s) { must(s.send_sidr_req()); }},
	{"SIDR_REQ_RCVD", CEP_STATE_SIDR_REQ_RCVD,
	 [](Solo &s) { must(s.new_sidr_req(s.message(CEP_ATTR_SIDR_REQ))); }},
	{"IDLE.SIDR", CEP_STATE_IDLE,
	 [](Solo &s) {
		 must(s.send_sidr_req());
		 must(s.hear(s.message(CEP_ATTR_SIDR_REP)));
	 }},
	{"REQ_SENT.PP", CEP_STATE_REQ_SENT, act_as_peer},
	{"MRA_REQ_RCVD.PP", CEP_STATE_MRA_REQ_RCVD,
	 [](Solo &s) {
		 act_as_peer(s);
		 must(s.hear(s.message(CEP_ATTR_MRA)));
	 }},
	{"REQ_RCVD.PP", CEP_STATE_REQ_RCVD,
	 [](Solo &s) {
		 act_as_peer(s);
		 must(s.peer_req(s.message(CEP_ATTR_REQ), our_guid));
	 }},
	{"ESTABLISHED.A.PP", CEP_STATE_ESTABLISHED,
	 [](Solo &s) {
		 act_as_peer(s);
		 must(s.hear(s.message(CEP_ATTR_REP)));
		 must(s.send_rtu("ready"));
	 }},
	{"CLOSED", CEP_STATE_CLOSED, [](Solo &s) { must(s.close()); }},
};

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

Outcome to(cep_state next, uint16_t says = 0, std::vector<unsigned> events = {},
	   unsigned cause = CEP_CAUSE_NONE)
{
	return {Outcome::To, next, says, false, std::move(events), cause};
}

Outcome to_lap(cep_lap_state lap, uint16_t says = 0, std::vector<unsigned> events = {},
	       unsigned cause = CEP_CAUSE_NONE)
{
	return {Outcome::To, CEP_STATE_ESTABLISHED, says, false, std::move(events), cause, lap};
}

Outcome stay(uint16_t says = 0)
{
	return {.kind = Outcome::Stay, .says = says};
}

Outcome resend()
{
	return {.kind = Outcome::Stay, .resends = true};
}

const Outcome dup = {.kind = Outcome::Dup}, peer = {.kind = Outcome::Peer},
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

const Row rows[] = {
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

const Outcome &expected(const std::string &input, const std::string &seat)
{
	static const Outcome missing = {.kind = Outcome::Arg};

	for (const Row &row : rows) {
		if (row.input != input)
			continue;
		for (const Rule &rule : row.rules)
			for (const std::string &name : rule.seats)
				if (seat == name || seat.starts_with(name + "."))
					return rule.outcome;
		return row.otherwise;
	}
	ADD_FAILURE() << "no row for " << input;
	return missing;
}

class Table : public ::testing::TestWithParam<unsigned>
{
};

void compare(const Outcome &want, cep_result got, const Solo &s, const Seat &seat,
	     const std::string &where)
{
	switch (want.kind) {
	case Outcome::Lawful: return; /* the invariants are all there is to say */
	case Outcome::Dup: EXPECT_EQ(got, CEP_E_DUP) << where; return;
	case Outcome::Peer: EXPECT_EQ(got, CEP_E_PEER) << where; return;
	case Outcome::State: EXPECT_EQ(got, CEP_E_STATE) << where; return;
	case Outcome::Arg: EXPECT_EQ(got, CEP_E_ARG) << where; return;
	case Outcome::Refused:
		EXPECT_TRUE(got == CEP_E_DUP || got == CEP_E_PEER || got == CEP_E_STATE)
			<< where << ": " << got << " " << describe(s.acts);
		return;
	case Outcome::To:
	case Outcome::Stay: break;
	}

	ASSERT_EQ(got, CEP_OK) << where;
	const cep_state next = want.kind == Outcome::Stay ? seat.state : want.next;
	EXPECT_STREQ(cep_core_state_name(s.state()), cep_core_state_name(next)) << where;
	if (want.lap >= 0) {
		EXPECT_EQ(s.info().lap_state, want.lap) << where;
	} else if (next != CEP_STATE_ESTABLISHED) {
		EXPECT_LE(s.info().lap_state, CEP_LAP_IDLE) << where;
	}
	EXPECT_EQ(sends_tx(s.acts), want.says != 0) << where << " " << describe(s.acts);
	if (want.says && sends_tx(s.acts)) {
		EXPECT_STREQ(cep_core_attr_name(s.sent().attr), cep_core_attr_name(want.says))
			<< where;
	}
	EXPECT_EQ(count(s.acts, CEP_ACT_RESEND), want.resends ? 1u : 0u)
		<< where << " " << describe(s.acts);

	std::multiset<unsigned> events, wanted(want.events.begin(), want.events.end());
	for (uint32_t i = 0; i < s.acts.count; i++)
		if (s.acts.act[i].kind == CEP_ACT_EVENT) {
			events.insert(s.acts.act[i].event);
			EXPECT_EQ(s.acts.act[i].arg, want.cause) << where;
		}
	EXPECT_EQ(events, wanted) << where << " " << describe(s.acts);
}

TEST_P(Table, EveryInput)
{
	const Seat &seat = seats[GetParam()];

	for (const Input &input : inputs()) {
		const std::string where = std::string(seat.name) + " x " + input.name;
		Solo s;
		try {
			seat.reach(s);
			ASSERT_EQ(s.state(), seat.state) << where;
			const cep_result got = input.apply(s);
			compare(expected(input.name, seat.name), got, s, seat, where);
		} catch (const Violation &v) {
			ADD_FAILURE() << where << ": " << v.what();
		}
	}
}

/* What IBA says of what is sent: IDs, TIDs, "message rejected", QPN (W2 among it). */
TEST_P(Table, WhatIsSentIsAddressedRight)
{
	const Seat &seat = seats[GetParam()];

	for (const Input &input : inputs()) {
		const std::string where = std::string(seat.name) + " x " + input.name;
		Solo s;
		try {
			seat.reach(s);
			const cep_info before = s.info();
			if (input.apply(s) != CEP_OK || !sends_tx(s.acts))
				continue;
			const cep_msg msg = s.sent();
			const bool stray = std::string(input.name).ends_with("other peer ID");
			switch (msg.attr) {
			case CEP_ATTR_REQ:
				EXPECT_EQ(msg.local_comm_id, our_id) << where;
				EXPECT_EQ(msg.tid, our_tid) << where;
				continue;
			case CEP_ATTR_SIDR_REQ:
				EXPECT_EQ(msg.local_comm_id, our_id) << where;
				EXPECT_EQ(msg.tid, our_tid) << where;
				continue;
			case CEP_ATTR_SIDR_REP:
				EXPECT_EQ(msg.local_comm_id, peer_id) << where;
				EXPECT_EQ(msg.tid, peer_tid) << where;
				EXPECT_EQ(msg.sidr_rep.service_id, 7u) << where;
				EXPECT_EQ(msg.sidr_rep.status,
					  s.closed() ? CEP_SIDR_REJECT : CEP_SIDR_SUCCESS)
					<< where;
				continue;
			case CEP_ATTR_LAP:
				EXPECT_EQ(msg.tid, our_lap_tid) << where;
				EXPECT_EQ(msg.lap.remote_qpn, peer_qpn) << where;
				break;
			case CEP_ATTR_MRA:
				if (before.lap_state >= CEP_LAP_SENT) {
					EXPECT_EQ(msg.mra.which, CEP_WHICH_OTHER) << where;
					EXPECT_EQ(msg.tid, peer_lap_tid) << where;
					break;
				}
				EXPECT_NE(msg.mra.which, CEP_WHICH_OTHER) << where;
				[[fallthrough]];
			case CEP_ATTR_REP:
			case CEP_ATTR_RTU:
				EXPECT_EQ(msg.tid, before.passive ? peer_tid : our_tid) << where;
				break;
			case CEP_ATTR_DREQ:
				EXPECT_NE(msg.tid, our_tid) << where << ": a TID of its own";
				EXPECT_EQ(msg.dreq.remote_qpn, peer_qpn) << where;
				break;
			case CEP_ATTR_DREP: EXPECT_EQ(msg.tid, peer_tid + 7) << where; break;
			case CEP_ATTR_APR: {
				const std::string name = input.name;
				unsigned status = CEP_APR_SUCCESS;
				uint64_t tid = peer_lap_tid;
				if (name.ends_with("another"))
					tid += 1;
				if (name.ends_with("no path"))
					tid += 2;
				if (name.ends_with("other QPN"))
					tid += 3;
				const bool known = std::string(seat.name).ends_with("ANSWERED") &&
						   tid == peer_lap_tid;
				if (name == "send_apr, refusing")
					status = CEP_APR_REJECT;
				else if (known || name == "send_apr")
					status = CEP_APR_SUCCESS;
				else if (seat.state == CEP_STATE_TIMEWAIT)
					status = CEP_APR_INVALID_COMM_ID;
				else if (name.ends_with("other QPN"))
					status = CEP_APR_INVALID_QPN;
				else if (before.lap_state >= CEP_LAP_SENT)
					status = CEP_APR_REJECT;
				else if (name == "LAP")
					status = CEP_APR_UNSUPPORTED;
				else
					status = CEP_APR_INVALID_GID;
				EXPECT_EQ(msg.apr.status, status) << where;
				EXPECT_EQ(msg.tid, tid) << where;
				break;
			}
			case CEP_ATTR_REJ: {
				unsigned which = CEP_WHICH_OTHER;
				if (in(seat.state, {CEP_STATE_REQ_RCVD, CEP_STATE_MRA_REQ_SENT}))
					which = CEP_WHICH_REQ;
				if (in(seat.state, {CEP_STATE_REP_RCVD, CEP_STATE_MRA_REP_SENT}) ||
				    std::string(input.name) == "REP, peer taken")
					which = CEP_WHICH_REP;
				EXPECT_EQ(msg.rej.which, which) << where;
				EXPECT_EQ(msg.tid, before.passive ? peer_tid : our_tid) << where;
				if (msg.rej.reason == CEP_REJ_TIMEOUT) {
					EXPECT_EQ(msg.rej.ari_len, 8) << where;
					EXPECT_EQ(std::string(reinterpret_cast<const char *>(
								      msg.rej.ari),
							      8),
						  std::string(8, '\x0a'))
						<< where;
				}
				if (which != CEP_WHICH_REQ || msg.local_comm_id) {
					EXPECT_EQ(msg.local_comm_id, our_id) << where;
				}
				if (before.remote_comm_id || which != CEP_WHICH_OTHER) {
					EXPECT_EQ(msg.remote_comm_id, peer_id) << where;
				}
				continue;
			}
			}
			EXPECT_EQ(msg.local_comm_id, our_id) << where;
			EXPECT_EQ(msg.remote_comm_id, stray ? foreign_id : peer_id) << where;
		} catch (const Violation &v) {
			ADD_FAILURE() << where << ": " << v.what();
		}
	}
}

INSTANTIATE_TEST_SUITE_P(Seats, Table,
			 ::testing::Range(0u, static_cast<unsigned>(std::size(seats))),
			 [](const auto &info) {
				 std::string name = seats[info.param].name;
				 for (char &c : name)
					 if (c == '.')
						 c = '_';
				 return name;
			 });

TEST(TableItself, HasARowForEveryInputAndASeatForEveryState)
{
	std::set<std::string> named, listed;

	for (const Row &row : rows)
		named.insert(row.input);
	for (const Input &input : inputs())
		listed.insert(input.name);
	EXPECT_EQ(named, listed);

	std::set<unsigned> states;
	for (const Seat &seat : seats)
		states.insert(seat.state);
	EXPECT_EQ(states.size(), static_cast<size_t>(CEP_NR_STATES));
}

/*
 * Everything that can be reached: from a new CEP, every input in every situation, where
 * two cores that differ in time alone count as one. check_call() judges each step.
 */
class Reach : public ::testing::TestWithParam<unsigned>
{
};

TEST_P(Reach, EverySequenceOfInputsIsLawful)
{
	struct Situation {
		Solo solo;
		std::string way;
	};
	std::vector<Situation> open(1);
	std::set<std::string> known;
	unsigned long calls = 0;
	std::set<unsigned> states;

	open[0].solo.transport = static_cast<uint8_t>(GetParam());
	open[0].solo.retries = 1;
	while (!open.empty()) {
		const Situation from = std::move(open.back());
		open.pop_back();
		for (const Input &input : inputs()) {
			Situation next = from;
			next.way += std::string("; ") + input.name;
			try {
				calls++;
				if (input.apply(next.solo) != CEP_OK)
					continue;
			} catch (const Violation &v) {
				FAIL() << v.what() << "\n  after" << next.way;
			}
			/* the deadline's distance and everything but the deadline */
			const cep_info info = next.solo.info();
			const uint64_t left =
				info.deadline_ns ? info.deadline_ns - next.solo.now : 0;
			std::string key(reinterpret_cast<const char *>(&next.solo.core),
					sizeof(cep_core));
			const std::string deadline(
				reinterpret_cast<const char *>(&info.deadline_ns),
				sizeof(info.deadline_ns));
			if (info.deadline_ns)
				if (const size_t at = key.find(deadline); at != std::string::npos)
					key.erase(at, deadline.size());
			key += std::to_string(left) + (next.solo.kept ? "k" : "");
			states.insert(info.state * 4u + info.closed * 2u + info.passive);
			if (known.insert(key).second)
				open.push_back(std::move(next));
			ASSERT_LT(known.size(), 2000000u) << "no end in sight";
		}
	}
	RecordProperty("situations", static_cast<int>(known.size()));
	RecordProperty("calls", static_cast<int>(calls));
	std::printf("%zu situations, %lu calls, %zu of (state, closed, side)\n", known.size(),
		    calls, states.size());
	EXPECT_GT(known.size(), 50u);
}

INSTANTIATE_TEST_SUITE_P(Transports, Reach,
			 ::testing::Values(CEP_TRANSPORT_RC, CEP_TRANSPORT_UC, CEP_TRANSPORT_XRC));

} // namespace
} // namespace cep::sim
