// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// See options.hh.

#include "options.hh"

#include <CLI/CLI.hpp>

namespace cep
{

static void add_common(CLI::App *command, Options &options)
{
	command->add_option("--port", options.port, "port of rdma_cm's TCP port space");
	command->add_option("--count", options.count, "connections");
	command->add_option("--first-qpn", options.first_qpn, "QPN of the first connection");
	command->add_flag("--disconnect", options.disconnect, "begin the disconnection");
	command->add_flag("--hold", options.hold,
			  "once all are up, wait for a line on standard input");
	command->add_flag("--timewait", options.timewait, "wait for the end of timewait");
	command->add_flag("--quiet", options.quiet, "print only events that are wrong");
}

std::optional<Options> parse_options(int argc, char **argv, int &exit_status)
{
	CLI::App app{"Opens connections through librdmacm, without queue pairs, and tells "
		     "what happens to them"};
	Options options;

	app.require_subcommand(1);
	CLI::App *client = app.add_subcommand("client", "the active side");
	CLI::App *server = app.add_subcommand("server", "the passive side");
	add_common(client, options);
	add_common(server, options);
	client->add_option("--to", options.address, "the server's address")->required();
	client->add_option("--from", options.source, "own address");
	client->add_option("--outstanding", options.outstanding, "requests at once");
	client->add_flag("--refused", options.refuse,
			 "each REJ must carry the server's private data");
	server->add_option("--address", options.address, "address to listen on");
	server->add_flag("--refuse", options.refuse, "reject every request");
	server->add_flag("--ignore", options.ignore, "answer no request");

	exit_status = 0;
	try {
		app.parse(argc, argv);
	} catch (const CLI::ParseError &error) {
		exit_status = app.exit(error);
		return std::nullopt;
	}
	options.role = client->parsed() ? Role::client : Role::server;
	return options;
}

} // namespace cep
