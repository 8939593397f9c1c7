// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// What client and server have in common: the event channel, the connections,
// their counters, the end of a connection. One thread, one poll loop.

#pragma once

#include "options.hh"
#include "payload.hh"

#include <memory>
#include <rdma/rdma_cma.h>
#include <string>
#include <vector>

namespace cep
{

enum class Phase : uint8_t { setup, connecting, connected, closing, timewait, over };

struct Connection {
	rdma_cm_id *id = nullptr;
	uint32_t index = 0;
	uint32_t qpn = 0;
	Phase phase = Phase::setup;
};

// An event, copied, so that it can be acknowledged before it is acted on:
// rdma_destroy_id() waits for the acknowledgement.
struct Event {
	rdma_cm_event_type type;
	int status;
	rdma_cm_id *id;
	uint32_t peer_qpn;
	std::vector<uint8_t> private_data;
};

class Endpoint
{
public:
	explicit Endpoint(const Options &options);
	virtual ~Endpoint();
	Endpoint(const Endpoint &) = delete;
	Endpoint &operator=(const Endpoint &) = delete;

	// Until every connection is over. True if nothing went wrong.
	bool run();

protected:
	virtual void start() = 0;
	virtual void on_setup_event(Connection *connection, const Event &event) = 0;
	// The peer disconnects before this side knows that the connection is up.
	virtual void on_overtaken(Connection &connection) = 0;

	rdma_cm_id *create_id(void *context);
	Connection &add(rdma_cm_id *id, uint32_t index);
	rdma_conn_param parameters(const std::vector<uint8_t> &data, uint32_t qpn) const;
	void on_connected(Connection &connection);
	// The connection did not come about.
	void finish(Connection &connection);
	void error(const Connection *connection, const std::string &text);
	void print(const Connection *connection, const Event &event);

	Options options_;
	uint32_t rejected_ = 0;
	bool done_ = false; // no further connection will come

private:
	void on_event(const Event &event);
	void on_disconnected(Connection &connection, const Event &event);
	void on_line();
	void check_hold();
	void begin_disconnect(Connection &connection);
	bool all_over() const;
	void summary() const;

	rdma_event_channel *channel_;
	std::vector<std::unique_ptr<Connection>> connections_;
	uint32_t next_qpn_;
	uint32_t connected_ = 0;
	uint32_t disconnected_ = 0;
	uint32_t timewait_ = 0;
	uint32_t errors_ = 0;
	uint32_t over_ = 0;
	bool holding_;
	bool announced_ = false;
};

std::unique_ptr<Endpoint> make_client(const Options &options);
std::unique_ptr<Endpoint> make_server(const Options &options);

} // namespace cep
