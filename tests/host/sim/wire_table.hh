/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Every field of the eleven CM messages as IBA 12.6 places it (byte, bit, width),
 * with its variable in struct cep_msg. Written from the specification's tables, not
 * from the codec, so that it can contradict the codec. Used by fields_test.cc and
 * truncation_test.cc; no state.
 */
#ifndef CEP_SIM_WIRE_TABLE_HH
#define CEP_SIM_WIRE_TABLE_HH

#include "cep_core.h"

#include <array>
#include <cstring>
#include <span>
#include <vector>

namespace cep::sim
{

using Mad = std::array<uint8_t, CEP_MAD_SIZE>;

constexpr unsigned mad_header_size = 24;

struct WireField {
	const char *name;
	unsigned byte; /* of the message, behind the MAD header */
	unsigned bit;  /* 0 is the most significant one */
	unsigned width;
	uint64_t (*get)(const cep_msg &);
	void (*set)(cep_msg &, uint64_t);
	uint64_t least = 0; /* what a sane sender may put there */
	uint64_t most = ~uint64_t{0};

	uint64_t max() const { return width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1; }
	uint64_t top() const { return most < max() ? most : max(); }
	unsigned first_bit() const { return (mad_header_size + byte) * 8 + bit; }
	bool owns(unsigned mad_bit) const
	{
		return mad_bit >= first_bit() && mad_bit < first_bit() + width;
	}
};

struct WireMessage {
	const char *name;
	uint16_t attr;
	unsigned private_data_size;
	std::vector<WireField> fields;
	bool has_info = false; /* ARI and alike: info_byte.. */
	unsigned info_byte = 0;

	unsigned private_data_at() const { return CEP_MAD_SIZE - private_data_size; }
};

inline bool mad_bit(std::span<const uint8_t> mad, unsigned bit)
{
	return mad[bit / 8] >> (7 - bit % 8) & 1;
}

inline void flip_mad_bit(std::span<uint8_t> mad, unsigned bit)
{
	mad[bit / 8] = static_cast<uint8_t>(mad[bit / 8] ^ 1u << (7 - bit % 8));
}

inline uint64_t mad_bits(std::span<const uint8_t> mad, unsigned first, unsigned width)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < width; i++)
		value = value << 1 | (mad_bit(mad, first + i) ? 1 : 0);
	return value;
}

inline void set_mad_bits(std::span<uint8_t> mad, unsigned first, unsigned width, uint64_t value)
{
	for (unsigned i = 0; i < width; i++)
		if (mad_bit(mad, first + i) != (value >> (width - 1 - i) & 1))
			flip_mad_bit(mad, first + i);
}

inline uint64_t load_half(const uint8_t *gid, unsigned half)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 8; i++)
		value = value << 8 | gid[half * 8 + i];
	return value;
}

inline void store_half(uint8_t *gid, unsigned half, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		gid[half * 8 + i] = static_cast<uint8_t>(value >> (56 - 8 * i));
}

/* The tables speak of "name, byte, bit, width, variable". */
#define CEP_WIRE(label, byte, bit, width, var)                                                     \
	WireField                                                                                  \
	{                                                                                          \
		label, byte, bit, width, [](const cep_msg &m) -> uint64_t { return m.var; },       \
			[](cep_msg &m, uint64_t v) { m.var = static_cast<decltype(m.var)>(v); },   \
			0, ~uint64_t                                                               \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}
#define CEP_WIRE_IN(label, byte, bit, width, var, least, most)                                     \
	WireField                                                                                  \
	{                                                                                          \
		label, byte, bit, width, [](const cep_msg &m) -> uint64_t { return m.var; },       \
			[](cep_msg &m, uint64_t v) { m.var = static_cast<decltype(m.var)>(v); },   \
			least, most                                                                \
	}
#define CEP_WIRE_GID(label, byte, var)                                                             \
	WireField{label " (prefix)",                                                               \
		  byte,                                                                            \
		  0,                                                                               \
		  64,                                                                              \
		  [](const cep_msg &m) { return load_half(m.var, 0); },                            \
		  [](cep_msg &m, uint64_t v) { store_half(m.var, 0, v); },                         \
		  0,                                                                               \
		  ~uint64_t{0}},                                                                   \
		WireField                                                                          \
	{                                                                                          \
		label " (interface)", byte + 8, 0, 64,                                             \
			[](const cep_msg &m) { return load_half(m.var, 1); },                      \
			[](cep_msg &m, uint64_t v) { store_half(m.var, 1, v); }, 0, ~uint64_t      \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}
#define CEP_WIRE_REQ_PATH(label, base, p)                                                          \
	CEP_WIRE(label " local LID", base, 0, 16, p.local_lid),                                    \
		CEP_WIRE(label " remote LID", base + 2, 0, 16, p.remote_lid),                      \
		CEP_WIRE_GID(label " local GID", base + 4, p.local_gid),                           \
		CEP_WIRE_GID(label " remote GID", base + 20, p.remote_gid),                        \
		CEP_WIRE(label " flow label", base + 36, 0, 20, p.flow_label),                     \
		CEP_WIRE(label " packet rate", base + 39, 2, 6, p.packet_rate),                    \
		CEP_WIRE(label " traffic class", base + 40, 0, 8, p.traffic_class),                \
		CEP_WIRE(label " hop limit", base + 41, 0, 8, p.hop_limit),                        \
		CEP_WIRE(label " SL", base + 42, 0, 4, p.sl),                                      \
		CEP_WIRE(label " subnet local", base + 42, 4, 1, p.subnet_local),                  \
		CEP_WIRE(label " local ACK timeout", base + 43, 0, 5, p.local_ack_timeout_exp)
#define CEP_WIRE_IDS                                                                               \
	CEP_WIRE_IN("local comm ID", 0, 0, 32, local_comm_id, 1, ~uint64_t{0}),                    \
		CEP_WIRE_IN("remote comm ID", 4, 0, 32, remote_comm_id, 1, ~uint64_t{0})

/* The transport type and the vendor IDs in pieces have tests of their own. */
inline const std::vector<WireMessage> &wire_messages()
{
	static const std::vector<WireMessage> messages = {
		{"REQ",
		 CEP_ATTR_REQ,
		 92,
		 {CEP_WIRE_IN("local comm ID", 0, 0, 32, local_comm_id, 1, ~uint64_t{0}),
		  CEP_WIRE("vendor ID", 5, 0, 24, req.ece_vendor_id),
		  CEP_WIRE("service ID", 8, 0, 64, req.service_id),
		  CEP_WIRE("local CA GUID", 16, 0, 64, req.local_ca_guid),
		  CEP_WIRE("local Q_Key", 28, 0, 32, req.local_qkey),
		  CEP_WIRE_IN("local QPN", 32, 0, 24, req.local_qpn, 2, ~uint64_t{0}),
		  CEP_WIRE("responder resources", 35, 0, 8, req.responder_resources),
		  CEP_WIRE("local EECN", 36, 0, 24, req.local_eecn),
		  CEP_WIRE("initiator depth", 39, 0, 8, req.initiator_depth),
		  CEP_WIRE("remote EECN", 40, 0, 24, req.remote_eecn),
		  CEP_WIRE("remote CM response timeout", 43, 0, 5,
			   req.remote_cm_response_timeout_exp),
		  CEP_WIRE("end-to-end flow control", 43, 7, 1, req.flow_control),
		  CEP_WIRE("starting PSN", 44, 0, 24, req.starting_psn),
		  CEP_WIRE("local CM response timeout", 47, 0, 5,
			   req.local_cm_response_timeout_exp),
		  CEP_WIRE("retry count", 47, 5, 3, req.retry_count),
		  CEP_WIRE("P_Key", 48, 0, 16, req.pkey),
		  CEP_WIRE("path MTU", 50, 0, 4, req.path_mtu),
		  CEP_WIRE("RDC exists", 50, 4, 1, req.rdc_exists),
		  CEP_WIRE("RNR retry count", 50, 5, 3, req.rnr_retry_count),
		  CEP_WIRE("max CM retries", 51, 0, 4, req.max_cm_retries),
		  CEP_WIRE("SRQ", 51, 4, 1, req.srq),
		  CEP_WIRE_REQ_PATH("primary", 52, req.primary),
		  CEP_WIRE_REQ_PATH("alternate", 96, req.alternate),
		  CEP_WIRE("SAP supported", 139, 5, 1, req.sap_supported)}},
		{"MRA",
		 CEP_ATTR_MRA,
		 222,
		 {CEP_WIRE_IDS, CEP_WIRE_IN("message MRAed", 8, 0, 2, mra.which, 0, 2),
		  CEP_WIRE("service timeout", 9, 0, 5, mra.service_timeout_exp)}},
		{"REJ",
		 CEP_ATTR_REJ,
		 148,
		 {CEP_WIRE("local comm ID", 0, 0, 32, local_comm_id),
		  CEP_WIRE("remote comm ID", 4, 0, 32, remote_comm_id),
		  CEP_WIRE_IN("message rejected", 8, 0, 2, rej.which, 0, 2),
		  CEP_WIRE_IN("info length", 9, 0, 7, rej.ari_len, 0, CEP_ARI_SIZE),
		  CEP_WIRE("reason", 10, 0, 16, rej.reason)},
		 true,
		 12},
		{"REP",
		 CEP_ATTR_REP,
		 196,
		 {CEP_WIRE_IDS, CEP_WIRE("local Q_Key", 8, 0, 32, rep.local_qkey),
		  CEP_WIRE_IN("local QPN", 12, 0, 24, rep.local_qpn, 2, ~uint64_t{0}),
		  CEP_WIRE("local EECN", 16, 0, 24, rep.local_eecn),
		  CEP_WIRE("starting PSN", 20, 0, 24, rep.starting_psn),
		  CEP_WIRE("responder resources", 24, 0, 8, rep.responder_resources),
		  CEP_WIRE("initiator depth", 25, 0, 8, rep.initiator_depth),
		  CEP_WIRE("target ACK delay", 26, 0, 5, rep.target_ack_delay_exp),
		  CEP_WIRE("failover accepted", 26, 5, 2, rep.failover_accepted),
		  CEP_WIRE("end-to-end flow control", 26, 7, 1, rep.flow_control),
		  CEP_WIRE("RNR retry count", 27, 0, 3, rep.rnr_retry_count),
		  CEP_WIRE("SRQ", 27, 3, 1, rep.srq),
		  CEP_WIRE("local CA GUID", 28, 0, 64, rep.local_ca_guid)}},
		{"RTU", CEP_ATTR_RTU, 224, {CEP_WIRE_IDS}},
		{"DREQ",
		 CEP_ATTR_DREQ,
		 220,
		 {CEP_WIRE_IDS, CEP_WIRE("remote QPN", 8, 0, 24, dreq.remote_qpn)}},
		{"DREP", CEP_ATTR_DREP, 224, {CEP_WIRE_IDS}},
		{"SIDR_REQ",
		 CEP_ATTR_SIDR_REQ,
		 216,
		 {CEP_WIRE("request ID", 0, 0, 32, local_comm_id),
		  CEP_WIRE("P_Key", 4, 0, 16, sidr_req.pkey),
		  CEP_WIRE("service ID", 8, 0, 64, sidr_req.service_id)}},
		{"SIDR_REP",
		 CEP_ATTR_SIDR_REP,
		 136,
		 {CEP_WIRE("request ID", 0, 0, 32, local_comm_id),
		  CEP_WIRE("status", 4, 0, 8, sidr_rep.status),
		  CEP_WIRE_IN("info length", 5, 0, 8, sidr_rep.info_len, 0, CEP_ARI_SIZE),
		  CEP_WIRE("QPN", 8, 0, 24, sidr_rep.qpn),
		  CEP_WIRE("service ID", 12, 0, 64, sidr_rep.service_id),
		  CEP_WIRE("Q_Key", 20, 0, 32, sidr_rep.qkey)},
		 true,
		 24},
		{"LAP",
		 CEP_ATTR_LAP,
		 168,
		 {CEP_WIRE_IDS, CEP_WIRE("remote QPN", 12, 0, 24, lap.remote_qpn),
		  CEP_WIRE("remote CM response timeout", 15, 0, 5,
			   lap.remote_cm_response_timeout_exp),
		  CEP_WIRE("local LID", 20, 0, 16, lap.alternate.local_lid),
		  CEP_WIRE("remote LID", 22, 0, 16, lap.alternate.remote_lid),
		  CEP_WIRE_GID("local GID", 24, lap.alternate.local_gid),
		  CEP_WIRE_GID("remote GID", 40, lap.alternate.remote_gid),
		  CEP_WIRE("flow label", 56, 0, 20, lap.alternate.flow_label),
		  CEP_WIRE("traffic class", 59, 0, 8, lap.alternate.traffic_class),
		  CEP_WIRE("hop limit", 60, 0, 8, lap.alternate.hop_limit),
		  CEP_WIRE("packet rate", 61, 2, 6, lap.alternate.packet_rate),
		  CEP_WIRE("SL", 62, 0, 4, lap.alternate.sl),
		  CEP_WIRE("subnet local", 62, 4, 1, lap.alternate.subnet_local),
		  CEP_WIRE("local ACK timeout", 63, 0, 5, lap.alternate.local_ack_timeout_exp)}},
		{"APR",
		 CEP_ATTR_APR,
		 148,
		 {CEP_WIRE_IDS, CEP_WIRE_IN("info length", 8, 0, 8, apr.info_len, 0, CEP_ARI_SIZE),
		  CEP_WIRE("status", 9, 0, 8, apr.status)},
		 true,
		 12},
	};
	return messages;
}

#undef CEP_WIRE
#undef CEP_WIRE_IN
#undef CEP_WIRE_GID
#undef CEP_WIRE_REQ_PATH
#undef CEP_WIRE_IDS

/* Pointers of a message with additional information, whichever it is. */
inline const uint8_t *&info_pointer(cep_msg &msg)
{
	switch (msg.attr) {
	case CEP_ATTR_REJ: return msg.rej.ari;
	case CEP_ATTR_APR: return msg.apr.info;
	default: return msg.sidr_rep.info;
	}
}

/* A message with every field at a value of its own, so that a swap shows. */
inline cep_msg ordinary_message(const WireMessage &wm, std::span<const uint8_t> data)
{
	cep_msg msg;
	uint64_t seed = 0x9e3779b97f4a7c15u;

	std::memset(&msg, 0, sizeof(msg));
	msg.attr = wm.attr;
	msg.tid = 0x0123456789abcdefu;
	for (const WireField &f : wm.fields) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		uint64_t v = (seed >> 11 ^ seed << 19) & f.max();
		if (v < f.least)
			v = f.least;
		if (v > f.top())
			v = f.top();
		f.set(msg, v);
	}
	if (wm.attr == CEP_ATTR_REQ)
		msg.req.transport = CEP_TRANSPORT_RC;
	if (wm.attr == CEP_ATTR_REP)
		msg.rep.local_eecn = 0; /* not XRC, whose REP names its QP there */
	if (wm.has_info)
		info_pointer(msg) = data.data();
	msg.private_data = data.data();
	msg.private_data_len = static_cast<uint8_t>(wm.private_data_size);
	return msg;
}

} // namespace cep::sim

#endif /* CEP_SIM_WIRE_TABLE_HH */
