/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What must hold for every call of the engine, whatever the state and input: a
 * refusal changes no byte; an accepted input yields an action list that agrees with
 * the states before and after. check_call() wraps one call and throws Violation.
 * Used by the simulator, the table tests and the fuzzer. No state.
 */
#ifndef CEP_SIM_INVARIANTS_HH
#define CEP_SIM_INVARIANTS_HH

#include "cep_core.h"

#include <array>
#include <cstring>
#include <stdexcept>
#include <string>

namespace cep::sim
{

using Mad = std::array<uint8_t, CEP_MAD_SIZE>;

struct Violation : std::runtime_error {
	using std::runtime_error::runtime_error;
};

constexpr bool in(unsigned state, std::initializer_list<cep_state> set)
{
	for (cep_state s : set)
		if (s == state)
			return true;
	return false;
}

/* A request of ours is out, its buffer kept for another try. */
constexpr bool requests(const cep_info &info)
{
	return in(info.state,
		  {CEP_STATE_REQ_SENT, CEP_STATE_MRA_REQ_RCVD, CEP_STATE_REP_SENT,
		   CEP_STATE_MRA_REP_RCVD, CEP_STATE_DREQ_SENT, CEP_STATE_SIDR_REQ_SENT}) ||
	       info.lap_state == CEP_LAP_SENT || info.lap_state == CEP_MRA_LAP_RCVD;
}

constexpr bool waits(const cep_info &info)
{
	return requests(info) || info.state == CEP_STATE_TIMEWAIT;
}

/* The shell holds the address of a LAP of either side. */
constexpr bool holds_address(const cep_info &info)
{
	return info.lap_state >= CEP_LAP_SENT;
}

/* The peer's CA GUID, comm ID and QPN are known, and so are in the remote tables. */
constexpr bool indexed(unsigned state)
{
	return in(state, {CEP_STATE_REQ_RCVD, CEP_STATE_MRA_REQ_SENT, CEP_STATE_REP_SENT,
			  CEP_STATE_REP_RCVD, CEP_STATE_MRA_REP_SENT, CEP_STATE_MRA_REP_RCVD,
			  CEP_STATE_ESTABLISHED, CEP_STATE_DREQ_SENT, CEP_STATE_DREQ_RCVD,
			  CEP_STATE_TIMEWAIT, CEP_STATE_SIDR_REQ_RCVD});
}

inline cep_info info_of(const cep_core &core)
{
	cep_info info;

	cep_core_info(&core, &info);
	return info;
}

inline unsigned count(const cep_actions &acts, cep_act_kind kind)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < acts.count; i++)
		n += acts.act[i].kind == kind;
	return n;
}

inline bool sends_tx(const cep_actions &acts)
{
	return count(acts, CEP_ACT_SEND_REQUEST) + count(acts, CEP_ACT_SEND_REPLY) != 0;
}

/* For messages of failures: REQ_SENT -> IDLE: SEND_REPLY DISARM ... */
inline std::string describe(const cep_actions &acts)
{
	static const char *const names[] = {"NONE",           "SEND_REQUEST",   "SEND_REPLY",
					    "RESEND",         "DROP_REQUEST",   "ARM",
					    "DISARM",         "EVENT",          "UNINDEX",
					    "ENTER_TIMEWAIT", "LEAVE_TIMEWAIT", "KEEP_DATA",
					    "RELEASE",        "HOLD_ALT",       "TAKE_ALT",
					    "DROP_ALT",       "SWAP_PATHS"};
	std::string text = std::string(cep_core_state_name(acts.state_before)) + " -> " +
			   cep_core_state_name(acts.state_after) + ":";

	for (uint32_t i = 0; i < acts.count && i < CEP_MAX_ACTIONS; i++) {
		const cep_action &a = acts.act[i];
		text += " ";
		text += a.kind < std::size(names) ? names[a.kind] : "?";
		if (a.kind == CEP_ACT_EVENT)
			text += std::string("(") + cep_core_event_name(a.event) + ")";
	}
	return text;
}

inline void require(bool ok, const char *what, const char *call, const cep_actions &acts)
{
	if (!ok)
		throw Violation(std::string(call) + ": " + what + " [" + describe(acts) + "]");
}

/* The list against the states; kept: whether the shell holds a request buffer. */
inline void check_actions(const char *call, const cep_info &before, const cep_info &after,
			  const cep_actions &acts, uint64_t now, bool &kept)
{
	const auto must = [&](bool ok, const char *what) { require(ok, what, call, acts); };

	must(acts.count <= CEP_MAX_ACTIONS, "too many actions");
	must(acts.state_before == before.state, "state_before is not the state before");
	must(acts.state_after == after.state, "state_after is not the state after");

	uint64_t deadline = before.deadline_ns;
	bool armed_last = false;
	for (uint32_t i = 0; i < acts.count; i++) {
		const cep_action &a = acts.act[i];
		armed_last = a.kind == CEP_ACT_ARM || (armed_last && a.kind != CEP_ACT_DISARM);
		switch (a.kind) {
		case CEP_ACT_ARM:
			must(a.value > now, "a deadline in the past");
			deadline = a.value;
			break;
		case CEP_ACT_DISARM: deadline = 0; break;
		case CEP_ACT_EVENT:
			must(!before.closed && !after.closed, "an event for a closed CEP");
			must(a.event < CEP_NR_EVENTS, "no such event");
			must(a.arg <= CEP_CAUSE_STALE, "no such cause");
			break;
		case CEP_ACT_RESEND: must(kept, "nothing is kept that could be sent again"); break;
		case CEP_ACT_SEND_REQUEST: kept = true; break;
		case CEP_ACT_DROP_REQUEST: kept = false; break;
		case CEP_ACT_ENTER_TIMEWAIT:
			must(armed_last, "timewait without a deadline");
			must(deadline - now == after.timewait_ns, "timewait of another length");
			break;
		case CEP_ACT_RELEASE:
			must(i == acts.count - 1, "RELEASE is not the last action");
			break;
		case CEP_ACT_SEND_REPLY:
		case CEP_ACT_UNINDEX:
		case CEP_ACT_LEAVE_TIMEWAIT:
		case CEP_ACT_HOLD_ALT:
		case CEP_ACT_TAKE_ALT:
		case CEP_ACT_DROP_ALT:
		case CEP_ACT_SWAP_PATHS:
		case CEP_ACT_KEEP_DATA: break;
		default: must(false, "no such action");
		}
	}
	must(deadline == after.deadline_ns, "the shell's deadline is not the engine's");
	must(waits(after) == (after.deadline_ns != 0), "armed if and only if the state waits");
	must(requests(after) == kept, "a buffer is kept if and only if the state requests");

	must(count(acts, CEP_ACT_SEND_REQUEST) + count(acts, CEP_ACT_SEND_REPLY) +
			     count(acts, CEP_ACT_RESEND) <=
		     1,
	     "more than one message");
	must(count(acts, CEP_ACT_ARM) + count(acts, CEP_ACT_DISARM) <= 1, "armed twice");
	must(count(acts, CEP_ACT_DROP_REQUEST) <= 1, "dropped twice");

	const bool leaves_index = indexed(before.state) && !indexed(after.state);
	must(count(acts, CEP_ACT_UNINDEX) == (leaves_index ? 1 : 0),
	     "UNINDEX if and only if the connection ends");
	const bool enters = before.state != CEP_STATE_TIMEWAIT && after.state == CEP_STATE_TIMEWAIT;
	const bool leaves = before.state == CEP_STATE_TIMEWAIT && after.state != CEP_STATE_TIMEWAIT;
	must(count(acts, CEP_ACT_ENTER_TIMEWAIT) == (enters ? 1 : 0), "ENTER_TIMEWAIT on entry");
	must(count(acts, CEP_ACT_LEAVE_TIMEWAIT) == (leaves ? 1 : 0), "LEAVE_TIMEWAIT on exit");

	must(!holds_address(after) || after.state == CEP_STATE_ESTABLISHED,
	     "a LAP without a connection");
	must(count(acts, CEP_ACT_HOLD_ALT) ==
		     (!holds_address(before) && holds_address(after) ? 1 : 0),
	     "HOLD_ALT if and only if a LAP begins");
	must(count(acts, CEP_ACT_TAKE_ALT) + count(acts, CEP_ACT_DROP_ALT) ==
		     (holds_address(before) && !holds_address(after) ? 1 : 0),
	     "one of TAKE_ALT and DROP_ALT when a LAP ends");

	const bool ends = before.state != CEP_STATE_CLOSED && after.state == CEP_STATE_CLOSED;
	must(count(acts, CEP_ACT_RELEASE) == (ends ? 1 : 0), "RELEASE on the way to CLOSED");
	must(after.state != CEP_STATE_CLOSED || after.closed, "CLOSED but not closed");
	must(!after.closed || after.state != CEP_STATE_IDLE, "closed and idle is CLOSED");
	must(!before.closed || after.closed, "a destroyed CEP came back");
	must(before.state != CEP_STATE_CLOSED || acts.count == 0, "a CLOSED CEP acts");

	unsigned exits = 0;
	for (uint32_t i = 0; i < acts.count; i++)
		exits += acts.act[i].kind == CEP_ACT_EVENT &&
			 acts.act[i].event == CEP_EVENT_TIMEWAIT_EXIT;
	if (leaves && !after.closed)
		must(exits == 1, "one exit event for each timewait");
	else
		must(exits == 0, "an exit event without timewait");
}

/*
 * One call: fn(core, tx, acts) -> cep_result. It is made twice, on copies and over
 * different garbage in tx, which shows what depends on garbage and which bytes of tx
 * are not written.
 */
template <class Fn>
cep_result check_call(const char *call, cep_core &core, Mad &tx, cep_actions &acts, uint64_t now,
		      bool &kept, Fn &&fn)
{
	const cep_core core_before = core;
	const cep_info before = info_of(core);
	cep_core twin = core;
	cep_actions twin_acts;
	Mad other;

	tx.fill(0xa5);
	other.fill(0x5a);
	std::memset(&acts, 0xee, sizeof(acts));
	std::memset(&twin_acts, 0x11, sizeof(twin_acts));
	const cep_result result = fn(core, tx.data(), acts);
	const cep_result again = fn(twin, other.data(), twin_acts);
	const bool filled = acts.count <= CEP_MAX_ACTIONS;

	require(filled, "no action list", call, acts);
	require(result == again && !std::memcmp(&core, &twin, sizeof(core)), "depends on garbage",
		call, acts);
	require(acts.count == twin_acts.count &&
			!std::memcmp(acts.act, twin_acts.act, acts.count * sizeof(acts.act[0])),
		"another list over other garbage", call, acts);

	if (result != CEP_OK) {
		require(acts.count == 0, "refused, with actions", call, acts);
		require(!std::memcmp(&core, &core_before, sizeof(core)),
			"refused, but the core changed", call, acts);
	}
	if (result == CEP_OK && sends_tx(acts)) {
		require(tx == other, "tx is not written as a whole", call, acts);
		cep_msg sent;
		require(cep_core_parse(tx.data(), tx.size(), &sent) == CEP_PARSE_OK,
			"the message sent does not parse", call, acts);
	} else {
		Mad blank;
		blank.fill(0xa5);
		require(tx == blank, "tx is touched though nothing is sent", call, acts);
		blank.fill(0x5a);
		require(other == blank, "tx is touched though nothing is sent", call, acts);
	}
	if (result == CEP_OK)
		check_actions(call, before, info_of(core), acts, now, kept);
	return result;
}

} // namespace cep::sim

#endif /* CEP_SIM_INVARIANTS_HH */
