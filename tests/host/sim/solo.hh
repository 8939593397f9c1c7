/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * One engine and a peer made of crafted messages. Solo holds the core, its clock and
 * whether a buffer is kept; each call goes through check_call(). What can happen to a CEP
 * is listed in inputs.hh. Single thread.
 */
#ifndef CEP_SIM_SOLO_HH
#define CEP_SIM_SOLO_HH

#include "invariants.hh"

#include <string>
#include <vector>

namespace cep::sim
{

constexpr uint64_t our_guid = 0x0a0a0a0a0a0a0a0au, peer_guid = 0x0b0b0b0b0b0b0b0bu;
constexpr uint32_t our_id = 0x11111111, peer_id = 0x22222222, foreign_id = 0x33333333;
constexpr uint32_t our_qpn = 0x101, peer_qpn = 0x202, foreign_qpn = 0x303;
constexpr uint32_t our_psn = 0x00aaaa, peer_psn = 0x00bbbb;
constexpr uint64_t our_tid = 0x1000, peer_tid = 0x2000;
constexpr uint64_t our_lap_tid = our_tid + 9, peer_lap_tid = peer_tid + 9;
constexpr uint64_t greater_guid = 0x0c0c0c0c0c0c0c0cu; /* than the peer's */

struct Solo {
	cep_core core;
	uint64_t now = 1000000000;
	bool kept = false;
	uint8_t retries = 2;
	uint8_t transport = CEP_TRANSPORT_RC;
	Mad tx{};
	cep_actions acts{};

	Solo() { cep_core_init(&core); }

	cep_state state() const { return cep_core_state(&core); }
	bool closed() const { return cep_core_is_closed(&core) != 0; }
	cep_info info() const { return info_of(core); }

	cep_msg sent() const
	{
		cep_msg msg;

		if (!sends_tx(acts) || cep_core_parse(tx.data(), tx.size(), &msg) != CEP_PARSE_OK)
			throw Violation("nothing was sent");
		return msg;
	}

	template <class Fn> cep_result call(const char *name, Fn &&fn)
	{
		return check_call(name, core, tx, acts, now, kept, fn);
	}

	/* A call that has no action list. */
	template <class Fn> cep_result quiet_call(const char *name, Fn &&fn)
	{
		return call(name, [&](cep_core &c, uint8_t *, cep_actions &a) {
			a.count = 0;
			a.state_before = a.state_after = static_cast<uint8_t>(cep_core_state(&c));
			return fn(c);
		});
	}

	cep_send_req req_args() const
	{
		cep_send_req args;

		std::memset(&args, 0, sizeof(args));
		args.tid = our_tid;
		args.local_comm_id = our_id;
		args.req.service_id = 7;
		args.req.local_ca_guid = our_guid;
		args.req.local_qpn = our_qpn;
		args.req.starting_psn = our_psn;
		args.req.transport = transport;
		args.req.pkey = 0xffff;
		args.req.responder_resources = 3;
		args.req.initiator_depth = 5;
		args.req.remote_cm_response_timeout_exp = 16;
		args.req.local_cm_response_timeout_exp = 17;
		args.req.retry_count = 6;
		args.req.rnr_retry_count = 5;
		args.req.path_mtu = 4;
		args.req.max_cm_retries = retries;
		args.req.primary.local_lid = 1;
		args.req.primary.remote_lid = 2;
		args.packet_life_time_exp = 12;
		args.local_ca_ack_delay_exp = 10;
		return args;
	}

	cep_send_rep rep_args() const
	{
		cep_send_rep args;

		std::memset(&args, 0, sizeof(args));
		args.rep.local_ca_guid = our_guid;
		args.rep.local_qpn = our_qpn;
		args.rep.starting_psn = our_psn;
		args.rep.responder_resources = 2;
		args.rep.initiator_depth = 4;
		args.rep.target_ack_delay_exp = 9;
		args.rep.rnr_retry_count = 3;
		return args;
	}

	/* A message of the peer, to our comm ID. */
	cep_msg message(uint16_t attr) const
	{
		cep_msg msg;

		std::memset(&msg, 0, sizeof(msg));
		msg.attr = attr;
		msg.tid = peer_tid;
		msg.local_comm_id = peer_id;
		msg.remote_comm_id = our_id;
		switch (attr) {
		case CEP_ATTR_REQ:
			msg.remote_comm_id = 0;
			msg.req = req_args().req;
			msg.req.local_ca_guid = peer_guid;
			msg.req.local_qpn = peer_qpn;
			msg.req.starting_psn = peer_psn;
			msg.req.primary.local_ack_timeout_exp = 14;
			break;
		case CEP_ATTR_REP:
			msg.tid = our_tid;
			msg.rep = rep_args().rep;
			msg.rep.local_ca_guid = peer_guid;
			msg.rep.local_qpn = transport == CEP_TRANSPORT_XRC ? 0 : peer_qpn;
			msg.rep.local_eecn = transport == CEP_TRANSPORT_XRC ? peer_qpn : 0;
			msg.rep.starting_psn = peer_psn;
			break;
		case CEP_ATTR_MRA: msg.mra.service_timeout_exp = 18; break;
		case CEP_ATTR_REJ: msg.rej.reason = CEP_REJ_CONSUMER_DEFINED; break;
		case CEP_ATTR_DREQ:
			msg.dreq.remote_qpn = our_qpn;
			msg.tid = peer_tid + 7;
			break;
		case CEP_ATTR_LAP:
			msg.tid = peer_lap_tid;
			msg.lap.remote_qpn = our_qpn;
			msg.lap.alternate.local_lid = 11;
			msg.lap.alternate.remote_lid = 12;
			msg.lap.alternate.local_ack_timeout_exp = 13;
			break;
		case CEP_ATTR_APR: msg.tid = our_lap_tid; break;
		case CEP_ATTR_SIDR_REQ:
			msg.remote_comm_id = 0;
			msg.sidr_req.service_id = 7;
			msg.sidr_req.pkey = 0xffff;
			break;
		case CEP_ATTR_SIDR_REP:
			msg.tid = our_tid;
			msg.local_comm_id = our_id; /* the request ID */
			msg.remote_comm_id = 0;
			msg.sidr_rep.service_id = 7;
			msg.sidr_rep.qpn = peer_qpn;
			break;
		default: break;
		}
		return msg;
	}

	cep_result hear(const cep_msg &msg, bool peer_taken = false, const char *repeat = "")
	{
		const cep_facts facts = {.ca_guid = our_guid,
					 .peer_taken = peer_taken,
					 .repeat_len = static_cast<uint8_t>(std::strlen(repeat)),
					 .repeat_data = reinterpret_cast<const uint8_t *>(repeat),
					 .max_mra_ns = 0};

		return call(cep_core_attr_name(msg.attr),
			    [&](cep_core &c, uint8_t *t, cep_actions &a) {
				    return cep_core_on_message(&c, now, &msg, &facts, t, &a);
			    });
	}

	cep_result lap(const cep_msg &msg, uint8_t status, const char *repeat = "")
	{
		const cep_facts facts = {.ca_guid = our_guid,
					 .peer_taken = false,
					 .repeat_len = static_cast<uint8_t>(std::strlen(repeat)),
					 .repeat_data = reinterpret_cast<const uint8_t *>(repeat),
					 .max_mra_ns = 0};

		return call("on_lap", [&](cep_core &c, uint8_t *t, cep_actions &a) {
			return cep_core_on_lap(&c, now, &msg, &facts, status, t, &a);
		});
	}

	cep_result send_lap(bool path = true, uint64_t tid = our_lap_tid)
	{
		cep_send_lap args;

		std::memset(&args, 0, sizeof(args));
		args.tid = tid;
		args.alternate.local_lid = path ? 21 : 0;
		args.alternate.remote_lid = 22;
		args.packet_life_time_exp = 14;
		args.local_ca_ack_delay_exp = 10;
		args.remote_cm_response_timeout_exp = 16;
		return call("send_lap", [&](cep_core &c, uint8_t *t, cep_actions &a) {
			return cep_core_send_lap(&c, now, &args, t, &a);
		});
	}

	cep_result send_apr(uint8_t status, const char *info = "", const char *data = "")
	{
		return call("send_apr", [&](cep_core &c, uint8_t *t, cep_actions &a) {
			return cep_core_send_apr(&c, status,
						 reinterpret_cast<const uint8_t *>(info),
						 static_cast<uint8_t>(std::strlen(info)),
						 reinterpret_cast<const uint8_t *>(data),
						 static_cast<uint8_t>(std::strlen(data)), t, &a);
		});
	}

	cep_result migrate()
	{
		return call("migrate", [](cep_core &c, uint8_t *, cep_actions &a) {
			return cep_core_migrate(&c, &a);
		});
	}

	cep_result send_sidr_req(uint64_t timeout_ns = 1000000, uint64_t tid = our_tid)
	{
		cep_send_sidr_req args;

		std::memset(&args, 0, sizeof(args));
		args.tid = tid;
		args.local_comm_id = our_id;
		args.service_id = 7;
		args.pkey = 0xffff;
		args.max_cm_retries = retries;
		args.response_timeout_ns = timeout_ns;
		return call("send_sidr_req", [&](cep_core &c, uint8_t *t, cep_actions &a) {
			return cep_core_send_sidr_req(&c, now, &args, t, &a);
		});
	}

	cep_result send_sidr_rep(uint8_t status = CEP_SIDR_SUCCESS, uint32_t qpn = our_qpn)
	{
		cep_send_sidr_rep args;

		std::memset(&args, 0, sizeof(args));
		args.status = status;
		args.qpn = qpn;
		args.qkey = 0x11223344;
		return call("send_sidr_rep", [&](cep_core &c, uint8_t *t, cep_actions &a) {
			return cep_core_send_sidr_rep(&c, &args, t, &a);
		});
	}

	cep_result new_sidr_req(const cep_msg &msg)
	{
		return call("on_sidr_req", [&](cep_core &c, uint8_t *, cep_actions &a) {
			return cep_core_on_sidr_req(&c, now, &msg, our_id, &a);
		});
	}

	/* ours decides who yields: the peer's CA GUID lies between our_guid and greater_guid */
	cep_result peer_req(const cep_msg &msg, uint64_t ours)
	{
		return call("on_peer_req", [&](cep_core &c, uint8_t *, cep_actions &a) {
			return cep_core_on_peer_req(&c, now, &msg, ours, &a);
		});
	}

	cep_result send_req(const cep_send_req &args)
	{
		return call("send_req", [&](cep_core &c, uint8_t *t, cep_actions &a) {
			return cep_core_send_req(&c, now, &args, t, &a);
		});
	}

	cep_result send_rep(const cep_send_rep &args)
	{
		return call("send_rep", [&](cep_core &c, uint8_t *t, cep_actions &a) {
			return cep_core_send_rep(&c, now, &args, t, &a);
		});
	}

	cep_result send_mra(bool delayed, uint8_t exp = 18)
	{
		return call("send_mra", [&](cep_core &c, uint8_t *t, cep_actions &a) {
			return cep_core_send_mra(&c, exp, delayed, nullptr, 0, t, &a);
		});
	}

	cep_result send_rtu(const char *data = "")
	{
		return call("send_rtu", [&](cep_core &c, uint8_t *t, cep_actions &a) {
			return cep_core_send_rtu(&c, reinterpret_cast<const uint8_t *>(data),
						 static_cast<uint8_t>(std::strlen(data)), t, &a);
		});
	}

	cep_result send_rej(uint16_t reason = CEP_REJ_CONSUMER_DEFINED)
	{
		return call("send_rej", [&](cep_core &c, uint8_t *t, cep_actions &a) {
			return cep_core_send_rej(&c, now, reason, nullptr, 0, nullptr, 0, t, &a);
		});
	}

	cep_result send_dreq()
	{
		return call("send_dreq", [&](cep_core &c, uint8_t *t, cep_actions &a) {
			return cep_core_send_dreq(&c, now, our_tid + 5, nullptr, 0, t, &a);
		});
	}

	cep_result send_drep(const char *data = "")
	{
		return call("send_drep", [&](cep_core &c, uint8_t *t, cep_actions &a) {
			return cep_core_send_drep(&c, now, reinterpret_cast<const uint8_t *>(data),
						  static_cast<uint8_t>(std::strlen(data)), t, &a);
		});
	}

	cep_result established()
	{
		return call("established", [&](cep_core &c, uint8_t *, cep_actions &a) {
			return cep_core_established(&c, &a);
		});
	}

	cep_result close(bool memory = true, bool may_retry = true,
			 uint16_t reason = CEP_REJ_CONSUMER_DEFINED)
	{
		return call("close", [&](cep_core &c, uint8_t *t, cep_actions &a) {
			cep_core_close(&c, now, our_tid + 6, our_guid, reason, may_retry,
				       memory ? t : nullptr, &a);
			return CEP_OK;
		});
	}

	cep_result new_req(const cep_msg &msg)
	{
		return call("on_new_req", [&](cep_core &c, uint8_t *, cep_actions &a) {
			return cep_core_on_new_req(&c, now, &msg, our_id, &a);
		});
	}

	cep_result on_sent()
	{
		return call("on_sent", [&](cep_core &c, uint8_t *, cep_actions &a) {
			return cep_core_on_sent(&c, now, &a);
		});
	}

	cep_result on_send_failed()
	{
		return call("on_send_failed", [&](cep_core &c, uint8_t *, cep_actions &a) {
			return cep_core_on_send_failed(&c, now, &a);
		});
	}

	cep_result on_stale(bool memory = true)
	{
		return call("on_stale", [&](cep_core &c, uint8_t *t, cep_actions &a) {
			return cep_core_on_stale(&c, now, our_tid + 8, memory ? t : nullptr, &a);
		});
	}

	cep_result on_deadline()
	{
		return call("on_deadline", [&](cep_core &c, uint8_t *t, cep_actions &a) {
			return cep_core_on_deadline(&c, now, our_guid, t, &a);
		});
	}

	/* The clock jumps to the deadline, if there is one. */
	cep_result deadline()
	{
		if (info().deadline_ns)
			now = info().deadline_ns;
		else
			now += uint64_t{3600} * 1000000000;
		return on_deadline();
	}

	cep_result device_removed()
	{
		return call("on_device_removed", [&](cep_core &c, uint8_t *, cep_actions &a) {
			cep_core_on_device_removed(&c, &a);
			return CEP_OK;
		});
	}

	bool told(unsigned event, unsigned cause = CEP_CAUSE_NONE) const
	{
		for (uint32_t i = 0; i < acts.count; i++)
			if (acts.act[i].kind == CEP_ACT_EVENT && acts.act[i].event == event &&
			    acts.act[i].arg == cause)
				return true;
		return false;
	}
};

} // namespace cep::sim

#endif /* CEP_SIM_SOLO_HH */
