// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// See job.hh.

#include "job.hh"

#include <csignal>
#include <fcntl.h>
#include <pty.h>
#include <unistd.h>

namespace cep
{

[[noreturn]] static void run_shell(const char *command, bool terminal)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, nullptr);
	std::signal(SIGPIPE, SIG_DFL);
	if (!terminal)
		setsid();
	execl("/bin/sh", "sh", "-c", command, nullptr);
	_exit(127);
}

static void set_nonblocking(int fd)
{
	if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) < 0)
		throw_errno("fcntl");
}

Job::Job(std::string command, bool terminal) : terminal_(terminal)
{
	if (terminal) {
		int master = -1;

		pid_ = forkpty(&master, nullptr, nullptr, nullptr);
		if (pid_ == 0)
			run_shell(command.c_str(), true);
		if (pid_ < 0)
			throw_errno("forkpty");
		output_ = Fd(master);
		fcntl(master, F_SETFD, FD_CLOEXEC);
		set_nonblocking(master);
		return;
	}

	int in[2];
	int out[2];

	if (pipe2(in, O_CLOEXEC) < 0)
		throw_errno("pipe");
	Fd in_read(in[0]);
	input_ = Fd(in[1]);
	if (pipe2(out, O_CLOEXEC) < 0)
		throw_errno("pipe");
	output_ = Fd(out[0]);
	Fd out_write(out[1]);

	pid_ = fork();
	if (pid_ == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		dup2(out[1], 2);
		run_shell(command.c_str(), false);
	}
	if (pid_ < 0)
		throw_errno("fork");
	set_nonblocking(in[1]);
	set_nonblocking(out[0]);
}

std::string Job::read_output()
{
	std::string data(24576, '\0');

	if (!output_)
		return {};
	const ssize_t n = ::read(output_.get(), data.data(), data.size());
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return {};
	// A terminal says EIO where a pipe says end of file.
	if (n <= 0) {
		output_.reset();
		return {};
	}
	data.resize(static_cast<size_t>(n));
	return data;
}

void Job::write(std::string_view data)
{
	pending_ += data;
	flush();
}

void Job::close_input()
{
	closing_ = true;
	flush();
}

void Job::flush()
{
	while (wants_to_write()) {
		const ssize_t n = ::write(input_fd(), pending_.data(), pending_.size());
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		// Nobody will read the rest.
		if (n < 0) {
			pending_.clear();
			break;
		}
		pending_.erase(0, static_cast<size_t>(n));
	}
	if (closing_ && pending_.empty() && !terminal_)
		input_.reset();
}

void Job::signal(int number) const
{
	::kill(-pid_, number);
}

} // namespace cep
