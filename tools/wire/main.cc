// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// cep-wire: the virtual Ethernet between two VMs, with a tap and a pair of
// pliers. Sockets: a.net and b.net for QEMU ("-netdev stream"), control for
// tests (see control.hh). Prints "ready" when they can be connected to, and
// ends when its standard input does, so that it cannot outlive its starter.

#include "bridge.hh"
#include "control.hh"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <poll.h>

namespace cep
{

namespace
{

int wait_ms(std::optional<Clock::time_point> first, std::optional<Clock::time_point> second,
	    Clock::time_point now)
{
	if (!first || (second && *second < *first))
		first = second;
	if (!first)
		return -1;
	const auto left = std::chrono::ceil<std::chrono::milliseconds>(*first - now);
	return static_cast<int>(std::max<std::chrono::milliseconds::rep>(0, left.count()));
}

void run(const std::string &sockets, const std::string &captures)
{
	Bridge bridge(sockets, captures);
	Control control(bridge, sockets + "/control");
	constexpr Side sides[] = {Side::a, Side::b};

	std::puts("ready");
	std::fflush(stdout);
	for (;;) {
		std::vector<pollfd> fds{{STDIN_FILENO, POLLIN, 0}, {control.listener(), POLLIN, 0}};
		std::vector<Control::Client *> clients;

		for (const Side side : sides) {
			Link &link = bridge.link(side);
			const int out = link.wants_to_write() ? POLLOUT : 0;

			fds.push_back({link.fd(), static_cast<short>(POLLIN | out), 0});
		}
		const size_t first_client = fds.size();
		for (Control::Client &client : control.clients()) {
			fds.push_back({client.fd.get(), POLLIN, 0});
			clients.push_back(&client);
		}

		const auto now = Clock::now();
		const int timeout = wait_ms(bridge.run_timers(now), control.check_waits(now), now);
		if (::poll(fds.data(), fds.size(), timeout) < 0) {
			if (errno == EINTR)
				continue;
			throw_errno("poll");
		}
		if (fds[0].revents) {
			char data[256];
			if (::read(STDIN_FILENO, data, sizeof(data)) <= 0)
				return;
		}
		for (size_t i = 0; i < 2; i++) {
			Link &link = bridge.link(sides[i]);

			if (fds[2 + i].revents & POLLOUT)
				link.on_writable();
			if (fds[2 + i].revents & (POLLIN | POLLHUP | POLLERR)) {
				link.on_readable();
				bridge.drain(sides[i]);
			}
		}
		for (size_t i = 0; i < clients.size(); i++)
			if (fds[first_client + i].revents)
				control.on_readable(*clients[i]);
		control.drop_closed();
		if (fds[1].revents)
			control.on_connect();
	}
}

} // namespace

} // namespace cep

int main(int argc, char **argv)
{
	CLI::App app{"The virtual Ethernet between two VMs"};
	std::string sockets;
	std::string captures;

	app.add_option("--sockets", sockets, "folder for the sockets")->required();
	app.add_option("--captures", captures, "folder for the pcap files")->required();
	CLI11_PARSE(app, argc, argv);
	try {
		cep::run(sockets, captures);
	} catch (const std::exception &error) {
		std::fprintf(stderr, "cep-wire: %s\n", error.what());
		return 1;
	}
	return 0;
}
