/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The codec. Each message lists its fields once, in a visit() function; reading,
 * range checking and writing are three visitors over the same list, so that no
 * field can be read but not written or not checked. Bytes from the wire are
 * hostile until read_message() has returned CEP_PARSE_OK.
 */
#include "codec.hh"
#include "ids.hh"
#include "messages.hh"

namespace cep
{
namespace
{

struct Reader {
	const uint8_t *mad;

	template <class F, class T> void field(T &value)
	{
		static_assert(F::max <= static_cast<T>(~T{0}),
			      "the field is wider than its variable");
		value = static_cast<T>(F::get(mad));
	}

	template <class F> void gid(uint8_t (&value)[16])
	{
		static_assert(F::size == sizeof(value));
		__builtin_memcpy(value, F::at(mad), sizeof(value));
	}
};

struct Checker {
	bool ok = true;

	template <class F, class T> void field(const T &value) { ok = ok && F::fits(value); }

	template <class F> void gid(const uint8_t (&)[16]) {}
};

struct Writer {
	uint8_t *mad;

	template <class F, class T> void field(const T &value) { F::set(mad, value); }

	template <class F> void gid(const uint8_t (&value)[16])
	{
		__builtin_memcpy(F::at(mad), value, sizeof(value));
	}
};

/* P is one of the wire's path layouts, Path a cep_path, const or not. */
template <class P, class V, class Path> void visit_path(V &v, Path &path)
{
	v.template field<typename P::LocalLid>(path.local_lid);
	v.template field<typename P::RemoteLid>(path.remote_lid);
	v.template gid<typename P::LocalGid>(path.local_gid);
	v.template gid<typename P::RemoteGid>(path.remote_gid);
	v.template field<typename P::FlowLabel>(path.flow_label);
	v.template field<typename P::PacketRate>(path.packet_rate);
	v.template field<typename P::TrafficClass>(path.traffic_class);
	v.template field<typename P::HopLimit>(path.hop_limit);
	v.template field<typename P::Sl>(path.sl);
	v.template field<typename P::SubnetLocal>(path.subnet_local);
	v.template field<typename P::LocalAckTimeout>(path.local_ack_timeout_exp);
}

/* All but the two fields that make up the transport. */
template <class V, class M> void visit_req(V &v, M &req)
{
	using wire::Req;

	v.template field<Req::VendorId>(req.ece_vendor_id);
	v.template field<Req::ServiceId>(req.service_id);
	v.template field<Req::LocalCaGuid>(req.local_ca_guid);
	v.template field<Req::LocalQkey>(req.local_qkey);
	v.template field<Req::LocalQpn>(req.local_qpn);
	v.template field<Req::ResponderResources>(req.responder_resources);
	v.template field<Req::LocalEecn>(req.local_eecn);
	v.template field<Req::InitiatorDepth>(req.initiator_depth);
	v.template field<Req::RemoteEecn>(req.remote_eecn);
	v.template field<Req::RemoteCmResponseTimeout>(req.remote_cm_response_timeout_exp);
	v.template field<Req::FlowControl>(req.flow_control);
	v.template field<Req::StartingPsn>(req.starting_psn);
	v.template field<Req::LocalCmResponseTimeout>(req.local_cm_response_timeout_exp);
	v.template field<Req::RetryCount>(req.retry_count);
	v.template field<Req::Pkey>(req.pkey);
	v.template field<Req::PathMtu>(req.path_mtu);
	v.template field<Req::RdcExists>(req.rdc_exists);
	v.template field<Req::RnrRetryCount>(req.rnr_retry_count);
	v.template field<Req::MaxCmRetries>(req.max_cm_retries);
	v.template field<Req::Srq>(req.srq);
	v.template field<Req::SapSupported>(req.sap_supported);
	visit_path<Req::Primary>(v, req.primary);
	visit_path<Req::Alternate>(v, req.alternate);
}

/* All but the vendor ID, which lies in three pieces. */
template <class V, class M> void visit_rep(V &v, M &rep)
{
	using wire::Rep;

	v.template field<Rep::LocalQkey>(rep.local_qkey);
	v.template field<Rep::LocalQpn>(rep.local_qpn);
	v.template field<Rep::LocalEecn>(rep.local_eecn);
	v.template field<Rep::StartingPsn>(rep.starting_psn);
	v.template field<Rep::ResponderResources>(rep.responder_resources);
	v.template field<Rep::InitiatorDepth>(rep.initiator_depth);
	v.template field<Rep::TargetAckDelay>(rep.target_ack_delay_exp);
	v.template field<Rep::FailoverAccepted>(rep.failover_accepted);
	v.template field<Rep::FlowControl>(rep.flow_control);
	v.template field<Rep::RnrRetryCount>(rep.rnr_retry_count);
	v.template field<Rep::Srq>(rep.srq);
	v.template field<Rep::LocalCaGuid>(rep.local_ca_guid);
}

template <class V, class M> void visit_mra(V &v, M &mra)
{
	v.template field<wire::Mra::MessageMraed>(mra.which);
	v.template field<wire::Mra::ServiceTimeout>(mra.service_timeout_exp);
}

template <class V, class M> void visit_rej(V &v, M &rej)
{
	v.template field<wire::Rej::MessageRejected>(rej.which);
	v.template field<wire::Rej::InfoLength>(rej.ari_len);
	v.template field<wire::Rej::Reason>(rej.reason);
}

template <class V, class M> void visit_dreq(V &v, M &dreq)
{
	v.template field<wire::Dreq::RemoteQpn>(dreq.remote_qpn);
}

template <class V, class M> void visit_lap(V &v, M &lap)
{
	v.template field<wire::Lap::RemoteQpn>(lap.remote_qpn);
	v.template field<wire::Lap::RemoteCmResponseTimeout>(lap.remote_cm_response_timeout_exp);
	visit_path<wire::Lap>(v, lap.alternate);
}

template <class V, class M> void visit_apr(V &v, M &apr)
{
	v.template field<wire::Apr::InfoLength>(apr.info_len);
	v.template field<wire::Apr::Status>(apr.status);
}

template <class V, class M> void visit_sidr_req(V &v, M &sidr)
{
	v.template field<wire::SidrReq::Pkey>(sidr.pkey);
	v.template field<wire::SidrReq::ServiceId>(sidr.service_id);
}

/* All but the vendor ID, which lies in two pieces. */
template <class V, class M> void visit_sidr_rep(V &v, M &sidr)
{
	v.template field<wire::SidrRep::Status>(sidr.status);
	v.template field<wire::SidrRep::InfoLength>(sidr.info_len);
	v.template field<wire::SidrRep::Qpn>(sidr.qpn);
	v.template field<wire::SidrRep::ServiceId>(sidr.service_id);
	v.template field<wire::SidrRep::Qkey>(sidr.qkey);
}

/* The communication IDs have one place in all messages but the two of SIDR. */
using AnyLocalCommId = wire::Mra::LocalCommId;
using AnyRemoteCommId = wire::Mra::RemoteCommId;
static_assert(AnyLocalCommId::offset == wire::Req::LocalCommId::offset);
static_assert(AnyLocalCommId::offset == wire::SidrReq::RequestId::offset);
static_assert(AnyLocalCommId::offset == wire::SidrRep::RequestId::offset);

constexpr bool has_remote_comm_id(unsigned attr)
{
	return attr != CEP_ATTR_REQ && attr != CEP_ATTR_SIDR_REQ && attr != CEP_ATTR_SIDR_REP;
}

constexpr unsigned private_data_size(unsigned attr)
{
	switch (attr) {
	case CEP_ATTR_REQ: return wire::Req::PrivateData::size;
	case CEP_ATTR_MRA: return wire::Mra::PrivateData::size;
	case CEP_ATTR_REJ: return wire::Rej::PrivateData::size;
	case CEP_ATTR_REP: return wire::Rep::PrivateData::size;
	case CEP_ATTR_RTU: return wire::Rtu::PrivateData::size;
	case CEP_ATTR_DREQ: return wire::Dreq::PrivateData::size;
	case CEP_ATTR_DREP: return wire::Drep::PrivateData::size;
	case CEP_ATTR_SIDR_REQ: return wire::SidrReq::PrivateData::size;
	case CEP_ATTR_SIDR_REP: return wire::SidrRep::PrivateData::size;
	case CEP_ATTR_LAP: return wire::Lap::PrivateData::size;
	case CEP_ATTR_APR: return wire::Apr::PrivateData::size;
	default: return 0;
	}
}

/* Private data ends every message. */
constexpr unsigned private_data_offset(unsigned attr)
{
	return CEP_MAD_SIZE - private_data_size(attr);
}

uint8_t fold_transport(unsigned type, unsigned extended)
{
	if (type != CEP_TRANSPORT_XRC)
		return static_cast<uint8_t>(type);
	return extended == 1 ? static_cast<uint8_t>(CEP_TRANSPORT_XRC) : transport_reserved;
}

/*
 * Numbers that no sane sender puts there, beyond what the widths exclude. What
 * a REQ may ask for is another question and gets an answer: cep_core_check_req().
 */
bool sane(const cep_msg &msg)
{
	const bool both = msg.local_comm_id && msg.remote_comm_id;

	switch (msg.attr) {
	case CEP_ATTR_REQ: return msg.local_comm_id && connectable(Qpn{msg.req.local_qpn});
	case CEP_ATTR_REP:
		/* XRC names the QP in the field of the EE context */
		return both && (connectable(Qpn{msg.rep.local_qpn}) ||
				connectable(Qpn{msg.rep.local_eecn}));
	case CEP_ATTR_MRA: return both && msg.mra.which <= CEP_WHICH_OTHER;
	case CEP_ATTR_REJ:
		/* who rejects a REQ may have no ID; who gives up on one knows no peer */
		return (msg.local_comm_id || msg.remote_comm_id) &&
		       msg.rej.which <= CEP_WHICH_OTHER && msg.rej.ari_len <= CEP_ARI_SIZE;
	case CEP_ATTR_APR: return both && msg.apr.info_len <= CEP_ARI_SIZE;
	case CEP_ATTR_SIDR_REP: return msg.sidr_rep.info_len <= CEP_ARI_SIZE;
	case CEP_ATTR_SIDR_REQ: return true;
	default: return both;
	}
}

void read_body(const uint8_t *mad, uint32_t attr_mod, cep_msg &msg)
{
	Reader reader{mad};

	switch (msg.attr) {
	case CEP_ATTR_REQ:
		visit_req(reader, msg.req);
		msg.req.transport =
			fold_transport(unsigned(wire::Req::TransportType::get(mad)),
				       unsigned(wire::Req::ExtendedTransport::get(mad)));
		msg.req.ece_attr_mod = attr_mod;
		break;
	case CEP_ATTR_MRA: visit_mra(reader, msg.mra); break;
	case CEP_ATTR_REJ:
		visit_rej(reader, msg.rej);
		msg.rej.ari = wire::Rej::Info::at(mad);
		break;
	case CEP_ATTR_REP:
		visit_rep(reader, msg.rep);
		msg.rep.ece_vendor_id = uint32_t(wire::Rep::VendorIdHigh::get(mad) << 16 |
						 wire::Rep::VendorIdMiddle::get(mad) << 8 |
						 wire::Rep::VendorIdLow::get(mad));
		msg.rep.ece_attr_mod = attr_mod;
		break;
	case CEP_ATTR_DREQ: visit_dreq(reader, msg.dreq); break;
	case CEP_ATTR_LAP: visit_lap(reader, msg.lap); break;
	case CEP_ATTR_APR:
		visit_apr(reader, msg.apr);
		msg.apr.info = wire::Apr::Info::at(mad);
		break;
	case CEP_ATTR_SIDR_REQ: visit_sidr_req(reader, msg.sidr_req); break;
	case CEP_ATTR_SIDR_REP:
		visit_sidr_rep(reader, msg.sidr_rep);
		msg.sidr_rep.vendor_id = uint32_t(wire::SidrRep::VendorIdHigh::get(mad) << 8 |
						  wire::SidrRep::VendorIdLow::get(mad));
		msg.sidr_rep.attr_mod = attr_mod;
		msg.sidr_rep.info = wire::SidrRep::Info::at(mad);
		break;
	default: /* RTU and DREP have no body */ break;
	}
}

bool info_there(const uint8_t *info, unsigned len)
{
	return len <= CEP_ARI_SIZE && (info || !len);
}

bool body_fits(const cep_msg &msg)
{
	Checker checker;

	switch (msg.attr) {
	case CEP_ATTR_REQ:
		visit_req(checker, msg.req);
		return checker.ok && msg.req.transport < transport_reserved;
	case CEP_ATTR_MRA: visit_mra(checker, msg.mra); return checker.ok;
	case CEP_ATTR_REJ:
		visit_rej(checker, msg.rej);
		return checker.ok && info_there(msg.rej.ari, msg.rej.ari_len);
	case CEP_ATTR_REP:
		visit_rep(checker, msg.rep);
		return checker.ok && msg.rep.ece_vendor_id <= 0xffffff;
	case CEP_ATTR_DREQ: visit_dreq(checker, msg.dreq); return checker.ok;
	case CEP_ATTR_LAP: visit_lap(checker, msg.lap); return checker.ok;
	case CEP_ATTR_APR:
		visit_apr(checker, msg.apr);
		return checker.ok && info_there(msg.apr.info, msg.apr.info_len);
	case CEP_ATTR_SIDR_REQ: visit_sidr_req(checker, msg.sidr_req); return checker.ok;
	case CEP_ATTR_SIDR_REP:
		visit_sidr_rep(checker, msg.sidr_rep);
		return checker.ok && msg.sidr_rep.vendor_id <= 0xffffff &&
		       info_there(msg.sidr_rep.info, msg.sidr_rep.info_len);
	default: return true;
	}
}

void copy_info(uint8_t *to, const uint8_t *info, unsigned len)
{
	if (len)
		__builtin_memcpy(to, info, len);
}

/* Returns the attribute modifier that goes into the header. */
uint32_t write_body(const cep_msg &msg, uint8_t *mad)
{
	Writer writer{mad};

	switch (msg.attr) {
	case CEP_ATTR_REQ:
		visit_req(writer, msg.req);
		wire::Req::TransportType::set(mad, msg.req.transport);
		wire::Req::ExtendedTransport::set(mad,
						  msg.req.transport == CEP_TRANSPORT_XRC ? 1 : 0);
		return msg.req.ece_attr_mod;
	case CEP_ATTR_MRA: visit_mra(writer, msg.mra); return 0;
	case CEP_ATTR_REJ:
		visit_rej(writer, msg.rej);
		copy_info(wire::Rej::Info::at(mad), msg.rej.ari, msg.rej.ari_len);
		return 0;
	case CEP_ATTR_REP:
		visit_rep(writer, msg.rep);
		wire::Rep::VendorIdHigh::set(mad, msg.rep.ece_vendor_id >> 16);
		wire::Rep::VendorIdMiddle::set(mad, msg.rep.ece_vendor_id >> 8 & 0xff);
		wire::Rep::VendorIdLow::set(mad, msg.rep.ece_vendor_id & 0xff);
		return msg.rep.ece_attr_mod;
	case CEP_ATTR_DREQ: visit_dreq(writer, msg.dreq); return 0;
	case CEP_ATTR_LAP: visit_lap(writer, msg.lap); return 0;
	case CEP_ATTR_APR:
		visit_apr(writer, msg.apr);
		copy_info(wire::Apr::Info::at(mad), msg.apr.info, msg.apr.info_len);
		return 0;
	case CEP_ATTR_SIDR_REQ: visit_sidr_req(writer, msg.sidr_req); return 0;
	case CEP_ATTR_SIDR_REP:
		visit_sidr_rep(writer, msg.sidr_rep);
		wire::SidrRep::VendorIdHigh::set(mad, msg.sidr_rep.vendor_id >> 8);
		wire::SidrRep::VendorIdLow::set(mad, msg.sidr_rep.vendor_id & 0xff);
		copy_info(wire::SidrRep::Info::at(mad), msg.sidr_rep.info, msg.sidr_rep.info_len);
		return msg.sidr_rep.attr_mod;
	default: return 0;
	}
}

} // namespace

cep_parse parse(const uint8_t *mad, size_t len, cep_msg &msg)
{
	namespace header = wire::header;

	if (len < CEP_MAD_SIZE)
		return CEP_PARSE_SHORT;
	if (mad[header::base_version_at] != header::base_version)
		return CEP_PARSE_BASE_VERSION;
	if (mad[header::class_at] != header::cm_class)
		return CEP_PARSE_CLASS;

	msg.tid = load_be<8>(mad + header::tid_at);
	msg.attr = static_cast<uint16_t>(load_be<2>(mad + header::attr_at));
	msg.local_comm_id = static_cast<uint32_t>(AnyLocalCommId::get(mad));
	msg.remote_comm_id =
		has_remote_comm_id(msg.attr) ? static_cast<uint32_t>(AnyRemoteCommId::get(mad)) : 0;
	const unsigned size = private_data_size(msg.attr);
	msg.private_data_len = static_cast<uint8_t>(size);
	msg.private_data = mad + private_data_offset(msg.attr);

	/* From here on the IDs are there: a REQ of another version can be rejected. */
	if (mad[header::class_version_at] != header::cm_class_version)
		return CEP_PARSE_CLASS_VERSION;
	if (mad[header::method_at] != header::method_send)
		return CEP_PARSE_METHOD;
	if (!size)
		return CEP_PARSE_ATTR;

	read_body(mad, static_cast<uint32_t>(load_be<4>(mad + header::attr_mod_at)), msg);
	return sane(msg) ? CEP_PARSE_OK : CEP_PARSE_FIELD;
}

bool path_present(const cep_path &path)
{
	uint8_t any = 0;

	for (uint8_t byte : path.local_gid)
		any |= byte;
	return any || path.local_lid;
}

bool writable(const cep_msg &msg)
{
	const unsigned size = private_data_size(msg.attr);

	if (!size || msg.private_data_len > size || (msg.private_data_len && !msg.private_data))
		return false;
	return body_fits(msg) && sane(msg);
}

void encode(const cep_msg &msg, uint8_t *mad)
{
	namespace header = wire::header;

	__builtin_memset(mad, 0, CEP_MAD_SIZE);
	mad[header::base_version_at] = header::base_version;
	mad[header::class_at] = header::cm_class;
	mad[header::class_version_at] = header::cm_class_version;
	mad[header::method_at] = header::method_send;
	store_be<8>(mad + header::tid_at, msg.tid);
	store_be<2>(mad + header::attr_at, msg.attr);

	AnyLocalCommId::set(mad, msg.local_comm_id);
	if (has_remote_comm_id(msg.attr))
		AnyRemoteCommId::set(mad, msg.remote_comm_id);
	store_be<4>(mad + header::attr_mod_at, write_body(msg, mad));
	if (msg.private_data_len)
		__builtin_memcpy(mad + private_data_offset(msg.attr), msg.private_data,
				 msg.private_data_len);
}

} // namespace cep
