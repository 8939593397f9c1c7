/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The boundary between the protocol engine (C++) and the kernel shell (C).
 *
 * Calls go one way, shell to engine, with plain values; there are no callbacks
 * and no function pointers. The caller holds the CEP's lock. Time (monotonic,
 * ns), identifiers and facts found by lookup are arguments. A call on a CEP
 * that returns CEP_OK has filled *acts; the shell executes every action, in
 * order, before it unlocks or calls again. A call that returns anything else
 * has changed nothing: not the state, not *tx, and *acts is empty.
 * CEP_E_STATE and CEP_E_ARG are the ULP's mistakes, CEP_E_PEER is the peer's
 * (count it, drop the message). A duplicate that is answered, or that extends a
 * wait, is CEP_OK with state_before == state_after and no event. The engine never
 * logs.
 *
 * All integers are in host order; GIDs are 16 raw bytes. tx is always a whole
 * MAD of CEP_MAD_SIZE bytes; the engine writes every byte of it, header
 * included, if and only if an action of the same call sends it.
 */
#ifndef CEP_CORE_H
#define CEP_CORE_H

#include "cep_msg.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CEP_CORE_SIZE 192 /* opaque engine state, 8-byte aligned */

/* Result of a call. */
enum cep_result {
	CEP_OK = 0,
	CEP_E_STATE = 1, /* not allowed in this state */
	CEP_E_ARG = 2,   /* an argument is out of range */
	CEP_E_PEER = 3,  /* message out of place or inconsistent: drop, count */
	CEP_E_DUP = 4,   /* known duplicate that needs no answer: drop, count */
};

/* Result of parsing. Everything but CEP_PARSE_OK is dropped and counted. */
enum cep_parse {
	CEP_PARSE_OK = 0,
	CEP_PARSE_SHORT,         /* fewer than CEP_MAD_SIZE bytes */
	CEP_PARSE_BASE_VERSION,
	CEP_PARSE_CLASS,
	CEP_PARSE_CLASS_VERSION, /* IBA 12.6.7.2: a REQ gets REJ 31; cep_core_reject() works on it */
	CEP_PARSE_METHOD,
	CEP_PARSE_ATTR,          /* not one of the eleven messages */
	CEP_PARSE_FIELD,         /* a length or number beyond its field's meaning */
};

/* --- codec: no CEP, no lock ------------------------------------------------ */

enum cep_parse cep_core_parse(const uint8_t *mad, size_t len, struct cep_msg *msg);

/* Writes msg into mad; CEP_E_ARG (mad untouched) if any field is out of range. */
enum cep_result cep_core_write(const struct cep_msg *msg, uint8_t *mad);

/*
 * Is a REQ one that a CM can serve at all (IBA 12.6.7, 12.9.8)? 0, or the
 * reason of the REJ that it gets.
 */
uint16_t cep_core_check_req(const struct cep_msg *msg);

/* The same with what the shell knows of the port; the ARI tells the peer what would do. */
struct cep_port_facts {
	uint8_t gid[16];               /* of the port: the ARI of reasons 12 and 18 */
	uint16_t lid;                  /* 0: it has none (RoCE), LIDs are not compared */
	uint8_t lmc;
	uint8_t max_mtu;               /* active MTU of the port, IBA encoding; 0: not compared */
	uint8_t packet_rate;           /* IBA encoding, for the ARI; 0: unknown */
	uint8_t primary_gid_is_ours;   /* the path's remote GID is in this device's table, or 0
					* together with a LID */
	uint8_t alternate_gid_is_ours; /* on any port of this device */
};

struct cep_refusal {
	uint16_t reason; /* 0: none */
	uint8_t ari_len;
	uint8_t ari[CEP_ARI_SIZE];
};

/* 1: cep_core_reject() with out->reason, out->ari, out->ari_len. port may be NULL. */
int cep_core_refuse_req(const struct cep_msg *msg, const struct cep_port_facts *port,
			struct cep_refusal *out);
/* For CEP_PARSE_CLASS_VERSION of a REQ: reason 31, ARI: the version that we speak. */
void cep_core_refuse_version(struct cep_refusal *out);

/*
 * Writes the REJ that answers msg (a REQ or REP, or anything else: "other") for
 * which there is no CEP: mirrored IDs and TID.
 */
void cep_core_reject(const struct cep_msg *msg, uint16_t reason, const uint8_t *ari,
		     uint8_t ari_len, uint8_t *tx);

/*
 * A message that no CEP matches. Returns 1 if an answer was written to tx: a
 * DREQ gets a DREP, a REP gets REJ 6, a LAP gets an APR with status 1, a
 * SIDR_REQ a SIDR_REP with status 1 (unsupported); 0: drop and count. A REQ is not for here.
 */
int cep_core_answer_unknown(const struct cep_msg *msg, uint8_t *tx);

/*
 * Get and Set of the CM class, before cep_core_parse(). Returns 1 if the GetResp was written to
 * tx: ClassPortInfo, or a status that says "unsupported attribute", "method" or "version"; 0:
 * not a Get or Set of this class. The MAD agent has to be registered for those methods too.
 * resp_time_exp: of ClassPortInfo, what this CM needs to answer.
 */
int cep_core_answer_get(const uint8_t *mad, size_t len, uint8_t resp_time_exp, uint8_t *tx);

struct cep_class_port_info {
	uint8_t base_version;
	uint8_t class_version;
	uint16_t capability_mask;
	uint32_t capability_mask2;
	uint8_t resp_time_exp;
	uint8_t redirect_gid[16];
	uint8_t redirect_tc;
	uint8_t redirect_sl;
	uint32_t redirect_flow_label;
	uint16_t redirect_lid;
	uint16_t redirect_pkey;
	uint32_t redirect_qpn;
	uint32_t redirect_qkey;
};

/* Of CEP_ARI_SIZE bytes at least; 0: too short. */
int cep_core_parse_class_port_info(const uint8_t *bytes, size_t len,
				   struct cep_class_port_info *info);

struct cep_redirect {
	uint8_t cm_too;   /* the next request goes to another CM (reason 24), else to this one (25) */
	uint8_t has_info; /* all of info; else the GID alone */
	uint8_t has_gid;
	uint8_t has_lid;
	struct cep_class_port_info info;
};

/*
 * Where a REJ (reasons 24, 25), an APR or a SIDR_REP (status 4) sends us. 0: it does not, or
 * does not say where; then the ULP has reason or status and the raw bytes alone.
 */
int cep_core_redirect(const struct cep_msg *msg, struct cep_redirect *to);

/* --- states, events, actions ------------------------------------------------ */

/* Same order and values as enum ib_cm_state of the kernel, then ours. */
#define CEP_STATES(X)     \
	X(IDLE)           \
	X(LISTEN)         \
	X(REQ_SENT)       \
	X(REQ_RCVD)       \
	X(MRA_REQ_SENT)   \
	X(MRA_REQ_RCVD)   \
	X(REP_SENT)       \
	X(REP_RCVD)       \
	X(MRA_REP_SENT)   \
	X(MRA_REP_RCVD)   \
	X(ESTABLISHED)    \
	X(DREQ_SENT)      \
	X(DREQ_RCVD)      \
	X(TIMEWAIT)       \
	X(SIDR_REQ_SENT)  \
	X(SIDR_REQ_RCVD)  \
	X(CLOSED) /* the ULP is gone and the protocol is over */

enum cep_state {
#define X(s) CEP_STATE_##s,
	CEP_STATES(X)
#undef X
	CEP_NR_STATES
};

/* Beside ESTABLISHED; same order and values as enum ib_cm_lap_state of the kernel. */
enum cep_lap_state {
	CEP_LAP_UNINIT, /* no LAP and no migration so far */
	CEP_LAP_IDLE,
	CEP_LAP_SENT,
	CEP_LAP_RCVD,
	CEP_MRA_LAP_SENT,
	CEP_MRA_LAP_RCVD,
};

/*
 * What the ULP is told. Same order and values as enum ib_cm_event_type of the
 * kernel. (P): has a payload, the received MAD.
 */
#define CEP_EVENTS(X)          \
	X(REQ_ERROR)           \
	X(REQ_RECEIVED) /* P */ \
	X(REP_ERROR)           \
	X(REP_RECEIVED) /* P */ \
	X(RTU_RECEIVED) /* P */ \
	X(USER_ESTABLISHED)    \
	X(DREQ_ERROR)          \
	X(DREQ_RECEIVED) /* P */ \
	X(DREP_RECEIVED) /* P */ \
	X(TIMEWAIT_EXIT)       \
	X(MRA_RECEIVED) /* P */ \
	X(REJ_RECEIVED) /* P */ \
	X(LAP_ERROR)           \
	X(LAP_RECEIVED) /* P */ \
	X(APR_RECEIVED) /* P */ \
	X(SIDR_REQ_ERROR)      \
	X(SIDR_REQ_RECEIVED) /* P */ \
	X(SIDR_REP_RECEIVED) /* P */ \
	X(DEVICE_REMOVED)

enum cep_event {
#define X(e) CEP_EVENT_##e,
	CEP_EVENTS(X)
#undef X
	CEP_NR_EVENTS
};

/* Why an *_ERROR event came (arg of CEP_ACT_EVENT). */
enum cep_cause {
	CEP_CAUSE_NONE = 0,
	CEP_CAUSE_TIMEOUT,     /* retries spent */
	CEP_CAUSE_SEND_FAILED, /* the adapter or the MAD layer refused it */
	CEP_CAUSE_STALE,       /* the peer has shown that it lost the connection, or its QPN is another's */
};

enum cep_act_kind {
	CEP_ACT_NONE = 0,
	CEP_ACT_SEND_REQUEST, /* tx is a new REQ, REP, DREQ, LAP or SIDR_REQ: keep and post it */
	CEP_ACT_SEND_REPLY,   /* tx is a one-shot message (RTU, MRA, REJ, DREP, APR, SIDR_REP): post */
	CEP_ACT_RESEND,       /* post the kept buffer again, unless it is queued or in flight */
	CEP_ACT_DROP_REQUEST, /* the kept buffer is not needed any more */
	CEP_ACT_ARM,          /* value: deadline in ns; replaces any earlier one */
	CEP_ACT_DISARM,
	CEP_ACT_EVENT,        /* event, arg = cause; deliver to the ULP (never for a closed CEP) */
	CEP_ACT_UNINDEX,      /* remove from the remote tables: (CA GUID, comm ID) and (CA GUID,
			       * QPN), or that of SIDR, wherever the CEP is */
	CEP_ACT_ENTER_TIMEWAIT, /* the deadline just armed is the end of timewait; release avs' QP use */
	CEP_ACT_LEAVE_TIMEWAIT,
	CEP_ACT_KEEP_DATA,    /* keep the private data of this RTU, DREP or MRA for repeats; of an
			       * APR its information followed by its private data */
	CEP_ACT_RELEASE,      /* last action ever: local comm ID free, the protocol's reference goes */
	/*
	 * Alternate path. The address of a LAP is made before the call that takes or sends the
	 * LAP; from HOLD on it is the CEP's, until one of TAKE and DROP comes, exactly once.
	 */
	CEP_ACT_HOLD_ALT,     /* the address of the LAP of this call is held beside the others */
	CEP_ACT_TAKE_ALT,     /* it replaces the alternate path */
	CEP_ACT_DROP_ALT,     /* it is not wanted; the alternate path stays as it was */
	CEP_ACT_SWAP_PATHS,   /* the QP has migrated: primary and alternate path change places */
};

struct cep_action {
	uint8_t kind;
	uint8_t event;
	uint16_t arg;
	uint32_t pad;
	uint64_t value;
};

#define CEP_MAX_ACTIONS 10

struct cep_actions {
	uint32_t count;
	uint8_t state_before; /* for traces: enum cep_state */
	uint8_t state_after;
	uint16_t pad;
	struct cep_action act[CEP_MAX_ACTIONS];
};

struct cep_core {
	uint64_t opaque[CEP_CORE_SIZE / 8];
};

/* --- one CEP: the ULP's commands --------------------------------------------- */

void cep_core_init(struct cep_core *core);
enum cep_state cep_core_state(const struct cep_core *core);
enum cep_lap_state cep_core_lap_state(const struct cep_core *core);
int cep_core_is_closed(const struct cep_core *core); /* the ULP has destroyed it */

/* IDLE <-> LISTEN. */
enum cep_result cep_core_listen(struct cep_core *core, struct cep_actions *acts);
enum cep_result cep_core_cancel_listen(struct cep_core *core, struct cep_actions *acts);

struct cep_send_req {
	uint64_t tid;
	uint32_t local_comm_id;
	/* All of the message; local_ack_timeout_exp of the paths is filled by the engine from: */
	struct cep_req req;
	uint8_t packet_life_time_exp;     /* of the primary path */
	uint8_t alt_packet_life_time_exp; /* of the alternate path */
	uint8_t local_ca_ack_delay_exp;
	uint8_t xrc_tgt;                  /* (not for an active side; must be 0) */
	uint64_t response_timeout_ns;     /* 0: 2 x packet life time + remote CM response time */
	const uint8_t *private_data;
	uint8_t private_data_len;
	uint8_t peer_to_peer;             /* the peer sends a REQ too; not for XRC */
};

/* IDLE -> REQ_SENT. An IDLE CEP may be used again after a REJ or error. */
enum cep_result cep_core_send_req(struct cep_core *core, uint64_t now_ns,
				  const struct cep_send_req *args, uint8_t *tx,
				  struct cep_actions *acts);
/*
 * What get_qp_attr(INIT) needs before the REQ goes (format_req): sets QP type, depths,
 * local side of the path; the state stays IDLE. Same checks as cep_core_send_req.
 */
enum cep_result cep_core_format_req(struct cep_core *core, const struct cep_send_req *args);

struct cep_send_rep {
	struct cep_rep rep; /* local_ca_guid and target_ack_delay_exp included */
	const uint8_t *private_data;
	uint8_t private_data_len;
};

/* REQ_RCVD, MRA_REQ_SENT -> REP_SENT. */
enum cep_result cep_core_send_rep(struct cep_core *core, uint64_t now_ns,
				  const struct cep_send_rep *args, uint8_t *tx,
				  struct cep_actions *acts);
enum cep_result cep_core_format_rep(struct cep_core *core, const struct cep_send_rep *args);

/* REP_RCVD, MRA_REP_SENT -> ESTABLISHED. */
enum cep_result cep_core_send_rtu(struct cep_core *core, const uint8_t *data, uint8_t len,
				  uint8_t *tx, struct cep_actions *acts);
/*
 * REQ_RCVD -> MRA_REQ_SENT, REP_RCVD -> MRA_REP_SENT, LAP_RCVD -> MRA_LAP_SENT. delayed: nothing is sent now;
 * each duplicate is answered by one MRA. Once sent, duplicates get the MRA too.
 */
enum cep_result cep_core_send_mra(struct cep_core *core, uint8_t service_timeout_exp, int delayed,
				  const uint8_t *data, uint8_t len, uint8_t *tx,
				  struct cep_actions *acts);
enum cep_result cep_core_send_rej(struct cep_core *core, uint64_t now_ns, uint16_t reason,
				  const uint8_t *ari, uint8_t ari_len, const uint8_t *data,
				  uint8_t len, uint8_t *tx, struct cep_actions *acts);
/* ESTABLISHED -> DREQ_SENT. */
enum cep_result cep_core_send_dreq(struct cep_core *core, uint64_t now_ns, uint64_t tid,
				   const uint8_t *data, uint8_t len, uint8_t *tx,
				   struct cep_actions *acts);
/* DREQ_RCVD -> TIMEWAIT. */
enum cep_result cep_core_send_drep(struct cep_core *core, uint64_t now_ns, const uint8_t *data,
				   uint8_t len, uint8_t *tx, struct cep_actions *acts);
/* REP_SENT, MRA_REP_RCVD -> ESTABLISHED (the QP saw a packet). ESTABLISHED: CEP_E_DUP. */
enum cep_result cep_core_established(struct cep_core *core, struct cep_actions *acts);
/*
 * The QP has changed to its alternate path (from hard interrupt too): SWAP_PATHS. CEP_E_STATE
 * unless ESTABLISHED with an alternate path.
 */
enum cep_result cep_core_migrate(struct cep_core *core, struct cep_actions *acts);

struct cep_send_lap {
	uint64_t tid;
	struct cep_path alternate; /* local_ack_timeout_exp is filled by the engine from: */
	uint8_t packet_life_time_exp;
	uint8_t local_ca_ack_delay_exp;
	uint8_t remote_cm_response_timeout_exp;
	const uint8_t *private_data;
	uint8_t private_data_len;
};

/*
 * ESTABLISHED -> LAP_SENT: offers a new alternate path. Before the call the shell makes the
 * address; HOLD_ALT gives it to the CEP. Response time and retries are the CEP's. It ends with
 * APR_RECEIVED (TAKE_ALT if its status is 0, else DROP_ALT), LAP_ERROR, or the connection's end.
 */
enum cep_result cep_core_send_lap(struct cep_core *core, uint64_t now_ns,
				  const struct cep_send_lap *args, uint8_t *tx,
				  struct cep_actions *acts);
/*
 * LAP_RCVD, MRA_LAP_SENT -> ESTABLISHED; status: enum cep_apr_status. Success: TAKE_ALT, else
 * DROP_ALT. For KEEP_DATA the shell has info and private data ready in one piece.
 */
enum cep_result cep_core_send_apr(struct cep_core *core, uint8_t status, const uint8_t *info,
				  uint8_t info_len, const uint8_t *data, uint8_t len, uint8_t *tx,
				  struct cep_actions *acts);

struct cep_send_sidr_req {
	uint64_t tid;
	uint32_t local_comm_id; /* the request ID on the wire */
	uint64_t service_id;
	uint16_t pkey;
	uint8_t max_cm_retries;       /* 0..15 */
	uint64_t response_timeout_ns; /* must not be 0 */
	const uint8_t *private_data;
	uint8_t private_data_len;
};

/* IDLE -> SIDR_REQ_SENT; SIDR_REP_RECEIVED or SIDR_REQ_ERROR brings it back to IDLE. */
enum cep_result cep_core_send_sidr_req(struct cep_core *core, uint64_t now_ns,
				       const struct cep_send_sidr_req *args, uint8_t *tx,
				       struct cep_actions *acts);

/* The service ID is that of the request. */
struct cep_send_sidr_rep {
	uint32_t qpn; /* not 0 if the status is CEP_SIDR_SUCCESS */
	uint32_t qkey;
	uint32_t ece_vendor_id; /* 24 bits */
	uint32_t ece_attr_mod;
	uint8_t status; /* enum cep_sidr_status, others pass too */
	uint8_t info_len;
	uint8_t private_data_len;
	const uint8_t *info;
	const uint8_t *private_data;
};

/* SIDR_REQ_RCVD -> IDLE: answered and forgotten; if the answer is lost the peer asks anew. */
enum cep_result cep_core_send_sidr_rep(struct cep_core *core, const struct cep_send_sidr_rep *args,
				       uint8_t *tx, struct cep_actions *acts);
/* ESTABLISHED, DREQ_SENT, DREQ_RCVD -> TIMEWAIT without a word to the peer. */
enum cep_result cep_core_enter_timewait(struct cep_core *core, uint64_t now_ns,
					struct cep_actions *acts);
/*
 * destroy: every state has an answer, never fails. tx may be NULL (no memory): then
 * the peer is not told. may_retry = 0: a DREQ is sent once only (orphan cap).
 * guid: our CA GUID, the ARI of a timeout REJ. reason: of the REJ in REQ_RCVD and alike.
 */
void cep_core_close(struct cep_core *core, uint64_t now_ns, uint64_t tid, uint64_t ca_guid,
		    uint16_t reason, int may_retry, uint8_t *tx, struct cep_actions *acts);

/* --- one CEP: input from outside -------------------------------------------- */

/* A new CEP for a REQ that passed every check: IDLE -> REQ_RCVD, event REQ_RECEIVED. */
enum cep_result cep_core_on_new_req(struct cep_core *core, uint64_t now_ns,
				    const struct cep_msg *req, uint32_t local_comm_id,
				    struct cep_actions *acts);

/*
 * How a REQ relates to the CEP found under its (CA GUID, comm ID):
 * CEP_REQ_DUPLICATE: feed it to cep_core_on_message;
 * CEP_REQ_NEW: ours is over (timewait and the REQ differs, or idle): replace it;
 * CEP_REQ_COMM_ID_TAKEN: live, other QPN: REJ 30;
 * CEP_REQ_STALE: live, same QPN, other starting PSN: the peer has begun anew. As for a
 * connection found by its QPN: REJ 10 and cep_core_on_stale().
 */
enum cep_req_class { CEP_REQ_DUPLICATE, CEP_REQ_NEW, CEP_REQ_COMM_ID_TAKEN, CEP_REQ_STALE };
enum cep_req_class cep_core_classify_req(const struct cep_core *core, const struct cep_msg *req);

/* Found under the REQ's or REP's (CA GUID, QPN) only: is it alive (then stale handling)? */
int cep_core_holds_qpn(const struct cep_core *core);

/* 1 if this REP will be taken as the first one: the caller then claims (CA GUID, comm ID) and
 * (CA GUID, QPN) in its tables and passes the outcome as facts. */
int cep_core_expects_rep(const struct cep_core *core, const struct cep_msg *rep);

struct cep_facts {
	uint64_t ca_guid;             /* ours */
	uint8_t peer_taken;           /* REP: its QPN or comm ID belongs to another connection */
	uint8_t repeat_len;
	const uint8_t *repeat_data;   /* private data kept last (KEEP_DATA), for a repeat */
	uint64_t max_mra_ns;          /* cap on what one MRA may add; 0: the default */
};

/*
 * A REQ with the service ID and the addresses (each other's ends of one path) of a peer-to-peer
 * CEP in REQ_SENT, which the shell looks for before any listener. IBA 12.10.4: the greater
 * (CA GUID, QPN) stays active. ca_guid: ours. For CEP_PEER_YIELD the shell claims the sender's
 * (CA GUID, comm ID) and (CA GUID, QPN) for this CEP, as for a new REQ (a taken one gets the
 * same REJ or stale handling), and then calls cep_core_on_peer_req(); for CEP_PEER_STAY it
 * claims nothing and calls it; for CEP_PEER_NONE it goes on to the listeners.
 */
enum cep_peer_role { CEP_PEER_NONE, CEP_PEER_YIELD, CEP_PEER_STAY };
enum cep_peer_role cep_core_peer_role(const struct cep_core *core, const struct cep_msg *req,
				      uint64_t ca_guid);
/*
 * YIELD: REQ_SENT -> REQ_RCVD, DROP_REQUEST, event REQ_RECEIVED (P); the CEP is now passive and
 * its ULP answers as a listener's would. STAY: RESEND of our own REQ, for the peer may never
 * have seen it. A peer-to-peer CEP also ignores REJ 8 (CEP_E_DUP): its peer is not there yet.
 */
enum cep_result cep_core_on_peer_req(struct cep_core *core, uint64_t now_ns,
				     const struct cep_msg *req, uint64_t ca_guid,
				     struct cep_actions *acts);

/*
 * A new CEP for a SIDR_REQ: IDLE -> SIDR_REQ_RCVD, event SIDR_REQ_RECEIVED (P). Before it, the
 * shell has found no CEP under (source address, request ID), and enters it there. One that is
 * found gets the message by cep_core_on_message(): CEP_E_DUP (or CEP_E_PEER) drops it.
 * A SIDR_REP leads to the CEP whose comm ID is its request ID (msg->local_comm_id).
 */
enum cep_result cep_core_on_sidr_req(struct cep_core *core, uint64_t now_ns,
				     const struct cep_msg *req, uint32_t local_comm_id,
				     struct cep_actions *acts);

/*
 * 1 if this LAP will be taken as a new one: the shell then makes the address of its path (in
 * process context, by the resolver; the copies that come meanwhile may be dropped) and calls
 * cep_core_on_lap(). Any other LAP goes to cep_core_on_message(), which refuses a new one as
 * unsupported.
 */
int cep_core_expects_lap(const struct cep_core *core, const struct cep_msg *lap);
/*
 * status: 0 if the address is ready, or why not, enum cep_apr_status (RoCE: UNSUPPORTED; no such
 * GID of ours, another device: INVALID_GID; the primary path itself: IS_CURRENT; and so on). 0:
 * HOLD_ALT, event LAP_RECEIVED (P), until send_apr. Otherwise the peer gets an APR at once.
 * Replies to a LAP go where it came from, as those to a DREQ: its path may be the one that works.
 */
enum cep_result cep_core_on_lap(struct cep_core *core, uint64_t now_ns, const struct cep_msg *lap,
				const struct cep_facts *facts, uint8_t status, uint8_t *tx,
				struct cep_actions *acts);

/*
 * strict_source: 1 if this message (REQ or REP that leads to stale handling, DREQ, REJ) may
 * end what this CEP has, so that it has to come from an address of one of its paths. If it
 * does not: DREQ and REJ are dropped and counted, a REQ gets REJ 10 without cep_core_on_stale().
 */
int cep_core_needs_source(const struct cep_core *core, const struct cep_msg *msg);

/*
 * A message whose IDs led here: the engine checks that sender and receiver IDs (and
 * the QPN of a DREQ) belong to this CEP. tx is for a reply.
 */
enum cep_result cep_core_on_message(struct cep_core *core, uint64_t now_ns,
				    const struct cep_msg *msg, const struct cep_facts *facts,
				    uint8_t *tx, struct cep_actions *acts);

/* The deadline passed. An early or old call (no deadline, or not yet) returns CEP_E_STATE. */
enum cep_result cep_core_on_deadline(struct cep_core *core, uint64_t now_ns, uint64_t ca_guid,
				     uint8_t *tx, struct cep_actions *acts);
/* The kept request left this host: the response time starts now. */
enum cep_result cep_core_on_sent(struct cep_core *core, uint64_t now_ns, struct cep_actions *acts);
/* The kept request could not be posted or completed in error. */
enum cep_result cep_core_on_send_failed(struct cep_core *core, uint64_t now_ns,
					struct cep_actions *acts);
/* A REQ or REP of the same peer QPN under another comm ID: DREQ goes out if tx, the
 * consumer is told once (DREQ_ERROR, cause stale), then timewait after DREP or retries. */
enum cep_result cep_core_on_stale(struct cep_core *core, uint64_t now_ns, uint64_t tid,
				  uint8_t *tx, struct cep_actions *acts);
/* The device goes: buffers and deadline are taken away; event DEVICE_REMOVED unless closed. */
void cep_core_on_device_removed(struct cep_core *core, struct cep_actions *acts);

/* --- one CEP: questions ---------------------------------------------------------- */

enum cep_qp_state { CEP_QP_INIT, CEP_QP_RTR, CEP_QP_RTS };

/* Which QP attributes hold; the shell adds port, P_Key index and address handles. */
struct cep_qp_attr {
	uint32_t dest_qpn;
	uint32_t rq_psn;
	uint32_t sq_psn;
	uint8_t transport;
	uint8_t xrc_target;           /* passive side of XRC */
	uint8_t remote_read_atomic;   /* W5 */
	uint8_t path_mtu;
	uint8_t max_dest_rd_atomic;
	uint8_t max_rd_atomic;
	uint8_t min_rnr_timer;
	uint8_t retry_cnt;
	uint8_t rnr_retry;
	uint8_t timeout_exp;
	uint8_t alt_timeout_exp;
	uint8_t has_alternate;
	/* which of them belong into the mask */
	uint8_t set_rd_atomic_dest;   /* MAX_DEST_RD_ATOMIC, MIN_RNR_TIMER */
	uint8_t set_retry;            /* RETRY_CNT, RNR_RETRY, MAX_QP_RD_ATOMIC */
	uint8_t set_timeout;
	/*
	 * RTS of a connection that has had a LAP or a migration: the mask is ALT_PATH and
	 * PATH_MIG_STATE (rearm) alone. alt_held: of the path held since HOLD_ALT.
	 */
	uint8_t alt_only;
	uint8_t alt_held;
};

enum cep_result cep_core_qp_attr(const struct cep_core *core, enum cep_qp_state qp_state,
				 struct cep_qp_attr *attr);

struct cep_info {
	uint64_t peer_ca_guid;
	uint64_t deadline_ns;   /* 0: none */
	uint64_t timewait_ns;
	uint32_t local_comm_id;
	uint32_t remote_comm_id;
	uint32_t local_qpn;
	uint32_t remote_qpn;
	uint8_t state;
	uint8_t closed;
	uint8_t retries_left;
	uint8_t passive;
	uint8_t transport;
	uint8_t lap_state;      /* enum cep_lap_state */
	uint8_t peer_to_peer;
};
void cep_core_info(const struct cep_core *core, struct cep_info *info);

const char *cep_core_state_name(unsigned int state);
const char *cep_core_lap_state_name(unsigned int lap_state);
const char *cep_core_event_name(unsigned int event);
const char *cep_core_attr_name(unsigned int attr);
const char *cep_core_reject_msg(unsigned int reason);

#ifdef __cplusplus
}
#endif
#endif /* CEP_CORE_H */
