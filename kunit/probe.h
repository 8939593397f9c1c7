/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* What tests want to know of the tables of index.c. */
#ifndef CEP_KUNIT_PROBE_H
#define CEP_KUNIT_PROBE_H

unsigned int cep_probe_comm_ids(void);
/* Entries of both remote tables. */
unsigned int cep_probe_peers(void);

/* Cases to run, as a shell pattern. */
extern char *cep_probe_only;
/* Waits for everything that is queued in the module. */
void cep_probe_flush(void);

#endif /* CEP_KUNIT_PROBE_H */
