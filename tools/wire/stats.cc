// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// See stats.hh.

#include "stats.hh"

#include "frame.hh"

#include <fmt/format.h>

namespace cep
{

static constexpr size_t remembered = 8192;

void Stats::count(uint16_t attribute, Side from, const std::string &action)
{
	Counter &counter = counters_[{from, attribute}];

	counter.seen++;
	if (action == "drop")
		counter.dropped++;
}

void Stats::remember(Side from, const std::string &text)
{
	memory_.push_back({++sequence_, from, text});
	if (memory_.size() > remembered)
		memory_.pop_front();
}

uint64_t Stats::seen(const Match &match) const
{
	uint64_t sum = 0;

	for (const auto &[key, counter] : counters_)
		if (match.covers(key.second, key.first))
			sum += counter.seen;
	return sum;
}

std::string Stats::json() const
{
	std::string out = "{";

	for (const Side side : {Side::a, Side::b}) {
		const char *comma = "";

		out += fmt::format("{}\"{}\": {{", side == Side::a ? "" : ", ", side_name(side));
		for (const auto &[key, counter] : counters_) {
			if (key.first != side)
				continue;
			out += fmt::format("{}\"{}\": {{\"seen\": {}, "
					   "\"dropped\": {}}}",
					   comma, attribute_name(key.second), counter.seen,
					   counter.dropped);
			comma = ", ";
		}
		out += "}";
	}
	return out + "}";
}

std::string Stats::since(uint64_t sequence, uint64_t &lines) const
{
	std::string out;

	lines = 0;
	for (const Memory &memory : memory_) {
		if (memory.sequence <= sequence)
			continue;
		out += fmt::format("{} {} {}\n", memory.sequence, side_name(memory.from),
				   memory.text);
		lines++;
	}
	return out;
}

} // namespace cep
