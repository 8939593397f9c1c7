/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Two engines against each other, with automatic ULPs and a virtual clock, under every
 * loss mask of the first 12 MADs, every mask of doubled and swapped ones of 8. Each run
 * comes to rest with both sides established or both ended, with lawful events, and no
 * deadline, index entry or buffer left. A failure names scenario, kind and mask;
 *
 *	CEP_PAIR=swap:0x21 build/host-g++/pair_test_kernel --gtest_filter='*refuse*'
 *
 * runs one mask alone (kinds: lose, twice, swap, mixed) and prints what happened.
 */
#include "sim/commands.hh"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>

namespace cep::sim
{
namespace
{

const Scenario scenarios[] = {
	{.name = "accept_15",
	 .active_hears = "REP_RECEIVED",
	 .passive_hears = "REQ_RECEIVED RTU_RECEIVED",
	 .retries = 15},
	{.name = "accept_1",
	 .active_hears = "REP_RECEIVED",
	 .passive_hears = "REQ_RECEIVED RTU_RECEIVED",
	 .retries = 1},
	{.name = "accept_0",
	 .active_hears = "REP_RECEIVED",
	 .passive_hears = "REQ_RECEIVED RTU_RECEIVED",
	 .retries = 0,
	 .tidy = true},
	{.name = "refuse",
	 .active_hears = "REJ_RECEIVED",
	 .passive_hears = "REQ_RECEIVED",
	 .retries = 2,
	 .on_req = OnReq::Reject},
	{.name = "refuse_tidy",
	 .active_hears = "REJ_RECEIVED",
	 .passive_hears = "REQ_RECEIVED",
	 .retries = 2,
	 .on_req = OnReq::Reject,
	 .tidy = true},
	{.name = "handler_destroys",
	 .active_hears = "REJ_RECEIVED",
	 .passive_hears = "REQ_RECEIVED",
	 .retries = 2,
	 .on_req = OnReq::Destroy},
	{.name = "reject_rep",
	 .active_hears = "REP_RECEIVED",
	 .passive_hears = "REQ_RECEIVED REJ_RECEIVED",
	 .retries = 2,
	 .on_rep = OnRep::Reject},
	{.name = "destroy_on_rep",
	 .active_hears = "REP_RECEIVED",
	 .passive_hears = "REQ_RECEIVED REJ_RECEIVED",
	 .retries = 2,
	 .on_rep = OnRep::Destroy,
	 .tidy = true},
	{.name = "mra_req",
	 .active_hears = "MRA_RECEIVED REP_RECEIVED",
	 .passive_hears = "REQ_RECEIVED RTU_RECEIVED",
	 .retries = 2,
	 .on_req = OnReq::Mra},
	{.name = "mra_req_15",
	 .active_hears = "MRA_RECEIVED REP_RECEIVED",
	 .passive_hears = "REQ_RECEIVED RTU_RECEIVED",
	 .retries = 15,
	 .on_req = OnReq::Mra},
	{.name = "armed_mra_req",
	 .active_hears = "MRA_RECEIVED REP_RECEIVED",
	 .passive_hears = "REQ_RECEIVED RTU_RECEIVED",
	 .retries = 2,
	 .on_req = OnReq::ArmMra},
	{.name = "mra_then_refuse",
	 .active_hears = "MRA_RECEIVED REJ_RECEIVED",
	 .passive_hears = "REQ_RECEIVED",
	 .retries = 2,
	 .on_req = OnReq::MraReject},
	{.name = "mra_rep",
	 .active_hears = "REP_RECEIVED",
	 .passive_hears = "REQ_RECEIVED MRA_RECEIVED RTU_RECEIVED",
	 .retries = 2,
	 .on_rep = OnRep::Mra},
	{.name = "armed_mra_rep",
	 .active_hears = "REP_RECEIVED",
	 .passive_hears = "REQ_RECEIVED MRA_RECEIVED RTU_RECEIVED",
	 .retries = 2,
	 .on_rep = OnRep::ArmMra,
	 .tidy = true},
	{.name = "mra_both",
	 .active_hears = "MRA_RECEIVED REP_RECEIVED DREP_RECEIVED TIMEWAIT_EXIT",
	 .passive_hears = "REQ_RECEIVED MRA_RECEIVED RTU_RECEIVED DREQ_RECEIVED TIMEWAIT_EXIT",
	 .retries = 3,
	 .on_req = OnReq::ArmMra,
	 .on_rep = OnRep::Mra,
	 .end = End::Active},
	{.name = "active_disconnects",
	 .active_hears = "REP_RECEIVED DREP_RECEIVED TIMEWAIT_EXIT",
	 .passive_hears = "REQ_RECEIVED RTU_RECEIVED DREQ_RECEIVED TIMEWAIT_EXIT",
	 .retries = 2,
	 .end = End::Active},
	{.name = "active_disconnects_15",
	 .active_hears = "REP_RECEIVED DREP_RECEIVED TIMEWAIT_EXIT",
	 .passive_hears = "REQ_RECEIVED RTU_RECEIVED DREQ_RECEIVED TIMEWAIT_EXIT",
	 .retries = 15,
	 .end = End::Active,
	 .tidy = true},
	{.name = "passive_disconnects",
	 .active_hears = "REP_RECEIVED DREQ_RECEIVED TIMEWAIT_EXIT",
	 .passive_hears = "REQ_RECEIVED RTU_RECEIVED DREP_RECEIVED TIMEWAIT_EXIT",
	 .retries = 2,
	 .end = End::Passive},
	{.name = "both_disconnect",
	 .active_hears = "REP_RECEIVED DREQ_RECEIVED TIMEWAIT_EXIT",
	 .passive_hears = "REQ_RECEIVED RTU_RECEIVED DREQ_RECEIVED TIMEWAIT_EXIT",
	 .retries = 2,
	 .end = End::Both},
	{.name = "both_disconnect_tidy",
	 .active_hears = "REP_RECEIVED DREQ_RECEIVED TIMEWAIT_EXIT",
	 .passive_hears = "REQ_RECEIVED RTU_RECEIVED DREQ_RECEIVED TIMEWAIT_EXIT",
	 .retries = 1,
	 .end = End::Both,
	 .tidy = true},
	{.name = "disconnect_destroy",
	 .active_hears = "REP_RECEIVED DREP_RECEIVED TIMEWAIT_EXIT",
	 .passive_hears = "REQ_RECEIVED RTU_RECEIVED DREQ_RECEIVED",
	 .retries = 2,
	 .end = End::Active,
	 .destroy_on_dreq = true},
	{.name = "active_destroys",
	 .active_hears = "REP_RECEIVED",
	 .passive_hears = "REQ_RECEIVED RTU_RECEIVED DREQ_RECEIVED TIMEWAIT_EXIT",
	 .retries = 2,
	 .end = End::DestroyActive},
	{.name = "passive_destroys",
	 .active_hears = "REP_RECEIVED DREQ_RECEIVED TIMEWAIT_EXIT",
	 .passive_hears = "REQ_RECEIVED RTU_RECEIVED",
	 .retries = 2,
	 .end = End::DestroyPassive,
	 .tidy = true},
	{.name = "both_destroy",
	 .active_hears = "REP_RECEIVED",
	 .passive_hears = "REQ_RECEIVED RTU_RECEIVED",
	 .retries = 2,
	 .end = End::DestroyBoth},
	{.name = "active_destroys_early",
	 .active_hears = "",
	 .passive_hears = "REQ_RECEIVED REJ_RECEIVED",
	 .retries = 2,
	 .end = End::DestroyActiveEarly},
	{.name = "passive_destroys_early",
	 .active_hears = "REP_RECEIVED REJ_RECEIVED TIMEWAIT_EXIT",
	 .passive_hears = "REQ_RECEIVED",
	 .retries = 2,
	 .end = End::DestroyPassiveEarly},
	{.name = "data_before_rtu",
	 .active_hears = "REP_RECEIVED",
	 .passive_hears = "REQ_RECEIVED USER_ESTABLISHED",
	 .retries = 2,
	 .comm_est = true},
	{.name = "data_and_disconnect",
	 .active_hears = "REP_RECEIVED DREQ_RECEIVED TIMEWAIT_EXIT",
	 .passive_hears = "REQ_RECEIVED USER_ESTABLISHED DREP_RECEIVED TIMEWAIT_EXIT",
	 .retries = 2,
	 .on_rep = OnRep::ArmMra,
	 .end = End::Passive,
	 .comm_est = true,
	 .think_ns = 100 * ms},
};

enum class Kind { Lose, Twice, Swap, Mixed };
const char *const kind_names[] = {"lose", "twice", "swap", "mixed"};

Faults faults(Kind kind, uint64_t mask)
{
	if (kind == Kind::Mixed)
		return faults_of(Fault::Mixed, mask);
	return {.lose = kind == Kind::Lose ? mask : 0,
		.twice = kind == Kind::Twice ? mask : 0,
		.swap = kind == Kind::Swap ? mask : 0};
}

std::string story(const Pair &pair)
{
	std::string text;
	char line[160];

	for (const Packet &packet : pair.wire.log()) {
		const cep_msg msg = Wire::parsed(packet.mad);
		std::snprintf(line, sizeof(line), "  %10.3f ms  %s %-4s%s\n",
			      double(packet.at) / ms, packet.from ? "<-" : "->",
			      cep_core_attr_name(msg.attr), packet.lost ? "  (lost)" : "");
		text += line;
		if (msg.attr == CEP_ATTR_REJ) {
			text.pop_back();
			text += " reason " + std::to_string(msg.rej.reason) + "\n";
		}
	}
	for (const Host *host : {&pair.a, &pair.p})
		for (const auto &cep : host->ceps())
			text += std::string(cep->active ? "  active  " : "  passive ") +
				cep_core_state_name(cep->state()) + ": " + cep->history() + "\n";
	return text;
}

/* Says "I am gone" without waiting for an answer: what a half-open connection can come from. */
bool is_farewell(const cep_msg &msg)
{
	return msg.attr == CEP_ATTR_REJ || msg.attr == CEP_ATTR_DREQ || msg.attr == CEP_ATTR_DREP;
}

/* All that must be so once nothing happens any more. */
void rest(const Pair &pair)
{
	for (const Host *host : {&pair.a, &pair.p}) {
		for (const auto &cep : host->ceps()) {
			const unsigned state = cep->state();
			if (cep->deadline || info_of(cep->core).deadline_ns)
				throw Violation("a deadline is left behind");
			if (!in(state, {CEP_STATE_IDLE, CEP_STATE_ESTABLISHED, CEP_STATE_CLOSED}))
				throw Violation(std::string("at rest in ") +
						cep_core_state_name(state));
			if (cep->destroyed != cep->released)
				throw Violation(cep->destroyed ? "destroyed and not released"
							       : "released and not destroyed");
			if (cep->timewait)
				throw Violation("timewait was not left");
			if (host->finds(*cep) != (state == CEP_STATE_ESTABLISHED))
				throw Violation("an index entry that should not be, or the other "
						"way round");
			if (const std::string wrong = unlawful(*cep); !wrong.empty())
				throw Violation("events: " + wrong);
		}
	}
}

/* 1 + retries copies of each request at most; a REP is also repeated for a duplicate. */
void copies(const Pair &pair)
{
	const unsigned most = 1u + pair.scenario.retries;

	if (pair.wire.copies(0, CEP_ATTR_REQ) > most)
		throw Violation("too many copies of a REQ");
	for (unsigned side : {0u, 1u})
		if (pair.wire.copies(side, CEP_ATTR_DREQ) >
		    most * (side ? pair.p.ceps().size() : 1))
			throw Violation("too many copies of a DREQ");
}

struct Tally {
	unsigned up = 0, down = 0, half_open = 0, with_loss = 0;
};

/* A QP whose peer is gone reports it, and its ULP disconnects. */
void break_half_open(Pair &pair, Kind kind, Tally &tally)
{
	Cep *const passive = pair.passive();
	const bool a_up = Pair::up(pair.active), p_up = Pair::up(passive);

	if (a_up == p_up)
		return;
	tally.half_open++;
	const unsigned gone = a_up ? 1 : 0;
	unsigned lost = 0, arrived = 0;
	/* A DREQ that comes before our RTU is left to its repetition, which may be lost */
	const uint64_t since = (a_up ? pair.active : passive)->up_since;
	for (const Packet &packet : pair.wire.log()) {
		const cep_msg msg = Wire::parsed(packet.mad);
		if (packet.from != gone || !is_farewell(msg))
			continue;
		lost += packet.lost;
		arrived += !packet.lost &&
			   (msg.attr != CEP_ATTR_DREQ || packet.at + Wire::latency >= since);
	}
	/* In a mixture a farewell can also be there before what it takes back */
	if (kind != Kind::Mixed && (arrived || !lost))
		throw Violation("one side is up alone, though nothing hid the other's end");
	if (disconnect(a_up ? *pair.active : *passive) != CEP_OK)
		throw Violation("an established CEP cannot disconnect");
	if (!pair.clock.drain(Pair::step_limit))
		throw Violation("does not come to rest");
	if (Pair::up(pair.active) || Pair::up(passive))
		throw Violation("half open for ever");
	rest(pair);
}

void judge(Pair &pair, Kind kind, uint64_t mask, Tally &tally)
{
	const Scenario &s = pair.scenario;

	if (!pair.run())
		throw Violation("does not come to rest");
	rest(pair);
	copies(pair);

	const bool both = Pair::up(pair.active) && Pair::up(pair.passive());
	const bool stays = s.end == End::Never && s.on_req != OnReq::Reject &&
			   s.on_req != OnReq::Destroy && s.on_req != OnReq::MraReject &&
			   s.on_rep != OnRep::Reject && s.on_rep != OnRep::Destroy;
	/* nothing that retries cannot repair, if there are more than MADs hit */
	const bool spared = kind == Kind::Twice || mask == 0 || s.retries > 12;
	if (both && !stays)
		throw Violation("still up");
	if (!both && stays && spared)
		throw Violation("not up");
	(both ? tally.up : tally.down)++;
	break_half_open(pair, kind, tally);

	if (mask == 0) {
		const Cep *const passive = pair.passive();
		if (pair.active->history() != s.active_hears)
			throw Violation(std::string("the active side should hear: ") +
					s.active_hears);
		if (!passive || passive->history() != s.passive_hears)
			throw Violation(std::string("the passive side should hear: ") +
					s.passive_hears);
	}
	if (!pair.teardown())
		throw Violation("does not come to rest after destroy");
	rest(pair);
	for (const Host *host : {&pair.a, &pair.p}) {
		if (host->indexed_ceps() || host->indexed_qpns())
			throw Violation("an index entry is left after destroy");
		if (host->known_ids())
			throw Violation("a comm ID is left after destroy");
	}
}

class Pairs : public ::testing::TestWithParam<unsigned>
{
protected:
	const Scenario &scenario() const { return scenarios[GetParam()]; }

	void run_one(Kind kind, uint64_t mask, Tally &tally, bool tell)
	{
		Pair pair(scenario(), faults(kind, mask));
		try {
			judge(pair, kind, mask, tally);
		} catch (const Violation &v) {
			char replay[64];
			std::snprintf(replay, sizeof(replay), "%s:0x%llx",
				      kind_names[static_cast<int>(kind)],
				      static_cast<unsigned long long>(mask));
			ADD_FAILURE() << scenario().name << " CEP_PAIR=" << replay << ": "
				      << v.what() << "\n"
				      << story(pair);
			return;
		}
		if (tell)
			std::fputs(story(pair).c_str(), stdout);
	}

	void run_all(Kind kind, unsigned bits)
	{
		Tally tally;
		const char *one = std::getenv("CEP_PAIR");

		if (one) {
			const std::string name =
				std::string(kind_names[static_cast<int>(kind)]) + ":";
			if (std::strncmp(one, name.c_str(), name.size()) == 0)
				run_one(kind, std::strtoull(one + name.size(), nullptr, 0), tally,
					true);
			return;
		}
		for (uint64_t mask = 0; mask < uint64_t{1} << bits; mask++) {
			run_one(kind, mask, tally, false);
			if (HasFailure())
				return; /* the smallest mask that fails says most */
		}
		RecordProperty("both_up", static_cast<int>(tally.up));
		RecordProperty("ended", static_cast<int>(tally.down));
		RecordProperty("half_open", static_cast<int>(tally.half_open));
		EXPECT_EQ(tally.up + tally.down, 1u << bits);
	}
};

TEST_P(Pairs, EveryLossMask)
{
	run_all(Kind::Lose, 12);
}

TEST_P(Pairs, EveryMaskOfDoubledMads)
{
	run_all(Kind::Twice, 8);
}

TEST_P(Pairs, EveryMaskOfSwappedMads)
{
	run_all(Kind::Swap, 8);
}

/* Each of the first six lost, doubled, swapped or left alone. */
TEST_P(Pairs, EveryMixture)
{
	run_all(Kind::Mixed, 12);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Pairs,
			 ::testing::Range(0u, static_cast<unsigned>(std::size(scenarios))),
			 [](const auto &info) { return std::string(scenarios[info.param].name); });

} // namespace
} // namespace cep::sim
