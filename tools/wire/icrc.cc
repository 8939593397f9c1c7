// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// See icrc.hh.

#include "icrc.hh"

#include <algorithm>
#include <array>

namespace cep
{

static constexpr std::array<uint32_t, 256> make_table()
{
	std::array<uint32_t, 256> table{};

	for (uint32_t i = 0; i < 256; i++) {
		uint32_t value = i;

		for (int bit = 0; bit < 8; bit++)
			value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0u);
		table[i] = value;
	}
	return table;
}

static constexpr auto crc_table = make_table();

uint32_t icrc(View packet)
{
	Bytes data(8, 0xff); // stands for the local route header
	const bool v6 = packet[0] >> 4 == 6;
	const size_t ip = 8;
	const size_t udp = ip + (v6 ? 40u : 20u);
	const size_t bth = udp + 8;
	uint32_t crc = 0xffffffff;

	put(data, packet);
	if (v6) {
		data[ip] |= 0x0f; // traffic class and flow label
		std::fill_n(data.begin() + ip + 1, 3, 0xff);
		data[ip + 7] = 0xff; // hop limit
	} else {
		data[ip + 1] = 0xff;  // type of service
		data[ip + 8] = 0xff;  // time to live
		data[ip + 10] = 0xff; // header checksum
		data[ip + 11] = 0xff;
	}
	data[udp + 6] = 0xff; // UDP checksum
	data[udp + 7] = 0xff;
	data[bth + 4] = 0xff; // reserved (FECN, BECN)

	for (const uint8_t byte : data)
		crc = crc >> 8 ^ crc_table[(crc ^ byte) & 0xff];
	return ~crc;
}

} // namespace cep
