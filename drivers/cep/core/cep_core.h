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

#if defined(__KERNEL__) && !defined(__cplusplus)
#include <linux/types.h>
#else
#include <stddef.h>
#include <stdint.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define CEP_MAD_SIZE 256
#define CEP_CORE_SIZE 192 /* opaque engine state, 8-byte aligned */

/* IBA 12.6: attribute IDs of the CM class, and lengths of private data. */
enum cep_attr {
	CEP_ATTR_CLASS_PORT_INFO = 0x0001,
	CEP_ATTR_REQ = 0x0010,
	CEP_ATTR_MRA = 0x0011,
	CEP_ATTR_REJ = 0x0012,
	CEP_ATTR_REP = 0x0013,
	CEP_ATTR_RTU = 0x0014,
	CEP_ATTR_DREQ = 0x0015,
	CEP_ATTR_DREP = 0x0016,
	CEP_ATTR_SIDR_REQ = 0x0017,
	CEP_ATTR_SIDR_REP = 0x0018,
	CEP_ATTR_LAP = 0x0019,
	CEP_ATTR_APR = 0x001a,
};

enum cep_size {
	CEP_REQ_PRIVATE_DATA_SIZE = 92,
	CEP_MRA_PRIVATE_DATA_SIZE = 222,
	CEP_REJ_PRIVATE_DATA_SIZE = 148,
	CEP_REP_PRIVATE_DATA_SIZE = 196,
	CEP_RTU_PRIVATE_DATA_SIZE = 224,
	CEP_DREQ_PRIVATE_DATA_SIZE = 220,
	CEP_DREP_PRIVATE_DATA_SIZE = 224,
	CEP_LAP_PRIVATE_DATA_SIZE = 168,
	CEP_APR_PRIVATE_DATA_SIZE = 148,
	CEP_SIDR_REQ_PRIVATE_DATA_SIZE = 216,
	CEP_SIDR_REP_PRIVATE_DATA_SIZE = 136,
	CEP_ARI_SIZE = 72,
};

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

enum cep_transport { CEP_TRANSPORT_RC = 0, CEP_TRANSPORT_UC = 1, CEP_TRANSPORT_RD = 2, CEP_TRANSPORT_XRC = 3 };

/* MRA "message MRAed", REJ "message rejected" (IBA tables 107, 108). */
enum cep_which { CEP_WHICH_REQ = 0, CEP_WHICH_REP = 1, CEP_WHICH_OTHER = 2 };

/* IBA table 109, the reasons that the engine or the shell itself gives. */
enum cep_rej_reason {
	CEP_REJ_NO_QP = 1,
	CEP_REJ_NO_RESOURCES = 3,
	CEP_REJ_TIMEOUT = 4,
	CEP_REJ_UNSUPPORTED = 5,
	CEP_REJ_INVALID_COMM_ID = 6,
	CEP_REJ_INVALID_COMM_INSTANCE = 7,
	CEP_REJ_INVALID_SERVICE_ID = 8,
	CEP_REJ_INVALID_TRANSPORT_TYPE = 9,
	CEP_REJ_STALE_CONN = 10,
	CEP_REJ_RDC_NOT_EXIST = 11,
	CEP_REJ_INVALID_GID = 12,
	CEP_REJ_INVALID_LID = 13,
	CEP_REJ_INVALID_ALT_GID = 18,
	CEP_REJ_INVALID_MTU = 26,
	CEP_REJ_CONSUMER_DEFINED = 28,
	CEP_REJ_DUPLICATE_LOCAL_COMM_ID = 30,
	CEP_REJ_INVALID_CLASS_VERSION = 31,
};

struct cep_path {
	uint16_t local_lid;
	uint16_t remote_lid;
	uint8_t local_gid[16];
	uint8_t remote_gid[16];
	uint32_t flow_label;
	uint8_t packet_rate;
	uint8_t traffic_class;
	uint8_t hop_limit;
	uint8_t sl;
	uint8_t subnet_local;
	uint8_t local_ack_timeout_exp;
};

/* Fields of each message, named as in IBA 12.6; "local" is the sender's. */
struct cep_req {
	uint64_t service_id;
	uint64_t local_ca_guid;
	uint32_t ece_vendor_id; /* 24 bits */
	uint32_t ece_attr_mod;  /* the MAD header's attribute modifier */
	uint32_t local_qkey;
	uint32_t local_qpn;
	uint32_t local_eecn;
	uint32_t remote_eecn;
	uint32_t starting_psn;
	uint16_t pkey;
	uint8_t responder_resources; /* the sender's, as responder */
	uint8_t initiator_depth;     /* the sender's, as initiator */
	uint8_t remote_cm_response_timeout_exp;
	uint8_t local_cm_response_timeout_exp;
	uint8_t transport; /* enum cep_transport; both type fields are folded into it */
	uint8_t flow_control;
	uint8_t retry_count;
	uint8_t rnr_retry_count;
	uint8_t path_mtu; /* IBA encoding 1..5 */
	uint8_t rdc_exists;
	uint8_t max_cm_retries;
	uint8_t srq;
	uint8_t sap_supported;
	struct cep_path primary;
	struct cep_path alternate; /* absent if its local LID and GID are both zero */
};

struct cep_rep {
	uint64_t local_ca_guid;
	uint32_t ece_vendor_id;
	uint32_t ece_attr_mod;
	uint32_t local_qkey;
	uint32_t local_qpn;
	uint32_t local_eecn;
	uint32_t starting_psn;
	uint8_t responder_resources;
	uint8_t initiator_depth;
	uint8_t target_ack_delay_exp;
	uint8_t failover_accepted;
	uint8_t flow_control;
	uint8_t rnr_retry_count;
	uint8_t srq;
};

struct cep_mra {
	uint8_t which;
	uint8_t service_timeout_exp;
};

struct cep_rej {
	uint8_t which;
	uint16_t reason;
	uint8_t ari_len; /* <= CEP_ARI_SIZE */
	const uint8_t *ari;
};

struct cep_dreq {
	uint32_t remote_qpn;
};

struct cep_lap {
	uint32_t remote_qpn;
	uint8_t remote_cm_response_timeout_exp;
	struct cep_path alternate;
};

struct cep_apr {
	uint8_t status;
	uint8_t info_len;
	const uint8_t *info;
};

struct cep_sidr_req {
	uint64_t service_id;
	uint16_t pkey;
};

struct cep_sidr_rep {
	uint64_t service_id;
	uint32_t vendor_id; /* 24 bits */
	uint32_t attr_mod;
	uint32_t qpn;
	uint32_t qkey;
	uint8_t status;
	uint8_t info_len;
	const uint8_t *info;
};

/* One message, parsed or to be written. Pointers point into the MAD it came from. */
struct cep_msg {
	uint64_t tid;
	uint16_t attr;           /* enum cep_attr */
	uint8_t private_data_len; /* parsed: the whole field's size */
	uint32_t local_comm_id;  /* the sender's; SIDR: the request ID */
	uint32_t remote_comm_id; /* the receiver's; 0 where the message has none */
	const uint8_t *private_data;
	union {
		struct cep_req req;
		struct cep_rep rep;
		struct cep_mra mra;
		struct cep_rej rej;
		struct cep_dreq dreq;
		struct cep_lap lap;
		struct cep_apr apr;
		struct cep_sidr_req sidr_req;
		struct cep_sidr_rep sidr_rep;
	};
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
	CEP_ACT_SEND_REQUEST, /* tx is a new REQ, REP or DREQ: keep the buffer and post it */
	CEP_ACT_SEND_REPLY,   /* tx is a one-shot message (RTU, MRA, REJ, DREP, APR): post, forget */
	CEP_ACT_RESEND,       /* post the kept buffer again, unless it is queued or in flight */
	CEP_ACT_DROP_REQUEST, /* the kept buffer is not needed any more */
	CEP_ACT_ARM,          /* value: deadline in ns; replaces any earlier one */
	CEP_ACT_DISARM,
	CEP_ACT_EVENT,        /* event, arg = cause; deliver to the ULP (never for a closed CEP) */
	CEP_ACT_UNINDEX,      /* remove from the remote (CA GUID, comm ID) and (CA GUID, QPN) tables */
	CEP_ACT_ENTER_TIMEWAIT, /* the deadline just armed is the end of timewait; release avs' QP use */
	CEP_ACT_LEAVE_TIMEWAIT,
	CEP_ACT_KEEP_DATA,    /* keep the private data of this RTU, DREP or MRA for repeats */
	CEP_ACT_RELEASE,      /* last action ever: local comm ID free, the protocol's reference goes */
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
 * REQ_RCVD -> MRA_REQ_SENT, REP_RCVD -> MRA_REP_SENT. delayed: nothing is sent now;
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
};
void cep_core_info(const struct cep_core *core, struct cep_info *info);

const char *cep_core_state_name(unsigned int state);
const char *cep_core_event_name(unsigned int event);
const char *cep_core_attr_name(unsigned int attr);
const char *cep_core_reject_msg(unsigned int reason);

#ifdef __cplusplus
}
#endif
#endif /* CEP_CORE_H */
