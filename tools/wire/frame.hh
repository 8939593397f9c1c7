// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// Ethernet frames as the wire sees them: recognise a CM MAD in RoCE v1 or v2,
// build one, answer ARP for hosts that are only played. Pure functions; IBA
// 9.2 (BTH), 9.3.4 (DETH), 13.4.3 (MAD header), annex A17 (RoCEv2).

#pragma once

#include "bytes.hh"

#include <array>
#include <optional>
#include <string>

namespace cep
{

inline constexpr size_t mad_size = 256;
inline constexpr uint8_t cm_class = 0x07;

using Mac = std::array<uint8_t, 6>;

// A CM MAD within a frame. The views point into the frame.
struct CmFrame {
	std::string source; // IP address or, for RoCE v1, GID in hex
	std::string destination;
	uint16_t attribute;
	View mad;
};

struct RoceAddress {
	Mac source_mac;
	Mac destination_mac;
	Bytes source_ip; // 4 or 16 bytes
	Bytes destination_ip;
	uint32_t qkey = 0x80010000;
	uint32_t destination_qpn = 1;
	uint32_t source_qpn = 1;
	uint16_t pkey = 0xffff;
	uint32_t psn = 0;
};

std::optional<CmFrame> find_cm(View frame);
// RoCE at all, data packets too.
bool is_roce(View frame);
Bytes build_roce(const RoceAddress &address, View mad);
Mac destination_mac(View frame);
// If the frame asks by ARP for this address: the answer.
std::optional<Bytes> answer_arp(View frame, View ip, const Mac &mac);

std::string attribute_name(uint16_t attribute);
// A name as above or a number.
std::optional<uint16_t> attribute_value(std::string_view name);

std::optional<Mac> parse_mac(const std::string &text);
std::optional<Bytes> parse_ip(const std::string &text);

} // namespace cep
