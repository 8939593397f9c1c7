/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Faults that users of connection managers met in the field, as tests of the engine:
 * what goes over the wire, how often and when (D7, D8, W). See also scenario_test.cc.
 */
#include "sim/ways.hh"
#include "sim/ulp.hh"

#include <gtest/gtest.h>

namespace cep::sim
{
namespace
{

constexpr uint64_t exp_ns(unsigned exp)
{
	return uint64_t{4096} << exp;
}

const Scenario plain = {
	.name = "plain", .active_hears = "", .passive_hears = "", .retries = 15, .think_ns = 0};

Scenario with(uint8_t retries, End end = End::Never)
{
	Scenario s = plain;

	s.retries = retries;
	s.end = end;
	return s;
}

TEST(Retransmission, D7_FourteenOfSixteenReqsLost)
{
	Pair pair(with(15), {});
	unsigned reqs = 0;
	pair.wire.loses = [&](const cep_msg &m) { return m.attr == CEP_ATTR_REQ && ++reqs <= 14; };
	ASSERT_TRUE(pair.run());
	EXPECT_TRUE(Pair::up(pair.active) && Pair::up(pair.passive()));
	EXPECT_EQ(pair.wire.copies(0, CEP_ATTR_REQ), 15u);
}

TEST(Retransmission, D7_AllReqsLost)
{
	for (unsigned retries = 0; retries <= 15; retries++) {
		Pair pair(with(static_cast<uint8_t>(retries)), {});
		pair.wire.loses = [](const cep_msg &m) { return m.attr == CEP_ATTR_REQ; };
		const uint64_t start = pair.clock.now();
		ASSERT_TRUE(pair.run());
		EXPECT_EQ(pair.wire.copies(0, CEP_ATTR_REQ), 1 + retries);
		EXPECT_EQ(pair.active->history(), "REQ_ERROR");
		EXPECT_EQ(pair.active->told[0].cause, CEP_CAUSE_TIMEOUT);
		EXPECT_EQ(pair.active->state(), CEP_STATE_IDLE);
		/* each try has its whole response time, from when it left */
		const uint64_t timeout = 2 * exp_ns(life_time_exp) + exp_ns(response_exp) + us;
		EXPECT_EQ(pair.active->told[0].at - start, (1 + retries) * timeout);
	}
}

TEST(Retransmission, AllRepsLost)
{
	for (unsigned retries : {0u, 1u, 5u, 15u}) {
		Pair pair(with(static_cast<uint8_t>(retries)), {});
		pair.wire.loses = [](const cep_msg &m) {
			return m.attr == CEP_ATTR_REP || m.attr == CEP_ATTR_REJ;
		};
		ASSERT_TRUE(pair.run());
		EXPECT_EQ(pair.wire.copies(0, CEP_ATTR_REQ), 1 + retries);
		EXPECT_EQ(pair.passive()->history(), "REQ_RECEIVED REP_ERROR");
		EXPECT_EQ(pair.active->history(), "REQ_ERROR");
	}
	/* without duplicates of the REQ: exactly 1 + retries of the REP */
	for (unsigned retries = 0; retries <= 15; retries++) {
		Solo s;
		s.retries = static_cast<uint8_t>(retries);
		pas_replied(s);
		unsigned copies = 1;
		while (s.state() == CEP_STATE_REP_SENT) {
			ASSERT_EQ(s.on_sent(), CEP_OK);
			ASSERT_EQ(s.deadline(), CEP_OK);
			copies += count(s.acts, CEP_ACT_RESEND);
		}
		EXPECT_EQ(copies, 1 + retries);
		EXPECT_TRUE(s.told(CEP_EVENT_REP_ERROR, CEP_CAUSE_TIMEOUT));
		EXPECT_EQ(s.sent().rej.reason, CEP_REJ_TIMEOUT);
	}
}

TEST(Retransmission, AllDreqsLost)
{
	for (unsigned retries = 0; retries <= 15; retries++) {
		Pair pair(with(static_cast<uint8_t>(retries), End::Active), {});
		pair.wire.loses = [](const cep_msg &m) { return m.attr == CEP_ATTR_DREQ; };
		ASSERT_TRUE(pair.run());
		EXPECT_EQ(pair.wire.copies(0, CEP_ATTR_DREQ), 1 + retries);
		EXPECT_EQ(pair.active->history(), "REP_RECEIVED DREQ_ERROR TIMEWAIT_EXIT");
		EXPECT_EQ(pair.active->told[1].cause, CEP_CAUSE_TIMEOUT);
	}
}

/* A completion that never comes: given up in time all the same, after one copy. */
TEST(Retransmission, RequestThatNeverLeavesThisHost)
{
	for (unsigned retries : {0u, 1u, 7u, 15u}) {
		Pair pair(with(static_cast<uint8_t>(retries)), {});
		pair.a.withhold_completions = true;
		pair.wire.loses = [](const cep_msg &) { return true; };
		const uint64_t start = pair.clock.now();
		ASSERT_TRUE(pair.run());
		EXPECT_EQ(pair.wire.copies(0, CEP_ATTR_REQ), 1u);
		EXPECT_EQ(pair.active->history(), "REQ_ERROR");
		const uint64_t timeout = 2 * exp_ns(life_time_exp) + exp_ns(response_exp);
		EXPECT_EQ(pair.active->told[0].at - start, (1 + retries) * timeout);
	}
}

TEST(Retransmission, D8_LateAnswersAreAcceptedAndTheirCopiesChangeNothing)
{
	Solo s;
	s.retries = 5;
	act_requested(s);
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(s.on_sent(), CEP_OK);
		ASSERT_EQ(s.deadline(), CEP_OK);
		EXPECT_EQ(count(s.acts, CEP_ACT_RESEND), 1u);
	}
	ASSERT_EQ(s.hear(s.message(CEP_ATTR_REP)), CEP_OK);
	EXPECT_TRUE(s.told(CEP_EVENT_REP_RECEIVED));
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(s.hear(s.message(CEP_ATTR_REP)), CEP_E_DUP);

	ASSERT_EQ(s.send_rtu(), CEP_OK);
	ASSERT_EQ(s.send_dreq(), CEP_OK);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(s.on_sent(), CEP_OK);
		ASSERT_EQ(s.deadline(), CEP_OK);
	}
	ASSERT_EQ(s.hear(s.message(CEP_ATTR_DREP)), CEP_OK);
	EXPECT_TRUE(s.told(CEP_EVENT_DREP_RECEIVED));
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(s.hear(s.message(CEP_ATTR_DREP)), CEP_E_DUP);
}

TEST(OnTheWire, W2_MessageRejected)
{
	const struct {
		const char *name;
		void (*reach)(Solo &);
		unsigned which;
		bool timeout; /* REJ 4 with our GUID when destroyed */
	} rows[] = {
		{"REQ_SENT", act_requested, CEP_WHICH_OTHER, true},
		{"REQ_RCVD", pas_requested, CEP_WHICH_REQ, false},
		{"REP_RCVD", act_replied, CEP_WHICH_REP, false},
		{"REP_SENT", pas_replied, CEP_WHICH_OTHER, false},
	};
	for (const auto &row : rows) {
		Solo r;
		row.reach(r);
		ASSERT_EQ(r.send_rej(), CEP_OK) << row.name;
		EXPECT_EQ(r.sent().rej.which, row.which) << row.name;
		EXPECT_EQ(r.sent().rej.reason, CEP_REJ_CONSUMER_DEFINED);

		Solo d;
		row.reach(d);
		ASSERT_EQ(d.close(), CEP_OK) << row.name;
		EXPECT_EQ(d.sent().rej.which, row.which) << row.name;
		EXPECT_EQ(d.sent().rej.reason == CEP_REJ_TIMEOUT, row.timeout) << row.name;
	}
	for (auto reach : {act_requested, pas_replied}) {
		Solo s;
		s.retries = 0;
		reach(s);
		ASSERT_EQ(s.on_sent(), CEP_OK);
		ASSERT_EQ(s.deadline(), CEP_OK);
		EXPECT_EQ(s.sent().rej.which, CEP_WHICH_OTHER);
		EXPECT_EQ(s.sent().rej.reason, CEP_REJ_TIMEOUT);
		EXPECT_EQ(s.sent().rej.ari_len, 8);
	}
	/* no CEP at all */
	Solo s;
	Mad tx;
	cep_msg rej;
	for (uint16_t attr : {CEP_ATTR_REQ, CEP_ATTR_REP, CEP_ATTR_LAP}) {
		const cep_msg msg = s.message(attr);
		cep_core_reject(&msg, 8, nullptr, 0, tx.data());
		ASSERT_EQ(cep_core_parse(tx.data(), tx.size(), &rej), CEP_PARSE_OK);
		EXPECT_EQ(rej.rej.which, attr == CEP_ATTR_REQ   ? CEP_WHICH_REQ
					 : attr == CEP_ATTR_REP ? CEP_WHICH_REP
								: CEP_WHICH_OTHER);
	}
}

/* W3 at the level of commands: every length of each one's private data. */
TEST(OnTheWire, W3_PrivateDataOfEveryLength)
{
	uint8_t data[256];
	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = static_cast<uint8_t>(255 - i);

	using Send = cep_result (*)(Solo &, const uint8_t *, uint8_t);
	const struct {
		void (*reach)(Solo &);
		Send send;
		unsigned max;
	} rows[] = {
		{[](Solo &) {},
		 [](Solo &s, const uint8_t *d, uint8_t n) {
			 cep_send_req args = s.req_args();
			 args.private_data = d;
			 args.private_data_len = n;
			 return s.send_req(args);
		 },
		 CEP_REQ_PRIVATE_DATA_SIZE},
		{pas_requested,
		 [](Solo &s, const uint8_t *d, uint8_t n) {
			 cep_send_rep args = s.rep_args();
			 args.private_data = d;
			 args.private_data_len = n;
			 return s.send_rep(args);
		 },
		 CEP_REP_PRIVATE_DATA_SIZE},
		{act_replied,
		 [](Solo &s, const uint8_t *d, uint8_t n) {
			 return s.call("send_rtu", [&](cep_core &c, uint8_t *t, cep_actions &a) {
				 return cep_core_send_rtu(&c, d, n, t, &a);
			 });
		 },
		 CEP_RTU_PRIVATE_DATA_SIZE},
		{pas_requested,
		 [](Solo &s, const uint8_t *d, uint8_t n) {
			 return s.call("send_mra", [&](cep_core &c, uint8_t *t, cep_actions &a) {
				 return cep_core_send_mra(&c, 3, 0, d, n, t, &a);
			 });
		 },
		 CEP_MRA_PRIVATE_DATA_SIZE},
		{pas_requested,
		 [](Solo &s, const uint8_t *d, uint8_t n) {
			 return s.call("send_rej", [&](cep_core &c, uint8_t *t, cep_actions &a) {
				 return cep_core_send_rej(&c, s.now, 28, nullptr, 0, d, n, t, &a);
			 });
		 },
		 CEP_REJ_PRIVATE_DATA_SIZE},
		{pas_up,
		 [](Solo &s, const uint8_t *d, uint8_t n) {
			 return s.call("send_dreq", [&](cep_core &c, uint8_t *t, cep_actions &a) {
				 return cep_core_send_dreq(&c, s.now, 4, d, n, t, &a);
			 });
		 },
		 CEP_DREQ_PRIVATE_DATA_SIZE},
		{[](Solo &s) {
			 pas_up(s);
			 ASSERT_EQ(s.hear(s.message(CEP_ATTR_DREQ)), CEP_OK);
		 },
		 [](Solo &s, const uint8_t *d, uint8_t n) {
			 return s.call("send_drep", [&](cep_core &c, uint8_t *t, cep_actions &a) {
				 return cep_core_send_drep(&c, s.now, d, n, t, &a);
			 });
		 },
		 CEP_DREP_PRIVATE_DATA_SIZE},
	};
	for (const auto &row : rows)
		for (unsigned n = 0; n < 256; n++) {
			Solo s;
			row.reach(s);
			const cep_result result = row.send(s, data, static_cast<uint8_t>(n));
			ASSERT_EQ(result, n <= row.max ? CEP_OK : CEP_E_ARG)
				<< row.max << " with " << n;
			if (result != CEP_OK)
				continue;
			const cep_msg msg = s.sent();
			ASSERT_EQ(msg.private_data_len, row.max);
			for (unsigned i = 0; i < row.max; i++)
				ASSERT_EQ(msg.private_data[i], i < n ? data[i] : 0);
		}
}

TEST(OnTheWire, W5_DepthsCrossOverAndGrantAccess)
{
	for (uint8_t resources : {uint8_t{0}, uint8_t{3}})
		for (uint8_t depth : {uint8_t{0}, uint8_t{5}}) {
			cep_qp_attr attr;
			/* passive: the peer's initiator depth is what we have to answer */
			Solo p;
			cep_msg req = p.message(CEP_ATTR_REQ);
			req.req.responder_resources = resources;
			req.req.initiator_depth = depth;
			ASSERT_EQ(p.new_req(req), CEP_OK);
			ASSERT_EQ(cep_core_qp_attr(&p.core, CEP_QP_INIT, &attr), CEP_OK);
			EXPECT_EQ(attr.remote_read_atomic != 0, depth != 0);
			ASSERT_EQ(cep_core_qp_attr(&p.core, CEP_QP_RTR, &attr), CEP_OK);
			EXPECT_EQ(attr.max_dest_rd_atomic, depth);
			EXPECT_EQ(attr.dest_qpn, peer_qpn);
			/*
			 * until our REP says otherwise; a starting PSN is where its
			 * receiver is to start sending (IBA 12.7.31)
			 */
			cep_send_rep rep = p.rep_args();
			rep.rep.responder_resources = depth ? 1 : 0;
			rep.rep.initiator_depth = resources ? 1 : 0;
			ASSERT_EQ(p.send_rep(rep), CEP_OK);
			EXPECT_EQ(p.sent().rep.responder_resources, depth ? 1 : 0);
			ASSERT_EQ(cep_core_qp_attr(&p.core, CEP_QP_RTR, &attr), CEP_OK);
			EXPECT_EQ(attr.max_dest_rd_atomic, depth ? 1 : 0);
			ASSERT_EQ(cep_core_qp_attr(&p.core, CEP_QP_RTS, &attr), CEP_OK);
			EXPECT_EQ(attr.max_rd_atomic, resources ? 1 : 0);
			EXPECT_EQ(attr.sq_psn, peer_psn);
			EXPECT_EQ(attr.retry_cnt, 6);

			/* active: what the REP grants */
			Solo a;
			ASSERT_EQ(a.send_req(a.req_args()), CEP_OK);
			EXPECT_EQ(a.sent().req.responder_resources, 3);
			EXPECT_EQ(a.sent().req.initiator_depth, 5);
			cep_msg msg = a.message(CEP_ATTR_REP);
			msg.rep.responder_resources = resources;
			msg.rep.initiator_depth = depth;
			ASSERT_EQ(a.hear(msg), CEP_OK);
			ASSERT_EQ(cep_core_qp_attr(&a.core, CEP_QP_RTR, &attr), CEP_OK);
			EXPECT_EQ(attr.max_dest_rd_atomic, depth);
			EXPECT_EQ(attr.rq_psn, our_psn);
			ASSERT_EQ(cep_core_qp_attr(&a.core, CEP_QP_RTS, &attr), CEP_OK);
			EXPECT_EQ(attr.max_rd_atomic, resources);
			EXPECT_EQ(attr.sq_psn, peer_psn);
		}
}

TEST(OnTheWire, W7_TimewaitFollowsTheFormula)
{
	for (uint8_t exp : {uint8_t{0}, uint8_t{1}, uint8_t{14}, uint8_t{31}}) {
		Solo p; /* the REQ's ACK timeout is 2 x life time + delay already */
		cep_msg req = p.message(CEP_ATTR_REQ);
		req.req.primary.local_ack_timeout_exp = exp;
		ASSERT_EQ(p.new_req(req), CEP_OK);
		ASSERT_EQ(p.send_rep(p.rep_args()), CEP_OK);
		ASSERT_EQ(p.established(), CEP_OK);
		ASSERT_EQ(p.send_dreq(), CEP_OK);
		p.now += 12345;
		ASSERT_EQ(p.hear(p.message(CEP_ATTR_DREP)), CEP_OK);
		EXPECT_EQ(p.info().deadline_ns - p.now, exp_ns(exp));

		Solo a; /* 2 x packet life time and the peer's delay */
		cep_send_req args = a.req_args();
		args.packet_life_time_exp = exp;
		args.response_timeout_ns = 1000000;
		ASSERT_EQ(a.send_req(args), CEP_OK);
		cep_msg rep = a.message(CEP_ATTR_REP);
		rep.rep.target_ack_delay_exp = 7;
		ASSERT_EQ(a.hear(rep), CEP_OK);
		ASSERT_EQ(a.send_rtu(), CEP_OK);
		ASSERT_EQ(a.hear(a.message(CEP_ATTR_DREQ)), CEP_OK);
		ASSERT_EQ(a.send_drep(), CEP_OK);
		const uint64_t end = a.now + 2 * exp_ns(exp) + exp_ns(7);
		EXPECT_EQ(a.info().deadline_ns, end);
		a.now = end - 1;
		EXPECT_EQ(a.on_deadline(), CEP_E_STATE) << "never early";
		a.now = end;
		ASSERT_EQ(a.on_deadline(), CEP_OK);
		EXPECT_TRUE(a.told(CEP_EVENT_TIMEWAIT_EXIT));
	}
}

TEST(OnTheWire, W8_DataBeforeTheRtu)
{
	Solo s;
	pas_replied(s);
	ASSERT_EQ(s.established(), CEP_OK);
	EXPECT_TRUE(s.told(CEP_EVENT_USER_ESTABLISHED));
	EXPECT_EQ(s.state(), CEP_STATE_ESTABLISHED);
	EXPECT_EQ(s.established(), CEP_E_DUP);
	EXPECT_EQ(s.hear(s.message(CEP_ATTR_RTU)), CEP_E_DUP);
}

/* DESIGN: one MRA cannot extend a wait beyond a cap. */
TEST(OnTheWire, MraIsCapped)
{
	for (unsigned exp = 0; exp < 32; exp++) {
		Solo s;
		act_requested(s);
		const uint64_t timeout = 2 * exp_ns(12) + exp_ns(16);
		cep_msg mra = s.message(CEP_ATTR_MRA);
		mra.mra.service_timeout_exp = static_cast<uint8_t>(exp);
		ASSERT_EQ(s.hear(mra), CEP_OK);
		EXPECT_EQ(s.info().deadline_ns - s.now, exp_ns(exp < 25 ? exp : 25) + timeout)
			<< exp;
	}
}

} // namespace
} // namespace cep::sim
