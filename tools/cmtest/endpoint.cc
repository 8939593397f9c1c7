// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// See endpoint.hh.

#include "endpoint.hh"

#include "fd.hh"

#include <fmt/format.h>
#include <cstdio>
#include <poll.h>
#include <random>

namespace cep
{

Endpoint::Endpoint(const Options &options)
	: options_(options), channel_(rdma_create_event_channel()), next_qpn_(options.first_qpn),
	  holding_(options.hold)
{
	if (!channel_)
		throw_errno("rdma_create_event_channel");
	// Client and server may share a device: their QPNs must not collide.
	if (!next_qpn_) {
		std::random_device random;
		const uint32_t half = options.role == Role::client ? 0 : 0x800000;

		next_qpn_ = half + 0x1000 + random() % 0x600000;
	}
	std::setvbuf(stdout, nullptr, _IOLBF, 0);
}

Endpoint::~Endpoint()
{
	for (auto &connection : connections_)
		if (connection->id)
			rdma_destroy_id(connection->id);
	rdma_destroy_event_channel(channel_);
}

rdma_cm_id *Endpoint::create_id(void *context)
{
	rdma_cm_id *id = nullptr;

	if (rdma_create_id(channel_, &id, context, RDMA_PS_TCP))
		throw_errno("rdma_create_id");
	return id;
}

Connection &Endpoint::add(rdma_cm_id *id, uint32_t index)
{
	connections_.push_back(std::make_unique<Connection>());
	Connection &connection = *connections_.back();

	connection.id = id;
	connection.index = index;
	connection.qpn = next_qpn_++ & 0xffffff;
	id->context = &connection;
	return connection;
}

rdma_conn_param Endpoint::parameters(const std::vector<uint8_t> &data, uint32_t qpn) const
{
	rdma_conn_param param{};

	param.private_data = data.data();
	param.private_data_len = static_cast<uint8_t>(data.size());
	param.responder_resources = 1;
	param.initiator_depth = 1;
	param.retry_count = 7;
	param.rnr_retry_count = 7;
	param.qp_num = qpn;
	return param;
}

void Endpoint::print(const Connection *connection, const Event &event)
{
	if (options_.quiet)
		return;
	fmt::print("event {} {} status={}\n", connection ? std::to_string(connection->index) : "-",
		   rdma_event_str(event.type), event.status);
}

void Endpoint::error(const Connection *connection, const std::string &text)
{
	errors_++;
	fmt::print("error {} {}\n", connection ? std::to_string(connection->index) : "-", text);
}

void Endpoint::finish(Connection &connection)
{
	rdma_destroy_id(connection.id);
	connection.id = nullptr;
	connection.phase = Phase::over;
	over_++;
}

void Endpoint::begin_disconnect(Connection &connection)
{
	connection.phase = Phase::closing;
	if (rdma_disconnect(connection.id))
		error(&connection, "rdma_disconnect failed");
}

void Endpoint::on_connected(Connection &connection)
{
	connection.phase = Phase::connected;
	connected_++;
	if (options_.disconnect && !holding_)
		begin_disconnect(connection);
	check_hold();
}

void Endpoint::check_hold()
{
	if (!holding_ || announced_ || connected_ + over_ < options_.count)
		return;
	announced_ = true;
	fmt::print("holding connected={}\n", connected_);
}

void Endpoint::on_line()
{
	char data[256];

	// The end of input counts as a line: whoever held it is gone.
	if (::read(STDIN_FILENO, data, sizeof(data)) < 0)
		return;
	holding_ = false;
	if (!options_.disconnect)
		return;
	for (auto &connection : connections_)
		if (connection->phase == Phase::connected)
			begin_disconnect(*connection);
}

void Endpoint::on_disconnected(Connection &connection, const Event &event)
{
	// A DREQ may overtake the RTU before it or the call that sends one.
	if (connection.phase == Phase::connecting) {
		on_overtaken(connection);
		connection.phase = Phase::connected;
		connected_++;
		check_hold();
	}
	if (connection.phase != Phase::connected && connection.phase != Phase::closing) {
		error(&connection, "disconnected a second time or before it was connected");
		return;
	}
	if (event.status)
		error(&connection, fmt::format("disconnected with status {}", event.status));
	disconnected_++;
	// The peer began: rdma_cm answers its DREQ when told to.
	if (connection.phase == Phase::connected)
		rdma_disconnect(connection.id);
	connection.phase = Phase::timewait;
	if (!options_.timewait)
		finish(connection);
}

void Endpoint::on_event(const Event &event)
{
	auto *connection = static_cast<Connection *>(event.id->context);

	switch (event.type) {
	case RDMA_CM_EVENT_DISCONNECTED:
		print(connection, event);
		on_disconnected(*connection, event);
		return;
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		print(connection, event);
		if (connection->phase != Phase::timewait) {
			error(connection, "timewait exit out of turn");
			return;
		}
		timewait_++;
		finish(*connection);
		return;
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		print(connection, event);
		error(connection, "device removed");
		if (connection)
			finish(*connection);
		else
			done_ = true;
		return;
	default: on_setup_event(connection, event);
	}
}

bool Endpoint::all_over() const
{
	return done_ || over_ >= options_.count;
}

void Endpoint::summary() const
{
	fmt::print("connected={} rejected={} errors={} disconnected={} timewait={}\n", connected_,
		   rejected_, errors_, disconnected_, timewait_);
}

bool Endpoint::run()
{
	start();
	while (!all_over()) {
		pollfd fds[] = {{channel_->fd, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};

		if (::poll(fds, holding_ ? 2 : 1, -1) < 0 && errno != EINTR)
			throw_errno("poll");
		if (holding_ && fds[1].revents)
			on_line();
		if (!fds[0].revents)
			continue;

		rdma_cm_event *raw = nullptr;
		if (rdma_get_cm_event(channel_, &raw))
			throw_errno("rdma_get_cm_event");
		const auto *data = static_cast<const uint8_t *>(raw->param.conn.private_data);
		const Event event{
			raw->event, raw->status, raw->id, raw->param.conn.qp_num,
			data ? std::vector<uint8_t>(data, data + raw->param.conn.private_data_len)
			     : std::vector<uint8_t>()};
		rdma_ack_cm_event(raw);
		on_event(event);
	}
	summary();
	return errors_ == 0;
}

} // namespace cep
