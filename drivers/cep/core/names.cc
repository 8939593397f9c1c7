/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Names of states, events, messages and reject reasons, for traces, debugfs and
 * tests. Constant strings; any number is taken. IBA 12.6, table 109. No locks.
 */
#include "cep_core.h"

const char *cep_core_state_name(unsigned int state)
{
	switch (state) {
#define X(s)                                                                                       \
	case CEP_STATE_##s: return #s;
		CEP_STATES(X)
#undef X
	default: return "unknown state";
	}
}

const char *cep_core_lap_state_name(unsigned int lap_state)
{
	switch (lap_state) {
	case CEP_LAP_UNINIT: return "LAP_UNINIT";
	case CEP_LAP_IDLE: return "LAP_IDLE";
	case CEP_LAP_SENT: return "LAP_SENT";
	case CEP_LAP_RCVD: return "LAP_RCVD";
	case CEP_MRA_LAP_SENT: return "MRA_LAP_SENT";
	case CEP_MRA_LAP_RCVD: return "MRA_LAP_RCVD";
	default: return "unknown LAP state";
	}
}

const char *cep_core_event_name(unsigned int event)
{
	switch (event) {
#define X(e)                                                                                       \
	case CEP_EVENT_##e: return #e;
		CEP_EVENTS(X)
#undef X
	default: return "unknown event";
	}
}

const char *cep_core_attr_name(unsigned int attr)
{
	switch (attr) {
	case CEP_ATTR_CLASS_PORT_INFO: return "ClassPortInfo";
	case CEP_ATTR_REQ: return "REQ";
	case CEP_ATTR_MRA: return "MRA";
	case CEP_ATTR_REJ: return "REJ";
	case CEP_ATTR_REP: return "REP";
	case CEP_ATTR_RTU: return "RTU";
	case CEP_ATTR_DREQ: return "DREQ";
	case CEP_ATTR_DREP: return "DREP";
	case CEP_ATTR_SIDR_REQ: return "SIDR_REQ";
	case CEP_ATTR_SIDR_REP: return "SIDR_REP";
	case CEP_ATTR_LAP: return "LAP";
	case CEP_ATTR_APR: return "APR";
	default: return "unknown attribute";
	}
}

const char *cep_core_reject_msg(unsigned int reason)
{
	switch (reason) {
	case 1: return "no QP";
	case 2: return "no EEC";
	case 3: return "no resources";
	case 4: return "timeout";
	case 5: return "unsupported";
	case 6: return "invalid comm ID";
	case 7: return "invalid comm instance";
	case 8: return "invalid service ID";
	case 9: return "invalid transport type";
	case 10: return "stale conn";
	case 11: return "RDC not exist";
	case 12: return "invalid GID";
	case 13: return "invalid LID";
	case 14: return "invalid SL";
	case 15: return "invalid traffic class";
	case 16: return "invalid hop limit";
	case 17: return "invalid packet rate";
	case 18: return "invalid alt GID";
	case 19: return "invalid alt LID";
	case 20: return "invalid alt SL";
	case 21: return "invalid alt traffic class";
	case 22: return "invalid alt hop limit";
	case 23: return "invalid alt packet rate";
	case 24: return "port CM redirect";
	case 25: return "port redirect";
	case 26: return "invalid MTU";
	case 27: return "insufficient resp resources";
	case 28: return "consumer defined";
	case 29: return "invalid RNR retry";
	case 30: return "duplicate local comm ID";
	case 31: return "invalid class version";
	case 32: return "invalid flow label";
	case 33: return "invalid alt flow label";
	case 35: return "vendor option is not supported";
	default: return "unrecognized reason";
	}
}
