/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Any sequence of inputs on one engine: commands, the peer's messages right and wrong,
 * messages with random bodies, time, completions, removal. sim/invariants.hh judges each
 * call; on top of that a CEP is released once, and its deadlines end.
 */
#include "sim/inputs.hh"

#include <cstdio>
#include <cstdlib>

namespace
{

using namespace cep::sim;

class Bytes
{
public:
	Bytes(const uint8_t *data, size_t size) : data_(data), size_(size) {}

	bool empty() const { return !size_; }

	uint8_t next()
	{
		if (!size_)
			return 0;
		size_--;
		return *data_++;
	}

private:
	const uint8_t *data_;
	size_t size_;
};

/* A message of any kind with a random body; its IDs are near enough to matter. */
cep_result hear_anything(Solo &s, Bytes &in)
{
	static const uint32_t theirs[] = {peer_id, foreign_id, 0, our_id};
	static const uint32_t ours[] = {our_id, our_id, 0, foreign_id};
	Mad mad{};
	cep_msg msg;

	mad[0] = 1;
	mad[1] = 7;
	mad[2] = 2;
	mad[3] = 3;
	mad[17] = static_cast<uint8_t>(CEP_ATTR_REQ + in.next() % 11);
	const uint8_t ids = in.next();
	for (size_t i = 32; i < mad.size() && !in.empty(); i++)
		mad[i] = i < 72 || ids & 0x10 ? in.next() : 0;
	const auto store = [&](unsigned at, uint32_t id) {
		for (unsigned i = 0; i < 4; i++)
			mad[at + i] = static_cast<uint8_t>(id >> (24 - 8 * i));
	};
	store(24, theirs[ids & 3]);
	if (mad[17] != CEP_ATTR_REQ && mad[17] != CEP_ATTR_SIDR_REQ && mad[17] != CEP_ATTR_SIDR_REP)
		store(28, ours[ids >> 2 & 3]);
	if (cep_core_parse(mad.data(), mad.size(), &msg) != CEP_PARSE_OK)
		return CEP_E_PEER;

	if (msg.attr == CEP_ATTR_REQ) {
		(void)cep_core_classify_req(&s.core, &msg);
		if (s.state() == CEP_STATE_IDLE && !cep_core_check_req(&msg))
			return s.new_req(msg);
		if (cep_core_peer_role(&s.core, &msg, our_guid) != CEP_PEER_NONE)
			return s.peer_req(msg, our_guid);
	}
	if (msg.attr == CEP_ATTR_SIDR_REQ && s.state() == CEP_STATE_IDLE)
		return s.new_sidr_req(msg);
	if (cep_core_expects_lap(&s.core, &msg) && ids & 0x40)
		return s.lap(msg, ids & 0x80 ? in.next() : uint8_t{CEP_APR_SUCCESS}, "kept");
	(void)cep_core_expects_rep(&s.core, &msg);
	(void)cep_core_needs_source(&s.core, &msg);
	return s.hear(msg, ids & 0x20, ids & 0x40 ? "kept" : "");
}

void ask(const Solo &s)
{
	for (cep_qp_state state : {CEP_QP_INIT, CEP_QP_RTR, CEP_QP_RTS}) {
		cep_qp_attr attr;
		(void)cep_core_qp_attr(&s.core, state, &attr);
	}
	(void)cep_core_holds_qpn(&s.core);
}

void play(Bytes in)
{
	Solo s;
	unsigned released = 0;
	const auto &list = inputs();
	const auto account = [&](cep_result result) {
		if (result == CEP_OK)
			released += count(s.acts, CEP_ACT_RELEASE);
		if (released > 1)
			throw Violation("released twice");
		if (s.state() == CEP_STATE_CLOSED && !released)
			throw Violation("closed and never released");
	};

	s.retries = in.next() & 15;
	const uint8_t transport = in.next() & 3;
	s.transport = transport == CEP_TRANSPORT_RD ? uint8_t{CEP_TRANSPORT_RC} : transport;
	while (!in.empty()) {
		const uint8_t what = in.next();
		s.now += uint64_t{1} << (in.next() % 36);
		/* time may have passed the deadline: the timer would have come first */
		while (s.info().deadline_ns && s.now >= s.info().deadline_ns)
			account(s.on_deadline());
		account(what < 200 ? list[what % list.size()].apply(s) : hear_anything(s, in));
		ask(s);
	}

	/* destroyed, and left alone by the peer: it is gone after a bounded time */
	account(s.close());
	for (unsigned steps = 0; s.state() != CEP_STATE_CLOSED; steps++) {
		if (steps > 40)
			throw Violation("lives on after destroy");
		if (steps % 2)
			(void)s.on_sent();
		account(s.deadline());
	}
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try {
		play({data, size});
	} catch (const Violation &v) {
		std::fprintf(stderr, "%s\n", v.what());
		std::abort();
	}
	return 0;
}
