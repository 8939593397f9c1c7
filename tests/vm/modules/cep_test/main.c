// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * cep_test: a ULP for tests. /sys/kernel/debug/cep_test has
 *
 *	command	write one, and the write's result is the command's
 *	status	one line of NAME=VALUE for each set in use
 *	faults	how much was seen that must not be (0 is good)
 *
 * Commands may be written from several processes at once. When the module goes
 * it destroys what there is, in whatever state, waits for the releases, and warns
 * (which ends a VM) if there was a fault or a CEP without exactly one release.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "cep_test.h"

static int ct_cmd_flush(struct ct_options *opts)
{
	ib_cep_flush();
	return 0;
}

static int ct_cmd_reset(struct ct_options *opts)
{
	struct ct_set *set = ct_set(opts);

	if (!set)
		return -EINVAL;
	ct_set_reset(set);
	return 0;
}

static const struct {
	const char	*verb;
	int		(*run)(struct ct_options *opts);
} ct_commands[] = {
	{ "listen", ct_cmd_listen },
	{ "unlisten", ct_cmd_unlisten },
	{ "cancel", ct_cmd_cancel },
	{ "pull", ct_cmd_pull },
	{ "connect", ct_cmd_connect },
	{ "act", ct_cmd_act },
	{ "destroy", ct_cmd_destroy },
	{ "wait", ct_set_wait },
	{ "try", ct_cmd_try },
	{ "qp", ct_cmd_qp },
	{ "flush", ct_cmd_flush },
	{ "reset", ct_cmd_reset },
};

static int ct_run(char *text)
{
	struct ct_options opts;
	int i, ret;

	ret = ct_options_parse(&opts, text);
	if (ret)
		return ret;
	for (i = 0; i < ARRAY_SIZE(ct_commands); i++)
		if (!strcmp(opts.verb, ct_commands[i].verb))
			return ct_commands[i].run(&opts);
	return -EINVAL;
}

static ssize_t ct_command_write(struct file *file, const char __user *from, size_t count,
				loff_t *at)
{
	char *text;
	int ret;

	if (count > PAGE_SIZE)
		return -E2BIG;
	text = memdup_user_nul(from, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	ret = ct_run(text);
	kfree(text);
	return ret ?: count;
}

static const struct file_operations ct_command_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = ct_command_write,
};

static int ct_status_show(struct seq_file *file, void *unused)
{
	int i;

	for (i = 0; i < CT_SETS; i++)
		ct_set_show(file, ct_set_at(i), i);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(ct_status);

static int ct_faults_show(struct seq_file *file, void *unused)
{
	seq_printf(file, "%d\n", ct_sets_faults(false));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(ct_faults);

static struct dentry *ct_debugfs;

static int __init ct_init(void)
{
	ct_sets_init();
	ct_debugfs = debugfs_create_dir("cep_test", NULL);
	debugfs_create_file("command", 0200, ct_debugfs, NULL, &ct_command_fops);
	debugfs_create_file("status", 0400, ct_debugfs, NULL, &ct_status_fops);
	debugfs_create_file("faults", 0400, ct_debugfs, NULL, &ct_faults_fops);
	return 0;
}

static void __exit ct_exit(void)
{
	char text[16];
	int i, faults;

	/* An open file holds the module, so no command runs. */
	debugfs_remove_recursive(ct_debugfs);
	for (i = 0; i < CT_SETS; i++) {
		scnprintf(text, sizeof(text), "unlisten set=%d", i);
		ct_run(text);
		scnprintf(text, sizeof(text), "destroy set=%d", i);
		ct_run(text);
	}
	ib_cep_flush();
	faults = ct_sets_faults(true);
	WARN(faults, "cep_test: %d faults\n", faults);
}

module_init(ct_init);
module_exit(ct_exit);
MODULE_DESCRIPTION("ULP for tests of ib_cep");
MODULE_LICENSE("Dual BSD/GPL");
