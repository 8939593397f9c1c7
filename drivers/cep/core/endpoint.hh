/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * One communication endpoint: what the protocol remembers, and the inputs that
 * change it. Lives in the opaque storage of struct cep_core, is trivially
 * copyable, and is reached through cep_core.cc only. The caller holds the CEP's
 * lock. A call that does not return CEP_OK has changed nothing. IBA 12.9.
 */
#ifndef CEP_ENDPOINT_HH
#define CEP_ENDPOINT_HH

#include "actions.hh"
#include "ids.hh"
#include "transitions.hh"

namespace cep
{

class Endpoint
{
public:
	/* the ULP's commands (endpoint.cc, connect.cc) */
	cep_result listen(cep_actions &acts);
	cep_result cancel_listen(cep_actions &acts);
	cep_result request_connection(uint64_t now, const cep_send_req &args, uint8_t *tx,
				      cep_actions &acts);
	cep_result format_req(const cep_send_req &args);
	cep_result request_reply(uint64_t now, const cep_send_rep &args, uint8_t *tx,
				 cep_actions &acts);
	cep_result format_rep(const cep_send_rep &args);
	cep_result request_rtu(const uint8_t *data, uint8_t len, uint8_t *tx, cep_actions &acts);
	cep_result request_mra(uint8_t service_timeout_exp, bool delayed, const uint8_t *data,
			       uint8_t len, uint8_t *tx, cep_actions &acts);
	cep_result request_rej(uint64_t now, uint16_t reason, const uint8_t *ari, uint8_t ari_len,
			       const uint8_t *data, uint8_t len, uint8_t *tx, cep_actions &acts);
	cep_result request_dreq(uint64_t now, Tid tid, const uint8_t *data, uint8_t len,
				uint8_t *tx, cep_actions &acts);
	cep_result request_drep(uint64_t now, const uint8_t *data, uint8_t len, uint8_t *tx,
				cep_actions &acts);
	cep_result request_lap(uint64_t now, const cep_send_lap &args, uint8_t *tx,
			       cep_actions &acts);
	cep_result request_apr(uint8_t status, const uint8_t *info, uint8_t info_len,
			       const uint8_t *data, uint8_t len, uint8_t *tx, cep_actions &acts);
	cep_result request_sidr(uint64_t now, const cep_send_sidr_req &args, uint8_t *tx,
				cep_actions &acts);
	cep_result request_sidr_rep(const cep_send_sidr_rep &args, uint8_t *tx, cep_actions &acts);
	cep_result established(cep_actions &acts);
	cep_result migrate(cep_actions &acts);
	cep_result enter_timewait(uint64_t now, cep_actions &acts);
	void close(uint64_t now, Tid tid, CaGuid guid, uint16_t reason, bool may_retry, uint8_t *tx,
		   cep_actions &acts);

	/* input from outside (inbound.cc, alternate.cc, sidr.cc, peer.cc) */
	cep_result on_new_req(uint64_t now, const cep_msg &msg, CommId local, cep_actions &acts);
	cep_result on_peer_req(uint64_t now, const cep_msg &msg, CaGuid ours, cep_actions &acts);
	cep_result on_sidr_req(uint64_t now, const cep_msg &msg, CommId local, cep_actions &acts);
	cep_result on_lap(uint64_t now, const cep_msg &msg, const cep_facts &facts, uint8_t status,
			  uint8_t *tx, cep_actions &acts);
	cep_result on_message(uint64_t now, const cep_msg &msg, const cep_facts &facts, uint8_t *tx,
			      cep_actions &acts);
	cep_result on_deadline(uint64_t now, CaGuid guid, uint8_t *tx, cep_actions &acts);
	cep_result on_sent(uint64_t now, cep_actions &acts);
	cep_result on_send_failed(uint64_t now, cep_actions &acts);
	cep_result on_stale(uint64_t now, Tid tid, uint8_t *tx, cep_actions &acts);
	void on_device_removed(cep_actions &acts);

	/* questions (match.cc, qp_attr.cc) */
	cep_req_class classify(const cep_msg &req) const;
	bool holds_qpn() const;
	bool expects(const cep_msg &rep) const;
	bool expects_lap(const cep_msg &lap) const;
	bool needs_source(const cep_msg &msg) const;
	cep_peer_role peer_role(const cep_msg &req, CaGuid ours) const;
	cep_lap_state lap_state() const;
	cep_result qp_attr(cep_qp_state qp_state, cep_qp_attr &attr) const;
	void info(cep_info &info) const;

	/* The table's; the boundary tells shown() of it. */
	cep_state state() const { return static_cast<cep_state>(state_); }

	bool closed() const { return closed_; }

private:
	/* What comes with an input beyond its name; only what the row needs is looked at. */
	struct Call {
		uint64_t now = 0;
		uint8_t *tx = nullptr;
		const cep_msg *request = nullptr;  /* for Say::Request: ready and writable */
		const cep_msg *received = nullptr; /* the message that is answered */
		const uint8_t *data = nullptr;
		const uint8_t *ari = nullptr; /* or the information of an APR or SIDR_REP */
		const cep_send_sidr_rep *sidr_rep = nullptr;
		uint64_t mra_ns = 0;
		uint16_t reason = 0;
		uint16_t keep_for =
			0; /* the private data may have to be repeated with this message */
		uint8_t len = 0;
		uint8_t ari_len = 0;
		uint8_t status = 0; /* of an APR */
		uint8_t service_timeout_exp = 0;
		uint8_t retries = 0; /* of a new request */
		cep_cause cause = CEP_CAUSE_NONE;
		bool may_be_mute = false; /* without tx: go on and leave the message out */
	};

	const Row &row(Input input) const { return transition(state(), input); }

	cep_result step(Input input, const Call &call, cep_actions &acts);
	void apply(const Row &row, const Call &call, cep_act_kind sent, cep_actions &acts);
	bool write_reply(Say say, const Call &call) const;
	void arm(Arm what, const Call &call);
	bool is_news(uint8_t event) const;

	bool build_req(const cep_send_req &args, cep_msg &msg) const;
	bool build_rep(const cep_send_rep &args, cep_msg &msg) const;
	bool build_lap(const cep_send_lap &args, cep_msg &msg) const;
	void build_dreq(Tid tid, const uint8_t *data, uint8_t len, cep_msg &msg) const;
	void take_req_args(const cep_send_req &args);
	void take_rep_args(const cep_send_rep &args);
	void take_new_req(const cep_msg &msg, CommId local);
	void take_rep(const cep_msg &msg);
	uint8_t lap_fault(const cep_msg &lap, uint8_t status) const;
	void take_alternate();
	void forget_laps();
	void swap_paths();
	void repeat(uint16_t attr, const cep_facts &facts, Call &call) const;

	cep_result on_rep(uint64_t now, const cep_msg &msg, const cep_facts &facts, uint8_t *tx,
			  cep_actions &acts);
	cep_result on_mra(uint64_t now, const cep_msg &msg, const cep_facts &facts,
			  cep_actions &acts);
	cep_result on_dreq(uint64_t now, const cep_msg &msg, const cep_facts &facts, uint8_t *tx,
			   cep_actions &acts);

	cep_result on_apr(uint64_t now, const cep_msg &msg, cep_actions &acts);
	cep_result on_req(uint64_t now, const cep_msg &msg, const cep_facts &facts, uint8_t *tx,
			  cep_actions &acts);
	cep_result on_rej(uint64_t now, const cep_msg &msg, cep_actions &acts);
	cep_result on_sidr(uint64_t now, const cep_msg &msg, cep_actions &acts);

	bool from_peer(const cep_msg &msg) const;
	bool rej_is_ours(const cep_msg &msg) const;
	bool same_req(const cep_msg &req) const;
	bool yielded_req(const cep_msg &req) const;
	bool lap_is_known(const cep_msg &lap) const;
	Qpn rep_qpn(const cep_msg &rep) const;
	bool xrc_target() const;

	uint64_t deadline_ = 0; /* 0: none */
	uint64_t response_timeout_ = 0;
	uint64_t timewait_ = 0;
	Tid tid_{};               /* of the REQ, then of the peer's DREQ: our answers carry it */
	Tid lap_tid_{};           /* of our LAP */
	Tid peer_lap_tid_{};      /* of the peer's that is pending or was answered last */
	uint64_t service_id_ = 0; /* of a SIDR_REQ, or of a peer-to-peer REQ */
	CaGuid peer_guid_{};
	CommId local_id_{};
	CommId remote_id_{};
	Qpn local_qpn_{};
	Qpn remote_qpn_{};
	Psn rq_psn_{};          /* where the peer starts to send: in our REQ or REP */
	Psn sq_psn_{};          /* where we start to send: in the peer's */
	uint16_t kept_for_ = 0; /* whose private data the shell keeps: RTU, DREP, MRA or 0 */

	uint8_t state_ = CEP_STATE_IDLE;
	bool closed_ = false;
	bool passive_ = false;
	bool indexed_ = false;   /* the remote tables of the shell know the peer */
	bool leaving_ = false;   /* posted and not yet completed: the response time has not begun */
	bool told_ = false;      /* the ULP has its disconnect event already (stale connection) */
	bool formatted_ = false; /* format_req was called */
	bool has_alternate_ = false;
	bool peer_to_peer_ = false;
	bool lap_used_ = false;  /* there was an APR or a migration */
	bool lap_heard_ = false; /* peer_lap_tid_ holds */

	uint8_t max_retries_ = 0;
	uint8_t retries_left_ = 0;
	uint8_t service_timeout_exp_ = 0; /* of our MRA */
	uint8_t transport_ = CEP_TRANSPORT_RC;
	uint8_t path_mtu_ = 0;
	uint8_t responder_resources_ = 0; /* ours: what the peer may have outstanding at us */
	uint8_t initiator_depth_ = 0;     /* ours: what we may have outstanding at the peer */
	uint8_t retry_count_ = 0;
	uint8_t rnr_retry_ = 0;
	uint8_t life_time_exp_ = 0;
	uint8_t alt_life_time_exp_ = 0;
	uint8_t timeout_exp_ = 0; /* ack timeouts of the QP */
	uint8_t alt_timeout_exp_ = 0;
	uint8_t peer_ack_delay_exp_ = 0; /* known to the active side */
	uint8_t new_life_time_exp_ = 0;  /* of the path that is held */
	uint8_t new_timeout_exp_ = 0;
	uint8_t apr_status_ = 0; /* of our last APR, to be repeated */
	uint8_t apr_info_len_ = 0;
};

static_assert(__is_trivially_copyable(Endpoint));
static_assert(sizeof(Endpoint) <= CEP_CORE_SIZE);
static_assert(alignof(Endpoint) <= alignof(cep_core));

/* What a cep_facts that was not given says. */
constexpr cep_facts no_facts{};

} // namespace cep

#endif /* CEP_ENDPOINT_HH */
