// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// See port.hh.

#include "port.hh"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <stdexcept>

namespace cep
{

namespace fs = std::filesystem;

static std::string find_device(std::string_view name)
{
	for (const auto &entry : fs::directory_iterator("/sys/class/virtio-ports")) {
		std::ifstream file(entry.path() / "name");
		std::string found;

		if (std::getline(file, found) && found == name)
			return "/dev/" + entry.path().filename().string();
	}
	throw std::runtime_error("no virtio port has the agent's name");
}

Port::Port(std::string_view name)
{
	const std::string path = find_device(name);

	fd_ = Fd(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
	if (!fd_)
		throw_errno("open " + path);
}

bool Port::fill()
{
	char data[65536];
	const ssize_t n = ::read(fd_.get(), data, sizeof(data));

	if (n > 0)
		in_.append(data, static_cast<size_t>(n));
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

std::optional<std::string> Port::line()
{
	const size_t end = in_.find('\n');

	if (end == std::string::npos)
		return std::nullopt;
	std::string line = in_.substr(0, end);
	in_.erase(0, end + 1);
	return line;
}

void Port::send(std::string_view line)
{
	std::string data(line);

	data += '\n';
	for (size_t done = 0; done < data.size();) {
		const ssize_t n = ::write(fd_.get(), data.data() + done, data.size() - done);
		if (n > 0) {
			done += static_cast<size_t>(n);
			continue;
		}
		if (n < 0 && errno == EAGAIN) {
			pollfd wait{fd_.get(), POLLOUT, 0};
			::poll(&wait, 1, -1);
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		throw_errno("write to the host");
	}
}

} // namespace cep
