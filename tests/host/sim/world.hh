/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Virtual clock and wire. The clock runs tasks in order of time, then of posting; the
 * wire numbers every MAD that is posted and loses, doubles or delays it as three bit
 * masks say, so that a run is one number. Single thread, no real time.
 */
#ifndef CEP_SIM_WORLD_HH
#define CEP_SIM_WORLD_HH

#include "invariants.hh"

#include <functional>
#include <optional>
#include <queue>
#include <vector>

namespace cep::sim
{

constexpr uint64_t us = 1000, ms = 1000 * us, second = 1000 * ms;

class Clock
{
public:
	uint64_t now() const { return now_; }

	void after(uint64_t delay, std::function<void()> run)
	{
		tasks_.push(Task{now_ + delay, seq_++, std::move(run)});
	}

	/* Returns false if there was still something to do after `steps`. */
	bool drain(unsigned steps)
	{
		while (!tasks_.empty()) {
			if (!steps--)
				return false;
			auto task = std::move(const_cast<Task &>(tasks_.top()));
			tasks_.pop();
			now_ = task.at;
			task.run();
		}
		return true;
	}

	void advance_to(uint64_t when)
	{
		while (!tasks_.empty() && tasks_.top().at <= when) {
			auto task = std::move(const_cast<Task &>(tasks_.top()));
			tasks_.pop();
			now_ = task.at;
			task.run();
		}
		now_ = when;
	}

private:
	struct Task {
		uint64_t at;
		uint64_t seq;
		std::function<void()> run;

		bool operator<(const Task &o) const { return at != o.at ? at > o.at : seq > o.seq; }
	};

	std::priority_queue<Task> tasks_;
	uint64_t now_ = second;
	uint64_t seq_ = 0;
};

/* Bit n is the n-th MAD that anyone posts. */
struct Faults {
	uint64_t lose = 0;
	uint64_t twice = 0;
	uint64_t swap = 0; /* with the next one in the same direction */
};

struct Packet {
	unsigned from;
	uint64_t at;
	bool lost;
	Mad mad;
};

class Wire
{
public:
	static constexpr uint64_t latency = 10 * us;
	/* one that waits for a successor which never comes: past a retransmission */
	static constexpr uint64_t longest_wait = 700 * ms;

	Wire(Clock &clock, Faults faults) : clock_(clock), faults_(faults) {}

	std::function<void(unsigned to, const Mad &)> deliver;
	std::function<bool(const cep_msg &)> loses; /* a rule by content, for named tests */

	/* The masks count from the next MAD on: what came before had no faults. */
	void faults_from_here() { first_ = static_cast<unsigned>(log_.size()); }
	void no_faults_yet() { first_ = 1u << 31; }

	void post(unsigned from, const Mad &mad)
	{
		const unsigned n = static_cast<unsigned>(log_.size()) - first_;
		const bool lost = hit(faults_.lose, n) || (loses && loses(parsed(mad)));

		log_.push_back(Packet{from, clock_.now(), lost, mad});
		if (lost)
			return;
		if (hit(faults_.swap, n) && !held_[from]) {
			held_[from] = mad;
			const unsigned hold = ++holds_[from];
			clock_.after(longest_wait, [this, from, hold] {
				if (holds_[from] == hold)
					release(from);
			});
			return;
		}
		carry(from, mad);
		if (hit(faults_.twice, n))
			carry(from, mad);
		release(from);
	}

	const std::vector<Packet> &log() const { return log_; }

	static cep_msg parsed(const Mad &mad)
	{
		cep_msg msg;

		if (cep_core_parse(mad.data(), mad.size(), &msg) != CEP_PARSE_OK)
			throw Violation("a message on the wire does not parse");
		return msg;
	}

	unsigned copies(unsigned from, uint16_t attr) const
	{
		unsigned n = 0;

		for (const Packet &p : log_)
			n += p.from == from && parsed(p.mad).attr == attr;
		return n;
	}

private:
	static bool hit(uint64_t mask, unsigned n) { return n < 64 && (mask >> n & 1); }

	void carry(unsigned from, const Mad &mad)
	{
		clock_.after(latency, [this, to = 1 - from, mad] { deliver(to, mad); });
	}

	void release(unsigned from)
	{
		if (!held_[from])
			return;
		carry(from, *held_[from]);
		held_[from].reset();
		holds_[from]++;
	}

	Clock &clock_;
	Faults faults_;
	unsigned first_ = 0;
	std::vector<Packet> log_;
	std::optional<Mad> held_[2];
	unsigned holds_[2] = {};
};

} // namespace cep::sim

#endif /* CEP_SIM_WORLD_HH */
