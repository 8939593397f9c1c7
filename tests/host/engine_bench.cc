/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * How long the engine takes for one message: decode, transition, encode. Times
 * whole handshakes of two CEPs (REQ, REP, RTU, DREQ, DREP) without sanitizers and
 * without clearing anything that the shell would not clear, and prints the time
 * of one message. Not part of the tests: run it by hand.
 */
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "harness.hh"

using namespace cep_test;

namespace
{

constexpr int messages = 5;

/* Returns whether all went well; every step is checked, so nothing is optimised away. */
bool connection(uint64_t &now)
{
	Mad mad;
	cep_msg msg;
	cep_core active;
	cep_core passive;
	cep_actions acts;
	const cep_facts facts{};
	static const cep_send_req req = req_args();
	static const cep_send_rep rep = rep_args();
	const auto decode = [&] {
		return cep_core_parse(mad.data(), mad.size(), &msg) == CEP_PARSE_OK;
	};
	const auto feed = [&](cep_core &core) {
		return cep_core_on_message(&core, now, &msg, &facts, mad.data(), &acts) == CEP_OK;
	};

	now += 100;
	cep_core_init(&active);
	cep_core_init(&passive);
	return cep_core_send_req(&active, now, &req, mad.data(), &acts) == CEP_OK && decode() &&
	       cep_core_on_new_req(&passive, now, &msg, peer_id, &acts) == CEP_OK &&
	       cep_core_send_rep(&passive, now, &rep, mad.data(), &acts) == CEP_OK && decode() &&
	       feed(active) &&
	       cep_core_send_rtu(&active, nullptr, 0, mad.data(), &acts) == CEP_OK && decode() &&
	       feed(passive) &&
	       cep_core_send_dreq(&active, now, 1, nullptr, 0, mad.data(), &acts) == CEP_OK &&
	       decode() && feed(passive) &&
	       cep_core_send_drep(&passive, now, nullptr, 0, mad.data(), &acts) == CEP_OK &&
	       decode() && feed(active);
}

} // namespace

int main()
{
	using clock = std::chrono::steady_clock;
	constexpr int batches = 50;
	constexpr int rounds = 20000;
	uint64_t now = 0;
	double best = 1e9;

	/* The fastest batch is the one that other programs disturbed least. */
	for (int batch = 0; batch < batches; batch++) {
		const auto begin = clock::now();
		for (int i = 0; i < rounds; i++) {
			if (!connection(now))
				return 1;
		}
		const std::chrono::duration<double, std::nano> spent = clock::now() - begin;
		best = std::min(best, spent.count() / rounds / messages);
	}
	printf("engine: %.1f ns for decode + transition + encode of one message\n", best);
	return 0;
}
