// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// See bridge.hh.

#include "bridge.hh"

#include <algorithm>
#include <fmt/format.h>

namespace cep
{

Bridge::Bridge(const std::string &sockets, const std::string &captures)
	: links_{Link(sockets + "/a.net"), Link(sockets + "/b.net")}, capture_(captures)
{
}

void Bridge::drain(Side from)
{
	while (auto frame = link(from).next_frame())
		on_frame(from, *frame);
}

void Bridge::remember(Side from, const CmFrame &cm, const std::string &action)
{
	stats_.remember(from, fmt::format("{} {} {} {} {}", attribute_name(cm.attribute), action,
					  cm.source, cm.destination, to_hex(cm.mad)));
}

bool Bridge::is_played(Side from, const Bytes &frame)
{
	for (const Played &host : played_) {
		if (auto answer = answer_arp(frame, host.ip, host.mac)) {
			link(from).send(*answer);
			return true;
		}
		if (destination_mac(frame) == host.mac)
			return true;
	}
	return false;
}

void Bridge::on_frame(Side from, const Bytes &frame)
{
	const auto cm = find_cm(frame);
	const bool ends_here = is_played(from, frame);
	const Side to = other(from);

	capture_.sent(frame, cm.has_value());
	if (!cm) {
		if (!ends_here)
			link(to).send(frame);
		return;
	}

	Decision decision = rules_.decide(cm->attribute, from);
	if (ends_here && decision.action != Action::drop)
		decision.action = Action::pass;
	const std::string action = action_name(decision.action);
	stats_.count(cm->attribute, from, action);
	remember(from, *cm, action);
	if (ends_here)
		return;
	switch (decision.action) {
	case Action::drop: break;
	case Action::duplicate:
		link(to).send(frame);
		link(to).send(frame);
		break;
	case Action::pass: link(to).send(frame); break;
	case Action::delay:
		delayed_.emplace(Clock::now() + std::chrono::milliseconds(decision.delay_ms),
				 Waiting{to, frame});
		break;
	case Action::hold: held_.push_back({to, frame}); break;
	}
}

void Bridge::inject(Side to, View frame)
{
	capture_.injected(frame);
	if (const auto cm = find_cm(frame))
		remember(other(to), *cm, "inject");
	link(to).send(frame);
}

void Bridge::play_host(Bytes ip, const Mac &mac)
{
	std::erase_if(played_, [&](const Played &host) { return host.ip == ip; });
	played_.push_back({std::move(ip), mac});
}

size_t Bridge::release()
{
	const size_t count = held_.size();

	for (const Waiting &waiting : held_)
		link(waiting.to).send(waiting.frame);
	held_.clear();
	return count;
}

std::optional<Clock::time_point> Bridge::run_timers(Clock::time_point now)
{
	while (!delayed_.empty() && delayed_.begin()->first <= now) {
		const Waiting &waiting = delayed_.begin()->second;

		link(waiting.to).send(waiting.frame);
		delayed_.erase(delayed_.begin());
	}
	if (delayed_.empty())
		return std::nullopt;
	return delayed_.begin()->first;
}

} // namespace cep
