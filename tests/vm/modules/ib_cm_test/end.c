// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The handlers: they write down what they are told, and the case reads it. The
 * listener's one hands a new id to the passive end by rewriting its handler and
 * context, as rdma_cm does.
 */
#include "ib_cm_test.h"

#define CT_PATIENCE (20 * HZ)

void ct_end_init(struct ct_end *end)
{
	memset(end, 0, sizeof(*end));
	spin_lock_init(&end->lock);
	init_waitqueue_head(&end->news);
}

static void ct_write_down(struct ct_end *end, struct ib_cm_id *id, const struct ib_cm_event *event)
{
	struct ct_seen *seen;

	spin_lock(&end->lock);
	if (end->count < CT_EVENTS) {
		seen = &end->seen[end->count];
		seen->event = *event;
		seen->state = id->state;
		seen->local_id = id->local_id;
		seen->remote_id = id->remote_id;
		if (event->private_data)
			memcpy(seen->data, event->private_data, CT_DATA);
		switch (event->event) {
		case IB_CM_REQ_RECEIVED:
			seen->path = *event->param.req_rcvd.primary_path;
			seen->has_alternate = event->param.req_rcvd.alternate_path;
			seen->has_sgid_attr = event->param.req_rcvd.ppath_sgid_attr;
			break;
		case IB_CM_REJ_RECEIVED:
			/* The whole field is there, whatever the length says. */
			memcpy(seen->ari, event->param.rej_rcvd.ari, IB_CM_REJ_ARI_LENGTH);
			break;
		default:
			break;
		}
		end->count++;
	}
	spin_unlock(&end->lock);
	wake_up(&end->news);
}

int ct_active_handler(struct ib_cm_id *id, const struct ib_cm_event *event)
{
	CT_CHECK(id->context == &ct.active);
	ct_write_down(id->context, id, event);
	return 0;
}

int ct_passive_handler(struct ib_cm_id *id, const struct ib_cm_event *event)
{
	CT_CHECK(id->context == &ct.passive);
	ct_write_down(id->context, id, event);
	return 0;
}

int ct_listen_handler(struct ib_cm_id *id, const struct ib_cm_event *event)
{
	enum ct_answer answer = ct.answer;

	if (!CT_CHECK(event->event == IB_CM_REQ_RECEIVED))
		return -EINVAL;
	ct.requests++;
	CT_CHECK(id->context == NULL);
	CT_CHECK(id->device == ct.device);
	CT_CHECK(id->state == IB_CM_REQ_RCVD);
	CT_CHECK(event->param.req_rcvd.listen_id == ct.listener);

	switch (answer) {
	case CT_REFUSE:
		return -ECONNREFUSED;
	case CT_NO_MEMORY_ONCE:
		ct.answer = CT_KEEP;
		return -ENOMEM;
	case CT_KEEP:
		break;
	}
	ct.passive.id = id;
	id->context = &ct.passive;
	id->cm_handler = ct_passive_handler;
	ct_write_down(&ct.passive, id, event);
	return 0;
}

/* The next event that the case has not looked at, or NULL if none comes. */
const struct ct_seen *ct_next(struct ct_end *end)
{
	if (!wait_event_timeout(end->news, READ_ONCE(end->count) > end->taken, CT_PATIENCE))
		return NULL;
	/* What the handler wrote under the lock is seen after it. */
	spin_lock(&end->lock);
	spin_unlock(&end->lock);
	return &end->seen[end->taken++];
}

const struct ct_seen *ct_expect_at(struct ct_end *end, enum ib_cm_event_type event,
				   const char *where, int line)
{
	static const struct ct_seen nothing;
	const struct ct_seen *seen = ct_next(end);
	const char *side = end == &ct.active ? "active" : "passive";

	if (!seen) {
		pr_info("ib_cm_test: %s side waited for event %d in vain\n", side, event);
		ct_check(false, "an event", where, line);
		return &nothing;
	}
	if (seen->event.event != event) {
		pr_info("ib_cm_test: %s side got event %d, not %d\n", side, seen->event.event,
			event);
		ct_check(false, "the event", where, line);
	}
	return seen;
}
