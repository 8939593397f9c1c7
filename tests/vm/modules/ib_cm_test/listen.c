// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Cases: listeners. */
#include <linux/err.h>

#include "ib_cm_test.h"

static int ct_other_handler(struct ib_cm_id *id, const struct ib_cm_event *event)
{
	return -EINVAL;
}

void ct_listen_shared(void)
{
	struct ib_cm_id *first, *second, *other;

	first = ib_cm_insert_listen(ct.device, ct_listen_handler, CT_SERVICE);
	second = ib_cm_insert_listen(ct.device, ct_listen_handler, CT_SERVICE);
	if (!CT_CHECK(!IS_ERR(first)) || !CT_CHECK(!IS_ERR(second)))
		return;
	CT_CHECK(first == second);

	/* Another handler cannot share it, now or while one share is left. */
	other = ib_cm_insert_listen(ct.device, ct_other_handler, CT_SERVICE);
	CT_CHECK(other == ERR_PTR(-EINVAL));
	ib_destroy_cm_id(second);
	CT_CHECK(first->state == IB_CM_LISTEN);
	other = ib_cm_insert_listen(ct.device, ct_other_handler, CT_SERVICE);
	CT_CHECK(other == ERR_PTR(-EINVAL));

	ib_destroy_cm_id(first);
	other = ib_cm_insert_listen(ct.device, ct_other_handler, CT_SERVICE);
	if (CT_CHECK(!IS_ERR(other)))
		ib_destroy_cm_id(other);
}

void ct_listen_taken(void)
{
	struct ib_cm_id *first, *second, *shared;

	first = ib_create_cm_id(ct.device, ct_listen_handler, &ct);
	second = ib_create_cm_id(ct.device, ct_listen_handler, &ct);
	if (!CT_CHECK(!IS_ERR(first)) || !CT_CHECK(!IS_ERR(second)))
		return;

	CT_CHECK(!ib_cm_listen(first, CT_SERVICE));
	CT_CHECK(first->state == IB_CM_LISTEN);
	CT_CHECK(ib_cm_listen(first, CT_SERVICE) == -EINVAL);
	CT_CHECK(ib_cm_listen(second, CT_SERVICE) == -EBUSY);
	CT_CHECK(second->state == IB_CM_IDLE);
	/* The same handler, but with a context: not to be shared. */
	shared = ib_cm_insert_listen(ct.device, ct_listen_handler, CT_SERVICE);
	CT_CHECK(shared == ERR_PTR(-EINVAL));

	ib_destroy_cm_id(first);
	CT_CHECK(!ib_cm_listen(second, CT_SERVICE));
	ib_destroy_cm_id(second);

	/* Without a context an ordinary listener is shared as well. */
	first = ib_create_cm_id(ct.device, ct_listen_handler, NULL);
	if (!CT_CHECK(!IS_ERR(first)))
		return;
	CT_CHECK(!ib_cm_listen(first, CT_SERVICE));
	shared = ib_cm_insert_listen(ct.device, ct_listen_handler, CT_SERVICE);
	if (CT_CHECK(shared == first))
		ib_destroy_cm_id(shared);
	CT_CHECK(first->state == IB_CM_LISTEN);
	ib_destroy_cm_id(first);
}

void ct_listen_service_ids(void)
{
	struct ib_cm_id *id, *other;

	id = ib_create_cm_id(ct.device, ct_listen_handler, NULL);
	other = ib_create_cm_id(ct.device, ct_listen_handler, NULL);
	if (!CT_CHECK(!IS_ERR(id)) || !CT_CHECK(!IS_ERR(other)))
		return;

	CT_CHECK(ib_cm_listen(id, IB_CM_ASSIGN_SERVICE_ID | cpu_to_be64(7)) == -EINVAL);
	CT_CHECK(id->state == IB_CM_IDLE);
	CT_CHECK(!ib_cm_listen(id, IB_CM_ASSIGN_SERVICE_ID));
	CT_CHECK(!ib_cm_listen(other, IB_CM_ASSIGN_SERVICE_ID));
	CT_CHECK((id->service_id & IB_SERVICE_ID_AGN_MASK) == IB_CM_ASSIGN_SERVICE_ID);
	CT_CHECK(id->service_id != other->service_id);
	ib_destroy_cm_id(id);
	ib_destroy_cm_id(other);
}
