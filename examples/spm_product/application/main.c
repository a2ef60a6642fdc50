/* SPDX-License-Identifier: BSD-3-Clause */
#include "psa/client.h"
#include "psa_manifest/sid.h"

#define UART0_DATA (*(volatile uint32_t *)0x40200000U)

static void print(const char *text)
{
    while (*text != '\0') {
        UART0_DATA = (uint8_t)*text++;
    }
}

/* Semihosting SYS_EXIT_EXTENDED: how a program ends QEMU. */
static void stop(uint32_t code)
{
    const uint32_t arguments[2] = { 0x20026U, code };
    register uint32_t operation __asm__("r0") = 0x20U;
    register const uint32_t *parameter __asm__("r1") = arguments;

    __asm__ volatile("bkpt 0xab" : : "r"(operation), "r"(parameter) : "memory");
}

void application(void);
void application(void)
{
    uint32_t count = 0;

    for (uint32_t expected = 1; expected <= 3; expected++) {
        psa_outvec out = { &count, sizeof(count) };

        if (psa_call(COUNTER_NEXT_HANDLE, PSA_IPC_CALL, NULL, 0, &out, 1) != PSA_SUCCESS || count != expected) {
            print("application: the counter is wrong\n");
            stop(1);
        }
    }
    print("application: counted to three\n");
    stop(0);
}
