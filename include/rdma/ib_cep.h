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
 * enum ib_cep_state - the states of IBA 12.9.5 and 12.9.6
 * @IB_CEP_IDLE: no connection; a REQ may be sent (again)
 * @IB_CEP_LISTEN: ib_cep_listen() was called
 * @IB_CEP_REQ_SENT: active side, waits for REP
 * @IB_CEP_REQ_RCVD: passive side, the ULP owes an answer
 * @IB_CEP_MRA_REQ_SENT: passive side, MRA sent or armed, the ULP owes an answer
 * @IB_CEP_MRA_REQ_RCVD: active side, the peer needs more time for its REP
 * @IB_CEP_REP_SENT: passive side, waits for RTU
 * @IB_CEP_REP_RCVD: active side, the ULP owes an RTU
 * @IB_CEP_MRA_REP_SENT: active side, MRA sent or armed, the ULP owes an RTU
 * @IB_CEP_MRA_REP_RCVD: passive side, the peer needs more time for its RTU
 * @IB_CEP_ESTABLISHED: connected
 * @IB_CEP_DREQ_SENT: disconnecting, waits for DREP
 * @IB_CEP_DREQ_RCVD: the peer disconnects, the ULP owes a DREP
 * @IB_CEP_TIMEWAIT: over, the QP must not be used yet
 * @IB_CEP_SIDR_REQ_SENT: waits for SIDR_REP
 * @IB_CEP_SIDR_REQ_RCVD: the ULP owes a SIDR_REP
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
 * @IB_CEP_DEVICE_REMOVED: the device is going; only destroy is useful now. A CEP that has
 *	never had a path gets no event: its next call says -ENODEV
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
 * @remote_ca_guid: the peer's node GUID
 * @remote_qkey: Q_Key of the REQ (RD only)
 * @remote_qpn: the peer's QP
 * @qp_type: IB_QPT_RC, IB_QPT_UC, IB_QPT_XRC_TGT
 * @starting_psn: with which the QP here shall begin to send
 * @ece_vendor_id: enhanced connection establishment, 24 bits
 * @ece_attr_mod: and its attribute modifier
 * @responder_resources: RDMA reads and atomics the peer wants to have outstanding here
 * @initiator_depth: and those it can serve itself
 * @local_cm_response_timeout_exp: in which the peer wants an answer
 * @remote_cm_response_timeout_exp: in which the peer will answer
 * @flow_control: the peer has end-to-end flow control
 * @retry_count: for the QP here
 * @rnr_retry_count: for the QP here
 * @srq: the peer's QP is on a shared receive queue
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
	u8				responder_resources;
	u8				initiator_depth;
	u8				local_cm_response_timeout_exp;
	u8				remote_cm_response_timeout_exp;
	u8				flow_control;
	u8				retry_count;
	u8				rnr_retry_count;
	u8				srq;
};

/**
 * struct ib_cep_rep_event - IB_CEP_REP_RECEIVED, seen from here
 * @remote_ca_guid: the peer's node GUID
 * @remote_qkey: Q_Key of the REP (RD only)
 * @remote_qpn: the peer's QP
 * @starting_psn: with which the QP here shall begin to send
 * @ece_vendor_id: enhanced connection establishment, 24 bits
 * @ece_attr_mod: and its attribute modifier
 * @responder_resources: RDMA reads and atomics the peer will have outstanding here
 * @initiator_depth: RDMA reads and atomics that may be outstanding at the peer
 * @target_ack_delay_exp: of the peer's CA
 * @failover_accepted: 0 yes, 1 not supported, 2 rejected
 * @flow_control: the peer has end-to-end flow control
 * @rnr_retry_count: for the QP here
 * @srq: the peer's QP is on a shared receive queue
 */
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

/**
 * struct ib_cep_rej_event - IB_CEP_REJ_RECEIVED
 * @reason: IBA table 109; ib_cep_reject_msg() has the texts
 * @message_rejected: 0 REQ, 1 REP, 2 other
 * @ari_length: bytes of @ari that count, at most 72
 * @ari: additional reject information
 */
struct ib_cep_rej_event {
	u16		reason;
	u8		message_rejected;
	u8		ari_length;
	const void	*ari;
};

/**
 * struct ib_cep_mra_event - IB_CEP_MRA_RECEIVED
 * @service_timeout_exp: how much longer the peer may take
 */
struct ib_cep_mra_event {
	u8	service_timeout_exp;
};

/**
 * struct ib_cep_event - one event
 * @type: which
 * @cause: for IB_CEP_*_ERROR
 * @req: for IB_CEP_REQ_RECEIVED
 * @rep: for IB_CEP_REP_RECEIVED
 * @rej: for IB_CEP_REJ_RECEIVED
 * @mra: for IB_CEP_MRA_RECEIVED
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
 * @cep: the CEP, or for IB_CEP_REQ_RECEIVED (push) the new one
 * @event: good during the callback
 * @context: as given with the handler
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
 * @context: as given with the handler
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
 * @release: called when no more events can come, or NULL; not if this call fails
 *
 * Context: process, may sleep; allocates with GFP_NOIO.
 * Return: the CEP, or ERR_PTR(): -EINVAL no handler, -ENODEV no CM of ours serves
 * @device, -ENOMEM.
 */
struct ib_cep *ib_cep_create(struct ib_device *device, ib_cep_handler handler,
			     void *context, ib_cep_release release);

/**
 * ib_cep_configure - hand a CEP to another owner
 * @cep: the CEP
 * @handler: gets its events from now on
 * @context: passed to both
 * @release: or NULL
 *
 * Waits for a running callback of the CEP (not when called from it), sets the new
 * triple, then calls the old release. For a passive CEP that has still its listener's
 * handler, the listener's release is not called.
 *
 * Context: process, may sleep; no lock that a callback or the old release takes.
 * Return: 0, -EINVAL no handler, -ESHUTDOWN.
 */
int ib_cep_configure(struct ib_cep *cep, ib_cep_handler handler, void *context,
		     ib_cep_release release);

/**
 * ib_cep_destroy - end a CEP, once
 * @cep: the CEP; not to be touched afterwards
 *
 * Tells the peer what IBA 12.9 asks for in the state the CEP is in (REJ, DREQ,
 * DREP) and never waits for the network; waits only for a callback of this CEP
 * that is running right now, and for a listener's REQ callbacks. Queued events are
 * discarded. Called from the CEP's own callback it does not wait and completes
 * after the callback. A second call while the object lives is reported and ignored.
 *
 * Context: process, may sleep; no lock that a callback takes.
 */
void ib_cep_destroy(struct ib_cep *cep);

/**
 * ib_cep_destroy_reason - as ib_cep_destroy(), with another reason than "consumer"
 * @cep: the CEP; not to be touched afterwards
 * @reason: of the REJ, if one is sent for an unanswered REQ or REP (IBA table 109)
 *
 * Context: as ib_cep_destroy().
 */
void ib_cep_destroy_reason(struct ib_cep *cep, u16 reason);

/**
 * ib_cep_flush - wait for callbacks and releases of destroyed CEPs
 *
 * A ULP calls it before its module goes.
 *
 * Context: process, may sleep; not from a callback.
 */
void ib_cep_flush(void);

#define IB_CEP_ASSIGN_SERVICE_ID cpu_to_be64(0x0200000000000000ULL)

/**
 * struct ib_cep_compare - private-data compare of a listener
 * @offset: where in the private data
 * @length: how many bytes, 1 or more
 * @data: what they shall be
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
 * @cep: an idle CEP
 * @param: which; @param->service_id is written if one is assigned
 *
 * Where several listeners match a REQ, the one with more conditions wins: device, then
 * compare, then port.
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL (also: not idle), -ESHUTDOWN, -ENOMEM, -EBUSY: an overlapping listener
 * with the same device (or all), port and compare exists.
 */
int ib_cep_listen(struct ib_cep *cep, struct ib_cep_listen_param *param);

/**
 * ib_cep_cancel_listen - no new requests
 * @cep: a listening CEP; it is idle afterwards
 *
 * Returns when no REQ callback of the listener runs or will run (but for the one it is
 * called from). Those delivered or pulled stay valid; those waiting get REJ 8.
 *
 * Context: process, may sleep; no lock that a REQ callback takes.
 * Return: 0, -EINVAL: does not listen.
 */
int ib_cep_cancel_listen(struct ib_cep *cep);

/**
 * ib_cep_get_request - take the next waiting request of a pull listener
 * @listener: a CEP that listens with @pull
 * @handler: gets the new CEP's events, the first of which is IB_CEP_REQ_RECEIVED
 * @context: passed to both
 * @release: or NULL
 *
 * Context: process, may sleep.
 * Return: a CEP of the caller's, or ERR_PTR(): -EAGAIN none waits, -EINVAL, -ESHUTDOWN.
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
 * @service_id: asked for
 * @qp_num: our QP
 * @qp_type: IB_QPT_RC, IB_QPT_UC, IB_QPT_XRC_INI
 * @starting_psn: with which the peer shall begin to send, 24 bits
 * @private_data: copied; or NULL
 * @private_data_len: at most 92
 * @responder_resources: RDMA reads and atomics we can have outstanding as responder
 * @initiator_depth: and want to have as initiator
 * @remote_cm_response_timeout_exp: how long the peer may take to answer
 * @local_cm_response_timeout_exp: how long we may take
 * @flow_control: we have end-to-end flow control
 * @retry_count: for the peer's QP, 0..7
 * @rnr_retry_count: for the peer's QP, 0..7
 * @max_cm_retries: how often a REQ, and later a DREQ, is sent again: 0..15
 * @srq: our QP is on a shared receive queue
 * @ece_vendor_id: enhanced connection establishment, 24 bits
 * @ece_attr_mod: and its attribute modifier
 * @timeout_ms: wait for an answer; 0: 2 x packet life time + remote response time
 * @remote_cm_qpn: 0 or 1: the general QP1; else where a REJ redirected us to
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
	u32				remote_cm_qpn;
};

/**
 * ib_cep_send_req - ask for a connection
 * @cep: an idle CEP with a device; also again after a REJ or error
 * @param: what for
 *
 * Resolves the path and reserves everything before anything is sent. IBA 12.9.5.
 *
 * Context: process, may sleep; allocates with GFP_NOIO.
 * Return: 0, -EINVAL, -ENODEV, -ENOMEM, -ESHUTDOWN, or what resolving the path said.
 */
int ib_cep_send_req(struct ib_cep *cep, const struct ib_cep_req_param *param);

/**
 * ib_cep_format_req - prepare a REQ, so that the QP can be set up before it goes
 * @cep: an idle CEP with a device
 * @param: what for; copied
 *
 * After it ib_cep_get_qp_attr() answers for INIT, and ib_cep_send_formatted_req()
 * cannot fail for lack of memory. A second format replaces the first.
 *
 * Context: process, may sleep; allocates with GFP_NOIO.
 * Return: as ib_cep_send_req().
 */
int ib_cep_format_req(struct ib_cep *cep, const struct ib_cep_req_param *param);

/**
 * ib_cep_send_formatted_req - send a prepared REQ
 * @cep: a CEP after ib_cep_format_req()
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL: none is prepared, -ENODEV, -ESHUTDOWN.
 */
int ib_cep_send_formatted_req(struct ib_cep *cep);

/**
 * struct ib_cep_rep_param - a REP
 * @qp_num: our QP
 * @starting_psn: with which the peer shall begin to send, 24 bits
 * @private_data: copied; or NULL
 * @private_data_len: at most 196
 * @responder_resources: RDMA reads and atomics that may be outstanding here
 * @initiator_depth: and that we will have outstanding at the peer
 * @failover_accepted: of the alternate path: 0 yes, 1 not supported, 2 rejected
 * @flow_control: we have end-to-end flow control
 * @rnr_retry_count: for the peer's QP, 0..7
 * @srq: our QP is on a shared receive queue
 * @ece_vendor_id: enhanced connection establishment, 24 bits
 * @ece_attr_mod: and its attribute modifier
 */
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

/**
 * ib_cep_send_rep - accept a request
 * @cep: in IB_CEP_REQ_RCVD or IB_CEP_MRA_REQ_SENT
 * @param: with what
 *
 * IBA 12.9.6.
 *
 * Context: process, may sleep; allocates with GFP_NOIO.
 * Return: 0, -EINVAL (also: not in this state), -ENODEV, -ENOMEM, -ESHUTDOWN.
 */
int ib_cep_send_rep(struct ib_cep *cep, const struct ib_cep_rep_param *param);

/**
 * ib_cep_format_rep - prepare a REP
 * @cep: in IB_CEP_REQ_RCVD or IB_CEP_MRA_REQ_SENT
 * @param: with what; copied
 *
 * After it ib_cep_get_qp_attr() answers with the depths of @param, and
 * ib_cep_send_formatted_rep() cannot fail for lack of memory. A second format replaces
 * the first.
 *
 * Context: process, may sleep; allocates with GFP_NOIO.
 * Return: 0, -EINVAL (also: not in this state), -ENODEV, -ENOMEM, -ESHUTDOWN.
 */
int ib_cep_format_rep(struct ib_cep *cep, const struct ib_cep_rep_param *param);

/**
 * ib_cep_send_formatted_rep - send a prepared REP
 * @cep: a CEP after ib_cep_format_rep()
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL: none is prepared, or not in this state, -ENODEV, -ESHUTDOWN.
 */
int ib_cep_send_formatted_rep(struct ib_cep *cep);

/**
 * ib_cep_send_rtu - complete the connection
 * @cep: in IB_CEP_REP_RCVD or IB_CEP_MRA_REP_SENT
 * @private_data: or NULL; kept for repetitions of the RTU
 * @len: at most 224
 *
 * Context: any but hard interrupt; allocates with GFP_ATOMIC.
 * Return: 0, -EINVAL (also: not in this state), -ENODEV, -ENOMEM, -ESHUTDOWN.
 */
int ib_cep_send_rtu(struct ib_cep *cep, const void *private_data, u8 len);

/**
 * ib_cep_send_mra - ask the peer for more time
 * @cep: in IB_CEP_REQ_RCVD or IB_CEP_REP_RCVD
 * @service_timeout_exp: how much, 0..31
 * @delayed: send it only when a duplicate comes, once for each
 * @private_data: or NULL
 * @len: at most 222
 *
 * IBA 12.6.6, MRA.
 *
 * Context: any but hard interrupt; allocates with GFP_ATOMIC.
 * Return: 0, -EINVAL (also: not in this state), -ENODEV, -ENOMEM, -ESHUTDOWN.
 */
int ib_cep_send_mra(struct ib_cep *cep, u8 service_timeout_exp, bool delayed,
		    const void *private_data, u8 len);

/**
 * ib_cep_send_rej - refuse a request or reply, or take one's own back
 * @cep: in any state from IB_CEP_REQ_SENT to IB_CEP_MRA_REP_RCVD
 * @reason: IBA table 109
 * @ari: additional reject information, or NULL
 * @ari_length: at most 72
 * @private_data: or NULL
 * @len: at most 148
 *
 * The CEP is idle afterwards, or in timewait if a REP had gone out.
 *
 * Context: any but hard interrupt; allocates with GFP_ATOMIC.
 * Return: 0, -EINVAL (also: not in this state), -ENODEV, -ENOMEM, -ESHUTDOWN.
 */
int ib_cep_send_rej(struct ib_cep *cep, u16 reason, const void *ari, u8 ari_length,
		    const void *private_data, u8 len);

/**
 * ib_cep_send_dreq - disconnect
 * @cep: in IB_CEP_ESTABLISHED
 * @private_data: or NULL
 * @len: at most 220
 *
 * IB_CEP_DREP_RECEIVED, IB_CEP_DREQ_ERROR or, if both sides ask, IB_CEP_DREQ_RECEIVED
 * follows, and in the end IB_CEP_TIMEWAIT_EXIT.
 *
 * Context: any but hard interrupt; allocates with GFP_ATOMIC.
 * Return: 0, -EINVAL (also: not in this state), -ENODEV, -ENOMEM, -ESHUTDOWN.
 */
int ib_cep_send_dreq(struct ib_cep *cep, const void *private_data, u8 len);

/**
 * ib_cep_send_drep - answer a DREQ
 * @cep: in IB_CEP_DREQ_RCVD
 * @private_data: or NULL; kept for repetitions of the DREP
 * @len: at most 224
 *
 * IB_CEP_TIMEWAIT_EXIT follows.
 *
 * Context: any but hard interrupt; allocates with GFP_ATOMIC.
 * Return: 0, -EINVAL (also: not in this state), -ENODEV, -ENOMEM, -ESHUTDOWN.
 */
int ib_cep_send_drep(struct ib_cep *cep, const void *private_data, u8 len);

/**
 * ib_cep_enter_timewait - give a connection up without a word to the peer
 * @cep: in IB_CEP_ESTABLISHED, IB_CEP_DREQ_SENT or IB_CEP_DREQ_RCVD
 *
 * For one whose DREQ or DREP could not be sent. IB_CEP_TIMEWAIT_EXIT follows.
 *
 * Context: any but hard interrupt.
 * Return: 0, -EINVAL: not in this state, -ENODEV, -ESHUTDOWN.
 */
int ib_cep_enter_timewait(struct ib_cep *cep);

/**
 * ib_cep_established - the QP has seen a packet before the RTU came
 * @cep: in IB_CEP_REP_SENT or IB_CEP_MRA_REP_RCVD
 *
 * For IB_EVENT_COMM_EST. The state moves before it returns; IB_CEP_USER_ESTABLISHED
 * follows, and the late RTU is a duplicate.
 *
 * Context: any, hard interrupt included.
 * Return: 0, -EISCONN: was already, -EINVAL, -ENODEV, -ESHUTDOWN.
 */
int ib_cep_established(struct ib_cep *cep);

/**
 * ib_cep_get_qp_attr - attributes and mask to move a QP to @attr->qp_state
 * @cep: a CEP that knows enough: see below
 * @attr: qp_state is IB_QPS_INIT, IB_QPS_RTR or IB_QPS_RTS; the rest is filled
 * @mask: of ib_modify_qp()
 *
 * INIT from ib_cep_format_req() or the REQ on, RTR and RTS from the received REQ or REP
 * on. An SGID attribute in it stays referenced for the life of the CEP.
 *
 * Context: any, hard interrupt included.
 * Return: 0, -EINVAL, -ENODEV.
 */
int ib_cep_get_qp_attr(struct ib_cep *cep, struct ib_qp_attr *attr, int *mask);

/**
 * struct ib_cep_info - a look at a CEP
 * @state: may be old by the time it is read
 * @device: good as long as the ULP keeps the device; NULL: none, or it goes
 * @port: 0 if none yet
 * @local_comm_id: fixed for the CEP's life
 * @remote_comm_id: 0 if not known yet
 * @local_qpn: 0 if not known yet
 * @remote_qpn: 0 if not known yet
 * @service_id: asked for, or listened for
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

/**
 * ib_cep_query - look at a CEP
 * @cep: the CEP
 * @info: filled
 *
 * Context: any, hard interrupt included.
 */
void ib_cep_query(struct ib_cep *cep, struct ib_cep_info *info);

/**
 * ib_cep_timewait_ns - how long the QP must not be used again after the disconnect
 * @cep: a CEP that is, or was, connected
 *
 * 2 x packet life time + remote ack delay.
 *
 * Context: any, hard interrupt included.
 * Return: nanoseconds; 0: not known.
 */
u64 ib_cep_timewait_ns(struct ib_cep *cep);

/**
 * ib_cep_bind_qp - associate a CEP and a QP, atomically
 * @cep: the CEP
 * @qp: the QP
 *
 * Succeeds only while neither is being destroyed and neither is bound. Nobody holds a
 * lock of the QP across CM calls for it.
 *
 * Context: process, may sleep.
 * Return: 0, -EBUSY: one is bound, -ESHUTDOWN: one is being destroyed, -EINVAL, -ENOMEM.
 */
int ib_cep_bind_qp(struct ib_cep *cep, struct ib_qp *qp);

/**
 * ib_cep_unbind_qp - undo ib_cep_bind_qp()
 * @cep: the CEP
 *
 * Destroying the CEP, or the QP by the calls below, does it too.
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL: not bound.
 */
int ib_cep_unbind_qp(struct ib_cep *cep);

/**
 * ib_cep_get_qp - the QP that is bound
 * @cep: the CEP
 *
 * For the ULP, which keeps the QP alive.
 *
 * Context: any, hard interrupt included.
 * Return: the QP, or NULL.
 */
struct ib_qp *ib_cep_get_qp(struct ib_cep *cep);

/**
 * ib_cep_qp_begin_destroy - a QP is about to go
 * @qp: the QP, bound or not
 *
 * From now on binding it answers -ESHUTDOWN. Unbinds it, and returns when no CM call
 * uses it. ib_cep_qp_end_destroy() must follow.
 *
 * Context: process, may sleep.
 * Return: 0, -ESHUTDOWN: somebody else does that already, -EINVAL, -ENOMEM.
 */
int ib_cep_qp_begin_destroy(struct ib_qp *qp);

/**
 * ib_cep_qp_end_destroy - the QP is gone: forget the mark
 * @qp: as given to ib_cep_qp_begin_destroy(); not followed
 *
 * Context: process, may sleep.
 */
void ib_cep_qp_end_destroy(struct ib_qp *qp);

/**
 * ib_cep_destroy_qp - destroy a QP that is or may be bound
 * @qp: the QP
 *
 * Both of the above, with ib_destroy_qp() in between.
 *
 * Context: process, may sleep.
 * Return: 0, -ESHUTDOWN, -EINVAL, -ENOMEM, or the error of ib_destroy_qp(): the QP is then unbound
 * and lives.
 */
int ib_cep_destroy_qp(struct ib_qp *qp);

/**
 * ib_cep_reject_msg - text of a reject reason
 * @reason: IBA table 109
 *
 * Context: any.
 * Return: a static string, for any value.
 */
const char *ib_cep_reject_msg(u16 reason);

/**
 * ib_cep_event_msg - text of an event
 * @event: which
 *
 * Context: any.
 * Return: a static string, for any value.
 */
const char *ib_cep_event_msg(enum ib_cep_event_type event);

#endif /* IB_CEP_H */
