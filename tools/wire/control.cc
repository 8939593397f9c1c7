// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// See control.hh.

#include "control.hh"

#include <cstdlib>
#include <fmt/format.h>
#include <poll.h>
#include <sstream>
#include <sys/socket.h>

namespace cep
{

namespace
{

// Blocks while a client is slow to read: clients are tests that wait for it.
void reply(Control::Client &client, const std::string &text)
{
	const std::string data = text + "\n";

	for (size_t done = 0; client.fd && done < data.size();) {
		const ssize_t n = ::send(client.fd.get(), data.data() + done, data.size() - done,
					 MSG_NOSIGNAL);
		if (n > 0) {
			done += static_cast<size_t>(n);
		} else if (errno == EAGAIN) {
			pollfd wait{client.fd.get(), POLLOUT, 0};
			::poll(&wait, 1, -1);
		} else if (errno != EINTR) {
			client.fd.reset();
		}
	}
}

std::optional<Side> parse_side(const std::string &text)
{
	if (text == "a")
		return Side::a;
	if (text == "b")
		return Side::b;
	return std::nullopt;
}

} // namespace

Control::Control(Bridge &bridge, const std::string &path)
	: bridge_(bridge), listener_(listen_unix(path))
{
}

void Control::on_connect()
{
	Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));

	if (fd)
		clients_.push_back({std::move(fd), {}, std::nullopt});
}

void Control::on_readable(Client &client)
{
	char data[65536];
	const ssize_t n = ::read(client.fd.get(), data, sizeof(data));

	if (n > 0)
		client.in.append(data, static_cast<size_t>(n));
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		client.fd.reset();
	serve(client);
}

void Control::serve(Client &client)
{
	while (client.fd && !client.wait) {
		const size_t end = client.in.find('\n');
		if (end == std::string::npos)
			return;

		std::istringstream stream(client.in.substr(0, end));
		client.in.erase(0, end + 1);
		Words words;
		for (std::string word; stream >> word;)
			words.push_back(word);
		const std::string answer =
			words.empty() ? "error empty line" : execute(client, words);
		if (!answer.empty())
			reply(client, answer);
	}
}

std::optional<Clock::time_point> Control::check_waits(Clock::time_point now)
{
	std::optional<Clock::time_point> next;

	for (Client &client : clients_) {
		if (!client.wait)
			continue;
		const uint64_t seen = bridge_.stats().seen(client.wait->match);

		if (seen >= client.wait->count)
			reply(client, fmt::format("ok {}", seen));
		else if (client.wait->deadline <= now)
			reply(client,
			      fmt::format("error timeout, saw {} of {}", seen, client.wait->count));
		else {
			if (!next || client.wait->deadline < *next)
				next = client.wait->deadline;
			continue;
		}
		client.wait.reset();
		serve(client);
		// The next command may be a wait too.
		next = now;
	}
	return next;
}

void Control::drop_closed()
{
	std::erase_if(clients_, [](const Client &client) { return !client.fd; });
}

std::string Control::start_wait(Client &client, const Words &words)
{
	size_t at = 1;
	const auto match = parse_match(words, at);

	if (!match || words.size() != at + 4 || words[at] != "count" || words[at + 2] != "timeout")
		return "error usage: wait ATTR [from SIDE] count N timeout MS";
	const auto wait_ms = std::strtoul(words[at + 3].c_str(), nullptr, 10);
	client.wait = {*match, std::strtoul(words[at + 1].c_str(), nullptr, 10),
		       Clock::now() + std::chrono::milliseconds(wait_ms)};
	return {};
}

std::string Control::roce(const Words &words)
{
	if (words.size() < 7)
		return "error usage: roce a|b SMAC SIP DMAC DIP HEX ...";
	const auto to = parse_side(words[1]);
	const auto source_mac = parse_mac(words[2]);
	const auto source_ip = parse_ip(words[3]);
	const auto dest_mac = parse_mac(words[4]);
	const auto destination_ip = parse_ip(words[5]);
	const auto mad = from_hex(words[6]);

	if (!to || !source_mac || !source_ip || !dest_mac || !destination_ip || !mad ||
	    source_ip->size() != destination_ip->size())
		return "error bad side, address or hex";
	RoceAddress address{*source_mac, *dest_mac, *source_ip, *destination_ip};
	for (size_t i = 7; i < words.size(); i++) {
		const size_t equals = words[i].find('=');
		const std::string key = words[i].substr(0, equals);

		if (equals == std::string::npos)
			return "error bad option " + words[i];
		const auto value = static_cast<uint32_t>(
			std::strtoul(words[i].c_str() + equals + 1, nullptr, 0));
		if (key == "qkey")
			address.qkey = value;
		else if (key == "dqpn")
			address.destination_qpn = value;
		else if (key == "sqpn")
			address.source_qpn = value;
		else if (key == "pkey")
			address.pkey = static_cast<uint16_t>(value);
		else if (key == "psn")
			address.psn = value;
		else
			return "error bad option " + words[i];
	}
	bridge_.inject(*to, build_roce(address, *mad));
	return "ok";
}

std::string Control::execute(Client &client, const Words &words)
{
	const std::string &verb = words[0];

	if (verb == "clear") {
		bridge_.rules().clear();
		return "ok";
	}
	if (verb == "zero") {
		bridge_.stats().zero();
		return "ok";
	}
	if (verb == "release")
		return fmt::format("ok {}", bridge_.release());
	if (verb == "counters")
		return "ok " + bridge_.stats().json();
	if (verb == "wait")
		return start_wait(client, words);
	if (verb == "roce")
		return roce(words);
	if (verb == "frames" && words.size() == 2) {
		uint64_t lines = 0;
		std::string text =
			bridge_.stats().since(std::strtoull(words[1].c_str(), nullptr, 10), lines);

		if (!text.empty())
			text.pop_back();
		return fmt::format("ok {} {}{}{}", lines, bridge_.stats().sequence(),
				   text.empty() ? "" : "\n", text);
	}
	if (verb == "host" && words.size() == 3) {
		const auto ip = parse_ip(words[1]);
		const auto mac = parse_mac(words[2]);

		if (!ip || !mac)
			return "error bad address";
		bridge_.play_host(*ip, *mac);
		return "ok";
	}
	if (verb == "inject" && words.size() == 3) {
		const auto to = parse_side(words[1]);
		const auto frame = from_hex(words[2]);

		if (!to || !frame)
			return "error bad side or hex";
		bridge_.inject(*to, *frame);
		return "ok";
	}
	const auto error = bridge_.rules().add(words);
	return error ? "error " + *error : "ok";
}

} // namespace cep
