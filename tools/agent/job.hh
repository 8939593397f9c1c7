// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// One command that the host has started in this guest: its process group, its
// input and its output (standard output and error together). Owned by the
// agent's loop.

#pragma once

#include "fd.hh"

#include <string>
#include <string_view>
#include <sys/types.h>

namespace cep
{

class Job
{
public:
	// Start "sh -c command" in a session of its own, on a terminal of its
	// own if wanted.
	Job(std::string command, bool terminal);

	pid_t pid() const { return pid_; }
	int output_fd() const { return output_.get(); }
	// What the command has written since; empty if nothing is there. At the
	// end of its output output_fd() becomes -1.
	std::string read_output();
	// Give the command input. It is kept until the command reads it.
	void write(std::string_view data);
	void close_input();
	bool wants_to_write() const { return !pending_.empty() && input_fd() >= 0; }
	int input_fd() const { return terminal_ ? output_.get() : input_.get(); }
	void flush();
	void signal(int number) const;

private:
	bool terminal_;
	bool closing_ = false;
	pid_t pid_ = -1;
	Fd input_;
	Fd output_;
	std::string pending_;
};

} // namespace cep
