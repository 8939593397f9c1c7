// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ib_cm.ko, the drop-in: the symbols of the kernel's own ib_cm, translated to
 * ib_cep. It keeps nothing but a wrapper for each struct ib_cm_id, and it needs
 * no set-up: ib_cep knows the devices. Modules that use its symbols hold it, so
 * at its end no id is left, only releases of those just destroyed.
 */
#include "wrap.h"

MODULE_DESCRIPTION("InfiniBand CM, the interface of the kernel's own on top of ib_cep");
MODULE_LICENSE("Dual BSD/GPL");

const char *__attribute_const__ ibcm_reject_msg(int reason)
{
	/* 0 is no reason, and neither is what the field cannot hold. */
	return ib_cep_reject_msg(reason >= 0 && reason <= U16_MAX ? reason : 0);
}
EXPORT_SYMBOL(ibcm_reject_msg);

static int __init cep_dropin_init(void)
{
	return 0;
}
module_init(cep_dropin_init);

static void __exit cep_dropin_exit(void)
{
	ib_cep_flush();
}
module_exit(cep_dropin_exit);
