/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Which REQs a CM has to refuse, with the reason and the additional information that the
 * peer needs to do better. Pure, without a CEP. Reserved bits are not looked at (IBA 1.1:
 * receivers ignore them); what a ULP may refuse (resources, depths, RNR retries) is not
 * for here. Called by the shell through the boundary. IBA 12.6.7, table 109, 12.7.
 */
#include "big_endian.hh"
#include "cep_core.h"
#include "codec.hh"
#include "messages.hh"

namespace cep
{
namespace
{

constexpr uint16_t first_multicast_lid = 0xc000;
constexpr uint16_t permissive_lid = 0xffff; /* "see the GID": sent where LIDs are too short */

bool is_zero(const uint8_t (&gid)[16])
{
	uint8_t any = 0;

	for (uint8_t byte : gid)
		any |= byte;
	return !any;
}

/* No port has a multicast GID, and a port without LID has a GID. */
bool good_gid(const uint8_t (&gid)[16], uint16_t lid)
{
	return gid[0] != 0xff && (lid || !is_zero(gid));
}

bool good_lid(uint16_t lid)
{
	return lid < first_multicast_lid || lid == permissive_lid;
}

bool good_rate(uint8_t rate)
{
	return rate != 1; /* reserved; 0 is what RoCE senders say when they do not know */
}

bool good_mtu(uint8_t mtu)
{
	return mtu >= 1 && mtu <= 5;
}

/* In IBA's order of reject reasons: those of the alternate path are six further on. */
struct PathReasons {
	uint16_t gid, lid, rate;
};

constexpr PathReasons primary_reasons{CEP_REJ_INVALID_GID, CEP_REJ_INVALID_LID,
				      CEP_REJ_INVALID_PACKET_RATE};
constexpr PathReasons alternate_reasons{CEP_REJ_INVALID_ALT_GID, CEP_REJ_INVALID_ALT_LID,
					CEP_REJ_INVALID_ALT_PACKET_RATE};

void refuse(cep_refusal &out, uint16_t reason)
{
	out.reason = reason;
}

/* The path must lead here; facts may be missing. */
void check_path(const cep_path &path, const PathReasons &reasons, const cep_port_facts *port,
		bool gid_is_ours, cep_refusal &out)
{
	if (!good_gid(path.local_gid, path.local_lid) ||
	    !good_gid(path.remote_gid, path.remote_lid) || !gid_is_ours) {
		refuse(out, reasons.gid);
		if (port) {
			out.ari_len = sizeof(port->gid);
			__builtin_memcpy(out.ari, port->gid, sizeof(port->gid));
		}
		return;
	}

	/* A routed path names the router's port, and a permissive LID the GID */
	const bool lid_counts = port && port->lid && path.subnet_local && path.remote_lid &&
				path.remote_lid != permissive_lid;
	const bool wrong_lid = lid_counts && path.remote_lid >> port->lmc != port->lid >> port->lmc;
	if (!good_lid(path.local_lid) || !good_lid(path.remote_lid) || wrong_lid) {
		refuse(out, reasons.lid);
		if (port && port->lid) {
			out.ari_len = 2;
			store_be<2>(out.ari, port->lid);
		}
		return;
	}
	if (!good_rate(path.packet_rate)) {
		refuse(out, reasons.rate);
		if (port && port->packet_rate) {
			out.ari_len = 1;
			out.ari[0] = port->packet_rate;
		}
	}
}

/* Sets out.reason if the REQ has to be refused. */
void check_req(const cep_msg &msg, const cep_port_facts *port, cep_refusal &out)
{
	const cep_req &req = msg.req;

	if (req.transport == CEP_TRANSPORT_RD || req.transport >= transport_reserved)
		return refuse(out, CEP_REJ_INVALID_TRANSPORT_TYPE);
	/* An RDC, and EE contexts, exist only where RD does */
	if (req.rdc_exists)
		return refuse(out, CEP_REJ_RDC_NOT_EXIST);

	check_path(req.primary, primary_reasons, port, !port || port->primary_gid_is_ours, out);
	if (out.reason)
		return;
	if (path_present(req.alternate))
		check_path(req.alternate, alternate_reasons, port,
			   !port || port->alternate_gid_is_ours, out);
	if (out.reason)
		return;

	const uint8_t largest = port && good_mtu(port->max_mtu) ? port->max_mtu : uint8_t{5};
	if (!good_mtu(req.path_mtu) || req.path_mtu > largest) {
		refuse(out, CEP_REJ_INVALID_MTU);
		out.ari_len = 1;
		out.ari[0] = largest;
		return;
	}
	/* The number of no partition; the table has no reason of its own for it */
	if (!(req.pkey & 0x7fff))
		refuse(out, CEP_REJ_UNSUPPORTED);
}

} // namespace
} // namespace cep

uint16_t cep_core_check_req(const cep_msg *msg)
{
	cep_refusal out{};

	cep::check_req(*msg, nullptr, out);
	return out.reason;
}

int cep_core_refuse_req(const cep_msg *msg, const cep_port_facts *port, cep_refusal *out)
{
	*out = cep_refusal{};
	cep::check_req(*msg, port, *out);
	return out->reason != 0;
}

void cep_core_refuse_version(cep_refusal *out)
{
	*out = cep_refusal{};
	out->reason = CEP_REJ_INVALID_CLASS_VERSION;
	out->ari_len = 1;
	out->ari[0] = cep::wire::header::cm_class_version;
}
