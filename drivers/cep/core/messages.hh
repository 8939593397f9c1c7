/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The eleven messages of the CM class as the tables of IBA 12.6 give them:
 * where each field lies, nothing else. Used by codec.cc and by tests. Layouts
 * are checked here, at compile time. No state, no locks.
 */
#ifndef CEP_MESSAGES_HH
#define CEP_MESSAGES_HH

#include "field.hh"

namespace cep::wire
{

/* IBA 13.4.2: the header that all MADs share; its fields are whole bytes. */
namespace header
{
constexpr uint8_t base_version = 1;
constexpr uint8_t cm_class = 0x07;
constexpr uint8_t cm_class_version = 2;
constexpr uint8_t method_get = 0x01;
constexpr uint8_t method_set = 0x02;
constexpr uint8_t method_send = 0x03;
constexpr uint8_t method_get_resp = 0x81;

constexpr unsigned base_version_at = 0;
constexpr unsigned class_at = 1;
constexpr unsigned class_version_at = 2;
constexpr unsigned method_at = 3;
constexpr unsigned status_at = 4;
constexpr unsigned tid_at = 8;
constexpr unsigned attr_at = 16;
constexpr unsigned attr_mod_at = 20;
} // namespace header

/* One path of a REQ; the alternate path is the primary one moved by 44 bytes. */
template <unsigned Base> struct ReqPath {
	using LocalLid = Field<Base + 0, 0, 16>;
	using RemoteLid = Field<Base + 2, 0, 16>;
	using LocalGid = Bytes<Base + 4, 16>;
	using RemoteGid = Bytes<Base + 20, 16>;
	using FlowLabel = Field<Base + 36, 0, 20>;
	using PacketRate = Field<Base + 39, 2, 6>;
	using TrafficClass = Field<Base + 40, 0, 8>;
	using HopLimit = Field<Base + 41, 0, 8>;
	using Sl = Field<Base + 42, 0, 4>;
	using SubnetLocal = Field<Base + 42, 4, 1>;
	using LocalAckTimeout = Field<Base + 43, 0, 5>;
};

/* Table 106 */
struct Req {
	using LocalCommId = Field<0, 0, 32>;
	using VendorId = Field<5, 0, 24>;
	using ServiceId = Field<8, 0, 64>;
	using LocalCaGuid = Field<16, 0, 64>;
	using LocalQkey = Field<28, 0, 32>;
	using LocalQpn = Field<32, 0, 24>;
	using ResponderResources = Field<35, 0, 8>;
	using LocalEecn = Field<36, 0, 24>;
	using InitiatorDepth = Field<39, 0, 8>;
	using RemoteEecn = Field<40, 0, 24>;
	using RemoteCmResponseTimeout = Field<43, 0, 5>;
	using TransportType = Field<43, 5, 2>;
	using FlowControl = Field<43, 7, 1>;
	using StartingPsn = Field<44, 0, 24>;
	using LocalCmResponseTimeout = Field<47, 0, 5>;
	using RetryCount = Field<47, 5, 3>;
	using Pkey = Field<48, 0, 16>;
	using PathMtu = Field<50, 0, 4>;
	using RdcExists = Field<50, 4, 1>;
	using RnrRetryCount = Field<50, 5, 3>;
	using MaxCmRetries = Field<51, 0, 4>;
	using Srq = Field<51, 4, 1>;
	using ExtendedTransport = Field<51, 5, 3>;
	using Primary = ReqPath<52>;
	using Alternate = ReqPath<96>;
	using SapSupported = Field<139, 5, 1>;
	using PrivateData = Bytes<140, CEP_REQ_PRIVATE_DATA_SIZE>;

	static_assert(disjoint<LocalCommId, VendorId, ServiceId, LocalCaGuid, LocalQkey, LocalQpn,
			       ResponderResources, LocalEecn, InitiatorDepth, RemoteEecn,
			       RemoteCmResponseTimeout, TransportType, FlowControl, StartingPsn,
			       LocalCmResponseTimeout, RetryCount, Pkey, PathMtu, RdcExists,
			       RnrRetryCount, MaxCmRetries, Srq, ExtendedTransport,
			       Primary::LocalLid, Primary::RemoteLid, Primary::LocalGid,
			       Primary::RemoteGid, Primary::FlowLabel, Primary::PacketRate,
			       Primary::TrafficClass, Primary::HopLimit, Primary::Sl,
			       Primary::SubnetLocal, Primary::LocalAckTimeout, Alternate::LocalLid,
			       Alternate::RemoteLid, Alternate::LocalGid, Alternate::RemoteGid,
			       Alternate::FlowLabel, Alternate::PacketRate, Alternate::TrafficClass,
			       Alternate::HopLimit, Alternate::Sl, Alternate::SubnetLocal,
			       Alternate::LocalAckTimeout, SapSupported, PrivateData>());
	static_assert(ends_mad<PrivateData>());
};

/* Table 107 */
struct Mra {
	using LocalCommId = Field<0, 0, 32>;
	using RemoteCommId = Field<4, 0, 32>;
	using MessageMraed = Field<8, 0, 2>;
	using ServiceTimeout = Field<9, 0, 5>;
	using PrivateData = Bytes<10, CEP_MRA_PRIVATE_DATA_SIZE>;

	static_assert(
		disjoint<LocalCommId, RemoteCommId, MessageMraed, ServiceTimeout, PrivateData>());
	static_assert(ends_mad<PrivateData>());
};

/* Table 108 */
struct Rej {
	using LocalCommId = Field<0, 0, 32>;
	using RemoteCommId = Field<4, 0, 32>;
	using MessageRejected = Field<8, 0, 2>;
	using InfoLength = Field<9, 0, 7>;
	using Reason = Field<10, 0, 16>;
	using Info = Bytes<12, CEP_ARI_SIZE>;
	using PrivateData = Bytes<84, CEP_REJ_PRIVATE_DATA_SIZE>;

	static_assert(disjoint<LocalCommId, RemoteCommId, MessageRejected, InfoLength, Reason, Info,
			       PrivateData>());
	static_assert(ends_mad<PrivateData>());
};

/* Table 110; the vendor ID is spread over the low bytes of three words. */
struct Rep {
	using LocalCommId = Field<0, 0, 32>;
	using RemoteCommId = Field<4, 0, 32>;
	using LocalQkey = Field<8, 0, 32>;
	using LocalQpn = Field<12, 0, 24>;
	using VendorIdHigh = Field<15, 0, 8>;
	using LocalEecn = Field<16, 0, 24>;
	using VendorIdMiddle = Field<19, 0, 8>;
	using StartingPsn = Field<20, 0, 24>;
	using VendorIdLow = Field<23, 0, 8>;
	using ResponderResources = Field<24, 0, 8>;
	using InitiatorDepth = Field<25, 0, 8>;
	using TargetAckDelay = Field<26, 0, 5>;
	using FailoverAccepted = Field<26, 5, 2>;
	using FlowControl = Field<26, 7, 1>;
	using RnrRetryCount = Field<27, 0, 3>;
	using Srq = Field<27, 3, 1>;
	using LocalCaGuid = Field<28, 0, 64>;
	using PrivateData = Bytes<36, CEP_REP_PRIVATE_DATA_SIZE>;

	static_assert(disjoint<LocalCommId, RemoteCommId, LocalQkey, LocalQpn, VendorIdHigh,
			       LocalEecn, VendorIdMiddle, StartingPsn, VendorIdLow,
			       ResponderResources, InitiatorDepth, TargetAckDelay, FailoverAccepted,
			       FlowControl, RnrRetryCount, Srq, LocalCaGuid, PrivateData>());
	static_assert(ends_mad<PrivateData>());
};

/* Table 111 */
struct Rtu {
	using LocalCommId = Field<0, 0, 32>;
	using RemoteCommId = Field<4, 0, 32>;
	using PrivateData = Bytes<8, CEP_RTU_PRIVATE_DATA_SIZE>;

	static_assert(disjoint<LocalCommId, RemoteCommId, PrivateData>());
	static_assert(ends_mad<PrivateData>());
};

/* Table 112 */
struct Dreq {
	using LocalCommId = Field<0, 0, 32>;
	using RemoteCommId = Field<4, 0, 32>;
	using RemoteQpn = Field<8, 0, 24>;
	using PrivateData = Bytes<12, CEP_DREQ_PRIVATE_DATA_SIZE>;

	static_assert(disjoint<LocalCommId, RemoteCommId, RemoteQpn, PrivateData>());
	static_assert(ends_mad<PrivateData>());
};

/* Table 113 */
struct Drep {
	using LocalCommId = Field<0, 0, 32>;
	using RemoteCommId = Field<4, 0, 32>;
	using PrivateData = Bytes<8, CEP_DREP_PRIVATE_DATA_SIZE>;

	static_assert(disjoint<LocalCommId, RemoteCommId, PrivateData>());
	static_assert(ends_mad<PrivateData>());
};

/* Table 115; its path is not laid out as that of a REQ. */
struct Lap {
	using LocalCommId = Field<0, 0, 32>;
	using RemoteCommId = Field<4, 0, 32>;
	using RemoteQpn = Field<12, 0, 24>;
	using RemoteCmResponseTimeout = Field<15, 0, 5>;
	using LocalLid = Field<20, 0, 16>;
	using RemoteLid = Field<22, 0, 16>;
	using LocalGid = Bytes<24, 16>;
	using RemoteGid = Bytes<40, 16>;
	using FlowLabel = Field<56, 0, 20>;
	using TrafficClass = Field<59, 0, 8>;
	using HopLimit = Field<60, 0, 8>;
	using PacketRate = Field<61, 2, 6>;
	using Sl = Field<62, 0, 4>;
	using SubnetLocal = Field<62, 4, 1>;
	using LocalAckTimeout = Field<63, 0, 5>;
	using PrivateData = Bytes<64, CEP_LAP_PRIVATE_DATA_SIZE>;

	static_assert(
		disjoint<LocalCommId, RemoteCommId, RemoteQpn, RemoteCmResponseTimeout, LocalLid,
			 RemoteLid, LocalGid, RemoteGid, FlowLabel, TrafficClass, HopLimit,
			 PacketRate, Sl, SubnetLocal, LocalAckTimeout, PrivateData>());
	static_assert(ends_mad<PrivateData>());
};

/* Table 116 */
struct Apr {
	using LocalCommId = Field<0, 0, 32>;
	using RemoteCommId = Field<4, 0, 32>;
	using InfoLength = Field<8, 0, 8>;
	using Status = Field<9, 0, 8>;
	using Info = Bytes<12, CEP_ARI_SIZE>;
	using PrivateData = Bytes<84, CEP_APR_PRIVATE_DATA_SIZE>;

	static_assert(disjoint<LocalCommId, RemoteCommId, InfoLength, Status, Info, PrivateData>());
	static_assert(ends_mad<PrivateData>());
};

/* Table 119 */
struct SidrReq {
	using RequestId = Field<0, 0, 32>;
	using Pkey = Field<4, 0, 16>;
	using ServiceId = Field<8, 0, 64>;
	using PrivateData = Bytes<16, CEP_SIDR_REQ_PRIVATE_DATA_SIZE>;

	static_assert(disjoint<RequestId, Pkey, ServiceId, PrivateData>());
	static_assert(ends_mad<PrivateData>());
};

/* Table 120 */
struct SidrRep {
	using RequestId = Field<0, 0, 32>;
	using Status = Field<4, 0, 8>;
	using InfoLength = Field<5, 0, 8>;
	using VendorIdHigh = Field<6, 0, 16>;
	using Qpn = Field<8, 0, 24>;
	using VendorIdLow = Field<11, 0, 8>;
	using ServiceId = Field<12, 0, 64>;
	using Qkey = Field<20, 0, 32>;
	using Info = Bytes<24, CEP_ARI_SIZE>;
	using PrivateData = Bytes<96, CEP_SIDR_REP_PRIVATE_DATA_SIZE>;

	static_assert(disjoint<RequestId, Status, InfoLength, VendorIdHigh, Qpn, VendorIdLow,
			       ServiceId, Qkey, Info, PrivateData>());
	static_assert(ends_mad<PrivateData>());
};

/* 13.4.8.1: the one attribute with Get, and the additional information of a redirect */
struct ClassPortInfo {
	using BaseVersion = Field<0, 0, 8>;
	using ClassVersion = Field<1, 0, 8>;
	using CapabilityMask = Field<2, 0, 16>;
	using CapabilityMask2 = Field<4, 0, 27>;
	using RespTimeValue = Field<7, 3, 5>;
	using RedirectGid = Bytes<8, 16>;
	using RedirectTc = Field<24, 0, 8>;
	using RedirectSl = Field<25, 0, 4>;
	using RedirectFl = Field<25, 4, 20>;
	using RedirectLid = Field<28, 0, 16>;
	using RedirectPkey = Field<30, 0, 16>;
	using RedirectQp = Field<33, 0, 24>;
	using RedirectQkey = Field<36, 0, 32>;
	using Traps = Bytes<40, 32>; /* not used by this class */

	static_assert(disjoint<BaseVersion, ClassVersion, CapabilityMask, CapabilityMask2,
			       RespTimeValue, RedirectGid, RedirectTc, RedirectSl, RedirectFl,
			       RedirectLid, RedirectPkey, RedirectQp, RedirectQkey, Traps>());
	static_assert(Traps::span.first + Traps::span.width == CEP_ARI_SIZE * 8);
};

} // namespace cep::wire

#endif /* CEP_MESSAGES_HH */
