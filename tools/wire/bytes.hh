// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// Byte strings, big-endian access and hex text. No state.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cep
{

using Bytes = std::vector<uint8_t>;
using View = std::span<const uint8_t>;

inline uint32_t get_be(View data, size_t at, size_t length)
{
	uint32_t value = 0;

	for (size_t i = 0; i < length; i++)
		value = value << 8 | data[at + i];
	return value;
}

inline void put_be(Bytes &out, uint64_t value, size_t length)
{
	for (size_t i = length; i-- > 0;)
		out.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

inline void put(Bytes &out, View data)
{
	out.insert(out.end(), data.begin(), data.end());
}

inline std::string to_hex(View data)
{
	static constexpr char digits[] = "0123456789abcdef";
	std::string out;

	out.reserve(data.size() * 2);
	for (const uint8_t byte : data) {
		out += digits[byte >> 4];
		out += digits[byte & 15];
	}
	return out;
}

inline int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

inline std::optional<Bytes> from_hex(std::string_view text)
{
	Bytes out;

	if (text.size() % 2)
		return std::nullopt;
	for (size_t i = 0; i < text.size(); i += 2) {
		const int high = hex_digit(text[i]);
		const int low = hex_digit(text[i + 1]);

		if (high < 0 || low < 0)
			return std::nullopt;
		out.push_back(static_cast<uint8_t>(high << 4 | low));
	}
	return out;
}

} // namespace cep
