// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// How many CM messages of each kind each side has sent, what became of them,
// and the last few thousand of them in full for tests to look at.

#pragma once

#include "rules.hh"

#include <cstdint>
#include <deque>
#include <map>
#include <string>

namespace cep
{

class Stats
{
public:
	// One message was sent by this side (action: what the wire did to it).
	void count(uint16_t attribute, Side from, const std::string &action);
	void remember(Side from, const std::string &text);
	void zero() { counters_.clear(); }
	uint64_t seen(const Match &match) const;
	std::string json() const;
	// Lines "SEQUENCE SIDE TEXT" of the messages with a sequence number
	// above that one.
	std::string since(uint64_t sequence, uint64_t &lines) const;
	uint64_t sequence() const { return sequence_; }

private:
	struct Counter {
		uint64_t seen = 0;
		uint64_t dropped = 0;
	};
	struct Memory {
		uint64_t sequence;
		Side from;
		std::string text;
	};

	std::map<std::pair<Side, uint16_t>, Counter> counters_;
	std::deque<Memory> memory_;
	uint64_t sequence_ = 0;
};

} // namespace cep
