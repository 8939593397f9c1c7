/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * LAP and APR on a connection of two engines, under every mask of lost, doubled, swapped
 * and mixed MADs: whoever offers a path hears one answer or one error, addresses are taken
 * as a whole or not at all, a LAP that is settled is never asked about twice, and the end
 * of the connection ends it. Then the QP attributes and the migration. IBA 12.8.
 */
#include "sim/commands.hh"
#include "sim/ways.hh"

namespace cep::sim
{
namespace
{

enum class Answer { Grant, Refuse, MraGrant, ArmMraGrant, Never, Impossible };
enum class Then {
	Nothing,
	Again,          /* a second LAP after the answer to the first */
	Crossing,       /* both offer at once */
	OffererHangsUp, /* while its LAP is out */
	OffererDestroys,
	OtherHangsUp, /* while it thinks */
	OtherDestroys,
	OtherOffersBack, /* after its APR */
};

struct Case {
	const char *name;
	uint8_t retries;
	Answer answer = Answer::Grant;
	Then then = Then::Nothing;
	bool passive_offers = false;
};

const Case cases[] = {
	{"grant_15", 15},
	{"grant_2", 2},
	{"grant_0", 0},
	{"passive_grant_15", 15, Answer::Grant, Then::Nothing, true},
	{"refuse_15", 15, Answer::Refuse},
	{"mra_15", 15, Answer::MraGrant},
	{"mra_2", 2, Answer::MraGrant},
	{"armed_mra_15", 15, Answer::ArmMraGrant},
	{"never_2", 2, Answer::Never},
	{"impossible_15", 15, Answer::Impossible},
	{"again_15", 15, Answer::Grant, Then::Again},
	{"again_2", 2, Answer::Grant, Then::Again},
	{"refused_again_15", 15, Answer::Refuse, Then::Again},
	{"crossing_15", 15, Answer::Grant, Then::Crossing},
	{"crossing_2", 2, Answer::Grant, Then::Crossing},
	{"offerer_hangs_up", 2, Answer::Never, Then::OffererHangsUp},
	{"offerer_hangs_up_mra", 2, Answer::MraGrant, Then::OffererHangsUp},
	{"offerer_destroys", 2, Answer::Never, Then::OffererDestroys},
	{"other_hangs_up", 2, Answer::Never, Then::OtherHangsUp},
	{"other_destroys", 2, Answer::MraGrant, Then::OtherDestroys},
	{"offers_back_15", 15, Answer::Grant, Then::OtherOffersBack},
	{"offers_back_2", 2, Answer::Grant, Then::OtherOffersBack},
};

bool ends(Then then)
{
	return then == Then::OffererHangsUp || then == Then::OffererDestroys ||
	       then == Then::OtherHangsUp || then == Then::OtherDestroys;
}

struct Side {
	Cep *cep = nullptr;
	unsigned offered = 0, granted = 0, refused = 0, failed = 0, asked = 0;
	unsigned ends = 0;     /* DREQ_RECEIVED, DREP_RECEIVED, DREQ_ERROR, REJ_RECEIVED */
	uint16_t path = 0;     /* what was offered last */
	uint16_t expected = 0; /* alternate, as far as events tell */

	unsigned settled() const { return granted + refused + failed; }
};

class Laps
{
public:
	Laps(const Case &how, Faults faults)
		: how_(how), pair({.name = how.name,
				   .active_hears = "",
				   .passive_hears = "",
				   .retries = how.retries},
				  faults)
	{
		pair.wire.no_faults_yet();
		if (!pair.run() || !Pair::up(pair.active) || !Pair::up(pair.passive()))
			throw Violation("no connection to begin with");
		pair.wire.faults_from_here();
		side[0].cep = pair.active;
		side[1].cep = pair.passive();
		for (Host *host : {&pair.a, &pair.p}) {
			host->lap_status = how.answer == Answer::Impossible ? CEP_APR_UNSUPPORTED
									    : CEP_APR_SUCCESS;
			host->on_event = [this](Cep &cep, const Told &t) { hears(cep, t); };
		}
	}

	Side &of(const Cep &cep) { return side[&cep == side[1].cep]; }
	Side &other(const Side &s) { return side[&s == &side[0]]; }
	Side &offerer() { return side[how_.passive_offers]; }

	void run()
	{
		offer(offerer());
		if (how_.then == Then::Crossing)
			offer(other(offerer()));
		if (how_.then == Then::OffererHangsUp)
			pair.clock.after(400 * ms, [this] { disconnect(*offerer().cep); });
		if (how_.then == Then::OffererDestroys)
			pair.clock.after(400 * ms, [this] { destroy(*offerer().cep); });
		settle();
	}

	void settle()
	{
		if (!pair.clock.drain(3000))
			throw Violation("does not come to rest");
	}

	void destroy(Cep &cep)
	{
		if (!cep.destroyed)
			cep.host.destroy(cep);
	}

	const Case how_;
	Pair pair;
	Side side[2];

private:
	void offer(Side &s)
	{
		s.offered++;
		s.path = static_cast<uint16_t>(100 * s.offered + (&s == &side[1]) + 1);
		if (offer_path(*s.cep, s.path) != CEP_OK)
			throw Violation("an established CEP may not offer a path");
	}

	void decide(Cep &cep, uint8_t status)
	{
		if (cep.destroyed)
			return;
		const uint16_t path = static_cast<uint16_t>(cep.held);
		if (answer_path(cep, status) != CEP_OK)
			return; /* over meanwhile */
		if (status == CEP_APR_SUCCESS)
			of(cep).expected = path;
		if (how_.then == Then::OtherOffersBack && !of(cep).offered)
			offer(of(cep));
	}

	void hears(Cep &cep, const Told &t)
	{
		Side &s = of(cep);

		switch (t.event) {
		case CEP_EVENT_LAP_RECEIVED: hears_lap(cep, s); break;
		case CEP_EVENT_APR_RECEIVED:
			if (t.reason == CEP_APR_SUCCESS) {
				s.granted++;
				s.expected = s.path;
			} else {
				s.refused++;
			}
			if (how_.answer == Answer::Impossible && t.reason != CEP_APR_UNSUPPORTED)
				throw Violation("another status than the shell gave");
			if (how_.answer == Answer::Grant && t.reason == CEP_APR_SUCCESS &&
			    (t.ari != bytes("ten") ||
			     !std::equal(t.data.begin(), t.data.begin() + 6, "agreed")))
				throw Violation("an APR without its information or private data");
			if (how_.then == Then::Again && s.offered < 2)
				offer(s);
			break;
		case CEP_EVENT_LAP_ERROR: s.failed++; break;
		case CEP_EVENT_MRA_RECEIVED: break;
		case CEP_EVENT_DREQ_RECEIVED:
			s.ends++;
			confirm_disconnect(cep);
			break;
		case CEP_EVENT_DREP_RECEIVED:
		case CEP_EVENT_DREQ_ERROR:
		case CEP_EVENT_REJ_RECEIVED: s.ends++; break;
		case CEP_EVENT_TIMEWAIT_EXIT: break;
		default: throw Violation("an event that has no place here");
		}
		if (s.settled() > s.offered)
			throw Violation("a LAP has two ends");
	}

	void hears_lap(Cep &cep, Side &s)
	{
		if (++s.asked > other(s).offered)
			throw Violation("asked twice about one LAP");
		switch (how_.answer) {
		case Answer::Grant: decide(cep, CEP_APR_SUCCESS); break;
		case Answer::Refuse: decide(cep, CEP_APR_REJECT); break;
		case Answer::MraGrant:
		case Answer::ArmMraGrant:
			if (mra(cep, how_.answer == Answer::ArmMraGrant) != CEP_OK)
				break;
			pair.clock.after(second, [this, &cep] { decide(cep, CEP_APR_SUCCESS); });
			break;
		case Answer::Never:
		case Answer::Impossible: break;
		}
		if (how_.then == Then::OtherHangsUp)
			pair.clock.after(100 * ms, [&cep] { disconnect(cep); });
		if (how_.then == Then::OtherDestroys)
			pair.clock.after(100 * ms, [this, &cep] { destroy(cep); });
	}
};

void check_sides(Laps &l, Fault fault, uint64_t mask)
{
	const Case &how = l.how_;
	const bool sure = spared(fault, mask, how.retries);

	for (Side &s : l.side) {
		const cep_info info = info_of(s.cep->core);
		const Side &other = l.other(s);
		/* a LAP that our ULP never answers stays with it */
		const bool pending = info.lap_state >= CEP_LAP_SENT;
		if (s.cep->held && !pending)
			throw Violation("an address is held for nothing");
		if (pending && how.answer != Answer::Never)
			throw Violation("a LAP is not settled");
		if (ends(how.then)) {
			if (!s.cep->destroyed && info.state != CEP_STATE_IDLE &&
			    info.state != CEP_STATE_ESTABLISHED)
				throw Violation("at rest in an odd state");
			if (s.ends > 1)
				throw Violation("more than one end of the connection");
			continue;
		}
		if (info.state != CEP_STATE_ESTABLISHED)
			throw Violation("the connection did not survive its LAP");
		if (s.settled() != s.offered)
			throw Violation("a LAP without end");
		if (s.cep->alternate != s.expected)
			throw Violation("the alternate path is not the one that was agreed to");
		/* Who was told yes can rely on it; a yes that is lost is no harm */
		if (s.granted && !other.asked)
			throw Violation("granted by nobody");
		if (!sure || how.then == Then::Crossing)
			continue;
		if (how.answer != Answer::Never && s.failed)
			throw Violation("not answered");
		if (how.answer == Answer::Refuse || how.answer == Answer::Impossible) {
			if (s.refused != s.offered || s.cep->alternate)
				throw Violation("not refused");
		}
		if (fault == Fault::Lose && mask == 0 && how.answer == Answer::Grant &&
		    s.granted != s.offered)
			throw Violation("not granted");
	}
	if (how.then == Then::Crossing && !mask && fault == Fault::Lose)
		for (const Side &s : l.side)
			if (s.refused != 1 || s.asked)
				throw Violation("crossing LAPs refuse each other");
	for (unsigned from : {0u, 1u})
		if (l.pair.wire.copies(from, CEP_ATTR_LAP) >
		    l.side[from].offered * (1u + how.retries))
			throw Violation("too many copies of a LAP");
}

/* After a grant: what the QP is told before and after it has changed its path. */
void check_migration(Laps &l)
{
	for (Side &s : l.side) {
		Cep &cep = *s.cep;
		cep_qp_attr attr;

		if (cep.destroyed || cep.state() != CEP_STATE_ESTABLISHED || !s.expected ||
		    info_of(cep.core).lap_state != CEP_LAP_IDLE)
			continue;
		if (cep_core_qp_attr(&cep.core, CEP_QP_RTS, &attr) != CEP_OK || !attr.alt_only ||
		    !attr.has_alternate || attr.alt_held)
			throw Violation("the new alternate path cannot be loaded");
		const uint8_t loaded = attr.alt_timeout_exp;
		const unsigned path = cep.path;
		if (migrate(cep) != CEP_OK || cep.path != s.expected || cep.alternate != path)
			throw Violation("the paths did not change places");
		if (cep_core_qp_attr(&cep.core, CEP_QP_RTR, &attr) != CEP_OK ||
		    attr.timeout_exp != loaded)
			throw Violation("the timeout did not move with the path");
		if (migrate(cep) != CEP_OK || cep.path != path)
			throw Violation("no way back");
	}
}

void judge(const Case &how, Fault fault, Faults faults, uint64_t mask, std::string &story)
{
	Laps l(how, faults);
	const auto tell = [&] {
		return ladder(l.pair.wire) + memoirs(l.pair.a) + memoirs(l.pair.p);
	};

	try {
		l.run();
		for (const Host *host : {&l.pair.a, &l.pair.p})
			for (const auto &cep : host->ceps())
				if (cep->deadline || requests(info_of(cep->core)))
					throw Violation("a deadline or request is left behind");
		check_sides(l, fault, mask);
		check_migration(l);
		/* and it can still be disconnected, whatever has become of the paths */
		if (!ends(how.then) && disconnect(*l.side[mask & 1].cep) != CEP_OK)
			throw Violation("cannot be disconnected");
		l.settle();
		for (const Side &s : l.side)
			if (s.cep->held && s.cep->state() != CEP_STATE_ESTABLISHED)
				throw Violation("an address outlives its connection");
		if (!l.pair.teardown())
			throw Violation("does not come to rest after destroy");
		nothing_left(l.pair.a);
		nothing_left(l.pair.p);
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

INSTANTIATE_TEST_SUITE_P(Alternate, Masks, ::testing::Range(0u, unsigned(std::size(cases))),
			 [](const auto &info) { return std::string(cases[info.param].name); });

/* --- one engine ------------------------------------------------------------------------------ */

TEST(Lap, AnAprIsRepeatedByteForByteAlsoWhileOursIsOut)
{
	Solo s;

	lap_heard(s);
	ASSERT_EQ(s.send_apr(CEP_APR_REJECT, "why", "because"), CEP_OK);
	EXPECT_EQ(count(s.acts, CEP_ACT_KEEP_DATA), 1u);
	EXPECT_EQ(count(s.acts, CEP_ACT_DROP_ALT), 1u);
	const Mad apr = s.tx;
	ASSERT_EQ(s.hear(s.message(CEP_ATTR_LAP), false, "whybecause"), CEP_OK);
	EXPECT_EQ(s.tx, apr);
	ASSERT_EQ(s.send_lap(), CEP_OK);
	ASSERT_EQ(s.hear(s.message(CEP_ATTR_LAP), false, "whybecause"), CEP_OK);
	EXPECT_EQ(s.tx, apr);
	/* what the shell has lost is left out; the status stands */
	ASSERT_EQ(s.hear(s.message(CEP_ATTR_LAP)), CEP_OK);
	EXPECT_EQ(s.sent().apr.status, CEP_APR_REJECT);
}

TEST(Lap, AnArmedMraAnswersCopiesAndOneMraIsCapped)
{
	Solo p, a;
	cep_msg mra = a.message(CEP_ATTR_MRA);

	lap_heard(p);
	ASSERT_EQ(p.send_mra(true, 21), CEP_OK);
	EXPECT_FALSE(sends_tx(p.acts));
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(p.hear(p.message(CEP_ATTR_LAP)), CEP_OK);
		EXPECT_EQ(p.sent().mra.service_timeout_exp, 21);
	}

	lap_sent(a);
	mra.mra.which = CEP_WHICH_OTHER;
	mra.mra.service_timeout_exp = 31;
	ASSERT_EQ(a.hear(mra), CEP_OK);
	EXPECT_LT(a.info().deadline_ns - a.now, uint64_t{4096} << 26);
}

TEST(Lap, TheQpMayLoadThePathBeforeTheApr)
{
	Solo s;
	cep_qp_attr attr;

	pas_up(s);
	ASSERT_EQ(cep_core_qp_attr(&s.core, CEP_QP_RTS, &attr), CEP_OK);
	EXPECT_FALSE(attr.alt_only);
	ASSERT_EQ(s.lap(s.message(CEP_ATTR_LAP), CEP_APR_SUCCESS), CEP_OK);
	ASSERT_EQ(cep_core_qp_attr(&s.core, CEP_QP_RTS, &attr), CEP_OK);
	EXPECT_TRUE(attr.alt_only && attr.alt_held && attr.has_alternate);
	EXPECT_EQ(attr.alt_timeout_exp, 13);
	/* refused: as if it had never been offered */
	ASSERT_EQ(s.send_apr(CEP_APR_REJECT), CEP_OK);
	ASSERT_EQ(cep_core_qp_attr(&s.core, CEP_QP_RTS, &attr), CEP_OK);
	EXPECT_FALSE(attr.alt_only || attr.has_alternate);
	EXPECT_EQ(s.migrate(), CEP_E_STATE);
}

TEST(Lap, ADreqTakesThePlaceOfAPendingLap)
{
	Solo s;

	lap_sent(s);
	ASSERT_EQ(s.send_dreq(), CEP_OK);
	EXPECT_EQ(count(s.acts, CEP_ACT_DROP_ALT), 1u);
	EXPECT_EQ(s.sent().attr, CEP_ATTR_DREQ);
	EXPECT_EQ(s.hear(s.message(CEP_ATTR_APR)), CEP_E_PEER);
}

/* Which LAPs are worth an address: new ones on an idle, established CEP. */
TEST(Lap, IsExpectedOnlyWhenItWouldBeTaken)
{
	Solo s;
	cep_msg lap = s.message(CEP_ATTR_LAP);

	EXPECT_FALSE(cep_core_expects_lap(&s.core, &lap));
	pas_up(s);
	EXPECT_TRUE(cep_core_expects_lap(&s.core, &lap));
	ASSERT_EQ(s.lap(lap, CEP_APR_SUCCESS), CEP_OK);
	EXPECT_FALSE(cep_core_expects_lap(&s.core, &lap));
	lap.tid++;
	EXPECT_FALSE(cep_core_expects_lap(&s.core, &lap)) << "another one is pending";
	ASSERT_EQ(s.send_apr(CEP_APR_SUCCESS), CEP_OK);
	EXPECT_TRUE(cep_core_expects_lap(&s.core, &lap));
	lap.lap.remote_qpn++;
	EXPECT_FALSE(cep_core_expects_lap(&s.core, &lap));
}

TEST(StrictSource, IsAskedForWhatMayEndAConnection)
{
	Solo idle, s;

	pas_up(s);
	for (uint16_t attr : {CEP_ATTR_REQ, CEP_ATTR_REP, CEP_ATTR_DREQ, CEP_ATTR_REJ}) {
		const cep_msg msg = s.message(attr);
		EXPECT_TRUE(cep_core_needs_source(&s.core, &msg)) << attr;
		EXPECT_FALSE(cep_core_needs_source(&idle.core, &msg)) << attr;
	}
	for (uint16_t attr : {CEP_ATTR_MRA, CEP_ATTR_RTU, CEP_ATTR_DREP, CEP_ATTR_LAP}) {
		const cep_msg msg = s.message(attr);
		EXPECT_FALSE(cep_core_needs_source(&s.core, &msg)) << attr;
	}
}

} // namespace
} // namespace cep::sim
