// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// See capture.hh.

#include "capture.hh"

#include "frame.hh"

#include <algorithm>
#include <ctime>
#include <stdexcept>

namespace cep
{

static constexpr int snap_length = 65535;
static constexpr size_t data_limit = 128;

Capture::Capture(const std::string &folder)
{
	pcap_.reset(pcap_open_dead_with_tstamp_precision(DLT_EN10MB, snap_length,
							 PCAP_TSTAMP_PRECISION_NANO));
	if (!pcap_)
		throw std::runtime_error("pcap_open_dead failed");
	cm_ = open(folder + "/cm.pcap");
	injected_ = open(folder + "/injected.pcap");
	all_ = open(folder + "/all.pcap");
}

Capture::File Capture::open(const std::string &path)
{
	File file(pcap_dump_open(pcap_.get(), path.c_str()));

	if (!file)
		throw std::runtime_error(path + ": " + pcap_geterr(pcap_.get()));
	pcap_dump_flush(file.get());
	return file;
}

void Capture::write(const File &file, View frame, size_t limit)
{
	timespec now{};
	pcap_pkthdr header{};

	clock_gettime(CLOCK_REALTIME, &now);
	header.ts.tv_sec = now.tv_sec;
	header.ts.tv_usec = now.tv_nsec; // the file says nanoseconds
	header.len = static_cast<bpf_u_int32>(frame.size());
	header.caplen = static_cast<bpf_u_int32>(std::min(frame.size(), limit));
	pcap_dump(reinterpret_cast<u_char *>(file.get()), &header, frame.data());
	pcap_dump_flush(file.get());
}

void Capture::sent(View frame, bool is_cm)
{
	const bool whole = is_cm || !is_roce(frame);

	write(all_, frame, whole ? snap_length : data_limit);
	if (is_cm)
		write(cm_, frame, snap_length);
}

void Capture::injected(View frame)
{
	write(all_, frame, snap_length);
	write(injected_, frame, snap_length);
}

} // namespace cep
