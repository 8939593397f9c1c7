// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// The passive side: listens, checks what each REQ carries, accepts it, refuses
// it or leaves it alone.

#include "endpoint.hh"

#include "fd.hh"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <stdexcept>

namespace cep
{

namespace
{

class Server : public Endpoint
{
public:
	explicit Server(const Options &options) : Endpoint(options) {}
	~Server() override
	{
		if (listener_)
			rdma_destroy_id(listener_);
	}

private:
	void start() override
	{
		sockaddr_in address{};

		address.sin_family = AF_INET;
		address.sin_port = htons(options_.port);
		if (!options_.address.empty() &&
		    inet_pton(AF_INET, options_.address.c_str(), &address.sin_addr) != 1)
			throw std::runtime_error("not an IPv4 address: " + options_.address);
		listener_ = create_id(nullptr);
		if (rdma_bind_addr(listener_, reinterpret_cast<sockaddr *>(&address)))
			throw_errno("rdma_bind_addr");
		if (rdma_listen(listener_, static_cast<int>(options_.count)))
			throw_errno("rdma_listen");
		fmt::print("listening\n");
	}

	void on_overtaken(Connection &connection) override
	{
		if (!options_.quiet)
			fmt::print("event {} DREQ before RTU\n", connection.index);
	}

	void on_request(const Event &event)
	{
		const Payload payload = read_payload(event.private_data);
		Connection &connection = add(event.id, payload.index);

		print(&connection, event);
		if (!check_payload(event.private_data, req_length) || payload.qpn != event.peer_qpn)
			error(&connection, "wrong private data or QPN in the REQ");
		connection.phase = Phase::connecting;
		if (options_.ignore)
			return;
		if (options_.refuse) {
			const auto data = make_payload({connection.index, 0}, rej_length);

			if (rdma_reject(connection.id, data.data(), rej_length))
				error(&connection, "rdma_reject failed");
			rejected_++;
			finish(connection);
			return;
		}
		const auto data = make_payload({connection.index, connection.qpn}, rep_length);
		rdma_conn_param param = parameters(data, connection.qpn);
		if (rdma_accept(connection.id, &param)) {
			error(&connection, "rdma_accept failed");
			finish(connection);
		}
	}

	void on_setup_event(Connection *connection, const Event &event) override
	{
		if (event.type == RDMA_CM_EVENT_CONNECT_REQUEST) {
			on_request(event);
			return;
		}
		print(connection, event);
		if (event.type == RDMA_CM_EVENT_ESTABLISHED) {
			if (connection->phase == Phase::connecting)
				on_connected(*connection);
			else
				error(connection, "established a second time");
			return;
		}
		error(connection,
		      fmt::format("{} (status {})", rdma_event_str(event.type), event.status));
		if (connection)
			finish(*connection);
	}

	rdma_cm_id *listener_ = nullptr;
};

} // namespace

std::unique_ptr<Endpoint> make_server(const Options &options)
{
	return std::make_unique<Server>(options);
}

} // namespace cep
