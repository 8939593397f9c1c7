/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * SIDR between two engines under every mask of lost, doubled, swapped and mixed MADs: the
 * asking side gets exactly one answer, that of its question, or one error; the answering
 * side is asked once while it has not answered, and keeps nothing afterwards. IBA 12.11.
 */
#include "sim/commands.hh"

namespace cep::sim
{
namespace
{

enum class Service { Answers, AnswersLate, Refuses, Goes, Sleeps, Absent };

struct Case {
	const char *name;
	Service service;
	uint8_t retries;
	bool twice = false; /* a second question on the same CEP, with the same request ID */
	int status = CEP_SIDR_SUCCESS;
};

const Case cases[] = {
	{"answers_15", Service::Answers, 15},
	{"answers_2", Service::Answers, 2},
	{"answers_0", Service::Answers, 0},
	{"answers_twice_15", Service::Answers, 15, true},
	{"answers_late_15", Service::AnswersLate, 15},
	{"answers_late_twice_15", Service::AnswersLate, 15, true},
	{"refuses", Service::Refuses, 15, false, CEP_SIDR_NO_QP},
	{"redirects_twice", Service::Refuses, 15, true, CEP_SIDR_REDIRECT},
	{"goes", Service::Goes, 15, false, CEP_SIDR_REJECT},
	{"sleeps", Service::Sleeps, 2},
	{"absent", Service::Absent, 15, false, CEP_SIDR_UNSUPPORTED},
};

class Sidr
{
public:
	Sidr(const Case &how, Faults faults)
		: how_(how), wire(clock, faults), a(clock, wire, 0, 0xaaaa00000000aa00u),
		  p(clock, wire, 1, 0xbbbb00000000bb00u)
	{
		wire.deliver = [this](unsigned to, const Mad &mad) { (to ? p : a).receive(mad); };
		a.on_event = [this](Cep &cep, const Told &t) { asker_hears(cep, t); };
		p.on_event = [this](Cep &cep, const Told &t) { service_hears(cep, t); };
		p.listening = how.service != Service::Absent;
	}

	void run()
	{
		asker = &a.create();
		next_question();
		if (!clock.drain(2000))
			throw Violation("does not come to rest");
	}

	void teardown()
	{
		for (Host *host : {&a, &p})
			for (size_t i = 0; i < host->ceps().size(); i++)
				if (!host->ceps()[i]->destroyed)
					host->destroy(*host->ceps()[i]);
		if (!clock.drain(2000))
			throw Violation("does not come to rest after destroy");
	}

	const Case how_;
	Clock clock;
	Wire wire;
	Host a, p;
	Cep *asker = nullptr;
	unsigned asked = 0, answered = 0, errors = 0;

private:
	void next_question()
	{
		asked++;
		if (ask(*asker, how_.retries, question()) != CEP_OK)
			throw Violation("an idle CEP may not ask");
	}

	std::vector<uint8_t> question() const { return {uint8_t('0' + asked), '?'}; }

	void asker_hears(Cep &, const Told &t)
	{
		switch (t.event) {
		case CEP_EVENT_SIDR_REP_RECEIVED:
			answered++;
			if (t.reason != how_.status)
				throw Violation("another status than the service gave");
			/* The service repeats the question, where it speaks at all */
			if (how_.service == Service::Answers ||
			    how_.service == Service::AnswersLate)
				if (t.data.at(0) != question()[0])
					throw Violation("the answer to another question");
			break;
		case CEP_EVENT_SIDR_REQ_ERROR: errors++; break;
		default: throw Violation("an event that is not SIDR's");
		}
		if (answered + errors != asked)
			throw Violation("more than one end of a question");
		if (how_.twice && asked < 2)
			next_question();
	}

	void service_hears(Cep &cep, const Told &t)
	{
		if (t.event != CEP_EVENT_SIDR_REQ_RECEIVED || cep.told.size() != 1)
			throw Violation("a question that is asked once");
		const std::vector<uint8_t> data(t.data.begin(), t.data.begin() + 2);
		const auto reply = [this, &cep, data] {
			answer(cep, static_cast<uint8_t>(how_.status), data);
			p.destroy(cep);
		};
		switch (how_.service) {
		case Service::Answers:
		case Service::Refuses: reply(); break;
		case Service::AnswersLate: clock.after(700 * ms, reply); break;
		case Service::Goes: p.destroy(cep); break;
		case Service::Sleeps:
		case Service::Absent: break;
		}
	}
};

void judge(const Case &how, Fault fault, Faults faults, uint64_t mask, std::string &story)
{
	Sidr s(how, faults);

	try {
		s.run();
		at_rest(s.a);
		at_rest(s.p);
		if (s.asker->state() != CEP_STATE_IDLE)
			throw Violation("the asker is not at rest");
		if (s.answered + s.errors != s.asked)
			throw Violation("a question without end");
		if (s.wire.copies(0, CEP_ATTR_SIDR_REQ) > s.asked * (1u + how.retries))
			throw Violation("too many copies");
		if (how.service == Service::Sleeps) {
			if (s.answered || s.p.ceps().size() > 1)
				throw Violation("a pending question is a single one");
		} else if (spared(fault, mask, how.retries) && s.errors) {
			throw Violation("not answered");
		}
		if (!mask && s.p.ceps().size() != (how.service == Service::Absent ? 0 : s.asked))
			throw Violation("asked another number of times");
		s.teardown();
		nothing_left(s.a);
		nothing_left(s.p);
		story = ladder(s.wire);
	} catch (const Violation &) {
		story = ladder(s.wire) + memoirs(s.a) + memoirs(s.p);
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

INSTANTIATE_TEST_SUITE_P(Sidr, Masks, ::testing::Range(0u, unsigned(std::size(cases))),
			 [](const auto &info) { return std::string(cases[info.param].name); });

/* --- one engine ------------------------------------------------------------------------------ */

TEST(SidrRequest, IsSentAgainByteForByteAndGivenUpInSilence)
{
	Clock clock;
	Wire wire(clock, {});
	Host host(clock, wire, 0, 0xaa);
	std::vector<unsigned> events;

	wire.deliver = [](unsigned, const Mad &) {};
	host.on_event = [&](Cep &, const Told &t) {
		events.push_back(t.event);
		EXPECT_EQ(t.cause, CEP_CAUSE_TIMEOUT);
	};
	Cep &cep = host.create();
	ASSERT_EQ(ask(cep, 3, bytes("?")), CEP_OK);
	EXPECT_EQ(cep.state(), CEP_STATE_SIDR_REQ_SENT);
	ASSERT_TRUE(clock.drain(100));
	ASSERT_EQ(wire.log().size(), 4u);
	for (const Packet &packet : wire.log())
		EXPECT_EQ(packet.mad, wire.log()[0].mad);
	EXPECT_EQ(events, std::vector<unsigned>{CEP_EVENT_SIDR_REQ_ERROR});
	EXPECT_EQ(cep.state(), CEP_STATE_IDLE);
}

TEST(SidrReply, CarriesEveryFieldAndInformation)
{
	static const uint8_t info[CEP_ARI_SIZE] = {1, 2, 3}, data[] = "data";
	cep_core core;
	cep_actions acts;
	cep_msg req{}, rep;
	uint8_t tx[CEP_MAD_SIZE];

	req.attr = CEP_ATTR_SIDR_REQ;
	req.tid = 77;
	req.local_comm_id = 0xabcdef;
	req.sidr_req.service_id = 42;
	cep_core_init(&core);
	ASSERT_EQ(cep_core_on_sidr_req(&core, 1, &req, 9, &acts), CEP_OK);
	cep_send_sidr_rep args{};
	args.qpn = 0x123456;
	args.qkey = 0x9abcdef0;
	args.ece_vendor_id = 0x010203;
	args.ece_attr_mod = 5;
	args.info = info;
	args.info_len = sizeof(info);
	args.private_data = data;
	args.private_data_len = sizeof(data);

	cep_send_sidr_rep bad = args;
	bad.info_len = CEP_ARI_SIZE + 1;
	EXPECT_EQ(cep_core_send_sidr_rep(&core, &bad, tx, &acts), CEP_E_ARG);
	bad = args;
	bad.private_data_len = CEP_SIDR_REP_PRIVATE_DATA_SIZE + 1;
	EXPECT_EQ(cep_core_send_sidr_rep(&core, &bad, tx, &acts), CEP_E_ARG);
	bad = args;
	bad.ece_vendor_id = 0x1000000;
	EXPECT_EQ(cep_core_send_sidr_rep(&core, &bad, tx, &acts), CEP_E_ARG);
	EXPECT_EQ(cep_core_state(&core), CEP_STATE_SIDR_REQ_RCVD);

	ASSERT_EQ(cep_core_send_sidr_rep(&core, &args, tx, &acts), CEP_OK);
	ASSERT_EQ(cep_core_parse(tx, sizeof(tx), &rep), CEP_PARSE_OK);
	EXPECT_EQ(rep.attr, CEP_ATTR_SIDR_REP);
	EXPECT_EQ(rep.tid, 77u);
	EXPECT_EQ(rep.local_comm_id, 0xabcdefu);
	EXPECT_EQ(rep.sidr_rep.service_id, 42u);
	EXPECT_EQ(rep.sidr_rep.qpn, 0x123456u);
	EXPECT_EQ(rep.sidr_rep.qkey, 0x9abcdef0u);
	EXPECT_EQ(rep.sidr_rep.vendor_id, 0x010203u);
	EXPECT_EQ(rep.sidr_rep.attr_mod, 5u);
	EXPECT_EQ(rep.sidr_rep.info_len, sizeof(info));
	EXPECT_EQ(0, std::memcmp(rep.sidr_rep.info, info, sizeof(info)));
	EXPECT_EQ(0, std::memcmp(rep.private_data, data, sizeof(data)));
	EXPECT_EQ(cep_core_state(&core), CEP_STATE_IDLE);
}

} // namespace
} // namespace cep::sim
