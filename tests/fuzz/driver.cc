/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Stands in for libFuzzer where the compiler has none: random inputs from a seed, no
 * coverage. Takes -seed=, -runs=, -max_total_time=, -max_len= and ignores the other
 * options; with file names it runs those inputs instead.
 */
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace
{

unsigned long option(const char *arg, const char *name, unsigned long value)
{
	const size_t len = std::strlen(name);

	return std::strncmp(arg, name, len) ? value : std::strtoul(arg + len, nullptr, 0);
}

/* In memory of exactly its size, so that ASan sees an over-read. */
void run(const std::vector<uint8_t> &input)
{
	const auto exact = std::make_unique<uint8_t[]>(input.size());

	std::copy(input.begin(), input.end(), exact.get());
	LLVMFuzzerTestOneInput(exact.get(), input.size());
}

} // namespace

int main(int argc, char **argv)
{
	unsigned long seed = 1, runs = 100000, seconds = 10, max_len = 512, files = 0;

	for (int i = 1; i < argc; i++) {
		if (argv[i][0] != '-') {
			std::ifstream file(argv[i], std::ios::binary);
			run({std::istreambuf_iterator<char>(file), {}});
			files++;
			continue;
		}
		seed = option(argv[i], "-seed=", seed);
		runs = option(argv[i], "-runs=", runs);
		seconds = option(argv[i], "-max_total_time=", seconds);
		max_len = option(argv[i], "-max_len=", max_len);
	}
	if (files)
		return 0;

	std::printf("INFO: Seed: %lu\n", seed);
	std::mt19937_64 random(seed);
	const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
	unsigned long done = 0;
	for (; done < runs && std::chrono::steady_clock::now() < end; done++) {
		std::vector<uint8_t> input(random() % 4 ? max_len : random() % (max_len + 1));
		for (size_t i = 0; i < input.size(); i++)
			input[i] = static_cast<uint8_t>(random());
		run(input);
	}
	std::printf("Done %lu runs\n", done);
	return 0;
}
