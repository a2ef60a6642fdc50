/* SPDX-License-Identifier: BSD-3-Clause */
/* What the conformance program asks of the test partitions: types of psa_call(). */
#ifndef TEST_REQUESTS_H
#define TEST_REQUESTS_H

#include <stdint.h>

/* TEST_CONNECTED and TEST_STATELESS of the server. */
enum test_server_request {
    SERVER_ECHO,              /* reads every input in pieces of 5 bytes, writes it to the output of the same index */
    SERVER_SKIP,              /* skips 3 bytes of input 0 and echoes the rest */
    SERVER_STATUS,            /* replies with the status in input 0 */
    SERVER_DESCRIBE,          /* output 0: the message as psa_get() gave it */
    SERVER_RHANDLE,           /* output 0: the rhandle; sets the next one */
    SERVER_DOORBELLS,         /* output 0: how often the doorbell rang */
    SERVER_ANSWER_CONNECT,    /* input 0: the status for connections to come */
    SERVER_LIFECYCLE,         /* output 0: psa_rot_lifecycle_state() */
    SERVER_POLL,              /* output 0: psa_wait(PSA_WAIT_ANY, PSA_POLL) */
    SERVER_TOUCH,             /* input 0: an address; writes to it with its own rights */
    SERVER_LOOK,              /* input 0: an address; reads from it with its own rights */
    SERVER_ADDRESS,           /* output 0: the address of a variable of the server */
    SERVER_END,               /* output 0: the address behind its data */
    SERVER_READ_INTO,         /* input 0: an address; reads input 1 into it */
    SERVER_WRITE_FROM,        /* input 0: an address; writes output 0 from it */
    SERVER_GET_INTO,          /* input 0: an address; the next message is taken into it (IPC) */
    SERVER_USE_MESSAGE,       /* input 0: a message handle; reads from it */
    SERVER_SEALS,             /* output 0: a bit for each stack of enum stack without a whole seal (level 1, IPC) */
    SERVER_SPIN,              /* works on its own data for some thousand instructions */

    /* Errors of a partition: each of these ends in a panic. */
    SERVER_BAD_MESSAGE_HANDLE,
    SERVER_OLD_MESSAGE_HANDLE,
    SERVER_BAD_INDEX,
    SERVER_BAD_BUFFER,
    SERVER_BAD_SOURCE,
    SERVER_WRITE_TOO_MUCH,
    SERVER_WRITE_NO_VECTOR,
    SERVER_SET_RHANDLE,
    SERVER_GET_NOTHING,
    SERVER_GET_TWO_SIGNALS,
    SERVER_WAIT_FOR_NOTHING,
    SERVER_REPLY_IN_FUNCTION,
    SERVER_CLEAR_NO_BELL,
    SERVER_EOI_NO_SIGNAL,
    SERVER_IRQ_ENABLE_NOT_OWN,
    SERVER_PANIC,
    SERVER_OVERFLOW_STACK,
    SERVER_UNDEFINED,
};

enum stack { STACK_OF_SERVER, STACK_OF_AGENT, STACK_OF_SPM, STACK_OF_HANDLERS };

/* TEST_CLIENT. */
enum test_client_request {
    CLIENT_NORMAL,            /* the client API as it should be used */
    CLIENT_BORROW,            /* output 0: a handle that the client keeps open */
    CLIENT_RETURN,            /* closes it */
    CLIENT_NOTIFY,            /* rings the server's doorbell */
    CLIENT_ADDRESS,           /* output 0: the address of a variable of the client */
    CLIENT_TOUCH,
    CLIENT_LOOK,
    CLIENT_END,               /* output 0: the address behind its data */
    CLIENT_IN_AT,             /* input 0: an address that it gives the server as an input */
    CLIENT_OUT_AT,            /* ... as an output */
    CLIENT_VECTORS_AT,        /* ... as its array of inputs */
    CLIENT_OUT_VECTORS_AT,
    CLIENT_LEND_MESSAGE,      /* lets the server use the client's own message */

    /* Errors of a secure client: each of these ends in a panic. */
    CLIENT_UNKNOWN_SID,
    CLIENT_NO_DEPENDENCY,
    CLIENT_NO_DEPENDENCY_STATELESS,
    CLIENT_BAD_VERSION,
    CLIENT_CONNECT_STATELESS,
    CLIENT_NULL_HANDLE,
    CLIENT_CLOSED_HANDLE,
    CLIENT_BAD_STATELESS_HANDLE,
    CLIENT_BAD_TYPE,
    CLIENT_TOO_MANY_VECTORS,
    CLIENT_BAD_IN,
    CLIENT_BAD_OUT,
    CLIENT_BAD_VECTOR_ARRAY,
    CLIENT_WRAPPING,
    CLIENT_CLOSE_TWICE,
    CLIENT_CLOSE_STATELESS,
    CLIENT_DROPPED,
    CLIENT_NOTIFY_NOBODY,
    CLIENT_SECOND_ENTRY,      /* asks by SVC for what an unprivileged gateway asks for (levels 2 and 3) */
};

/* TEST_DRIVER. */
enum test_driver_request {
    DRIVER_FIRST_LEVEL,       /* the timer's handler asks for its signal; the partition waits for it and resets it */
    DRIVER_FIRST_LEVEL_QUIET, /* the handler does not ask; output 0: how often it ran */
    DRIVER_SECOND_LEVEL,      /* UART1 has sent a byte: signal, end of interrupt, twice */
    DRIVER_DISABLE,           /* output 0: the two answers of psa_irq_disable() */
    DRIVER_CALL_IN_HANDLER,   /* panics: a PSA API in handler mode */
    DRIVER_RESET_SLIH,        /* panics: psa_reset_signal() of a second-level interrupt */
    DRIVER_EOI_FLIH,          /* panics: psa_eoi() of a first-level interrupt */
    DRIVER_RESET_NOT_ASSERTED,
    DRIVER_TOUCH_IN_HANDLER,  /* input 0: an address that the first-level handler writes to */
    DRIVER_ARM,               /* input 0: ticks of the timer until its handler runs; 0: some hundred instructions after the answer */
    DRIVER_HANDLER_TIME,      /* output 0: when the handler ran last, by TIMER0 */
    DRIVER_HANDLER_REGISTERS, /* output 0: r4 to r11 of the interrupted thread that the handler saw, ORed */
    DRIVER_DEVICE_AS_BUFFER,  /* reads input 0 into a register of its own device; output 0: the register */
    DRIVER_LOOK_READ_ONLY,    /* output 0: a register of a device that it may only read */
    DRIVER_TOUCH_READ_ONLY,
    DRIVER_READ_INTO_READ_ONLY,
    DRIVER_WAIT_FOR,          /* input 0: ticks of the timer; waits for its handler's signal; output 0: the input */
    DRIVER_FLOATING_POINT,    /* executes a floating-point instruction */
};

/* TEST_MAPPER, level 1. */
enum test_mapper_request {
    MAPPER_REVERSE,           /* output 0: input 0 from its end to its beginning */
    MAPPER_FORGET,            /* maps output 0, writes to it and does not unmap it */
    MAPPER_READ_MAPPED,       /* panics */
    MAPPER_UNMAP_TOO_MUCH,    /* panics */
};

/* TEST_TICKER, which waits for its own timer whoever calls. IPC. */
enum test_ticker_request {
    TICKER_START,             /* input 0: the period, in turns of the 32 kHz clock */
    TICKER_STOP,              /* output 0: struct ticker_report */
};

struct ticker_report {
    uint32_t interrupts;      /* how often the first-level handler ran */
    uint32_t ticks;           /* how often the partition ran for it */
    uint32_t latest_ticks;    /* how long after its handler the partition ran, at worst, by TIMER0 */
    uint32_t interrupted_pc;  /* of the thread that was interrupted last; level 1 */
};

#endif
