// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The words of a command, "verb key=value ...". A value that is no number or not
 * one of the allowed words marks the whole command bad: a test that mistypes must
 * not pass. Local to the caller, no locking.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "cep_test.h"

int ct_options_parse(struct ct_options *opts, char *text)
{
	char *word;

	memset(opts, 0, sizeof(*opts));
	text = strim(text);
	while ((word = strsep(&text, " \t\n"))) {
		if (!*word)
			continue;
		if (!opts->verb) {
			opts->verb = word;
			continue;
		}
		if (opts->count == CT_MAX_WORDS)
			return -E2BIG;
		opts->word[opts->count++] = word;
	}
	return opts->verb ? 0 : -EINVAL;
}

const char *ct_option(const struct ct_options *opts, const char *key, const char *otherwise)
{
	size_t len = strlen(key);
	int i;

	for (i = 0; i < opts->count; i++)
		if (!strncmp(opts->word[i], key, len) && opts->word[i][len] == '=')
			return opts->word[i] + len + 1;
	return otherwise;
}

u64 ct_option_u64(struct ct_options *opts, const char *key, u64 otherwise)
{
	const char *value = ct_option(opts, key, NULL);
	u64 number;

	if (!value)
		return otherwise;
	if (kstrtou64(value, 0, &number)) {
		opts->verb = NULL;
		return otherwise;
	}
	return number;
}

int ct_option_word(struct ct_options *opts, const char *key, const char *const *words,
		   int count, int otherwise)
{
	const char *value = ct_option(opts, key, NULL);
	int found;

	if (!value)
		return otherwise;
	found = match_string(words, count, value);
	if (found < 0) {
		opts->verb = NULL;
		return otherwise;
	}
	return found;
}

bool ct_options_bad(const struct ct_options *opts)
{
	return !opts->verb;
}
