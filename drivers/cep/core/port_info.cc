/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ClassPortInfo: the one attribute of the CM class that is asked for with Get, and what a
 * redirecting peer sends as additional information. Parsing, the answers to Gets, and
 * redirects, all without a CEP. Called by the shell through the boundary. No locks.
 * IBA 13.4.7, 13.4.8.1, 12.6.7 (table 109, reasons 24 and 25), 12.11.
 */
#include "cep_core.h"
#include "messages.hh"

namespace cep
{
namespace
{

using Info = wire::ClassPortInfo;

/* IBA table 116 (13.4.7): the code sits in bits 2..4 of the status. */
constexpr uint16_t status_bad_version = 1 << 2;
constexpr uint16_t status_bad_method = 2 << 2;
constexpr uint16_t status_bad_attr = 3 << 2;

/* ClassPortInfo lies where the messages lie, so a MAD is made around it to read one. */
void read_info(const uint8_t *mad, cep_class_port_info &info)
{
	info.base_version = static_cast<uint8_t>(Info::BaseVersion::get(mad));
	info.class_version = static_cast<uint8_t>(Info::ClassVersion::get(mad));
	info.capability_mask = static_cast<uint16_t>(Info::CapabilityMask::get(mad));
	info.capability_mask2 = static_cast<uint32_t>(Info::CapabilityMask2::get(mad));
	info.resp_time_exp = static_cast<uint8_t>(Info::RespTimeValue::get(mad));
	__builtin_memcpy(info.redirect_gid, Info::RedirectGid::at(mad), sizeof(info.redirect_gid));
	info.redirect_tc = static_cast<uint8_t>(Info::RedirectTc::get(mad));
	info.redirect_sl = static_cast<uint8_t>(Info::RedirectSl::get(mad));
	info.redirect_flow_label = static_cast<uint32_t>(Info::RedirectFl::get(mad));
	info.redirect_lid = static_cast<uint16_t>(Info::RedirectLid::get(mad));
	info.redirect_pkey = static_cast<uint16_t>(Info::RedirectPkey::get(mad));
	info.redirect_qpn = static_cast<uint32_t>(Info::RedirectQp::get(mad));
	info.redirect_qkey = static_cast<uint32_t>(Info::RedirectQkey::get(mad));
}

/* Ours: nothing is redirected, no trap is sent; 0 means so in all those fields. */
void write_info(uint8_t resp_time_exp, uint8_t *mad)
{
	Info::BaseVersion::set(mad, wire::header::base_version);
	Info::ClassVersion::set(mad, wire::header::cm_class_version);
	Info::RespTimeValue::set(mad, resp_time_exp & 0x1fu);
}

bool any(const uint8_t (&gid)[16])
{
	uint8_t bits = 0;

	for (uint8_t byte : gid)
		bits |= byte;
	return bits;
}

} // namespace
} // namespace cep

int cep_core_answer_get(const uint8_t *mad, size_t len, uint8_t resp_time_exp, uint8_t *tx)
{
	namespace header = cep::wire::header;

	if (len < CEP_MAD_SIZE || mad[header::base_version_at] != header::base_version ||
	    mad[header::class_at] != header::cm_class)
		return 0;
	const uint8_t method = mad[header::method_at];
	if (method != header::method_get && method != header::method_set)
		return 0;

	const uint64_t attr = cep::load_be<2>(mad + header::attr_at);
	uint16_t status = 0;
	if (mad[header::class_version_at] != header::cm_class_version)
		status = cep::status_bad_version;
	else if (method == header::method_set)
		status = cep::status_bad_method;
	else if (attr != CEP_ATTR_CLASS_PORT_INFO)
		status = cep::status_bad_attr;

	__builtin_memset(tx, 0, CEP_MAD_SIZE);
	tx[header::base_version_at] = header::base_version;
	tx[header::class_at] = header::cm_class;
	tx[header::class_version_at] = header::cm_class_version;
	tx[header::method_at] = header::method_get_resp;
	cep::store_be<2>(tx + header::status_at, status);
	__builtin_memcpy(tx + header::tid_at, mad + header::tid_at, 8);
	cep::store_be<2>(tx + header::attr_at, attr);
	__builtin_memcpy(tx + header::attr_mod_at, mad + header::attr_mod_at, 4);
	if (!status)
		cep::write_info(resp_time_exp, tx);
	return 1;
}

int cep_core_parse_class_port_info(const uint8_t *bytes, size_t len, cep_class_port_info *info)
{
	uint8_t mad[cep::mad_header_size + CEP_ARI_SIZE];

	*info = cep_class_port_info{};
	if (!bytes || len < CEP_ARI_SIZE)
		return 0;
	__builtin_memcpy(mad + cep::mad_header_size, bytes, CEP_ARI_SIZE);
	cep::read_info(mad, *info);
	return 1;
}

int cep_core_redirect(const cep_msg *msg, cep_redirect *to)
{
	const uint8_t *bytes = nullptr;
	uint8_t len = 0;

	*to = cep_redirect{};
	switch (msg->attr) {
	case CEP_ATTR_REJ:
		if (msg->rej.reason != CEP_REJ_PORT_CM_REDIRECT &&
		    msg->rej.reason != CEP_REJ_PORT_REDIRECT)
			return 0;
		to->cm_too = msg->rej.reason == CEP_REJ_PORT_CM_REDIRECT;
		bytes = msg->rej.ari;
		len = msg->rej.ari_len;
		break;
	case CEP_ATTR_APR:
		if (msg->apr.status != CEP_APR_REDIRECT)
			return 0;
		to->cm_too = 1;
		bytes = msg->apr.info;
		len = msg->apr.info_len;
		break;
	case CEP_ATTR_SIDR_REP:
		if (msg->sidr_rep.status != CEP_SIDR_REDIRECT)
			return 0;
		to->cm_too = 1;
		bytes = msg->sidr_rep.info;
		len = msg->sidr_rep.info_len;
		break;
	default: return 0;
	}

	if (cep_core_parse_class_port_info(bytes, len, &to->info)) {
		to->has_info = 1;
	} else if (bytes && msg->attr == CEP_ATTR_REJ && !to->cm_too &&
		   len >= sizeof(to->info.redirect_gid)) {
		/* Port redirection alone: gateways are known that send the GID and no more */
		__builtin_memcpy(to->info.redirect_gid, bytes, sizeof(to->info.redirect_gid));
	} else {
		return 0;
	}
	to->has_gid = cep::any(to->info.redirect_gid);
	to->has_lid = to->info.redirect_lid != 0;
	/* Nowhere is no redirection */
	return to->has_gid || to->has_lid;
}
