// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The runner: finds the device, runs every case in init, and shows the verdict as
 * module parameters: passed, failed, and attrs (QP attributes as text, for a
 * comparison of two CMs). Findings go to the kernel's log.
 */
#include <linux/module.h>
#include <rdma/ib_cache.h>

#include "../../../../samples/cep_pingpong/path.h"
#include "ib_cm_test.h"

MODULE_DESCRIPTION("Test of what ULPs rely on in ib_cm");
MODULE_LICENSE("Dual BSD/GPL");

static char *device = "rxe0";
module_param(device, charp, 0444);
static char *address;
module_param(address, charp, 0444);
MODULE_PARM_DESC(address, "own address of the device");

static bool xrc;
module_param(xrc, bool, 0444);
MODULE_PARM_DESC(xrc, "the cases with XRC connections, instead of the others");

static unsigned int passed;
module_param(passed, uint, 0444);
static unsigned int failed;
module_param(failed, uint, 0444);
static char attrs[PAGE_SIZE - 64];
module_param_string(attrs, attrs, sizeof(attrs), 0444);

struct ct_test ct;
static bool ct_case_good;

bool ct_check(bool good, const char *what, const char *where, int line)
{
	if (!good) {
		pr_info("ib_cm_test: %s:%d: not so: %s\n", where, line, what);
		ct_case_good = false;
	}
	return good;
}

void ct_attr(const char *format, ...)
{
	size_t used = strlen(attrs);
	va_list args;

	va_start(args, format);
	vscnprintf(attrs + used, sizeof(attrs) - used, format, args);
	va_end(args);
}

static const struct {
	const char *name;
	void (*run)(void);
	bool xrc;
} ct_cases[] = {
	{ "listeners of one handler are shared and counted", ct_listen_shared },
	{ "a taken service ID is told apart from a shared one", ct_listen_taken },
	{ "service IDs: assigned ones, and those that are the CM's", ct_listen_service_ids },
	{ "states and events from REQ to the end of timewait", ct_whole_life },
	{ "the REQ event has everything", ct_request_event },
	{ "the REP event has everything", ct_reply_event },
	{ "a refused id may send REQ again", ct_refused_then_again },
	{ "-ENOMEM from the REQ callback says nothing to the peer", ct_no_memory },
	{ "REJ from the passive side", ct_reject_passive },
	{ "REJ from the active side", ct_reject_active },
	{ "MRA, at once and delayed", ct_mra },
	{ "COMM_EST before the RTU", ct_established_by_qp },
	{ "private data that is too long is -EINVAL", ct_sizes },
	{ "calls in the wrong state are -EINVAL", ct_wrong_state },
	{ "destroy tells the peer what the state asks for", ct_destroy_states },
	{ "QP attributes of RC and UC", ct_qp_attributes },
	{ "QP attributes of XRC", ct_xrc_attributes, true },
	{ "an XRC target goes without a DREQ", ct_xrc_target, true },
};

static int ct_find_path(void)
{
	struct cep_path_dest dest = {
		.address = address,
		.gid_type = IB_GID_TYPE_ROCE_UDP_ENCAP,
		.life_time_exp = CT_LIFE_EXP,
	};

	if (!address)
		return -EINVAL;
	return cep_path_resolve(ct.device, 1, &dest, &ct.path, &ct.sgid_attr);
}

static int __init ct_init(void)
{
	int ret, i;

	ct.device = ib_device_get_by_name(device, RDMA_DRIVER_UNKNOWN);
	if (!ct.device)
		return -ENODEV;
	ret = ct_find_path();
	if (ret)
		goto out;

	for (i = 0; i < ARRAY_SIZE(ct_cases); i++) {
		if (ct_cases[i].xrc != xrc)
			continue;
		ct_case_good = true;
		ct.qp_type = IB_QPT_RC;
		ct_cases[i].run();
		if (ct_case_good)
			passed++;
		else
			failed++;
		pr_info("ib_cm_test: %s - %s\n", ct_case_good ? "ok" : "not ok", ct_cases[i].name);
	}
	rdma_put_gid_attr(ct.sgid_attr);
out:
	ib_device_put(ct.device);
	return ret;
}
module_init(ct_init);

/* Every id is gone when its case ends. */
static void __exit ct_exit(void)
{
}
module_exit(ct_exit);
