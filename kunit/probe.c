// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * index.c as it ships, and what a test wants to know of its tables and of the rest of the
 * module. The suites are a module of their own: KUnit runs those of a module before its
 * init function.
 */
#include <linux/export.h>
#include <linux/moduleparam.h>
#include "index.c"
#include "probe.h"

/* A parameter of this module: the suites run before those of their own are known. */
char *cep_probe_only = "*";
module_param_named(only, cep_probe_only, charp, 0444);
MODULE_PARM_DESC(only, "KUnit cases to run, as a shell pattern; the others are skipped (*)");
EXPORT_SYMBOL_GPL(cep_probe_only);

unsigned int cep_probe_comm_ids(void)
{
	unsigned int count = 0;
	unsigned long flags;
	int i;

	for (i = 0; i < CEP_ID_SHARDS; i++) {
		XA_STATE(xas, &cep_ids[i].ids, 0);
		void *entry;

		xa_lock_irqsave(&cep_ids[i].ids, flags);
		/* Those that are only reserved too. */
		xas_for_each(&xas, entry, ULONG_MAX)
			count++;
		xa_unlock_irqrestore(&cep_ids[i].ids, flags);
	}
	return count;
}
EXPORT_SYMBOL_GPL(cep_probe_comm_ids);

unsigned int cep_probe_peers(void)
{
	unsigned int b, count = 0;
	struct cep_peer *peer;
	unsigned long flags;

	for (b = 0; b <= cep_bucket_mask; b++) {
		spin_lock_irqsave(&cep_by_comm_id[b].lock, flags);
		hlist_for_each_entry(peer, &cep_by_comm_id[b].head, by_comm_id)
			count++;
		spin_unlock_irqrestore(&cep_by_comm_id[b].lock, flags);
		spin_lock_irqsave(&cep_by_qpn[b].lock, flags);
		hlist_for_each_entry(peer, &cep_by_qpn[b].head, by_qpn)
			count++;
		spin_unlock_irqrestore(&cep_by_qpn[b].lock, flags);
	}
	return count;
}
EXPORT_SYMBOL_GPL(cep_probe_peers);

void cep_probe_flush(void)
{
	flush_workqueue(cep_resolve_wq);
	flush_workqueue(cep_free_wq);
	flush_workqueue(cep_event_wq);
}
EXPORT_SYMBOL_GPL(cep_probe_flush);

EXPORT_SYMBOL_GPL(cep_device_get);
EXPORT_SYMBOL_GPL(cep_device_put);
EXPORT_SYMBOL_GPL(cep_nr_orphans);
