/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What a CM refuses in a REQ before any ULP sees it, with reason and additional
 * information (IBA 12.6.7, table 109); that what real CMs send passes; ClassPortInfo, other
 * Gets, and redirects (IBA 13.4.8.1). Functions without a CEP, no state.
 */
#include "sim/wire_table.hh"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace cep::sim
{
namespace
{

using Change = std::function<void(cep_req &)>;

void set_gid(uint8_t (&gid)[16], uint8_t first, uint8_t last)
{
	std::memset(gid, 0, sizeof(gid));
	gid[0] = first;
	gid[15] = last;
}

/* As one InfiniBand port sends it to another of its subnet. */
cep_msg ib_req()
{
	cep_msg msg;

	std::memset(&msg, 0, sizeof(msg));
	msg.attr = CEP_ATTR_REQ;
	msg.local_comm_id = 1;
	msg.req.local_qpn = 2;
	msg.req.pkey = 0xffff;
	msg.req.path_mtu = 4;
	msg.req.primary.local_lid = 5;
	msg.req.primary.remote_lid = 6;
	set_gid(msg.req.primary.local_gid, 0xfe, 5);
	set_gid(msg.req.primary.remote_gid, 0xfe, 6);
	msg.req.primary.subnet_local = 1;
	msg.req.primary.packet_rate = 3;
	return msg;
}

/* RoCE has no LIDs, and a rate of 0 where the speed is not known. */
cep_msg roce_req()
{
	cep_msg msg = ib_req();

	msg.req.primary.local_lid = msg.req.primary.remote_lid = 0;
	msg.req.primary.packet_rate = 0;
	msg.req.primary.hop_limit = 64;
	msg.req.primary.subnet_local = 0;
	return msg;
}

cep_msg with_alternate(cep_msg msg)
{
	msg.req.alternate = msg.req.primary;
	msg.req.alternate.local_lid = 7;
	msg.req.alternate.remote_lid = 6;
	set_gid(msg.req.alternate.local_gid, 0xfe, 7);
	return msg;
}

cep_port_facts port()
{
	cep_port_facts facts;

	std::memset(&facts, 0, sizeof(facts));
	set_gid(facts.gid, 0xfe, 6);
	facts.lid = 6;
	facts.max_mtu = 4;
	facts.packet_rate = 7;
	facts.primary_gid_is_ours = facts.alternate_gid_is_ours = 1;
	return facts;
}

std::vector<uint8_t> ari(const cep_refusal &r)
{
	return {r.ari, r.ari + r.ari_len};
}

struct Case {
	const char *what;
	unsigned reason;
	std::vector<uint8_t> ari; /* where the port is known */
	void (*change)(cep_msg &);
};

const std::vector<uint8_t> our_gid = {0xfe, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6};

const Case refused[] = {
	{"RD", 9, {}, [](cep_msg &m) { m.req.transport = CEP_TRANSPORT_RD; }},
	{"a reserved transport", 9, {}, [](cep_msg &m) { m.req.transport = 4; }},
	{"an RDC", 11, {}, [](cep_msg &m) { m.req.rdc_exists = 1; }},
	{"no sender's address", 12, our_gid,
	 [](cep_msg &m) {
		 m.req.primary.local_lid = 0;
		 std::memset(m.req.primary.local_gid, 0, 16);
	 }},
	{"no receiver's address", 12, our_gid,
	 [](cep_msg &m) {
		 m.req.primary.remote_lid = 0;
		 std::memset(m.req.primary.remote_gid, 0, 16);
	 }},
	{"a sender that is a multicast group", 12, our_gid,
	 [](cep_msg &m) { m.req.primary.local_gid[0] = 0xff; }},
	{"a receiver that is a multicast group", 12, our_gid,
	 [](cep_msg &m) { m.req.primary.remote_gid[0] = 0xff; }},
	{"a sender with a multicast LID",
	 13,
	 {0, 6},
	 [](cep_msg &m) { m.req.primary.local_lid = 0xc000; }},
	{"a receiver with a multicast LID",
	 13,
	 {0, 6},
	 [](cep_msg &m) { m.req.primary.remote_lid = 0xfffe; }},
	{"a reserved rate", 17, {7}, [](cep_msg &m) { m.req.primary.packet_rate = 1; }},
	{"an MTU of 0", 26, {4}, [](cep_msg &m) { m.req.path_mtu = 0; }},
	{"an MTU that does not exist", 26, {4}, [](cep_msg &m) { m.req.path_mtu = 6; }},
	{"no partition", 5, {}, [](cep_msg &m) { m.req.pkey = 0x8000; }},
	{"an alternate multicast GID", 18, our_gid,
	 [](cep_msg &m) {
		 m = with_alternate(m);
		 m.req.alternate.local_gid[0] = 0xff;
	 }},
	{"an alternate path to nowhere", 18, our_gid,
	 [](cep_msg &m) {
		 m = with_alternate(m);
		 m.req.alternate.remote_lid = 0;
		 std::memset(m.req.alternate.remote_gid, 0, 16);
	 }},
	{"an alternate multicast LID",
	 19,
	 {0, 6},
	 [](cep_msg &m) {
		 m = with_alternate(m);
		 m.req.alternate.remote_lid = 0xc001;
	 }},
	{"a reserved alternate rate",
	 23,
	 {7},
	 [](cep_msg &m) {
		 m = with_alternate(m);
		 m.req.alternate.packet_rate = 1;
	 }},
};

TEST(CheckReq, RefusesWhatItMustWithReasonAndInformation)
{
	const cep_port_facts facts = port();

	for (const Case &c : refused) {
		cep_msg msg = ib_req();
		cep_refusal r;
		c.change(msg);
		EXPECT_EQ(cep_core_check_req(&msg), c.reason) << c.what;
		ASSERT_EQ(cep_core_refuse_req(&msg, nullptr, &r), 1) << c.what;
		EXPECT_EQ(r.reason, c.reason) << c.what;
		ASSERT_EQ(cep_core_refuse_req(&msg, &facts, &r), 1) << c.what;
		EXPECT_EQ(r.reason, c.reason) << c.what;
		EXPECT_EQ(ari(r), c.ari) << c.what;

		/* and the REJ that comes of it */
		uint8_t tx[CEP_MAD_SIZE];
		cep_msg rej;
		cep_core_reject(&msg, r.reason, r.ari, r.ari_len, tx);
		ASSERT_EQ(cep_core_parse(tx, sizeof(tx), &rej), CEP_PARSE_OK) << c.what;
		EXPECT_EQ(rej.rej.reason, c.reason) << c.what;
		EXPECT_EQ(rej.rej.which, CEP_WHICH_REQ) << c.what;
		EXPECT_EQ(std::vector<uint8_t>(rej.rej.ari, rej.rej.ari + rej.rej.ari_len), c.ari)
			<< c.what;
	}
}

TEST(CheckReq, RefusesWhatDoesNotLeadToThisPort)
{
	cep_refusal r;

	cep_port_facts facts = port();
	facts.primary_gid_is_ours = 0;
	cep_msg msg = ib_req();
	ASSERT_EQ(cep_core_refuse_req(&msg, &facts, &r), 1);
	EXPECT_EQ(r.reason, 12);
	EXPECT_EQ(ari(r), our_gid);

	facts = port();
	facts.alternate_gid_is_ours = 0;
	EXPECT_EQ(cep_core_refuse_req(&msg, &facts, &r), 0) << "there is no alternate path";
	msg = with_alternate(msg);
	ASSERT_EQ(cep_core_refuse_req(&msg, &facts, &r), 1);
	EXPECT_EQ(r.reason, 18);

	facts = port();
	msg = ib_req();
	msg.req.primary.remote_lid = 9;
	ASSERT_EQ(cep_core_refuse_req(&msg, &facts, &r), 1);
	EXPECT_EQ(r.reason, 13);
	EXPECT_EQ(ari(r), (std::vector<uint8_t>{0, 6}));
	msg.req.primary.subnet_local = 0;
	EXPECT_EQ(cep_core_refuse_req(&msg, &facts, &r), 0) << "the LID is a router's";
	/* 8..11 are one port with an LMC of 2 */
	msg.req.primary.subnet_local = 1;
	facts.lid = 8;
	facts.lmc = 2;
	EXPECT_EQ(cep_core_refuse_req(&msg, &facts, &r), 0);
	msg.req.primary.remote_lid = 12;
	EXPECT_EQ(cep_core_refuse_req(&msg, &facts, &r), 1);

	facts = port();
	facts.max_mtu = 3;
	msg = ib_req();
	ASSERT_EQ(cep_core_refuse_req(&msg, &facts, &r), 1);
	EXPECT_EQ(r.reason, 26);
	EXPECT_EQ(ari(r), std::vector<uint8_t>{3});
	facts.max_mtu = 0;
	EXPECT_EQ(cep_core_refuse_req(&msg, &facts, &r), 0) << "not to be compared";
}

TEST(CheckReq, PassesWhatCmsSend)
{
	const cep_port_facts facts = port();
	cep_port_facts roce = port();
	std::vector<std::pair<const char *, cep_msg>> good;

	roce.lid = 0;
	good.emplace_back("IB", ib_req());
	good.emplace_back("IB with an alternate path", with_alternate(ib_req()));
	good.emplace_back("RoCE", roce_req());
	cep_msg msg = ib_req();
	msg.req.primary.local_lid = msg.req.primary.remote_lid = 0xffff;
	good.emplace_back("long LIDs: permissive ones, and GIDs", msg);
	msg = roce_req();
	set_gid(msg.req.primary.local_gid, 0, 1); /* ::1, and v4-mapped ones alike */
	good.emplace_back("IPv4-mapped", msg);
	msg = ib_req();
	std::memset(msg.req.primary.local_gid, 0, 16);
	std::memset(msg.req.primary.remote_gid, 0, 16);
	good.emplace_back("LIDs alone", msg);
	for (uint8_t transport : {CEP_TRANSPORT_RC, CEP_TRANSPORT_UC, CEP_TRANSPORT_XRC}) {
		msg = ib_req();
		msg.req.transport = transport;
		good.emplace_back("every transport", msg);
	}
	for (uint8_t mtu = 1; mtu <= 4; mtu++) {
		msg = ib_req();
		msg.req.path_mtu = mtu;
		good.emplace_back("every MTU of the port", msg);
	}
	msg = ib_req();
	msg.req.pkey = 0x7fff; /* limited member */
	good.emplace_back("a limited P_Key", msg);
	/* numbers that a CM has no opinion on, at their extremes */
	msg = ib_req();
	msg.req.responder_resources = msg.req.initiator_depth = 255;
	msg.req.retry_count = msg.req.rnr_retry_count = 7;
	msg.req.max_cm_retries = 15;
	msg.req.remote_cm_response_timeout_exp = msg.req.local_cm_response_timeout_exp = 31;
	msg.req.primary.local_ack_timeout_exp = 31;
	msg.req.primary.flow_label = 0xfffff;
	msg.req.primary.sl = 15;
	msg.req.primary.hop_limit = 255;
	msg.req.primary.traffic_class = 255;
	msg.req.local_eecn = msg.req.remote_eecn = 0xffffff;
	msg.req.local_qkey = 0xffffffff;
	good.emplace_back("extremes", msg);
	msg.req.remote_cm_response_timeout_exp = msg.req.local_cm_response_timeout_exp = 0;
	msg.req.max_cm_retries = msg.req.retry_count = 0;
	good.emplace_back("zeroes", msg);

	for (const auto &[what, req] : good) {
		cep_refusal r;
		EXPECT_EQ(cep_core_check_req(&req), 0) << what;
		const bool lids = req.req.primary.local_lid != 0;
		EXPECT_EQ(cep_core_refuse_req(&req, lids ? &facts : &roce, &r), 0)
			<< what << ": " << r.reason;
	}
}

TEST(CheckReq, ReservedBitsAreIgnored)
{
	const cep_msg req = ib_req();
	cep_msg parsed;
	Mad mad;
	unsigned flipped = 0;

	const WireMessage &wm = wire_messages()[0];
	ASSERT_EQ(wm.attr, CEP_ATTR_REQ);
	for (unsigned bit = mad_header_size * 8; bit < wm.private_data_at() * 8; bit++) {
		bool owned = false;
		for (const WireField &f : wm.fields)
			owned = owned || f.owns(bit);
		const unsigned at = bit / 8 - mad_header_size, in_byte = bit % 8;
		/* the transport types have no row in the table */
		owned = owned || (at == 43 && (in_byte == 5 || in_byte == 6)) ||
			(at == 51 && in_byte >= 5);
		if (owned)
			continue;
		ASSERT_EQ(cep_core_write(&req, mad.data()), CEP_OK);
		flip_mad_bit(mad, bit);
		ASSERT_EQ(cep_core_parse(mad.data(), mad.size(), &parsed), CEP_PARSE_OK) << bit;
		EXPECT_EQ(cep_core_check_req(&parsed), 0) << bit;
		flipped++;
	}
	EXPECT_GT(flipped, 50u);
}

TEST(CheckReq, AnotherClassVersionIsToldOurs)
{
	cep_refusal r;

	cep_core_refuse_version(&r);
	EXPECT_EQ(r.reason, CEP_REJ_INVALID_CLASS_VERSION);
	EXPECT_EQ(ari(r), std::vector<uint8_t>{2});
}

/* --- Gets ------------------------------------------------------------------------------------ */

Mad get(uint8_t method, uint16_t attr)
{
	Mad mad{};

	mad[0] = 1;
	mad[1] = 7;
	mad[2] = 2;
	mad[3] = method;
	for (unsigned i = 0; i < 8; i++)
		mad[8 + i] = static_cast<uint8_t>(0x10 + i);
	mad[16] = static_cast<uint8_t>(attr >> 8);
	mad[17] = static_cast<uint8_t>(attr);
	mad[23] = 9;
	return mad;
}

unsigned status(const Mad &mad)
{
	return unsigned{mad[4]} << 8 | mad[5];
}

TEST(Get, ClassPortInfoIsAnswered)
{
	const Mad mad = get(1, CEP_ATTR_CLASS_PORT_INFO);
	cep_class_port_info info;
	Mad tx;

	tx.fill(0xa5);
	ASSERT_EQ(cep_core_answer_get(mad.data(), mad.size(), 18, tx.data()), 1);
	EXPECT_EQ(tx[0], 1);
	EXPECT_EQ(tx[1], 7);
	EXPECT_EQ(tx[2], 2);
	EXPECT_EQ(tx[3], 0x81);
	EXPECT_EQ(status(tx), 0u);
	EXPECT_EQ(0, std::memcmp(&tx[8], &mad[8], 8)) << "the TID";
	EXPECT_EQ(0, std::memcmp(&tx[16], &mad[16], 8)) << "attribute and modifier";
	ASSERT_EQ(cep_core_parse_class_port_info(&tx[24], tx.size() - 24, &info), 1);
	EXPECT_EQ(info.base_version, 1);
	EXPECT_EQ(info.class_version, 2);
	EXPECT_EQ(info.resp_time_exp, 18);
	EXPECT_EQ(info.redirect_lid, 0);
	for (size_t i = 24 + 8; i < tx.size(); i++)
		EXPECT_EQ(tx[i], 0) << i;
}

TEST(Get, EverythingElseIsUnsupported)
{
	Mad tx;

	for (unsigned attr = 0; attr < 0x100; attr++) {
		const Mad mad = get(1, static_cast<uint16_t>(attr));
		ASSERT_EQ(cep_core_answer_get(mad.data(), mad.size(), 18, tx.data()), 1);
		EXPECT_EQ(status(tx), attr == CEP_ATTR_CLASS_PORT_INFO ? 0u : 0x0cu) << attr;
		EXPECT_EQ(tx[17], attr);
	}
	Mad mad = get(2, CEP_ATTR_CLASS_PORT_INFO);
	ASSERT_EQ(cep_core_answer_get(mad.data(), mad.size(), 18, tx.data()), 1);
	EXPECT_EQ(status(tx), 0x08u) << "Set";
	mad = get(1, CEP_ATTR_CLASS_PORT_INFO);
	mad[2] = 1;
	ASSERT_EQ(cep_core_answer_get(mad.data(), mad.size(), 18, tx.data()), 1);
	EXPECT_EQ(status(tx), 0x04u) << "another version";
}

TEST(Get, NothingButGetAndSetOfThisClassIsForHere)
{
	Mad tx, untouched;

	tx.fill(0xa5);
	untouched.fill(0xa5);
	for (unsigned method = 0; method < 0x100; method++) {
		const Mad mad = get(static_cast<uint8_t>(method), CEP_ATTR_CLASS_PORT_INFO);
		if (method == 1 || method == 2)
			continue;
		EXPECT_EQ(cep_core_answer_get(mad.data(), mad.size(), 18, tx.data()), 0);
	}
	for (unsigned byte : {0u, 1u}) {
		Mad mad = get(1, CEP_ATTR_CLASS_PORT_INFO);
		mad[byte]++;
		EXPECT_EQ(cep_core_answer_get(mad.data(), mad.size(), 18, tx.data()), 0);
	}
	const Mad mad = get(1, CEP_ATTR_CLASS_PORT_INFO);
	for (size_t len = 0; len < CEP_MAD_SIZE; len++)
		EXPECT_EQ(cep_core_answer_get(mad.data(), len, 18, tx.data()), 0);
	EXPECT_EQ(tx, untouched);
}

/* --- redirects ------------------------------------------------------------------------------- */

/* Bytes of the book's layout, by hand. */
std::vector<uint8_t> port_info_bytes()
{
	std::vector<uint8_t> b(CEP_ARI_SIZE);

	b[0] = 1;
	b[1] = 2;
	b[3] = 0x40;
	b[7] = 0xe0 | 17; /* the low bits of CapabilityMask2, RespTimeValue */
	b[8] = 0xfe;
	b[23] = 0x77;
	b[24] = 0x12; /* traffic class */
	b[25] = 0x3a; /* SL 3, flow label 0xabcde */
	b[26] = 0xbc;
	b[27] = 0xde;
	b[28] = 0x01; /* LID 0x0102 */
	b[29] = 0x02;
	b[30] = 0x80; /* P_Key 0x8001 */
	b[31] = 0x01;
	b[33] = 0x00; /* QP 0x000456 */
	b[34] = 0x04;
	b[35] = 0x56;
	b[36] = 0x80; /* Q_Key 0x80010000 */
	b[37] = 0x01;
	return b;
}

cep_msg rej(uint16_t reason, const std::vector<uint8_t> &info)
{
	cep_msg msg;

	std::memset(&msg, 0, sizeof(msg));
	msg.attr = CEP_ATTR_REJ;
	msg.rej.reason = reason;
	msg.rej.ari = info.data();
	msg.rej.ari_len = static_cast<uint8_t>(info.size());
	return msg;
}

TEST(Redirect, IsParsedWherever)
{
	const std::vector<uint8_t> bytes = port_info_bytes();
	cep_msg apr, sidr;

	std::memset(&apr, 0, sizeof(apr));
	apr.attr = CEP_ATTR_APR;
	apr.apr.status = CEP_APR_REDIRECT;
	apr.apr.info = bytes.data();
	apr.apr.info_len = CEP_ARI_SIZE;
	std::memset(&sidr, 0, sizeof(sidr));
	sidr.attr = CEP_ATTR_SIDR_REP;
	sidr.sidr_rep.status = CEP_SIDR_REDIRECT;
	sidr.sidr_rep.info = bytes.data();
	sidr.sidr_rep.info_len = CEP_ARI_SIZE;

	for (const cep_msg &msg : {rej(24, bytes), rej(25, bytes), apr, sidr}) {
		cep_redirect to;
		ASSERT_EQ(cep_core_redirect(&msg, &to), 1);
		EXPECT_EQ(to.cm_too, msg.attr != CEP_ATTR_REJ || msg.rej.reason == 24);
		EXPECT_TRUE(to.has_info && to.has_gid && to.has_lid);
		EXPECT_EQ(to.info.capability_mask, 0x40);
		EXPECT_EQ(to.info.capability_mask2, 7u);
		EXPECT_EQ(to.info.resp_time_exp, 17);
		EXPECT_EQ(to.info.redirect_gid[0], 0xfe);
		EXPECT_EQ(to.info.redirect_gid[15], 0x77);
		EXPECT_EQ(to.info.redirect_tc, 0x12);
		EXPECT_EQ(to.info.redirect_sl, 3);
		EXPECT_EQ(to.info.redirect_flow_label, 0xabcdeu);
		EXPECT_EQ(to.info.redirect_lid, 0x0102);
		EXPECT_EQ(to.info.redirect_pkey, 0x8001);
		EXPECT_EQ(to.info.redirect_qpn, 0x456u);
		EXPECT_EQ(to.info.redirect_qkey, 0x80010000u);
	}
}

TEST(Redirect, NeedsAReasonAndAPlace)
{
	std::vector<uint8_t> bytes = port_info_bytes();
	cep_redirect to;

	for (uint16_t reason = 0; reason < 40; reason++) {
		const cep_msg msg = rej(reason, bytes);
		EXPECT_EQ(cep_core_redirect(&msg, &to), reason == 24 || reason == 25) << reason;
	}
	for (size_t len = 0; len < CEP_ARI_SIZE; len++) {
		const std::vector<uint8_t> part(bytes.begin(), bytes.begin() + long(len));
		cep_msg msg = rej(24, part);
		EXPECT_EQ(cep_core_redirect(&msg, &to), 0) << len;
		/* known gateways give reason 25 the GID and nothing else */
		msg = rej(25, part);
		EXPECT_EQ(cep_core_redirect(&msg, &to), len >= 16) << len;
		EXPECT_EQ(to.has_info, 0);
	}
	const std::vector<uint8_t> nowhere(CEP_ARI_SIZE);
	const cep_msg msg = rej(24, nowhere);
	EXPECT_EQ(cep_core_redirect(&msg, &to), 0);
	const cep_msg missing = rej(24, {});
	EXPECT_EQ(cep_core_redirect(&missing, &to), 0);
}

} // namespace
} // namespace cep::sim
