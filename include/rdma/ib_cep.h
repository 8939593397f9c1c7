/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The CM-only interface: InfiniBand connection management (IBA volume 1,
 * chapter 12) for in-kernel ULPs, without address resolution and without QPs
 * of its own.
 *
 * A connection endpoint (CEP) is an object with its own lock; its handle is its
 * address. Events of one CEP come one at a time and in order, in process
 * context; events of different CEPs come concurrently. Every CEP is destroyed
 * exactly once, by ib_cep_destroy() or by a callback that returns non-zero.
 *
 * Errors are the same everywhere: -EINVAL bad argument or a call that the CEP's
 * state does not allow; -EBUSY taken; -ESHUTDOWN being destroyed; -ENODEV no
 * such, or departing, device; -ENOMEM. After any error the CEP is as it was
 * before the call and nothing went out. Times named _exp are exponents of
 * 4.096 us x 2^n. Only the initial network namespace is served.
 */
#ifndef IB_CEP_H
#define IB_CEP_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <rdma/ib_sa.h>

struct ib_cep;

/**
 * enum ib_cep_state - the states of IBA 12.9.5 and .6
 *
 * For information only: a state may be old by the time it is read.
 */
enum ib_cep_state {
	IB_CEP_IDLE,
	IB_CEP_LISTEN,
	IB_CEP_REQ_SENT,
	IB_CEP_REQ_RCVD,
	IB_CEP_MRA_REQ_SENT,
	IB_CEP_MRA_REQ_RCVD,
	IB_CEP_REP_SENT,
	IB_CEP_REP_RCVD,
	IB_CEP_MRA_REP_SENT,
	IB_CEP_MRA_REP_RCVD,
	IB_CEP_ESTABLISHED,
	IB_CEP_DREQ_SENT,
	IB_CEP_DREQ_RCVD,
	IB_CEP_TIMEWAIT,
	IB_CEP_SIDR_REQ_SENT,
	IB_CEP_SIDR_REQ_RCVD,
};

/**
 * enum ib_cep_event_type - what a handler is told
 * @IB_CEP_REQ_ERROR: no answer to our REQ; the CEP is idle
 * @IB_CEP_REQ_RECEIVED: a new CEP, delivered to the listener's handler (push) or,
 *	after ib_cep_get_request(), to the CEP's own (pull)
 * @IB_CEP_REP_ERROR: no answer to our REP; the CEP is idle
 * @IB_CEP_REP_RECEIVED: answer with RTU, REJ, or MRA
 * @IB_CEP_RTU_RECEIVED: established
 * @IB_CEP_USER_ESTABLISHED: established, reported by ib_cep_established()
 * @IB_CEP_DREQ_ERROR: no answer to our DREQ, or (@cause) the peer turned out to
 *	have lost the connection; disconnected, timewait follows
 * @IB_CEP_DREQ_RECEIVED: answer with DREP
 * @IB_CEP_DREP_RECEIVED: disconnected, timewait follows
 * @IB_CEP_TIMEWAIT_EXIT: the QP may be used again
 * @IB_CEP_MRA_RECEIVED: the peer needs more time
 * @IB_CEP_REJ_RECEIVED: refused or broken
 * @IB_CEP_LAP_ERROR: no answer to our LAP
 * @IB_CEP_LAP_RECEIVED: the peer proposes an alternate path
 * @IB_CEP_APR_RECEIVED: answer to our LAP
 * @IB_CEP_SIDR_REQ_ERROR: no answer to our SIDR_REQ
 * @IB_CEP_SIDR_REQ_RECEIVED: as REQ_RECEIVED, for service ID resolution
 * @IB_CEP_SIDR_REP_RECEIVED: answer to our SIDR_REQ
 * @IB_CEP_DEVICE_REMOVED: the device is going; only destroy is useful now
 * @IB_CEP_REQ_WAITING: (pull listeners, on the listener) ib_cep_get_request() has work
 */
enum ib_cep_event_type {
	IB_CEP_REQ_ERROR,
	IB_CEP_REQ_RECEIVED,
	IB_CEP_REP_ERROR,
	IB_CEP_REP_RECEIVED,
	IB_CEP_RTU_RECEIVED,
	IB_CEP_USER_ESTABLISHED,
	IB_CEP_DREQ_ERROR,
	IB_CEP_DREQ_RECEIVED,
	IB_CEP_DREP_RECEIVED,
	IB_CEP_TIMEWAIT_EXIT,
	IB_CEP_MRA_RECEIVED,
	IB_CEP_REJ_RECEIVED,
	IB_CEP_LAP_ERROR,
	IB_CEP_LAP_RECEIVED,
	IB_CEP_APR_RECEIVED,
	IB_CEP_SIDR_REQ_ERROR,
	IB_CEP_SIDR_REQ_RECEIVED,
	IB_CEP_SIDR_REP_RECEIVED,
	IB_CEP_DEVICE_REMOVED,
	IB_CEP_REQ_WAITING,
};

/**
 * enum ib_cep_cause - why an IB_CEP_*_ERROR event came
 * @IB_CEP_CAUSE_NONE: not an error event
 * @IB_CEP_CAUSE_TIMEOUT: all retries are spent
 * @IB_CEP_CAUSE_SEND_FAILED: the adapter refused to send
 * @IB_CEP_CAUSE_STALE: the peer has lost the connection, or its QP is another's
 */
enum ib_cep_cause {
	IB_CEP_CAUSE_NONE,
	IB_CEP_CAUSE_TIMEOUT,
	IB_CEP_CAUSE_SEND_FAILED,
	IB_CEP_CAUSE_STALE,
};

/* Room for private data in each message, in bytes (IBA 12.6). */
enum ib_cep_private_data_size {
	IB_CEP_REQ_PRIVATE_DATA_SIZE	= 92,
	IB_CEP_MRA_PRIVATE_DATA_SIZE	= 222,
	IB_CEP_REJ_PRIVATE_DATA_SIZE	= 148,
	IB_CEP_REP_PRIVATE_DATA_SIZE	= 196,
	IB_CEP_RTU_PRIVATE_DATA_SIZE	= 224,
	IB_CEP_DREQ_PRIVATE_DATA_SIZE	= 220,
	IB_CEP_DREP_PRIVATE_DATA_SIZE	= 224,
	IB_CEP_REJ_ARI_SIZE		= 72,
};

/**
 * struct ib_cep_req_event - IB_CEP_REQ_RECEIVED
 *
 * Pointers are good during the callback only; @sgid_attr is referenced for as
 * long (take another with rdma_hold_gid_attr()). "remote" is the peer.
 *
 * @listener: the CEP that listens
 * @device: the device it came in on
 * @port: and its port
 * @bth_pkey: P_Key of the packet
 * @service_id: asked for
 * @primary_path: as seen from here: sgid, slid are ours
 * @alternate_path: NULL if the REQ has none
 * @sgid_attr: source GID of the primary path; NULL if it has none
 */
struct ib_cep_req_event {
	struct ib_cep			*listener;
	struct ib_device		*device;
	struct sa_path_rec		*primary_path;
	struct sa_path_rec		*alternate_path;
	const struct ib_gid_attr	*sgid_attr;
	__be64				service_id;
	__be64				remote_ca_guid;
	u16				bth_pkey;
	u32				port;
	u32				remote_qkey;
	u32				remote_qpn;
	enum ib_qp_type			qp_type;
	u32				starting_psn;
	u32				ece_vendor_id;
	u32				ece_attr_mod;
	u8				responder_resources;	/* what we may use as responder */
	u8				initiator_depth;	/* and as initiator */
	u8				local_cm_response_timeout_exp;
	u8				remote_cm_response_timeout_exp;
	u8				flow_control;
	u8				retry_count;
	u8				rnr_retry_count;
	u8				srq;
};

/** struct ib_cep_rep_event - IB_CEP_REP_RECEIVED; depths as seen from here */
struct ib_cep_rep_event {
	__be64	remote_ca_guid;
	u32	remote_qkey;
	u32	remote_qpn;
	u32	starting_psn;
	u32	ece_vendor_id;
	u32	ece_attr_mod;
	u8	responder_resources;
	u8	initiator_depth;
	u8	target_ack_delay_exp;
	u8	failover_accepted;
	u8	flow_control;
	u8	rnr_retry_count;
	u8	srq;
};

/** struct ib_cep_rej_event - IB_CEP_REJ_RECEIVED; reasons as in IBA table 109 */
struct ib_cep_rej_event {
	u16		reason;
	u8		message_rejected;	/* 0 REQ, 1 REP, 2 other */
	u8		ari_length;
	const void	*ari;
};

/** struct ib_cep_mra_event - IB_CEP_MRA_RECEIVED */
struct ib_cep_mra_event {
	u8	service_timeout_exp;
};

/**
 * struct ib_cep_event - one event
 * @type: which
 * @cause: for IB_CEP_*_ERROR
 * @private_data: of the message, or NULL; the whole field as received
 * @private_data_len: its size
 */
struct ib_cep_event {
	enum ib_cep_event_type	type;
	enum ib_cep_cause	cause;
	union {
		struct ib_cep_req_event	req;
		struct ib_cep_rep_event	rep;
		struct ib_cep_rej_event	rej;
		struct ib_cep_mra_event	mra;
	};
	const void		*private_data;
	u8			private_data_len;
};

/**
 * typedef ib_cep_handler - a ULP's event handler
 *
 * Process context, memalloc_noio. May call any function of this interface. A
 * non-zero return destroys @cep when the callback has returned: the ULP must
 * not touch or destroy it afterwards. For IB_CEP_REQ_RECEIVED, -ENOMEM and
 * -EAGAIN say nothing to the peer, which will try again; any other non-zero
 * value sends REJ 28.
 */
typedef int (*ib_cep_handler)(struct ib_cep *cep, const struct ib_cep_event *event, void *context);

/**
 * typedef ib_cep_release - last word on a context
 *
 * Called exactly once, in process context, after the last event of the CEP:
 * before ib_cep_destroy() returns, or after the CEP's own callback has returned.
 */
typedef void (*ib_cep_release)(void *context);

/**
 * ib_cep_create - make an idle CEP
 * @device: the device it will use, or NULL (a listener on all devices)
 * @handler: gets its events
 * @context: passed to both
 * @release: called when no more events can come, or NULL
 *
 * May sleep. Return: the CEP, or ERR_PTR(-EINVAL, -ENOMEM, -ENODEV: no CM on @device).
 */
struct ib_cep *ib_cep_create(struct ib_device *device, ib_cep_handler handler,
			     void *context, ib_cep_release release);

/**
 * ib_cep_configure - hand a CEP to another owner
 *
 * Waits for a running callback of the CEP (not when called from it), calls the
 * old release, then sets the new triple. May sleep. For a passive CEP: the
 * listener's release is not called for it. Return: 0, -EINVAL, -ESHUTDOWN.
 */
int ib_cep_configure(struct ib_cep *cep, ib_cep_handler handler, void *context,
		     ib_cep_release release);

/**
 * ib_cep_destroy - end a CEP, once
 *
 * Tells the peer what IBA 12 asks for in the state the CEP is in (REJ, DREQ,
 * DREP) and never waits for the network; waits only for a callback of this CEP
 * that is running right now, and for a listener's REQ callbacks. Queued events are
 * discarded. Called from the CEP's own callback it does not wait and completes
 * after the callback. May sleep.
 */
void ib_cep_destroy(struct ib_cep *cep);

/**
 * ib_cep_destroy_reason - as ib_cep_destroy(), with the reason of the REJ, if one is sent
 */
void ib_cep_destroy_reason(struct ib_cep *cep, u16 reason);

/**
 * ib_cep_flush - wait for callbacks and releases of destroyed CEPs
 *
 * A ULP calls it before its module goes. May sleep; not from a callback.
 */
void ib_cep_flush(void);

#define IB_CEP_ASSIGN_SERVICE_ID cpu_to_be64(0x0200000000000000ULL)

/**
 * struct ib_cep_compare - private-data compare of a listener
 *
 * A REQ matches if @length bytes of its private data at @offset equal @data.
 */
struct ib_cep_compare {
	u8	offset;
	u8	length;
	u8	data[IB_CEP_REQ_PRIVATE_DATA_SIZE];
};

/**
 * struct ib_cep_listen_param - what to listen for
 * @service_id: a REQ matches if its service ID under @service_mask equals it;
 *	IB_CEP_ASSIGN_SERVICE_ID: one is chosen and written here
 * @service_mask: 0 means all ones
 * @compare: further condition, or NULL
 * @port: 0: any
 * @backlog: REQs that may wait for an answer (REP, REJ, MRA, destroy); beyond it
 *	they are dropped and counted, and the peer tries again. 0: no limit
 * @concurrency: REQ callbacks that run at once; 0: no limit
 * @pull: REQs wait for ib_cep_get_request(); the handler gets IB_CEP_REQ_WAITING
 */
struct ib_cep_listen_param {
	__be64				service_id;
	__be64				service_mask;
	const struct ib_cep_compare	*compare;
	u32				port;
	u32				backlog;
	u32				concurrency;
	bool				pull;
};

/**
 * ib_cep_listen - accept requests for a service
 *
 * May sleep. Return: 0, -EINVAL, -EBUSY: an overlapping listener on the same device
 * (or on all) with equal port and compare.
 */
int ib_cep_listen(struct ib_cep *cep, struct ib_cep_listen_param *param);

/**
 * ib_cep_cancel_listen - no new requests
 *
 * Returns when no REQ callback of the listener runs or will run (but for the one it is
 * called from). Those delivered stay valid; those waiting get REJ 8. May sleep.
 */
int ib_cep_cancel_listen(struct ib_cep *cep);

/**
 * ib_cep_get_request - take the next waiting request of a pull listener
 *
 * Its first event, to @handler, is IB_CEP_REQ_RECEIVED. May sleep.
 * Return: a CEP of the caller's, or ERR_PTR(-EAGAIN, -EINVAL, -ESHUTDOWN).
 */
struct ib_cep *ib_cep_get_request(struct ib_cep *listener, ib_cep_handler handler,
				  void *context, ib_cep_release release);

/**
 * struct ib_cep_req_param - a REQ
 * @primary_path: where to; its pkey, mtu, packet life time and rate count
 * @primary_path_inbound: if the way back differs (its dlid), or NULL
 * @primary_path_outbound: if the data path's dlid differs from the CM's, or NULL
 * @alternate_path: or NULL
 * @sgid_attr: source GID of @primary_path (RoCE; InfiniBand may give NULL)
 * @qp_type: IB_QPT_RC, IB_QPT_UC, IB_QPT_XRC_INI
 * @remote_cm_response_timeout_exp: how long the peer may take to answer
 * @local_cm_response_timeout_exp: how long we may take
 * @max_cm_retries: 0..15
 * @timeout_ms: wait for an answer; 0: 2 x packet life time + remote response time
 */
struct ib_cep_req_param {
	const struct sa_path_rec	*primary_path;
	const struct sa_path_rec	*primary_path_inbound;
	const struct sa_path_rec	*primary_path_outbound;
	const struct sa_path_rec	*alternate_path;
	const struct ib_gid_attr	*sgid_attr;
	__be64				service_id;
	u32				qp_num;
	enum ib_qp_type			qp_type;
	u32				starting_psn;
	const void			*private_data;
	u8				private_data_len;
	u8				responder_resources;
	u8				initiator_depth;
	u8				remote_cm_response_timeout_exp;
	u8				local_cm_response_timeout_exp;
	u8				flow_control;
	u8				retry_count;
	u8				rnr_retry_count;
	u8				max_cm_retries;
	u8				srq;
	u32				ece_vendor_id;
	u32				ece_attr_mod;
	u32				timeout_ms;
	u32				remote_cm_qpn;	/* 0 or 1: the general QP1 */
};

/**
 * ib_cep_send_req - ask for a connection
 *
 * From idle, also again after a REJ or error. Resolves and reserves everything first.
 * May sleep. Return: 0, -EINVAL, -ENODEV, -ENOMEM, -ESHUTDOWN.
 */
int ib_cep_send_req(struct ib_cep *cep, const struct ib_cep_req_param *param);

/**
 * ib_cep_format_req - prepare a REQ, so that the QP can be set up before it goes
 *
 * After it ib_cep_get_qp_attr() answers for INIT, and ib_cep_send_formatted_req()
 * cannot fail for lack of memory. A second format replaces the first. May sleep.
 */
int ib_cep_format_req(struct ib_cep *cep, const struct ib_cep_req_param *param);
/** ib_cep_send_formatted_req - send it. May sleep. -EINVAL: not formatted; -ENODEV */
int ib_cep_send_formatted_req(struct ib_cep *cep);

/** struct ib_cep_rep_param - a REP */
struct ib_cep_rep_param {
	u32		qp_num;
	u32		starting_psn;
	const void	*private_data;
	u8		private_data_len;
	u8		responder_resources;
	u8		initiator_depth;
	u8		failover_accepted;
	u8		flow_control;
	u8		rnr_retry_count;
	u8		srq;
	u32		ece_vendor_id;
	u32		ece_attr_mod;
};

/** ib_cep_send_rep - accept. May sleep. From IB_CEP_REQ_RCVD, IB_CEP_MRA_REQ_SENT */
int ib_cep_send_rep(struct ib_cep *cep, const struct ib_cep_rep_param *param);
/** ib_cep_format_rep - prepare a REP: get_qp_attr answers for all states. May sleep */
int ib_cep_format_rep(struct ib_cep *cep, const struct ib_cep_rep_param *param);
/** ib_cep_send_formatted_rep - send it. May sleep */
int ib_cep_send_formatted_rep(struct ib_cep *cep);

/** ib_cep_send_rtu - complete the connection; private data up to 224 bytes. Atomic context */
int ib_cep_send_rtu(struct ib_cep *cep, const void *private_data, u8 len);

/**
 * ib_cep_send_mra - ask the peer for more time (after REQ or REP). Atomic context
 * @delayed: send it only when a duplicate comes, once for each
 */
int ib_cep_send_mra(struct ib_cep *cep, u8 service_timeout_exp, bool delayed,
		    const void *private_data, u8 len);

/** ib_cep_send_rej - refuse. ari up to 72, private data up to 148 bytes. Atomic context */
int ib_cep_send_rej(struct ib_cep *cep, u16 reason, const void *ari, u8 ari_length,
		    const void *private_data, u8 len);

/** ib_cep_send_dreq - disconnect; private data up to 220 bytes. Atomic context */
int ib_cep_send_dreq(struct ib_cep *cep, const void *private_data, u8 len);
/** ib_cep_send_drep - answer a DREQ; private data up to 224 bytes. Atomic context */
int ib_cep_send_drep(struct ib_cep *cep, const void *private_data, u8 len);

/**
 * ib_cep_enter_timewait - give a connection up without a word to the peer
 *
 * For one whose DREQ or DREP could not be sent. IB_CEP_TIMEWAIT_EXIT follows. Atomic context.
 */
int ib_cep_enter_timewait(struct ib_cep *cep);

/**
 * ib_cep_established - the QP has seen a packet (IB_EVENT_COMM_EST) before the RTU came
 *
 * Any context, hard interrupt included; the state moves before it returns.
 * Return: 0, -EISCONN: was already, -EINVAL.
 */
int ib_cep_established(struct ib_cep *cep);

/**
 * ib_cep_get_qp_attr - attributes and mask to move a QP to @attr->qp_state
 *
 * For IB_QPS_INIT, RTR, RTS. An SGID attribute in it stays referenced for the CEP's
 * life. Atomic context. Return: 0, -EINVAL, -ENODEV.
 */
int ib_cep_get_qp_attr(struct ib_cep *cep, struct ib_qp_attr *attr, int *mask);

/**
 * struct ib_cep_info - a look at a CEP
 * @device: good as long as the ULP keeps the device; NULL: none, or it goes
 */
struct ib_cep_info {
	enum ib_cep_state	state;
	struct ib_device	*device;
	u32			port;
	u32			local_comm_id;
	u32			remote_comm_id;
	u32			local_qpn;
	u32			remote_qpn;
	__be64			service_id;
};

/** ib_cep_query - fill @info. Any context */
void ib_cep_query(struct ib_cep *cep, struct ib_cep_info *info);

/** ib_cep_timewait_ns - how long the QP must not be used again after the disconnect. Any context */
u64 ib_cep_timewait_ns(struct ib_cep *cep);

/**
 * ib_cep_bind_qp - associate a CEP and a QP, atomically
 *
 * Succeeds only while neither is being destroyed and neither is bound. May sleep.
 * Return: 0, -EBUSY: one is bound; -ESHUTDOWN: one is being destroyed; -EINVAL.
 */
int ib_cep_bind_qp(struct ib_cep *cep, struct ib_qp *qp);
/** ib_cep_unbind_qp - undo it. Destroying the CEP does too. Return: 0, -EINVAL: not bound */
int ib_cep_unbind_qp(struct ib_cep *cep);
/** ib_cep_get_qp - the QP that is bound, or NULL; for the ULP, which keeps it alive */
struct ib_qp *ib_cep_get_qp(struct ib_cep *cep);

/**
 * ib_cep_qp_begin_destroy - a QP is about to go
 *
 * From now on binding it answers -ESHUTDOWN; unbinds it; waits until no CM call
 * uses it. May sleep. Return: 0, -ESHUTDOWN: somebody else does that already; -ENOMEM.
 */
int ib_cep_qp_begin_destroy(struct ib_qp *qp);
/** ib_cep_qp_end_destroy - the QP is gone: forget the mark */
void ib_cep_qp_end_destroy(struct ib_qp *qp);
/**
 * ib_cep_destroy_qp - both, with ib_destroy_qp() in between
 *
 * Return: 0, -ESHUTDOWN, -ENOMEM, or the error of ib_destroy_qp(): the QP is then unbound
 * and lives.
 */
int ib_cep_destroy_qp(struct ib_qp *qp);

/** ib_cep_reject_msg - text of a reject reason (IBA table 109) */
const char *ib_cep_reject_msg(u16 reason);
/** ib_cep_event_msg - text of an event */
const char *ib_cep_event_msg(enum ib_cep_event_type event);

#endif /* IB_CEP_H */
