/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The identifiers of a connection as types that do not mix: a QPN cannot be
 * given where a communication ID is wanted. All in host order; the wire's order
 * is made in big_endian.hh. Used by every file of the engine but the codec,
 * which deals in the plain integers of the boundary. No state, no locks.
 */
#ifndef CEP_IDS_HH
#define CEP_IDS_HH

#include "cep_core.h"

namespace cep
{

enum class CommId : uint32_t {}; /* IBA 12.9.1: 0 names nothing */
enum class Tid : uint64_t {};
enum class Qpn : uint32_t {};
enum class Psn : uint32_t {};
enum class CaGuid : uint64_t {};

constexpr CommId no_comm_id{0};
constexpr Qpn no_qpn{0};

constexpr uint32_t raw(CommId v)
{
	return static_cast<uint32_t>(v);
}

constexpr uint64_t raw(Tid v)
{
	return static_cast<uint64_t>(v);
}

constexpr uint32_t raw(Qpn v)
{
	return static_cast<uint32_t>(v);
}

constexpr uint32_t raw(Psn v)
{
	return static_cast<uint32_t>(v);
}

constexpr uint64_t raw(CaGuid v)
{
	return static_cast<uint64_t>(v);
}

/* QP0 and QP1 are the management QPs: they are never connected. */
constexpr bool connectable(Qpn v)
{
	return raw(v) > 1;
}

} // namespace cep

#endif /* CEP_IDS_HH */
