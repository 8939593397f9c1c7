// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Takes the place of deadline.c's clock and timer wheel in a KUnit build. The code of
 * deadline.c itself is compiled here, on this clock: it is what is tested.
 *
 * Concurrency: cep_clock_lock is a leaf under a CEP's lock. Timers run in the context of
 * the test that moves the time, one at a time, with softirqs off as a real one would.
 */
#include <linux/bottom_half.h>
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/timer.h>
#include "shell.h"
#include "clock.h"

static DEFINE_SPINLOCK(cep_clock_lock); /* cep_clock_ns, cep_clock_timers */
static u64 cep_clock_ns = NSEC_PER_SEC; /* 0 would mean "no deadline" to the engine */
static HLIST_HEAD(cep_clock_timers);    /* timer_list.entry; expires in ticks of this clock */

u64 cep_clock_now(void)
{
	unsigned long flags;
	u64 now;

	spin_lock_irqsave(&cep_clock_lock, flags);
	now = cep_clock_ns;
	spin_unlock_irqrestore(&cep_clock_lock, flags);
	return now;
}
EXPORT_SYMBOL_GPL(cep_clock_now);

static unsigned long cep_clock_jiffies(void)
{
	return nsecs_to_jiffies(cep_clock_now());
}

static int cep_clock_mod_timer(struct timer_list *timer, unsigned long expires)
{
	unsigned long flags;
	int pending;

	spin_lock_irqsave(&cep_clock_lock, flags);
	pending = !hlist_unhashed(&timer->entry);
	if (!pending)
		hlist_add_head(&timer->entry, &cep_clock_timers);
	timer->expires = expires;
	spin_unlock_irqrestore(&cep_clock_lock, flags);
	return pending;
}

static int cep_clock_del_timer(struct timer_list *timer)
{
	unsigned long flags;
	int pending;

	spin_lock_irqsave(&cep_clock_lock, flags);
	pending = !hlist_unhashed(&timer->entry);
	if (pending)
		hlist_del_init(&timer->entry);
	spin_unlock_irqrestore(&cep_clock_lock, flags);
	return pending;
}

unsigned int cep_clock_armed(void)
{
	struct timer_list *timer;
	unsigned int armed = 0;
	unsigned long flags;

	spin_lock_irqsave(&cep_clock_lock, flags);
	hlist_for_each_entry(timer, &cep_clock_timers, entry)
		armed++;
	spin_unlock_irqrestore(&cep_clock_lock, flags);
	return armed;
}
EXPORT_SYMBOL_GPL(cep_clock_armed);

bool cep_clock_step(u64 until_ns)
{
	struct timer_list *timer, *first = NULL;
	unsigned long flags;

	spin_lock_irqsave(&cep_clock_lock, flags);
	hlist_for_each_entry(timer, &cep_clock_timers, entry)
		if (!first || timer->expires < first->expires)
			first = timer;
	if (first && jiffies64_to_nsecs(first->expires) > until_ns)
		first = NULL;
	if (first) {
		hlist_del_init(&first->entry);
		cep_clock_ns = max(cep_clock_ns, jiffies64_to_nsecs(first->expires));
	} else {
		cep_clock_ns = max(cep_clock_ns, until_ns);
	}
	spin_unlock_irqrestore(&cep_clock_lock, flags);
	if (!first)
		return false;
	local_bh_disable();
	first->function(first);
	local_bh_enable();
	return true;
}
EXPORT_SYMBOL_GPL(cep_clock_step);

#undef jiffies
#define jiffies cep_clock_jiffies()
#define ktime_get_ns cep_clock_now
#define mod_timer cep_clock_mod_timer
#define del_timer cep_clock_del_timer
#include "deadline.c"
