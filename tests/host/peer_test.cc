/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Peer to peer: two engines send a REQ to each other for the same service, at the same
 * instant or apart, under every mask of lost, doubled, swapped and mixed MADs: one
 * connection results, in which the greater one is active, or both are told that there is
 * none. IBA 12.10.4.
 */
#include "sim/commands.hh"

namespace cep::sim
{
namespace
{

struct Case {
	const char *name;
	uint8_t retries;
	uint64_t lead_ns = 0; /* how much earlier host 0 starts */
	bool first_is_greater = true;
	bool same_ca = false; /* QPNs decide */
	bool mra = false;     /* whoever is asked wants time */
	bool rejects = false;
};

const Case cases[] = {
	{"at_once_15", 15},
	{"at_once_2", 2},
	{"at_once_0", 0},
	{"crossing_15", 15, 5 * us},
	{"crossing_2", 2, 5 * us},
	{"late_greater_15", 15, 50 * us, false},
	{"late_lesser_15", 15, 50 * us},
	{"late_lesser_2", 2, 50 * us},
	{"much_later_15", 15, 900 * ms},
	{"much_later_greater_15", 15, 900 * ms, false},
	{"one_ca_15", 15, 0, true, true},
	{"one_ca_other_15", 15, 0, false, true},
	{"mra_15", 15, 5 * us, true, false, true},
	{"mra_2", 2, 0, false, false, true},
	{"rejected_15", 15, 0, true, false, false, true},
};

class Peers
{
public:
	Peers(const Case &how, Faults faults)
		: how_(how), wire(clock, faults), a(clock, wire, 0,
						    how.same_ca            ? 0xcc
						    : how.first_is_greater ? 0xbb
									   : 0xaa),
		  p(clock, wire, 1,
		    how.same_ca            ? 0xcc
		    : how.first_is_greater ? 0xaa
					   : 0xbb)
	{
		wire.deliver = [this](unsigned to, const Mad &mad) { (to ? p : a).receive(mad); };
		for (Host *host : {&a, &p})
			host->on_event = [this](Cep &cep, const Told &t) { hears(cep, t); };
	}

	void run()
	{
		for (unsigned i : {0u, 1u}) {
			cep[i] = &(i ? p : a).create();
			if ((i == 0) == how_.first_is_greater)
				cep[i]->qpn += 0x100;
		}
		start(*cep[0]);
		clock.after(how_.lead_ns, [this] { start(*cep[1]); });
		settle();
	}

	void settle()
	{
		if (!clock.drain(4000))
			throw Violation("does not come to rest");
	}

	void teardown()
	{
		for (Host *host : {&a, &p})
			for (size_t i = 0; i < host->ceps().size(); i++)
				if (!host->ceps()[i]->destroyed)
					host->destroy(*host->ceps()[i]);
		settle();
	}

	bool up(unsigned i) const { return cep[i]->state() == CEP_STATE_ESTABLISHED; }

	const Case how_;
	Clock clock;
	Wire wire;
	Host a, p;
	Cep *cep[2] = {};
	unsigned asked[2] = {}, told_of_end[2] = {};

private:
	void start(Cep &c)
	{
		if (connect_as_peer(c, how_.retries) != CEP_OK)
			throw Violation("an idle CEP may not connect");
	}

	void hears(Cep &c, const Told &t)
	{
		const unsigned i = &c == cep[1];

		switch (t.event) {
		case CEP_EVENT_REQ_RECEIVED:
			asked[i]++;
			if (how_.rejects) {
				told_of_end[i] += reject(c) == CEP_OK; /* by itself */
				break;
			}
			if (how_.mra) {
				mra(c, false);
				clock.after(second, [&c] {
					if (!c.destroyed)
						accept(c);
				});
				break;
			}
			accept(c);
			break;
		case CEP_EVENT_REP_RECEIVED: ready(c); break;
		case CEP_EVENT_RTU_RECEIVED:
		case CEP_EVENT_MRA_RECEIVED:
		case CEP_EVENT_TIMEWAIT_EXIT: break;
		case CEP_EVENT_DREQ_RECEIVED:
			told_of_end[i]++;
			confirm_disconnect(c);
			break;
		case CEP_EVENT_REQ_ERROR:
		case CEP_EVENT_REP_ERROR:
		case CEP_EVENT_REJ_RECEIVED:
		case CEP_EVENT_DREP_RECEIVED:
		case CEP_EVENT_DREQ_ERROR: told_of_end[i]++; break;
		default: throw Violation("an event that has no place here");
		}
	}
};

void check_up(const Peers &s)
{
	const cep_info one = info_of(s.cep[0]->core), two = info_of(s.cep[1]->core);
	const unsigned passive = s.how_.first_is_greater ? 1 : 0;

	if (one.local_comm_id != two.remote_comm_id || one.remote_comm_id != two.local_comm_id ||
	    one.local_qpn != two.remote_qpn || one.remote_qpn != two.local_qpn)
		throw Violation("connected, but not to each other");
	if ((passive ? two : one).passive != 1 || (passive ? one : two).passive != 0)
		throw Violation("the lesser one is not the passive one");
	if (s.asked[passive] != 1 || s.asked[1 - passive])
		throw Violation("REQ_RECEIVED comes once, to the lesser one");
}

void judge(const Case &how, Fault fault, Faults faults, uint64_t mask, std::string &story)
{
	Peers s(how, faults);
	const auto tell = [&] { return ladder(s.wire) + memoirs(s.a) + memoirs(s.p); };

	try {
		s.run();
		at_rest(s.a);
		at_rest(s.p);
		if (s.a.ceps().size() != 1 || s.p.ceps().size() != 1)
			throw Violation("another CEP has come to life");
		for (unsigned i : {0u, 1u}) {
			if (s.wire.copies(i, CEP_ATTR_REQ) >
			    1u + how.retries + 2 * s.wire.copies(1 - i, CEP_ATTR_REQ))
				throw Violation("too many copies of a REQ");
			if (!s.up(i) && s.cep[i]->state() != CEP_STATE_IDLE)
				throw Violation("at rest in an odd state");
			if (!s.up(i) && s.told_of_end[i] != 1)
				throw Violation("who is not connected is told so once");
		}
		const bool both = s.up(0) && s.up(1);
		if (both)
			check_up(s);
		if (both == how.rejects && spared(fault, mask, how.retries))
			throw Violation(both ? "connected all the same" : "not connected");
		/* Half open only if what the other one said at its end was lost; it can be ended */
		for (unsigned i : {0u, 1u})
			if (s.up(i) && disconnect(*s.cep[i]) != CEP_OK)
				throw Violation("cannot be disconnected");
		s.settle();
		if (s.up(0) || s.up(1))
			throw Violation("connected for ever");
		s.teardown();
		nothing_left(s.a);
		nothing_left(s.p);
		story = tell();
	} catch (const Violation &) {
		story = tell();
		throw;
	}
}

class Masks : public ::testing::TestWithParam<unsigned>
{
protected:
	void all(Fault fault, unsigned bits)
	{
		const Case &how = cases[GetParam()];

		every_mask(how.name, fault, bits, [&](Faults f, uint64_t mask, std::string &story) {
			judge(how, fault, f, mask, story);
		});
	}
};

TEST_P(Masks, Lost)
{
	all(Fault::Lose, 12);
}

TEST_P(Masks, Doubled)
{
	all(Fault::Twice, 8);
}

TEST_P(Masks, Swapped)
{
	all(Fault::Swap, 8);
}

TEST_P(Masks, Mixed)
{
	all(Fault::Mixed, 12);
}

INSTANTIATE_TEST_SUITE_P(Peer, Masks, ::testing::Range(0u, unsigned(std::size(cases))),
			 [](const auto &info) { return std::string(cases[info.param].name); });

} // namespace
} // namespace cep::sim
