/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The messages of the CM class as plain values, and the numbers that the tables of IBA
 * 12.6 give to attributes, reasons and statuses. Part of cep_core.h, which is what both
 * languages include. All integers are in host order; GIDs are 16 raw bytes.
 */
#ifndef CEP_MSG_H
#define CEP_MSG_H

#if defined(__KERNEL__) && !defined(__cplusplus)
#include <linux/types.h>
#else
#include <stddef.h>
#include <stdint.h>
#endif

#define CEP_MAD_SIZE 256

/* IBA 12.6: attribute IDs of the CM class, and lengths of private data. */
enum cep_attr {
	CEP_ATTR_CLASS_PORT_INFO = 0x0001,
	CEP_ATTR_REQ = 0x0010,
	CEP_ATTR_MRA = 0x0011,
	CEP_ATTR_REJ = 0x0012,
	CEP_ATTR_REP = 0x0013,
	CEP_ATTR_RTU = 0x0014,
	CEP_ATTR_DREQ = 0x0015,
	CEP_ATTR_DREP = 0x0016,
	CEP_ATTR_SIDR_REQ = 0x0017,
	CEP_ATTR_SIDR_REP = 0x0018,
	CEP_ATTR_LAP = 0x0019,
	CEP_ATTR_APR = 0x001a,
};

enum cep_size {
	CEP_REQ_PRIVATE_DATA_SIZE = 92,
	CEP_MRA_PRIVATE_DATA_SIZE = 222,
	CEP_REJ_PRIVATE_DATA_SIZE = 148,
	CEP_REP_PRIVATE_DATA_SIZE = 196,
	CEP_RTU_PRIVATE_DATA_SIZE = 224,
	CEP_DREQ_PRIVATE_DATA_SIZE = 220,
	CEP_DREP_PRIVATE_DATA_SIZE = 224,
	CEP_LAP_PRIVATE_DATA_SIZE = 168,
	CEP_APR_PRIVATE_DATA_SIZE = 148,
	CEP_SIDR_REQ_PRIVATE_DATA_SIZE = 216,
	CEP_SIDR_REP_PRIVATE_DATA_SIZE = 136,
	CEP_ARI_SIZE = 72,
};

enum cep_transport { CEP_TRANSPORT_RC = 0, CEP_TRANSPORT_UC = 1, CEP_TRANSPORT_RD = 2, CEP_TRANSPORT_XRC = 3 };

/* MRA "message MRAed", REJ "message rejected" (IBA tables 107, 108). */
enum cep_which { CEP_WHICH_REQ = 0, CEP_WHICH_REP = 1, CEP_WHICH_OTHER = 2 };

/* IBA table 109, the reasons that the engine or the shell itself gives. */
enum cep_rej_reason {
	CEP_REJ_NO_QP = 1,
	CEP_REJ_NO_RESOURCES = 3,
	CEP_REJ_TIMEOUT = 4,
	CEP_REJ_UNSUPPORTED = 5,
	CEP_REJ_INVALID_COMM_ID = 6,
	CEP_REJ_INVALID_COMM_INSTANCE = 7,
	CEP_REJ_INVALID_SERVICE_ID = 8,
	CEP_REJ_INVALID_TRANSPORT_TYPE = 9,
	CEP_REJ_STALE_CONN = 10,
	CEP_REJ_RDC_NOT_EXIST = 11,
	CEP_REJ_INVALID_GID = 12,
	CEP_REJ_INVALID_LID = 13,
	CEP_REJ_INVALID_PACKET_RATE = 17,
	CEP_REJ_INVALID_ALT_GID = 18,
	CEP_REJ_INVALID_ALT_LID = 19,
	CEP_REJ_INVALID_ALT_PACKET_RATE = 23,
	CEP_REJ_PORT_CM_REDIRECT = 24,
	CEP_REJ_PORT_REDIRECT = 25,
	CEP_REJ_INVALID_MTU = 26,
	CEP_REJ_CONSUMER_DEFINED = 28,
	CEP_REJ_DUPLICATE_LOCAL_COMM_ID = 30,
	CEP_REJ_INVALID_CLASS_VERSION = 31,
};

/* IBA table 117 */
enum cep_apr_status {
	CEP_APR_SUCCESS = 0,
	CEP_APR_INVALID_COMM_ID = 1,
	CEP_APR_UNSUPPORTED = 2,
	CEP_APR_REJECT = 3,
	CEP_APR_REDIRECT = 4,
	CEP_APR_IS_CURRENT = 5,
	CEP_APR_INVALID_QPN = 6,
	CEP_APR_INVALID_LID = 7,
	CEP_APR_INVALID_GID = 8,
	CEP_APR_INVALID_FLOW_LABEL = 9,
	CEP_APR_INVALID_TCLASS = 10,
	CEP_APR_INVALID_HOP_LIMIT = 11,
	CEP_APR_INVALID_PACKET_RATE = 12,
	CEP_APR_INVALID_SL = 13,
};

/* IBA table 122 */
enum cep_sidr_status {
	CEP_SIDR_SUCCESS = 0,
	CEP_SIDR_UNSUPPORTED = 1,
	CEP_SIDR_REJECT = 2,
	CEP_SIDR_NO_QP = 3,
	CEP_SIDR_REDIRECT = 4,
	CEP_SIDR_UNSUPPORTED_VERSION = 5,
};

struct cep_path {
	uint16_t local_lid;
	uint16_t remote_lid;
	uint8_t local_gid[16];
	uint8_t remote_gid[16];
	uint32_t flow_label;
	uint8_t packet_rate;
	uint8_t traffic_class;
	uint8_t hop_limit;
	uint8_t sl;
	uint8_t subnet_local;
	uint8_t local_ack_timeout_exp;
};

/* Fields of each message, named as in IBA 12.6; "local" is the sender's. */
struct cep_req {
	uint64_t service_id;
	uint64_t local_ca_guid;
	uint32_t ece_vendor_id; /* 24 bits */
	uint32_t ece_attr_mod;  /* the MAD header's attribute modifier */
	uint32_t local_qkey;
	uint32_t local_qpn;
	uint32_t local_eecn;
	uint32_t remote_eecn;
	uint32_t starting_psn;
	uint16_t pkey;
	uint8_t responder_resources; /* the sender's, as responder */
	uint8_t initiator_depth;     /* the sender's, as initiator */
	uint8_t remote_cm_response_timeout_exp;
	uint8_t local_cm_response_timeout_exp;
	uint8_t transport; /* enum cep_transport; both type fields are folded into it */
	uint8_t flow_control;
	uint8_t retry_count;
	uint8_t rnr_retry_count;
	uint8_t path_mtu; /* IBA encoding 1..5 */
	uint8_t rdc_exists;
	uint8_t max_cm_retries;
	uint8_t srq;
	uint8_t sap_supported;
	struct cep_path primary;
	struct cep_path alternate; /* absent if its local LID and GID are both zero */
};

struct cep_rep {
	uint64_t local_ca_guid;
	uint32_t ece_vendor_id;
	uint32_t ece_attr_mod;
	uint32_t local_qkey;
	uint32_t local_qpn;
	uint32_t local_eecn;
	uint32_t starting_psn;
	uint8_t responder_resources;
	uint8_t initiator_depth;
	uint8_t target_ack_delay_exp;
	uint8_t failover_accepted;
	uint8_t flow_control;
	uint8_t rnr_retry_count;
	uint8_t srq;
};

struct cep_mra {
	uint8_t which;
	uint8_t service_timeout_exp;
};

struct cep_rej {
	uint8_t which;
	uint16_t reason;
	uint8_t ari_len; /* <= CEP_ARI_SIZE */
	const uint8_t *ari;
};

struct cep_dreq {
	uint32_t remote_qpn;
};

struct cep_lap {
	uint32_t remote_qpn;
	uint8_t remote_cm_response_timeout_exp;
	struct cep_path alternate;
};

struct cep_apr {
	uint8_t status;
	uint8_t info_len;
	const uint8_t *info;
};

struct cep_sidr_req {
	uint64_t service_id;
	uint16_t pkey;
};

struct cep_sidr_rep {
	uint64_t service_id;
	uint32_t vendor_id; /* 24 bits */
	uint32_t attr_mod;
	uint32_t qpn;
	uint32_t qkey;
	uint8_t status;
	uint8_t info_len;
	const uint8_t *info;
};

/* One message, parsed or to be written. Pointers point into the MAD it came from. */
struct cep_msg {
	uint64_t tid;
	uint16_t attr;           /* enum cep_attr */
	uint8_t private_data_len; /* parsed: the whole field's size */
	uint32_t local_comm_id;  /* the sender's; SIDR: the request ID */
	uint32_t remote_comm_id; /* the receiver's; 0 where the message has none */
	const uint8_t *private_data;
	union {
		struct cep_req req;
		struct cep_rep rep;
		struct cep_mra mra;
		struct cep_rej rej;
		struct cep_dreq dreq;
		struct cep_lap lap;
		struct cep_apr apr;
		struct cep_sidr_req sidr_req;
		struct cep_sidr_rep sidr_rep;
	};
};

#endif /* CEP_MSG_H */
