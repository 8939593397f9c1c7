/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The codec where a field has more than a width: which header a CM takes, what it
 * calls senseless, what a REQ may ask for, and the answers that need no CEP.
 */
#include "harness.hh"

using namespace cep_test;

namespace
{

Mad written(const cep_msg &msg)
{
	Mad mad{};

	mad.fill(0xa5);
	EXPECT_EQ(cep_core_write(&msg, mad.data()), CEP_OK);
	return mad;
}

cep_parse parsed(const Mad &mad, cep_msg *msg)
{
	memset(msg, 0, sizeof(*msg));
	return cep_core_parse(mad.data(), mad.size(), msg);
}

cep_parse parsed(const Mad &mad)
{
	cep_msg msg;
	return parsed(mad, &msg);
}

TEST(Header, IsTheCmClass)
{
	const Mad mad = written(from_peer(CEP_ATTR_REQ));

	EXPECT_EQ(mad[0], 1);
	EXPECT_EQ(mad[1], 0x07);
	EXPECT_EQ(mad[2], 2);
	EXPECT_EQ(mad[3], 0x03);
	EXPECT_EQ(mad[4] | mad[5], 0) << "status";
	EXPECT_EQ(mad[16] << 8 | mad[17], CEP_ATTR_REQ);
}

TEST(Header, RefusesAllOtherVersionsClassesAndMethods)
{
	const Mad good = written(from_peer(CEP_ATTR_RTU));
	const struct {
		unsigned at;
		cep_parse result;
	} rows[] = {
		{0, CEP_PARSE_BASE_VERSION},
		{1, CEP_PARSE_CLASS},
		{2, CEP_PARSE_CLASS_VERSION},
		{3, CEP_PARSE_METHOD},
	};
	for (const auto &row : rows) {
		for (unsigned value = 0; value < 256; value++) {
			Mad mad = good;
			mad[row.at] = static_cast<uint8_t>(value);
			EXPECT_EQ(parsed(mad), value == good[row.at] ? CEP_PARSE_OK : row.result);
		}
	}
}

TEST(Header, KnowsElevenAttributes)
{
	int known = 0;

	for (unsigned attr = 0; attr < 0x10000; attr++) {
		Mad mad = written(from_peer(CEP_ATTR_RTU));
		mad[16] = static_cast<uint8_t>(attr >> 8);
		mad[17] = static_cast<uint8_t>(attr);
		known += parsed(mad) != CEP_PARSE_ATTR;
	}
	EXPECT_EQ(known, 11);
}

TEST(Header, ARequestOfAnotherVersionCanBeRejected)
{
	Mad mad = written(from_peer(CEP_ATTR_REQ));
	cep_msg msg;
	cep_msg rej;
	Mad tx;

	mad[2] = 3;
	ASSERT_EQ(parsed(mad, &msg), CEP_PARSE_CLASS_VERSION);
	cep_core_reject(&msg, CEP_REJ_INVALID_CLASS_VERSION, nullptr, 0, tx.data());
	ASSERT_EQ(parsed(tx, &rej), CEP_PARSE_OK);
	EXPECT_EQ(rej.tid, req_tid);
	EXPECT_EQ(rej.remote_comm_id, peer_id);
	EXPECT_EQ(rej.rej.which, CEP_WHICH_REQ);
	EXPECT_EQ(rej.rej.reason, CEP_REJ_INVALID_CLASS_VERSION);
}

TEST(Sense, IdsThatNobodyHas)
{
	for (cep_attr attr : {CEP_ATTR_REP, CEP_ATTR_RTU, CEP_ATTR_DREQ, CEP_ATTR_DREP,
			      CEP_ATTR_MRA, CEP_ATTR_LAP, CEP_ATTR_APR}) {
		Mad mad = written(from_peer(attr));
		SCOPED_TRACE(cep_core_attr_name(attr));
		memset(mad.data() + 24, 0, 4);
		EXPECT_EQ(parsed(mad), CEP_PARSE_FIELD);
		mad = written(from_peer(attr));
		memset(mad.data() + 28, 0, 4);
		EXPECT_EQ(parsed(mad), CEP_PARSE_FIELD);
	}
	Mad req = written(from_peer(CEP_ATTR_REQ));
	memset(req.data() + 24, 0, 4);
	EXPECT_EQ(parsed(req), CEP_PARSE_FIELD);

	/* who rejects a REQ, or gives up on one, lacks one of the two */
	cep_msg rej = rej_from_peer(CEP_WHICH_REQ, 8);
	rej.local_comm_id = 0;
	EXPECT_EQ(parsed(written(rej)), CEP_PARSE_OK);
	rej = rej_from_peer(CEP_WHICH_OTHER, 4);
	rej.remote_comm_id = 0;
	EXPECT_EQ(parsed(written(rej)), CEP_PARSE_OK);
	rej.local_comm_id = 0;
	EXPECT_EQ(cep_core_write(&rej, req.data()), CEP_E_ARG);
}

TEST(Sense, QpnsOfTheManagementQps)
{
	Mad mad = written(from_peer(CEP_ATTR_REQ));

	for (uint8_t qpn : {0, 1, 2}) {
		memset(mad.data() + 24 + 32, 0, 3);
		mad[24 + 34] = qpn;
		EXPECT_EQ(parsed(mad), qpn > 1 ? CEP_PARSE_OK : CEP_PARSE_FIELD);
	}
}

TEST(Sense, LengthsBeyondTheirField)
{
	for (unsigned len = 0; len < 128; len++) {
		Mad mad = written(rej_from_peer(CEP_WHICH_REP, 28));
		mad[24 + 9] = static_cast<uint8_t>(len << 1);
		EXPECT_EQ(parsed(mad), len <= CEP_ARI_SIZE ? CEP_PARSE_OK : CEP_PARSE_FIELD);
	}
	for (unsigned len = 0; len < 256; len++) {
		Mad mad = written(from_peer(CEP_ATTR_APR));
		mad[24 + 8] = static_cast<uint8_t>(len);
		EXPECT_EQ(parsed(mad), len <= CEP_ARI_SIZE ? CEP_PARSE_OK : CEP_PARSE_FIELD);
	}
}

TEST(Sense, AllOnesIsNoMessage)
{
	Mad mad;
	cep_msg msg;

	for (uint16_t attr = CEP_ATTR_REQ; attr <= CEP_ATTR_APR; attr++) {
		mad = written(from_peer(CEP_ATTR_RTU));
		mad[16] = 0;
		mad[17] = static_cast<uint8_t>(attr);
		memset(mad.data() + 24, 0xff, mad.size() - 24);
		/* a body without enumerations or lengths may be all ones */
		if (parsed(mad, &msg) == CEP_PARSE_OK) {
			EXPECT_TRUE(attr == CEP_ATTR_REQ || attr == CEP_ATTR_REP ||
				    attr == CEP_ATTR_RTU || attr == CEP_ATTR_DREQ ||
				    attr == CEP_ATTR_DREP || attr == CEP_ATTR_LAP ||
				    attr == CEP_ATTR_SIDR_REQ)
				<< cep_core_attr_name(attr);
		}
		if (attr == CEP_ATTR_REQ) {
			EXPECT_EQ(cep_core_check_req(&msg), CEP_REJ_INVALID_TRANSPORT_TYPE);
		}
	}
}

TEST(Request, WhatItMayAskFor)
{
	const auto reason = [](auto change) {
		cep_msg req = from_peer(CEP_ATTR_REQ);
		change(req.req);
		return cep_core_check_req(&req);
	};
	EXPECT_EQ(reason([](auto &) {}), 0);
	EXPECT_EQ(reason([](auto &r) { r.transport = CEP_TRANSPORT_UC; }), 0);
	EXPECT_EQ(reason([](auto &r) { r.transport = CEP_TRANSPORT_XRC; }), 0);
	EXPECT_EQ(reason([](auto &r) { r.transport = CEP_TRANSPORT_RD; }), 9);
	EXPECT_EQ(reason([](auto &r) { r.transport = 4; }), 9);
	EXPECT_EQ(reason([](auto &r) { r.rdc_exists = 1; }), 11);
	EXPECT_EQ(reason([](auto &r) { r.path_mtu = 0; }), 26);
	EXPECT_EQ(reason([](auto &r) { r.path_mtu = 6; }), 26);
	EXPECT_EQ(reason([](auto &r) { r.path_mtu = 1; }), 0);
	EXPECT_EQ(reason([](auto &r) { r.path_mtu = 5; }), 0);
}

TEST(Request, OnlyOneExtendedTransportIsXrc)
{
	cep_msg msg = from_peer(CEP_ATTR_REQ);

	msg.req.transport = CEP_TRANSPORT_XRC;
	Mad mad = written(msg);
	for (uint8_t type = 0; type < 8; type++) {
		mad[24 + 51] = static_cast<uint8_t>((mad[24 + 51] & ~7) | type);
		ASSERT_EQ(parsed(mad, &msg), CEP_PARSE_OK);
		EXPECT_EQ(cep_core_check_req(&msg), type == 1 ? 0 : 9);
	}
}

TEST(Answer, WithoutACepIsMirrored)
{
	const struct {
		cep_attr asked;
		int answer;
	} rows[] = {
		{CEP_ATTR_DREQ, CEP_ATTR_DREP},
		{CEP_ATTR_REP, CEP_ATTR_REJ},
		{CEP_ATTR_LAP, CEP_ATTR_APR},
		{CEP_ATTR_SIDR_REQ, CEP_ATTR_SIDR_REP},
		{CEP_ATTR_REQ, 0},
		{CEP_ATTR_RTU, 0},
		{CEP_ATTR_DREP, 0},
		{CEP_ATTR_REJ, 0},
		{CEP_ATTR_MRA, 0},
		{CEP_ATTR_APR, 0},
		{CEP_ATTR_SIDR_REP, 0},
	};
	for (const auto &row : rows) {
		const cep_msg asked = from_peer(row.asked);
		cep_msg answer;
		Mad tx;

		SCOPED_TRACE(cep_core_attr_name(row.asked));
		tx.fill(0x5a);
		const Mad untouched = tx;
		ASSERT_EQ(cep_core_answer_unknown(&asked, tx.data()), row.answer != 0);
		if (!row.answer) {
			EXPECT_EQ(tx, untouched);
			continue;
		}
		ASSERT_EQ(parsed(tx, &answer), CEP_PARSE_OK);
		EXPECT_EQ(answer.attr, row.answer);
		EXPECT_EQ(answer.tid, asked.tid);
		if (row.asked == CEP_ATTR_SIDR_REQ) {
			EXPECT_EQ(answer.local_comm_id, asked.local_comm_id) << "the request ID";
			EXPECT_EQ(answer.sidr_rep.status, 1);
		} else {
			EXPECT_EQ(answer.local_comm_id, asked.remote_comm_id);
			EXPECT_EQ(answer.remote_comm_id, asked.local_comm_id);
		}
		if (row.answer == CEP_ATTR_REJ) {
			EXPECT_EQ(answer.rej.which, CEP_WHICH_REP);
			EXPECT_EQ(answer.rej.reason, CEP_REJ_INVALID_COMM_ID);
		}
		if (row.answer == CEP_ATTR_APR) {
			EXPECT_EQ(answer.apr.status, 1);
		}
	}
}

TEST(Names, AreThereForEveryNumber)
{
	EXPECT_STREQ(cep_core_state_name(CEP_STATE_MRA_REP_SENT), "MRA_REP_SENT");
	EXPECT_STREQ(cep_core_event_name(CEP_EVENT_TIMEWAIT_EXIT), "TIMEWAIT_EXIT");
	EXPECT_STREQ(cep_core_reject_msg(CEP_REJ_STALE_CONN), "stale conn");
	for (unsigned n : {0u, 34u, 36u, 1000u, ~0u}) {
		EXPECT_NE(cep_core_state_name(n), nullptr);
		EXPECT_NE(cep_core_event_name(n), nullptr);
		EXPECT_NE(cep_core_attr_name(n), nullptr);
		EXPECT_STREQ(cep_core_reject_msg(n), "unrecognized reason");
	}
}

} // namespace
