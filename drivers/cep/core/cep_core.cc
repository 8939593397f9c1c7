/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The extern "C" boundary of cep_core.h: opaque storage to Endpoint, pointers to
 * references, and the answers that need no CEP. Every call empties the action
 * list first, so that a refused input leaves an empty one. No locks: the caller
 * holds the CEP's.
 */
#include "cep_core.h"
#include "codec.hh"
#include "endpoint.hh"

namespace
{

using cep::CaGuid;
using cep::CommId;
using cep::Endpoint;
using cep::Tid;

Endpoint &of(cep_core *core)
{
	return *__builtin_launder(reinterpret_cast<Endpoint *>(core->opaque));
}

const Endpoint &of(const cep_core *core)
{
	return *__builtin_launder(reinterpret_cast<const Endpoint *>(core->opaque));
}

cep_actions &emptied(cep_actions *acts, const cep_core *core)
{
	cep::ActionList{*acts, of(core).state()};
	return *acts;
}

uint8_t which_message(const cep_msg &msg)
{
	switch (msg.attr) {
	case CEP_ATTR_REQ: return CEP_WHICH_REQ;
	case CEP_ATTR_REP: return CEP_WHICH_REP;
	default: return CEP_WHICH_OTHER;
	}
}

} // namespace

cep_parse cep_core_parse(const uint8_t *mad, size_t len, cep_msg *msg)
{
	return cep::parse(mad, len, *msg);
}

cep_result cep_core_write(const cep_msg *msg, uint8_t *mad)
{
	if (!cep::writable(*msg))
		return CEP_E_ARG;
	cep::encode(*msg, mad);
	return CEP_OK;
}

void cep_core_reject(const cep_msg *msg, uint16_t reason, const uint8_t *ari, uint8_t ari_len,
		     uint8_t *tx)
{
	cep_msg rej;

	rej.tid = msg->tid;
	rej.attr = CEP_ATTR_REJ;
	rej.local_comm_id = msg->remote_comm_id;
	rej.remote_comm_id = msg->local_comm_id;
	rej.private_data = nullptr;
	rej.private_data_len = 0;
	rej.rej.which = which_message(*msg);
	rej.rej.reason = reason;
	rej.rej.ari = ari;
	rej.rej.ari_len = !ari                     ? uint8_t{0}
			  : ari_len > CEP_ARI_SIZE ? uint8_t{CEP_ARI_SIZE}
						   : ari_len;
	cep::encode(rej, tx);
}

int cep_core_answer_unknown(const cep_msg *msg, uint8_t *tx)
{
	cep_msg answer;

	answer.tid = msg->tid;
	answer.local_comm_id = msg->remote_comm_id;
	answer.remote_comm_id = msg->local_comm_id;
	answer.private_data = nullptr;
	answer.private_data_len = 0;

	switch (msg->attr) {
	case CEP_ATTR_DREQ: answer.attr = CEP_ATTR_DREP; break;
	case CEP_ATTR_REP:
		answer.attr = CEP_ATTR_REJ;
		answer.rej.which = CEP_WHICH_REP;
		answer.rej.reason = CEP_REJ_INVALID_COMM_ID;
		answer.rej.ari = nullptr;
		answer.rej.ari_len = 0;
		break;
	case CEP_ATTR_LAP:
		answer.attr = CEP_ATTR_APR;
		answer.apr.status = CEP_APR_INVALID_COMM_ID;
		answer.apr.info = nullptr;
		answer.apr.info_len = 0;
		break;
	case CEP_ATTR_SIDR_REQ:
		answer.attr = CEP_ATTR_SIDR_REP;
		answer.local_comm_id = msg->local_comm_id;
		answer.sidr_rep = cep_sidr_rep{};
		answer.sidr_rep.service_id = msg->sidr_req.service_id;
		answer.sidr_rep.status = CEP_SIDR_UNSUPPORTED;
		break;
	default: return 0;
	}
	cep::encode(answer, tx);
	return 1;
}

/* The one place that makes an Endpoint: the copy starts its life in the storage. */
void cep_core_init(cep_core *core)
{
	const Endpoint fresh;

	__builtin_memset(core, 0, sizeof(*core));
	__builtin_memcpy(core->opaque, &fresh, sizeof(fresh));
}

cep_state cep_core_state(const cep_core *core)
{
	return cep::shown(of(core).state());
}

cep_lap_state cep_core_lap_state(const cep_core *core)
{
	return of(core).lap_state();
}

int cep_core_is_closed(const cep_core *core)
{
	return of(core).closed();
}

cep_result cep_core_listen(cep_core *core, cep_actions *acts)
{
	return of(core).listen(emptied(acts, core));
}

cep_result cep_core_cancel_listen(cep_core *core, cep_actions *acts)
{
	return of(core).cancel_listen(emptied(acts, core));
}

cep_result cep_core_send_req(cep_core *core, uint64_t now_ns, const cep_send_req *args, uint8_t *tx,
			     cep_actions *acts)
{
	return of(core).request_connection(now_ns, *args, tx, emptied(acts, core));
}

cep_result cep_core_format_req(cep_core *core, const cep_send_req *args)
{
	return of(core).format_req(*args);
}

cep_result cep_core_send_rep(cep_core *core, uint64_t now_ns, const cep_send_rep *args, uint8_t *tx,
			     cep_actions *acts)
{
	return of(core).request_reply(now_ns, *args, tx, emptied(acts, core));
}

cep_result cep_core_format_rep(cep_core *core, const cep_send_rep *args)
{
	return of(core).format_rep(*args);
}

cep_result cep_core_send_rtu(cep_core *core, const uint8_t *data, uint8_t len, uint8_t *tx,
			     cep_actions *acts)
{
	return of(core).request_rtu(data, len, tx, emptied(acts, core));
}

cep_result cep_core_send_mra(cep_core *core, uint8_t service_timeout_exp, int delayed,
			     const uint8_t *data, uint8_t len, uint8_t *tx, cep_actions *acts)
{
	return of(core).request_mra(service_timeout_exp, delayed != 0, data, len, tx,
				    emptied(acts, core));
}

cep_result cep_core_send_rej(cep_core *core, uint64_t now_ns, uint16_t reason, const uint8_t *ari,
			     uint8_t ari_len, const uint8_t *data, uint8_t len, uint8_t *tx,
			     cep_actions *acts)
{
	return of(core).request_rej(now_ns, reason, ari, ari_len, data, len, tx,
				    emptied(acts, core));
}

cep_result cep_core_send_dreq(cep_core *core, uint64_t now_ns, uint64_t tid, const uint8_t *data,
			      uint8_t len, uint8_t *tx, cep_actions *acts)
{
	return of(core).request_dreq(now_ns, Tid{tid}, data, len, tx, emptied(acts, core));
}

cep_result cep_core_send_drep(cep_core *core, uint64_t now_ns, const uint8_t *data, uint8_t len,
			      uint8_t *tx, cep_actions *acts)
{
	return of(core).request_drep(now_ns, data, len, tx, emptied(acts, core));
}

cep_result cep_core_established(cep_core *core, cep_actions *acts)
{
	return of(core).established(emptied(acts, core));
}

cep_result cep_core_migrate(cep_core *core, cep_actions *acts)
{
	return of(core).migrate(emptied(acts, core));
}

cep_result cep_core_send_lap(cep_core *core, uint64_t now_ns, const cep_send_lap *args, uint8_t *tx,
			     cep_actions *acts)
{
	return of(core).request_lap(now_ns, *args, tx, emptied(acts, core));
}

cep_result cep_core_send_apr(cep_core *core, uint8_t status, const uint8_t *info, uint8_t info_len,
			     const uint8_t *data, uint8_t len, uint8_t *tx, cep_actions *acts)
{
	return of(core).request_apr(status, info, info_len, data, len, tx, emptied(acts, core));
}

cep_result cep_core_send_sidr_req(cep_core *core, uint64_t now_ns, const cep_send_sidr_req *args,
				  uint8_t *tx, cep_actions *acts)
{
	return of(core).request_sidr(now_ns, *args, tx, emptied(acts, core));
}

cep_result cep_core_send_sidr_rep(cep_core *core, const cep_send_sidr_rep *args, uint8_t *tx,
				  cep_actions *acts)
{
	return of(core).request_sidr_rep(*args, tx, emptied(acts, core));
}

cep_result cep_core_enter_timewait(cep_core *core, uint64_t now_ns, cep_actions *acts)
{
	return of(core).enter_timewait(now_ns, emptied(acts, core));
}

void cep_core_close(cep_core *core, uint64_t now_ns, uint64_t tid, uint64_t ca_guid,
		    uint16_t reason, int may_retry, uint8_t *tx, cep_actions *acts)
{
	of(core).close(now_ns, Tid{tid}, CaGuid{ca_guid}, reason, may_retry != 0, tx,
		       emptied(acts, core));
}

cep_result cep_core_on_new_req(cep_core *core, uint64_t now_ns, const cep_msg *req,
			       uint32_t local_comm_id, cep_actions *acts)
{
	return of(core).on_new_req(now_ns, *req, CommId{local_comm_id}, emptied(acts, core));
}

cep_req_class cep_core_classify_req(const cep_core *core, const cep_msg *req)
{
	return of(core).classify(*req);
}

int cep_core_holds_qpn(const cep_core *core)
{
	return of(core).holds_qpn();
}

int cep_core_expects_rep(const cep_core *core, const cep_msg *rep)
{
	return of(core).expects(*rep);
}

cep_peer_role cep_core_peer_role(const cep_core *core, const cep_msg *req, uint64_t ca_guid)
{
	return of(core).peer_role(*req, CaGuid{ca_guid});
}

cep_result cep_core_on_peer_req(cep_core *core, uint64_t now_ns, const cep_msg *req,
				uint64_t ca_guid, cep_actions *acts)
{
	return of(core).on_peer_req(now_ns, *req, CaGuid{ca_guid}, emptied(acts, core));
}

cep_result cep_core_on_sidr_req(cep_core *core, uint64_t now_ns, const cep_msg *req,
				uint32_t local_comm_id, cep_actions *acts)
{
	return of(core).on_sidr_req(now_ns, *req, CommId{local_comm_id}, emptied(acts, core));
}

int cep_core_expects_lap(const cep_core *core, const cep_msg *lap)
{
	return of(core).expects_lap(*lap);
}

cep_result cep_core_on_lap(cep_core *core, uint64_t now_ns, const cep_msg *lap,
			   const cep_facts *facts, uint8_t status, uint8_t *tx, cep_actions *acts)
{
	return of(core).on_lap(now_ns, *lap, facts ? *facts : cep::no_facts, status, tx,
			       emptied(acts, core));
}

int cep_core_needs_source(const cep_core *core, const cep_msg *msg)
{
	return of(core).needs_source(*msg);
}

cep_result cep_core_on_message(cep_core *core, uint64_t now_ns, const cep_msg *msg,
			       const cep_facts *facts, uint8_t *tx, cep_actions *acts)
{
	return of(core).on_message(now_ns, *msg, facts ? *facts : cep::no_facts, tx,
				   emptied(acts, core));
}

cep_result cep_core_on_deadline(cep_core *core, uint64_t now_ns, uint64_t ca_guid, uint8_t *tx,
				cep_actions *acts)
{
	return of(core).on_deadline(now_ns, CaGuid{ca_guid}, tx, emptied(acts, core));
}

cep_result cep_core_on_sent(cep_core *core, uint64_t now_ns, cep_actions *acts)
{
	return of(core).on_sent(now_ns, emptied(acts, core));
}

cep_result cep_core_on_send_failed(cep_core *core, uint64_t now_ns, cep_actions *acts)
{
	return of(core).on_send_failed(now_ns, emptied(acts, core));
}

cep_result cep_core_on_stale(cep_core *core, uint64_t now_ns, uint64_t tid, uint8_t *tx,
			     cep_actions *acts)
{
	return of(core).on_stale(now_ns, Tid{tid}, tx, emptied(acts, core));
}

void cep_core_on_device_removed(cep_core *core, cep_actions *acts)
{
	of(core).on_device_removed(emptied(acts, core));
}

cep_result cep_core_qp_attr(const cep_core *core, cep_qp_state qp_state, cep_qp_attr *attr)
{
	return of(core).qp_attr(qp_state, *attr);
}

void cep_core_info(const cep_core *core, struct cep_info *info)
{
	of(core).info(*info);
}
