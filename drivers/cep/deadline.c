// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The clock and the one timer of a CEP. The engine says when; this file only
 * carries it out. Nothing else in the shell reads a clock or touches a timer for the
 * protocol, so a test build can put its own time in the place of this file.
 *
 * Why one deadline is enough: a CEP waits for at most one answer at a time. A DREQ
 * ends every other exchange, an MRA replaces the response timeout of the message
 * that it answers, and timewait begins when nothing is awaited any more.
 *
 * An armed timer holds a reference on its CEP. The handler runs in softirq, takes the
 * CEP's lock and asks the engine, which ignores a call that is early or too late: so
 * nobody ever waits for a timer, least of all under a lock.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include "shell.h"

u64 cep_now_ns(void)
{
	return ktime_get_ns();
}

static void cep_timer_expired(struct timer_list *timer)
{
	struct ib_cep *cep = from_timer(cep, timer, timer);
	struct cep_run run;
	struct cep_info info;
	unsigned long flags;
	u64 now = cep_now_ns();
	bool withheld;

	cep_run_init(&run, GFP_ATOMIC);
	spin_lock_irqsave(&cep->lock, flags);
	cep_core_info(&cep->core, &info);
	withheld = cep->tx && cep->tx->where == CEP_TX_IN_FLIGHT;
	if (info.deadline_ns && info.deadline_ns > now) {
		/* Armed anew between expiry and here, or the wheel was a tick early. */
		cep_timer_arm(cep, info.deadline_ns);
	} else if (info.deadline_ns) {
		if (!cep_core_on_deadline(&cep->core, now, cep->dev ? cep->dev->node_guid : 0,
					  cep_run_mad(&run), &run.acts))
			cep_run(cep, &run);
	}
	withheld = withheld && !cep->tx;
	spin_unlock_irqrestore(&cep->lock, flags);
	/* Given up with the request still in the adapter: nothing but its removal waits for that. */
	if (withheld)
		pr_warn_ratelimited("ib_cep: CEP %08x gave up on a MAD that its adapter never completed\n",
				    cep->comm_id);
	cep_run_finish(cep, &run);
	cep_put(cep);
}

void cep_timer_init(struct ib_cep *cep)
{
	timer_setup(&cep->timer, cep_timer_expired, 0);
}

void cep_timer_arm(struct ib_cep *cep, u64 deadline_ns)
{
	u64 now = cep_now_ns();
	u64 delta = deadline_ns > now ? deadline_ns - now : 0;
	unsigned long ticks = nsecs_to_jiffies(delta);

	lockdep_assert_held(&cep->lock);
	/* One more tick: never early. */
	if (ticks >= MAX_JIFFY_OFFSET)
		ticks = MAX_JIFFY_OFFSET - 1;
	if (!mod_timer(&cep->timer, jiffies + ticks + 1))
		cep_get(cep);
}

void cep_timer_disarm(struct ib_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	/* The caller holds a reference of its own: this put is never the last. */
	if (del_timer(&cep->timer))
		WARN_ON_ONCE(refcount_dec_and_test(&cep->refs));
}
