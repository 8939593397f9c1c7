/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Pairs of names for one field: the kernel's, and ours in messages.hh. Read by C,
 * which looks at the first, and by C++, which looks at both.
 */
#ifndef CEP_ORACLE_FIELDS_H
#define CEP_ORACLE_FIELDS_H

/* clang-format off */
/* F(kernel's struct, kernel's field without its CM_, ours): a number */
#define ORACLE_NUMBERS(F) \
	F(cm_req_msg, REQ_LOCAL_COMM_ID, Req::LocalCommId) \
	F(cm_req_msg, REQ_VENDOR_ID, Req::VendorId) \
	F(cm_req_msg, REQ_SERVICE_ID, Req::ServiceId) \
	F(cm_req_msg, REQ_LOCAL_CA_GUID, Req::LocalCaGuid) \
	F(cm_req_msg, REQ_LOCAL_Q_KEY, Req::LocalQkey) \
	F(cm_req_msg, REQ_LOCAL_QPN, Req::LocalQpn) \
	F(cm_req_msg, REQ_RESPONDER_RESOURCES, Req::ResponderResources) \
	F(cm_req_msg, REQ_LOCAL_EECN, Req::LocalEecn) \
	F(cm_req_msg, REQ_INITIATOR_DEPTH, Req::InitiatorDepth) \
	F(cm_req_msg, REQ_REMOTE_EECN, Req::RemoteEecn) \
	F(cm_req_msg, REQ_REMOTE_CM_RESPONSE_TIMEOUT, Req::RemoteCmResponseTimeout) \
	F(cm_req_msg, REQ_TRANSPORT_SERVICE_TYPE, Req::TransportType) \
	F(cm_req_msg, REQ_END_TO_END_FLOW_CONTROL, Req::FlowControl) \
	F(cm_req_msg, REQ_STARTING_PSN, Req::StartingPsn) \
	F(cm_req_msg, REQ_LOCAL_CM_RESPONSE_TIMEOUT, Req::LocalCmResponseTimeout) \
	F(cm_req_msg, REQ_RETRY_COUNT, Req::RetryCount) \
	F(cm_req_msg, REQ_PARTITION_KEY, Req::Pkey) \
	F(cm_req_msg, REQ_PATH_PACKET_PAYLOAD_MTU, Req::PathMtu) \
	F(cm_req_msg, REQ_RDC_EXISTS, Req::RdcExists) \
	F(cm_req_msg, REQ_RNR_RETRY_COUNT, Req::RnrRetryCount) \
	F(cm_req_msg, REQ_MAX_CM_RETRIES, Req::MaxCmRetries) \
	F(cm_req_msg, REQ_SRQ, Req::Srq) \
	F(cm_req_msg, REQ_EXTENDED_TRANSPORT_TYPE, Req::ExtendedTransport) \
	F(cm_req_msg, REQ_PRIMARY_LOCAL_PORT_LID, Req::Primary::LocalLid) \
	F(cm_req_msg, REQ_PRIMARY_REMOTE_PORT_LID, Req::Primary::RemoteLid) \
	F(cm_req_msg, REQ_PRIMARY_FLOW_LABEL, Req::Primary::FlowLabel) \
	F(cm_req_msg, REQ_PRIMARY_PACKET_RATE, Req::Primary::PacketRate) \
	F(cm_req_msg, REQ_PRIMARY_TRAFFIC_CLASS, Req::Primary::TrafficClass) \
	F(cm_req_msg, REQ_PRIMARY_HOP_LIMIT, Req::Primary::HopLimit) \
	F(cm_req_msg, REQ_PRIMARY_SL, Req::Primary::Sl) \
	F(cm_req_msg, REQ_PRIMARY_SUBNET_LOCAL, Req::Primary::SubnetLocal) \
	F(cm_req_msg, REQ_PRIMARY_LOCAL_ACK_TIMEOUT, Req::Primary::LocalAckTimeout) \
	F(cm_req_msg, REQ_ALTERNATE_LOCAL_PORT_LID, Req::Alternate::LocalLid) \
	F(cm_req_msg, REQ_ALTERNATE_REMOTE_PORT_LID, Req::Alternate::RemoteLid) \
	F(cm_req_msg, REQ_ALTERNATE_FLOW_LABEL, Req::Alternate::FlowLabel) \
	F(cm_req_msg, REQ_ALTERNATE_PACKET_RATE, Req::Alternate::PacketRate) \
	F(cm_req_msg, REQ_ALTERNATE_TRAFFIC_CLASS, Req::Alternate::TrafficClass) \
	F(cm_req_msg, REQ_ALTERNATE_HOP_LIMIT, Req::Alternate::HopLimit) \
	F(cm_req_msg, REQ_ALTERNATE_SL, Req::Alternate::Sl) \
	F(cm_req_msg, REQ_ALTERNATE_SUBNET_LOCAL, Req::Alternate::SubnetLocal) \
	F(cm_req_msg, REQ_ALTERNATE_LOCAL_ACK_TIMEOUT, Req::Alternate::LocalAckTimeout) \
	F(cm_req_msg, REQ_SAP_SUPPORTED, Req::SapSupported) \
	F(cm_mra_msg, MRA_LOCAL_COMM_ID, Mra::LocalCommId) \
	F(cm_mra_msg, MRA_REMOTE_COMM_ID, Mra::RemoteCommId) \
	F(cm_mra_msg, MRA_MESSAGE_MRAED, Mra::MessageMraed) \
	F(cm_mra_msg, MRA_SERVICE_TIMEOUT, Mra::ServiceTimeout) \
	F(cm_rej_msg, REJ_LOCAL_COMM_ID, Rej::LocalCommId) \
	F(cm_rej_msg, REJ_REMOTE_COMM_ID, Rej::RemoteCommId) \
	F(cm_rej_msg, REJ_MESSAGE_REJECTED, Rej::MessageRejected) \
	F(cm_rej_msg, REJ_REJECTED_INFO_LENGTH, Rej::InfoLength) \
	F(cm_rej_msg, REJ_REASON, Rej::Reason) \
	F(cm_rep_msg, REP_LOCAL_COMM_ID, Rep::LocalCommId) \
	F(cm_rep_msg, REP_REMOTE_COMM_ID, Rep::RemoteCommId) \
	F(cm_rep_msg, REP_LOCAL_Q_KEY, Rep::LocalQkey) \
	F(cm_rep_msg, REP_LOCAL_QPN, Rep::LocalQpn) \
	F(cm_rep_msg, REP_VENDOR_ID_H, Rep::VendorIdHigh) \
	F(cm_rep_msg, REP_LOCAL_EE_CONTEXT_NUMBER, Rep::LocalEecn) \
	F(cm_rep_msg, REP_VENDOR_ID_M, Rep::VendorIdMiddle) \
	F(cm_rep_msg, REP_STARTING_PSN, Rep::StartingPsn) \
	F(cm_rep_msg, REP_VENDOR_ID_L, Rep::VendorIdLow) \
	F(cm_rep_msg, REP_RESPONDER_RESOURCES, Rep::ResponderResources) \
	F(cm_rep_msg, REP_INITIATOR_DEPTH, Rep::InitiatorDepth) \
	F(cm_rep_msg, REP_TARGET_ACK_DELAY, Rep::TargetAckDelay) \
	F(cm_rep_msg, REP_FAILOVER_ACCEPTED, Rep::FailoverAccepted) \
	F(cm_rep_msg, REP_END_TO_END_FLOW_CONTROL, Rep::FlowControl) \
	F(cm_rep_msg, REP_RNR_RETRY_COUNT, Rep::RnrRetryCount) \
	F(cm_rep_msg, REP_SRQ, Rep::Srq) \
	F(cm_rep_msg, REP_LOCAL_CA_GUID, Rep::LocalCaGuid) \
	F(cm_rtu_msg, RTU_LOCAL_COMM_ID, Rtu::LocalCommId) \
	F(cm_rtu_msg, RTU_REMOTE_COMM_ID, Rtu::RemoteCommId) \
	F(cm_dreq_msg, DREQ_LOCAL_COMM_ID, Dreq::LocalCommId) \
	F(cm_dreq_msg, DREQ_REMOTE_COMM_ID, Dreq::RemoteCommId) \
	F(cm_dreq_msg, DREQ_REMOTE_QPN_EECN, Dreq::RemoteQpn) \
	F(cm_drep_msg, DREP_LOCAL_COMM_ID, Drep::LocalCommId) \
	F(cm_drep_msg, DREP_REMOTE_COMM_ID, Drep::RemoteCommId) \
	F(cm_lap_msg, LAP_LOCAL_COMM_ID, Lap::LocalCommId) \
	F(cm_lap_msg, LAP_REMOTE_COMM_ID, Lap::RemoteCommId) \
	F(cm_lap_msg, LAP_REMOTE_QPN_EECN, Lap::RemoteQpn) \
	F(cm_lap_msg, LAP_REMOTE_CM_RESPONSE_TIMEOUT, Lap::RemoteCmResponseTimeout) \
	F(cm_lap_msg, LAP_ALTERNATE_LOCAL_PORT_LID, Lap::LocalLid) \
	F(cm_lap_msg, LAP_ALTERNATE_REMOTE_PORT_LID, Lap::RemoteLid) \
	F(cm_lap_msg, LAP_ALTERNATE_FLOW_LABEL, Lap::FlowLabel) \
	F(cm_lap_msg, LAP_ALTERNATE_TRAFFIC_CLASS, Lap::TrafficClass) \
	F(cm_lap_msg, LAP_ALTERNATE_HOP_LIMIT, Lap::HopLimit) \
	F(cm_lap_msg, LAP_ALTERNATE_PACKET_RATE, Lap::PacketRate) \
	F(cm_lap_msg, LAP_ALTERNATE_SL, Lap::Sl) \
	F(cm_lap_msg, LAP_ALTERNATE_SUBNET_LOCAL, Lap::SubnetLocal) \
	F(cm_lap_msg, LAP_ALTERNATE_LOCAL_ACK_TIMEOUT, Lap::LocalAckTimeout) \
	F(cm_apr_msg, APR_LOCAL_COMM_ID, Apr::LocalCommId) \
	F(cm_apr_msg, APR_REMOTE_COMM_ID, Apr::RemoteCommId) \
	F(cm_apr_msg, APR_ADDITIONAL_INFORMATION_LENGTH, Apr::InfoLength) \
	F(cm_apr_msg, APR_AR_STATUS, Apr::Status) \
	F(cm_sidr_req_msg, SIDR_REQ_REQUESTID, SidrReq::RequestId) \
	F(cm_sidr_req_msg, SIDR_REQ_PARTITION_KEY, SidrReq::Pkey) \
	F(cm_sidr_req_msg, SIDR_REQ_SERVICEID, SidrReq::ServiceId) \
	F(cm_sidr_rep_msg, SIDR_REP_REQUESTID, SidrRep::RequestId) \
	F(cm_sidr_rep_msg, SIDR_REP_STATUS, SidrRep::Status) \
	F(cm_sidr_rep_msg, SIDR_REP_ADDITIONAL_INFORMATION_LENGTH, SidrRep::InfoLength) \
	F(cm_sidr_rep_msg, SIDR_REP_VENDOR_ID_H, SidrRep::VendorIdHigh) \
	F(cm_sidr_rep_msg, SIDR_REP_QPN, SidrRep::Qpn) \
	F(cm_sidr_rep_msg, SIDR_REP_VENDOR_ID_L, SidrRep::VendorIdLow) \
	F(cm_sidr_rep_msg, SIDR_REP_SERVICEID, SidrRep::ServiceId) \
	F(cm_sidr_rep_msg, SIDR_REP_Q_KEY, SidrRep::Qkey)

/* F(kernel's field without its CM_, ours): bytes */
#define ORACLE_BYTES(F) \
	F(REQ_PRIMARY_LOCAL_PORT_GID, Req::Primary::LocalGid) \
	F(REQ_PRIMARY_REMOTE_PORT_GID, Req::Primary::RemoteGid) \
	F(REQ_ALTERNATE_LOCAL_PORT_GID, Req::Alternate::LocalGid) \
	F(REQ_ALTERNATE_REMOTE_PORT_GID, Req::Alternate::RemoteGid) \
	F(REQ_PRIVATE_DATA, Req::PrivateData) \
	F(MRA_PRIVATE_DATA, Mra::PrivateData) \
	F(REJ_ARI, Rej::Info) \
	F(REJ_PRIVATE_DATA, Rej::PrivateData) \
	F(REP_PRIVATE_DATA, Rep::PrivateData) \
	F(RTU_PRIVATE_DATA, Rtu::PrivateData) \
	F(DREQ_PRIVATE_DATA, Dreq::PrivateData) \
	F(DREP_PRIVATE_DATA, Drep::PrivateData) \
	F(LAP_ALTERNATE_LOCAL_PORT_GID, Lap::LocalGid) \
	F(LAP_ALTERNATE_REMOTE_PORT_GID, Lap::RemoteGid) \
	F(LAP_PRIVATE_DATA, Lap::PrivateData) \
	F(APR_ADDITIONAL_INFORMATION, Apr::Info) \
	F(APR_PRIVATE_DATA, Apr::PrivateData) \
	F(SIDR_REQ_PRIVATE_DATA, SidrReq::PrivateData) \
	F(SIDR_REP_ADDITIONAL_INFORMATION, SidrRep::Info) \
	F(SIDR_REP_PRIVATE_DATA, SidrRep::PrivateData)
/* clang-format on */

#ifdef __cplusplus
extern "C" {
#endif

struct oracle_number {
	const char *name;
	unsigned long long (*get)(unsigned char *mad);
	void (*set)(unsigned char *mad, unsigned long long value);
	unsigned long long max;
};

struct oracle_bytes {
	const char *name;
	unsigned int offset; /* from the start of the MAD */
	unsigned int bits;
};

/* In the order of the lists above. */
extern const struct oracle_number oracle_numbers[];
extern const struct oracle_bytes oracle_byte_runs[];

#ifdef __cplusplus
}
#endif

#endif /* CEP_ORACLE_FIELDS_H */
