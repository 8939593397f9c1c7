/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * One connection from REQ to the end of timewait through the C boundary, as the
 * shell uses it: proves that the header is C11 and that the engine links without
 * a C++ run-time library. Exits with the line that failed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cep_core.h"

#define CHECK(x)                                                             \
	do {                                                                 \
		if (!(x)) {                                                  \
			fprintf(stderr, "smoke.c:%d: %s\n", __LINE__, #x);   \
			exit(1);                                             \
		}                                                            \
	} while (0)

static const uint64_t a_guid = 0xa, b_guid = 0xb;

static int has(const struct cep_actions *acts, enum cep_act_kind kind)
{
	uint32_t i;

	for (i = 0; i < acts->count; i++)
		if (acts->act[i].kind == kind)
			return 1;
	return 0;
}

static int told(const struct cep_actions *acts, enum cep_event event)
{
	uint32_t i;

	for (i = 0; i < acts->count; i++)
		if (acts->act[i].kind == CEP_ACT_EVENT && acts->act[i].event == event)
			return 1;
	return 0;
}

static void parse(const uint8_t *mad, uint16_t attr, struct cep_msg *msg)
{
	CHECK(cep_core_parse(mad, CEP_MAD_SIZE, msg) == CEP_PARSE_OK);
	CHECK(msg->attr == attr);
}

int main(void)
{
	static const uint8_t data[] = "private";
	struct cep_core a, b;
	struct cep_actions acts;
	struct cep_msg msg;
	struct cep_info info;
	struct cep_facts facts = { .ca_guid = a_guid };
	uint8_t mad[CEP_MAD_SIZE];
	struct cep_send_req req = {
		.tid = 1, .local_comm_id = 0x11, .packet_life_time_exp = 14,
		.local_ca_ack_delay_exp = 15, .private_data = data,
		.private_data_len = sizeof(data),
		.req = { .service_id = 7, .local_ca_guid = a_guid, .local_qpn = 100,
			 .starting_psn = 200, .pkey = 0xffff, .responder_resources = 1,
			 .initiator_depth = 2, .remote_cm_response_timeout_exp = 20,
			 .local_cm_response_timeout_exp = 20, .path_mtu = 3,
			 .max_cm_retries = 15,
			 .primary = { .local_gid = { 0xfe, 0x80, [15] = 1 },
				      .remote_gid = { 0xfe, 0x80, [15] = 2 },
				      .local_lid = 1, .remote_lid = 2, .subnet_local = 1,
				      .packet_rate = 3 } },
	};
	struct cep_send_rep rep = {
		.rep = { .local_ca_guid = b_guid, .local_qpn = 300, .starting_psn = 400,
			 .responder_resources = 2, .initiator_depth = 1,
			 .target_ack_delay_exp = 15 },
	};

	cep_core_init(&a);
	cep_core_init(&b);

	CHECK(cep_core_send_req(&a, 1000, &req, mad, &acts) == CEP_OK);
	CHECK(has(&acts, CEP_ACT_SEND_REQUEST) && has(&acts, CEP_ACT_ARM));
	CHECK(cep_core_on_sent(&a, 2000, &acts) == CEP_OK);

	parse(mad, CEP_ATTR_REQ, &msg);
	CHECK(!memcmp(msg.private_data, data, sizeof(data)));
	CHECK(cep_core_check_req(&msg) == 0);
	CHECK(cep_core_on_new_req(&b, 3000, &msg, 0x22, &acts) == CEP_OK);
	CHECK(told(&acts, CEP_EVENT_REQ_RECEIVED));
	CHECK(cep_core_send_rep(&b, 4000, &rep, mad, &acts) == CEP_OK);

	parse(mad, CEP_ATTR_REP, &msg);
	CHECK(cep_core_expects_rep(&a, &msg));
	CHECK(cep_core_on_message(&a, 5000, &msg, &facts, mad, &acts) == CEP_OK);
	CHECK(told(&acts, CEP_EVENT_REP_RECEIVED) && has(&acts, CEP_ACT_DROP_REQUEST));
	CHECK(cep_core_send_rtu(&a, NULL, 0, mad, &acts) == CEP_OK);

	parse(mad, CEP_ATTR_RTU, &msg);
	CHECK(cep_core_on_message(&b, 6000, &msg, &facts, mad, &acts) == CEP_OK);
	CHECK(told(&acts, CEP_EVENT_RTU_RECEIVED));
	CHECK(cep_core_state(&a) == CEP_STATE_ESTABLISHED);
	CHECK(cep_core_state(&b) == CEP_STATE_ESTABLISHED);

	cep_core_close(&a, 7000, 2, a_guid, CEP_REJ_CONSUMER_DEFINED, 1, mad, &acts);
	CHECK(has(&acts, CEP_ACT_SEND_REQUEST) && cep_core_is_closed(&a));
	parse(mad, CEP_ATTR_DREQ, &msg);
	CHECK(cep_core_on_message(&b, 8000, &msg, &facts, mad, &acts) == CEP_OK);
	CHECK(told(&acts, CEP_EVENT_DREQ_RECEIVED));
	CHECK(cep_core_send_drep(&b, 9000, NULL, 0, mad, &acts) == CEP_OK);
	CHECK(has(&acts, CEP_ACT_ENTER_TIMEWAIT));
	parse(mad, CEP_ATTR_DREP, &msg);
	CHECK(cep_core_on_message(&a, 10000, &msg, &facts, mad, &acts) == CEP_OK);
	CHECK(cep_core_state(&a) == CEP_STATE_TIMEWAIT);

	cep_core_info(&a, &info);
	CHECK(cep_core_on_deadline(&a, info.deadline_ns - 1, a_guid, mad, &acts) == CEP_E_STATE);
	CHECK(cep_core_on_deadline(&a, info.deadline_ns, a_guid, mad, &acts) == CEP_OK);
	CHECK(has(&acts, CEP_ACT_RELEASE) && cep_core_state(&a) == CEP_STATE_CLOSED);
	cep_core_info(&b, &info);
	CHECK(cep_core_on_deadline(&b, info.deadline_ns, b_guid, mad, &acts) == CEP_OK);
	CHECK(told(&acts, CEP_EVENT_TIMEWAIT_EXIT));
	printf("smoke: one connection, from C\n");
	return 0;
}
