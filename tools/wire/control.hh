// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// The control socket of cep-wire: a line in, one line out that starts with "ok"
// or "error". Lines of one client are served in order; one that waits holds up
// its own client only. Runs in the loop of main.cc.
//
//	drop|dup|delay|hold ATTR|any [from a|b|any] [count N|always] [skip N] [ms N]
//	mask HEX count N	bit i set: lose the i-th CM message from now on
//	clear			no rules
//	release			let go what hold has kept
//	zero			counters to 0
//	counters		as JSON
//	wait ATTR|any [from a|b|any] count N timeout MS
//				until that many were sent since zero
//	frames SEQUENCE		the CM messages after that one: "ok LINES LAST",
//				then lines SEQUENCE SIDE ATTR ACTION SRC DST HEX
//	host IP MAC		play a host: answer its ARP, swallow its frames
//	inject a|b HEX		an Ethernet frame to that side
//	roce a|b SMAC SIP DMAC DIP HEX [qkey=N] [dqpn=N] [sqpn=N] [pkey=N] [psn=N]
//				the same, built around a MAD

#pragma once

#include "bridge.hh"

#include <deque>
#include <list>

namespace cep
{

class Control
{
public:
	Control(Bridge &bridge, const std::string &path);

	struct Client {
		struct Wait {
			Match match;
			uint64_t count;
			Clock::time_point deadline;
		};
		Fd fd;
		std::string in;
		std::optional<Wait> wait;
	};

	int listener() const { return listener_.get(); }
	std::list<Client> &clients() { return clients_; }
	void on_connect();
	void on_readable(Client &client);
	// Answer waits that are fulfilled or too late; when to come again.
	std::optional<Clock::time_point> check_waits(Clock::time_point now);
	void drop_closed();

private:
	void serve(Client &client);
	std::string execute(Client &client, const Words &words);
	std::string start_wait(Client &client, const Words &words);
	std::string roce(const Words &words);

	Bridge &bridge_;
	Fd listener_;
	std::list<Client> clients_;
};

} // namespace cep
