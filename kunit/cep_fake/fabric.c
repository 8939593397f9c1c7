// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The wire: finds the port that a frame is for, and loses, doubles, delays or holds it
 * before, as the faults of the sending port say. A frame carries addresses, never
 * pointers, so an adapter may go while frames for it are on their way.
 *
 * Concurrency: everything under cep_fake_lock, in any context; late frames come from a
 * timer that runs while there are any.
 */
#include <linux/ip.h>
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <rdma/ib_addr.h>
#include "fake.h"

DEFINE_SPINLOCK(cep_fake_lock);
LIST_HEAD(cep_fake_ports);
unsigned int cep_fake_busy;
unsigned int cep_fake_fail;
DECLARE_WAIT_QUEUE_HEAD(cep_fake_rest);

static LIST_HEAD(cep_fake_held_frames);
static LIST_HEAD(cep_fake_late_frames);
static u64 cep_fake_count;
static void cep_fake_tick(struct timer_list *timer);
static DEFINE_TIMER(cep_fake_timer, cep_fake_tick);

void cep_fake_active_note(void)
{
	lockdep_assert_held(&cep_fake_lock);
	cep_fake_count++;
}

/* xorshift64*: repeatable, and good enough to lose frames by. */
static u32 cep_fake_chance(struct cep_fake_port *port)
{
	u64 x = port->chance;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	port->chance = x;
	return (x * 0x2545f4914f6cdd1dULL) >> 32;
}

static bool cep_fake_happens(struct cep_fake_port *port, u32 of_1024)
{
	return of_1024 && (cep_fake_chance(port) & 1023) < of_1024;
}

static struct cep_fake_port *cep_fake_find(const struct cep_fake_frame *frame)
{
	struct cep_fake_port *port;
	int i;

	list_for_each_entry(port, &cep_fake_ports, link) {
		if (port->roce != frame->roce)
			continue;
		if (!port->roce) {
			if (frame->dlid >> port->lmc == port->lid >> port->lmc)
				return port;
			continue;
		}
		for (i = 0; i < CEP_FAKE_GIDS; i++)
			if (!memcmp(&port->gid[i], &frame->dgid, sizeof(frame->dgid)))
				return port;
	}
	return NULL;
}

/* IBA 10.9.3: keys match if their low 15 bits do and not both are limited. */
static int cep_fake_pkey_index(const struct cep_fake_port *port, u16 pkey)
{
	int i;

	for (i = 0; i < CEP_FAKE_PKEYS; i++)
		if (port->pkey[i] && !((port->pkey[i] ^ pkey) & 0x7fff) &&
		    ((port->pkey[i] | pkey) & 0x8000))
			return i;
	return -1;
}

/* The 40 bytes before a datagram: a GRH, or for RoCE v2 over IPv4 a header in its end. */
static void cep_fake_write_grh(const struct cep_fake_frame *frame, struct ib_grh *grh)
{
	memset(grh, 0, sizeof(*grh));
	if (frame->network_type == RDMA_NETWORK_IPV4) {
		struct iphdr *ip = (void *)grh + sizeof(*grh) - sizeof(*ip);

		ip->version = 4;
		ip->ihl = 5;
		ip->ttl = 64;
		ip->protocol = IPPROTO_UDP;
		memcpy(&ip->saddr, frame->sgid.raw + 12, 4);
		memcpy(&ip->daddr, frame->dgid.raw + 12, 4);
		return;
	}
	grh->version_tclass_flow = cpu_to_be32(6U << 28);
	grh->paylen = cpu_to_be16(sizeof(frame->mad) + 28);
	grh->next_hdr = 0x1b;
	grh->hop_limit = 64;
	grh->sgid = frame->sgid;
	grh->dgid = frame->dgid;
}

static bool cep_fake_deliver(const struct cep_fake_frame *frame)
{
	struct cep_fake_port *port = cep_fake_find(frame);
	struct cep_fake_recv recv;
	struct cep_fake_qp *qp;
	struct ib_wc wc = {};
	int pkey_index;

	lockdep_assert_held(&cep_fake_lock);
	cep_fake_count++;
	if (!port || !port->active || frame->dst_qpn != 1)
		return false;
	qp = port->gsi;
	pkey_index = cep_fake_pkey_index(port, frame->pkey);
	if (!qp || qp->state < IB_QPS_RTR || qp->state > IB_QPS_SQE || !qp->recv_count ||
	    pkey_index < 0)
		return false;
	recv = qp->recv[qp->recv_head];
	if (WARN_ON_ONCE(recv.length < sizeof(struct ib_grh) + sizeof(frame->mad)))
		return false;
	qp->recv_head = (qp->recv_head + 1) % qp->recv_size;
	qp->recv_count--;

	if (frame->grh) {
		cep_fake_write_grh(frame, (struct ib_grh *)(uintptr_t)recv.addr);
		wc.wc_flags = IB_WC_GRH;
	}
	memcpy((u8 *)(uintptr_t)recv.addr + sizeof(struct ib_grh), frame->mad, sizeof(frame->mad));
	wc.wr_cqe = recv.cqe;
	wc.status = IB_WC_SUCCESS;
	wc.opcode = IB_WC_RECV;
	wc.byte_len = sizeof(struct ib_grh) + sizeof(frame->mad);
	wc.qp = &qp->ibqp;
	wc.src_qp = frame->src_qpn;
	wc.pkey_index = pkey_index;
	wc.port_num = port->num;
	wc.sl = frame->sl;
	if (port->roce) {
		wc.network_hdr_type = frame->network_type;
		wc.wc_flags |= IB_WC_WITH_NETWORK_HDR_TYPE;
		wc.vlan_id = 0xffff;
	} else {
		wc.slid = frame->slid;
		wc.dlid_path_bits = frame->dlid & ((1 << port->lmc) - 1);
	}
	cep_fake_cq_push(container_of(qp->ibqp.recv_cq, struct cep_fake_cq, ibcq), &wc);
	return true;
}

/* False: no memory to keep it, so it goes at once. */
static bool cep_fake_keep(const struct cep_fake_frame *frame, struct list_head *list,
			  unsigned long due)
{
	struct cep_fake_frame *copy = kmemdup(frame, sizeof(*frame), GFP_ATOMIC | __GFP_NOWARN);

	if (!copy)
		return false;
	copy->due = due;
	list_add_tail(&copy->link, list);
	return true;
}

void cep_fake_transmit(struct cep_fake_port *port, struct cep_fake_frame *frame)
{
	struct cep_fake_faults *faults = &port->faults;
	enum cep_fake_verdict verdict = CEP_FAKE_PASS;

	lockdep_assert_held(&cep_fake_lock);
	frame->number = port->sent++;
	cep_fake_count++;
	if (!port->active)
		return;
	if (faults->filter)
		verdict = faults->filter(faults->arg, frame);
	if (frame->number < 64 && faults->loss_mask >> frame->number & 1)
		verdict = CEP_FAKE_DROP;
	if (cep_fake_happens(port, faults->loss))
		verdict = CEP_FAKE_DROP;
	if (verdict == CEP_FAKE_DROP)
		return;
	if (verdict == CEP_FAKE_DUPLICATE || cep_fake_happens(port, faults->duplicate))
		cep_fake_deliver(frame);
	if (verdict == CEP_FAKE_HOLD && cep_fake_keep(frame, &cep_fake_held_frames, 0))
		return;
	if (cep_fake_happens(port, faults->delay)) {
		u32 ms = cep_fake_chance(port) % (faults->delay_max_ms + 1);

		if (cep_fake_keep(frame, &cep_fake_late_frames, jiffies + msecs_to_jiffies(ms))) {
			mod_timer(&cep_fake_timer, jiffies + 1);
			return;
		}
	}
	cep_fake_deliver(frame);
}

static void cep_fake_tick(struct timer_list *timer)
{
	struct cep_fake_frame *frame, *next;
	unsigned long flags;

	spin_lock_irqsave(&cep_fake_lock, flags);
	list_for_each_entry_safe(frame, next, &cep_fake_late_frames, link) {
		if (time_after(frame->due, jiffies))
			continue;
		list_del(&frame->link);
		cep_fake_deliver(frame);
		kfree(frame);
	}
	if (!list_empty(&cep_fake_late_frames))
		mod_timer(&cep_fake_timer, jiffies + 1);
	spin_unlock_irqrestore(&cep_fake_lock, flags);
}

/* The last adapter has gone. */
void cep_fake_wire_stop(void)
{
	struct cep_fake_frame *frame, *next;
	LIST_HEAD(all);

	spin_lock_irq(&cep_fake_lock);
	list_splice_init(&cep_fake_late_frames, &all);
	list_splice_init(&cep_fake_held_frames, &all);
	spin_unlock_irq(&cep_fake_lock);
	del_timer_sync(&cep_fake_timer);
	list_for_each_entry_safe(frame, next, &all, link)
		kfree(frame);
}

/* --- for tests ------------------------------------------------------------------------------ */

u64 cep_fake_activity(void)
{
	unsigned long flags;
	u64 count;

	spin_lock_irqsave(&cep_fake_lock, flags);
	count = cep_fake_count;
	spin_unlock_irqrestore(&cep_fake_lock, flags);
	return count;
}
EXPORT_SYMBOL_GPL(cep_fake_activity);

static bool cep_fake_at_rest(void)
{
	unsigned long flags;
	bool rest;

	spin_lock_irqsave(&cep_fake_lock, flags);
	rest = !cep_fake_busy;
	spin_unlock_irqrestore(&cep_fake_lock, flags);
	return rest;
}

void cep_fake_settle(void)
{
	wait_event(cep_fake_rest, cep_fake_at_rest());
}
EXPORT_SYMBOL_GPL(cep_fake_settle);

unsigned int cep_fake_fail_nth(unsigned int n)
{
	unsigned int unused;

	spin_lock_irq(&cep_fake_lock);
	unused = cep_fake_fail;
	cep_fake_fail = n;
	spin_unlock_irq(&cep_fake_lock);
	return unused;
}
EXPORT_SYMBOL_GPL(cep_fake_fail_nth);

static unsigned int cep_fake_length(const struct list_head *list)
{
	const struct list_head *at;
	unsigned int length = 0;
	unsigned long flags;

	spin_lock_irqsave(&cep_fake_lock, flags);
	list_for_each(at, list)
		length++;
	spin_unlock_irqrestore(&cep_fake_lock, flags);
	return length;
}

unsigned int cep_fake_held(void)
{
	return cep_fake_length(&cep_fake_held_frames);
}
EXPORT_SYMBOL_GPL(cep_fake_held);

unsigned int cep_fake_delayed(void)
{
	return cep_fake_length(&cep_fake_late_frames);
}
EXPORT_SYMBOL_GPL(cep_fake_delayed);

bool cep_fake_release(unsigned int n, bool lose)
{
	struct cep_fake_frame *frame, *found = NULL;
	unsigned long flags;

	spin_lock_irqsave(&cep_fake_lock, flags);
	list_for_each_entry(frame, &cep_fake_held_frames, link) {
		if (!n--) {
			found = frame;
			break;
		}
	}
	if (found) {
		list_del(&found->link);
		if (!lose)
			cep_fake_deliver(found);
	}
	spin_unlock_irqrestore(&cep_fake_lock, flags);
	kfree(found);
	return found;
}
EXPORT_SYMBOL_GPL(cep_fake_release);

void cep_fake_release_all(void)
{
	while (cep_fake_release(0, false))
		;
}
EXPORT_SYMBOL_GPL(cep_fake_release_all);

bool cep_fake_inject(const struct cep_fake_frame *frame)
{
	unsigned long flags;
	bool taken;

	spin_lock_irqsave(&cep_fake_lock, flags);
	taken = cep_fake_deliver(frame);
	spin_unlock_irqrestore(&cep_fake_lock, flags);
	return taken;
}
EXPORT_SYMBOL_GPL(cep_fake_inject);
