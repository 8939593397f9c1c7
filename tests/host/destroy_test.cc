/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A CEP on its way down: rejects, disconnection, stale connections, timewait,
 * destroy and removal in every state. What the peer is told, what the ULP is
 * told, and that nothing is left behind. Each test names its rule.
 */
#include "harness.hh"

using namespace cep_test;
using Events = std::vector<std::string>;

namespace
{

constexpr int no_message = 0;

struct Ending {
	cep_state from;
	cep_state to;
	int attr; /* what the peer is told */
	int which;
	int reason;
	Events events = {};
};

void check(const Cep &cep, const Ending &row)
{
	EXPECT_EQ(cep.state(), row.to) << cep_core_state_name(cep.state());
	EXPECT_EQ(cep.events(), row.events);
	if (row.attr == no_message) {
		EXPECT_TRUE(cep.silent());
		return;
	}
	const cep_msg msg = cep.said();
	EXPECT_EQ(msg.attr, row.attr);
	if (row.attr == CEP_ATTR_REJ) {
		EXPECT_EQ(msg.rej.which, row.which);
		EXPECT_EQ(msg.rej.reason, row.reason);
		EXPECT_EQ(msg.rej.ari_len, row.reason == CEP_REJ_TIMEOUT ? 8 : 0);
	}
}

/* No buffer, no index, no deadline is left with a CEP that is at rest. */
void check_nothing_left(const Cep &cep, cep_state from)
{
	const bool requesting = from == CEP_STATE_REQ_SENT || from == CEP_STATE_MRA_REQ_RCVD ||
				from == CEP_STATE_REP_SENT || from == CEP_STATE_MRA_REP_RCVD ||
				from == CEP_STATE_DREQ_SENT;
	const bool indexed = from != CEP_STATE_IDLE && from != CEP_STATE_LISTEN &&
			     from != CEP_STATE_REQ_SENT && from != CEP_STATE_MRA_REQ_RCVD &&
			     from != CEP_STATE_CLOSED;
	const bool at_rest = cep.state() == CEP_STATE_IDLE || cep.state() == CEP_STATE_CLOSED;

	if (cep.state() == from)
		return;
	EXPECT_EQ(cep.does(CEP_ACT_DROP_REQUEST), requesting);
	if (at_rest) {
		EXPECT_EQ(cep.info().deadline_ns, 0u);
		EXPECT_EQ(cep.does(CEP_ACT_UNINDEX), indexed);
		EXPECT_EQ(cep.does(CEP_ACT_DISARM), requesting || from == CEP_STATE_TIMEWAIT);
	}
	if (cep.state() == CEP_STATE_TIMEWAIT) {
		EXPECT_TRUE(cep.does(CEP_ACT_ENTER_TIMEWAIT));
		EXPECT_FALSE(cep.does(CEP_ACT_UNINDEX));
		EXPECT_EQ(cep.info().deadline_ns, cep.now + cep.info().timewait_ns);
	}
}

TEST(Destroy, EveryStateHasAnAnswer)
{
	const int rej = CEP_ATTR_REJ;
	const Ending rows[] = {
		{CEP_STATE_IDLE, CEP_STATE_CLOSED, no_message, 0, 0},
		{CEP_STATE_LISTEN, CEP_STATE_CLOSED, no_message, 0, 0},
		{CEP_STATE_REQ_SENT, CEP_STATE_CLOSED, rej, CEP_WHICH_OTHER, CEP_REJ_TIMEOUT},
		{CEP_STATE_MRA_REQ_RCVD, CEP_STATE_CLOSED, rej, CEP_WHICH_OTHER, CEP_REJ_TIMEOUT},
		{CEP_STATE_REQ_RCVD, CEP_STATE_CLOSED, rej, CEP_WHICH_REQ,
		 CEP_REJ_CONSUMER_DEFINED},
		{CEP_STATE_MRA_REQ_SENT, CEP_STATE_CLOSED, rej, CEP_WHICH_REQ,
		 CEP_REJ_CONSUMER_DEFINED},
		{CEP_STATE_REP_RCVD, CEP_STATE_CLOSED, rej, CEP_WHICH_REP,
		 CEP_REJ_CONSUMER_DEFINED},
		{CEP_STATE_MRA_REP_SENT, CEP_STATE_CLOSED, rej, CEP_WHICH_REP,
		 CEP_REJ_CONSUMER_DEFINED},
		{CEP_STATE_REP_SENT, CEP_STATE_TIMEWAIT, rej, CEP_WHICH_OTHER,
		 CEP_REJ_CONSUMER_DEFINED},
		{CEP_STATE_MRA_REP_RCVD, CEP_STATE_TIMEWAIT, rej, CEP_WHICH_OTHER,
		 CEP_REJ_CONSUMER_DEFINED},
		{CEP_STATE_ESTABLISHED, CEP_STATE_DREQ_SENT, CEP_ATTR_DREQ, 0, 0},
		{CEP_STATE_DREQ_SENT, CEP_STATE_DREQ_SENT, no_message, 0, 0},
		{CEP_STATE_DREQ_RCVD, CEP_STATE_TIMEWAIT, CEP_ATTR_DREP, 0, 0},
		{CEP_STATE_TIMEWAIT, CEP_STATE_TIMEWAIT, no_message, 0, 0},
		{CEP_STATE_CLOSED, CEP_STATE_CLOSED, no_message, 0, 0},
	};
	for (const Ending &row : rows) {
		SCOPED_TRACE(cep_core_state_name(row.from));
		Cep cep = in_state(row.from);
		cep.close();
		check(cep, row);
		check_nothing_left(cep, row.from);
		EXPECT_TRUE(cep_core_is_closed(&cep.core));
		EXPECT_EQ(cep.does(CEP_ACT_RELEASE),
			  row.to == CEP_STATE_CLOSED && row.from != CEP_STATE_CLOSED);
		if (cep.does(CEP_ACT_RELEASE)) {
			EXPECT_EQ(cep.acts.act[cep.acts.count - 1].kind, CEP_ACT_RELEASE);
		}

		/* and without a buffer the same, in silence */
		Cep mute = in_state(row.from);
		mute.close(false);
		EXPECT_TRUE(mute.silent());
		EXPECT_EQ(mute.state(),
			  row.from == CEP_STATE_ESTABLISHED ? CEP_STATE_TIMEWAIT : row.to);
		check_nothing_left(mute, row.from);
	}
}

TEST(Destroy, AllOrphansComeToTheirEndWithoutEvents)
{
	for (cep_state state : reachable) {
		SCOPED_TRACE(cep_core_state_name(state));
		Cep cep = in_state(state);
		bool released = false;

		if (state == CEP_STATE_CLOSED)
			continue;
		cep.close();
		released = cep.does(CEP_ACT_RELEASE);
		for (int guard = 0; guard < 64 && !released; guard++) {
			if (cep.count(CEP_ACT_SEND_REQUEST) + cep.count(CEP_ACT_RESEND)) {
				ASSERT_EQ(cep.sent(), CEP_OK);
			}
			ASSERT_EQ(cep.expire(), CEP_OK);
			EXPECT_EQ(cep.events(), Events{});
			released = cep.does(CEP_ACT_RELEASE);
		}
		EXPECT_TRUE(released);
		EXPECT_EQ(cep.state(), CEP_STATE_CLOSED);
	}
}

TEST(Destroy, AnOrphanAnswersThePeersDisconnect)
{
	Cep cep = in_state(CEP_STATE_ESTABLISHED);

	cep.close();
	ASSERT_EQ(cep.receive(from_peer(CEP_ATTR_DREQ)), CEP_OK);
	EXPECT_EQ(cep.said().attr, CEP_ATTR_DREP);
	EXPECT_EQ(cep.said().tid, peer_dreq_tid);
	EXPECT_EQ(cep.state(), CEP_STATE_TIMEWAIT);
	EXPECT_EQ(cep.events(), Events{});
}

TEST(Destroy, BeyondTheCapADreqIsSentOnce)
{
	Cep cep = in_state(CEP_STATE_ESTABLISHED);

	cep.close(true, false);
	ASSERT_EQ(cep.sent(), CEP_OK);
	ASSERT_EQ(cep.expire(), CEP_OK);
	EXPECT_TRUE(cep.silent());
	EXPECT_EQ(cep.state(), CEP_STATE_TIMEWAIT);
}

TEST(Destroy, AnXrcTargetSaysNothing)
{
	cep_msg req = from_peer(CEP_ATTR_REQ);
	Cep cep;

	req.req.transport = CEP_TRANSPORT_XRC;
	ASSERT_EQ(cep.accept(req), CEP_OK);
	ASSERT_EQ(cep.send_rep(), CEP_OK);
	ASSERT_EQ(cep.receive(from_peer(CEP_ATTR_RTU)), CEP_OK);
	cep.close();
	EXPECT_TRUE(cep.silent());
	EXPECT_TRUE(cep.does(CEP_ACT_UNINDEX) && cep.does(CEP_ACT_RELEASE));
}

TEST(Destroy, AClosedCepObeysNobody)
{
	Cep cep = in_state(CEP_STATE_TIMEWAIT);

	cep.close();
	EXPECT_EQ(cep.send_req(), CEP_E_STATE);
	EXPECT_EQ(cep.send_rep(), CEP_E_STATE);
	EXPECT_EQ(cep.send_rtu(), CEP_E_STATE);
	EXPECT_EQ(cep.send_rej(), CEP_E_STATE);
	EXPECT_EQ(cep.send_dreq(), CEP_E_STATE);
	EXPECT_EQ(cep.send_drep(), CEP_E_STATE);
	EXPECT_EQ(cep_core_listen(&cep.core, &cep.acts), CEP_E_STATE);
	EXPECT_EQ(cep_core_established(&cep.core, &cep.acts), CEP_E_STATE);
}

TEST(Reject, MessageRejectedIsRightInEachState)
{
	const int rej = CEP_ATTR_REJ;
	const int reason = CEP_REJ_CONSUMER_DEFINED;
	const Ending rows[] = {
		{CEP_STATE_REQ_SENT, CEP_STATE_IDLE, rej, CEP_WHICH_OTHER, reason},
		{CEP_STATE_MRA_REQ_RCVD, CEP_STATE_IDLE, rej, CEP_WHICH_OTHER, reason},
		{CEP_STATE_REQ_RCVD, CEP_STATE_IDLE, rej, CEP_WHICH_REQ, reason},
		{CEP_STATE_MRA_REQ_SENT, CEP_STATE_IDLE, rej, CEP_WHICH_REQ, reason},
		{CEP_STATE_REP_RCVD, CEP_STATE_IDLE, rej, CEP_WHICH_REP, reason},
		{CEP_STATE_MRA_REP_SENT, CEP_STATE_IDLE, rej, CEP_WHICH_REP, reason},
		{CEP_STATE_REP_SENT, CEP_STATE_TIMEWAIT, rej, CEP_WHICH_OTHER, reason},
		{CEP_STATE_MRA_REP_RCVD, CEP_STATE_TIMEWAIT, rej, CEP_WHICH_OTHER, reason},
	};
	for (const Ending &row : rows) {
		SCOPED_TRACE(cep_core_state_name(row.from));
		Cep cep = in_state(row.from);
		ASSERT_EQ(cep.send_rej(), CEP_OK);
		check(cep, row);
		check_nothing_left(cep, row.from);
	}
	for (cep_state state : {CEP_STATE_IDLE, CEP_STATE_LISTEN, CEP_STATE_ESTABLISHED,
				CEP_STATE_DREQ_SENT, CEP_STATE_DREQ_RCVD, CEP_STATE_TIMEWAIT}) {
		Cep cep = in_state(state);
		EXPECT_EQ(cep.send_rej(), CEP_E_STATE) << cep_core_state_name(state);
	}
}

TEST(Reject, ReceivedInEachState)
{
	const Events told = {"REJ_RECEIVED"};
	const Ending rows[] = {
		{CEP_STATE_REQ_SENT, CEP_STATE_IDLE, no_message, 0, 0, told},
		{CEP_STATE_MRA_REQ_RCVD, CEP_STATE_IDLE, no_message, 0, 0, told},
		{CEP_STATE_REQ_RCVD, CEP_STATE_IDLE, no_message, 0, 0, told},
		{CEP_STATE_MRA_REQ_SENT, CEP_STATE_IDLE, no_message, 0, 0, told},
		{CEP_STATE_REP_SENT, CEP_STATE_IDLE, no_message, 0, 0, told},
		{CEP_STATE_MRA_REP_RCVD, CEP_STATE_IDLE, no_message, 0, 0, told},
		{CEP_STATE_REP_RCVD, CEP_STATE_TIMEWAIT, no_message, 0, 0, told},
		{CEP_STATE_MRA_REP_SENT, CEP_STATE_TIMEWAIT, no_message, 0, 0, told},
		{CEP_STATE_ESTABLISHED, CEP_STATE_TIMEWAIT, no_message, 0, 0, told},
		{CEP_STATE_DREQ_SENT, CEP_STATE_TIMEWAIT, no_message, 0, 0, told},
	};
	for (const Ending &row : rows) {
		SCOPED_TRACE(cep_core_state_name(row.from));
		Cep cep = in_state(row.from);
		ASSERT_EQ(cep.receive(rej_from_peer(CEP_WHICH_OTHER, 28)), CEP_OK);
		check(cep, row);
		check_nothing_left(cep, row.from);
		EXPECT_EQ(cep.receive(rej_from_peer(CEP_WHICH_OTHER, 28)), CEP_E_PEER) << "once";
	}
}

TEST(Reject, TimeoutOfAPeerThatKnowsNoIdOfOurs)
{
	const uint8_t guid[8] = {0x00, 0x02, 0xc9, 0x03, 0x00, 0x00, 0x22, 0x22};
	cep_msg rej = rej_from_peer(CEP_WHICH_OTHER, CEP_REJ_TIMEOUT);
	Cep cep = in_state(CEP_STATE_REQ_RCVD);

	rej.remote_comm_id = 0;
	EXPECT_EQ(cep.receive(rej), CEP_E_PEER) << "without a GUID it could be anybody's";
	rej.rej.ari = guid;
	rej.rej.ari_len = 8;
	rej.local_comm_id++;
	EXPECT_EQ(cep.receive(rej), CEP_E_PEER);
	rej.local_comm_id--;
	EXPECT_EQ(cep.receive(rej), CEP_OK);
	EXPECT_EQ(cep.events(), Events{"REJ_RECEIVED"});
}

TEST(Reject, ALateOneOfTheRequestDoesNotKillTheConnection)
{
	Cep cep = in_state(CEP_STATE_ESTABLISHED, false);

	EXPECT_EQ(cep.receive(rej_from_peer(CEP_WHICH_REQ, CEP_REJ_INVALID_SERVICE_ID)),
		  CEP_E_PEER);
	EXPECT_EQ(cep.state(), CEP_STATE_ESTABLISHED);
}

TEST(Disconnect, FromUsToThePeer)
{
	Cep cep = in_state(CEP_STATE_ESTABLISHED);

	ASSERT_EQ(cep.send_dreq(), CEP_OK);
	EXPECT_EQ(cep.said().dreq.remote_qpn, peer_qpn);
	EXPECT_EQ(cep.said().tid, dreq_tid);
	ASSERT_EQ(cep.receive(from_peer(CEP_ATTR_DREP)), CEP_OK);
	EXPECT_EQ(cep.events(), Events{"DREP_RECEIVED"});
	check_nothing_left(cep, CEP_STATE_DREQ_SENT);
	EXPECT_EQ(cep.receive(from_peer(CEP_ATTR_DREP)), CEP_E_DUP);
	ASSERT_EQ(cep.expire(), CEP_OK);
	EXPECT_EQ(cep.events(), Events{"TIMEWAIT_EXIT"});
	EXPECT_TRUE(cep.does(CEP_ACT_UNINDEX) && cep.does(CEP_ACT_LEAVE_TIMEWAIT));
	EXPECT_EQ(cep.state(), CEP_STATE_IDLE);
}

TEST(Disconnect, FromThePeerInEachState)
{
	for (cep_state state : reachable) {
		SCOPED_TRACE(cep_core_state_name(state));
		Cep cep = in_state(state);
		const cep_result result = cep.receive(from_peer(CEP_ATTR_DREQ));

		switch (state) {
		case CEP_STATE_REP_SENT:
		case CEP_STATE_MRA_REP_RCVD:
		case CEP_STATE_ESTABLISHED:
		case CEP_STATE_DREQ_SENT:
			EXPECT_EQ(result, CEP_OK);
			EXPECT_EQ(cep.events(), Events{"DREQ_RECEIVED"});
			EXPECT_EQ(cep.state(), CEP_STATE_DREQ_RCVD);
			ASSERT_EQ(cep.send_drep(), CEP_OK);
			EXPECT_EQ(cep.said().tid, peer_dreq_tid);
			break;
		case CEP_STATE_DREQ_RCVD: EXPECT_EQ(result, CEP_E_DUP); break;
		case CEP_STATE_TIMEWAIT:
		case CEP_STATE_IDLE:
		case CEP_STATE_LISTEN:
			/* over, or of somebody else: the peer is set free */
			EXPECT_EQ(result, CEP_OK);
			EXPECT_EQ(cep.said().attr, CEP_ATTR_DREP);
			EXPECT_EQ(cep.said().tid, peer_dreq_tid);
			EXPECT_EQ(cep.said().local_comm_id, our_id);
			EXPECT_EQ(cep.said().remote_comm_id, peer_id);
			EXPECT_EQ(cep.events(), Events{});
			EXPECT_EQ(cep.state(), state);
			break;
		default: EXPECT_EQ(result, CEP_E_PEER); EXPECT_EQ(cep.state(), state);
		}
	}
}

TEST(Disconnect, ThatOvertakesTheRepIsLeftToItsRepetition)
{
	for (cep_state state : {CEP_STATE_REQ_SENT, CEP_STATE_MRA_REQ_RCVD}) {
		Cep cep = in_state(state);
		EXPECT_EQ(cep.receive(from_peer(CEP_ATTR_DREQ)), CEP_E_PEER);
		ASSERT_EQ(cep.receive(from_peer(CEP_ATTR_REP)), CEP_OK);
		EXPECT_EQ(cep.receive(from_peer(CEP_ATTR_DREQ)), CEP_E_PEER);
		ASSERT_EQ(cep.send_rtu(), CEP_OK);
		ASSERT_EQ(cep.receive(from_peer(CEP_ATTR_DREQ)), CEP_OK);
		EXPECT_EQ(cep.events(), Events{"DREQ_RECEIVED"});
	}
}

TEST(Disconnect, ForAnotherQpIsDropped)
{
	Cep cep = in_state(CEP_STATE_ESTABLISHED);
	cep_msg dreq = from_peer(CEP_ATTR_DREQ);

	dreq.dreq.remote_qpn++;
	EXPECT_EQ(cep.receive(dreq), CEP_E_PEER);
	EXPECT_EQ(cep.state(), CEP_STATE_ESTABLISHED);
}

TEST(Disconnect, RepeatedDreqGetsTheSameDrep)
{
	Cep cep = in_state(CEP_STATE_DREQ_RCVD);
	const uint8_t data[] = "bye";

	ASSERT_EQ(cep_core_send_drep(&cep.core, cep.now, data, sizeof(data), cep.tx.data(),
				     &cep.acts),
		  CEP_OK);
	EXPECT_TRUE(cep.does(CEP_ACT_KEEP_DATA));
	const Mad drep = cep.tx;
	const uint64_t deadline = cep.info().deadline_ns;
	cep.facts.repeat_data = data;
	cep.facts.repeat_len = sizeof(data);
	cep.tx.fill(0);
	cep.now += 10;
	ASSERT_EQ(cep.receive(from_peer(CEP_ATTR_DREQ)), CEP_OK);
	EXPECT_EQ(cep.tx, drep);
	EXPECT_EQ(cep.info().deadline_ns, deadline) << "timewait is not prolonged";
}

TEST(Disconnect, UnansweredTellsItsCauseAndWaits)
{
	Cep cep = in_state(CEP_STATE_DREQ_SENT);
	int copies = 1;

	for (int guard = 0; guard < 40 && cep.state() == CEP_STATE_DREQ_SENT; guard++) {
		ASSERT_EQ(cep.expire(), CEP_OK);
		copies += cep.count(CEP_ACT_RESEND);
		if (cep.state() == CEP_STATE_DREQ_SENT) {
			ASSERT_EQ(cep.sent(), CEP_OK);
		}
	}
	EXPECT_EQ(copies, 16);
	EXPECT_EQ(cep.events(), Events{"DREQ_ERROR/1"});
	EXPECT_TRUE(cep.silent());
	check_nothing_left(cep, CEP_STATE_DREQ_SENT);
	EXPECT_EQ(cep.receive(from_peer(CEP_ATTR_DREP)), CEP_E_DUP)
		<< "a late answer changes nothing";
}

TEST(Disconnect, WithoutAWordToThePeer)
{
	for (cep_state state : {CEP_STATE_ESTABLISHED, CEP_STATE_DREQ_SENT, CEP_STATE_DREQ_RCVD}) {
		Cep cep = in_state(state);
		ASSERT_EQ(cep_core_enter_timewait(&cep.core, cep.now, &cep.acts), CEP_OK);
		EXPECT_TRUE(cep.silent());
		check_nothing_left(cep, state);
		ASSERT_EQ(cep.expire(), CEP_OK);
		EXPECT_EQ(cep.events(), Events{"TIMEWAIT_EXIT"});
	}
}

TEST(Timewait, FollowsTheFormula)
{
	Cep passive = in_state(CEP_STATE_TIMEWAIT);
	EXPECT_EQ(passive.info().timewait_ns, exp_ns(16)) << "the REQ's local ack timeout";
	Cep active = in_state(CEP_STATE_TIMEWAIT, false);
	EXPECT_EQ(active.info().timewait_ns, 2 * exp_ns(14) + exp_ns(16));
}

TEST(Stale, TheConsumerIsToldOnce)
{
	Cep cep = in_state(CEP_STATE_ESTABLISHED);

	ASSERT_TRUE(cep_core_holds_qpn(&cep.core));
	ASSERT_EQ(cep_core_on_stale(&cep.core, cep.now, dreq_tid, cep.tx.data(), &cep.acts),
		  CEP_OK);
	EXPECT_EQ(cep.said().attr, CEP_ATTR_DREQ);
	EXPECT_EQ(cep.events(), Events{"DREQ_ERROR/3"});
	EXPECT_EQ(cep.state(), CEP_STATE_DREQ_SENT);

	Cep answered = cep;
	ASSERT_EQ(answered.receive(from_peer(CEP_ATTR_DREP)), CEP_OK);
	EXPECT_EQ(answered.events(), Events{});
	EXPECT_EQ(answered.state(), CEP_STATE_TIMEWAIT);
	ASSERT_EQ(answered.expire(), CEP_OK);
	EXPECT_EQ(answered.events(), Events{"TIMEWAIT_EXIT"});

	Cep asked = cep;
	ASSERT_EQ(asked.receive(from_peer(CEP_ATTR_DREQ)), CEP_OK);
	EXPECT_EQ(asked.said().attr, CEP_ATTR_DREP);
	EXPECT_EQ(asked.events(), Events{});

	for (int guard = 0; guard < 40 && cep.state() == CEP_STATE_DREQ_SENT; guard++) {
		ASSERT_EQ(cep.sent(), CEP_OK);
		ASSERT_EQ(cep.expire(), CEP_OK);
		EXPECT_EQ(cep.events(), Events{});
	}
	EXPECT_EQ(cep.state(), CEP_STATE_TIMEWAIT);
}

TEST(Stale, InEachState)
{
	const int rej = CEP_ATTR_REJ;
	const int stale = CEP_REJ_STALE_CONN;
	const Ending rows[] = {
		{CEP_STATE_REQ_RCVD, CEP_STATE_IDLE, rej, CEP_WHICH_REQ, stale, {"REP_ERROR/3"}},
		{CEP_STATE_MRA_REQ_SENT,
		 CEP_STATE_IDLE,
		 rej,
		 CEP_WHICH_REQ,
		 stale,
		 {"REP_ERROR/3"}},
		{CEP_STATE_REP_RCVD, CEP_STATE_IDLE, rej, CEP_WHICH_REP, stale, {"REQ_ERROR/3"}},
		{CEP_STATE_MRA_REP_SENT,
		 CEP_STATE_IDLE,
		 rej,
		 CEP_WHICH_REP,
		 stale,
		 {"REQ_ERROR/3"}},
		{CEP_STATE_REP_SENT,
		 CEP_STATE_TIMEWAIT,
		 rej,
		 CEP_WHICH_OTHER,
		 stale,
		 {"REP_ERROR/3"}},
		{CEP_STATE_MRA_REP_RCVD,
		 CEP_STATE_TIMEWAIT,
		 rej,
		 CEP_WHICH_OTHER,
		 stale,
		 {"REP_ERROR/3"}},
		{CEP_STATE_ESTABLISHED, CEP_STATE_DREQ_SENT, CEP_ATTR_DREQ, 0, 0, {"DREQ_ERROR/3"}},
		{CEP_STATE_DREQ_SENT, CEP_STATE_TIMEWAIT, no_message, 0, 0, {"DREQ_ERROR/3"}},
		{CEP_STATE_DREQ_RCVD, CEP_STATE_TIMEWAIT, CEP_ATTR_DREP, 0, 0, {}},
	};
	for (const Ending &row : rows) {
		SCOPED_TRACE(cep_core_state_name(row.from));
		Cep cep = in_state(row.from);
		ASSERT_TRUE(cep_core_holds_qpn(&cep.core));
		ASSERT_EQ(cep_core_on_stale(&cep.core, cep.now, dreq_tid, cep.tx.data(), &cep.acts),
			  CEP_OK);
		check(cep, row);
		if (row.from != CEP_STATE_ESTABLISHED)
			check_nothing_left(cep, row.from);

		Cep mute = in_state(row.from);
		ASSERT_EQ(cep_core_on_stale(&mute.core, mute.now, dreq_tid, nullptr, &mute.acts),
			  CEP_OK);
		EXPECT_TRUE(mute.silent());
		EXPECT_EQ(mute.events(), row.events);
	}
	for (cep_state state :
	     {CEP_STATE_IDLE, CEP_STATE_LISTEN, CEP_STATE_REQ_SENT, CEP_STATE_TIMEWAIT}) {
		Cep cep = in_state(state);
		EXPECT_FALSE(cep_core_holds_qpn(&cep.core));
		EXPECT_EQ(cep_core_on_stale(&cep.core, cep.now, dreq_tid, cep.tx.data(), &cep.acts),
			  CEP_E_STATE);
	}
}

TEST(Removal, TakesEverythingInEveryState)
{
	for (cep_state state : reachable) {
		for (bool closed : {false, true}) {
			SCOPED_TRACE(cep_core_state_name(state));
			Cep cep = in_state(state);
			if (closed)
				cep.close();
			if (cep.state() == CEP_STATE_CLOSED) {
				cep_core_on_device_removed(&cep.core, &cep.acts);
				EXPECT_EQ(cep.acts.count, 0u);
				continue;
			}
			const cep_state from = cep.state();
			cep_core_on_device_removed(&cep.core, &cep.acts);
			EXPECT_TRUE(cep.silent());
			EXPECT_EQ(cep.info().deadline_ns, 0u);
			if (closed) {
				EXPECT_EQ(cep.state(), CEP_STATE_CLOSED);
				EXPECT_EQ(cep.events(), Events{});
				EXPECT_TRUE(cep.does(CEP_ACT_RELEASE));
			} else if (from == CEP_STATE_LISTEN) {
				EXPECT_EQ(cep.state(), CEP_STATE_LISTEN);
				EXPECT_EQ(cep.acts.count, 0u);
			} else {
				EXPECT_EQ(cep.state(), CEP_STATE_IDLE);
				EXPECT_EQ(cep.events().back(), "DEVICE_REMOVED");
			}
			EXPECT_EQ(cep.does(CEP_ACT_LEAVE_TIMEWAIT), from == CEP_STATE_TIMEWAIT);
			check_nothing_left(cep, from);
		}
	}
}

} // namespace
