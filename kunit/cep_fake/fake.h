/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Private objects of the software adapters. One spinlock, cep_fake_lock, protects the
 * fabric, every queue and every fault: irqsave, innermost but for what a CQ's completion
 * handler takes (a workqueue's locks). It is not fast and does not have to be.
 */
#ifndef CEP_FAKE_PRIVATE_H
#define CEP_FAKE_PRIVATE_H

#include <linux/netdevice.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include "cep_fake.h"

/* A send whose completion the adapter keeps for itself. */
struct cep_fake_withheld {
	struct ib_cqe *cqe;
	enum ib_wc_status status;
};

struct cep_fake_recv {
	struct ib_cqe *cqe;
	u64 addr;
	u32 length;
};

struct cep_fake_cq {
	struct ib_cq ibcq;
	struct ib_wc *ring;
	unsigned int size;
	unsigned int head;
	unsigned int count;
	bool armed;
	bool busy;                       /* completions that its user has not finished with */
};

struct cep_fake_qp {
	struct ib_qp ibqp;
	struct cep_fake_port *port;      /* of a GSI QP */
	struct cep_fake_recv *recv;      /* ring */
	unsigned int recv_size;
	unsigned int recv_head;
	unsigned int recv_count;
	struct cep_fake_withheld *withheld;
	unsigned int withheld_size;
	unsigned int withheld_count;
	enum ib_qp_state state;
};

struct cep_fake_pd {
	struct ib_pd ibpd;
};

struct cep_fake_ah {
	struct ib_ah ibah;
	struct rdma_ah_attr attr; /* a copy: the SGID attribute in it belongs to the verbs layer */
	union ib_gid sgid;
	u8 network_type;
};

struct cep_fake_port {
	struct list_head link;           /* cep_fake_ports */
	struct cep_fake *fake;
	u32 num;
	u16 lid;
	u8 lmc;
	bool active;
	bool roce;
	u32 cap_mask;
	union ib_gid gid[CEP_FAKE_GIDS];
	u16 pkey[CEP_FAKE_PKEYS];
	struct cep_fake_qp *gsi;
	struct net_device *netdev;
	struct cep_fake_faults faults;
	u64 chance;                      /* state of the generator */
	u64 sent;
};

struct cep_fake {
	struct ib_device ibdev;
	struct list_head link;           /* cep_fake_adapters of main.c */
	struct cep_fake_param param;
	atomic_t ahs, qps, cqs, pds;
	struct cep_fake_port port[];
};

static inline struct cep_fake *to_fake(struct ib_device *ibdev)
{
	return container_of(ibdev, struct cep_fake, ibdev);
}

extern spinlock_t cep_fake_lock;
extern struct list_head cep_fake_ports;
extern unsigned int cep_fake_busy;            /* CQs with completions not handled */
extern unsigned int cep_fake_fail;            /* see cep_fake_fail_nth() */
extern struct wait_queue_head cep_fake_rest;  /* woken when there are none */
extern const struct ib_device_ops cep_fake_ops;
extern const struct ib_device_ops cep_fake_roce_ops;

void cep_fake_transmit(struct cep_fake_port *port, struct cep_fake_frame *frame);
void cep_fake_cq_push(struct cep_fake_cq *cq, const struct ib_wc *wc);
void cep_fake_qp_complete(struct cep_fake_qp *qp, struct ib_cqe *cqe, enum ib_wc_status status);
void cep_fake_wire_stop(void);
void cep_fake_active_note(void);

#endif /* CEP_FAKE_PRIVATE_H */
