// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
//
// The capture files of a run: cm.pcap has every CM message that a host sent, in
// full, lost ones too; injected.pcap what tests made up; all.pcap every frame,
// RoCE data cut short. Written through at once: a crash loses nothing.

#pragma once

#include "bytes.hh"

#include <memory>
#include <pcap/pcap.h>
#include <string>

namespace cep
{

class Capture
{
public:
	explicit Capture(const std::string &folder);

	void sent(View frame, bool is_cm);
	void injected(View frame);

private:
	struct Close {
		void operator()(pcap_t *pcap) const { pcap_close(pcap); }
		void operator()(pcap_dumper_t *dumper) const { pcap_dump_close(dumper); }
	};
	using File = std::unique_ptr<pcap_dumper_t, Close>;

	File open(const std::string &path);
	static void write(const File &file, View frame, size_t limit);

	std::unique_ptr<pcap_t, Close> pcap_;
	File cm_;
	File injected_;
	File all_;
};

} // namespace cep
