/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Two hosts with automatic ULPs: the active one connects, the passive one answers, and
 * each ends the connection as the scenario says. After the run, judge() says what is
 * wrong with its outcome; teardown() destroys what is left. Single thread.
 */
#ifndef CEP_SIM_ULP_HH
#define CEP_SIM_ULP_HH

#include "shell.hh"

namespace cep::sim
{

enum class OnReq { Accept, Reject, Mra, ArmMra, MraReject, Destroy };
enum class OnRep { Rtu, Reject, Mra, ArmMra, Destroy };
enum class End {
	Never,
	Active, /* sends DREQ */
	Passive,
	Both,          /* at the same instant */
	DestroyActive, /* destroys without disconnect */
	DestroyPassive,
	DestroyBoth,
	DestroyActiveEarly,  /* while its REQ is out */
	DestroyPassiveEarly, /* while its REP is out */
};

struct Scenario {
	const char *name;
	const char *active_hears; /* when nothing is lost */
	const char *passive_hears;
	uint8_t retries;
	OnReq on_req = OnReq::Accept;
	OnRep on_rep = OnRep::Rtu;
	End end = End::Never;
	bool destroy_on_dreq = false; /* instead of send_drep */
	bool tidy = false;            /* a CEP that has ended is destroyed at once, as ULPs do */
	bool comm_est = false;        /* the passive QP sees data before the RTU comes */
	uint64_t think_ns = second;   /* between an MRA and the answer */
};

constexpr uint64_t service_id = 0x1234567890abcdefu;
constexpr uint8_t life_time_exp = 12;       /* 17 ms */
constexpr uint8_t response_exp = 16;        /* 268 ms */
constexpr uint8_t ack_delay_exp = 10;       /* 4 ms */
constexpr uint8_t service_timeout_exp = 19; /* 2.1 s */

inline cep_send_req req_args(const Host &host, const Cep &cep, uint64_t tid, uint8_t retries)
{
	static const uint8_t data[] = "active says REQ";
	cep_send_req args;

	std::memset(&args, 0, sizeof(args));
	args.tid = tid;
	args.local_comm_id = cep.id;
	args.req.service_id = service_id;
	args.req.local_ca_guid = host.guid();
	args.req.local_qpn = cep.qpn;
	args.req.starting_psn = cep.qpn * 3 & 0xffffff;
	args.req.pkey = 0xffff;
	args.req.responder_resources = 4;
	args.req.initiator_depth = 2;
	args.req.remote_cm_response_timeout_exp = response_exp;
	args.req.local_cm_response_timeout_exp = response_exp;
	args.req.retry_count = 7;
	args.req.rnr_retry_count = 6;
	args.req.path_mtu = 3;
	args.req.max_cm_retries = retries;
	args.req.primary.local_lid = 1;
	args.req.primary.remote_lid = 2;
	args.req.primary.local_gid[15] = 1;
	args.req.primary.remote_gid[15] = 2;
	args.packet_life_time_exp = life_time_exp;
	args.local_ca_ack_delay_exp = ack_delay_exp;
	args.private_data = data;
	args.private_data_len = sizeof(data);
	return args;
}

inline cep_send_rep rep_args(const Host &host, const Cep &cep)
{
	static const uint8_t data[] = "passive says REP";
	cep_send_rep args;

	std::memset(&args, 0, sizeof(args));
	args.rep.local_ca_guid = host.guid();
	args.rep.local_qpn = cep.qpn;
	args.rep.starting_psn = cep.qpn * 5 & 0xffffff;
	args.rep.responder_resources = 2;
	args.rep.initiator_depth = 4;
	args.rep.target_ack_delay_exp = ack_delay_exp;
	args.rep.rnr_retry_count = 5;
	args.private_data = data;
	args.private_data_len = sizeof(data);
	return args;
}

inline std::vector<uint8_t> bytes(const char *text)
{
	return {text, text + std::strlen(text)};
}

/* The ULP's commands, by name. */
inline cep_result connect(Cep &cep, uint8_t retries)
{
	Host &host = cep.host;
	const cep_send_req args = req_args(host, cep, host.next_tid(), retries);

	cep.active = true;
	return host.call("send_req", cep, [&](cep_core &core, uint8_t *tx, cep_actions &acts) {
		return cep_core_send_req(&core, host.now(), &args, tx, &acts);
	});
}

inline cep_result accept(Cep &cep)
{
	const cep_send_rep args = rep_args(cep.host, cep);

	return cep.host.call("send_rep", cep, [&](cep_core &core, uint8_t *tx, cep_actions &acts) {
		return cep_core_send_rep(&core, cep.host.now(), &args, tx, &acts);
	});
}

inline cep_result ready(Cep &cep)
{
	const auto data = cep.host.command_data = bytes("active says RTU");

	return cep.host.call("send_rtu", cep, [&](cep_core &core, uint8_t *tx, cep_actions &acts) {
		return cep_core_send_rtu(&core, data.data(), static_cast<uint8_t>(data.size()), tx,
					 &acts);
	});
}

inline cep_result mra(Cep &cep, bool delayed)
{
	const auto data = cep.host.command_data = bytes("patience");

	return cep.host.call("send_mra", cep, [&](cep_core &core, uint8_t *tx, cep_actions &acts) {
		return cep_core_send_mra(&core, service_timeout_exp, delayed, data.data(),
					 static_cast<uint8_t>(data.size()), tx, &acts);
	});
}

inline cep_result reject(Cep &cep, uint16_t reason = CEP_REJ_CONSUMER_DEFINED)
{
	static const uint8_t ari[] = "why", data[] = "because";

	return cep.host.call("send_rej", cep, [&](cep_core &core, uint8_t *tx, cep_actions &acts) {
		return cep_core_send_rej(&core, cep.host.now(), reason, ari, sizeof(ari), data,
					 sizeof(data), tx, &acts);
	});
}

inline cep_result disconnect(Cep &cep)
{
	const uint64_t tid = cep.host.next_tid();
	static const uint8_t data[] = "good bye";

	return cep.host.call("send_dreq", cep, [&](cep_core &core, uint8_t *tx, cep_actions &acts) {
		return cep_core_send_dreq(&core, cep.host.now(), tid, data, sizeof(data), tx,
					  &acts);
	});
}

inline cep_result confirm_disconnect(Cep &cep)
{
	const auto data = cep.host.command_data = bytes("so be it");

	return cep.host.call("send_drep", cep, [&](cep_core &core, uint8_t *tx, cep_actions &acts) {
		return cep_core_send_drep(&core, cep.host.now(), data.data(),
					  static_cast<uint8_t>(data.size()), tx, &acts);
	});
}

inline cep_result established(Cep &cep)
{
	return cep.host.call("established", cep, [&](cep_core &core, uint8_t *, cep_actions &acts) {
		return cep_core_established(&core, &acts);
	});
}

/* What one CEP's ULP may hear, in order; "" or what is wrong. */
inline std::string unlawful(const Cep &cep)
{
	enum { Fresh, Connecting, Up, Down, Over } at = cep.active ? Connecting : Fresh;
	bool mra = false;

	for (const Told &t : cep.told) {
		const std::string what = std::string(cep_core_event_name(t.event));
		switch (t.event) {
		case CEP_EVENT_REQ_RECEIVED:
			if (at != Fresh)
				return what + " twice";
			at = Connecting;
			break;
		case CEP_EVENT_MRA_RECEIVED:
			if (at != Connecting || mra)
				return what + " out of place";
			mra = true;
			break;
		case CEP_EVENT_REP_RECEIVED:
			if (at != Connecting || !cep.active)
				return what + " out of place";
			at = Up;
			break;
		case CEP_EVENT_RTU_RECEIVED:
		case CEP_EVENT_USER_ESTABLISHED:
			if (at != Connecting || cep.active)
				return what + " out of place";
			at = Up;
			break;
		case CEP_EVENT_REQ_ERROR:
			if (at != Connecting || !cep.active)
				return what + " out of place";
			at = Over;
			break;
		case CEP_EVENT_REP_ERROR:
			if (at != Connecting || cep.active)
				return what + " out of place";
			at = Over;
			break;
		case CEP_EVENT_REJ_RECEIVED:
			if (at != Connecting && at != Up)
				return what + " out of place";
			at = at == Up ? Down : Over;
			break;
		case CEP_EVENT_DREQ_RECEIVED:
			/* a peer that is faster than its RTU */
			if (at != Up && !(at == Connecting && !cep.active))
				return what + " out of place";
			at = Down;
			break;
		case CEP_EVENT_DREP_RECEIVED:
		case CEP_EVENT_DREQ_ERROR:
			if (at != Up)
				return what + " out of place";
			at = Down;
			break;
		case CEP_EVENT_TIMEWAIT_EXIT:
			if (at != Down)
				return what + " without a disconnect";
			at = Over;
			break;
		default: return what + " unexpected";
		}
	}
	if (at == Down && !cep.destroyed)
		return "no TIMEWAIT_EXIT";
	return "";
}

class Pair
{
public:
	Pair(const Scenario &s, Faults faults)
		: scenario(s), wire(clock, faults), a(clock, wire, 0, 0xaaaa00000000aa00u),
		  p(clock, wire, 1, 0xbbbb00000000bb00u)
	{
		wire.deliver = [this](unsigned to, const Mad &mad) { (to ? p : a).receive(mad); };
		a.on_event = [this](Cep &cep, const Told &t) { active_hears(cep, t); };
		p.on_event = [this](Cep &cep, const Told &t) { passive_hears(cep, t); };
		p.listening = true;
	}

	/* Connects and lets everything happen. False: it did not come to rest. */
	bool run()
	{
		active = &a.create();
		connect(*active, scenario.retries);
		if (scenario.end == End::DestroyActiveEarly)
			clock.after(15 * us, [this] { destroy(*active); });
		return clock.drain(step_limit);
	}

	bool teardown()
	{
		for (Host *host : {&a, &p})
			for (size_t i = 0; i < host->ceps().size(); i++)
				if (!host->ceps()[i]->destroyed)
					destroy(*host->ceps()[i]);
		return clock.drain(step_limit);
	}

	Cep *passive() const { return p.ceps().empty() ? nullptr : p.ceps().back().get(); }

	static bool up(const Cep *cep) { return cep && cep->state() == CEP_STATE_ESTABLISHED; }

	static constexpr unsigned step_limit = 2000;

	const Scenario scenario;
	Clock clock;
	Wire wire;
	Host a, p;
	Cep *active = nullptr;

private:
	void destroy(Cep &cep)
	{
		if (!cep.destroyed)
			cep.host.destroy(cep);
	}

	void over(Cep &cep)
	{
		if (scenario.tidy)
			destroy(cep);
	}

	void later(Cep &cep, uint64_t delay, void (Pair::*what)(Cep &))
	{
		clock.after(delay, [this, &cep, what] {
			if (!cep.destroyed)
				(this->*what)(cep);
		});
	}

	/* Of the end, what falls to this side; both sides look after they are up. */
	void plan_end(Cep &cep)
	{
		const bool act = cep.active;
		switch (scenario.end) {
		case End::Active:
			if (act)
				later(cep, 20 * ms, &Pair::hang_up);
			break;
		case End::Passive:
			if (!act)
				later(cep, 20 * ms, &Pair::hang_up);
			break;
		case End::Both:
			if (up(active) && up(passive())) {
				later(*active, 20 * ms, &Pair::hang_up);
				later(*passive(), 20 * ms, &Pair::hang_up);
			}
			break;
		case End::DestroyActive:
			if (act)
				later(cep, 20 * ms, &Pair::destroy);
			break;
		case End::DestroyPassive:
			if (!act)
				later(cep, 20 * ms, &Pair::destroy);
			break;
		case End::DestroyBoth:
			if (up(active) && up(passive())) {
				later(*active, 20 * ms, &Pair::destroy);
				later(*passive(), 20 * ms, &Pair::destroy);
			}
			break;
		case End::Never:
		case End::DestroyActiveEarly:
		case End::DestroyPassiveEarly: break;
		}
	}

	/* A call may come too late: the peer was faster. That is a refusal, nothing more. */
	void hang_up(Cep &cep) { disconnect(cep); }

	void do_accept(Cep &cep)
	{
		if (accept(cep) != CEP_OK)
			return;
		if (scenario.comm_est)
			later(cep, 15 * us, &Pair::see_data);
		if (scenario.end == End::DestroyPassiveEarly)
			later(cep, 5 * us, &Pair::destroy);
	}

	void do_reject(Cep &cep)
	{
		reject(cep);
		over(cep);
	}

	void do_ready(Cep &cep)
	{
		if (ready(cep) == CEP_OK)
			plan_end(cep);
	}

	void see_data(Cep &cep) { established(cep); }

	void active_hears(Cep &cep, const Told &t)
	{
		if (t.event != CEP_EVENT_REP_RECEIVED)
			return both_hear(cep, t);
		switch (scenario.on_rep) {
		case OnRep::Rtu: do_ready(cep); break;
		case OnRep::Reject: do_reject(cep); break;
		case OnRep::Mra:
			mra(cep, false);
			later(cep, scenario.think_ns, &Pair::do_ready);
			break;
		case OnRep::ArmMra:
			mra(cep, true);
			later(cep, scenario.think_ns, &Pair::do_ready);
			break;
		case OnRep::Destroy: destroy(cep); break;
		}
	}

	void passive_hears(Cep &cep, const Told &t)
	{
		if (t.event != CEP_EVENT_REQ_RECEIVED)
			return both_hear(cep, t);
		switch (scenario.on_req) {
		case OnReq::Accept: do_accept(cep); break;
		case OnReq::Reject: do_reject(cep); break;
		case OnReq::Mra:
			mra(cep, false);
			later(cep, scenario.think_ns, &Pair::do_accept);
			break;
		case OnReq::ArmMra:
			mra(cep, true);
			later(cep, scenario.think_ns, &Pair::do_accept);
			break;
		case OnReq::MraReject:
			mra(cep, false);
			later(cep, scenario.think_ns, &Pair::do_reject);
			break;
		case OnReq::Destroy: destroy(cep); break;
		}
	}

	void both_hear(Cep &cep, const Told &t)
	{
		switch (t.event) {
		case CEP_EVENT_RTU_RECEIVED:
		case CEP_EVENT_USER_ESTABLISHED: plan_end(cep); break;
		case CEP_EVENT_DREQ_RECEIVED:
			if (scenario.destroy_on_dreq)
				destroy(cep);
			else
				confirm_disconnect(cep);
			break;
		case CEP_EVENT_REQ_ERROR:
		case CEP_EVENT_REP_ERROR:
		case CEP_EVENT_TIMEWAIT_EXIT: over(cep); break;
		case CEP_EVENT_REJ_RECEIVED:
			if (t.state == CEP_STATE_IDLE)
				over(cep);
			break;
		default: break;
		}
	}
};

} // namespace cep::sim

#endif /* CEP_SIM_ULP_HH */
