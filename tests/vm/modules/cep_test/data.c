// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What is in the messages. Between two modules: a pattern salted with the event
 * that the message causes, as long as both plans say. With cep-cmtest, which has
 * rdma_cm above its CM, as peer: what that expects, connection and QPN first (see
 * tools/cmtest/payload.hh). No state.
 */
#include <linux/random.h>

#include "cep_test.h"

/* Another one for each CEP: a QPN that comes again is a stale connection. */
u32 ct_new_qpn(void)
{
	static atomic_t next = ATOMIC_INIT(0);
	static u32 start;

	if (!READ_ONCE(start))
		cmpxchg(&start, 0, get_random_u32() | 1);
	/* 0 and 1 are the management QPs. */
	return (start + atomic_inc_return(&next)) % 0xfffff0 + 2;
}

void ct_fill(u8 *data, u32 len, u8 salt)
{
	u32 i;

	for (i = 0; i < len; i++)
		data[i] = salt + i * 3;
}

static u8 ct_payload_byte(u32 index, u32 qpn, u32 at)
{
	if (at < 4)
		return index >> (8 * at);
	if (at < 8)
		return qpn >> (8 * (at - 4));
	return index * 31 + qpn + at * 7;
}

/* Private data of a message of @conn; how much. */
u32 ct_conn_data(struct ct_conn *conn, enum ib_cep_event_type type, u8 *data, u32 room)
{
	u32 len = min(conn->plan.data, room);
	u32 i;

	if (!conn->plan.tcp) {
		ct_fill(data, len, type);
		return len;
	}
	for (i = 0; i < room; i++)
		data[i] = ct_payload_byte(conn->index, type == IB_CEP_REJ_RECEIVED ? 0 : conn->qpn,
					  i);
	return room;
}

static bool ct_payload_good(struct ct_conn *conn, const struct ib_cep_event *event)
{
	const u8 *data = event->private_data;
	u32 len = event->private_data_len;
	u32 index, qpn, i;

	switch (event->type) {
	case IB_CEP_REQ_RECEIVED:
		data += CT_IP_HEADER_SIZE;
		len -= CT_IP_HEADER_SIZE;
		conn->index = data[0] | data[1] << 8 | data[2] << 16 | (u32)data[3] << 24;
		qpn = event->req.remote_qpn;
		break;
	case IB_CEP_REP_RECEIVED:
		qpn = event->rep.remote_qpn;
		break;
	case IB_CEP_REJ_RECEIVED:
		if (event->rej.reason != 28)
			return true;
		qpn = 0;
		break;
	default:
		return true;
	}
	index = conn->index;
	for (i = 0; i < len; i++)
		if (data[i] != ct_payload_byte(index, qpn, i))
			return false;
	return true;
}

static bool ct_pattern_good(struct ct_conn *conn, const struct ib_cep_event *event)
{
	const u8 *data = event->private_data;
	u32 i;

	/* The rest of the field is zero. */
	for (i = 0; i < event->private_data_len; i++)
		if (data[i] != (i < conn->plan.data ? (u8)(event->type + i * 3) : 0))
			return false;
	return true;
}

void ct_check_data(struct ct_conn *conn, const struct ib_cep_event *event)
{
	bool good;

	if (!conn->plan.check || !event->private_data)
		return;
	good = conn->plan.tcp ? ct_payload_good(conn, event) : ct_pattern_good(conn, event);
	if (!good)
		ct_count(conn->set, CT_BAD_DATA);
}
