/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What every suite stands on: two software adapters on one fabric, ULPs that write down
 * what they are told, a clock that the test moves, and the demand that nothing is left
 * behind. A world belongs to one test case: cep_world_begin() in its init, end in exit.
 */
#ifndef CEP_KUNIT_WORLD_H
#define CEP_KUNIT_WORLD_H

#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/spinlock.h>
#include "shell.h"
#include "clock.h"
#include "probe.h"
#include "cep_fake/cep_fake.h"

#define CEP_WORLD_ULPS 384
#define CEP_ULP_EVENTS 24
#define CEP_WORLD_SERVICE 0x1000ce9000000000ULL

/* What a ULP was told. */
struct cep_seen {
	enum ib_cep_event_type type;
	enum ib_cep_cause cause;
	u16 reason;
	u8 message_rejected;
	u8 private_data_len;
	u8 private_data[IB_CEP_RTU_PRIVATE_DATA_SIZE];
	struct ib_cep_req_event req; /* numbers only: its pointers are dead */
	struct ib_cep_rep_event rep;
};

struct cep_world;

/* A CEP and its ULP. */
struct cep_ulp {
	struct cep_world *world;
	struct ib_cep *cep;
	spinlock_t lock;               /* seen, nr_seen, running */
	struct cep_seen seen[CEP_ULP_EVENTS];
	unsigned int nr_seen;
	unsigned int running;          /* callbacks inside right now */
	unsigned int overlaps;         /* callbacks that came while another ran */
	unsigned int released;
	unsigned int late;             /* callbacks after the release */
	bool destroyed;                /* by the test or by its answer */
	bool listener;
	/* Asked in the callback; what it returns goes to the CM. */
	int (*hook)(struct cep_ulp *ulp, const struct ib_cep_event *event);
	/* Of a listener: the hook that its passive CEPs get. */
	int (*child_hook)(struct cep_ulp *ulp, const struct ib_cep_event *event);
	struct completion *entered;    /* completed by a callback, */
	struct completion *leave;      /* which then waits for this */
};

struct cep_world {
	struct kunit *test;
	struct cep_fake *a;
	struct cep_fake *b;
	bool roce;
	u32 qpn;
	void *extra;                   /* of a suite */
	spinlock_t lock;               /* nr */
	unsigned int nr;
	struct cep_ulp ulp[CEP_WORLD_ULPS];
};

int cep_world_begin(struct kunit *test);
/* The same over Ethernet ports. */
int cep_world_begin_roce(struct kunit *test);
/* Ends what the test left, and asserts that nothing is left then. */
void cep_world_end(struct kunit *test);

/* Returns when nothing moves any more: wire, resolver, events. Time stands still. */
void cep_world_settle(struct cep_world *world);
/* Moves the time on by this much, timer by timer, settling after each. */
void cep_world_advance(struct cep_world *world, u64 ns);
/* Until no deadline is armed; asserts that there is an end. */
void cep_world_exhaust(struct cep_world *world);

struct cep_ulp *cep_ulp_new(struct cep_world *world, struct cep_fake *fake);
struct cep_ulp *cep_ulp_listen(struct cep_world *world, struct cep_fake *fake, u64 service);
void cep_ulp_destroy(struct cep_ulp *ulp);
/* The n-th passive CEP that listeners got, or NULL. */
struct cep_ulp *cep_world_child(struct cep_world *world, unsigned int n);
unsigned int cep_world_children(struct cep_world *world);

void cep_world_path(struct cep_world *world, struct cep_fake *from, struct cep_fake *to,
		    struct sa_path_rec *path);
/* A REQ with usual values; its path must outlive the call that uses it. */
void cep_world_req(struct cep_world *world, struct cep_fake *from, struct cep_fake *to,
		   u64 service, struct sa_path_rec *path, struct ib_cep_req_param *param);
int cep_ulp_connect(struct cep_ulp *ulp, struct cep_fake *from, struct cep_fake *to, u64 service);
int cep_ulp_accept(struct cep_ulp *ulp);

/* Hooks: a server that accepts, a client that completes, both answer a DREQ. */
int cep_hook_accept(struct cep_ulp *ulp, const struct ib_cep_event *event);
int cep_hook_client(struct cep_ulp *ulp, const struct ib_cep_event *event);

/* An established connection of a's ULP with a passive one on b. */
void cep_world_connect(struct cep_world *world, struct cep_ulp **active, struct cep_ulp **passive);

/*
 * Brings two ULPs to where the first is in the wanted state; *peer is the other end, or
 * NULL if there is none. The states of SIDR are not reached.
 */
void cep_world_reach(struct cep_world *world, enum ib_cep_state state, struct cep_ulp **ulp,
		     struct cep_ulp **peer);
struct cep_reach {
	enum ib_cep_state state;
	const char *name;
};
#define CEP_NR_REACHABLE 14
extern const struct cep_reach cep_reachable[CEP_NR_REACHABLE];

/* Runs both at once on two CPUs, as near to each other as can be; returns after both. */
void cep_race(struct kunit *test, void (*one)(void *arg), void (*other)(void *arg), void *arg);

unsigned int cep_ulp_saw(struct cep_ulp *ulp, enum ib_cep_event_type type);
enum ib_cep_state cep_ulp_state(struct cep_ulp *ulp);
/* The last event, or NULL. */
const struct cep_seen *cep_ulp_last(struct cep_ulp *ulp);

#define CEP_EXPECT_STATE(test, ulp, state) \
	KUNIT_EXPECT_EQ(test, (int)cep_ulp_state(ulp), (int)(state))
#define CEP_EXPECT_SAW(test, ulp, type, times) \
	KUNIT_EXPECT_EQ(test, cep_ulp_saw(ulp, type), (unsigned int)(times))

#endif /* CEP_KUNIT_WORLD_H */
