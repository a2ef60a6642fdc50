/* SPDX-License-Identifier: BSD-3-Clause */
/* What a yielding call of OP-TEE is about, as it lies in shared memory, and the numbers in it. */
#ifndef SMC_CALLS_OPTEE_MESSAGE_H
#define SMC_CALLS_OPTEE_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#define MESSAGE_OPEN_SESSION 0U
#define MESSAGE_INVOKE 1U
#define MESSAGE_CLOSE_SESSION 2U
#define MESSAGE_REGISTER_MEMORY 4U
#define MESSAGE_UNREGISTER_MEMORY 5U

#define PARAM_VALUE_IN 1U
#define PARAM_REGISTERED_IN 5U
#define PARAM_REGISTERED_OUT 6U
#define PARAM_REGISTERED_IN_OUT 7U
#define PARAM_MEMORY_OUT 10U
#define PARAM_META (1U << 8)
#define PARAM_IS_LIST (1U << 9)

#define LOGIN_KERNEL 0x80000000U

/* `a`, `b`, `c` of memory: where (address or offset), how many bytes, which registration. */
struct optee_param {
    uint64_t kind, a, b, c;
};

struct optee_message {
    uint32_t command, function, session, cancel_id, zero, result, origin, count;
    struct optee_param params[2];
};

_Static_assert(offsetof(struct optee_message, params) == 32, "OP-TEE knows this offset");

#endif
