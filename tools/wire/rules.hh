// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// What the wire does to CM messages: an ordered list of rules, the first that
// matches and is not used up decides. No clock, no I/O.

#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cep
{

enum class Side : uint8_t { a, b };

inline Side other(Side side)
{
	return side == Side::a ? Side::b : Side::a;
}

inline const char *side_name(Side side)
{
	return side == Side::a ? "a" : "b";
}

enum class Action : uint8_t { pass, drop, duplicate, delay, hold };

const char *action_name(Action action);

struct Match {
	std::optional<uint16_t> attribute; // none: every CM message
	std::optional<Side> from;          // none: both

	bool covers(uint16_t what, Side side) const
	{
		return (!attribute || *attribute == what) && (!from || *from == side);
	}
};

struct Decision {
	Action action = Action::pass;
	uint32_t delay_ms = 0;
};

using Words = std::vector<std::string>;

// Reads "ATTRIBUTE|any [from a|b|any]" from words[at] on and moves at behind it.
std::optional<Match> parse_match(const Words &words, size_t &at);

class Rules
{
public:
	// Words as in control.hh; an error text if they make no rule.
	std::optional<std::string> add(const Words &words);
	void clear() { rules_.clear(); }
	Decision decide(uint16_t attribute, Side from);

private:
	struct Rule {
		Action action;
		Match match;
		uint64_t skip = 0;
		std::optional<uint64_t> left; // none: always
		uint32_t delay_ms = 0;
		std::optional<uint64_t> mask; // loss mask, next message in bit 0
	};

	std::optional<std::string> add_mask(const Words &words);

	std::list<Rule> rules_;
};

} // namespace cep
