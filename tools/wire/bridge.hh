// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// The wire between hosts a and b: takes frames from one link, applies the
// rules, gives them to the other. Plays hosts that do not exist, for tests with
// crafted frames. One thread: everything happens in the loop of main.cc.

#pragma once

#include "capture.hh"
#include "frame.hh"
#include "link.hh"
#include "rules.hh"
#include "stats.hh"

#include <array>
#include <chrono>
#include <map>
#include <vector>

namespace cep
{

using Clock = std::chrono::steady_clock;

class Bridge
{
public:
	Bridge(const std::string &sockets, const std::string &captures);

	Link &link(Side side) { return links_[static_cast<size_t>(side)]; }
	Rules &rules() { return rules_; }
	Stats &stats() { return stats_; }
	void drain(Side from);
	// A frame made up by a test, to that side.
	void inject(Side to, View frame);
	// Answer ARP for this address; frames to this MAC end here.
	void play_host(Bytes ip, const Mac &mac);
	// Let go what "hold" rules have kept, in order; how many frames.
	size_t release();
	// Deliver what is due; when to come again, if anything is left.
	std::optional<Clock::time_point> run_timers(Clock::time_point now);

private:
	struct Waiting {
		Side to;
		Bytes frame;
	};
	struct Played {
		Bytes ip;
		Mac mac;
	};

	void on_frame(Side from, const Bytes &frame);
	bool is_played(Side from, const Bytes &frame);
	void remember(Side from, const CmFrame &cm, const std::string &action);

	std::array<Link, 2> links_;
	Capture capture_;
	Rules rules_;
	Stats stats_;
	std::vector<Played> played_;
	std::vector<Waiting> held_;
	std::multimap<Clock::time_point, Waiting> delayed_;
};

} // namespace cep
