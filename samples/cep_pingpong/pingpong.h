/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Declarations that the files of cep_pingpong share.
 *
 * cep_pingpong.c  module, device, client and server, verdict
 * conn.c          one connection: CEP, QP, events, end
 * traffic.c       messages over a connection
 * path.c          from an address to a path
 */
#ifndef CEP_PINGPONG_H
#define CEP_PINGPONG_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/ib_cep.h>
#include <rdma/ib_verbs.h>

#define PP_MAGIC	0x70696e67	/* "ping" */
#define PP_MAX_SIZE	65536

/* Private data of the REQ: the client decides, the server checks. */
struct pp_hello {
	__be32	magic;
	__be32	salt;		/* makes the messages of each connection its own */
	__be32	messages;
	__be32	size;
};

/* The role that this module plays on one device. */
struct pp {
	struct ib_device	*device;
	struct ib_pd		*pd;
	struct ib_cep		*listener;
	struct workqueue_struct	*workqueue;	/* runs the client and ends connections */
	struct work_struct	client_work;

	/* Protects what follows. Process context only, and nothing sleeps under it. */
	spinlock_t		lock;
	struct list_head	conns;
	bool			stopping;
	bool			finished;
	unsigned int		active;
	unsigned int		succeeded;
	unsigned int		failed;
	int			first_error;
	u64			messages;

	/* Woken at every change of the above. */
	wait_queue_head_t	wait;
};

enum pp_buffer { PP_SEND, PP_RECV, PP_BUFFERS };

/*
 * A connection. Two owners: the list (given up by the end work) and the CEP
 * (given up by its release callback, after which no event can come).
 */
struct pp_conn {
	struct kref		ref;
	struct list_head	link;
	struct pp		*pp;
	struct ib_qp		*qp;
	struct ib_cq		*cq;
	struct work_struct	end_work;
	struct mutex		setup;		/* held while it is being made; the end waits */
	unsigned long		ending;		/* bit 0: the end work is on its way */
	int			error;
	bool			passive;
	bool			qp_left_reset;
	struct pp_hello		hello;
	u32			salt;
	u32			messages;
	u32			size;

	/*
	 * Protects @cep and the turn. Completions and QP events use the CEP while
	 * the end work may destroy it: it takes the pointer away first. Interrupts
	 * off, because QP events come from hard interrupts.
	 */
	spinlock_t		lock;
	struct ib_cep		*cep;
	bool			my_turn;
	bool			send_busy;
	u32			sent;
	u32			received;

	void			*buffer[PP_BUFFERS];
	u64			dma[PP_BUFFERS];
	struct ib_cqe		cqe[PP_BUFFERS];
};

/* conn.c */
int pp_connect(struct pp *pp, const struct ib_cep_req_param *template, u32 messages, u32 size);
int pp_accept(struct pp *pp, struct ib_cep *cep, const struct ib_cep_event *event);
void pp_conn_end(struct pp_conn *conn, int error);

/* traffic.c */
int pp_traffic_alloc(struct pp_conn *conn);
void pp_traffic_free(struct pp_conn *conn);
int pp_traffic_post_recv(struct pp_conn *conn);
void pp_traffic_start(struct pp_conn *conn);

/* cep_pingpong.c */
bool pp_add(struct pp *pp, struct pp_conn *conn);
void pp_remove(struct pp *pp, struct pp_conn *conn);

#endif
