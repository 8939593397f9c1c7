// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Sets of CEPs, numbered; every CEP belongs to one, which counts what happens to
 * it. All values have names, for the status file and for waiting: counters
 * (created, failed, ...), events (REP_RECEIVED), causes (cause.TIMEOUT), reject
 * reasons (rej.28), and CEPs by state (state.ESTABLISHED).
 *
 * Counters are atomic. States are looked at under the set's lock, which keeps
 * every listed CEP alive.
 */
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "cep_test.h"

static struct ct_set ct_all_sets[CT_SETS];
static DECLARE_WAIT_QUEUE_HEAD(ct_changed);

static const char *const ct_counter_names[CT_COUNTERS] = {
	[CT_CREATED] = "created",
	[CT_RELEASED] = "released",
	[CT_TWICE] = "twice",
	[CT_LATE] = "late",
	[CT_OVERLAP] = "overlap",
	[CT_BAD_DATA] = "bad_data",
	[CT_NOT_DELIVERED] = "not_delivered",
	[CT_FAILED] = "failed",
	[CT_STARTED] = "started",
	[CT_CONNECTING] = "connecting",
	[CT_RUNNING] = "running",
	[CT_MOST] = "most",
};

static const char *const ct_event_names[CT_EVENTS] = {
	[IB_CEP_REQ_ERROR] = "REQ_ERROR",
	[IB_CEP_REQ_RECEIVED] = "REQ_RECEIVED",
	[IB_CEP_REP_ERROR] = "REP_ERROR",
	[IB_CEP_REP_RECEIVED] = "REP_RECEIVED",
	[IB_CEP_RTU_RECEIVED] = "RTU_RECEIVED",
	[IB_CEP_USER_ESTABLISHED] = "USER_ESTABLISHED",
	[IB_CEP_DREQ_ERROR] = "DREQ_ERROR",
	[IB_CEP_DREQ_RECEIVED] = "DREQ_RECEIVED",
	[IB_CEP_DREP_RECEIVED] = "DREP_RECEIVED",
	[IB_CEP_TIMEWAIT_EXIT] = "TIMEWAIT_EXIT",
	[IB_CEP_MRA_RECEIVED] = "MRA_RECEIVED",
	[IB_CEP_REJ_RECEIVED] = "REJ_RECEIVED",
	[IB_CEP_LAP_ERROR] = "LAP_ERROR",
	[IB_CEP_LAP_RECEIVED] = "LAP_RECEIVED",
	[IB_CEP_APR_RECEIVED] = "APR_RECEIVED",
	[IB_CEP_SIDR_REQ_ERROR] = "SIDR_REQ_ERROR",
	[IB_CEP_SIDR_REQ_RECEIVED] = "SIDR_REQ_RECEIVED",
	[IB_CEP_SIDR_REP_RECEIVED] = "SIDR_REP_RECEIVED",
	[IB_CEP_DEVICE_REMOVED] = "DEVICE_REMOVED",
	[IB_CEP_REQ_WAITING] = "REQ_WAITING",
};

static const char *const ct_cause_names[CT_CAUSES] = {
	[IB_CEP_CAUSE_NONE] = "NONE",
	[IB_CEP_CAUSE_TIMEOUT] = "TIMEOUT",
	[IB_CEP_CAUSE_SEND_FAILED] = "SEND_FAILED",
	[IB_CEP_CAUSE_STALE] = "STALE",
};

#define CT_STATES (IB_CEP_SIDR_REQ_RCVD + 1)

static const char *const ct_state_name[CT_STATES] = {
	[IB_CEP_IDLE] = "IDLE",
	[IB_CEP_LISTEN] = "LISTEN",
	[IB_CEP_REQ_SENT] = "REQ_SENT",
	[IB_CEP_REQ_RCVD] = "REQ_RCVD",
	[IB_CEP_MRA_REQ_SENT] = "MRA_REQ_SENT",
	[IB_CEP_MRA_REQ_RCVD] = "MRA_REQ_RCVD",
	[IB_CEP_REP_SENT] = "REP_SENT",
	[IB_CEP_REP_RCVD] = "REP_RCVD",
	[IB_CEP_MRA_REP_SENT] = "MRA_REP_SENT",
	[IB_CEP_MRA_REP_RCVD] = "MRA_REP_RCVD",
	[IB_CEP_ESTABLISHED] = "ESTABLISHED",
	[IB_CEP_DREQ_SENT] = "DREQ_SENT",
	[IB_CEP_DREQ_RCVD] = "DREQ_RCVD",
	[IB_CEP_TIMEWAIT] = "TIMEWAIT",
	[IB_CEP_SIDR_REQ_SENT] = "SIDR_REQ_SENT",
	[IB_CEP_SIDR_REQ_RCVD] = "SIDR_REQ_RCVD",
};

const char *const *ct_state_names(int *count)
{
	*count = CT_STATES;
	return ct_state_name;
}

void ct_sets_init(void)
{
	int i;

	for (i = 0; i < CT_SETS; i++) {
		spin_lock_init(&ct_all_sets[i].lock);
		INIT_LIST_HEAD(&ct_all_sets[i].conns);
	}
}

struct ct_set *ct_set_at(int number)
{
	return &ct_all_sets[number];
}

/* The one that the command names, or NULL and a bad command. */
struct ct_set *ct_set(struct ct_options *opts)
{
	u64 number = ct_option_u64(opts, "set", 0);

	if (number >= CT_SETS)
		opts->verb = NULL;
	return ct_options_bad(opts) ? NULL : &ct_all_sets[number];
}

/* ---- counting ------------------------------------------------------------- */

void ct_count(struct ct_set *set, enum ct_counter which)
{
	int now = atomic_inc_return(&set->counter[which]);
	int most = atomic_read(&set->counter[CT_MOST]);

	while (which == CT_RUNNING && now > most &&
	       !atomic_try_cmpxchg(&set->counter[CT_MOST], &most, now))
		;
	wake_up_all(&ct_changed);
}

void ct_uncount(struct ct_set *set, enum ct_counter which)
{
	atomic_dec(&set->counter[which]);
	wake_up_all(&ct_changed);
}

int ct_failed(struct ct_set *set, int error)
{
	if (error) {
		WRITE_ONCE(set->error, error);
		ct_count(set, CT_FAILED);
	}
	return error;
}

void ct_count_event(struct ct_set *set, const struct ib_cep_event *event)
{
	if (event->cause != IB_CEP_CAUSE_NONE && event->cause < CT_CAUSES)
		atomic_inc(&set->cause[event->cause]);
	if (event->type == IB_CEP_REJ_RECEIVED)
		atomic_inc(&set->reason[min_t(u16, event->rej.reason, CT_REASONS - 1)]);
	/* Last: who has waited for the event sees the rest. */
	if (!WARN_ON(event->type >= CT_EVENTS))
		atomic_inc(&set->event[event->type]);
	wake_up_all(&ct_changed);
}

/* Counters of what has been; not of what still is. */
void ct_set_reset(struct ct_set *set)
{
	int i;

	for (i = 0; i < CT_EVENTS; i++)
		atomic_set(&set->event[i], 0);
	for (i = 0; i < CT_CAUSES; i++)
		atomic_set(&set->cause[i], 0);
	for (i = 0; i < CT_REASONS; i++)
		atomic_set(&set->reason[i], 0);
	atomic_set(&set->counter[CT_FAILED], 0);
	atomic_set(&set->counter[CT_STARTED], 0);
	atomic_set(&set->counter[CT_MOST], 0);
	WRITE_ONCE(set->error, 0);
}

int ct_sets_faults(bool all_gone)
{
	static const enum ct_counter faults[] = {
		CT_TWICE, CT_LATE, CT_OVERLAP, CT_BAD_DATA, CT_NOT_DELIVERED,
	};
	/* At the end those of the life of CEPs: the others have been read before. */
	const int kinds = all_gone ? 3 : ARRAY_SIZE(faults);
	int i, j, sum = 0;

	for (i = 0; i < CT_SETS; i++) {
		struct ct_set *set = &ct_all_sets[i];

		for (j = 0; j < kinds; j++)
			sum += atomic_read(&set->counter[faults[j]]);
		if (all_gone)
			sum += abs(atomic_read(&set->counter[CT_CREATED]) -
				   atomic_read(&set->counter[CT_RELEASED]));
	}
	return sum;
}

/* ---- values ----------------------------------------------------------------- */

static void ct_states(struct ct_set *set, unsigned int count[CT_STATES])
{
	struct ib_cep_info info;
	struct ct_conn *conn;
	unsigned long flags;

	memset(count, 0, CT_STATES * sizeof(*count));
	spin_lock_irqsave(&set->lock, flags);
	list_for_each_entry(conn, &set->conns, link) {
		ib_cep_query(conn->cep, &info);
		if (info.state < CT_STATES)
			count[info.state]++;
	}
	spin_unlock_irqrestore(&set->lock, flags);
}

static int ct_value(struct ct_set *set, const char *name, long *value)
{
	unsigned int states[CT_STATES];
	unsigned int reason;
	int i;

	i = match_string(ct_counter_names, CT_COUNTERS, name);
	if (i >= 0) {
		*value = atomic_read(&set->counter[i]);
		return 0;
	}
	i = match_string(ct_event_names, CT_EVENTS, name);
	if (i >= 0) {
		*value = atomic_read(&set->event[i]);
		return 0;
	}
	if (!strncmp(name, "cause.", 6)) {
		i = match_string(ct_cause_names, CT_CAUSES, name + 6);
		if (i < 0)
			return -EINVAL;
		*value = atomic_read(&set->cause[i]);
		return 0;
	}
	if (!strncmp(name, "rej.", 4)) {
		if (kstrtouint(name + 4, 10, &reason) || reason >= CT_REASONS)
			return -EINVAL;
		*value = atomic_read(&set->reason[reason]);
		return 0;
	}
	if (!strncmp(name, "state.", 6)) {
		i = match_string(ct_state_name, CT_STATES, name + 6);
		if (i < 0)
			return -EINVAL;
		ct_states(set, states);
		*value = states[i];
		return 0;
	}
	return -EINVAL;
}

void ct_set_show(struct seq_file *file, struct ct_set *set, int number)
{
	unsigned int states[CT_STATES];
	int i;

	if (!atomic_read(&set->counter[CT_CREATED]))
		return;
	seq_printf(file, "set=%d error=%d", number, READ_ONCE(set->error));
	for (i = 0; i < CT_COUNTERS; i++)
		seq_printf(file, " %s=%d", ct_counter_names[i], atomic_read(&set->counter[i]));
	for (i = 0; i < CT_EVENTS; i++)
		if (atomic_read(&set->event[i]))
			seq_printf(file, " %s=%d", ct_event_names[i], atomic_read(&set->event[i]));
	for (i = 0; i < CT_CAUSES; i++)
		if (atomic_read(&set->cause[i]))
			seq_printf(file, " cause.%s=%d", ct_cause_names[i],
				   atomic_read(&set->cause[i]));
	for (i = 0; i < CT_REASONS; i++)
		if (atomic_read(&set->reason[i]))
			seq_printf(file, " rej.%d=%d", i, atomic_read(&set->reason[i]));
	ct_states(set, states);
	for (i = 0; i < CT_STATES; i++)
		if (states[i])
			seq_printf(file, " state.%s=%u", ct_state_name[i], states[i]);
	seq_puts(file, "\n");
}

/* ---- waiting ----------------------------------------------------------------- */

/* "NAME>=N" or "NAME==N". 1: it holds, 0: it does not, or -EINVAL. */
static int ct_holds(struct ct_set *set, const char *condition)
{
	char name[40];
	const char *equals = strchr(condition, '=');
	size_t len;
	bool exact;
	long value, wanted;
	int ret;

	if (!equals)
		return -EINVAL;
	exact = equals[1] == '=';
	len = equals - condition;
	if (!exact && (!len || equals[-1] != '>'))
		return -EINVAL;
	if (!exact)
		len--;
	if (len >= sizeof(name) || kstrtol(equals + (exact ? 2 : 1), 10, &wanted))
		return -EINVAL;
	memcpy(name, condition, len);
	name[len] = 0;
	ret = ct_value(set, name, &value);
	if (ret)
		return ret;
	return exact ? value == wanted : value >= wanted;
}

static bool ct_is_condition(const char *word)
{
	return strstr(word, "==") || strstr(word, ">=");
}

static int ct_all_hold(struct ct_set *set, struct ct_options *opts)
{
	int i, ret = 1;

	for (i = 0; i < opts->count && ret == 1; i++)
		if (ct_is_condition(opts->word[i]))
			ret = ct_holds(set, opts->word[i]);
	return ret;
}

/*
 * "wait set=N timeout_ms=N CONDITION...". A state can change without an event, so
 * those are looked at again and again; everything else wakes us.
 */
int ct_set_wait(struct ct_options *opts)
{
	u64 timeout_ms = ct_option_u64(opts, "timeout_ms", 10000);
	struct ct_set *set = ct_set(opts);
	unsigned long end = jiffies + msecs_to_jiffies(timeout_ms);
	int ret = 0;

	if (!set)
		return -EINVAL;
	while (!(ret = ct_all_hold(set, opts))) {
		long left = end - jiffies;

		if (left <= 0)
			return -ETIMEDOUT;
		left = wait_event_interruptible_timeout(ct_changed,
							(ret = ct_all_hold(set, opts)) != 0,
							min_t(long, left, HZ / 20));
		if (left < 0)
			return left;
		if (ret)
			break;
	}
	return ret < 0 ? ret : 0;
}

int ct_set_wait_until(struct ct_set *set, bool (*ready)(struct ct_set *set, u64 arg), u64 arg)
{
	return wait_event_interruptible(ct_changed, ready(set, arg));
}
