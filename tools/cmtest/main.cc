// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// cep-cmtest: opens and closes many connections through librdmacm, without queue
// pairs, so that nothing but the CM is at work. Checks the private data of every
// message at both ends, prints the events and, last, a line
// "connected=N rejected=N errors=N disconnected=N timewait=N".

#include "endpoint.hh"

#include <cstdio>
#include <exception>

int main(int argc, char **argv)
{
	int status = 0;
	const auto options = cep::parse_options(argc, argv, status);

	if (!options)
		return status;
	try {
		auto endpoint = options->role == cep::Role::client ? cep::make_client(*options)
								   : cep::make_server(*options);
		return endpoint->run() ? 0 : 1;
	} catch (const std::exception &error) {
		std::fprintf(stderr, "cep-cmtest: %s\n", error.what());
		return 2;
	}
}
