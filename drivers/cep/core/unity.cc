/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The engine as one translation unit, the only C++ object of a module: two that
 * both emit an inline function would make COMDAT groups, which do not survive
 * the kernel's -mrecord-mcount and ld -r.
 */
#include "alternate.cc"
#include "check.cc"
#include "codec.cc"
#include "connect.cc"
#include "endpoint.cc"
#include "inbound.cc"
#include "match.cc"
#include "names.cc"
#include "peer.cc"
#include "port_info.cc"
#include "qp_attr.cc"
#include "sidr.cc"
#include "transitions.cc"

#include "cep_core.cc"
