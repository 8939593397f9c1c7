// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Paths are made as the sample makes them: one source for both modules. */
#include "../../../../samples/cep_pingpong/path.c"
