// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// The cable to one VM: QEMU's "-netdev stream" on a unix socket, where each
// frame has its length before it (four bytes, big-endian). Lossless: what QEMU
// cannot take yet waits here. Owned by the bridge's loop.

#pragma once

#include "bytes.hh"
#include "fd.hh"

#include <optional>
#include <string>

namespace cep
{

class Link
{
public:
	explicit Link(const std::string &path);

	// The socket to poll: the listening one until QEMU has come.
	int fd() const { return peer_ ? peer_.get() : listener_.get(); }
	bool wants_to_write() const { return peer_ && out_at_ < out_.size(); }
	void on_readable();
	void on_writable();
	std::optional<Bytes> next_frame();
	void send(View frame);

private:
	void hang_up();

	Fd listener_;
	Fd peer_;
	Bytes in_;
	size_t in_at_ = 0;
	Bytes out_;
	size_t out_at_ = 0;
};

// A listening unix socket; what was at that path before is removed.
Fd listen_unix(const std::string &path);

} // namespace cep
