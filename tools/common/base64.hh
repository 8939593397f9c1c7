// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// Base64 as RFC 4648 has it, for binary data on a line protocol. No state.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cep
{

inline constexpr std::string_view base64_digits =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

inline std::string base64_encode(std::string_view in)
{
	std::string out;
	out.reserve((in.size() + 2) / 3 * 4);
	for (size_t at = 0; at < in.size(); at += 3) {
		uint32_t group = 0;
		const size_t have = std::min<size_t>(3, in.size() - at);

		for (size_t i = 0; i < 3; i++)
			group = group << 8 | (i < have ? static_cast<uint8_t>(in[at + i]) : 0u);
		for (size_t i = 0; i < 4; i++)
			out += i <= have ? base64_digits[group >> (18 - 6 * i) & 63] : '=';
	}
	return out;
}

inline std::optional<std::string> base64_decode(std::string_view in)
{
	std::string out;
	uint32_t group = 0;
	unsigned int bits = 0;

	for (const char c : in) {
		if (c == '=')
			break;
		const size_t digit = base64_digits.find(c);
		if (digit == std::string_view::npos)
			return std::nullopt;
		group = group << 6 | static_cast<uint32_t>(digit);
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			out += static_cast<char>(group >> bits & 0xff);
		}
	}
	return out;
}

} // namespace cep
