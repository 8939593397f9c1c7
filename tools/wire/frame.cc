// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// See frame.hh.

#include "frame.hh"

#include "icrc.hh"

#include <algorithm>
#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>

namespace cep
{

namespace
{

constexpr size_t eth_size = 14;
constexpr uint32_t eth_ipv4 = 0x0800;
constexpr uint32_t eth_ipv6 = 0x86dd;
constexpr uint32_t eth_arp = 0x0806;
constexpr uint32_t eth_roce_v1 = 0x8915;
constexpr uint32_t roce_port = 4791;
constexpr uint8_t ip_udp = 17;
constexpr size_t bth_size = 12;
constexpr size_t deth_size = 8;
constexpr uint8_t opcode_ud_send_only = 0x64;
constexpr size_t mad_attribute = 16;

struct Name {
	uint16_t value;
	const char *text;
};

constexpr Name names[] = {
	{0x01, "ClassPortInfo"}, {0x10, "REQ"},      {0x11, "MRA"},  {0x12, "REJ"},
	{0x13, "REP"},           {0x14, "RTU"},      {0x15, "DREQ"}, {0x16, "DREP"},
	{0x17, "SIDR_REQ"},      {0x18, "SIDR_REP"}, {0x19, "LAP"},  {0x1a, "APR"},
};

std::string ip_text(View ip)
{
	char text[INET6_ADDRSTRLEN] = "?";

	inet_ntop(ip.size() == 4 ? AF_INET : AF_INET6, ip.data(), text, sizeof(text));
	return text;
}

// Where the BTH starts, and both addresses.
struct Transport {
	size_t bth;
	View source;
	View destination;
};

std::optional<Transport> find_transport(View frame)
{
	if (frame.size() < eth_size)
		return std::nullopt;
	const uint32_t type = get_be(frame, 12, 2);
	const size_t ip = eth_size;

	if (type == eth_roce_v1 && frame.size() >= ip + 40)
		return Transport{ip + 40, frame.subspan(ip + 8, 16), frame.subspan(ip + 24, 16)};
	if (type == eth_ipv4 && frame.size() >= ip + 28) {
		const size_t udp = ip + 4u * (frame[ip] & 15u);

		if (frame[ip + 9] != ip_udp || frame.size() < udp + 8 ||
		    get_be(frame, udp + 2, 2) != roce_port)
			return std::nullopt;
		return Transport{udp + 8, frame.subspan(ip + 12, 4), frame.subspan(ip + 16, 4)};
	}
	if (type == eth_ipv6 && frame.size() >= ip + 48) {
		const size_t udp = ip + 40;

		if (frame[ip + 6] != ip_udp || get_be(frame, udp + 2, 2) != roce_port)
			return std::nullopt;
		return Transport{udp + 8, frame.subspan(ip + 8, 16), frame.subspan(ip + 24, 16)};
	}
	return std::nullopt;
}

uint16_t ip_checksum(View header)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < header.size(); i += 2)
		sum += get_be(header, i, 2);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return static_cast<uint16_t>(~sum);
}

} // namespace

bool is_roce(View frame)
{
	return find_transport(frame).has_value();
}

std::optional<CmFrame> find_cm(View frame)
{
	const auto transport = find_transport(frame);

	if (!transport)
		return std::nullopt;
	const size_t bth = transport->bth;
	const size_t mad = bth + bth_size + deth_size;

	if (frame.size() < mad + mad_size || frame[bth] != opcode_ud_send_only ||
	    get_be(frame, bth + 5, 3) != 1 || frame[mad + 1] != cm_class)
		return std::nullopt;
	return CmFrame{ip_text(transport->source), ip_text(transport->destination),
		       static_cast<uint16_t>(get_be(frame, mad + mad_attribute, 2)),
		       frame.subspan(mad, mad_size)};
}

Bytes build_roce(const RoceAddress &address, View mad)
{
	const bool v6 = address.source_ip.size() == 16;
	const size_t udp_size = 8 + bth_size + deth_size + mad.size() + 4;
	const auto pad = static_cast<uint8_t>(-mad.size() & 3);
	Bytes packet;

	if (v6) {
		put_be(packet, 0x60000000, 4);
		put_be(packet, udp_size + pad, 2);
		put_be(packet, ip_udp << 8 | 64, 2);
		put(packet, address.source_ip);
		put(packet, address.destination_ip);
	} else {
		put_be(packet, 0x4500, 2);
		put_be(packet, 20 + udp_size + pad, 2);
		put_be(packet, 0x00004000, 4); // do not fragment
		put_be(packet, 64 << 8 | ip_udp, 2);
		put_be(packet, 0, 2);
		put(packet, address.source_ip);
		put(packet, address.destination_ip);
		const uint16_t sum = ip_checksum(packet);
		packet[10] = static_cast<uint8_t>(sum >> 8);
		packet[11] = static_cast<uint8_t>(sum);
	}
	put_be(packet, 0xc000, 2);
	put_be(packet, roce_port, 2);
	put_be(packet, udp_size + pad, 2);
	put_be(packet, 0, 2); // no UDP checksum: the ICRC covers the packet

	put_be(packet, opcode_ud_send_only, 1);
	put_be(packet, static_cast<uint64_t>(pad) << 4, 1);
	put_be(packet, address.pkey, 2);
	put_be(packet, address.destination_qpn & 0xffffff, 4);
	put_be(packet, address.psn & 0xffffff, 4);
	put_be(packet, address.qkey, 4);
	put_be(packet, address.source_qpn & 0xffffff, 4);
	put(packet, mad);
	packet.insert(packet.end(), pad, 0);

	const uint32_t crc = icrc(packet);
	for (unsigned int i = 0; i < 4; i++)
		packet.push_back(static_cast<uint8_t>(crc >> (8 * i)));

	Bytes frame;
	put(frame, address.destination_mac);
	put(frame, address.source_mac);
	put_be(frame, v6 ? eth_ipv6 : eth_ipv4, 2);
	put(frame, packet);
	return frame;
}

Mac destination_mac(View frame)
{
	Mac mac{};

	if (frame.size() >= mac.size())
		std::copy_n(frame.begin(), mac.size(), mac.begin());
	return mac;
}

std::optional<Bytes> answer_arp(View frame, View ip, const Mac &mac)
{
	if (frame.size() < 42 || get_be(frame, 12, 2) != eth_arp || get_be(frame, 20, 2) != 1 ||
	    ip.size() != 4 || !std::equal(ip.begin(), ip.end(), frame.begin() + 38))
		return std::nullopt;

	Bytes answer;
	put(answer, frame.subspan(6, 6));
	put(answer, mac);
	put(answer, frame.subspan(12, 8)); // type and ARP's fixed part
	put_be(answer, 2, 2);
	put(answer, mac);
	put(answer, ip);
	put(answer, frame.subspan(22, 10)); // whoever asked
	return answer;
}

std::string attribute_name(uint16_t attribute)
{
	for (const Name &name : names)
		if (name.value == attribute)
			return name.text;
	char text[8];
	std::snprintf(text, sizeof(text), "0x%x", attribute);
	return text;
}

std::optional<uint16_t> attribute_value(std::string_view text)
{
	for (const Name &name : names)
		if (name.text == text)
			return name.value;
	char *end = nullptr;
	const std::string copy(text);
	const unsigned long value = std::strtoul(copy.c_str(), &end, 0);
	if (copy.empty() || *end || value > 0xffff)
		return std::nullopt;
	return static_cast<uint16_t>(value);
}

std::optional<Mac> parse_mac(const std::string &text)
{
	std::string digits = text;

	std::erase(digits, ':');
	const auto bytes = from_hex(digits);
	if (!bytes || bytes->size() != 6)
		return std::nullopt;
	Mac mac;
	std::copy_n(bytes->begin(), mac.size(), mac.begin());
	return mac;
}

std::optional<Bytes> parse_ip(const std::string &text)
{
	Bytes ip(16);

	if (inet_pton(AF_INET6, text.c_str(), ip.data()) == 1)
		return ip;
	ip.resize(4);
	if (inet_pton(AF_INET, text.c_str(), ip.data()) == 1)
		return ip;
	return std::nullopt;
}

} // namespace cep
