// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// The active side: resolves address and route, sends REQ, checks what the REP or
// REJ carries, sends RTU (rdma_establish, as there is no queue pair).

#include "endpoint.hh"

#include "fd.hh"

#include <fmt/format.h>
#include <netdb.h>
#include <stdexcept>

namespace cep
{

namespace
{

constexpr int resolve_timeout_ms = 5000;

sockaddr_storage resolve(const std::string &name, uint16_t port)
{
	addrinfo hints{};
	addrinfo *found = nullptr;
	sockaddr_storage address{};

	hints.ai_flags = AI_NUMERICHOST;
	const int status = getaddrinfo(name.c_str(), std::to_string(port).c_str(), &hints, &found);
	if (status)
		throw std::runtime_error(name + ": " + gai_strerror(status));
	__builtin_memcpy(&address, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return address;
}

class Client : public Endpoint
{
public:
	explicit Client(const Options &options) : Endpoint(options)
	{
		to_ = resolve(options.address, options.port);
		if (!options.source.empty())
			from_ = resolve(options.source, 0);
	}

private:
	void start() override
	{
		while (active_ < options_.outstanding && started_ < options_.count)
			start_one();
	}

	void start_one()
	{
		Connection &connection = add(create_id(nullptr), started_++);
		auto *from =
			options_.source.empty() ? nullptr : reinterpret_cast<sockaddr *>(&from_);

		active_++;
		if (rdma_resolve_addr(connection.id, from, reinterpret_cast<sockaddr *>(&to_),
				      resolve_timeout_ms))
			fail(connection, "rdma_resolve_addr");
	}

	void fail(Connection &connection, const std::string &what)
	{
		error(&connection, what + " failed");
		settled();
		finish(connection);
	}

	// One request less is outstanding.
	void settled() { active_--; }

	void connect(Connection &connection)
	{
		const auto data = make_payload({connection.index, connection.qpn}, req_length);
		rdma_conn_param param = parameters(data, connection.qpn);

		connection.phase = Phase::connecting;
		if (rdma_connect(connection.id, &param))
			fail(connection, "rdma_connect");
	}

	void on_response(Connection &connection, const Event &event)
	{
		const Payload payload = read_payload(event.private_data);

		if (connection.phase != Phase::connecting) {
			error(&connection, "a second response");
			return;
		}
		if (!check_payload(event.private_data, rep_length) ||
		    payload.index != connection.index || payload.qpn != event.peer_qpn)
			error(&connection, "wrong private data or QPN in the REP");
		// The server may have changed its mind meanwhile; its REJ or DREQ has
		// been received and its event is next.
		if (rdma_establish(connection.id))
			return;
		settled();
		on_connected(connection);
	}

	void on_overtaken(Connection &connection) override
	{
		if (!options_.quiet)
			fmt::print("event {} ended before the RTU\n", connection.index);
		settled();
		start();
	}

	void on_rejected(Connection &connection, const Event &event)
	{
		rejected_++;
		// A server's end rejects, too, but without private data.
		if (options_.refuse) {
			const Payload payload = read_payload(event.private_data);

			if (event.status != consumer_reject ||
			    !check_payload(event.private_data, rej_length) ||
			    payload.index != connection.index)
				error(&connection, "wrong reason or private data in the REJ");
		}
		settled();
		finish(connection);
	}

	void on_setup_event(Connection *connection, const Event &event) override
	{
		print(connection, event);
		switch (event.type) {
		case RDMA_CM_EVENT_ADDR_RESOLVED:
			if (rdma_resolve_route(connection->id, resolve_timeout_ms))
				fail(*connection, "rdma_resolve_route");
			break;
		case RDMA_CM_EVENT_ROUTE_RESOLVED: connect(*connection); break;
		case RDMA_CM_EVENT_CONNECT_RESPONSE: on_response(*connection, event); break;
		case RDMA_CM_EVENT_REJECTED: on_rejected(*connection, event); break;
		default:
			fail(*connection, fmt::format("{} (status {})", rdma_event_str(event.type),
						      event.status));
		}
		start();
	}

	static constexpr int consumer_reject = 28;

	sockaddr_storage to_{};
	sockaddr_storage from_{};
	uint32_t started_ = 0;
	uint32_t active_ = 0;
};

} // namespace

std::unique_ptr<Endpoint> make_client(const Options &options)
{
	return std::make_unique<Client>(options);
}

} // namespace cep
