/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * OP-TEE as a kernel calls it: the questions that it answers at once, then calls that yield, with messages and buffers in memory that both
 * worlds see. Only what OP-TEE itself serves: nobody here loads trusted applications for it.
 */
#ifndef SMC_CALLS_OPTEE_H
#define SMC_CALLS_OPTEE_H

void make_optee_calls(void);

#endif
