/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A ULP on <rdma/ib_cm.h> that checks what ULPs rely on, over the loopback of one
 * RDMA device. The same module runs on the kernel's own ib_cm and on the drop-in,
 * so what it asks for is what the kernel's CM does, and not what we believe.
 *
 * One connection at a time, and all cases run in module init, so only the two
 * ends of the connection are shared with callbacks, each under its own lock.
 */
#ifndef IB_CM_TEST_H
#define IB_CM_TEST_H

#include <linux/spinlock.h>
#include <linux/wait.h>
#include <rdma/ib_cm.h>

#define CT_SERVICE	cpu_to_be64(0x0000000001c37e57ULL)
#define CT_EVENTS	16
#define CT_DATA		16

#define CT_REQ_QPN	0x000123
#define CT_REQ_PSN	0x00abcd
#define CT_REP_QPN	0x000456
#define CT_REP_PSN	0x00dcba
#define CT_REQ_DEPTH	3
#define CT_REQ_RESOURCES 5
#define CT_REP_DEPTH	4
#define CT_REP_RESOURCES 2
#define CT_LIFE_EXP	8
#define CT_REMOTE_EXP	15
#define CT_LOCAL_EXP	16

/* One event as it was delivered: paths and data do not outlive the callback. */
struct ct_seen {
	struct ib_cm_event	event;
	enum ib_cm_state	state;
	__be32			local_id;
	__be32			remote_id;
	struct sa_path_rec	path;
	bool			has_alternate;
	bool			has_sgid_attr;
	u8			ari[IB_CM_REJ_ARI_LENGTH];
	u8			data[CT_DATA];
};

/* One side of the connection. */
struct ct_end {
	spinlock_t		lock; /* count and seen */
	wait_queue_head_t	news;
	struct ib_cm_id		*id;
	unsigned int		count;	/* events delivered */
	unsigned int		taken;	/* events that the case has looked at */
	struct ct_seen		seen[CT_EVENTS];
};

/* What the listener's handler does with the next REQs. */
enum ct_answer {
	CT_KEEP,
	CT_REFUSE,		/* returns -ECONNREFUSED */
	CT_NO_MEMORY_ONCE,	/* returns -ENOMEM, then keeps */
};

struct ct_test {
	struct ib_device		*device;
	struct sa_path_rec		path;
	const struct ib_gid_attr	*sgid_attr;
	struct ib_cm_id			*listener;
	enum ct_answer			answer;
	enum ib_qp_type			qp_type;	/* of the next requests */
	unsigned int			requests;
	struct ct_end			active;
	struct ct_end			passive;
};

extern struct ct_test ct;

/* main.c */
bool ct_check(bool good, const char *what, const char *where, int line);
#define CT_CHECK(condition) ct_check(condition, #condition, __func__, __LINE__)
void ct_attr(const char *format, ...) __printf(1, 2);

/* end.c */
void ct_end_init(struct ct_end *end);
int ct_active_handler(struct ib_cm_id *id, const struct ib_cm_event *event);
int ct_passive_handler(struct ib_cm_id *id, const struct ib_cm_event *event);
int ct_listen_handler(struct ib_cm_id *id, const struct ib_cm_event *event);
const struct ct_seen *ct_next(struct ct_end *end);
const struct ct_seen *ct_expect_at(struct ct_end *end, enum ib_cm_event_type event,
				   const char *where, int line);
#define ct_expect(end, event) ct_expect_at(end, event, __func__, __LINE__)

/* talk.c: steps that many cases share */
bool ct_open(void);
void ct_close(void);
void ct_fill_req(struct ib_cm_req_param *param);
void ct_fill_rep(struct ib_cm_rep_param *param);
bool ct_request(void);
bool ct_reply(void);
bool ct_connect(void);
void ct_disconnect(struct ct_end *first, struct ct_end *second);
void ct_drop(struct ct_end *end);

/* Cases */
void ct_listen_shared(void);
void ct_listen_taken(void);
void ct_listen_service_ids(void);
void ct_whole_life(void);
void ct_request_event(void);
void ct_reply_event(void);
void ct_refused_then_again(void);
void ct_no_memory(void);
void ct_reject_passive(void);
void ct_reject_active(void);
void ct_mra(void);
void ct_established_by_qp(void);
void ct_sizes(void);
void ct_wrong_state(void);
void ct_destroy_states(void);
void ct_qp_attributes(void);
void ct_xrc_attributes(void);
void ct_xrc_target(void);

#endif /* IB_CM_TEST_H */
