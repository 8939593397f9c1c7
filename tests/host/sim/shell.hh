/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * One host as the kernel shell would run it: executes action lists in order, keeps the
 * bytes of a request for another try, completes posts, has one deadline for each CEP,
 * finds CEPs by comm ID and by the peer's (CA GUID, comm ID) and (CA GUID, QPN),
 * answers what no CEP matches, delivers events one at a time. What the ULP does is in
 * ulp.hh, behind on_event. Every engine call goes through check_call().
 */
#ifndef CEP_SIM_SHELL_HH
#define CEP_SIM_SHELL_HH

#include "world.hh"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace cep::sim
{

class Host;

struct Told {
	uint8_t event;
	uint8_t state; /* when it was queued */
	uint16_t cause;
	uint64_t at;
	uint16_t reason = 0; /* of a REJ, or the status of an APR or SIDR_REP */
	std::vector<uint8_t> ari;
	std::vector<uint8_t> data;
};

/* The shell's object around a cep_core. */
struct Cep {
	explicit Cep(Host &h) : host(h) { cep_core_init(&core); }

	Host &host;
	cep_core core;
	uint32_t id = 0;
	uint32_t qpn = 0;
	bool active = false;

	bool kept = false; /* a request buffer, in the engine's eyes */
	Mad buffer{};
	bool in_flight = false;
	unsigned buffer_no = 0;
	uint64_t deadline = 0;
	unsigned deadline_no = 0;
	bool timewait = false;
	uint64_t timewait_since = 0;
	uint64_t up_since = 0;
	std::vector<uint8_t> repeat;
	/* Addresses are numbers (LIDs) here; 0: none. */
	unsigned path = 1, alternate = 0, held = 0;

	std::deque<Told> queue;
	std::vector<Told> told;
	bool delivering = false;
	bool destroyed = false;
	bool released = false;
	unsigned posts = 0; /* copies of the current request */

	cep_state state() const { return cep_core_state(&core); }
	unsigned heard(unsigned event) const
	{
		unsigned n = 0;

		for (const Told &t : told)
			n += t.event == event;
		return n;
	}
	std::string history() const
	{
		std::string text;

		for (const Told &t : told)
			text += (text.empty() ? "" : " ") +
				std::string(cep_core_event_name(t.event));
		return text;
	}
};

class Host
{
public:
	Host(Clock &clock, Wire &wire, unsigned no, uint64_t guid)
		: clock_(clock), wire_(wire), no_(no), guid_(guid)
	{
	}

	std::function<void(Cep &, const Told &)> on_event;
	bool listening = false;
	uint8_t lap_status = CEP_APR_SUCCESS; /* what the addresses of LAPs come to */
	bool withhold_completions = false;
	bool out_of_memory = false;        /* REQs are dropped */
	std::vector<uint8_t> command_data; /* of the ULP's RTU, DREP or MRA, while it is called */

	uint64_t now() const { return clock_.now(); }
	uint64_t guid() const { return guid_; }
	uint64_t next_tid() { return (guid_ & 0xff) << 56 | ++tid_; }
	Clock &clock() { return clock_; }
	const std::vector<std::unique_ptr<Cep>> &ceps() const { return ceps_; }
	unsigned duplicates() const { return duplicates_; }
	unsigned indexed_ceps() const { return static_cast<unsigned>(by_id_.size()); }
	unsigned indexed_qpns() const { return static_cast<unsigned>(by_qpn_.size()); }
	unsigned known_ids() const { return static_cast<unsigned>(ids_.size()); }
	unsigned pending_sidr() const { return static_cast<unsigned>(by_request_.size()); }

	bool finds(const Cep &cep) const
	{
		for (const auto &e : by_id_)
			if (e.second == &cep)
				return true;
		return false;
	}

	Cep &create()
	{
		ceps_.push_back(std::make_unique<Cep>(*this));
		Cep &cep = *ceps_.back();
		cep.id = next_id_;
		next_id_ += 0x01000193;
		cep.qpn = next_qpn_++;
		ids_[cep.id] = &cep;
		return cep;
	}

	/* One engine call on a CEP; its actions are executed before this returns. */
	template <class Fn> cep_result call(const char *name, Cep &cep, Fn &&fn)
	{
		Mad tx;
		cep_actions acts;
		const cep_result result = check_call(name, cep.core, tx, acts, now(), cep.kept, fn);

		if (result == CEP_OK)
			execute(cep, acts, tx);
		return result;
	}

	void destroy(Cep &cep, uint16_t reason = CEP_REJ_CONSUMER_DEFINED, bool may_retry = true,
		     bool memory = true)
	{
		const uint64_t tid = next_tid();

		cep.destroyed = true;
		cep.queue.clear();
		call("close", cep, [&](cep_core &core, uint8_t *tx, cep_actions &acts) {
			cep_core_close(&core, now(), tid, guid_, reason, may_retry,
				       memory ? tx : nullptr, &acts);
			return CEP_OK;
		});
	}

	void receive(const Mad &mad)
	{
		cep_msg msg;

		if (cep_core_parse(mad.data(), mad.size(), &msg) != CEP_PARSE_OK)
			return;
		if (msg.attr == CEP_ATTR_REQ)
			return receive_req(msg);
		if (msg.attr == CEP_ATTR_SIDR_REQ)
			return receive_sidr_req(msg);

		Cep *cep = find(msg);
		if (!cep)
			return answer_unknown(msg);
		if (msg.attr == CEP_ATTR_LAP && cep_core_expects_lap(&cep->core, &msg))
			return resolve_lap(*cep, mad);
		const cep_result result =
			msg.attr == CEP_ATTR_REP ? receive_rep(*cep, msg) : feed(*cep, msg, false);
		if (result == CEP_E_DUP)
			duplicates_++;
	}

	/* The address that this call holds, if it does. */
	void offer_address(unsigned lid) { offered_ = lid; }

	/* A power cut: the host forgets everything and sends nothing. */
	void forget()
	{
		for (auto &cep : ceps_) {
			cep->deadline_no++;
			cep->deadline = 0;
			cep->buffer_no++;
			cep->released = cep->destroyed = true;
			cep->queue.clear();
		}
		ids_.clear();
		by_id_.clear();
		by_qpn_.clear();
		by_request_.clear();
	}

	cep_result stale(Cep &cep)
	{
		const uint64_t tid = next_tid();

		return call("on_stale", cep, [&](cep_core &core, uint8_t *tx, cep_actions &acts) {
			return cep_core_on_stale(&core, now(), tid, tx, &acts);
		});
	}

	cep_result feed(Cep &cep, const cep_msg &msg, bool peer_taken)
	{
		const std::vector<uint8_t> repeat = cep.repeat;
		const cep_facts facts = {.ca_guid = guid_,
					 .peer_taken = peer_taken,
					 .repeat_len = static_cast<uint8_t>(repeat.size()),
					 .repeat_data = repeat.data(),
					 .max_mra_ns = 0};

		received_ = &msg;
		const cep_result result = call(
			cep_core_attr_name(msg.attr), cep,
			[&](cep_core &core, uint8_t *tx, cep_actions &acts) {
				return cep_core_on_message(&core, now(), &msg, &facts, tx, &acts);
			});
		received_ = nullptr;
		return result;
	}

private:
	using Key = std::pair<uint64_t, uint32_t>;

	Cep *find(const cep_msg &msg) const
	{
		if (msg.attr == CEP_ATTR_SIDR_REP) {
			const auto it = ids_.find(msg.local_comm_id);
			return it == ids_.end() ? nullptr : it->second;
		}
		if (msg.remote_comm_id) {
			const auto it = ids_.find(msg.remote_comm_id);
			return it == ids_.end() ? nullptr : it->second;
		}
		if (msg.attr != CEP_ATTR_REJ || msg.rej.reason != CEP_REJ_TIMEOUT ||
		    msg.rej.ari_len < 8)
			return nullptr;
		uint64_t guid = 0;
		for (unsigned i = 0; i < 8; i++)
			guid = guid << 8 | msg.rej.ari[i];
		const auto it = by_id_.find({guid, msg.local_comm_id});
		return it == by_id_.end() ? nullptr : it->second;
	}

	void reply(const Mad &mad) { wire_.post(no_, mad); }

	void reject(const cep_msg &msg, uint16_t reason)
	{
		Mad tx;

		cep_core_reject(&msg, reason, nullptr, 0, tx.data());
		reply(tx);
	}

	void answer_unknown(const cep_msg &msg)
	{
		Mad tx;

		if (cep_core_answer_unknown(&msg, tx.data()))
			reply(tx);
	}

	/* Out of the tables, in favour of a new connection of the same peer. */
	void retire(Cep &cep)
	{
		std::erase_if(by_id_, [&](const auto &e) { return e.second == &cep; });
		std::erase_if(by_qpn_, [&](const auto &e) { return e.second == &cep; });
		std::erase_if(by_request_, [&](const auto &e) { return e.second == &cep; });
	}

	/* There is one peer, so the source address is no part of the key. */
	void receive_sidr_req(const cep_msg &msg)
	{
		if (const auto it = by_request_.find(msg.local_comm_id); it != by_request_.end()) {
			if (feed(*it->second, msg, false) == CEP_E_DUP)
				duplicates_++;
			return;
		}
		if (!listening)
			return answer_unknown(msg);
		Cep &cep = create();
		by_request_[msg.local_comm_id] = &cep;
		received_ = &msg;
		const cep_result result =
			call("on_sidr_req", cep, [&](cep_core &core, uint8_t *, cep_actions &acts) {
				return cep_core_on_sidr_req(&core, now(), &msg, cep.id, &acts);
			});
		received_ = nullptr;
		if (result != CEP_OK)
			throw Violation("a new SIDR_REQ was refused");
	}

	/* The resolver takes its time; copies that come meanwhile are resolved as well. */
	void resolve_lap(Cep &cep, const Mad &mad)
	{
		clock_.after(3 * us, [this, &cep, mad] {
			cep_msg msg;

			if (cep.released)
				return;
			cep_core_parse(mad.data(), mad.size(), &msg);
			const std::vector<uint8_t> repeat = cep.repeat;
			const cep_facts facts = {.ca_guid = guid_,
						 .peer_taken = false,
						 .repeat_len = static_cast<uint8_t>(repeat.size()),
						 .repeat_data = repeat.data(),
						 .max_mra_ns = 0};
			received_ = &msg;
			offered_ = msg.lap.alternate.remote_lid;
			const cep_result result = call(
				"on_lap", cep, [&](cep_core &core, uint8_t *tx, cep_actions &acts) {
					return cep_core_on_lap(&core, now(), &msg, &facts,
							       lap_status, tx, &acts);
				});
			offered_ = 0;
			received_ = nullptr;
			if (result == CEP_E_DUP)
				duplicates_++;
		});
	}

	/* Whoever of ours has sent a REQ to the same service: IBA 12.10.4. */
	bool receive_peer_req(const cep_msg &msg, const Key &id, const Key &qpn)
	{
		for (const auto &cep : ceps_) {
			const cep_peer_role role =
				cep->released ? CEP_PEER_NONE
					      : cep_core_peer_role(&cep->core, &msg, guid_);
			if (role == CEP_PEER_NONE)
				continue;
			if (role == CEP_PEER_YIELD) {
				by_id_[id] = cep.get();
				by_qpn_[qpn] = cep.get();
				cep->active = false;
			}
			received_ = &msg;
			const cep_result result =
				call("on_peer_req", *cep,
				     [&](cep_core &core, uint8_t *, cep_actions &acts) {
					     return cep_core_on_peer_req(&core, now(), &msg, guid_,
									 &acts);
				     });
			received_ = nullptr;
			if (role == CEP_PEER_YIELD && cep->state() != CEP_STATE_REQ_RCVD)
				throw Violation("the lesser peer did not yield");
			if (result == CEP_E_DUP)
				duplicates_++;
			return true;
		}
		return false;
	}

	void receive_req(const cep_msg &msg)
	{
		const uint16_t reason = cep_core_check_req(&msg);
		if (reason)
			return reject(msg, reason);
		const Key id = {msg.req.local_ca_guid, msg.local_comm_id};
		const Key qpn = {msg.req.local_ca_guid, msg.req.local_qpn};

		if (const auto it = by_id_.find(id); it != by_id_.end()) {
			Cep &old = *it->second;
			switch (cep_core_classify_req(&old.core, &msg)) {
			case CEP_REQ_DUPLICATE:
				if (feed(old, msg, false) == CEP_E_DUP)
					duplicates_++;
				return;
			case CEP_REQ_COMM_ID_TAKEN:
				return reject(msg, CEP_REJ_DUPLICATE_LOCAL_COMM_ID);
			case CEP_REQ_STALE: stale(old); return reject(msg, CEP_REJ_STALE_CONN);
			case CEP_REQ_NEW: retire(old);
			}
		}
		if (const auto it = by_qpn_.find(qpn); it != by_qpn_.end()) {
			Cep &old = *it->second;
			if (cep_core_holds_qpn(&old.core)) {
				stale(old);
				return reject(msg, CEP_REJ_STALE_CONN);
			}
			retire(old);
		}
		if (out_of_memory)
			return;
		if (receive_peer_req(msg, id, qpn))
			return;
		if (!listening)
			return reject(msg, CEP_REJ_INVALID_SERVICE_ID);

		Cep &cep = create();
		by_id_[id] = &cep;
		by_qpn_[qpn] = &cep;
		received_ = &msg;
		const cep_result result =
			call("on_new_req", cep, [&](cep_core &core, uint8_t *, cep_actions &acts) {
				return cep_core_on_new_req(&core, now(), &msg, cep.id, &acts);
			});
		received_ = nullptr;
		if (result != CEP_OK)
			throw Violation("a REQ that passed every check was refused");
	}

	cep_result receive_rep(Cep &cep, const cep_msg &msg)
	{
		if (!cep_core_expects_rep(&cep.core, &msg))
			return feed(cep, msg, false);
		const Key id = {msg.rep.local_ca_guid, msg.local_comm_id};
		const Key qpn = {msg.rep.local_ca_guid, msg.rep.local_qpn};
		bool taken = false;

		for (auto *table : {&by_id_, &by_qpn_}) {
			const auto it = table->find(table == &by_id_ ? id : qpn);
			if (it == table->end())
				continue;
			Cep &old = *it->second;
			if (cep_core_holds_qpn(&old.core)) {
				taken = true;
				stale(old);
				break;
			}
			retire(old);
		}
		if (!taken) {
			by_id_[id] = &cep;
			by_qpn_[qpn] = &cep;
		}
		return feed(cep, msg, taken);
	}

	void post_request(Cep &cep)
	{
		if (cep.in_flight)
			return;
		cep.in_flight = true;
		cep.posts++;
		wire_.post(no_, cep.buffer);
		if (withhold_completions)
			return;
		clock_.after(us, [this, &cep, no = cep.buffer_no] {
			if (cep.buffer_no != no)
				return; /* that buffer is gone: nothing of ours changes */
			cep.in_flight = false;
			call("on_sent", cep, [&](cep_core &core, uint8_t *, cep_actions &acts) {
				return cep_core_on_sent(&core, now(), &acts);
			});
		});
	}

	void arm(Cep &cep, uint64_t when)
	{
		cep.deadline = when;
		clock_.after(when - now(), [this, &cep, no = ++cep.deadline_no] {
			if (cep.deadline_no != no)
				return;
			const cep_result result = call(
				"on_deadline", cep,
				[&](cep_core &core, uint8_t *tx, cep_actions &acts) {
					return cep_core_on_deadline(&core, now(), guid_, tx, &acts);
				});
			if (result != CEP_OK)
				throw Violation("the engine does not know its own deadline");
		});
	}

	void tell(Cep &cep, const cep_action &a)
	{
		Told told{a.event, static_cast<uint8_t>(cep.state()), a.arg, now(), 0, {}, {}};

		if (received_) {
			if (received_->attr == CEP_ATTR_REJ) {
				told.reason = received_->rej.reason;
				told.ari.assign(received_->rej.ari,
						received_->rej.ari + received_->rej.ari_len);
			} else if (received_->attr == CEP_ATTR_APR) {
				told.reason = received_->apr.status;
				told.ari.assign(received_->apr.info,
						received_->apr.info + received_->apr.info_len);
			} else if (received_->attr == CEP_ATTR_SIDR_REP) {
				told.reason = received_->sidr_rep.status;
			}
			told.data.assign(received_->private_data,
					 received_->private_data + received_->private_data_len);
		}
		cep.queue.push_back(std::move(told));
		deliver_next(cep);
	}

	void deliver_next(Cep &cep)
	{
		if (cep.delivering || cep.queue.empty())
			return;
		cep.delivering = true;
		clock_.after(2 * us, [this, &cep] {
			cep.delivering = false;
			if (cep.destroyed || cep.queue.empty())
				return;
			const Told told = cep.queue.front();
			cep.queue.pop_front();
			cep.told.push_back(told);
			if (on_event)
				on_event(cep, told);
			deliver_next(cep);
		});
	}

	void execute(Cep &cep, const cep_actions &acts, const Mad &tx)
	{
		if (cep.released && acts.count)
			throw Violation("a released CEP acts");
		if (acts.state_after == CEP_STATE_ESTABLISHED &&
		    acts.state_before != acts.state_after)
			cep.up_since = now();
		for (uint32_t i = 0; i < acts.count; i++) {
			const cep_action &a = acts.act[i];
			switch (a.kind) {
			case CEP_ACT_SEND_REQUEST:
				cep.buffer = tx;
				cep.buffer_no++;
				cep.in_flight = false;
				cep.posts = 0;
				post_request(cep);
				break;
			case CEP_ACT_SEND_REPLY: reply(tx); break;
			case CEP_ACT_RESEND: post_request(cep); break;
			case CEP_ACT_DROP_REQUEST:
				cep.buffer_no++;
				cep.in_flight = false;
				break;
			case CEP_ACT_ARM: arm(cep, a.value); break;
			case CEP_ACT_DISARM:
				cep.deadline = 0;
				cep.deadline_no++;
				break;
			case CEP_ACT_EVENT: tell(cep, a); break;
			case CEP_ACT_UNINDEX: retire(cep); break;
			case CEP_ACT_ENTER_TIMEWAIT:
				cep.timewait = true;
				cep.timewait_since = now();
				break;
			case CEP_ACT_LEAVE_TIMEWAIT: cep.timewait = false; break;
			case CEP_ACT_KEEP_DATA: cep.repeat = command_data; break;
			case CEP_ACT_HOLD_ALT:
				if (cep.held || !offered_)
					throw Violation("no address to hold, or two");
				cep.held = offered_;
				break;
			case CEP_ACT_TAKE_ALT: cep.alternate = std::exchange(cep.held, 0); break;
			case CEP_ACT_DROP_ALT: cep.held = 0; break;
			case CEP_ACT_SWAP_PATHS: std::swap(cep.path, cep.alternate); break;
			case CEP_ACT_RELEASE:
				if (cep.held)
					throw Violation("released with an address held");
				cep.released = true;
				ids_.erase(cep.id);
				break;
			}
		}
	}

	Clock &clock_;
	Wire &wire_;
	unsigned no_;
	uint64_t guid_;
	uint64_t tid_ = 0;
	uint32_t next_id_ = 0x5eed0001;
	uint32_t next_qpn_ = 0x1000;
	unsigned duplicates_ = 0;
	const cep_msg *received_ = nullptr;
	unsigned offered_ = 0;
	std::vector<std::unique_ptr<Cep>> ceps_;
	std::map<uint32_t, Cep *> ids_;
	std::map<Key, Cep *> by_id_, by_qpn_;
	std::map<uint32_t, Cep *> by_request_; /* SIDR */
};

} // namespace cep::sim

#endif /* CEP_SIM_SHELL_HH */
