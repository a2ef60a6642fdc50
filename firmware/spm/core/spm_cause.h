/* SPDX-License-Identifier: BSD-3-Clause */
/* Why the SPM stopped the system. The numbers are kept over a reset and printed: never reuse one. */
#ifndef SPM_CAUSE_H
#define SPM_CAUSE_H

#define SPM_CAUSES(X)                                                              \
    X(NONE, 0, "none")                                                             \
    X(HANDLE, 1, "a client used a handle that is not its own")                     \
    X(CONTROL, 2, "a client gave a bad call type or too many vectors")             \
    X(POINTER, 3, "a caller gave memory that it may not use")                      \
    X(REFUSED, 4, "a secure client asked for a service that it may not use")       \
    X(SIGNAL, 5, "a partition named a signal that it may not use now")             \
    X(MESSAGE, 6, "a partition used a message handle that is not its own")         \
    X(VECTOR, 7, "a partition named a vector that the message does not have")      \
    X(OVERFLOW, 8, "a partition wrote more than the client asked for")             \
    X(REPLY, 9, "a partition replied with a status that the message cannot have")  \
    X(DROPPED, 10, "a service dropped the connection of a secure client")          \
    X(NOTIFY, 11, "a partition notified a partition that does not exist")          \
    X(DOORBELL, 12, "a partition cleared a doorbell that had not rung")            \
    X(PARTITION, 13, "a partition called psa_panic")                               \
    X(HANDLER_MODE, 14, "a PSA API was called from handler mode")                  \
    X(RE_ENTRY, 15, "the non-secure side entered again during a call")             \
    X(NUMBER, 16, "a partition called an API function that does not exist")        \
    X(INITIALISE, 17, "a partition failed to initialise")                          \
    X(INTERRUPT, 18, "an interrupt came that no partition owns")                   \
    X(FAULT, 19, "a fault")                                                        \
    X(MAPPING, 20, "a partition mapped a vector that it may not map, or copied a mapped one") \
    X(NON_SECURE_FAULT, 21, "a fault of the non-secure side")

enum spm_cause {
#define X(name, number, text) SPM_CAUSE_##name = number,
    SPM_CAUSES(X)
#undef X
};

#endif
