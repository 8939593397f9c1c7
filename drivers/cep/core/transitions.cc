/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The only transition table: state x input -> verdict, next state, message,
 * deadline, event. Built at compile time; each cell is set exactly once, which a
 * static_assert proves. Buffers, indexes, timewait and release follow from the
 * states (state.hh) and are not listed. IBA 12.9.5 to 12.9.8; where it leaves a
 * choice, the reason stands beside the rule.
 */
#include "transitions.hh"

namespace cep
{
namespace
{

struct Table {
	Row row[nr_states][nr_inputs] = {};
	bool twice = false;

	constexpr void set(uint32_t states, Input input, Row r)
	{
		for (unsigned s = 0; s < nr_states; s++) {
			if (!(states >> s & 1))
				continue;
			Row &cell = row[s][static_cast<unsigned>(input)];
			twice = twice || cell.verdict != Verdict::Unset;
			cell = r;
		}
	}

	constexpr void accept(uint32_t from, Input input, cep_state next, Say say = Say::None,
			      Arm arm = Arm::None, uint8_t event = no_event, Alt alt = Alt::None)
	{
		set(from, input,
		    Row{Verdict::Accept, static_cast<uint8_t>(next), say, arm, event, alt});
	}

	/* Accepted without leaving the state. */
	constexpr void stay(uint32_t states, Input input, Say say = Say::None, Arm arm = Arm::None,
			    uint8_t event = no_event, Alt alt = Alt::None)
	{
		for (unsigned s = 0; s < nr_states; s++) {
			if (states >> s & 1)
				accept(uint32_t{1} << s, input, static_cast<cep_state>(s), say, arm,
				       event, alt);
		}
	}

	constexpr void duplicate(uint32_t states, Input input)
	{
		set(states, input, Row{.verdict = Verdict::Duplicate});
	}

	/* Every state that no rule of this input has named. */
	constexpr void otherwise(Input input, Verdict verdict)
	{
		for (unsigned s = 0; s < nr_states; s++) {
			Row &cell = row[s][static_cast<unsigned>(input)];
			if (cell.verdict == Verdict::Unset)
				cell.verdict = verdict;
		}
	}
};

constexpr uint32_t every_state = (uint32_t{1} << nr_states) - 1;

#define S(s) bit(CEP_STATE_##s)

consteval void commands(Table &t)
{
	using enum Input;

	t.accept(S(IDLE), Listen, CEP_STATE_LISTEN);
	t.otherwise(Listen, Verdict::Refuse);
	t.accept(S(LISTEN), CancelListen, CEP_STATE_IDLE);
	t.otherwise(CancelListen, Verdict::Refuse);

	t.accept(S(IDLE), SendReq, CEP_STATE_REQ_SENT, Say::Request, Arm::Watchdog);
	t.otherwise(SendReq, Verdict::Refuse);
	t.accept(S(REQ_RCVD) | S(MRA_REQ_SENT), SendRep, CEP_STATE_REP_SENT, Say::Request,
		 Arm::Watchdog);
	t.otherwise(SendRep, Verdict::Refuse);
	t.accept(S(REP_RCVD) | S(MRA_REP_SENT), SendRtu, CEP_STATE_ESTABLISHED, Say::Rtu);
	t.otherwise(SendRtu, Verdict::Refuse);

	t.accept(S(REQ_RCVD), SendMra, CEP_STATE_MRA_REQ_SENT, Say::Mra);
	t.accept(S(REP_RCVD), SendMra, CEP_STATE_MRA_REP_SENT, Say::Mra);
	t.accept(bit(lap_rcvd), SendMra, mra_lap_sent, Say::Mra);
	t.otherwise(SendMra, Verdict::Refuse);
	t.accept(S(REQ_RCVD), ArmMra, CEP_STATE_MRA_REQ_SENT);
	t.accept(S(REP_RCVD), ArmMra, CEP_STATE_MRA_REP_SENT);
	t.accept(bit(lap_rcvd), ArmMra, mra_lap_sent);
	t.otherwise(ArmMra, Verdict::Refuse);

	/*
	 * A rejected REQ or REP leaves no record, so that the peer may send the same
	 * comm ID again at once. Our own REP that is taken back may have reached a
	 * peer that sends already: the QP has to wait.
	 */
	t.accept(S(REQ_SENT) | S(MRA_REQ_RCVD), SendRej, CEP_STATE_IDLE, Say::RejOther);
	t.accept(S(REQ_RCVD) | S(MRA_REQ_SENT), SendRej, CEP_STATE_IDLE, Say::RejReq);
	t.accept(S(REP_RCVD) | S(MRA_REP_SENT), SendRej, CEP_STATE_IDLE, Say::RejRep);
	t.accept(S(REP_SENT) | S(MRA_REP_RCVD), SendRej, CEP_STATE_TIMEWAIT, Say::RejOther);
	t.otherwise(SendRej, Verdict::Refuse);

	t.accept(up, SendDreq, CEP_STATE_DREQ_SENT, Say::Request, Arm::Watchdog);
	t.otherwise(SendDreq, Verdict::Refuse);
	t.accept(S(DREQ_RCVD), SendDrep, CEP_STATE_TIMEWAIT, Say::Drep);
	t.otherwise(SendDrep, Verdict::Refuse);

	t.accept(S(REP_SENT) | S(MRA_REP_RCVD), Established, CEP_STATE_ESTABLISHED, Say::None,
		 Arm::None, CEP_EVENT_USER_ESTABLISHED);
	t.duplicate(up, Established);
	t.otherwise(Established, Verdict::Refuse);
	t.accept(up | S(DREQ_SENT) | S(DREQ_RCVD), EnterTimewait, CEP_STATE_TIMEWAIT);
	t.otherwise(EnterTimewait, Verdict::Refuse);
}

/* All that destroy does but for an established connection, which depends on the means. */
consteval void close(Table &t, Input input)
{
	t.accept(S(IDLE) | S(LISTEN), input, CEP_STATE_CLOSED);
	t.accept(S(REQ_SENT) | S(MRA_REQ_RCVD), input, CEP_STATE_CLOSED, Say::RejOther);
	t.accept(S(REQ_RCVD) | S(MRA_REQ_SENT), input, CEP_STATE_CLOSED, Say::RejReq);
	/*
	 * Without our RTU the peer has sent nothing to our QP that it could not have
	 * sent anyway; and a repeated REP finds no CEP and gets REJ 6. No timewait.
	 */
	t.accept(S(REP_RCVD) | S(MRA_REP_SENT), input, CEP_STATE_CLOSED, Say::RejRep);
	t.accept(S(REP_SENT) | S(MRA_REP_RCVD), input, CEP_STATE_TIMEWAIT, Say::RejOther);
	t.accept(S(DREQ_RCVD), input, CEP_STATE_TIMEWAIT, Say::Drep);
	t.stay(S(DREQ_SENT) | S(TIMEWAIT), input);
	t.accept(S(SIDR_REQ_SENT), input, CEP_STATE_CLOSED);
	t.accept(S(SIDR_REQ_RCVD), input, CEP_STATE_CLOSED, Say::SidrRep);
}

consteval void closes(Table &t)
{
	using enum Input;

	close(t, Close);
	t.accept(up, Close, CEP_STATE_DREQ_SENT, Say::Request, Arm::Watchdog);
	t.otherwise(Close, Verdict::Refuse);
	close(t, CloseMute);
	t.accept(up, CloseMute, CEP_STATE_TIMEWAIT);
	t.otherwise(CloseMute, Verdict::Refuse);
	t.accept(up, CloseTarget, CEP_STATE_CLOSED);
	t.otherwise(CloseTarget, Verdict::Refuse);
}

consteval void connecting(Table &t)
{
	using enum Input;

	t.accept(S(IDLE), NewReq, CEP_STATE_REQ_RCVD, Say::None, Arm::None, CEP_EVENT_REQ_RECEIVED);
	t.otherwise(NewReq, Verdict::Refuse);

	/* The answer that went out before goes out again; while there is none, the peer waits. */
	t.stay(S(MRA_REQ_SENT), DupReq, Say::Mra);
	t.stay(S(REP_SENT), DupReq, Say::ResendForDup);
	/* An MRA(REP) says that the REP is there: the copy of the REQ was under way */
	t.duplicate(S(REQ_RCVD) | S(MRA_REP_RCVD) | up | S(DREQ_SENT) | S(DREQ_RCVD) | S(TIMEWAIT),
		    DupReq);
	t.otherwise(DupReq, Verdict::Peer);

	t.accept(S(REQ_SENT) | S(MRA_REQ_RCVD), Rep, CEP_STATE_REP_RCVD, Say::None, Arm::None,
		 CEP_EVENT_REP_RECEIVED);
	t.otherwise(Rep, Verdict::Peer);
	t.accept(S(REQ_SENT) | S(MRA_REQ_RCVD), RepTaken, CEP_STATE_IDLE, Say::RejRep, Arm::None,
		 CEP_EVENT_REQ_ERROR);
	t.otherwise(RepTaken, Verdict::Peer);
	t.stay(S(MRA_REP_SENT), DupRep, Say::Mra);
	t.stay(up, DupRep, Say::Rtu);
	/* Past establishment a DREQ is under way or answered and tells the peer more than an RTU */
	t.duplicate(S(REP_RCVD) | S(DREQ_SENT) | S(DREQ_RCVD) | S(TIMEWAIT), DupRep);
	t.otherwise(DupRep, Verdict::Peer);

	t.accept(S(REP_SENT) | S(MRA_REP_RCVD), Rtu, CEP_STATE_ESTABLISHED, Say::None, Arm::None,
		 CEP_EVENT_RTU_RECEIVED);
	t.duplicate(up | S(DREQ_SENT) | S(DREQ_RCVD) | S(TIMEWAIT), Rtu);
	t.otherwise(Rtu, Verdict::Peer);

	/* Each further MRA extends the wait again, but the ULP has been told */
	t.accept(S(REQ_SENT), MraReq, CEP_STATE_MRA_REQ_RCVD, Say::None, Arm::Mra,
		 CEP_EVENT_MRA_RECEIVED);
	t.stay(S(MRA_REQ_RCVD), MraReq, Say::None, Arm::Mra);
	t.duplicate(S(REP_RCVD) | S(MRA_REP_SENT) | up, MraReq);
	t.otherwise(MraReq, Verdict::Peer);
	t.accept(S(REP_SENT), MraRep, CEP_STATE_MRA_REP_RCVD, Say::None, Arm::Mra,
		 CEP_EVENT_MRA_RECEIVED);
	t.stay(S(MRA_REP_RCVD), MraRep, Say::None, Arm::Mra);
	t.duplicate(up, MraRep);
	t.otherwise(MraRep, Verdict::Peer);

	t.accept(S(REQ_SENT) | S(MRA_REQ_RCVD) | S(REQ_RCVD) | S(MRA_REQ_SENT) | S(REP_SENT) |
			 S(MRA_REP_RCVD),
		 Rej, CEP_STATE_IDLE, Say::None, Arm::None, CEP_EVENT_REJ_RECEIVED);
	t.accept(S(REP_RCVD) | S(MRA_REP_SENT) | up | S(DREQ_SENT), Rej, CEP_STATE_TIMEWAIT,
		 Say::None, Arm::None, CEP_EVENT_REJ_RECEIVED);
	t.otherwise(Rej, Verdict::Peer);
}

consteval void disconnecting(Table &t)
{
	using enum Input;

	/*
	 * In REP_RCVD our ULP has yet to send its RTU: the DREQ (of a peer whose QP
	 * was faster than the CM) is left to its repetition, which comes after that.
	 */
	t.accept(S(REP_SENT) | S(MRA_REP_RCVD) | up | S(DREQ_SENT), Dreq, CEP_STATE_DREQ_RCVD,
		 Say::None, Arm::None, CEP_EVENT_DREQ_RECEIVED);
	t.stay(S(TIMEWAIT) | S(IDLE), Dreq, Say::Drep);
	t.duplicate(S(DREQ_RCVD), Dreq);
	t.otherwise(Dreq, Verdict::Peer);
	t.accept(S(DREQ_SENT), DreqOver, CEP_STATE_TIMEWAIT, Say::Drep);
	t.stay(S(TIMEWAIT), DreqOver, Say::Drep);
	t.otherwise(DreqOver, Verdict::Peer);
	/* The peer's CEP is a leftover: a DREP sets it free, ours is not concerned */
	t.stay(every_state & ~S(CLOSED), DreqStray, Say::Drep);
	t.otherwise(DreqStray, Verdict::Peer);

	t.accept(S(DREQ_SENT), Drep, CEP_STATE_TIMEWAIT, Say::None, Arm::None,
		 CEP_EVENT_DREP_RECEIVED);
	/* Both sides asked at once: the ULP has an event already and answers for itself */
	t.duplicate(S(DREQ_RCVD) | S(TIMEWAIT), Drep);
	t.otherwise(Drep, Verdict::Peer);
}

/* IBA 12.8: at most one LAP at a time; a DREQ, REJ or staleness ends it with the connection. */
consteval void alternate_path(Table &t)
{
	using enum Input;

	t.accept(S(ESTABLISHED), SendLap, lap_sent, Say::Request, Arm::Watchdog);
	t.otherwise(SendLap, Verdict::Refuse);
	t.accept(peers_lap, SendApr, CEP_STATE_ESTABLISHED, Say::Apr, Arm::None, no_event,
		 Alt::Take);
	t.otherwise(SendApr, Verdict::Refuse);
	t.accept(peers_lap, SendAprNo, CEP_STATE_ESTABLISHED, Say::Apr);
	t.otherwise(SendAprNo, Verdict::Refuse);
	/* The QP tells what has happened, whatever is being negotiated */
	t.stay(up, Migrate, Say::None, Arm::None, no_event, Alt::Swap);
	t.otherwise(Migrate, Verdict::Refuse);

	t.accept(S(ESTABLISHED), Lap, lap_rcvd, Say::None, Arm::None, CEP_EVENT_LAP_RECEIVED);
	/*
	 * Ours is under way, or the peer has given its last one up and our ULP still thinks
	 * about that: refused at once. Over: the APR says that we do not know the connection.
	 */
	t.stay(any_lap | S(TIMEWAIT) | S(IDLE), Lap, Say::Apr);
	t.otherwise(Lap, Verdict::Peer);
	t.stay(up | S(TIMEWAIT) | S(IDLE), LapBad, Say::Apr);
	t.otherwise(LapBad, Verdict::Peer);
	/* What was answered is answered again; our own LAP does not hinder that */
	t.duplicate(bit(lap_rcvd), LapDup);
	t.stay(bit(mra_lap_sent), LapDup, Say::Mra);
	t.stay(S(ESTABLISHED) | own_lap, LapDup, Say::Apr);
	t.otherwise(LapDup, Verdict::Peer);

	t.accept(own_lap, Apr, CEP_STATE_ESTABLISHED, Say::None, Arm::None, CEP_EVENT_APR_RECEIVED,
		 Alt::Take);
	t.duplicate(S(ESTABLISHED) | peers_lap, Apr);
	t.otherwise(Apr, Verdict::Peer);
	t.accept(own_lap, AprNo, CEP_STATE_ESTABLISHED, Say::None, Arm::None,
		 CEP_EVENT_APR_RECEIVED);
	t.duplicate(S(ESTABLISHED) | peers_lap, AprNo);
	t.otherwise(AprNo, Verdict::Peer);

	t.accept(bit(lap_sent), MraLap, mra_lap_rcvd, Say::None, Arm::Mra, CEP_EVENT_MRA_RECEIVED);
	t.stay(bit(mra_lap_rcvd), MraLap, Say::None, Arm::Mra);
	t.duplicate(S(ESTABLISHED), MraLap);
	t.otherwise(MraLap, Verdict::Peer);
}

/*
 * IBA 12.10.4. The lesser one becomes passive by the REQ of the greater one, and its own REQ
 * is forgotten by both. The greater one only learns that its peer is there, and that its own
 * REQ may not have arrived.
 */
consteval void peer_to_peer(Table &t)
{
	using enum Input;

	t.accept(S(REQ_SENT), PeerReq, CEP_STATE_REQ_RCVD, Say::None, Arm::None,
		 CEP_EVENT_REQ_RECEIVED);
	t.otherwise(PeerReq, Verdict::Peer);
	t.stay(S(REQ_SENT), PeerReqLess, Say::ResendForDup);
	t.duplicate(S(MRA_REQ_RCVD) | S(REP_RCVD) | S(MRA_REP_SENT) | up | S(DREQ_SENT) |
			    S(DREQ_RCVD) | S(TIMEWAIT),
		    PeerReqLess);
	t.otherwise(PeerReqLess, Verdict::Peer);
	t.duplicate(S(REQ_SENT), RejAbsent);
	t.otherwise(RejAbsent, Verdict::Peer);
}

/* IBA 12.11. A question and an answer; nothing of it is remembered. */
consteval void sidr(Table &t)
{
	using enum Input;

	t.accept(S(IDLE), SendSidrReq, CEP_STATE_SIDR_REQ_SENT, Say::Request, Arm::Watchdog);
	t.otherwise(SendSidrReq, Verdict::Refuse);
	t.accept(S(SIDR_REQ_SENT), SidrRep, CEP_STATE_IDLE, Say::None, Arm::None,
		 CEP_EVENT_SIDR_REP_RECEIVED);
	t.duplicate(S(IDLE), SidrRep);
	t.otherwise(SidrRep, Verdict::Peer);

	t.accept(S(IDLE), NewSidrReq, CEP_STATE_SIDR_REQ_RCVD, Say::None, Arm::None,
		 CEP_EVENT_SIDR_REQ_RECEIVED);
	t.otherwise(NewSidrReq, Verdict::Refuse);
	t.duplicate(S(SIDR_REQ_RCVD), DupSidrReq);
	t.otherwise(DupSidrReq, Verdict::Peer);
	t.accept(S(SIDR_REQ_RCVD), SendSidrRep, CEP_STATE_IDLE, Say::SidrRep);
	t.otherwise(SendSidrRep, Verdict::Refuse);
}

consteval void time_and_shell(Table &t)
{
	using enum Input;

	t.stay(requesting, Retry, Say::Resend, Arm::Watchdog);
	t.otherwise(Retry, Verdict::Refuse);
	t.accept(S(REQ_SENT) | S(MRA_REQ_RCVD), GiveUp, CEP_STATE_IDLE, Say::RejOther, Arm::None,
		 CEP_EVENT_REQ_ERROR);
	t.accept(S(REP_SENT) | S(MRA_REP_RCVD), GiveUp, CEP_STATE_IDLE, Say::RejOther, Arm::None,
		 CEP_EVENT_REP_ERROR);
	t.accept(S(DREQ_SENT), GiveUp, CEP_STATE_TIMEWAIT, Say::None, Arm::None,
		 CEP_EVENT_DREQ_ERROR);
	t.accept(own_lap, GiveUp, CEP_STATE_ESTABLISHED, Say::None, Arm::None, CEP_EVENT_LAP_ERROR);
	t.accept(S(SIDR_REQ_SENT), GiveUp, CEP_STATE_IDLE, Say::None, Arm::None,
		 CEP_EVENT_SIDR_REQ_ERROR);
	t.otherwise(GiveUp, Verdict::Refuse);
	t.accept(S(TIMEWAIT), TimewaitEnd, CEP_STATE_IDLE);
	t.otherwise(TimewaitEnd, Verdict::Refuse);

	t.stay(requesting, Sent, Say::None, Arm::Response);
	t.otherwise(Sent, Verdict::Refuse);
	t.accept(S(REQ_SENT) | S(MRA_REQ_RCVD), SendFailed, CEP_STATE_IDLE, Say::None, Arm::None,
		 CEP_EVENT_REQ_ERROR);
	t.accept(S(REP_SENT) | S(MRA_REP_RCVD), SendFailed, CEP_STATE_IDLE, Say::None, Arm::None,
		 CEP_EVENT_REP_ERROR);
	t.accept(S(DREQ_SENT), SendFailed, CEP_STATE_TIMEWAIT, Say::None, Arm::None,
		 CEP_EVENT_DREQ_ERROR);
	t.accept(own_lap, SendFailed, CEP_STATE_ESTABLISHED, Say::None, Arm::None,
		 CEP_EVENT_LAP_ERROR);
	t.accept(S(SIDR_REQ_SENT), SendFailed, CEP_STATE_IDLE, Say::None, Arm::None,
		 CEP_EVENT_SIDR_REQ_ERROR);
	t.otherwise(SendFailed, Verdict::Refuse);

	t.accept(every_state & ~(S(LISTEN) | S(CLOSED)), DeviceRemoved, CEP_STATE_IDLE, Say::None,
		 Arm::None, CEP_EVENT_DEVICE_REMOVED);
	/* A listener is on a device only if its ULP said so, and the shell knows */
	t.stay(S(LISTEN), DeviceRemoved);
	t.otherwise(DeviceRemoved, Verdict::Refuse);
}

/*
 * The peer has shown that it knows nothing of this connection (IBA 12.9.8.3.1).
 * One that was not yet established is rejected as stale, which is also what the
 * peer's next try needs: our hold on its QPN ends at once.
 */
consteval void stale(Table &t, Input input)
{
	t.accept(S(REQ_RCVD) | S(MRA_REQ_SENT), input, CEP_STATE_IDLE, Say::RejReq, Arm::None,
		 CEP_EVENT_REP_ERROR);
	t.accept(S(REP_RCVD) | S(MRA_REP_SENT), input, CEP_STATE_IDLE, Say::RejRep, Arm::None,
		 CEP_EVENT_REQ_ERROR);
	t.accept(S(REP_SENT) | S(MRA_REP_RCVD), input, CEP_STATE_TIMEWAIT, Say::RejOther, Arm::None,
		 CEP_EVENT_REP_ERROR);
	/* Our DREQ will not be answered by whom it was meant for: the wait for it is over */
	t.accept(S(DREQ_SENT), input, CEP_STATE_TIMEWAIT, Say::None, Arm::None,
		 CEP_EVENT_DREQ_ERROR);
	/* The ULP has its event */
	t.accept(S(DREQ_RCVD), input, CEP_STATE_TIMEWAIT, Say::Drep);
}

consteval void stales(Table &t)
{
	using enum Input;

	stale(t, Stale);
	t.accept(up, Stale, CEP_STATE_DREQ_SENT, Say::Request, Arm::Watchdog, CEP_EVENT_DREQ_ERROR);
	t.otherwise(Stale, Verdict::Refuse);
	stale(t, StaleMute);
	t.accept(up, StaleMute, CEP_STATE_TIMEWAIT, Say::None, Arm::None, CEP_EVENT_DREQ_ERROR);
	t.otherwise(StaleMute, Verdict::Refuse);
}

#undef S

consteval Table build()
{
	Table t;

	commands(t);
	closes(t);
	connecting(t);
	disconnecting(t);
	alternate_path(t);
	peer_to_peer(t);
	sidr(t);
	time_and_shell(t);
	stales(t);
	return t;
}

constexpr Table table = build();

consteval bool total()
{
	for (const auto &state : table.row) {
		for (const Row &cell : state) {
			if (cell.verdict == Verdict::Unset)
				return false;
		}
	}
	return true;
}

/* A request goes out exactly where one is kept, and only then is its answer waited for. */
consteval bool requests_are_kept()
{
	for (const auto &state : table.row) {
		for (const Row &cell : state) {
			const bool kept = requesting >> cell.next & 1;
			const bool posts = cell.say == Say::Request || cell.say == Say::Resend;
			if ((posts || cell.arm != Arm::None) && !kept)
				return false;
			if (posts != (cell.arm == Arm::Watchdog))
				return false;
		}
	}
	return true;
}

/* No state is entered that waits for an answer without a request that could bring one. */
consteval bool no_idle_waiting()
{
	for (unsigned s = 0; s < nr_states; s++) {
		for (const Row &cell : table.row[s]) {
			if (cell.verdict == Verdict::Accept && (requesting >> cell.next & 1) &&
			    !(requesting >> s & 1) && cell.say != Say::Request)
				return false;
		}
	}
	return true;
}

/* An address is taken only where one was held, and is not held any more. */
consteval bool addresses_are_held()
{
	for (unsigned s = 0; s < nr_states; s++) {
		for (const Row &cell : table.row[s]) {
			if (cell.alt == Alt::Take &&
			    (!(any_lap >> s & 1) || (any_lap >> cell.next & 1)))
				return false;
		}
	}
	return true;
}

static_assert(!table.twice, "two rules for one cell");
static_assert(total(), "a state without a rule for some input");
static_assert(requests_are_kept());
static_assert(no_idle_waiting());
static_assert(addresses_are_held());

} // namespace

const Row &transition(cep_state state, Input input)
{
	return table.row[state][static_cast<unsigned>(input)];
}

} // namespace cep
