// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// cep-agent: process 1 of a guest. Runs commands for the host, several at once,
// over a virtio-serial port, and reaps whatever is orphaned. One thread, one
// poll loop. Its end is the end of the guest (the kernel panics), so a fault
// here is never taken for a pass.
//
//	host to guest			guest to host
//	start ID pipe|pty COMMAND64	ready
//	write ID DATA64			started ID PID
//	eof ID				output ID DATA64
//	signal ID NUMBER		exit ID STATUS	(128 + n after signal n)

#include "base64.hh"
#include "job.hh"
#include "port.hh"

#include <csignal>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <map>
#include <poll.h>
#include <sstream>
#include <string>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <vector>

namespace cep
{

class Agent
{
public:
	Agent() : port_("cep.agent")
	{
		sigset_t set;

		std::signal(SIGPIPE, SIG_IGN);
		sigemptyset(&set);
		sigaddset(&set, SIGCHLD);
		sigprocmask(SIG_BLOCK, &set, nullptr);
		children_ = Fd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
		if (!children_)
			throw_errno("signalfd");
		port_.send("ready");
	}

	void run()
	{
		for (;;)
			turn();
	}

private:
	using Id = unsigned long;

	void turn()
	{
		std::vector<pollfd> fds{{port_.fd(), POLLIN, 0}, {children_.get(), POLLIN, 0}};
		std::vector<Id> owners{0, 0};

		for (auto &[id, job] : jobs_) {
			if (job.output_fd() >= 0) {
				fds.push_back({job.output_fd(), POLLIN, 0});
				owners.push_back(id);
			}
			if (job.wants_to_write()) {
				fds.push_back({job.input_fd(), POLLOUT, 0});
				owners.push_back(id);
			}
		}
		if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR)
			throw_errno("poll");

		for (size_t i = 2; i < fds.size(); i++) {
			auto found = jobs_.find(owners[i]);
			if (!fds[i].revents || found == jobs_.end())
				continue;
			if (fds[i].events & POLLOUT)
				found->second.flush();
			else
				forward(found->first, found->second);
		}
		if (fds[1].revents)
			reap();
		if (fds[0].revents) {
			if (!port_.fill())
				throw std::runtime_error("the host has gone");
			while (auto line = port_.line())
				command(*line);
		}
		forget_finished();
	}

	bool forward(Id id, Job &job)
	{
		const std::string data = job.read_output();

		if (!data.empty())
			port_.send("output " + std::to_string(id) + " " + base64_encode(data));
		return !data.empty();
	}

	void reap()
	{
		signalfd_siginfo info;
		int status;
		pid_t pid;

		while (::read(children_.get(), &info, sizeof(info)) > 0)
			;
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
			for (auto &[id, job] : jobs_) {
				if (job.pid() != pid || exited_.contains(id))
					continue;
				// Output first, so that the host has all of it
				// when it learns of the end. What a process left
				// behind writes later is still forwarded.
				while (forward(id, job))
					;
				const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
								     : WEXITSTATUS(status);
				port_.send("exit " + std::to_string(id) + " " +
					   std::to_string(code));
				exited_[id] = true;
			}
		}
	}

	void forget_finished()
	{
		std::erase_if(jobs_, [this](auto &entry) {
			const bool over =
				exited_.contains(entry.first) && entry.second.output_fd() < 0;
			if (over)
				exited_.erase(entry.first);
			return over;
		});
	}

	void command(const std::string &line)
	{
		std::istringstream words(line);
		std::string verb, arg, data;
		Id id = 0;

		words >> verb >> id >> arg >> data;
		if (verb == "start") {
			auto text = base64_decode(data);
			Job job(text.value_or("exit 126"), arg == "pty");

			port_.send("started " + std::to_string(id) + " " +
				   std::to_string(job.pid()));
			jobs_.emplace(id, std::move(job));
			return;
		}
		auto found = jobs_.find(id);
		if (found == jobs_.end())
			return;
		if (verb == "write")
			found->second.write(base64_decode(arg).value_or(""));
		else if (verb == "eof")
			found->second.close_input();
		else if (verb == "signal" && !exited_.contains(id))
			found->second.signal(std::stoi(arg));
	}

	Port port_;
	Fd children_;
	std::map<Id, Job> jobs_;
	std::map<Id, bool> exited_;
};

} // namespace cep

int main()
{
	try {
		cep::Agent().run();
	} catch (const std::exception &error) {
		std::fprintf(stderr, "cep-agent: %s\n", error.what());
	}
	return 1;
}
