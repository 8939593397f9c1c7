/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Declarations that the files of cep_test share: a ULP for tests, which makes
 * many CEPs without QPs and can leave them in any state.
 *
 * main.c     module and its files in debugfs, commands
 * options.c  the words of a command
 * set.c      sets of CEPs: counters, values, waiting for a value
 * conn.c     one CEP: ownership, events, release
 * data.c     private data, and QPNs
 * active.c   connect
 * passive.c  listen and what becomes of requests
 * act.c      commands to CEPs that exist
 * try.c      single calls whose error is known beforehand
 * qp.c       binding of QPs
 */
#ifndef CEP_TEST_H
#define CEP_TEST_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <rdma/ib_cep.h>

/* Service IDs of rdma_cm (IBA annex A11): this and the TCP port. */
#define CT_TCP_SERVICE_ID 0x0000000001060000ULL
/* The one of the tests. */
#define CT_SERVICE_ID 0x1000000000000ceULL

/* rdma_cm's header before its user's private data in a REQ. */
#define CT_IP_HEADER_SIZE 36

#define CT_SETS		16
#define CT_EVENTS	(IB_CEP_REQ_WAITING + 1)
#define CT_CAUSES	(IB_CEP_CAUSE_STALE + 1)
#define CT_REASONS	64
#define CT_ANY_STATE	(-1)

/* ---- options.c: "verb key=value key=value ..." ---------------------------- */

#define CT_MAX_WORDS	32

struct ct_options {
	char	*verb;
	int	count;
	char	*word[CT_MAX_WORDS];
};

int ct_options_parse(struct ct_options *opts, char *text);
const char *ct_option(const struct ct_options *opts, const char *key, const char *otherwise);
u64 ct_option_u64(struct ct_options *opts, const char *key, u64 otherwise);
int ct_option_word(struct ct_options *opts, const char *key, const char *const *words,
		   int count, int otherwise);
/* Some option could not be understood. */
bool ct_options_bad(const struct ct_options *opts);

/* ---- set.c ----------------------------------------------------------------- */

enum ct_counter {
	CT_CREATED,	/* CEPs that are or were ours */
	CT_RELEASED,	/* release callbacks */
	CT_TWICE,	/* more than one for a CEP: a fault */
	CT_LATE,	/* events after the release: a fault */
	CT_OVERLAP,	/* two callbacks of a CEP at once: a fault */
	CT_BAD_DATA,	/* private data not as expected: a fault */
	CT_NOT_DELIVERED,	/* a REQ_RECEIVED without what belongs to it: a fault */
	CT_FAILED,	/* calls that failed */
	CT_STARTED,	/* REQs formatted or sent */
	CT_CONNECTING,	/* REQs without an answer yet */
	CT_RUNNING,	/* REQ callbacks that run now */
	CT_MOST,	/* most of them at once */
	CT_COUNTERS
};

struct ct_conn;

/* CEPs that a test speaks of together. */
struct ct_set {
	spinlock_t	lock;		/* protects @conns and @listener; a leaf */
	struct list_head conns;
	struct ct_conn	*listener;
	atomic_t	counter[CT_COUNTERS];
	atomic_t	event[CT_EVENTS];
	atomic_t	cause[CT_CAUSES];
	atomic_t	reason[CT_REASONS];
	int		error;		/* of the last call that failed */
};

void ct_sets_init(void);
struct ct_set *ct_set(struct ct_options *opts);
struct ct_set *ct_set_at(int number);
void ct_count(struct ct_set *set, enum ct_counter which);
void ct_uncount(struct ct_set *set, enum ct_counter which);
void ct_count_event(struct ct_set *set, const struct ib_cep_event *event);
int ct_failed(struct ct_set *set, int error);
int ct_set_wait(struct ct_options *opts);
int ct_set_wait_until(struct ct_set *set, bool (*ready)(struct ct_set *set, u64 arg), u64 arg);
void ct_set_reset(struct ct_set *set);
void ct_set_show(struct seq_file *file, struct ct_set *set, int number);
const char *const *ct_state_names(int *count);
/* What was counted wrong; also CEPs without exactly one release, if all are gone. */
int ct_sets_faults(bool all_gone);

/* ---- conn.c, data.c -------------------------------------------------------- */

enum ct_on_req { CT_ACCEPT, CT_REJECT, CT_REFUSE, CT_DROP, CT_HOLD, CT_MRA };
enum ct_on_rep { CT_REP_RTU, CT_REP_HOLD, CT_REP_REJ, CT_REP_MRA };
enum ct_on_dreq { CT_DREQ_DREP, CT_DREQ_HOLD };
/* What a CEP does after its last event. */
enum ct_at_end { CT_KEEP, CT_RETURN, CT_DESTROY };

struct ct_plan {
	enum ct_on_req	on_req;
	enum ct_on_rep	on_rep;
	enum ct_on_dreq	on_dreq;
	enum ct_at_end	at_end;
	u16		reason;
	u8		mra_exp;
	bool		mra_delayed;
	u32		sleep_ms;
	u32		sleep_on;	/* bit mask of events */
	u32		data;		/* bytes of private data in each message */
	bool		tcp;		/* the peer is cep-cmtest behind rdma_cm */
	bool		check;		/* the peer sends @data bytes too */
};

/*
 * A CEP. It is ours, and @cep good, as long as it is on its set's list; taking
 * it off (ct_conn_claim()) gives the right, and the duty, to end it: by
 * ib_cep_destroy() or by a callback's return value. @mutex keeps calls on @cep
 * and the claim apart. One reference for the list, one for the CEP's release.
 */
struct ct_conn {
	struct kref	ref;
	struct list_head link;
	struct ct_set	*set;
	struct mutex	mutex;		/* calls on @cep against the claim */
	struct ib_cep	*cep;
	struct ct_plan	plan;
	bool		passive;
	atomic_t	connecting;
	atomic_t	running;
	atomic_t	released;
	u32		qpn;
	u32		index;		/* with the peer cep-cmtest: which of its connections */
	/* For a REP that is sent later. */
	u8		responder_resources;
	u8		initiator_depth;
};

int ct_plan_parse(struct ct_options *opts, struct ct_plan *plan);
void ct_fill(u8 *data, u32 len, u8 salt);
u32 ct_conn_data(struct ct_conn *conn, enum ib_cep_event_type type, u8 *data, u32 room);
void ct_check_data(struct ct_conn *conn, const struct ib_cep_event *event);
u32 ct_new_qpn(void);
struct ct_conn *ct_conn_alloc(struct ct_set *set, const struct ct_plan *plan);
void ct_conn_put(struct ct_conn *conn);
void ct_conn_own(struct ct_conn *conn, struct ib_cep *cep);
bool ct_conn_claim(struct ct_conn *conn);
void ct_conn_destroy(struct ct_conn *conn);
void ct_conn_answered(struct ct_conn *conn);
int ct_conn_handler(struct ib_cep *cep, const struct ib_cep_event *event, void *context);
void ct_conn_release(void *context);
/* Around a callback: checks that it is allowed to run now, and sleeps if planned. */
void ct_conn_enter(struct ct_conn *conn, const struct ib_cep_event *event);
void ct_conn_leave(struct ct_conn *conn, const struct ib_cep_event *event);
/* The first @max CEPs of a set in @state, each referenced; how many. */
unsigned int ct_conns_get(struct ct_set *set, int state, unsigned int max,
			  struct ct_conn ***conns);
void ct_conns_put(struct ct_conn **conns, unsigned int count);

/* ---- passive.c, active.c, act.c, try.c, qp.c -------------------------------- */

int ct_on_req(struct ct_conn *conn, struct ib_cep *cep, const struct ib_cep_event *event);
int ct_send_rep(struct ct_conn *conn, struct ib_cep *cep, bool format_only);
int ct_cmd_listen(struct ct_options *opts);
int ct_cmd_unlisten(struct ct_options *opts);
int ct_cmd_cancel(struct ct_options *opts);
int ct_cmd_pull(struct ct_options *opts);

/* A REQ's parameters with what they point to. */
struct ct_request {
	struct ib_device		*device;
	struct sa_path_rec		path;
	const struct ib_gid_attr	*sgid_attr;
	struct ib_cep_req_param		param;
	u8				data[256];
};

int ct_request_init(struct ct_options *opts, const struct ct_plan *plan,
		    struct ct_request *request);
void ct_request_done(struct ct_request *request);
int ct_cmd_connect(struct ct_options *opts);

int ct_cmd_act(struct ct_options *opts);
int ct_cmd_destroy(struct ct_options *opts);
int ct_cmd_try(struct ct_options *opts);
int ct_cmd_qp(struct ct_options *opts);

#endif
