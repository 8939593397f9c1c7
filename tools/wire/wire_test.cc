// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// Tests of cep-wire's frame code and rules. The two frames are REQs that the
// kernel's rdma_rxe and rdma_cm 6.1 sent, as captured.

#include "frame.hh"
#include "icrc.hh"
#include "link.hh"
#include "rules.hh"
#include "stats.hh"

#include <gtest/gtest.h>
#include <sstream>

namespace cep
{

namespace
{

constexpr const char *rxe_req_ipv4 =
	"5254000ce00b5254000ce00a0800450001349c5940004011895d0a0000010a000002d87212b70120"
	"00006400ffff00000001800000008001000000000001010702030000000000000002aa59af4c0010"
	"0000000000004caf59aa000000000000000001061d2f505400fffe0ce00a0000000000000000530c"
	"090100000001000000a0e8a6e4a7ffff37f0ffffffff00000000000000000000ffff0a0000010000"
	"0000000000000000ffff0a0000024659000000400098000000000000000000000000000000000000"
	"00000000000000000000000000000000000000000000000000000040a77f00000000000000000000"
	"00000a0000010000000000000000000000000a00000200000000090c530041484f565d646b727980"
	"878e959ca3aab1b8bfc6cdd4dbe2e9f0f7fe050c131a21282f363d444b525960676e757c838a828a"
	"9cd2";

constexpr const char *rxe_req_ipv6 =
	"5254000ce00b5254000ce00a86dd6000000001201140fd0000ce000000000000000000000001fd00"
	"00ce000000000000000000000002d87212b7012000006400ffff000000018000006d800100000000"
	"0001010702030000000000000002d43c8520001000000000000020853cd400000000000000000106"
	"1c06505400fffe0ce00a00000000000000000000110100000001000000a0b11f5da7ffff37f0ffff"
	"fffffd0000ce000000000000000000000001fd0000ce0000000000000000000000027c6770000040"
	"00980000000000000000000000000000000000000000000000000000000000000000000000000000"
	"0000000000000060c36ffd0000ce000000000000000000000001fd0000ce00000000000000000000"
	"00020000000000000000000000000000000000000000000000000000000000000000000000000000"
	"00000000000000000000000000000000000037a83677";

constexpr size_t eth_size = 14;

View packet_of(const Bytes &frame)
{
	return View(frame).subspan(eth_size, frame.size() - eth_size - 4);
}

uint32_t icrc_of(const Bytes &frame)
{
	uint32_t crc = 0;

	for (size_t i = 0; i < 4; i++)
		crc |= static_cast<uint32_t>(frame[frame.size() - 4 + i]) << (8 * i);
	return crc;
}

Words words(const std::string &text)
{
	std::istringstream stream(text);
	Words out;

	for (std::string word; stream >> word;)
		out.push_back(word);
	return out;
}

constexpr uint16_t req = 0x10;
constexpr uint16_t rep = 0x13;

} // namespace

TEST(Icrc, EqualsWhatRxeSentOverIpv4)
{
	const Bytes frame = *from_hex(rxe_req_ipv4);

	EXPECT_EQ(icrc(packet_of(frame)), icrc_of(frame));
}

TEST(Icrc, EqualsWhatRxeSentOverIpv6)
{
	const Bytes frame = *from_hex(rxe_req_ipv6);

	EXPECT_EQ(icrc(packet_of(frame)), icrc_of(frame));
}

TEST(Icrc, IgnoresWhatRoutersChangeAndNothingElse)
{
	const Bytes frame = *from_hex(rxe_req_ipv4);
	const uint32_t sent = icrc_of(frame);
	// TOS, TTL, header checksum, UDP checksum, BTH's reserved byte.
	const std::vector<size_t> variant = {1, 8, 10, 11, 26, 27, 32};

	for (size_t at = 0; at < frame.size() - eth_size - 4; at++) {
		// A changed version or header length moves everything.
		if (at == 0)
			continue;
		Bytes changed = frame;
		changed[eth_size + at] ^= 0x01;
		const bool ignored = std::find(variant.begin(), variant.end(), at) != variant.end();
		EXPECT_EQ(icrc(packet_of(changed)) == sent, ignored) << "byte " << at;
	}
}

TEST(Frame, RxeRequestIsRecognised)
{
	const Bytes frame = *from_hex(rxe_req_ipv4);
	const auto cm = find_cm(frame);

	ASSERT_TRUE(cm);
	EXPECT_EQ(cm->attribute, req);
	EXPECT_EQ(cm->source, "10.0.0.1");
	EXPECT_EQ(cm->destination, "10.0.0.2");
	EXPECT_EQ(cm->mad.size(), mad_size);
	EXPECT_EQ(attribute_name(cm->attribute), "REQ");
}

TEST(Frame, BuiltFrameDiffersFromRxesInVariantFieldsOnly)
{
	for (const char *text : {rxe_req_ipv4, rxe_req_ipv6}) {
		const Bytes theirs = *from_hex(text);
		const auto cm = find_cm(theirs);
		ASSERT_TRUE(cm);
		const bool v6 = cm->source.find(':') != std::string::npos;
		const size_t bth = eth_size + (v6 ? 40u : 20u) + 8;
		RoceAddress address{*parse_mac("52:54:00:0c:e0:0a"),
				    *parse_mac("52:54:00:0c:e0:0b"), *parse_ip(cm->source),
				    *parse_ip(cm->destination)};
		address.psn = get_be(theirs, bth + 9, 3);
		Bytes ours = build_roce(address, cm->mad);
		ASSERT_EQ(ours.size(), theirs.size());
		// rxe asks for an acknowledgement, which means nothing on a UD QP.
		EXPECT_EQ(theirs[bth + 8] ^ ours[bth + 8], 0x80);
		ours[bth + 8] = theirs[bth + 8];
		EXPECT_TRUE(std::equal(ours.begin() + static_cast<std::ptrdiff_t>(bth),
				       ours.end() - 4,
				       theirs.begin() + static_cast<std::ptrdiff_t>(bth)));
		EXPECT_EQ(find_cm(ours)->source, cm->source);
	}
}

TEST(Frame, EveryTruncationIsNoCm)
{
	for (const char *text : {rxe_req_ipv4, rxe_req_ipv6}) {
		const Bytes frame = *from_hex(text);

		for (size_t length = 0; length < frame.size() - 4; length++)
			EXPECT_FALSE(find_cm(View(frame).first(length))) << length;
	}
}

TEST(Frame, ArpIsAnsweredForThePlayedHostOnly)
{
	const Bytes who_has = *from_hex("ffffffffffff5254000ce00a08060001080006040001"
					"5254000ce00a0a0000010000000000000a000063");
	const Mac mac = *parse_mac("02:00:00:00:00:63");
	const auto answer = answer_arp(who_has, *parse_ip("10.0.0.99"), mac);

	ASSERT_TRUE(answer);
	EXPECT_EQ(to_hex(*answer), "5254000ce00a02000000006308060001080006040002"
				   "0200000000630a0000635254000ce00a0a000001");
	EXPECT_FALSE(answer_arp(who_has, *parse_ip("10.0.0.98"), mac));
}

TEST(Rules, CountSkipAndSide)
{
	Rules rules;

	EXPECT_FALSE(rules.add(words("drop REQ from a count 2 skip 1")));
	EXPECT_EQ(rules.decide(rep, Side::a).action, Action::pass);
	EXPECT_EQ(rules.decide(req, Side::b).action, Action::pass);
	EXPECT_EQ(rules.decide(req, Side::a).action, Action::pass);
	EXPECT_EQ(rules.decide(req, Side::a).action, Action::drop);
	EXPECT_EQ(rules.decide(req, Side::a).action, Action::drop);
	EXPECT_EQ(rules.decide(req, Side::a).action, Action::pass);
}

TEST(Rules, LossMaskTakesBitAfterBit)
{
	Rules rules;

	EXPECT_FALSE(rules.add(words("mask 5 count 4")));
	EXPECT_EQ(rules.decide(req, Side::a).action, Action::drop);
	EXPECT_EQ(rules.decide(rep, Side::b).action, Action::pass);
	EXPECT_EQ(rules.decide(req, Side::a).action, Action::drop);
	EXPECT_EQ(rules.decide(req, Side::a).action, Action::pass);
	EXPECT_EQ(rules.decide(req, Side::a).action, Action::pass);
}

TEST(Rules, AlwaysLastsUntilClear)
{
	Rules rules;

	EXPECT_FALSE(rules.add(words("drop any count always")));
	for (int i = 0; i < 100; i++)
		EXPECT_EQ(rules.decide(req, Side::a).action, Action::drop);
	rules.clear();
	EXPECT_EQ(rules.decide(req, Side::a).action, Action::pass);
}

TEST(Rules, NonsenseIsRefusedAndAddsNothing)
{
	for (const char *text :
	     {"drop", "drop WHAT", "drop REQ from c", "drop REQ count", "drop REQ count x",
	      "drop REQ colour 3", "mask zz count 3", "mask 1 count 65", "eat REQ"}) {
		Rules rules;

		EXPECT_TRUE(rules.add(words(text))) << text;
		EXPECT_EQ(rules.decide(req, Side::a).action, Action::pass) << text;
	}
}

TEST(Stats, SeenAndDroppedBySide)
{
	Stats stats;

	stats.count(req, Side::a, "pass");
	stats.count(req, Side::a, "drop");
	stats.count(rep, Side::b, "pass");
	EXPECT_EQ(stats.seen({req, Side::a}), 2u);
	EXPECT_EQ(stats.seen({std::nullopt, std::nullopt}), 3u);
	EXPECT_EQ(stats.json(), "{\"a\": {\"REQ\": {\"seen\": 2, \"dropped\": 1}}, "
				"\"b\": {\"REP\": {\"seen\": 1, \"dropped\": 0}}}");
}

} // namespace cep
