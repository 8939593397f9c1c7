// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// The command line of cep-cmtest.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cep
{

enum class Role : uint8_t { client, server };

struct Options {
	Role role = Role::client;
	std::string address;
	std::string source; // client: address to bind to
	uint16_t port = 7471;
	uint32_t count = 1;       // connections
	uint32_t outstanding = 1; // client: requests at once
	uint32_t first_qpn = 0;   // 0: random
	bool refuse = false;      // server: reject every request; client: expect just that
	bool ignore = false;      // server: leave every request without an answer
	bool disconnect = false;  // this side begins
	bool hold = false;        // wait for a line on standard input before that
	bool timewait = false;    // wait for the end of timewait, too
	bool quiet = false;       // print events only if they are wrong
};

// Nothing if the program is to end with exit_status (help, wrong usage).
std::optional<Options> parse_options(int argc, char **argv, int &exit_status);

} // namespace cep
