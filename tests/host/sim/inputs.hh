/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Everything that can happen to a CEP, wrong and foreign variants included, as a list that
 * table_test.cc and the fuzzer go through. No state.
 */
#ifndef CEP_SIM_INPUTS_HH
#define CEP_SIM_INPUTS_HH

#include "solo.hh"

#include <vector>

namespace cep::sim
{

struct Input {
	const char *name;
	bool from_ulp; /* refused with CEP_E_STATE, not CEP_E_PEER */
	cep_result (*apply)(Solo &);
};

/* Everything that can happen, the wrong and the foreign variants included. */
inline const std::vector<Input> &inputs()
{
	using S = Solo;
	static const auto changed = [](S &s, uint16_t attr, void (*change)(cep_msg &)) {
		cep_msg msg = s.message(attr);
		change(msg);
		return s.hear(msg);
	};
	static const std::vector<Input> list = {
		{"listen", true,
		 [](S &s) {
			 return s.call("listen", [](cep_core &c, uint8_t *, cep_actions &a) {
				 return cep_core_listen(&c, &a);
			 });
		 }},
		{"cancel_listen", true,
		 [](S &s) {
			 return s.call("cancel_listen", [](cep_core &c, uint8_t *, cep_actions &a) {
				 return cep_core_cancel_listen(&c, &a);
			 });
		 }},
		{"format_req", true,
		 [](S &s) {
			 const cep_send_req args = s.req_args();
			 return s.quiet_call("format_req", [&](cep_core &c) {
				 return cep_core_format_req(&c, &args);
			 });
		 }},
		{"send_req", true, [](S &s) { return s.send_req(s.req_args()); }},
		{"send_req, bad QPN", true,
		 [](S &s) {
			 cep_send_req args = s.req_args();
			 args.req.local_qpn = 0x1000000;
			 return s.send_req(args);
		 }},
		{"format_rep", true,
		 [](S &s) {
			 const cep_send_rep args = s.rep_args();
			 return s.quiet_call("format_rep", [&](cep_core &c) {
				 return cep_core_format_rep(&c, &args);
			 });
		 }},
		{"send_rep", true, [](S &s) { return s.send_rep(s.rep_args()); }},
		{"send_rep, bad PSN", true,
		 [](S &s) {
			 cep_send_rep args = s.rep_args();
			 args.rep.starting_psn = 0x1000000;
			 return s.send_rep(args);
		 }},
		{"send_rtu", true, [](S &s) { return s.send_rtu("ready"); }},
		{"send_rtu, too long", true,
		 [](S &s) {
			 static const uint8_t data[256] = {};
			 return s.call("send_rtu", [](cep_core &c, uint8_t *t, cep_actions &a) {
				 return cep_core_send_rtu(&c, data, CEP_RTU_PRIVATE_DATA_SIZE + 1,
							  t, &a);
			 });
		 }},
		{"send_mra", true, [](S &s) { return s.send_mra(false); }},
		{"arm_mra", true, [](S &s) { return s.send_mra(true); }},
		{"send_mra, bad timeout", true, [](S &s) { return s.send_mra(false, 32); }},
		{"arm_mra, bad timeout", true, [](S &s) { return s.send_mra(true, 32); }},
		{"send_rej", true, [](S &s) { return s.send_rej(); }},
		{"send_rej, ARI too long", true,
		 [](S &s) {
			 static const uint8_t ari[256] = {};
			 return s.call("send_rej", [&](cep_core &c, uint8_t *t, cep_actions &a) {
				 return cep_core_send_rej(&c, s.now, 28, ari, CEP_ARI_SIZE + 1,
							  nullptr, 0, t, &a);
			 });
		 }},
		{"send_dreq", true, [](S &s) { return s.send_dreq(); }},
		{"send_dreq, too long", true,
		 [](S &s) {
			 static const uint8_t data[256] = {};
			 return s.call("send_dreq", [&](cep_core &c, uint8_t *t, cep_actions &a) {
				 return cep_core_send_dreq(&c, s.now, 9, data,
							   CEP_DREQ_PRIVATE_DATA_SIZE + 1, t, &a);
			 });
		 }},
		{"send_drep", true, [](S &s) { return s.send_drep("bye"); }},
		{"send_drep, too long", true,
		 [](S &s) {
			 static const uint8_t data[256] = {};
			 return s.call("send_drep", [&](cep_core &c, uint8_t *t, cep_actions &a) {
				 return cep_core_send_drep(&c, s.now, data,
							   CEP_DREP_PRIVATE_DATA_SIZE + 1, t, &a);
			 });
		 }},
		{"established", true, [](S &s) { return s.established(); }},
		{"enter_timewait", true,
		 [](S &s) {
			 return s.call("enter_timewait",
				       [&](cep_core &c, uint8_t *, cep_actions &a) {
					       return cep_core_enter_timewait(&c, s.now, &a);
				       });
		 }},
		{"close", true, [](S &s) { return s.close(); }},
		{"close, no memory", true, [](S &s) { return s.close(false); }},
		{"close, no retry", true, [](S &s) { return s.close(true, false); }},
		{"new REQ", true, [](S &s) { return s.new_req(s.message(CEP_ATTR_REQ)); }},
		{"REQ", false, [](S &s) { return s.hear(s.message(CEP_ATTR_REQ)); }},
		{"REQ, other PSN", false,
		 [](S &s) {
			 return changed(s, CEP_ATTR_REQ,
					[](cep_msg &m) { m.req.starting_psn ^= 1; });
		 }},
		{"REP", false,
		 [](S &s) { return s.hear(s.message(CEP_ATTR_REP), false, "ready"); }},
		{"REP, peer taken", false,
		 [](S &s) { return s.hear(s.message(CEP_ATTR_REP), true); }},
		{"REP, other peer ID", false,
		 [](S &s) {
			 return changed(s, CEP_ATTR_REP,
					[](cep_msg &m) { m.local_comm_id = foreign_id; });
		 }},
		{"REP, not for us", false,
		 [](S &s) {
			 return changed(s, CEP_ATTR_REP,
					[](cep_msg &m) { m.remote_comm_id = foreign_id; });
		 }},
		{"RTU", false, [](S &s) { return s.hear(s.message(CEP_ATTR_RTU)); }},
		{"RTU, other peer ID", false,
		 [](S &s) {
			 return changed(s, CEP_ATTR_RTU,
					[](cep_msg &m) { m.local_comm_id = foreign_id; });
		 }},
		{"MRA of REQ", false, [](S &s) { return s.hear(s.message(CEP_ATTR_MRA)); }},
		{"MRA of REP", false,
		 [](S &s) {
			 return changed(s, CEP_ATTR_MRA,
					[](cep_msg &m) { m.mra.which = CEP_WHICH_REP; });
		 }},
		{"MRA of another", false,
		 [](S &s) {
			 return changed(s, CEP_ATTR_MRA,
					[](cep_msg &m) { m.mra.which = CEP_WHICH_OTHER; });
		 }},
		{"MRA, not for us", false,
		 [](S &s) {
			 return changed(s, CEP_ATTR_MRA,
					[](cep_msg &m) { m.remote_comm_id = foreign_id; });
		 }},
		{"REJ of REQ", false,
		 [](S &s) {
			 return changed(s, CEP_ATTR_REJ, [](cep_msg &m) { m.local_comm_id = 0; });
		 }},
		{"REJ of REP", false,
		 [](S &s) {
			 return changed(s, CEP_ATTR_REJ,
					[](cep_msg &m) { m.rej.which = CEP_WHICH_REP; });
		 }},
		{"REJ of another", false,
		 [](S &s) {
			 return changed(s, CEP_ATTR_REJ,
					[](cep_msg &m) { m.rej.which = CEP_WHICH_OTHER; });
		 }},
		{"REJ stale", false,
		 [](S &s) {
			 return changed(s, CEP_ATTR_REJ, [](cep_msg &m) {
				 m.rej.reason = CEP_REJ_STALE_CONN;
				 m.local_comm_id = 0;
			 });
		 }},
		{"REJ timeout, by GUID", false,
		 [](S &s) {
			 return changed(s, CEP_ATTR_REJ, [](cep_msg &m) {
				 static const uint8_t guid[8] = {0xb, 0xb, 0xb, 0xb,
								 0xb, 0xb, 0xb, 0xb};
				 m.remote_comm_id = 0;
				 m.rej.which = CEP_WHICH_OTHER;
				 m.rej.reason = CEP_REJ_TIMEOUT;
				 m.rej.ari = guid;
				 m.rej.ari_len = 8;
			 });
		 }},
		{"REJ, other peer ID", false,
		 [](S &s) {
			 return changed(s, CEP_ATTR_REJ, [](cep_msg &m) {
				 m.local_comm_id = foreign_id;
				 m.rej.which = CEP_WHICH_OTHER;
			 });
		 }},
		{"REJ, not for us", false,
		 [](S &s) {
			 return changed(s, CEP_ATTR_REJ,
					[](cep_msg &m) { m.remote_comm_id = foreign_id; });
		 }},
		{"DREQ", false,
		 [](S &s) { return s.hear(s.message(CEP_ATTR_DREQ), false, "bye"); }},
		{"DREQ, other QPN", false,
		 [](S &s) {
			 return changed(s, CEP_ATTR_DREQ,
					[](cep_msg &m) { m.dreq.remote_qpn = foreign_qpn; });
		 }},
		{"DREQ, other peer ID", false,
		 [](S &s) {
			 return changed(s, CEP_ATTR_DREQ,
					[](cep_msg &m) { m.local_comm_id = foreign_id; });
		 }},
		{"DREP", false, [](S &s) { return s.hear(s.message(CEP_ATTR_DREP)); }},
		{"DREP, other peer ID", false,
		 [](S &s) {
			 return changed(s, CEP_ATTR_DREP,
					[](cep_msg &m) { m.local_comm_id = foreign_id; });
		 }},
		{"LAP", false, [](S &s) { return s.hear(s.message(CEP_ATTR_LAP)); }},
		{"LAP, address ready", false,
		 [](S &s) { return s.lap(s.message(CEP_ATTR_LAP), CEP_APR_SUCCESS); }},
		{"LAP, bad GID", false,
		 [](S &s) { return s.lap(s.message(CEP_ATTR_LAP), CEP_APR_INVALID_GID); }},
		{"LAP, another", false,
		 [](S &s) {
			 cep_msg msg = s.message(CEP_ATTR_LAP);
			 msg.tid++;
			 return s.lap(msg, CEP_APR_SUCCESS);
		 }},
		{"LAP, no path", false,
		 [](S &s) {
			 cep_msg msg = s.message(CEP_ATTR_LAP);
			 msg.tid += 2;
			 msg.lap.alternate.local_lid = 0;
			 return s.lap(msg, CEP_APR_SUCCESS);
		 }},
		{"LAP, other QPN", false,
		 [](S &s) {
			 cep_msg msg = s.message(CEP_ATTR_LAP);
			 msg.tid += 3;
			 msg.lap.remote_qpn = foreign_qpn;
			 return s.lap(msg, CEP_APR_SUCCESS);
		 }},
		{"LAP, other peer ID", false,
		 [](S &s) {
			 return changed(s, CEP_ATTR_LAP,
					[](cep_msg &m) { m.local_comm_id = foreign_id; });
		 }},
		{"APR", false, [](S &s) { return s.hear(s.message(CEP_ATTR_APR)); }},
		{"APR, refusing", false,
		 [](S &s) {
			 return changed(s, CEP_ATTR_APR,
					[](cep_msg &m) { m.apr.status = CEP_APR_REJECT; });
		 }},
		{"APR, other TID", false,
		 [](S &s) { return changed(s, CEP_ATTR_APR, [](cep_msg &m) { m.tid ^= 1; }); }},
		{"APR, other peer ID", false,
		 [](S &s) {
			 return changed(s, CEP_ATTR_APR,
					[](cep_msg &m) { m.local_comm_id = foreign_id; });
		 }},
		{"send_lap", true, [](S &s) { return s.send_lap(); }},
		{"send_lap, no path", true, [](S &s) { return s.send_lap(false); }},
		{"send_apr", true, [](S &s) { return s.send_apr(CEP_APR_SUCCESS); }},
		{"send_apr, refusing", true,
		 [](S &s) { return s.send_apr(CEP_APR_REJECT, "why", "because"); }},
		{"send_apr, too long", true,
		 [](S &s) {
			 static const uint8_t info[256] = {};
			 return s.call("send_apr", [](cep_core &c, uint8_t *t, cep_actions &a) {
				 return cep_core_send_apr(&c, 0, info, CEP_ARI_SIZE + 1, nullptr, 0,
							  t, &a);
			 });
		 }},
		{"migrate", true, [](S &s) { return s.migrate(); }},

		{"send_sidr_req", true, [](S &s) { return s.send_sidr_req(); }},
		{"send_sidr_req, no time", true, [](S &s) { return s.send_sidr_req(0); }},
		{"send_sidr_rep", true, [](S &s) { return s.send_sidr_rep(); }},
		{"send_sidr_rep, no QPN", true,
		 [](S &s) { return s.send_sidr_rep(CEP_SIDR_SUCCESS, 0); }},
		{"new SIDR_REQ", true,
		 [](S &s) { return s.new_sidr_req(s.message(CEP_ATTR_SIDR_REQ)); }},
		{"SIDR_REQ", false, [](S &s) { return s.hear(s.message(CEP_ATTR_SIDR_REQ)); }},
		{"SIDR_REQ, other TID", false,
		 [](S &s) {
			 return changed(s, CEP_ATTR_SIDR_REQ, [](cep_msg &m) { m.tid ^= 1; });
		 }},
		{"SIDR_REP", false, [](S &s) { return s.hear(s.message(CEP_ATTR_SIDR_REP)); }},
		{"SIDR_REP, other TID", false,
		 [](S &s) {
			 return changed(s, CEP_ATTR_SIDR_REP, [](cep_msg &m) { m.tid ^= 1; });
		 }},

		{"send_req, peer to peer", true,
		 [](S &s) {
			 cep_send_req args = s.req_args();
			 args.peer_to_peer = 1;
			 return s.send_req(args);
		 }},
		{"peer REQ, greater", false,
		 [](S &s) { return s.peer_req(s.message(CEP_ATTR_REQ), our_guid); }},
		{"peer REQ, lesser", false,
		 [](S &s) { return s.peer_req(s.message(CEP_ATTR_REQ), greater_guid); }},
		{"REJ, no service", false,
		 [](S &s) {
			 return changed(s, CEP_ATTR_REJ, [](cep_msg &m) {
				 m.rej.reason = CEP_REJ_INVALID_SERVICE_ID;
				 m.local_comm_id = 0;
			 });
		 }},
		{"deadline", true, [](S &s) { return s.deadline(); }},
		{"deadline, early", true,
		 [](S &s) {
			 if (s.info().deadline_ns)
				 s.now = s.info().deadline_ns - 1;
			 return s.on_deadline();
		 }},
		{"sent", true, [](S &s) { return s.on_sent(); }},
		{"send failed", true, [](S &s) { return s.on_send_failed(); }},
		{"stale", true, [](S &s) { return s.on_stale(); }},
		{"stale, no memory", true, [](S &s) { return s.on_stale(false); }},
		{"device removed", true, [](S &s) { return s.device_removed(); }},
	};
	return list;
}

} // namespace cep::sim

#endif /* CEP_SIM_INPUTS_HH */
