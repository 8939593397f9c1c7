/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The shape of the transition table: which inputs there are and what a cell
 * says. The endpoint chooses the input (a guard such as "no retries left" makes
 * another input, not another rule), looks up the cell and applies it. The table
 * is constant. IBA 12.9.5 to 12.9.8.
 */
#ifndef CEP_TRANSITIONS_HH
#define CEP_TRANSITIONS_HH

#include "state.hh"

namespace cep
{

/* clang-format off */
#define CEP_INPUTS(X) \
	/* commands of the ULP */ \
	X(Listen) X(CancelListen) X(SendReq) X(SendRep) X(SendRtu) \
	X(SendMra)       /* now */ \
	X(ArmMra)        /* only when a duplicate asks */ \
	X(SendLap) \
	X(SendApr)       /* that accepts */ \
	X(SendAprNo) X(Migrate) X(SendSidrReq) X(SendSidrRep) \
	X(SendRej) X(SendDreq) X(SendDrep) X(Established) X(EnterTimewait) \
	X(Close) \
	X(CloseMute)     /* there is no buffer to tell the peer with */ \
	X(CloseTarget)   /* passive side of XRC: its QP outlives the connection */ \
	/* messages */ \
	X(NewReq) X(DupReq) \
	X(PeerReq)       /* peer to peer, from the greater one */ \
	X(PeerReqLess)   /* peer to peer, from the lesser one */ \
	X(Rep)           /* the first */ \
	X(RepTaken)      /* the first, but its QPN or comm ID belongs to another connection */ \
	X(DupRep) X(Rtu) X(MraReq) X(MraRep) X(MraLap) X(Rej) \
	X(RejAbsent)     /* peer to peer: the peer has not started yet */ \
	X(Dreq) \
	X(DreqOver)      /* nobody is left to be told about it */ \
	X(DreqStray)     /* of a connection that is not this one */ \
	X(Drep) \
	X(Lap)           /* new and honourable */ \
	X(LapBad)        /* new; the call says what is wrong with it */ \
	X(LapDup) \
	X(Apr)           /* that accepts */ \
	X(AprNo) \
	X(NewSidrReq) X(DupSidrReq) X(SidrRep) \
	/* time and the shell */ \
	X(Retry)         /* deadline of a request, retries left */ \
	X(GiveUp)        /* deadline of a request, none left */ \
	X(TimewaitEnd) X(Sent) X(SendFailed) X(Stale) \
	X(StaleMute)     /* no buffer for a DREQ */ \
	X(DeviceRemoved)
/* clang-format on */

enum class Input : uint8_t {
#define X(i) i,
	CEP_INPUTS(X)
#undef X
};

#define X(i) +1
constexpr unsigned nr_inputs = 0 CEP_INPUTS(X);
#undef X

enum class Verdict : uint8_t {
	Unset, /* a hole in the table; a static_assert finds it */
	Accept,
	Refuse,    /* the ULP's mistake, or an input that is too late */
	Peer,      /* the peer's mistake */
	Duplicate, /* known already, needs no answer */
};

enum class Say : uint8_t {
	None,
	Request,      /* a new REQ, REP, DREQ, LAP or SIDR_REQ */
	Resend,       /* the kept request; its answer is waited for anew */
	ResendForDup, /* the kept request, because the peer asked: no retry, no new deadline */
	Rtu,
	Mra,
	RejReq, /* the three values of "message rejected" */
	RejRep,
	RejOther,
	Drep,
	Apr,
	SidrRep,
};

/* What becomes of addresses, beyond what follows from the states. */
enum class Alt : uint8_t {
	None,
	Take, /* the held one is the alternate path from now on */
	Swap,
};

/* The deadline that the cell sets. That of timewait comes with the state. */
enum class Arm : uint8_t {
	None,
	Watchdog, /* the whole of (retries left + 1) x timeout, until the request has left */
	Response,
	Mra,
};

constexpr uint8_t no_event = 0xff;

struct Row {
	Verdict verdict = Verdict::Unset;
	uint8_t next = 0; /* enum cep_state */
	Say say = Say::None;
	Arm arm = Arm::None;
	uint8_t event = no_event; /* enum cep_event */
	Alt alt = Alt::None;
};

const Row &transition(cep_state state, Input input);

} // namespace cep

#endif /* CEP_TRANSITIONS_HH */
