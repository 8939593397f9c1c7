// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// See rules.hh.

#include "rules.hh"

#include "frame.hh"

#include <charconv>

namespace cep
{

const char *action_name(Action action)
{
	switch (action) {
	case Action::pass: return "pass";
	case Action::drop: return "drop";
	case Action::duplicate: return "dup";
	case Action::delay: return "delay";
	case Action::hold: return "hold";
	}
	return "?";
}

static std::optional<uint64_t> parse_number(const std::string &text, int base)
{
	uint64_t value = 0;
	const char *end = text.data() + text.size();
	const auto result = std::from_chars(text.data(), end, value, base);

	if (result.ec != std::errc() || result.ptr != end)
		return std::nullopt;
	return value;
}

std::optional<Match> parse_match(const Words &words, size_t &at)
{
	Match match;

	if (at >= words.size())
		return std::nullopt;
	if (words[at] != "any") {
		match.attribute = attribute_value(words[at]);
		if (!match.attribute)
			return std::nullopt;
	}
	at++;
	if (at < words.size() && words[at] == "from") {
		if (at + 1 >= words.size())
			return std::nullopt;
		const std::string &side = words[at + 1];

		if (side == "a")
			match.from = Side::a;
		else if (side == "b")
			match.from = Side::b;
		else if (side != "any")
			return std::nullopt;
		at += 2;
	}
	return match;
}

std::optional<std::string> Rules::add_mask(const Words &words)
{
	if (words.size() != 4 || words[2] != "count")
		return "usage: mask HEX count N";
	const auto mask = parse_number(words[1], 16);
	const auto count = parse_number(words[3], 10);

	if (!mask || !count || *count > 64)
		return "bad mask or count";
	rules_.push_back({Action::drop, {}, 0, *count, 0, *mask});
	return std::nullopt;
}

std::optional<std::string> Rules::add(const Words &words)
{
	Rule rule{};
	size_t at = 1;

	if (words[0] == "mask")
		return add_mask(words);
	if (words[0] == "drop")
		rule.action = Action::drop;
	else if (words[0] == "dup")
		rule.action = Action::duplicate;
	else if (words[0] == "delay")
		rule.action = Action::delay;
	else if (words[0] == "hold")
		rule.action = Action::hold;
	else
		return "no such rule";

	const auto match = parse_match(words, at);
	if (!match)
		return "bad message name or side";
	rule.match = *match;
	rule.left = 1;
	for (; at + 1 < words.size(); at += 2) {
		const auto number = parse_number(words[at + 1], 10);

		if (words[at] == "count" && words[at + 1] == "always")
			rule.left = std::nullopt;
		else if (!number)
			return "bad number";
		else if (words[at] == "count")
			rule.left = number;
		else if (words[at] == "skip")
			rule.skip = *number;
		else if (words[at] == "ms")
			rule.delay_ms = static_cast<uint32_t>(*number);
		else
			return "unknown word " + words[at];
	}
	if (at != words.size())
		return "word without value";
	rules_.push_back(rule);
	return std::nullopt;
}

Decision Rules::decide(uint16_t attribute, Side from)
{
	for (auto rule = rules_.begin(); rule != rules_.end(); ++rule) {
		if (!rule->match.covers(attribute, from))
			continue;
		if (rule->skip) {
			rule->skip--;
			continue;
		}
		Decision decision{rule->action, rule->delay_ms};
		if (rule->mask) {
			if (!(*rule->mask & 1))
				decision.action = Action::pass;
			*rule->mask >>= 1;
		}
		if (rule->left && --*rule->left == 0)
			rules_.erase(rule);
		return decision;
	}
	return {};
}

} // namespace cep
