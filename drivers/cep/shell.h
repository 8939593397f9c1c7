/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Private declarations of the kernel shell: the objects, who owns what, and the
 * order of locks. Everything protocol is in core/; the shell finds objects, keeps
 * them alive, executes action lists (run.c only) and talks to the MAD layer.
 *
 * Lock order, outermost first:
 *   cep_listen_mutex, cep_device_mutex, cep_qp_mutex    (process context, never nested)
 *   ib_cep.lock                                          (one CEP at a time)
 *   one leaf: index bucket | comm-ID xarray shard | port shard | window | av bucket | cep_listen.lock
 *   the MAD layer's own locks
 * All spinlocks are taken irqsave: ib_cep_established() comes from hard interrupt.
 */
#ifndef CEP_SHELL_H
#define CEP_SHELL_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/percpu-refcount.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include <rdma/ib_cep.h>
#include <rdma/ib_mad.h>
#include "core/cep_core.h"

#define CEP_PORT_SHARDS 16
#define CEP_AV_BUCKETS 256
#define CEP_EVENT_RING 16
#define CEP_CLASS_VERSION 2 /* IBA 16.7.1 */
#define CEP_NR_ATTRS 11 /* CEP_ATTR_REQ .. CEP_ATTR_APR, in that order */

/* --- counters (port.c) ------------------------------------------------------ */

enum cep_counter_group { CEP_TX, CEP_TX_RETRIES, CEP_RX, CEP_RX_DUPLICATES, CEP_NR_GROUPS };

/* What was not served, and why; shown in the port's cep_drops directory. */
#define CEP_DROPS(X)                                                          \
	X(short_mad)      /* fewer than 256 bytes */                          \
	X(malformed)      /* version, method or a field out of range */       \
	X(class_version)  /* another version of the CM class */               \
	X(unknown_attr)   /* not a CM message */                              \
	X(unknown_id)     /* no CEP has that comm ID */                       \
	X(out_of_place)   /* not expected in the state the CEP is in */       \
	X(no_listener)    /* REQ for a service nobody listens for: REJ 8 */   \
	X(refused)        /* REQ that a CM cannot serve: REJ */               \
	X(backlog)        /* REQ beyond a listener's backlog */               \
	X(no_memory)      /* dropped for lack of memory */                    \
	X(no_route)       /* the source could not be resolved */              \
	X(resolver_full)  /* resolver queue at its limit */                   \
	X(stale)          /* REQ or REP that showed an old connection: REJ 10 */ \
	X(send_failed)    /* the MAD layer or the adapter refused to send */  \
	X(window_waits)   /* requests that waited for a place in the send window */

enum cep_drop {
#define X(name) CEP_DROP_##name,
	CEP_DROPS(X)
#undef X
	CEP_NR_DROPS
};

/* --- devices and ports (main.c, port.c) ------------------------------------- */

struct cep_device {
	struct kref ref;           /* one for the client, one for each CEP and port */
	struct ib_device *ibdev;   /* good only while a port's users reference is held */
	u64 node_guid;
	u8 ack_delay_exp;
	bool gone;                 /* READ_ONCE; set before the ports are killed */
	u32 nr_ports;
	struct list_head link;     /* cep_device_list, cep_device_mutex */
	struct ib_event_handler event_handler;
	struct cep_port *port[];   /* by port number - 1, RCU; NULL: no IB CM there */
};

struct cep_shard {
	spinlock_t lock;           /* leaf: the list */
	struct list_head ceps;
};

/* Requests posted and not yet completed, and those that wait for a place. */
struct cep_window {
	spinlock_t lock;           /* leaf: the rest of this struct, cep_tx.where */
	unsigned int posted;
	struct list_head waiting;
	struct work_struct work;   /* posts the waiting: never done under a CEP's lock */
};

struct cep_av_bucket {
	spinlock_t lock;           /* leaf: the list; lookups are under RCU */
	struct hlist_head head;
};

struct cep_port {
	struct cep_device *dev;
	u32 num;
	struct ib_mad_agent *agent;
	/*
	 * Taken (tryget_live) around every use of agent, device or address handles, and
	 * held by every item in the resolver. Removal kills it and waits.
	 */
	struct percpu_ref users;
	struct completion drained;
	struct kref ref;           /* memory only: CEPs and avs point here */
	struct rcu_head rcu;       /* cep_device.port[] is read under RCU */
	bool cap_was_ours;         /* IB_PORT_CM_SUP was not set before us */
	struct cep_shard shard[CEP_PORT_SHARDS];
	struct cep_window window;
	struct cep_av_bucket av[CEP_AV_BUCKETS];
	atomic_t nr_av;
	struct delayed_work av_reaper;
	atomic_t resolving;        /* items in the resolver queue */
	atomic_t tid;
	atomic_long_t counter[CEP_NR_GROUPS][CEP_NR_ATTRS];
	atomic_long_t drop[CEP_NR_DROPS];
};

extern struct list_head cep_device_list;
extern struct mutex cep_device_mutex; /* cep_device_list; taken by add, remove, create */
extern struct workqueue_struct *cep_event_wq;   /* ULP callbacks */
extern struct workqueue_struct *cep_resolve_wq; /* address resolution; may wait a second each */
extern struct workqueue_struct *cep_free_wq;    /* releases that need process context, windows */

struct cep_device *cep_device_get(struct ib_device *ibdev);
void cep_device_put(struct cep_device *dev);
int cep_port_add(struct cep_device *dev, u32 num);
void cep_port_remove(struct cep_port *port);
void cep_port_put(struct cep_port *port);

static inline bool cep_port_enter(struct cep_port *port)
{
	return percpu_ref_tryget_live(&port->users);
}

static inline void cep_port_exit(struct cep_port *port)
{
	percpu_ref_put(&port->users);
}

static inline void cep_count(struct cep_port *port, enum cep_counter_group group, u16 attr)
{
	if (attr >= CEP_ATTR_REQ && attr <= CEP_ATTR_APR)
		atomic_long_inc(&port->counter[group][attr - CEP_ATTR_REQ]);
}

static inline void cep_drop(struct cep_port *port, enum cep_drop why)
{
	atomic_long_inc(&port->drop[why]);
}

static inline u64 cep_next_tid(struct cep_port *port)
{
	return (u64)port->agent->hi_tid << 32 | (u32)atomic_inc_return(&port->tid);
}

/* --- address vectors (av.c) --------------------------------------------------- */

struct cep_av_key {
	union ib_gid sgid;
	union ib_gid dgid;
	u32 dlid;
	u32 slid;                 /* or path bits, for CEP_AV_WC */
	u16 pkey;                 /* the P_Key, or its index for CEP_AV_WC */
	u16 vlan;                 /* CEP_AV_PATH: index of the SGID + 1 if it was given */
	u8 dmac[ETH_ALEN];        /* CEP_AV_PATH over RoCE */
	u8 kind;                  /* enum cep_av_kind */
	u8 type;                  /* path record type or network type */
	u8 sl;
	u8 tclass;
	u8 hop_limit;
	u8 rate;
};

enum cep_av_kind { CEP_AV_WC = 1, CEP_AV_PATH };

/*
 * How to send to one peer: counted, shared by all CEPs and MADs with that path. The
 * last put queues the release: handles go in process context only.
 */
struct cep_av {
	refcount_t refs;          /* the cache, each CEP, each MAD */
	bool stale;               /* READ_ONCE: not for new sends any more */
	u16 pkey_index;
	struct cep_port *port;
	struct hlist_node node;   /* av bucket */
	struct cep_av_key key;
	struct rdma_ah_attr ah_attr;
	struct ib_ah *ah;
	unsigned long born;       /* jiffies */
	union {
		struct work_struct work;
		struct rcu_head rcu;
	};
};

struct cep_rx;
struct cep_av *cep_av_find_wc(struct cep_port *port, const struct ib_mad_recv_wc *wc);
struct cep_av *cep_av_make_wc(struct cep_port *port, const struct ib_mad_recv_wc *wc);
void cep_path_from_req(const struct cep_rx *rx, const struct cep_msg *msg,
		       const struct cep_av *wc_av, struct sa_path_rec *primary,
		       struct sa_path_rec *alternate);
bool cep_msg_has_alternate(const struct cep_req *req);
struct cep_av *cep_av_find_path(struct cep_port *port, const struct sa_path_rec *path,
				const struct ib_gid_attr *sgid_attr);
struct cep_av *cep_av_make_path(struct cep_port *port, struct sa_path_rec *path,
				const struct ib_gid_attr *sgid_attr);
struct cep_av *cep_av_fresh(struct cep_av *av);
void cep_av_put(struct cep_av *av);
void cep_av_init(struct cep_port *port);
void cep_av_drain(struct cep_port *port);
void cep_av_invalidate(struct cep_port *port);
int cep_av_notifiers_register(void);
void cep_av_notifiers_unregister(void);

static inline struct cep_av *cep_av_get(struct cep_av *av)
{
	if (av)
		refcount_inc(&av->refs);
	return av;
}

/* --- what the peer calls itself (index.c) ------------------------------------- */

enum cep_peer_kind { CEP_PEER_PLACEHOLDER, CEP_PEER_CEP };

/*
 * An entry of the two remote tables. A placeholder stands for a REQ or REP that is
 * being worked on; it swallows duplicates and is replaced by a CEP's entry or withdrawn.
 * An entry of a CEP holds a reference on it.
 */
struct cep_peer {
	struct hlist_node by_comm_id;
	struct hlist_node by_qpn;
	u64 ca_guid;
	u32 comm_id;
	u32 qpn;
	u8 kind;
	bool indexed; /* written by whoever owns the entry: the rx item, or under ib_cep.lock */
};

enum cep_claim { CEP_CLAIMED, CEP_CLAIM_BUSY, CEP_CLAIM_COMM_ID, CEP_CLAIM_QPN };

int cep_index_init(void);
void cep_index_exit(void);
enum cep_claim cep_index_claim(struct cep_peer *peer, struct ib_cep **owner);
void cep_index_replace(struct cep_peer *from, struct cep_peer *to);
void cep_index_withdraw(struct cep_peer *peer);
struct ib_cep *cep_index_find_peer(u64 ca_guid, u32 comm_id);
int cep_comm_id_reserve(u32 *comm_id);
void cep_comm_id_publish(u32 comm_id, struct ib_cep *cep);
void cep_comm_id_free(u32 comm_id);
struct ib_cep *cep_comm_id_find(u32 comm_id);

/* --- received messages (rx.c, resolve.c) ---------------------------------------- */

/* A received MAD on its way: through the resolver, or to a ULP as an event's payload. */
struct cep_rx {
	struct list_head link;      /* ib_cep.payloads */
	struct ib_mad_recv_wc *wc;
	struct cep_port *port;      /* kref'd; users reference too while in_resolver */
	struct cep_peer peer;       /* placeholder */
	struct work_struct work;
	u8 *reply;                  /* one MAD to send when the source is resolved, or NULL */
};

void cep_rx_handler(struct ib_mad_agent *agent, struct ib_mad_send_buf *send_buf,
		    struct ib_mad_recv_wc *wc);
void cep_rx_free(struct cep_rx *rx);
void cep_rx_reply(struct cep_rx *rx, const u8 *mad);
void cep_resolve(struct cep_rx *rx);
void cep_accept(struct cep_rx *rx, struct cep_av *wc_av, bool may_wait);

static inline const u8 *cep_rx_mad(const struct cep_rx *rx)
{
	return (const u8 *)rx->wc->recv_buf.mad;
}

/* --- sending (tx.c, window.c) ------------------------------------------------------ */

enum cep_tx_where {
	CEP_TX_IDLE,      /* the owner's */
	CEP_TX_WAITING,   /* on the window's list */
	CEP_TX_POPPED,    /* taken from the list by the window's work */
	CEP_TX_IN_FLIGHT, /* the MAD layer's */
};

/*
 * One MAD buffer with its address handle. A request (REQ, REP, DREQ) belongs to its
 * CEP's cep->tx and is posted again and again; a reply is posted once and forgotten. A
 * buffer that is not idle is neither written nor posted.
 */
struct cep_tx {
	struct ib_mad_send_buf *buf;
	struct cep_port *port;     /* alive by the buffer's reference on the agent */
	struct cep_av *av;
	struct ib_cep *cep;        /* requests: a reference while not idle */
	struct list_head link;     /* window's list, or a list of garbage */
	u8 where;                  /* under cep->lock; WAITING <-> POPPED also window lock */
	bool windowed;             /* counts in window.posted */
	bool detached;             /* under cep->lock: its owner does not need it any more */
	bool sent_before;          /* under cep->lock: the next post is a retry */
};

struct cep_tx *cep_tx_alloc(struct cep_port *port, struct cep_av *av, gfp_t gfp);
void cep_tx_free(struct cep_tx *tx);
void cep_tx_handler(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc);
int cep_tx_post_request(struct cep_tx *tx, bool placed);
void cep_tx_post_reply(struct cep_tx *tx);
void cep_tx_send_copy(struct cep_port *port, struct cep_av *av, const u8 *mad, gfp_t gfp);
void cep_window_init(struct cep_window *window);
bool cep_window_enter(struct cep_tx *tx);
void cep_window_leave(struct cep_port *port);
bool cep_window_forget(struct cep_tx *tx);

static inline u8 *cep_tx_mad(struct cep_tx *tx)
{
	return tx->buf->mad;
}

/* --- CEPs (cep.c) --------------------------------------------------------------------- */

enum cep_flag {
	CEP_F_DESTROYED,  /* the ULP is through with it: no callback starts any more */
	CEP_F_IN_CALLBACK, /* destroyed from its own callback: the event work completes it */
	CEP_F_SCHEDULED,  /* event work is queued or running */
	CEP_F_GATED,      /* a new passive CEP that its listener has not let through yet */
	CEP_F_BACKLOG,    /* counts in its listener's backlog */
	CEP_F_ORPHAN,     /* counts in the number of orphans */
	CEP_F_GONE,       /* its device is removed */
};

struct cep_listen;

/* Where the path of the QP differs from that of the MADs. */
struct cep_datapath {
	u32 flow_label;
	u32 alt_flow_label;
	u16 dlid; /* routed paths; 0: the same */
};

/* All that a prepared message needs but the lock. */
struct cep_format {
	struct cep_tx *tx;
	struct cep_av *av;
	struct cep_av *alt_av;
	struct cep_datapath data;
	__be64 service_id;
	bool is_rep;
	union {
		struct cep_send_req req;
		struct cep_send_rep rep;
	};
	u8 private_data[CEP_REP_PRIVATE_DATA_SIZE];
};

struct ib_cep {
	/* Protects everything below that does not say otherwise; nothing of other CEPs. */
	spinlock_t lock;
	/*
	 * One for the ULP, one for the protocol (until RELEASE), one each for the entry in
	 * the remote tables, the armed timer, scheduled event work, and a request not idle.
	 */
	refcount_t refs;
	struct cep_core core;
	unsigned long flags;         /* enum cep_flag, under lock */
	struct cep_port *port;       /* kref'd; set by the first request or at birth */
	struct cep_device *dev;      /* kref'd; immutable */
	struct list_head port_link;  /* port shard's lock */
	struct cep_av *av;
	struct cep_av *alt_av;
	struct cep_datapath data;
	u32 comm_id;                 /* immutable */
	__be64 service_id;
	struct cep_tx *tx;           /* the kept request */
	struct cep_format *format;   /* a request or REP that is prepared and not sent */
	u8 *repeat_data;             /* private data of the RTU or DREP, if any */
	u8 repeat_len;
	u8 event_head;
	u8 event_count;
	u16 event[CEP_EVENT_RING];   /* enum cep_event | cause << 8, in order of delivery */
	struct list_head payloads;   /* struct cep_rx of events that have one, in order */
	struct work_struct work;     /* delivers events, one at a time */
	struct task_struct *running; /* whose callback runs; wait_var_event on it */
	struct timer_list timer;     /* the one deadline */
	struct cep_peer peer;
	ib_cep_handler handler;
	void *context;
	ib_cep_release release;
	struct cep_listen *listen;   /* of a listener; cep_listen_mutex */
	struct cep_listen *past;     /* cancelled, a REQ callback may still run; same mutex */
	struct cep_listen *origin;   /* of a passive CEP: reference until its REQ is answered */
	struct list_head gate_link;  /* cep_listen.lock of origin */
	struct ib_qp *qp;            /* cep_qp_mutex and lock: either to read */
	struct rcu_head rcu;
};

struct ib_cep *cep_alloc(struct cep_device *dev, ib_cep_handler handler, void *context,
			 ib_cep_release release, gfp_t gfp);
void cep_put(struct ib_cep *cep);
void cep_attach(struct ib_cep *cep, struct cep_port *port);
void cep_device_gone(struct ib_cep *cep);
void cep_close(struct ib_cep *cep, u16 reason, bool tell);
void cep_abandon(struct ib_cep *cep, u16 reason, bool tell);
void cep_retire(struct ib_cep *cep);
void cep_format_free(struct cep_format *format);

static inline struct ib_cep *cep_get(struct ib_cep *cep)
{
	refcount_inc(&cep->refs);
	return cep;
}

/* --- deadlines (deadline.c): the only clock and timer, replaceable by test builds ------- */

u64 cep_now_ns(void);
void cep_timer_init(struct ib_cep *cep);
void cep_timer_arm(struct ib_cep *cep, u64 deadline_ns);
void cep_timer_disarm(struct ib_cep *cep);

/* --- action lists (run.c) ------------------------------------------------------------------ */

/*
 * What one call into the engine needs and leaves. Prepared before the lock, executed
 * under it by cep_run(), finished after it by cep_run_finish().
 */
struct cep_run {
	struct cep_actions acts;
	struct cep_tx *tx;        /* reserved buffer, or NULL: replies go to scratch */
	struct cep_rx *rx;        /* payload for an event; NULL once taken */
	u8 *keep;                 /* kmalloc'ed private data to keep; NULL once taken */
	u8 keep_len;
	gfp_t gfp;                /* for a copy of a reply made after the lock */
	bool reply;               /* a reply is to be posted */
	bool to_source;           /* a reply goes where the message came from, by rx.c */
	bool answer;              /* and there is one, in scratch */
	struct cep_av *reply_av;
	struct cep_port *reply_port;
	bool ungate;              /* the CEP ended before its listener let it through */
	unsigned int puts;        /* references of the CEP to drop */
	struct list_head garbage; /* buffers to free */
	u8 scratch[CEP_MAD_SIZE];
};

void cep_run_init(struct cep_run *run, gfp_t gfp);
u8 *cep_run_mad(struct cep_run *run);
void cep_run(struct ib_cep *cep, struct cep_run *run);
void cep_run_finish(struct ib_cep *cep, struct cep_run *run);

/* --- events (event.c) ------------------------------------------------------------------------ */

void cep_event_queue(struct ib_cep *cep, struct cep_run *run, u8 event, u8 cause);
void cep_event_schedule(struct ib_cep *cep);
void cep_event_discard(struct ib_cep *cep, struct list_head *payloads);
void cep_event_work(struct work_struct *work);
void cep_event_wait(struct ib_cep *cep);
#define CEP_EVENT_REQ_WAITING CEP_NR_EVENTS

/* --- listeners (listen.c) ---------------------------------------------------------------------- */

struct cep_listen {
	struct kref ref;           /* the listener, and each passive CEP that points here */
	struct hlist_node node;    /* under cep_listen_mutex, read under RCU */
	struct ib_cep *cep;        /* good until dying is set, and for callbacks that began before */
	struct cep_listen *older;  /* next of ib_cep.past; cep_listen_mutex */
	struct cep_device *dev;    /* or NULL: all devices */
	u64 service_id;
	u64 service_mask;
	struct ib_cep_compare compare;
	u32 port;
	unsigned int max_backlog;
	unsigned int concurrency;
	bool pull;
	atomic_t backlog;
	spinlock_t lock;           /* leaf: the rest */
	bool dying;
	unsigned int running;      /* REQ callbacks let through and not returned */
	struct list_head waiting;  /* ib_cep.gate_link: not let through or pulled yet */
	struct list_head callbacks; /* struct cep_callback of those that run */
	struct rcu_head rcu;
};

/* A REQ callback that runs: on the stack of the event worker. */
struct cep_callback {
	struct list_head link;
	struct task_struct *task;
	bool awaited;             /* somebody waits for its end */
};

struct cep_listen *cep_listen_find(struct cep_device *dev, u32 port, u64 service_id,
				   const u8 *private_data);
bool cep_listen_backlog(struct cep_listen *listen);
bool cep_listen_offer(struct cep_listen *listen, struct ib_cep *cep);
void cep_listen_admit(struct cep_listen *listen);
bool cep_listen_withdraw(struct ib_cep *cep);
bool cep_listen_callback_begin(struct cep_listen *listen, struct cep_callback *cb);
void cep_listen_callback_end(struct cep_listen *listen, struct cep_callback *cb);
void cep_listen_end(struct ib_cep *cep);
void cep_listen_wait(struct ib_cep *cep);
void cep_listen_put(struct cep_listen *listen);

/* --- QP binding (qp.c) ----------------------------------------------------------------------------- */

int cep_qp_init(void);
void cep_qp_exit(void);
void cep_qp_forget(struct ib_cep *cep);

/* --- module parameters (main.c) ---------------------------------------------------------------------- */

extern unsigned int cep_max_resolving;
extern unsigned int cep_max_posted;
extern unsigned int cep_max_orphans;
extern unsigned int cep_max_mra_exp;
extern unsigned int cep_table_order;
extern atomic_t cep_nr_orphans;

#endif /* CEP_SHELL_H */
