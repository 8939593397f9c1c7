/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Any bytes as a MAD: parsing stays within them, what parses can be written and comes
 * back as the same message, and what is sent in answer parses. The first byte of the
 * input says whether the rest is a raw MAD or the body of one with a sound header.
 */
#include "cep_core.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace
{

using Mad = std::array<uint8_t, CEP_MAD_SIZE>;

constexpr size_t header_size = 24;

void expect(bool ok, const char *what, const cep_msg &msg)
{
	if (ok)
		return;
	std::fprintf(stderr, "%s (%s)\n", what, cep_core_attr_name(msg.attr));
	std::abort();
}

cep_msg parsed(const Mad &mad, const char *what)
{
	cep_msg msg;

	std::memset(&msg, 0, sizeof(msg));
	expect(cep_core_parse(mad.data(), mad.size(), &msg) == CEP_PARSE_OK, what, msg);
	return msg;
}

/* parse -> write -> parse -> write: reserved bits fall away, then nothing changes. */
void identity(const cep_msg &msg)
{
	Mad once, twice;

	once.fill(0xa5);
	twice.fill(0x5a);
	if (cep_core_write(&msg, once.data()) != CEP_OK) {
		expect(msg.attr == CEP_ATTR_REQ &&
			       cep_core_check_req(&msg) == CEP_REJ_INVALID_TRANSPORT_TYPE,
		       "what parses cannot be written", msg);
		return;
	}
	const cep_msg again = parsed(once, "what was written does not parse");
	expect(cep_core_write(&again, twice.data()) == CEP_OK, "cannot be written twice", again);
	expect(once == twice, "parse and write are not inverse", again);
	expect(again.tid == msg.tid && again.attr == msg.attr &&
		       again.local_comm_id == msg.local_comm_id &&
		       again.remote_comm_id == msg.remote_comm_id &&
		       again.private_data_len == msg.private_data_len &&
		       !std::memcmp(again.private_data, msg.private_data, msg.private_data_len),
	       "another message came back", again);
}

/* Without a CEP: what goes out in answer is sound and mirrors the message. */
void answers(const cep_msg &msg)
{
	Mad tx;

	cep_redirect to;
	if (cep_core_redirect(&msg, &to))
		expect(to.has_gid || to.has_lid, "a redirection to nowhere", msg);

	if (msg.attr == CEP_ATTR_REQ) {
		const uint16_t reason = cep_core_check_req(&msg);
		cep_port_facts port{};
		cep_refusal refusal;
		port.primary_gid_is_ours = port.alternate_gid_is_ours = 1;
		expect(cep_core_refuse_req(&msg, &port, &refusal) == (reason != 0) &&
			       refusal.reason == reason && refusal.ari_len <= CEP_ARI_SIZE,
		       "another verdict with facts that say nothing", msg);
		cep_core_reject(&msg, reason ? reason : 8, nullptr, 0, tx.data());
		const cep_msg rej = parsed(tx, "a REJ does not parse");
		expect(rej.attr == CEP_ATTR_REJ && rej.remote_comm_id == msg.local_comm_id &&
			       rej.tid == msg.tid && rej.rej.which == CEP_WHICH_REQ,
		       "a REJ that does not mirror the REQ", rej);
		return;
	}
	tx.fill(0xa5);
	const Mad blank = tx;
	if (!cep_core_answer_unknown(&msg, tx.data())) {
		expect(tx == blank, "no answer, but written", msg);
		return;
	}
	const cep_msg answer = parsed(tx, "an answer does not parse");
	expect(answer.tid == msg.tid, "an answer with another TID", answer);
	/* nothing that is answered is an answer: two CMs must not play ping-pong */
	expect(!cep_core_answer_unknown(&answer, tx.data()), "an answer to an answer", answer);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cep_msg msg;

	if (!size)
		return 0;
	const uint8_t mode = data[0];
	data++;
	size--;
	if (mode & 1) {
		const cep_parse result = cep_core_parse(data, size, &msg);
		std::memset(&msg, 0, size < CEP_MAD_SIZE ? sizeof(msg) : 0);
		expect((result == CEP_PARSE_SHORT) == (size < CEP_MAD_SIZE), "a short MAD parses",
		       msg);
		if (result != CEP_PARSE_OK)
			return 0;
		identity(msg);
		answers(msg);
		return 0;
	}

	Mad mad{};
	const size_t body = size < CEP_MAD_SIZE - header_size ? size : CEP_MAD_SIZE - header_size;
	if (body)
		std::memcpy(mad.data() + header_size, data, body);
	mad[0] = 1;
	mad[1] = 7;
	mad[2] = 2;
	mad[3] = 3;
	mad[15] = mode;
	mad[17] = static_cast<uint8_t>(CEP_ATTR_REQ + (mode >> 1) % 11);
	mad[23] = mode;
	if (cep_core_parse(mad.data(), mad.size(), &msg) != CEP_PARSE_OK)
		return 0;
	identity(msg);
	answers(msg);
	return 0;
}
