/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Faults that users of connection managers met in the field, as tests of the engine:
 * duplicates (D), stale connections (S), lifetime (L). One crafted peer (sim/solo.hh)
 * where a single engine shows it, two simulated hosts (sim/ulp.hh) where the exchange
 * does. See also scenario_wire_test.cc.
 */
#include "sim/ways.hh"
#include "sim/ulp.hh"

#include <gtest/gtest.h>

namespace cep::sim
{
namespace
{

const Scenario plain = {
	.name = "plain", .active_hears = "", .passive_hears = "", .retries = 15, .think_ns = 0};

Scenario with(uint8_t retries, End end = End::Never)
{
	Scenario s = plain;

	s.retries = retries;
	s.end = end;
	return s;
}

TEST(Duplicates, D1_ReqOfAnEstablishedConnection)
{
	Solo s;
	pas_up(s);
	EXPECT_EQ(s.hear(s.message(CEP_ATTR_REQ)), CEP_E_DUP);
	const cep_msg req = s.message(CEP_ATTR_REQ);
	EXPECT_EQ(cep_core_classify_req(&s.core, &req), CEP_REQ_DUPLICATE);
	EXPECT_EQ(s.state(), CEP_STATE_ESTABLISHED);
}

TEST(Duplicates, D2_ReqIsAnsweredWithTheSameRep)
{
	Solo s;
	pas_replied(s);
	const uint64_t deadline = s.info().deadline_ns;
	for (int i = 0; i < 20; i++) {
		s.now += 1000;
		ASSERT_EQ(s.hear(s.message(CEP_ATTR_REQ)), CEP_OK);
		EXPECT_EQ(s.acts.count, 1u) << describe(s.acts);
		EXPECT_EQ(s.acts.act[0].kind, CEP_ACT_RESEND);
		EXPECT_EQ(s.info().deadline_ns, deadline) << "the wait does not start anew";
		EXPECT_EQ(s.info().retries_left, s.info().retries_left) << "no retry is used up";
	}

	/* on the wire: the first RTUs get lost, each REQ comes twice */
	Pair pair(plain, {.lose = 0, .twice = 1, .swap = 0});
	unsigned rtus = 0;
	pair.wire.loses = [&](const cep_msg &m) { return m.attr == CEP_ATTR_RTU && rtus++ < 3; };
	ASSERT_TRUE(pair.run());
	const Mad *first = nullptr;
	unsigned copies = 0;
	for (const Packet &p : pair.wire.log()) {
		const cep_msg m = Wire::parsed(p.mad);
		EXPECT_NE(m.attr, CEP_ATTR_REJ);
		if (m.attr != CEP_ATTR_REP)
			continue;
		copies++;
		if (!first)
			first = &p.mad;
		EXPECT_EQ(p.mad, *first) << "byte for byte";
	}
	EXPECT_GE(copies, 4u);
	EXPECT_TRUE(Pair::up(pair.active) && Pair::up(pair.passive()));
	EXPECT_EQ(pair.passive()->history(), "REQ_RECEIVED RTU_RECEIVED");
}

TEST(Duplicates, D3_ArmedMraAnswersEachDuplicateAndNothingElse)
{
	Solo p;
	pas_requested(p);
	ASSERT_EQ(p.send_mra(true, 21), CEP_OK);
	EXPECT_FALSE(sends_tx(p.acts));
	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(p.hear(p.message(CEP_ATTR_REQ)), CEP_OK);
		const cep_msg mra = p.sent();
		EXPECT_EQ(mra.attr, CEP_ATTR_MRA);
		EXPECT_EQ(mra.mra.which, CEP_WHICH_REQ);
		EXPECT_EQ(mra.mra.service_timeout_exp, 21);
		EXPECT_EQ(mra.tid, peer_tid);
	}
	Solo a;
	act_replied(a);
	ASSERT_EQ(a.send_mra(true, 9), CEP_OK);
	EXPECT_FALSE(sends_tx(a.acts));
	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(a.hear(a.message(CEP_ATTR_REP)), CEP_OK);
		const cep_msg mra = a.sent();
		EXPECT_EQ(mra.attr, CEP_ATTR_MRA);
		EXPECT_EQ(mra.mra.which, CEP_WHICH_REP);
		EXPECT_EQ(mra.mra.service_timeout_exp, 9);
	}
}

TEST(Duplicates, D4_RepOfAnEstablishedConnectionGetsTheRtuAgain)
{
	Solo s;
	act_replied(s);
	ASSERT_EQ(s.send_rtu("original"), CEP_OK);
	const Mad first = s.tx;
	ASSERT_EQ(count(s.acts, CEP_ACT_KEEP_DATA), 1u);
	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(s.hear(s.message(CEP_ATTR_REP), false, "original"), CEP_OK);
		EXPECT_EQ(s.tx, first);
		EXPECT_EQ(s.acts.count, 1u) << describe(s.acts);
	}
}

TEST(Duplicates, D10_DreqForAConnectionThatIsNotThere)
{
	Solo s;
	Mad tx;
	cep_msg drep;
	const cep_msg dreq = s.message(CEP_ATTR_DREQ);

	tx.fill(0xa5);
	ASSERT_EQ(cep_core_answer_unknown(&dreq, tx.data()), 1);
	ASSERT_EQ(cep_core_parse(tx.data(), tx.size(), &drep), CEP_PARSE_OK);
	EXPECT_EQ(drep.attr, CEP_ATTR_DREP);
	EXPECT_EQ(drep.tid, dreq.tid);
	EXPECT_EQ(drep.local_comm_id, dreq.remote_comm_id);
	EXPECT_EQ(drep.remote_comm_id, dreq.local_comm_id);

	/* the other messages that no CEP matches */
	for (uint16_t attr :
	     {CEP_ATTR_RTU, CEP_ATTR_DREP, CEP_ATTR_MRA, CEP_ATTR_REJ, CEP_ATTR_APR}) {
		const cep_msg msg = s.message(attr);
		Mad blank;
		blank.fill(0xa5);
		tx = blank;
		EXPECT_EQ(cep_core_answer_unknown(&msg, tx.data()), 0) << attr;
		EXPECT_EQ(tx, blank);
	}
	const cep_msg rep = s.message(CEP_ATTR_REP);
	ASSERT_EQ(cep_core_answer_unknown(&rep, tx.data()), 1);
	ASSERT_EQ(cep_core_parse(tx.data(), tx.size(), &drep), CEP_PARSE_OK);
	EXPECT_EQ(drep.attr, CEP_ATTR_REJ);
	EXPECT_EQ(drep.rej.which, CEP_WHICH_REP);
	EXPECT_EQ(drep.rej.reason, CEP_REJ_INVALID_COMM_ID);
}

/* Hosts under a hand that feeds one of them crafted MADs. */
struct Bench {
	Clock clock;
	Wire wire{clock, {}};
	Host host{clock, wire, 1, 0xbbbb00000000bb00u};
	std::vector<Cep *> fresh; /* CEPs that a REQ reached */
	bool refuse = false;
	Solo peer; /* for its messages */

	Bench()
	{
		wire.deliver = [](unsigned, const Mad &) {};
		host.listening = true;
		host.on_event = [this](Cep &cep, const Told &t) {
			if (t.event != CEP_EVENT_REQ_RECEIVED)
				return;
			fresh.push_back(&cep);
			if (refuse)
				reject(cep);
			else
				accept(cep);
		};
	}

	void send(const cep_msg &msg)
	{
		Mad mad;

		ASSERT_EQ(cep_core_write(&msg, mad.data()), CEP_OK);
		host.receive(mad);
		clock.advance_to(clock.now() + ms);
	}

	cep_msg to(const Cep &cep, uint16_t attr)
	{
		cep_msg msg = peer.message(attr);

		msg.remote_comm_id = cep.id;
		return msg;
	}

	Cep &establish()
	{
		send(peer.message(CEP_ATTR_REQ));
		Cep &cep = *fresh.back();
		send(to(cep, CEP_ATTR_RTU));
		EXPECT_EQ(cep.state(), CEP_STATE_ESTABLISHED);
		return cep;
	}

	std::vector<cep_msg> sent_since(size_t from) const
	{
		std::vector<cep_msg> list;

		for (size_t i = from; i < wire.log().size(); i++)
			list.push_back(Wire::parsed(wire.log()[i].mad));
		return list;
	}
};
TEST(Duplicates, D5_NoMemoryIsSilenceAndTheRetryIsFresh)
{
	Bench b;
	b.host.out_of_memory = true;
	b.send(b.peer.message(CEP_ATTR_REQ));
	EXPECT_TRUE(b.wire.log().empty());
	EXPECT_EQ(b.host.indexed_ceps(), 0u);
	b.host.out_of_memory = false;
	b.send(b.peer.message(CEP_ATTR_REQ));
	EXPECT_EQ(b.fresh.size(), 1u);
}

TEST(Duplicates, D11_AReqAfterARejIsNew)
{
	Bench b;
	b.refuse = true;
	b.send(b.peer.message(CEP_ATTR_REQ));
	ASSERT_EQ(b.fresh.size(), 1u);
	EXPECT_EQ(b.host.indexed_ceps(), 0u) << "no record of a rejected REQ";

	b.refuse = false;
	cep_msg again = b.peer.message(CEP_ATTR_REQ); /* same comm ID, TID, QPN and PSN */
	again.req.primary.local_lid = 77;
	b.send(again);
	ASSERT_EQ(b.fresh.size(), 2u);
	EXPECT_EQ(b.fresh[1]->state(), CEP_STATE_REP_SENT);

	Bench c;
	c.refuse = true;
	c.send(c.peer.message(CEP_ATTR_REQ));
	c.refuse = false;
	again = c.peer.message(CEP_ATTR_REQ);
	again.req.local_qpn++;
	c.send(again);
	EXPECT_EQ(c.fresh.size(), 2u);
}

TEST(Stale, S1_RejAndDreqAndTheNextTryGetsThrough)
{
	Bench b;
	Cep &old = b.establish();
	const size_t before = b.wire.log().size();

	cep_msg req = b.peer.message(CEP_ATTR_REQ);
	req.local_comm_id = 0x777;
	b.send(req);
	const auto sent = b.sent_since(before);
	ASSERT_EQ(sent.size(), 2u);
	bool rejected = false, asked_to_go = false;
	for (const cep_msg &m : sent) {
		if (m.attr == CEP_ATTR_REJ) {
			rejected = true;
			EXPECT_EQ(m.rej.reason, CEP_REJ_STALE_CONN);
			EXPECT_EQ(m.rej.which, CEP_WHICH_REQ);
			EXPECT_EQ(m.remote_comm_id, 0x777u);
			EXPECT_EQ(m.tid, req.tid);
		} else {
			asked_to_go = m.attr == CEP_ATTR_DREQ;
			EXPECT_EQ(m.remote_comm_id, peer_id);
			EXPECT_EQ(m.dreq.remote_qpn, peer_qpn);
		}
	}
	EXPECT_TRUE(rejected && asked_to_go);
	EXPECT_EQ(b.fresh.size(), 1u) << "the listener is not troubled";
	EXPECT_EQ(old.history(), "REQ_RECEIVED RTU_RECEIVED DREQ_ERROR") << "told, at once";
	EXPECT_EQ(old.told.back().cause, CEP_CAUSE_STALE);

	/* the same REQ again while the DREQ is out: nothing new is told */
	b.send(req);
	EXPECT_EQ(old.heard(CEP_EVENT_DREQ_ERROR), 1u);

	if (old.state() == CEP_STATE_DREQ_SENT)
		b.send(b.to(old, CEP_ATTR_DREP));
	EXPECT_EQ(old.state(), CEP_STATE_TIMEWAIT);
	req.local_comm_id = 0x778;
	b.send(req);
	EXPECT_EQ(b.fresh.size(), 2u) << "the next try reaches the listener";
	EXPECT_TRUE(b.clock.drain(1000));
	EXPECT_EQ(old.history(), "REQ_RECEIVED RTU_RECEIVED DREQ_ERROR TIMEWAIT_EXIT") << "once";
}

/* The peer lost power and comes back with the same QPN; DREPs may get lost too. */
TEST(Stale, S2_ThePeerLostPower)
{
	for (bool dreps_lost : {false, true}) {
		Pair pair(with(3), {});
		ASSERT_TRUE(pair.run());
		Cep &old = *pair.passive();
		ASSERT_TRUE(Pair::up(&old));

		pair.a.forget();
		unsigned tries = 1;
		pair.a.on_event = [&](Cep &cep, const Told &t) {
			if (t.event == CEP_EVENT_REJ_RECEIVED) {
				EXPECT_EQ(t.reason, CEP_REJ_STALE_CONN);
				tries++;
				pair.clock.after(300 * ms, [&cep] { connect(cep, 3); });
			} else if (t.event == CEP_EVENT_REP_RECEIVED) {
				EXPECT_EQ(ready(cep), CEP_OK);
			}
		};
		pair.wire.loses = [=](const cep_msg &m) {
			return dreps_lost && m.attr == CEP_ATTR_DREP;
		};
		Cep &back = pair.a.create();
		back.qpn = pair.active->qpn;
		ASSERT_EQ(connect(back, 3), CEP_OK);
		ASSERT_TRUE(pair.clock.drain(Pair::step_limit));

		EXPECT_TRUE(Pair::up(&back)) << "gets through in the end";
		EXPECT_GE(tries, 2u);
		EXPECT_LE(tries, 8u);
		EXPECT_EQ(old.history(), "REQ_RECEIVED RTU_RECEIVED DREQ_ERROR TIMEWAIT_EXIT");
		EXPECT_EQ(old.state(), CEP_STATE_IDLE);
	}
}

TEST(Stale, S3_RejIsHandedOverAsItIsAndTheCepCanConnectAgain)
{
	Solo s;
	act_requested(s);
	cep_msg rej = s.message(CEP_ATTR_REJ);
	rej.local_comm_id = 0;
	rej.rej.reason = CEP_REJ_STALE_CONN;
	ASSERT_EQ(s.hear(rej), CEP_OK);
	EXPECT_TRUE(s.told(CEP_EVENT_REJ_RECEIVED));
	EXPECT_EQ(s.state(), CEP_STATE_IDLE);
	cep_send_req args = s.req_args();
	args.req.local_qpn = our_qpn + 1;
	args.tid++;
	ASSERT_EQ(s.send_req(args), CEP_OK);
	EXPECT_EQ(s.info().local_qpn, our_qpn + 1);
	EXPECT_EQ(s.sent().req.local_qpn, our_qpn + 1);
	cep_msg rep = s.message(CEP_ATTR_REP);
	ASSERT_EQ(s.hear(rep), CEP_OK) << "and is connected as if for the first time";
}

/* A REQ against the CEP that already has its (CA GUID, comm ID). */
TEST(Duplicates, ClassOfAReq)
{
	const auto in_timewait = [](Solo &s) {
		must(s.send_dreq());
		must(s.hear(s.message(CEP_ATTR_DREP)));
	};
	const auto expect = [](const Solo &s, cep_req_class same, cep_req_class psn,
			       cep_req_class qpn) {
		cep_msg req = s.message(CEP_ATTR_REQ);
		const char *state = cep_core_state_name(s.state());
		EXPECT_EQ(cep_core_classify_req(&s.core, &req), same) << state;
		req.tid++; /* says nothing, and neither does the path */
		req.req.primary.local_lid++;
		EXPECT_EQ(cep_core_classify_req(&s.core, &req), same) << state;
		req.req.starting_psn++;
		EXPECT_EQ(cep_core_classify_req(&s.core, &req), psn) << state;
		req.req.local_qpn++;
		EXPECT_EQ(cep_core_classify_req(&s.core, &req), qpn) << state;
		req.req.starting_psn--;
		EXPECT_EQ(cep_core_classify_req(&s.core, &req), qpn) << state;
	};

	for (auto reach : {pas_requested, pas_replied, pas_up}) {
		Solo s;
		reach(s);
		expect(s, CEP_REQ_DUPLICATE, CEP_REQ_STALE, CEP_REQ_COMM_ID_TAKEN);
		EXPECT_TRUE(cep_core_holds_qpn(&s.core));
	}
	Solo p;
	pas_up(p);
	in_timewait(p);
	expect(p, CEP_REQ_DUPLICATE, CEP_REQ_NEW, CEP_REQ_NEW);
	EXPECT_FALSE(cep_core_holds_qpn(&p.core));
	must(p.deadline());
	expect(p, CEP_REQ_NEW, CEP_REQ_NEW, CEP_REQ_NEW);
	EXPECT_FALSE(cep_core_holds_qpn(&p.core));

	/* we asked the peer, it has not asked us: no REQ of its is a copy */
	Solo a;
	act_up(a);
	expect(a, CEP_REQ_STALE, CEP_REQ_STALE, CEP_REQ_COMM_ID_TAKEN);
	in_timewait(a);
	expect(a, CEP_REQ_NEW, CEP_REQ_NEW, CEP_REQ_NEW);
}

TEST(Lifetime, L8_XrcTargetIsDestroyedWithoutADreq)
{
	Solo s;
	s.transport = CEP_TRANSPORT_XRC;
	pas_up(s);
	ASSERT_EQ(s.close(), CEP_OK);
	EXPECT_FALSE(sends_tx(s.acts));
	EXPECT_EQ(s.state(), CEP_STATE_CLOSED);
	EXPECT_EQ(count(s.acts, CEP_ACT_UNINDEX), 1u);
}

TEST(Lifetime, L9_DestroyWithADeadPeer)
{
	Pair pair(with(4), {});
	ASSERT_TRUE(pair.run());
	ASSERT_TRUE(Pair::up(pair.active));
	std::vector<Mad> dreqs;
	pair.wire.loses = [](const cep_msg &) { return true; };
	const size_t told = pair.active->told.size();
	pair.a.destroy(*pair.active);
	EXPECT_EQ(pair.wire.copies(0, CEP_ATTR_DREQ), 1u) << "at once";
	ASSERT_TRUE(pair.clock.drain(Pair::step_limit));
	EXPECT_EQ(pair.wire.copies(0, CEP_ATTR_DREQ), 5u);
	EXPECT_TRUE(pair.active->released);
	EXPECT_EQ(pair.active->told.size(), told) << "no event after destroy";

	/* a late DREP, in timewait and after it */
	Solo s;
	act_up(s);
	ASSERT_EQ(s.close(), CEP_OK);
	while (s.state() == CEP_STATE_DREQ_SENT) {
		ASSERT_EQ(s.on_sent(), CEP_OK);
		ASSERT_EQ(s.deadline(), CEP_OK);
	}
	EXPECT_EQ(s.state(), CEP_STATE_TIMEWAIT);
	EXPECT_EQ(s.hear(s.message(CEP_ATTR_DREP)), CEP_E_DUP);
	ASSERT_EQ(s.deadline(), CEP_OK);
	EXPECT_EQ(s.state(), CEP_STATE_CLOSED);
	EXPECT_EQ(s.hear(s.message(CEP_ATTR_DREP)), CEP_E_PEER);
}

TEST(Lifetime, OrphansBeyondTheCapSendOneDreq)
{
	Solo s;
	s.retries = 15;
	act_up(s);
	ASSERT_EQ(s.close(true, false), CEP_OK);
	ASSERT_EQ(s.sent().attr, CEP_ATTR_DREQ);
	ASSERT_EQ(s.on_sent(), CEP_OK);
	ASSERT_EQ(s.deadline(), CEP_OK);
	EXPECT_EQ(count(s.acts, CEP_ACT_RESEND), 0u);
	EXPECT_EQ(s.state(), CEP_STATE_TIMEWAIT);
}

} // namespace
} // namespace cep::sim
