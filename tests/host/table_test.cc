/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Every state (from each side, closed or not) under every input: the outcome that
 * IBA 12.9 and the contract of cep_core.h ask for, written as rules here and not taken
 * from the engine's table. That a refusal changes nothing and that every action list is
 * consistent is checked by sim/invariants.hh on the way, also on every CEP that any
 * sequence of inputs can reach.
 */
#include "sim/outcomes.hh"
#include "sim/seats.hh"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace cep::sim
{
namespace
{

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
