// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// See link.hh.

#include "link.hh"

#include <cstring>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>

namespace cep
{

static constexpr size_t longest_frame = 1 << 17;

Fd listen_unix(const std::string &path)
{
	sockaddr_un address{};
	Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));

	if (!fd)
		throw_errno("socket");
	if (path.size() >= sizeof(address.sun_path))
		throw std::runtime_error("socket path is too long: " + path);
	address.sun_family = AF_UNIX;
	std::memcpy(address.sun_path, path.data(), path.size());
	::unlink(path.c_str());
	if (::bind(fd.get(), reinterpret_cast<sockaddr *>(&address), sizeof(address)) < 0)
		throw_errno("bind " + path);
	if (::listen(fd.get(), 8) < 0)
		throw_errno("listen " + path);
	return fd;
}

Link::Link(const std::string &path) : listener_(listen_unix(path)) {}

void Link::hang_up()
{
	peer_.reset();
	in_.clear();
	in_at_ = 0;
	out_.clear();
	out_at_ = 0;
}

void Link::on_readable()
{
	uint8_t data[1 << 16];

	if (!peer_) {
		peer_ = Fd(
			::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
		return;
	}
	const ssize_t n = ::read(peer_.get(), data, sizeof(data));
	if (n > 0) {
		in_.erase(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(in_at_));
		in_at_ = 0;
		in_.insert(in_.end(), data, data + n);
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		hang_up();
	}
}

std::optional<Bytes> Link::next_frame()
{
	const size_t have = in_.size() - in_at_;

	if (have < 4)
		return std::nullopt;
	const size_t length = get_be(in_, in_at_, 4);
	if (length > longest_frame)
		throw std::runtime_error("frame length from QEMU makes no sense");
	if (have < 4 + length)
		return std::nullopt;
	const auto start = in_.begin() + static_cast<std::ptrdiff_t>(in_at_ + 4);
	Bytes frame(start, start + static_cast<std::ptrdiff_t>(length));
	in_at_ += 4 + length;
	return frame;
}

void Link::send(View frame)
{
	if (!peer_)
		return; // no VM on this end of the cable
	put_be(out_, frame.size(), 4);
	put(out_, frame);
	on_writable();
}

void Link::on_writable()
{
	while (wants_to_write()) {
		const ssize_t n = ::send(peer_.get(), out_.data() + out_at_, out_.size() - out_at_,
					 MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0)
			return hang_up();
		out_at_ += static_cast<size_t>(n);
	}
	out_.clear();
	out_at_ = 0;
}

} // namespace cep
