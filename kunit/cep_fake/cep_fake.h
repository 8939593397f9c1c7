/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * InfiniBand adapters made of software, on one fabric that misbehaves on request: for
 * tests of everything above the verbs layer. Only QP1 has a wire; other QPs can be made,
 * moved through their states and destroyed.
 *
 * Called by the KUnit suites and by this module's own parameters. Everything may sleep
 * unless it says otherwise; a filter is called under the fabric's lock, interrupts off.
 */
#ifndef CEP_FAKE_H
#define CEP_FAKE_H

#include <linux/list.h>
#include <linux/types.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>

struct cep_fake;

#define CEP_FAKE_GIDS 16
#define CEP_FAKE_PKEYS 4

/**
 * struct cep_fake_param - an adapter
 * @ports: 1 to 255
 * @lmc: each port answers to 2^lmc LIDs
 * @roce: Ethernet ports with a network interface each, instead of InfiniBand
 * @max_ah: address handles that it can have; 0: no limit
 */
struct cep_fake_param {
	u32 ports;
	u8 lmc;
	bool roce;
	u32 max_ah;
};

/** struct cep_fake_frame - one MAD on the wire */
struct cep_fake_frame {
	struct list_head link;
	unsigned long due;     /* jiffies, when delayed */
	u64 number;            /* of its source port, from 0 since the faults were set */
	u32 slid;
	u32 dlid;
	bool grh;
	bool roce;
	u8 sl;
	u8 network_type;       /* enum rdma_network_type */
	union ib_gid sgid;
	union ib_gid dgid;
	u16 pkey;
	u32 src_qpn;
	u32 dst_qpn;
	u8 mad[IB_MGMT_MAD_SIZE];
};

enum cep_fake_verdict {
	CEP_FAKE_PASS,
	CEP_FAKE_DROP,
	CEP_FAKE_DUPLICATE,
	CEP_FAKE_HOLD, /* until cep_fake_release() */
};

typedef enum cep_fake_verdict (*cep_fake_filter)(void *arg, const struct cep_fake_frame *frame);

/**
 * struct cep_fake_faults - what goes wrong with what a port sends
 * @loss_mask: bit n: the n-th frame from now is lost
 * @loss: frames of 1,024 that are lost by chance
 * @duplicate: that arrive twice
 * @delay: that arrive late, up to @delay_max_ms, so that later ones overtake them
 * @delay_max_ms: see @delay
 * @seed: of the chance
 * @filter: asked about every frame first, or NULL
 * @arg: for @filter
 * @refuse_posts: this many posts fail as if the send queue were full
 * @fail_sends: this many sends complete with an error and reach nobody
 * @withhold: sends go out, their completions stay in the adapter
 */
struct cep_fake_faults {
	u64 loss_mask;
	u32 loss;
	u32 duplicate;
	u32 delay;
	u32 delay_max_ms;
	u64 seed;
	cep_fake_filter filter;
	void *arg;
	u32 refuse_posts;
	u32 fail_sends;
	bool withhold;
};

/** struct cep_fake_use - what users hold of an adapter */
struct cep_fake_use {
	int ahs;
	int qps;
	int cqs;
	int pds;
};

/* Adapters. Return: the adapter, registered with the verbs layer, or ERR_PTR(). */
struct cep_fake *cep_fake_add(const struct cep_fake_param *param);
/* Withheld completions are given back first: the MAD layer waits for its own. */
void cep_fake_remove(struct cep_fake *fake);
struct ib_device *cep_fake_ibdev(struct cep_fake *fake);
u16 cep_fake_lid(struct cep_fake *fake, u32 port);
void cep_fake_use(struct cep_fake *fake, struct cep_fake_use *use);
/* The port's state; the verbs layer is told. */
void cep_fake_set_active(struct cep_fake *fake, u32 port, bool active);
/* Any context. NULL: none. */
void cep_fake_set_faults(struct cep_fake *fake, u32 port, const struct cep_fake_faults *faults);
/* Any context. Those withheld so far. */
void cep_fake_complete(struct cep_fake *fake, u32 port);

/* The fabric. Any context. */
u64 cep_fake_activity(void); /* grows with every post, delivery and completion */
/*
 * The n-th allocation of whoever handles the next received frame fails, if the kernel can
 * inject faults (failslab); 0: none. Returns what was set and not used.
 */
unsigned int cep_fake_fail_nth(unsigned int n);
/* Returns when every completion so far has been polled and handled. May sleep. */
void cep_fake_settle(void);
unsigned int cep_fake_held(void);
unsigned int cep_fake_delayed(void);
/* The n-th held frame goes on (or is lost). False: there is none. */
bool cep_fake_release(unsigned int n, bool lose);
void cep_fake_release_all(void);
/* A frame that nobody sent. False: nobody is there to take it. */
bool cep_fake_inject(const struct cep_fake_frame *frame);

#endif /* CEP_FAKE_H */
