/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Fills the caller's struct cep_actions. The capacity is fixed; that no input
 * needs more is a property of the endpoint's apply(), which pushes each kind at
 * most once (two events at a removal), and of the tests. No locks.
 */
#ifndef CEP_ACTIONS_HH
#define CEP_ACTIONS_HH

#include "state.hh"

namespace cep
{

static_assert(sizeof(cep_actions) <= 256, "it lives on the stack of a receive handler");

class ActionList
{
public:
	explicit ActionList(cep_actions &acts, cep_state state) : acts_(acts)
	{
		acts_.count = 0;
		acts_.state_before = static_cast<uint8_t>(shown(state));
		acts_.state_after = acts_.state_before;
		acts_.pad = 0;
	}

	void push(cep_act_kind kind, uint64_t value = 0)
	{
		add(cep_action{static_cast<uint8_t>(kind), 0, 0, 0, value});
	}

	void event(unsigned event, cep_cause cause)
	{
		add(cep_action{CEP_ACT_EVENT, static_cast<uint8_t>(event),
			       static_cast<uint16_t>(cause), 0, 0});
	}

	void settle(cep_state state) { acts_.state_after = static_cast<uint8_t>(shown(state)); }

private:
	void add(const cep_action &action)
	{
		if (acts_.count < CEP_MAX_ACTIONS)
			acts_.act[acts_.count++] = action;
	}

	cep_actions &acts_;
};

} // namespace cep

#endif /* CEP_ACTIONS_HH */
