/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Every field of every message (IBA 12.6): at its extremes both ways, at its place
 * on the wire, refused beyond its range; every bit of a MAD flipped once; private
 * data of every length. The places come from sim/wire_table.hh, not from the codec.
 */
#include "sim/wire_table.hh"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace cep::sim
{
namespace
{

class Fields : public ::testing::TestWithParam<unsigned>
{
protected:
	Fields()
	{
		for (unsigned i = 0; i < sizeof(data_); i++)
			data_[i] = static_cast<uint8_t>(i * 7 + 1);
	}

	const WireMessage &wm() const { return wire_messages()[GetParam()]; }
	cep_msg ordinary() const { return ordinary_message(wm(), data_); }

	/* Everything but `except` is as in `want`. */
	void expect_same(const cep_msg &got, const cep_msg &want, const WireField *except,
			 const std::string &where) const
	{
		EXPECT_EQ(got.attr, want.attr) << where;
		EXPECT_EQ(got.tid, want.tid) << where;
		for (const WireField &f : wm().fields)
			if (&f != except) {
				EXPECT_EQ(f.get(got), f.get(want)) << where << ": " << f.name;
			}
	}

	uint8_t data_[256];
};

std::vector<uint64_t> extremes(const WireField &f)
{
	std::set<uint64_t> values = {f.least,     f.least + 1, f.top(),
				     f.top() - 1, f.top() / 2, f.top() / 2 + 1};

	for (unsigned bit = 0; bit < f.width; bit++) {
		values.insert(uint64_t{1} << bit);
		values.insert(f.max() ^ uint64_t{1} << bit);
	}
	std::vector<uint64_t> in_range;
	for (uint64_t v : values)
		if (v >= f.least && v <= f.top())
			in_range.push_back(v);
	return in_range;
}

TEST_P(Fields, RoundTripAtTheExtremes)
{
	for (const WireField &f : wm().fields) {
		for (uint64_t value : extremes(f)) {
			const std::string where = std::string(wm().name) + " " + f.name + " = " +
						  std::to_string(value);
			cep_msg msg = ordinary();
			f.set(msg, value);
			Mad mad;
			mad.fill(0xa5);
			ASSERT_EQ(cep_core_write(&msg, mad.data()), CEP_OK) << where;
			EXPECT_EQ(mad_bits(mad, f.first_bit(), f.width), value) << where;

			cep_msg parsed;
			ASSERT_EQ(cep_core_parse(mad.data(), mad.size(), &parsed), CEP_PARSE_OK)
				<< where;
			EXPECT_EQ(f.get(parsed), value) << where;
			expect_same(parsed, msg, &f, where);
		}
	}
}

TEST_P(Fields, AllAtOnceAtLeastAndMost)
{
	for (bool most : {false, true}) {
		cep_msg msg = ordinary();
		for (const WireField &f : wm().fields)
			f.set(msg, most ? f.top() : f.least);
		if (!most && wm().attr == CEP_ATTR_REJ)
			msg.remote_comm_id = 1; /* one of a REJ's IDs is there */
		Mad mad;
		mad.fill(0xa5);
		ASSERT_EQ(cep_core_write(&msg, mad.data()), CEP_OK) << wm().name;
		cep_msg parsed;
		ASSERT_EQ(cep_core_parse(mad.data(), mad.size(), &parsed), CEP_PARSE_OK)
			<< wm().name;
		expect_same(parsed, msg, nullptr, wm().name);
	}
}

TEST_P(Fields, BeyondTheRangeIsRefusedAndNothingIsWritten)
{
	for (const WireField &f : wm().fields) {
		std::set<uint64_t> values;
		if (f.width < 64)
			values = {f.max() + 1, (f.max() + 1) << 1, ~uint64_t{0}};
		if (f.top() < f.max())
			values.insert(f.top() + 1);
		if (f.least)
			values.insert(f.least - 1);
		for (uint64_t value : values) {
			cep_msg msg = ordinary();
			f.set(msg, value);
			const uint64_t held =
				f.get(msg); /* the variable may be as narrow as the field */
			if (held >= f.least && held <= f.top())
				continue;
			Mad mad, before;
			mad.fill(0xa5);
			before = mad;
			EXPECT_EQ(cep_core_write(&msg, mad.data()), CEP_E_ARG)
				<< wm().name << " " << f.name << " = " << held;
			EXPECT_EQ(mad, before) << wm().name << " " << f.name << " = " << held;
		}
	}
}

TEST_P(Fields, OnTheWireBeyondTheRangeIsRefused)
{
	const cep_msg msg = ordinary();
	Mad good;
	ASSERT_EQ(cep_core_write(&msg, good.data()), CEP_OK);

	for (const WireField &f : wm().fields) {
		/* every value of a narrow field, the neighbours of the limits of a wide one */
		std::set<uint64_t> values = {0, f.least, f.top(), f.max()};
		if (f.least)
			values.insert(f.least - 1);
		if (f.top() < f.max())
			values.insert(f.top() + 1);
		if (f.width <= 8)
			for (uint64_t v = 0; v <= f.max(); v++)
				values.insert(v);
		for (uint64_t value : values) {
			Mad mad = good;
			set_mad_bits(mad, f.first_bit(), f.width, value);
			cep_msg parsed;
			const cep_parse result = cep_core_parse(mad.data(), mad.size(), &parsed);
			const std::string where = std::string(wm().name) + " " + f.name + " = " +
						  std::to_string(value);
			if (value < f.least || value > f.top()) {
				EXPECT_EQ(result, CEP_PARSE_FIELD) << where;
				continue;
			}
			ASSERT_EQ(result, CEP_PARSE_OK) << where;
			EXPECT_EQ(f.get(parsed), value) << where;
			expect_same(parsed, msg, &f, where);
		}
	}
}

/* A field in pieces, or one that is folded into another variable. */
bool is_piece(const WireMessage &wm, unsigned bit)
{
	const unsigned byte = bit / 8 - mad_header_size;

	switch (wm.attr) {
	case CEP_ATTR_REQ:
		return (byte == 43 && bit % 8 >= 5 && bit % 8 <= 6) || (byte == 51 && bit % 8 >= 5);
	case CEP_ATTR_REP: return byte == 15 || byte == 19 || byte == 23;
	case CEP_ATTR_SIDR_REP: return byte == 6 || byte == 7 || byte == 11;
	default: return false;
	}
}

TEST_P(Fields, EachBitOfTheBodyBelongsToOneFieldOrNone)
{
	const cep_msg msg = ordinary();
	Mad good;
	ASSERT_EQ(cep_core_write(&msg, good.data()), CEP_OK);

	for (unsigned bit = mad_header_size * 8; bit < CEP_MAD_SIZE * 8; bit++) {
		if (is_piece(wm(), bit))
			continue;
		const WireField *owner = nullptr;
		for (const WireField &f : wm().fields)
			if (f.owns(bit)) {
				ASSERT_EQ(owner, nullptr) << "the table overlaps";
				owner = &f;
			}
		Mad mad = good;
		flip_mad_bit(mad, bit);
		cep_msg parsed;
		const cep_parse result = cep_core_parse(mad.data(), mad.size(), &parsed);
		const std::string where = std::string(wm().name) + " byte " +
					  std::to_string(bit / 8 - mad_header_size) + " bit " +
					  std::to_string(bit % 8);
		if (!owner) {
			ASSERT_EQ(result, CEP_PARSE_OK) << where << ": reserved bits are ignored";
			expect_same(parsed, msg, nullptr, where);
			continue;
		}
		const uint64_t want = owner->get(msg) ^ uint64_t {
			1
		} << (owner->width - 1 - (bit - owner->first_bit()));
		if (want < owner->least || want > owner->top()) {
			EXPECT_EQ(result, CEP_PARSE_FIELD) << where;
			continue;
		}
		ASSERT_EQ(result, CEP_PARSE_OK) << where;
		EXPECT_EQ(owner->get(parsed), want) << where << " " << owner->name;
		expect_same(parsed, msg, owner, where);
	}
}

TEST_P(Fields, ReservedBitsAreWrittenAsZero)
{
	cep_msg msg = ordinary();
	for (const WireField &f : wm().fields)
		f.set(msg, f.top());
	msg.private_data_len = 0;
	Mad mad;
	mad.fill(0xff);
	ASSERT_EQ(cep_core_write(&msg, mad.data()), CEP_OK);

	for (unsigned bit = mad_header_size * 8; bit < CEP_MAD_SIZE * 8; bit++) {
		bool owned = is_piece(wm(), bit);
		for (const WireField &f : wm().fields)
			owned = owned || f.owns(bit);
		if (wm().has_info) {
			const unsigned info = mad_header_size + wm().info_byte;
			owned = owned || (bit / 8 >= info && bit / 8 < info + CEP_ARI_SIZE);
		}
		if (!owned) {
			EXPECT_FALSE(mad_bit(mad, bit))
				<< wm().name << " byte " << bit / 8 - mad_header_size;
		}
	}
}

/* W3: unmodified for every length, zeroes behind, refused when longer. */
TEST_P(Fields, PrivateDataOfEveryLength)
{
	for (unsigned len = 0; len <= 255; len++) {
		cep_msg msg = ordinary();
		msg.private_data_len = static_cast<uint8_t>(len);
		Mad mad;
		mad.fill(0xa5);
		const Mad before = mad;
		const cep_result result = cep_core_write(&msg, mad.data());
		if (len > wm().private_data_size) {
			EXPECT_EQ(result, CEP_E_ARG) << wm().name << " with " << len;
			EXPECT_EQ(mad, before) << wm().name << " with " << len;
			continue;
		}
		ASSERT_EQ(result, CEP_OK) << wm().name << " with " << len;
		cep_msg parsed;
		ASSERT_EQ(cep_core_parse(mad.data(), mad.size(), &parsed), CEP_PARSE_OK);
		EXPECT_EQ(parsed.private_data_len, wm().private_data_size);
		EXPECT_EQ(parsed.private_data, mad.data() + wm().private_data_at());
		for (unsigned i = 0; i < wm().private_data_size; i++)
			ASSERT_EQ(parsed.private_data[i], i < len ? data_[i] : 0)
				<< wm().name << " with " << len << ", byte " << i;
	}
}

TEST_P(Fields, AdditionalInformationOfEveryLength)
{
	if (!wm().has_info)
		return; /* the other eight have none */

	for (unsigned len = 0; len <= 255; len++) {
		cep_msg msg = ordinary();
		switch (wm().attr) {
		case CEP_ATTR_REJ: msg.rej.ari_len = static_cast<uint8_t>(len); break;
		case CEP_ATTR_APR: msg.apr.info_len = static_cast<uint8_t>(len); break;
		default: msg.sidr_rep.info_len = static_cast<uint8_t>(len);
		}
		Mad mad;
		mad.fill(0xa5);
		const cep_result result = cep_core_write(&msg, mad.data());
		if (len > CEP_ARI_SIZE) {
			EXPECT_EQ(result, CEP_E_ARG) << wm().name << " with " << len;
			continue;
		}
		ASSERT_EQ(result, CEP_OK) << wm().name << " with " << len;
		const unsigned at = mad_header_size + wm().info_byte;
		for (unsigned i = 0; i < CEP_ARI_SIZE; i++)
			ASSERT_EQ(mad[at + i], i < len ? data_[i] : 0)
				<< wm().name << " with " << len << ", byte " << i;
	}
}

TEST_P(Fields, Header)
{
	const cep_msg msg = ordinary();
	Mad good;
	good.fill(0xa5);
	ASSERT_EQ(cep_core_write(&msg, good.data()), CEP_OK);

	EXPECT_EQ(good[0], 1) << "base version";
	EXPECT_EQ(good[1], 7) << "class";
	EXPECT_EQ(good[2], 2) << "class version";
	EXPECT_EQ(good[3], 3) << "method Send";
	EXPECT_EQ(mad_bits(good, 32, 32), 0u) << "status, class specific";
	EXPECT_EQ(mad_bits(good, 64, 64), msg.tid);
	EXPECT_EQ(mad_bits(good, 128, 16), wm().attr);
	EXPECT_EQ(mad_bits(good, 144, 16), 0u);

	const struct {
		unsigned byte;
		cep_parse refusal;
	} rows[] = {{0, CEP_PARSE_BASE_VERSION},
		    {1, CEP_PARSE_CLASS},
		    {2, CEP_PARSE_CLASS_VERSION},
		    {3, CEP_PARSE_METHOD}};
	for (const auto &row : rows)
		for (unsigned value = 0; value < 256; value++) {
			Mad mad = good;
			mad[row.byte] = static_cast<uint8_t>(value);
			cep_msg parsed;
			EXPECT_EQ(cep_core_parse(mad.data(), mad.size(), &parsed),
				  value == good[row.byte] ? CEP_PARSE_OK : row.refusal)
				<< wm().name << " byte " << row.byte << " = " << value;
		}
}

INSTANTIATE_TEST_SUITE_P(Messages, Fields, ::testing::Range(0u, 11u), [](const auto &info) {
	return std::string(wire_messages()[info.param].name);
});

TEST(FieldsInPieces, TransportOfAReq)
{
	uint8_t data[92] = {};
	const WireMessage &wm = wire_messages()[0];
	Mad mad;

	/* type (2 bits) and extended type (3 bits), 32 combinations */
	for (unsigned type = 0; type < 4; type++)
		for (unsigned extended = 0; extended < 8; extended++) {
			const cep_msg msg = ordinary_message(wm, data);
			ASSERT_EQ(cep_core_write(&msg, mad.data()), CEP_OK);
			set_mad_bits(mad, (mad_header_size + 43) * 8 + 5, 2, type);
			set_mad_bits(mad, (mad_header_size + 51) * 8 + 5, 3, extended);
			cep_msg parsed;
			ASSERT_EQ(cep_core_parse(mad.data(), mad.size(), &parsed), CEP_PARSE_OK);
			const bool known = type < 2 || (type == 3 && extended == 1);
			if (known) {
				EXPECT_EQ(parsed.req.transport, type);
			} else {
				cep_msg fit = parsed;
				fit.req.path_mtu = 3;
				fit.req.rdc_exists = 0;
				EXPECT_EQ(cep_core_check_req(&fit), CEP_REJ_INVALID_TRANSPORT_TYPE)
					<< type << "/" << extended;
			}
		}

	for (unsigned transport : {0u, 1u, 3u}) {
		cep_msg msg = ordinary_message(wm, data);
		msg.req.transport = static_cast<uint8_t>(transport);
		ASSERT_EQ(cep_core_write(&msg, mad.data()), CEP_OK);
		EXPECT_EQ(mad_bits(mad, (mad_header_size + 43) * 8 + 5, 2), transport);
		EXPECT_EQ(mad_bits(mad, (mad_header_size + 51) * 8 + 5, 3),
			  transport == 3 ? 1u : 0u);
	}
	cep_msg msg = ordinary_message(wm, data);
	msg.req.transport = 4;
	EXPECT_EQ(cep_core_write(&msg, mad.data()), CEP_E_ARG);
}

TEST(FieldsInPieces, VendorIdsAndAttributeModifier)
{
	uint8_t data[256] = {};
	Mad mad;

	for (uint32_t value : {0u, 1u, 0xffu, 0x100u, 0xff00u, 0x10000u, 0x123456u, 0xffffffu}) {
		cep_msg msg = ordinary_message(wire_messages()[3], data), parsed;
		ASSERT_EQ(msg.attr, CEP_ATTR_REP);
		msg.rep.ece_vendor_id = value;
		msg.rep.ece_attr_mod = ~value;
		ASSERT_EQ(cep_core_write(&msg, mad.data()), CEP_OK);
		EXPECT_EQ(mad[mad_header_size + 15], value >> 16);
		EXPECT_EQ(mad[mad_header_size + 19], value >> 8 & 0xff);
		EXPECT_EQ(mad[mad_header_size + 23], value & 0xff);
		EXPECT_EQ(mad_bits(mad, 160, 32), static_cast<uint32_t>(~value));
		ASSERT_EQ(cep_core_parse(mad.data(), mad.size(), &parsed), CEP_PARSE_OK);
		EXPECT_EQ(parsed.rep.ece_vendor_id, value);
		EXPECT_EQ(parsed.rep.ece_attr_mod, ~value);

		msg = ordinary_message(wire_messages()[0], data);
		msg.req.ece_attr_mod = ~value;
		ASSERT_EQ(cep_core_write(&msg, mad.data()), CEP_OK);
		EXPECT_EQ(mad_bits(mad, 160, 32), static_cast<uint32_t>(~value));
		ASSERT_EQ(cep_core_parse(mad.data(), mad.size(), &parsed), CEP_PARSE_OK);
		EXPECT_EQ(parsed.req.ece_attr_mod, ~value);

		msg = ordinary_message(wire_messages()[8], data);
		ASSERT_EQ(msg.attr, CEP_ATTR_SIDR_REP);
		msg.sidr_rep.vendor_id = value;
		msg.sidr_rep.attr_mod = ~value;
		ASSERT_EQ(cep_core_write(&msg, mad.data()), CEP_OK);
		EXPECT_EQ(mad_bits(mad, (mad_header_size + 6) * 8, 16), value >> 8);
		EXPECT_EQ(mad[mad_header_size + 11], value & 0xff);
		ASSERT_EQ(cep_core_parse(mad.data(), mad.size(), &parsed), CEP_PARSE_OK);
		EXPECT_EQ(parsed.sidr_rep.vendor_id, value);
		EXPECT_EQ(parsed.sidr_rep.attr_mod, ~value);
	}
	for (unsigned index : {0u, 3u, 8u}) {
		cep_msg msg = ordinary_message(wire_messages()[index], data);
		(index == 0   ? msg.req.ece_vendor_id
		 : index == 3 ? msg.rep.ece_vendor_id
			      : msg.sidr_rep.vendor_id) = 0x1000000;
		EXPECT_EQ(cep_core_write(&msg, mad.data()), CEP_E_ARG) << index;
	}
}

TEST(FieldsOfTheHeader, OnlyTheElevenAttributesAreMessages)
{
	uint8_t data[256] = {};
	const cep_msg msg = ordinary_message(wire_messages()[4], data);
	Mad mad;
	ASSERT_EQ(cep_core_write(&msg, mad.data()), CEP_OK);
	for (unsigned attr = 0; attr < 0x10000; attr++) {
		set_mad_bits(mad, 128, 16, attr);
		cep_msg parsed;
		const cep_parse result = cep_core_parse(mad.data(), mad.size(), &parsed);
		if (attr < CEP_ATTR_REQ || attr > CEP_ATTR_APR) {
			ASSERT_EQ(result, CEP_PARSE_ATTR) << attr;
		} else {
			ASSERT_TRUE(result == CEP_PARSE_OK || result == CEP_PARSE_FIELD) << attr;
		}
	}
}

TEST(FieldsOfTheHeader, AReqOfAnotherClassVersionCanBeRejected)
{
	uint8_t data[256] = {};
	const cep_msg msg = ordinary_message(wire_messages()[0], data);
	Mad mad, tx;
	ASSERT_EQ(cep_core_write(&msg, mad.data()), CEP_OK);
	mad[2] = 3;
	cep_msg parsed, rej;
	ASSERT_EQ(cep_core_parse(mad.data(), mad.size(), &parsed), CEP_PARSE_CLASS_VERSION);
	tx.fill(0xa5);
	cep_core_reject(&parsed, CEP_REJ_INVALID_CLASS_VERSION, nullptr, 0, tx.data());
	ASSERT_EQ(cep_core_parse(tx.data(), tx.size(), &rej), CEP_PARSE_OK);
	EXPECT_EQ(rej.attr, CEP_ATTR_REJ);
	EXPECT_EQ(rej.tid, msg.tid);
	EXPECT_EQ(rej.remote_comm_id, msg.local_comm_id);
	EXPECT_EQ(rej.local_comm_id, 0u);
	EXPECT_EQ(rej.rej.which, CEP_WHICH_REQ);
	EXPECT_EQ(rej.rej.reason, CEP_REJ_INVALID_CLASS_VERSION);
}

} // namespace
} // namespace cep::sim
