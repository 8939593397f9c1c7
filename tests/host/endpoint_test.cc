/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A CEP on its way up: commands, messages, duplicates, retransmission, MRA, QP
 * attributes. The ways down are in destroy_test.cc. Each test names its rule.
 */
#include "harness.hh"

using namespace cep_test;
using testing::Test;
using Events = std::vector<std::string>;

namespace
{

/* The response time of req_args(): 2 x packet life time + the peer's CM. */
constexpr uint64_t active_timeout = 2 * exp_ns(14) + exp_ns(18);

TEST(Active, RequestCarriesItsArgumentsAndWaitsForAllRetries)
{
	Cep cep;

	ASSERT_EQ(cep.send_req(), CEP_OK);
	EXPECT_EQ(cep.state(), CEP_STATE_REQ_SENT);
	EXPECT_TRUE(cep.does(CEP_ACT_SEND_REQUEST));
	EXPECT_EQ(cep.info().deadline_ns, cep.now + 16 * active_timeout);

	const cep_msg req = cep.said();
	EXPECT_EQ(req.tid, req_tid);
	EXPECT_EQ(req.local_comm_id, our_id);
	/* 2 x 2^14 + 2^15: the larger one, doubled */
	EXPECT_EQ(req.req.primary.local_ack_timeout_exp, 16);
	EXPECT_EQ(req.req.alternate.local_ack_timeout_exp, 0);
}

TEST(Active, ResponseTimeStartsWhenTheRequestHasLeft)
{
	Cep cep;

	ASSERT_EQ(cep.send_req(), CEP_OK);
	cep.now += 5000;
	ASSERT_EQ(cep.sent(), CEP_OK);
	EXPECT_EQ(cep.info().deadline_ns, cep.now + active_timeout);
	/* a second completion of the same copy means nothing */
	EXPECT_EQ(cep.sent(), CEP_E_STATE);
}

TEST(Active, ExactlyOneRequestAndItsRetries)
{
	for (uint8_t retries = 0; retries <= 15; retries++) {
		Cep cep;
		cep_send_req args = req_args();
		args.req.max_cm_retries = retries;

		ASSERT_EQ(cep.send_req(args), CEP_OK);
		int copies = 1;
		for (int guard = 0; guard < 40 && cep.state() == CEP_STATE_REQ_SENT; guard++) {
			ASSERT_EQ(cep.sent(), CEP_OK);
			ASSERT_EQ(cep.expire(), CEP_OK);
			copies += cep.count(CEP_ACT_RESEND);
		}
		EXPECT_EQ(copies, 1 + retries);
		EXPECT_EQ(cep.state(), CEP_STATE_IDLE);
		EXPECT_EQ(cep.events(), Events{"REQ_ERROR/1"});
		EXPECT_TRUE(cep.does(CEP_ACT_DROP_REQUEST));
		const cep_msg rej = cep.said();
		EXPECT_EQ(rej.attr, CEP_ATTR_REJ);
		EXPECT_EQ(rej.rej.reason, CEP_REJ_TIMEOUT);
		EXPECT_EQ(rej.rej.which, CEP_WHICH_OTHER);
		ASSERT_EQ(rej.rej.ari_len, 8);
		const uint8_t guid[8] = {0x00, 0x02, 0xc9, 0x03, 0x00, 0x00, 0x11, 0x11};
		EXPECT_EQ(memcmp(rej.rej.ari, guid, 8), 0);
	}
}

TEST(Active, ARequestThatNeverLeavesEndsInTime)
{
	Cep cep;
	const uint64_t begin = cep.now;

	ASSERT_EQ(cep.send_req(), CEP_OK);
	ASSERT_EQ(cep.expire(), CEP_OK);
	EXPECT_EQ(cep.now, begin + 16 * active_timeout);
	EXPECT_EQ(cep.events(), Events{"REQ_ERROR/1"});
	EXPECT_FALSE(cep.does(CEP_ACT_RESEND));
}

TEST(Active, DeadlineIsNeverEarlyAndOnlyOne)
{
	Cep cep = in_state(CEP_STATE_REQ_SENT);
	const cep_core before = cep.core;
	const uint64_t deadline = cep.info().deadline_ns;

	EXPECT_EQ(cep_core_on_deadline(&cep.core, deadline - 1, our_guid, cep.tx.data(), &cep.acts),
		  CEP_E_STATE);
	EXPECT_EQ(memcmp(&before, &cep.core, sizeof(before)), 0);
	Cep idle;
	EXPECT_EQ(cep_core_on_deadline(&idle.core, ~0ull, our_guid, idle.tx.data(), &idle.acts),
		  CEP_E_STATE);
}

TEST(Active, RetryKeepsTheRestOfTheTimeAsWatchdog)
{
	Cep cep = in_state(CEP_STATE_REQ_SENT);

	ASSERT_EQ(cep.expire(), CEP_OK);
	EXPECT_TRUE(cep.does(CEP_ACT_RESEND));
	EXPECT_EQ(cep.info().retries_left, 14);
	EXPECT_EQ(cep.info().deadline_ns, cep.now + 15 * active_timeout);
	ASSERT_EQ(cep.sent(), CEP_OK);
	EXPECT_EQ(cep.info().deadline_ns, cep.now + active_timeout);
}

TEST(Active, SendFailureIsAnError)
{
	Cep cep;

	ASSERT_EQ(cep.send_req(), CEP_OK);
	ASSERT_EQ(cep_core_on_send_failed(&cep.core, cep.now, &cep.acts), CEP_OK);
	EXPECT_EQ(cep.events(), Events{"REQ_ERROR/2"});
	EXPECT_EQ(cep.state(), CEP_STATE_IDLE);
	EXPECT_EQ(cep.info().deadline_ns, 0u);
}

TEST(Active, RepIsTakenOnceAndAnsweredAgain)
{
	Cep cep = in_state(CEP_STATE_REQ_SENT);
	const cep_msg rep = from_peer(CEP_ATTR_REP);
	const uint8_t data[] = "rtu";

	ASSERT_TRUE(cep_core_expects_rep(&cep.core, &rep));
	ASSERT_EQ(cep.receive(rep), CEP_OK);
	EXPECT_EQ(cep.events(), Events{"REP_RECEIVED"});
	EXPECT_TRUE(cep.does(CEP_ACT_DROP_REQUEST));
	EXPECT_TRUE(cep.does(CEP_ACT_DISARM));
	EXPECT_FALSE(cep_core_expects_rep(&cep.core, &rep));
	EXPECT_EQ(cep.receive(rep), CEP_E_DUP);

	ASSERT_EQ(cep_core_send_rtu(&cep.core, data, sizeof(data), cep.tx.data(), &cep.acts),
		  CEP_OK);
	EXPECT_TRUE(cep.does(CEP_ACT_KEEP_DATA));
	const Mad rtu = cep.tx;
	EXPECT_EQ(cep.said().tid, req_tid);

	cep.facts.repeat_data = data;
	cep.facts.repeat_len = sizeof(data);
	cep.tx.fill(0xee);
	ASSERT_EQ(cep.receive(rep), CEP_OK);
	EXPECT_EQ(cep.tx, rtu) << "byte for byte";
	EXPECT_EQ(cep.events(), Events{});
	EXPECT_EQ(cep.acts.state_before, cep.acts.state_after);
}

TEST(Active, RepOfAnotherConnectionIsNotTaken)
{
	Cep cep = in_state(CEP_STATE_REQ_SENT);
	cep_msg rep = from_peer(CEP_ATTR_REP);

	rep.remote_comm_id++;
	EXPECT_FALSE(cep_core_expects_rep(&cep.core, &rep));
	EXPECT_EQ(cep.receive(rep), CEP_E_PEER);

	cep = in_state(CEP_STATE_ESTABLISHED, false);
	rep = from_peer(CEP_ATTR_REP);
	rep.local_comm_id++;
	EXPECT_EQ(cep.receive(rep), CEP_E_PEER);
	rep = from_peer(CEP_ATTR_REP);
	rep.rep.local_qpn++;
	EXPECT_EQ(cep.receive(rep), CEP_E_PEER);
}

TEST(Active, RepWithTheQpnOfAnotherIsStale)
{
	Cep cep = in_state(CEP_STATE_REQ_SENT);

	cep.facts.peer_taken = 1;
	ASSERT_EQ(cep.receive(from_peer(CEP_ATTR_REP)), CEP_OK);
	EXPECT_EQ(cep.state(), CEP_STATE_IDLE);
	EXPECT_EQ(cep.events(), Events{"REQ_ERROR/3"});
	EXPECT_FALSE(cep.does(CEP_ACT_UNINDEX)) << "it never got into the tables";
	const cep_msg rej = cep.said();
	EXPECT_EQ(rej.rej.reason, CEP_REJ_STALE_CONN);
	EXPECT_EQ(rej.rej.which, CEP_WHICH_REP);
	EXPECT_EQ(rej.remote_comm_id, peer_id);
}

TEST(Active, RejectedRequestMayBeSentAgain)
{
	for (uint16_t reason :
	     {CEP_REJ_CONSUMER_DEFINED, CEP_REJ_STALE_CONN, CEP_REJ_INVALID_SERVICE_ID}) {
		Cep cep = in_state(CEP_STATE_REQ_SENT);
		cep_msg rej = rej_from_peer(CEP_WHICH_REQ, reason);

		rej.local_comm_id = 0; /* nobody there has an ID */
		ASSERT_EQ(cep.receive(rej), CEP_OK);
		EXPECT_EQ(cep.events(), Events{"REJ_RECEIVED"});
		EXPECT_EQ(cep.state(), CEP_STATE_IDLE);
		EXPECT_EQ(cep.send_req(), CEP_OK);
		EXPECT_EQ(cep.said().attr, CEP_ATTR_REQ);
	}
}

TEST(Passive, ReplyTakesItsTimesFromTheRequest)
{
	Cep cep = in_state(CEP_STATE_REQ_RCVD);

	EXPECT_EQ(cep.events(), Events{"REQ_RECEIVED"});
	ASSERT_EQ(cep.send_rep(), CEP_OK);
	EXPECT_EQ(cep.said().tid, req_tid);
	EXPECT_EQ(cep.info().deadline_ns, cep.now + 16 * exp_ns(17));
	ASSERT_EQ(cep.sent(), CEP_OK);
	EXPECT_EQ(cep.info().deadline_ns, cep.now + exp_ns(17));
	ASSERT_EQ(cep.receive(from_peer(CEP_ATTR_RTU)), CEP_OK);
	EXPECT_EQ(cep.events(), Events{"RTU_RECEIVED"});
	EXPECT_TRUE(cep.does(CEP_ACT_DISARM));
	EXPECT_EQ(cep.receive(from_peer(CEP_ATTR_RTU)), CEP_E_DUP);
}

TEST(Passive, DuplicateRequestGetsTheReplyAgainAndNoMoreTime)
{
	Cep cep = in_state(CEP_STATE_REP_SENT);
	const cep_info before = cep.info();

	cep.now += 1000;
	ASSERT_EQ(cep.receive(from_peer(CEP_ATTR_REQ)), CEP_OK);
	EXPECT_TRUE(cep.does(CEP_ACT_RESEND));
	EXPECT_EQ(cep.acts.count, 1u);
	EXPECT_EQ(cep.sent(), CEP_E_STATE) << "nor does its completion start the time anew";
	EXPECT_EQ(cep.info().deadline_ns, before.deadline_ns);
	EXPECT_EQ(cep.info().retries_left, before.retries_left);
}

TEST(Passive, DuplicateRequestByState)
{
	const cep_msg req = from_peer(CEP_ATTR_REQ);

	for (cep_state state : {CEP_STATE_REQ_RCVD, CEP_STATE_MRA_REP_RCVD, CEP_STATE_ESTABLISHED,
				CEP_STATE_DREQ_SENT, CEP_STATE_DREQ_RCVD, CEP_STATE_TIMEWAIT}) {
		Cep cep = in_state(state);
		SCOPED_TRACE(cep_core_state_name(state));
		EXPECT_EQ(cep_core_classify_req(&cep.core, &req), CEP_REQ_DUPLICATE);
		EXPECT_EQ(cep.receive(req), CEP_E_DUP);
		EXPECT_EQ(cep.acts.count, 0u);
	}
}

TEST(Passive, RequestThatDiffers)
{
	cep_msg other_qpn = from_peer(CEP_ATTR_REQ);
	cep_msg other_psn = from_peer(CEP_ATTR_REQ);
	other_qpn.req.local_qpn++;
	other_psn.req.starting_psn++;

	for (cep_state state : {CEP_STATE_REQ_RCVD, CEP_STATE_REP_SENT, CEP_STATE_ESTABLISHED}) {
		Cep cep = in_state(state);
		EXPECT_EQ(cep_core_classify_req(&cep.core, &other_qpn), CEP_REQ_COMM_ID_TAKEN);
		EXPECT_EQ(cep_core_classify_req(&cep.core, &other_psn), CEP_REQ_STALE);
		EXPECT_EQ(cep.receive(other_qpn), CEP_E_PEER);
	}
	Cep cep = in_state(CEP_STATE_TIMEWAIT);
	EXPECT_EQ(cep_core_classify_req(&cep.core, &other_qpn), CEP_REQ_NEW);
	EXPECT_EQ(cep_core_classify_req(&cep.core, &other_psn), CEP_REQ_NEW);
	EXPECT_FALSE(cep_core_holds_qpn(&cep.core));
}

TEST(Passive, ArmedMraIsSentForEachDuplicate)
{
	Cep cep = in_state(CEP_STATE_REQ_RCVD);
	const uint8_t data[] = "wait";

	ASSERT_EQ(cep_core_send_mra(&cep.core, 21, 1, data, sizeof(data), cep.tx.data(), &cep.acts),
		  CEP_OK);
	EXPECT_TRUE(cep.silent());
	EXPECT_TRUE(cep.does(CEP_ACT_KEEP_DATA));
	EXPECT_EQ(cep.state(), CEP_STATE_MRA_REQ_SENT);
	cep.facts.repeat_data = data;
	cep.facts.repeat_len = sizeof(data);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(cep.receive(from_peer(CEP_ATTR_REQ)), CEP_OK);
		const cep_msg mra = cep.said();
		EXPECT_EQ(mra.attr, CEP_ATTR_MRA);
		EXPECT_EQ(mra.mra.which, CEP_WHICH_REQ);
		EXPECT_EQ(mra.mra.service_timeout_exp, 21);
		EXPECT_EQ(memcmp(mra.private_data, data, sizeof(data)), 0);
		EXPECT_EQ(cep.events(), Events{});
	}
	EXPECT_EQ(cep.send_rep(), CEP_OK);
}

TEST(Active, ArmedMraIsSentForEachDuplicateRep)
{
	Cep cep = in_state(CEP_STATE_MRA_REP_SENT);

	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(cep.receive(from_peer(CEP_ATTR_REP)), CEP_OK);
		EXPECT_EQ(cep.said().mra.which, CEP_WHICH_REP);
		EXPECT_EQ(cep.said().mra.service_timeout_exp, 20);
	}
	/* the data that was kept for an MRA is not the RTU's */
	static const uint8_t stale[] = "mra";
	ASSERT_EQ(cep.send_rtu(), CEP_OK);
	const Mad rtu = cep.tx;
	cep.facts.repeat_data = stale;
	cep.facts.repeat_len = sizeof(stale);
	ASSERT_EQ(cep.receive(from_peer(CEP_ATTR_REP)), CEP_OK);
	EXPECT_EQ(cep.tx, rtu);
}

TEST(Mra, ExtendsTheWaitUpToTheCap)
{
	struct {
		uint8_t exp;
		uint64_t cap;
		uint64_t added;
	} const rows[] = {
		{20, 0, exp_ns(20)},          {25, 0, exp_ns(25)}, {31, 0, exp_ns(25)},
		{20, exp_ns(18), exp_ns(18)}, {0, 0, exp_ns(0)},
	};
	for (const auto &row : rows) {
		Cep cep = in_state(CEP_STATE_REQ_SENT);
		cep.facts.max_mra_ns = row.cap;
		ASSERT_EQ(cep.receive(mra_from_peer(CEP_WHICH_REQ, row.exp)), CEP_OK);
		EXPECT_EQ(cep.events(), Events{"MRA_RECEIVED"});
		EXPECT_EQ(cep.info().deadline_ns, cep.now + row.added + active_timeout);
	}
}

TEST(Mra, AnotherExtendsAgainWithoutAnEvent)
{
	Cep cep = in_state(CEP_STATE_MRA_REQ_RCVD);

	cep.now += 77;
	ASSERT_EQ(cep.receive(mra_from_peer(CEP_WHICH_REQ, 20)), CEP_OK);
	EXPECT_EQ(cep.events(), Events{});
	EXPECT_EQ(cep.info().deadline_ns, cep.now + exp_ns(20) + active_timeout);
}

TEST(Mra, AfterItTheRequestGoesOnWithTheRetriesLeft)
{
	Cep cep = in_state(CEP_STATE_MRA_REQ_RCVD);
	int copies = 1;

	for (int guard = 0; guard < 40 && cep.state() == CEP_STATE_MRA_REQ_RCVD; guard++) {
		ASSERT_EQ(cep.expire(), CEP_OK);
		copies += cep.count(CEP_ACT_RESEND);
		if (cep.state() == CEP_STATE_MRA_REQ_RCVD) {
			ASSERT_EQ(cep.sent(), CEP_OK);
		}
	}
	EXPECT_EQ(copies, 16);
	EXPECT_EQ(cep.events(), Events{"REQ_ERROR/1"});
}

TEST(Mra, OvertakesTheCompletionOfTheRequest)
{
	Cep cep;

	ASSERT_EQ(cep.send_req(), CEP_OK);
	ASSERT_EQ(cep.receive(mra_from_peer(CEP_WHICH_REQ, 22)), CEP_OK);
	const uint64_t deadline = cep.info().deadline_ns;
	EXPECT_EQ(cep.sent(), CEP_E_STATE);
	EXPECT_EQ(cep.info().deadline_ns, deadline);
}

TEST(Mra, ForTheWrongMessageIsThePeersMistake)
{
	Cep active = in_state(CEP_STATE_REQ_SENT);
	Cep passive = in_state(CEP_STATE_REP_SENT);

	EXPECT_EQ(active.receive(mra_from_peer(CEP_WHICH_REP, 20)), CEP_E_PEER);
	EXPECT_EQ(active.receive(mra_from_peer(CEP_WHICH_OTHER, 20)), CEP_E_PEER);
	EXPECT_EQ(passive.receive(mra_from_peer(CEP_WHICH_REQ, 20)), CEP_E_PEER);
}

TEST(Established, ByThePacketOfTheQpAndTheLateRtu)
{
	for (cep_state state : {CEP_STATE_REP_SENT, CEP_STATE_MRA_REP_RCVD}) {
		Cep cep = in_state(state);
		ASSERT_EQ(cep_core_established(&cep.core, &cep.acts), CEP_OK);
		EXPECT_EQ(cep.events(), Events{"USER_ESTABLISHED"});
		EXPECT_TRUE(cep.does(CEP_ACT_DROP_REQUEST));
		EXPECT_EQ(cep_core_established(&cep.core, &cep.acts), CEP_E_DUP);
		EXPECT_EQ(cep.receive(from_peer(CEP_ATTR_RTU)), CEP_E_DUP);
	}
}

TEST(Established, LapIsRefusedPolitely)
{
	Cep cep = in_state(CEP_STATE_ESTABLISHED);
	cep_msg lap = from_peer(CEP_ATTR_LAP);

	ASSERT_EQ(cep.receive(lap), CEP_OK);
	EXPECT_EQ(cep.said().attr, CEP_ATTR_APR);
	EXPECT_EQ(cep.said().apr.status, 2);
	lap.lap.remote_qpn++;
	EXPECT_EQ(cep.receive(lap), CEP_OK);
	EXPECT_EQ(cep.said().apr.status, CEP_APR_INVALID_QPN);
}

TEST(Arguments, ARefusedRequestChangesNothing)
{
	const auto refused = [](auto spoil) {
		Cep cep;
		cep_send_req args = req_args();
		spoil(args);
		const Cep before = cep;
		EXPECT_EQ(cep.send_req(args), CEP_E_ARG);
		EXPECT_EQ(cep_core_format_req(&cep.core, &args), CEP_E_ARG);
		EXPECT_EQ(memcmp(&before.core, &cep.core, sizeof(cep.core)), 0);
		EXPECT_EQ(before.tx, cep.tx);
		EXPECT_EQ(cep.acts.count, 0u);
	};
	refused([](auto &a) { a.local_comm_id = 0; });
	refused([](auto &a) { a.req.local_qpn = 1; });
	refused([](auto &a) { a.req.local_qpn = 0x1000000; });
	refused([](auto &a) { a.req.starting_psn = 0x1000000; });
	refused([](auto &a) { a.req.transport = CEP_TRANSPORT_RD; });
	refused([](auto &a) { a.req.transport = 4; });
	refused([](auto &a) { a.req.path_mtu = 0; });
	refused([](auto &a) { a.req.path_mtu = 6; });
	refused([](auto &a) { a.req.max_cm_retries = 16; });
	refused([](auto &a) { a.req.retry_count = 8; });
	refused([](auto &a) { a.req.rnr_retry_count = 8; });
	refused([](auto &a) { a.req.remote_cm_response_timeout_exp = 32; });
	refused([](auto &a) { a.req.local_cm_response_timeout_exp = 32; });
	refused([](auto &a) { a.req.ece_vendor_id = 0x1000000; });
	refused([](auto &a) { a.req.primary.flow_label = 0x100000; });
	refused([](auto &a) { a.req.primary.sl = 16; });
	refused([](auto &a) { a.req.primary.packet_rate = 64; });
	refused([](auto &a) { a.packet_life_time_exp = 64; });
	refused([](auto &a) { a.local_ca_ack_delay_exp = 32; });
	refused([](auto &a) { a.xrc_tgt = 1; });
	refused([](auto &a) { a.private_data_len = 1; });
	refused([](auto &a) {
		static const uint8_t data[93] = {};
		a.private_data = data;
		a.private_data_len = 93;
	});
}

TEST(Arguments, AnImpossibleTimeoutSaturates)
{
	Cep cep;
	cep_send_req args = req_args();

	args.response_timeout_ns = ~0ull;
	ASSERT_EQ(cep.send_req(args), CEP_OK);
	EXPECT_EQ(cep.info().deadline_ns, ~0ull);
	args = req_args();
	args.response_timeout_ns = 12345;
	Cep other;
	ASSERT_EQ(other.send_req(args), CEP_OK);
	EXPECT_EQ(other.info().deadline_ns, other.now + 16 * 12345);
}

cep_qp_attr attr_of(const Cep &cep, cep_qp_state state)
{
	cep_qp_attr attr{};
	EXPECT_EQ(cep_core_qp_attr(&cep.core, state, &attr), CEP_OK);
	return attr;
}

TEST(QpAttr, WhichStatesKnowThem)
{
	for (cep_state state : reachable) {
		const Cep cep = in_state(state);
		cep_qp_attr attr;
		const bool peer = state == CEP_STATE_REQ_RCVD || state == CEP_STATE_MRA_REQ_SENT ||
				  state == CEP_STATE_REP_RCVD || state == CEP_STATE_MRA_REP_SENT ||
				  state == CEP_STATE_REP_SENT || state == CEP_STATE_MRA_REP_RCVD ||
				  state == CEP_STATE_ESTABLISHED;
		const bool init =
			peer || state == CEP_STATE_REQ_SENT || state == CEP_STATE_MRA_REQ_RCVD;
		SCOPED_TRACE(cep_core_state_name(state));
		EXPECT_EQ(cep_core_qp_attr(&cep.core, CEP_QP_INIT, &attr),
			  init ? CEP_OK : CEP_E_STATE);
		EXPECT_EQ(cep_core_qp_attr(&cep.core, CEP_QP_RTR, &attr),
			  peer ? CEP_OK : CEP_E_STATE);
		EXPECT_EQ(cep_core_qp_attr(&cep.core, CEP_QP_RTS, &attr),
			  peer ? CEP_OK : CEP_E_STATE);
	}
}

TEST(QpAttr, DepthsCrossOverOnTheActiveSide)
{
	Cep cep;
	const cep_send_req args = req_args();

	ASSERT_EQ(cep_core_format_req(&cep.core, &args), CEP_OK);
	EXPECT_EQ(cep.state(), CEP_STATE_IDLE);
	EXPECT_EQ(attr_of(cep, CEP_QP_INIT).remote_read_atomic, 1);
	cep = in_state(CEP_STATE_REP_RCVD);
	const cep_qp_attr attr = attr_of(cep, CEP_QP_RTS);
	EXPECT_EQ(attr.max_dest_rd_atomic, 2) << "the REP's initiator depth";
	EXPECT_EQ(attr.max_rd_atomic, 4) << "the REP's responder resources";
	EXPECT_EQ(attr.dest_qpn, peer_qpn);
	EXPECT_EQ(attr.rq_psn, our_psn);
	EXPECT_EQ(attr.sq_psn, peer_psn);
	EXPECT_EQ(attr.retry_cnt, 6);
	EXPECT_EQ(attr.path_mtu, 4);
	EXPECT_EQ(attr.timeout_exp, 17) << "2 x 2^14 and 2^16";
	EXPECT_TRUE(attr.set_rd_atomic_dest && attr.set_retry && attr.set_timeout);
}

TEST(QpAttr, DepthsCrossOverOnThePassiveSide)
{
	Cep cep = in_state(CEP_STATE_REQ_RCVD);
	cep_qp_attr attr = attr_of(cep, CEP_QP_RTR);

	EXPECT_EQ(attr.max_dest_rd_atomic, 5) << "the REQ's initiator depth";
	EXPECT_EQ(attr.max_rd_atomic, 3) << "the REQ's responder resources";
	EXPECT_EQ(attr.timeout_exp, 16) << "the REQ's local ack timeout";
	const cep_send_rep args = rep_args();
	ASSERT_EQ(cep_core_format_rep(&cep.core, &args), CEP_OK);
	EXPECT_EQ(cep.state(), CEP_STATE_REQ_RCVD);
	attr = attr_of(cep, CEP_QP_RTR);
	EXPECT_EQ(attr.max_dest_rd_atomic, 4);
	EXPECT_EQ(attr.max_rd_atomic, 2);
	EXPECT_EQ(attr.rq_psn, our_psn);
}

TEST(QpAttr, NoResponderResourcesNoRemoteReadNorAtomic)
{
	Cep cep;
	cep_send_req args = req_args();

	args.req.responder_resources = 0;
	ASSERT_EQ(cep.send_req(args), CEP_OK);
	EXPECT_EQ(attr_of(cep, CEP_QP_INIT).remote_read_atomic, 0);
}

TEST(QpAttr, UnreliableConnectionsHaveNoRetries)
{
	cep_msg req = from_peer(CEP_ATTR_REQ);
	Cep cep;

	req.req.transport = CEP_TRANSPORT_UC;
	ASSERT_EQ(cep.accept(req), CEP_OK);
	const cep_qp_attr attr = attr_of(cep, CEP_QP_RTS);
	EXPECT_EQ(attr.transport, CEP_TRANSPORT_UC);
	EXPECT_FALSE(attr.set_rd_atomic_dest || attr.set_retry || attr.set_timeout);
}

TEST(QpAttr, XrcNamesItsQpElsewhere)
{
	cep_msg req = from_peer(CEP_ATTR_REQ);
	Cep cep;

	req.req.transport = CEP_TRANSPORT_XRC;
	ASSERT_EQ(cep.accept(req), CEP_OK);
	ASSERT_EQ(cep.send_rep(), CEP_OK);
	EXPECT_EQ(cep.said().rep.local_eecn, our_qpn);
	EXPECT_EQ(cep.said().rep.local_qpn, 0u);
	EXPECT_EQ(cep.said().rep.srq, 1);
	const cep_qp_attr attr = attr_of(cep, CEP_QP_RTS);
	EXPECT_TRUE(attr.xrc_target && attr.set_rd_atomic_dest && attr.set_timeout);
	EXPECT_FALSE(attr.set_retry);

	cep_send_req args = req_args();
	args.req.transport = CEP_TRANSPORT_XRC;
	Cep active;
	ASSERT_EQ(active.send_req(args), CEP_OK);
	EXPECT_EQ(active.said().req.transport, CEP_TRANSPORT_XRC);
	cep_msg rep = from_peer(CEP_ATTR_REP);
	rep.rep.local_eecn = peer_qpn;
	rep.rep.local_qpn = 0;
	ASSERT_EQ(active.receive(rep), CEP_OK);
	EXPECT_EQ(attr_of(active, CEP_QP_RTR).dest_qpn, peer_qpn);
}

} // namespace
