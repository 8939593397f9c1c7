// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// The private data of cep-cmtest's messages: which connection and which QPN it
// is about, then a pattern to the longest length that the message can carry.
// Pure functions.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cep
{

// What rdma_cm leaves to its users of REQ, REP and REJ.
inline constexpr uint8_t req_length = 56;
inline constexpr uint8_t rep_length = 196;
inline constexpr uint8_t rej_length = 148;

struct Payload {
	uint32_t index;
	uint32_t qpn;
};

inline uint8_t payload_byte(const Payload &payload, size_t at)
{
	if (at < 4)
		return static_cast<uint8_t>(payload.index >> (8 * at));
	if (at < 8)
		return static_cast<uint8_t>(payload.qpn >> (8 * (at - 4)));
	return static_cast<uint8_t>(payload.index * 31 + payload.qpn + at * 7);
}

inline std::vector<uint8_t> make_payload(const Payload &payload, uint8_t length)
{
	std::vector<uint8_t> data(length);

	for (size_t at = 0; at < data.size(); at++)
		data[at] = payload_byte(payload, at);
	return data;
}

// What a message says it is about; check_payload() tells whether it is whole.
inline Payload read_payload(std::span<const uint8_t> data)
{
	Payload payload{};

	for (size_t at = 0; at < 4 && data.size() >= 8; at++) {
		payload.index |= static_cast<uint32_t>(data[at]) << (8 * at);
		payload.qpn |= static_cast<uint32_t>(data[at + 4]) << (8 * at);
	}
	return payload;
}

inline bool check_payload(std::span<const uint8_t> data, uint8_t length)
{
	if (data.size() < length)
		return false;
	const Payload payload = read_payload(data);

	for (size_t at = 0; at < length; at++)
		if (data[at] != payload_byte(payload, at))
			return false;
	return true;
}

} // namespace cep
