// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Two adapters, ULPs that write down what they are told, and the end of a test: every
 * ULP destroyed, the time run out, every table and count back to where it was.
 *
 * Concurrency: a test is one thread; callbacks come from the CM's workers and write to
 * their ULP under its lock. A test reads what a ULP saw only when nothing moves.
 */
#include <linux/glob.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include "world.h"

/* --- time ------------------------------------------------------------------------------------ */

void cep_world_settle(struct cep_world *world)
{
	u64 before;
	int quiet = 0;

	/* A flushed queue may have woken another one: until two rounds saw no movement. */
	while (quiet < 2) {
		before = cep_fake_activity();
		cep_fake_settle();
		cep_probe_flush();
		quiet = cep_fake_activity() == before ? quiet + 1 : 0;
	}
}

void cep_world_advance(struct cep_world *world, u64 ns)
{
	u64 until = cep_clock_now() + ns;

	cep_world_settle(world);
	while (cep_clock_step(until))
		cep_world_settle(world);
}

void cep_world_exhaust(struct cep_world *world)
{
	unsigned int steps = 0;

	cep_world_settle(world);
	while (cep_clock_armed() && steps++ < 100000) {
		cep_clock_step(U64_MAX >> 1);
		cep_world_settle(world);
	}
	KUNIT_EXPECT_EQ_MSG(world->test, cep_clock_armed(), 0U, "deadlines without end");
}

/* --- ULPs --------------------------------------------------------------------------------------- */

static int cep_ulp_handler(struct ib_cep *cep, const struct ib_cep_event *event, void *context);

static void cep_ulp_released(void *context)
{
	struct cep_ulp *ulp = context;
	unsigned long flags;

	spin_lock_irqsave(&ulp->lock, flags);
	ulp->released++;
	spin_unlock_irqrestore(&ulp->lock, flags);
}

static struct cep_ulp *cep_ulp_take(struct cep_world *world)
{
	struct cep_ulp *ulp = NULL;
	unsigned long flags;

	spin_lock_irqsave(&world->lock, flags);
	if (world->nr < CEP_WORLD_ULPS)
		ulp = &world->ulp[world->nr++];
	spin_unlock_irqrestore(&world->lock, flags);
	if (ulp) {
		spin_lock_init(&ulp->lock);
		ulp->world = world;
	}
	return ulp;
}

static void cep_ulp_note(struct cep_ulp *ulp, const struct ib_cep_event *event)
{
	struct cep_seen *seen;
	unsigned long flags;

	spin_lock_irqsave(&ulp->lock, flags);
	if (ulp->running++)
		ulp->overlaps++;
	if (ulp->released)
		ulp->late++;
	seen = ulp->nr_seen < CEP_ULP_EVENTS ? &ulp->seen[ulp->nr_seen++] : NULL;
	if (seen) {
		seen->type = event->type;
		seen->cause = event->cause;
		seen->private_data_len = event->private_data_len;
		if (event->private_data)
			memcpy(seen->private_data, event->private_data, event->private_data_len);
		if (event->type == IB_CEP_REQ_RECEIVED)
			seen->req = event->req;
		if (event->type == IB_CEP_REP_RECEIVED)
			seen->rep = event->rep;
		if (event->type == IB_CEP_REJ_RECEIVED) {
			seen->reason = event->rej.reason;
			seen->message_rejected = event->rej.message_rejected;
		}
	}
	spin_unlock_irqrestore(&ulp->lock, flags);
}

/* The ULP of a new passive CEP, or NULL: the listener's own hook refused. */
static struct cep_ulp *cep_ulp_adopt(struct cep_ulp *listener, struct ib_cep *cep)
{
	struct cep_ulp *child = cep_ulp_take(listener->world);

	if (!child)
		return NULL;
	child->cep = cep;
	child->hook = listener->child_hook;
	if (ib_cep_configure(cep, cep_ulp_handler, child, cep_ulp_released)) {
		child->cep = NULL;
		return NULL;
	}
	return child;
}

static int cep_ulp_handler(struct ib_cep *cep, const struct ib_cep_event *event, void *context)
{
	struct cep_ulp *ulp = context;
	unsigned long flags;
	int ret = 0;

	if (ulp->listener && event->type == IB_CEP_REQ_RECEIVED) {
		ret = ulp->hook ? ulp->hook(ulp, event) : 0;
		if (ret)
			return ret;
		ulp = cep_ulp_adopt(ulp, cep);
		if (!ulp)
			return -ENOMEM;
	}
	cep_ulp_note(ulp, event);
	if (ulp->entered) {
		complete(ulp->entered);
		wait_for_completion(ulp->leave);
	}
	if (ulp->hook)
		ret = ulp->hook(ulp, event);
	if (ret)
		ulp->destroyed = true;
	spin_lock_irqsave(&ulp->lock, flags);
	ulp->running--;
	spin_unlock_irqrestore(&ulp->lock, flags);
	return ret;
}

struct cep_ulp *cep_ulp_new(struct cep_world *world, struct cep_fake *fake)
{
	struct cep_ulp *ulp = cep_ulp_take(world);

	KUNIT_ASSERT_NOT_NULL(world->test, ulp);
	ulp->cep = ib_cep_create(fake ? cep_fake_ibdev(fake) : NULL, cep_ulp_handler, ulp,
				 cep_ulp_released);
	if (IS_ERR(ulp->cep)) {
		long err = PTR_ERR(ulp->cep);

		ulp->cep = NULL;
		KUNIT_ASSERT_EQ(world->test, err, 0L);
	}
	return ulp;
}

struct cep_ulp *cep_ulp_listen(struct cep_world *world, struct cep_fake *fake, u64 service)
{
	struct ib_cep_listen_param param = { .service_id = cpu_to_be64(service) };
	struct cep_ulp *ulp = cep_ulp_new(world, fake);

	ulp->listener = true;
	KUNIT_ASSERT_EQ(world->test, ib_cep_listen(ulp->cep, &param), 0);
	return ulp;
}

void cep_ulp_destroy(struct cep_ulp *ulp)
{
	if (ulp->destroyed || !ulp->cep)
		return;
	ulp->destroyed = true;
	ib_cep_destroy(ulp->cep);
}

struct cep_ulp *cep_world_child(struct cep_world *world, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < world->nr; i++) {
		struct cep_ulp *ulp = &world->ulp[i];

		if (ulp->nr_seen && ulp->seen[0].type == IB_CEP_REQ_RECEIVED && !n--)
			return ulp;
	}
	return NULL;
}

unsigned int cep_world_children(struct cep_world *world)
{
	unsigned int n = 0;

	while (cep_world_child(world, n))
		n++;
	return n;
}

unsigned int cep_ulp_saw(struct cep_ulp *ulp, enum ib_cep_event_type type)
{
	unsigned int i, times = 0;

	for (i = 0; ulp && i < ulp->nr_seen; i++)
		times += ulp->seen[i].type == type;
	return times;
}

const struct cep_seen *cep_ulp_last(struct cep_ulp *ulp)
{
	return ulp && ulp->nr_seen ? &ulp->seen[ulp->nr_seen - 1] : NULL;
}

enum ib_cep_state cep_ulp_state(struct cep_ulp *ulp)
{
	struct ib_cep_info info;

	ib_cep_query(ulp->cep, &info);
	return info.state;
}

/* --- connecting -------------------------------------------------------------------------------------- */

void cep_world_path(struct cep_world *world, struct cep_fake *from, struct cep_fake *to,
		    struct sa_path_rec *path)
{
	memset(path, 0, sizeof(*path));
	rdma_query_gid(cep_fake_ibdev(from), 1, 0, &path->sgid);
	rdma_query_gid(cep_fake_ibdev(to), 1, 0, &path->dgid);
	if (world->roce) {
		/* Link-local: the address is in the GID, and no neighbour is asked. */
		path->rec_type = SA_PATH_REC_TYPE_ROCE_V1;
		rdma_get_ll_mac((struct in6_addr *)&path->dgid, path->roce.dmac);
		path->roce.route_resolved = true;
		path->hop_limit = 1;
	} else {
		path->rec_type = SA_PATH_REC_TYPE_IB;
		sa_path_set_slid(path, cep_fake_lid(from, 1));
		sa_path_set_dlid(path, cep_fake_lid(to, 1));
	}
	path->pkey = cpu_to_be16(0xffff);
	path->mtu_selector = IB_SA_EQ;
	path->mtu = IB_MTU_1024;
	path->rate_selector = IB_SA_EQ;
	path->rate = IB_RATE_100_GBPS;
	path->packet_life_time_selector = IB_SA_EQ;
	path->packet_life_time = 14;
	path->reversible = 1;
}

void cep_world_req(struct cep_world *world, struct cep_fake *from, struct cep_fake *to,
		   u64 service, struct sa_path_rec *path, struct ib_cep_req_param *param)
{
	static const u8 data[] = "request";

	cep_world_path(world, from, to, path);
	*param = (struct ib_cep_req_param) {
		.primary_path = path,
		.service_id = cpu_to_be64(service),
		.qp_num = 0x1000 + world->qpn++,
		.qp_type = IB_QPT_RC,
		.starting_psn = 0x123456,
		.private_data = data,
		.private_data_len = sizeof(data),
		.responder_resources = 4,
		.initiator_depth = 3,
		.remote_cm_response_timeout_exp = 18,
		.local_cm_response_timeout_exp = 18,
		.flow_control = 1,
		.retry_count = 7,
		.rnr_retry_count = 6,
		.max_cm_retries = 15,
	};
}

int cep_ulp_connect(struct cep_ulp *ulp, struct cep_fake *from, struct cep_fake *to, u64 service)
{
	const struct ib_gid_attr *sgid_attr = NULL;
	struct ib_cep_req_param param;
	struct sa_path_rec path;
	int ret;

	cep_world_req(ulp->world, from, to, service, &path, &param);
	if (ulp->world->roce) {
		sgid_attr = rdma_get_gid_attr(cep_fake_ibdev(from), 1, 0);
		if (IS_ERR(sgid_attr))
			return PTR_ERR(sgid_attr);
	}
	param.sgid_attr = sgid_attr;
	ret = ib_cep_send_req(ulp->cep, &param);
	if (sgid_attr)
		rdma_put_gid_attr(sgid_attr);
	return ret;
}

int cep_ulp_accept(struct cep_ulp *ulp)
{
	static const u8 data[] = "reply";
	struct ib_cep_rep_param param = {
		.qp_num = 0x8000 + (ulp - ulp->world->ulp),
		.starting_psn = 0x654321,
		.private_data = data,
		.private_data_len = sizeof(data),
		.responder_resources = 3,
		.initiator_depth = 4,
		.flow_control = 1,
		.rnr_retry_count = 7,
	};

	return ib_cep_send_rep(ulp->cep, &param);
}

int cep_hook_accept(struct cep_ulp *ulp, const struct ib_cep_event *event)
{
	switch (event->type) {
	case IB_CEP_REQ_RECEIVED:
		return cep_ulp_accept(ulp);
	case IB_CEP_DREQ_RECEIVED:
		ib_cep_send_drep(ulp->cep, NULL, 0);
		return 0;
	default:
		return 0;
	}
}

int cep_hook_client(struct cep_ulp *ulp, const struct ib_cep_event *event)
{
	switch (event->type) {
	case IB_CEP_REP_RECEIVED:
		ib_cep_send_rtu(ulp->cep, NULL, 0);
		return 0;
	case IB_CEP_DREQ_RECEIVED:
		ib_cep_send_drep(ulp->cep, NULL, 0);
		return 0;
	default:
		return 0;
	}
}

void cep_world_connect(struct cep_world *world, struct cep_ulp **active, struct cep_ulp **passive)
{
	u64 service = CEP_WORLD_SERVICE + world->nr;
	struct cep_ulp *listener = cep_ulp_listen(world, world->b, service);
	unsigned int n = cep_world_children(world);

	listener->child_hook = cep_hook_accept;
	*active = cep_ulp_new(world, world->a);
	(*active)->hook = cep_hook_client;
	KUNIT_ASSERT_EQ(world->test, cep_ulp_connect(*active, world->a, world->b, service), 0);
	cep_world_settle(world);
	*passive = cep_world_child(world, n);
	KUNIT_ASSERT_NOT_NULL(world->test, *passive);
	CEP_EXPECT_STATE(world->test, *active, IB_CEP_ESTABLISHED);
	CEP_EXPECT_STATE(world->test, *passive, IB_CEP_ESTABLISHED);
	cep_ulp_destroy(listener);
}

/* --- beginning and end ----------------------------------------------------------------------------------- */

static int cep_world_begin_on(struct kunit *test, const struct cep_fake_param *param)
{
	struct cep_world *world;

	if (!glob_match(cep_probe_only, test->name))
		kunit_skip(test, "not asked for");
	world = vzalloc(sizeof(*world));
	if (!world)
		return -ENOMEM;
	test->priv = world;
	world->test = test;
	spin_lock_init(&world->lock);
	world->roce = param->roce;
	world->a = cep_fake_add(param);
	world->b = cep_fake_add(param);
	if (IS_ERR(world->a) || IS_ERR(world->b)) {
		if (!IS_ERR(world->a))
			cep_fake_remove(world->a);
		if (!IS_ERR(world->b))
			cep_fake_remove(world->b);
		vfree(world);
		test->priv = NULL;
		return -ENOMEM;
	}
	return 0;
}

int cep_world_begin(struct kunit *test)
{
	static const struct cep_fake_param param = { .ports = 1, .lmc = 1 };

	return cep_world_begin_on(test, &param);
}

int cep_world_begin_roce(struct kunit *test)
{
	static const struct cep_fake_param param = { .ports = 1, .roce = true };

	return cep_world_begin_on(test, &param);
}

/* What CEPs hold of a device that is still there, and what its ports hold by themselves. */
static void cep_world_check_device(struct kunit *test, struct cep_fake *fake)
{
	struct cep_device *dev = cep_device_get(cep_fake_ibdev(fake));
	u32 i, held = 2; /* the client's and ours */

	if (!dev)
		return;
	for (i = 0; i < dev->nr_ports; i++) {
		struct cep_port *port = dev->port[i];

		if (!port)
			continue;
		held++;
		KUNIT_EXPECT_EQ_MSG(test, kref_read(&port->ref), 1U + atomic_read(&port->nr_av),
				    "references on port %u", i + 1);
		KUNIT_EXPECT_EQ_MSG(test, port->window.posted, 0U, "posted on port %u", i + 1);
		KUNIT_EXPECT_TRUE(test, list_empty(&port->window.waiting));
		KUNIT_EXPECT_EQ(test, atomic_read(&port->resolving), 0);
	}
	KUNIT_EXPECT_EQ_MSG(test, kref_read(&dev->ref), held, "references on the device");
	cep_device_put(dev);
}

static void cep_world_remove(struct kunit *test, struct cep_fake **fake)
{
	if (!*fake)
		return;
	/* The verbs layer's own checks: no handle, QP or GID reference may be left. */
	cep_fake_remove(*fake);
	*fake = NULL;
}

void cep_world_end(struct kunit *test)
{
	struct cep_world *world = test->priv;
	unsigned int i;

	if (!world)
		return;
	if (world->a) {
		cep_fake_set_faults(world->a, 1, NULL);
		cep_fake_complete(world->a, 1);
	}
	if (world->b) {
		cep_fake_set_faults(world->b, 1, NULL);
		cep_fake_complete(world->b, 1);
	}
	while (cep_fake_release(0, true))
		;
	cep_world_settle(world);
	for (i = 0; i < world->nr; i++)
		cep_ulp_destroy(&world->ulp[i]);
	cep_world_exhaust(world);
	ib_cep_flush();

	for (i = 0; i < world->nr; i++) {
		struct cep_ulp *ulp = &world->ulp[i];

		if (!ulp->cep)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, ulp->released, 1U, "releases of ULP %u", i);
		KUNIT_EXPECT_EQ_MSG(test, ulp->late, 0U, "callbacks of ULP %u after it", i);
		KUNIT_EXPECT_EQ_MSG(test, ulp->overlaps, 0U, "callbacks of ULP %u at once", i);
	}
	KUNIT_EXPECT_EQ_MSG(test, cep_probe_comm_ids(), 0U, "comm IDs left");
	KUNIT_EXPECT_EQ_MSG(test, cep_probe_peers(), 0U, "entries in the remote tables left");
	KUNIT_EXPECT_EQ_MSG(test, cep_clock_armed(), 0U, "deadlines left");
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&cep_nr_orphans), 0, "orphans left");
	if (world->a)
		cep_world_check_device(test, world->a);
	if (world->b)
		cep_world_check_device(test, world->b);
	cep_world_remove(test, &world->a);
	cep_world_remove(test, &world->b);
	vfree(world);
	test->priv = NULL;
}

MODULE_AUTHOR("The ib_cep authors");
MODULE_DESCRIPTION("KUnit suites of ib_cep");
MODULE_LICENSE("Dual BSD/GPL");
