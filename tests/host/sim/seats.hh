/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Every state that a CEP can be in, from each side, closed or not, by the shortest way
 * there. Used by table_test.cc. No state.
 */
#ifndef CEP_SIM_SEATS_HH
#define CEP_SIM_SEATS_HH

#include "inputs.hh"
#include "ways.hh"

namespace cep::sim
{

/* --- the states to start from, by the shortest way there --------------------------------- */

struct Seat {
	const char *name; /* A: active, P: passive, C: destroyed, S: found stale */
	cep_state state;
	void (*reach)(Solo &);
};

inline void mra_of_rep(Solo &s)
{
	cep_msg msg = s.message(CEP_ATTR_MRA);

	msg.mra.which = CEP_WHICH_REP;
	must(s.hear(msg));
}

inline const Seat seats[] = {
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

} // namespace cep::sim

#endif /* CEP_SIM_SEATS_HH */
