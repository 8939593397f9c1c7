// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// The agent's end of the virtio-serial port to the host: lines in, lines out.
// Used by the agent's only thread.

#pragma once

#include "fd.hh"

#include <optional>
#include <string>
#include <string_view>

namespace cep
{

class Port
{
public:
	// Find the port that QEMU named so and open it.
	explicit Port(std::string_view name);

	int fd() const { return fd_.get(); }
	// Read what is there; false if the host has gone.
	bool fill();
	// The next complete line, without its end.
	std::optional<std::string> line();
	// Write a line; waits while the host is slow, so that a command which
	// prints without end cannot fill this guest's memory.
	void send(std::string_view line);

private:
	Fd fd_;
	std::string in_;
};

} // namespace cep
