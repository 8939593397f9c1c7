/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * One CEP under test and the messages of an imagined peer: helpers that bring a
 * CEP into any state by legal steps and tell what a call asked for. Used by
 * endpoint_test.cc and destroy_test.cc. Single thread, no clock.
 */
#ifndef CEP_TEST_HARNESS_HH
#define CEP_TEST_HARNESS_HH

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "cep_core.h"

namespace cep_test
{

constexpr uint64_t our_guid = 0x0002c90300001111;
constexpr uint64_t peer_guid = 0x0002c90300002222;
constexpr uint32_t our_id = 0x1001;
constexpr uint32_t peer_id = 0x2002;
constexpr uint32_t our_qpn = 0x111;
constexpr uint32_t peer_qpn = 0x222;
constexpr uint32_t our_psn = 0x10;
constexpr uint32_t peer_psn = 0x20;
constexpr uint64_t req_tid = 0x7000;
constexpr uint64_t dreq_tid = 0x8000;
constexpr uint64_t peer_dreq_tid = 0x9000;

using Mad = std::array<uint8_t, CEP_MAD_SIZE>;

constexpr uint64_t exp_ns(unsigned exp)
{
	return uint64_t{4096} << exp;
}

inline cep_send_req req_args()
{
	cep_send_req args{};

	args.tid = req_tid;
	args.local_comm_id = our_id;
	args.req.service_id = 0x1234;
	args.req.local_ca_guid = our_guid;
	args.req.local_qpn = our_qpn;
	args.req.starting_psn = our_psn;
	args.req.pkey = 0xffff;
	args.req.responder_resources = 3;
	args.req.initiator_depth = 5;
	args.req.remote_cm_response_timeout_exp = 18;
	args.req.local_cm_response_timeout_exp = 17;
	args.req.retry_count = 6;
	args.req.rnr_retry_count = 7;
	args.req.path_mtu = 4;
	args.req.max_cm_retries = 15;
	args.req.primary.local_gid[15] = 1;
	args.req.primary.remote_gid[15] = 2;
	args.packet_life_time_exp = 14;
	args.local_ca_ack_delay_exp = 15;
	return args;
}

inline cep_send_rep rep_args()
{
	cep_send_rep args{};

	args.rep.local_ca_guid = our_guid;
	args.rep.local_qpn = our_qpn;
	args.rep.starting_psn = our_psn;
	args.rep.responder_resources = 4;
	args.rep.initiator_depth = 2;
	args.rep.target_ack_delay_exp = 16;
	args.rep.rnr_retry_count = 7;
	return args;
}

/* A message of the peer to us. */
inline cep_msg from_peer(cep_attr attr)
{
	cep_msg msg{};

	msg.attr = static_cast<uint16_t>(attr);
	msg.tid = attr == CEP_ATTR_DREQ ? peer_dreq_tid : req_tid;
	msg.local_comm_id = peer_id;
	msg.remote_comm_id = our_id;
	switch (attr) {
	case CEP_ATTR_REQ:
		msg.remote_comm_id = 0;
		msg.req = req_args().req;
		msg.req.local_ca_guid = peer_guid;
		msg.req.local_qpn = peer_qpn;
		msg.req.starting_psn = peer_psn;
		msg.req.primary.local_ack_timeout_exp = 16;
		break;
	case CEP_ATTR_REP:
		msg.rep = rep_args().rep;
		msg.rep.local_ca_guid = peer_guid;
		msg.rep.local_qpn = peer_qpn;
		msg.rep.starting_psn = peer_psn;
		break;
	case CEP_ATTR_DREQ: msg.dreq.remote_qpn = our_qpn; break;
	case CEP_ATTR_LAP: msg.lap.remote_qpn = our_qpn; break;
	default: break;
	}
	return msg;
}

inline cep_msg rej_from_peer(cep_which which, uint16_t reason)
{
	cep_msg msg = from_peer(CEP_ATTR_REJ);

	msg.rej.which = static_cast<uint8_t>(which);
	msg.rej.reason = reason;
	return msg;
}

inline cep_msg mra_from_peer(cep_which which, uint8_t service_timeout_exp)
{
	cep_msg msg = from_peer(CEP_ATTR_MRA);

	msg.mra.which = static_cast<uint8_t>(which);
	msg.mra.service_timeout_exp = service_timeout_exp;
	return msg;
}

class Cep
{
public:
	Cep()
	{
		cep_core_init(&core);
		facts.ca_guid = our_guid;
	}

	cep_state state() const { return cep_core_state(&core); }

	cep_info info() const
	{
		cep_info i;
		cep_core_info(&core, &i);
		return i;
	}

	cep_result receive(const cep_msg &msg)
	{
		return cep_core_on_message(&core, now, &msg, &facts, tx.data(), &acts);
	}

	cep_result send_req(const cep_send_req &args = req_args())
	{
		return cep_core_send_req(&core, now, &args, tx.data(), &acts);
	}

	cep_result accept(const cep_msg &req = from_peer(CEP_ATTR_REQ))
	{
		return cep_core_on_new_req(&core, now, &req, our_id, &acts);
	}

	cep_result send_rep(const cep_send_rep &args = rep_args())
	{
		return cep_core_send_rep(&core, now, &args, tx.data(), &acts);
	}

	cep_result send_rtu() { return cep_core_send_rtu(&core, nullptr, 0, tx.data(), &acts); }

	cep_result send_dreq()
	{
		return cep_core_send_dreq(&core, now, dreq_tid, nullptr, 0, tx.data(), &acts);
	}

	cep_result send_drep()
	{
		return cep_core_send_drep(&core, now, nullptr, 0, tx.data(), &acts);
	}

	cep_result send_rej(uint16_t reason = CEP_REJ_CONSUMER_DEFINED)
	{
		return cep_core_send_rej(&core, now, reason, nullptr, 0, nullptr, 0, tx.data(),
					 &acts);
	}

	void close(bool with_buffer = true, bool may_retry = true)
	{
		cep_core_close(&core, now, dreq_tid, our_guid, CEP_REJ_CONSUMER_DEFINED, may_retry,
			       with_buffer ? tx.data() : nullptr, &acts);
	}

	cep_result sent() { return cep_core_on_sent(&core, now, &acts); }

	/* Lets the armed deadline pass. */
	cep_result expire()
	{
		now = info().deadline_ns;
		return cep_core_on_deadline(&core, now, our_guid, tx.data(), &acts);
	}

	int count(cep_act_kind kind) const
	{
		int n = 0;
		for (uint32_t i = 0; i < acts.count; i++)
			n += acts.act[i].kind == kind;
		return n;
	}

	bool does(cep_act_kind kind) const { return count(kind) == 1; }

	/* The events of the last call, by name and cause: "REQ_ERROR/1". */
	std::vector<std::string> events() const
	{
		std::vector<std::string> names;
		for (uint32_t i = 0; i < acts.count; i++) {
			const cep_action &act = acts.act[i];
			if (act.kind != CEP_ACT_EVENT)
				continue;
			std::string name = cep_core_event_name(act.event);
			if (act.arg)
				name += "/" + std::to_string(act.arg);
			names.push_back(name);
		}
		return names;
	}

	/* The message in tx; fails if the last call did not send it. */
	cep_msg said() const
	{
		cep_msg msg{};
		EXPECT_EQ(count(CEP_ACT_SEND_REQUEST) + count(CEP_ACT_SEND_REPLY), 1);
		EXPECT_EQ(cep_core_parse(tx.data(), tx.size(), &msg), CEP_PARSE_OK);
		return msg;
	}

	bool silent() const
	{
		return !count(CEP_ACT_SEND_REQUEST) && !count(CEP_ACT_SEND_REPLY) &&
		       !count(CEP_ACT_RESEND);
	}

	cep_core core;
	cep_actions acts{};
	cep_facts facts{};
	Mad tx{};
	uint64_t now = 1000000;
};

/* By legal steps. ESTABLISHED and what follows: as the passive side, unless said otherwise. */
inline Cep in_state(cep_state state, bool passive = true)
{
	Cep cep;
	const auto ok = [](cep_result result) { EXPECT_EQ(result, CEP_OK); };

	switch (state) {
	case CEP_STATE_IDLE: break;
	case CEP_STATE_LISTEN: ok(cep_core_listen(&cep.core, &cep.acts)); break;
	case CEP_STATE_REQ_SENT:
		ok(cep.send_req());
		ok(cep.sent());
		break;
	case CEP_STATE_MRA_REQ_RCVD:
		cep = in_state(CEP_STATE_REQ_SENT);
		ok(cep.receive(mra_from_peer(CEP_WHICH_REQ, 20)));
		break;
	case CEP_STATE_REP_RCVD:
		cep = in_state(CEP_STATE_REQ_SENT);
		ok(cep.receive(from_peer(CEP_ATTR_REP)));
		break;
	case CEP_STATE_MRA_REP_SENT:
		cep = in_state(CEP_STATE_REP_RCVD);
		ok(cep_core_send_mra(&cep.core, 20, 1, nullptr, 0, cep.tx.data(), &cep.acts));
		break;
	case CEP_STATE_REQ_RCVD: ok(cep.accept()); break;
	case CEP_STATE_MRA_REQ_SENT:
		ok(cep.accept());
		ok(cep_core_send_mra(&cep.core, 20, 1, nullptr, 0, cep.tx.data(), &cep.acts));
		break;
	case CEP_STATE_REP_SENT:
		ok(cep.accept());
		ok(cep.send_rep());
		ok(cep.sent());
		break;
	case CEP_STATE_MRA_REP_RCVD:
		cep = in_state(CEP_STATE_REP_SENT);
		ok(cep.receive(mra_from_peer(CEP_WHICH_REP, 20)));
		break;
	case CEP_STATE_ESTABLISHED:
		if (passive) {
			cep = in_state(CEP_STATE_REP_SENT);
			ok(cep.receive(from_peer(CEP_ATTR_RTU)));
		} else {
			cep = in_state(CEP_STATE_REP_RCVD);
			ok(cep.send_rtu());
		}
		break;
	case CEP_STATE_DREQ_SENT:
		cep = in_state(CEP_STATE_ESTABLISHED, passive);
		ok(cep.send_dreq());
		ok(cep.sent());
		break;
	case CEP_STATE_DREQ_RCVD:
		cep = in_state(CEP_STATE_ESTABLISHED, passive);
		ok(cep.receive(from_peer(CEP_ATTR_DREQ)));
		break;
	case CEP_STATE_TIMEWAIT:
		cep = in_state(CEP_STATE_DREQ_RCVD, passive);
		ok(cep.send_drep());
		break;
	case CEP_STATE_CLOSED: cep.close(); break;
	default: ADD_FAILURE() << "no way to state " << cep_core_state_name(state);
	}
	EXPECT_EQ(cep.state(), state);
	return cep;
}

/* Every state that this version of the protocol reaches. */
inline const cep_state reachable[] = {
	CEP_STATE_IDLE,         CEP_STATE_LISTEN,       CEP_STATE_REQ_SENT,    CEP_STATE_REQ_RCVD,
	CEP_STATE_MRA_REQ_SENT, CEP_STATE_MRA_REQ_RCVD, CEP_STATE_REP_SENT,    CEP_STATE_REP_RCVD,
	CEP_STATE_MRA_REP_SENT, CEP_STATE_MRA_REP_RCVD, CEP_STATE_ESTABLISHED, CEP_STATE_DREQ_SENT,
	CEP_STATE_DREQ_RCVD,    CEP_STATE_TIMEWAIT,     CEP_STATE_CLOSED,
};

} // namespace cep_test

#endif /* CEP_TEST_HARNESS_HH */
