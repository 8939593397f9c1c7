/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A MAD shorter than 256 bytes is no MAD: every length 0..255 of every message is
 * refused, and no byte behind the end is looked at (each piece lies in memory of
 * exactly its size, so that ASan sees an over-read).
 */
#include "sim/wire_table.hh"

#include <gtest/gtest.h>

#include <memory>

namespace cep::sim
{
namespace
{

TEST(Truncation, EveryLengthOfEveryMessageIsRefused)
{
	uint8_t data[256];
	unsigned refused = 0;

	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = static_cast<uint8_t>(i ^ 0x5a);

	for (const WireMessage &wm : wire_messages()) {
		Mad mad;
		const cep_msg msg = ordinary_message(wm, data);
		ASSERT_EQ(cep_core_write(&msg, mad.data()), CEP_OK) << wm.name;

		for (size_t len = 0; len < CEP_MAD_SIZE; len++) {
			const auto piece = std::make_unique<uint8_t[]>(len);
			if (len)
				std::memcpy(piece.get(), mad.data(), len);
			cep_msg parsed;
			EXPECT_EQ(cep_core_parse(piece.get(), len, &parsed), CEP_PARSE_SHORT)
				<< wm.name << " of " << len << " bytes";
			refused++;
		}
		cep_msg parsed;
		EXPECT_EQ(cep_core_parse(mad.data(), mad.size(), &parsed), CEP_PARSE_OK) << wm.name;
	}
	EXPECT_EQ(refused, 11u * 256u);
}

TEST(Truncation, NothingOfAWholeMadIsReadBeyondItsEnd)
{
	uint8_t data[256] = {};

	for (const WireMessage &wm : wire_messages()) {
		const auto mad = std::make_unique<uint8_t[]>(CEP_MAD_SIZE);
		const cep_msg msg = ordinary_message(wm, data);
		ASSERT_EQ(cep_core_write(&msg, mad.get()), CEP_OK);

		cep_msg parsed;
		ASSERT_EQ(cep_core_parse(mad.get(), CEP_MAD_SIZE, &parsed), CEP_PARSE_OK)
			<< wm.name;
		ASSERT_EQ(parsed.private_data_len, wm.private_data_size);
		EXPECT_EQ(parsed.private_data + parsed.private_data_len, mad.get() + CEP_MAD_SIZE)
			<< wm.name << ": private data ends the message";
		if (wm.has_info) {
			EXPECT_EQ(info_pointer(parsed), mad.get() + mad_header_size + wm.info_byte);
			EXPECT_LE(info_pointer(parsed) + CEP_ARI_SIZE, parsed.private_data);
		}
	}
}

} // namespace
} // namespace cep::sim
