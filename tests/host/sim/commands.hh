/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The ULP's commands beyond those of one connection (ulp.hh): alternate paths, SIDR, peer
 * to peer; and the masks of faults that the pair tests of these run through. No state.
 */
#ifndef CEP_SIM_COMMANDS_HH
#define CEP_SIM_COMMANDS_HH

#include "ulp.hh"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace cep::sim
{

inline cep_result connect_as_peer(Cep &cep, uint8_t retries)
{
	Host &host = cep.host;
	cep_send_req args = req_args(host, cep, host.next_tid(), retries);

	args.peer_to_peer = 1;
	cep.active = true;
	return host.call("send_req", cep, [&](cep_core &core, uint8_t *tx, cep_actions &acts) {
		return cep_core_send_req(&core, host.now(), &args, tx, &acts);
	});
}

/* lid: the address at the far end of the path that is offered. */
inline cep_result offer_path(Cep &cep, uint16_t lid)
{
	static const uint8_t data[] = "another way";
	cep_send_lap args;

	std::memset(&args, 0, sizeof(args));
	args.tid = cep.host.next_tid();
	args.alternate.local_lid = lid;
	args.alternate.remote_lid = lid;
	args.packet_life_time_exp = life_time_exp + 2;
	args.local_ca_ack_delay_exp = ack_delay_exp;
	args.remote_cm_response_timeout_exp = response_exp;
	args.private_data = data;
	args.private_data_len = sizeof(data);
	cep.host.offer_address(lid);
	const cep_result result =
		cep.host.call("send_lap", cep, [&](cep_core &core, uint8_t *tx, cep_actions &acts) {
			return cep_core_send_lap(&core, cep.host.now(), &args, tx, &acts);
		});
	cep.host.offer_address(0);
	return result;
}

inline cep_result answer_path(Cep &cep, uint8_t status)
{
	const auto info = bytes("ten"), data = bytes("agreed, or not");

	cep.host.command_data = info;
	cep.host.command_data.insert(cep.host.command_data.end(), data.begin(), data.end());
	return cep.host.call("send_apr", cep, [&](cep_core &core, uint8_t *tx, cep_actions &acts) {
		return cep_core_send_apr(&core, status, info.data(),
					 static_cast<uint8_t>(info.size()), data.data(),
					 static_cast<uint8_t>(data.size()), tx, &acts);
	});
}

inline cep_result migrate(Cep &cep)
{
	return cep.host.call("migrate", cep, [&](cep_core &core, uint8_t *, cep_actions &acts) {
		return cep_core_migrate(&core, &acts);
	});
}

inline cep_result ask(Cep &cep, uint8_t retries, const std::vector<uint8_t> &question)
{
	cep_send_sidr_req args;

	std::memset(&args, 0, sizeof(args));
	args.tid = cep.host.next_tid();
	args.local_comm_id = cep.id;
	args.service_id = service_id;
	args.pkey = 0xffff;
	args.max_cm_retries = retries;
	args.response_timeout_ns = 300 * ms;
	args.private_data = question.data();
	args.private_data_len = static_cast<uint8_t>(question.size());
	cep.active = true;
	return cep.host.call(
		"send_sidr_req", cep, [&](cep_core &core, uint8_t *tx, cep_actions &acts) {
			return cep_core_send_sidr_req(&core, cep.host.now(), &args, tx, &acts);
		});
}

inline cep_result answer(Cep &cep, uint8_t status, const std::vector<uint8_t> &data)
{
	cep_send_sidr_rep args;

	std::memset(&args, 0, sizeof(args));
	args.qpn = cep.qpn;
	args.qkey = 0x80010000;
	args.status = status;
	args.private_data = data.data();
	args.private_data_len = static_cast<uint8_t>(data.size());
	return cep.host.call("send_sidr_rep", cep,
			     [&](cep_core &core, uint8_t *tx, cep_actions &acts) {
				     return cep_core_send_sidr_rep(&core, &args, tx, &acts);
			     });
}

/* --- every mask of one kind of fault, or of two at once --------------------------------- */

inline std::string ladder(const Wire &wire)
{
	std::string text;
	char line[160];

	for (const Packet &packet : wire.log()) {
		const cep_msg msg = Wire::parsed(packet.mad);
		std::snprintf(line, sizeof(line), "  %10.3f ms  %s %-8s tid %llx%s\n",
			      double(packet.at) / ms, packet.from ? "<-" : "->",
			      cep_core_attr_name(msg.attr),
			      static_cast<unsigned long long>(msg.tid),
			      packet.lost ? "  (lost)" : "");
		text += line;
	}
	return text;
}

inline std::string memoirs(const Host &host)
{
	std::string text;

	for (const auto &cep : host.ceps())
		text += std::string("  ") + cep_core_state_name(cep->state()) + ": " +
			cep->history() + "\n";
	return text;
}

enum class Fault { Lose, Twice, Swap, Mixed };

/* Mixed: each MAD is lost, doubled or swapped, or nothing: two bits of the mask say which. */
inline Faults faults_of(Fault fault, uint64_t mask)
{
	Faults f;

	switch (fault) {
	case Fault::Lose: f.lose = mask; break;
	case Fault::Twice: f.twice = mask; break;
	case Fault::Swap: f.swap = mask; break;
	case Fault::Mixed:
		for (unsigned n = 0; n < 6; n++) {
			const uint64_t bit = uint64_t{1} << n;
			switch (mask >> (2 * n) & 3) {
			case 1: f.lose |= bit; break;
			case 2: f.twice |= bit; break;
			case 3: f.swap |= bit; break;
			}
		}
		break;
	}
	return f;
}

/*
 * run(fault, mask, tell) throws Violation; story() says what happened then. CEP_PAIR=lose:0x21
 * runs one mask and prints it (kinds: lose, twice, swap, mixed).
 */
template <class Run> void every_mask(const char *name, Fault fault, unsigned bits, Run &&run)
{
	static const char *const kinds[] = {"lose", "twice", "swap", "mixed"};
	const char *const kind = kinds[static_cast<int>(fault)];
	const char *const one = std::getenv("CEP_PAIR");
	uint64_t mask = 0, end = uint64_t{1} << bits;
	bool tell = false;

	if (one) {
		const size_t n = std::strlen(kind);
		if (std::strncmp(one, kind, n) != 0 || one[n] != ':')
			return;
		mask = std::strtoull(one + n + 1, nullptr, 0);
		end = mask + 1;
		tell = true;
	}
	for (; mask < end; mask++) {
		std::string story;
		try {
			run(faults_of(fault, mask), mask, story);
		} catch (const Violation &v) {
			ADD_FAILURE() << name << " CEP_PAIR=" << kind << ":0x" << std::hex << mask
				      << ": " << v.what() << "\n"
				      << story;
			return; /* the smallest mask that fails says most */
		}
		if (tell)
			std::fputs(story.c_str(), stdout);
	}
}

/* Whether what was hit can be repaired by this many retries for certain. */
constexpr bool spared(Fault fault, uint64_t mask, unsigned retries)
{
	return fault == Fault::Twice || mask == 0 || retries > 12;
}

inline void at_rest(const Host &host)
{
	for (const auto &cep : host.ceps()) {
		const cep_info info = info_of(cep->core);
		if (cep->deadline || info.deadline_ns)
			throw Violation("a deadline is left behind");
		if (requests(info))
			throw Violation("a request is left behind");
		if (cep->held)
			throw Violation("an address is held for nothing");
		if (cep->destroyed != cep->released)
			throw Violation("destroyed and not released, or the other way round");
	}
}

inline void nothing_left(const Host &host)
{
	at_rest(host);
	if (host.indexed_ceps() || host.indexed_qpns() || host.pending_sidr())
		throw Violation("an index entry is left after destroy");
	if (host.known_ids())
		throw Violation("a comm ID is left after destroy");
}

} // namespace cep::sim

#endif /* CEP_SIM_COMMANDS_HH */
