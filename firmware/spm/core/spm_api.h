/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The API functions that a gate may call, each with four words in and one word out, and the seam between core and backend.
 *
 * A gate calls them, one at a time, for spm_caller(), on the SPM's stack, privileged, with interrupts enabled. Every word
 * is untrusted: a handle, a signal or a pointer is checked before it is used, and memory of the caller is read once. Each
 * does what the function of psa/client.h or psa/service.h that it is named after promises. A programmer error of a secure
 * caller is a panic, of a non-secure one a status. Where the caller has been blocked the word that comes back means
 * nothing; its result is in its partition when it runs again.
 */
#ifndef SPM_API_H
#define SPM_API_H

spm_word spm_framework_version(void);
spm_word spm_version(spm_word sid);
spm_word spm_connect(spm_word sid, spm_word version);
spm_word spm_call(spm_word handle, spm_word control, spm_word in_vec, spm_word out_vec);
spm_word spm_close(spm_word handle);

spm_word spm_wait(spm_word mask, spm_word timeout);
spm_word spm_get(spm_word signal, spm_word message);
spm_word spm_set_rhandle(spm_word message_handle, spm_word rhandle);
spm_word spm_read(spm_word message_handle, spm_word index, spm_word buffer, spm_word bytes);
spm_word spm_skip(spm_word message_handle, spm_word index, spm_word bytes);
spm_word spm_write(spm_word message_handle, spm_word index, spm_word buffer, spm_word bytes);
spm_word spm_reply(spm_word message_handle, spm_word status);
#if PSA_FRAMEWORK_HAS_MM_IOVEC
spm_word spm_map_invec(spm_word message_handle, spm_word index);
spm_word spm_unmap_invec(spm_word message_handle, spm_word index);
spm_word spm_map_outvec(spm_word message_handle, spm_word index);
spm_word spm_unmap_outvec(spm_word message_handle, spm_word index, spm_word bytes);
#endif
spm_word spm_notify(spm_word partition_id);
spm_word spm_clear(void);
spm_word spm_eoi(spm_word signal);
spm_word spm_reset_signal(spm_word signal);
spm_word spm_irq_enable(spm_word signal);
spm_word spm_irq_disable(spm_word signal);
spm_word spm_partition_panic(void);
spm_word spm_rot_lifecycle_state(void);
spm_word spm_second_entry(void); /* no API: how an unprivileged gateway stops the system. A partition that asks for it is stopped too */

/*
 * Client ids of non-secure threads (ns_agent.c), for the non-secure side's privileged code. The ids of a range may be
 * selected once the range is registered. The selected one is the client of the calls that begin then: a scheduler selects
 * at each switch of its threads, so that a call that was interrupted goes on with the id that it began with.
 */
psa_status_t spm_ns_client_register(int32_t first, int32_t last);
psa_status_t spm_ns_client_select(int32_t id);

/* Order of the gate table; the partitions' stubs name the same numbers. */
#define SPM_API_FUNCTIONS(X)                                                                                       \
    X(framework_version) X(version) X(connect) X(call) X(close) X(wait) X(get) X(set_rhandle) X(read) X(skip)      \
    X(write) X(reply) X(notify) X(clear) X(eoi) X(reset_signal) X(irq_enable) X(irq_disable) X(partition_panic)    \
    X(rot_lifecycle_state) X(second_entry) SPM_MAPPING_FUNCTIONS(X)

#if PSA_FRAMEWORK_HAS_MM_IOVEC
#define SPM_MAPPING_FUNCTIONS(X) X(map_invec) X(unmap_invec) X(map_outvec) X(unmap_outvec)
#else
#define SPM_MAPPING_FUNCTIONS(X)
#endif

/*
 * Connections (connection.c). By the core only; a handle is any word, and one that is not valid for that client or owner
 * finds NULL.
 */
void spm_connection_init(void);
/* Free and idle, for this client; NULL where the pool is empty. */
struct spm_connection *spm_connection_take(const struct spm_service *service, struct spm_partition *client);
/* No handle of it is valid any more. */
void spm_connection_free(struct spm_connection *connection);
struct spm_connection *spm_connection_find(spm_word handle, const struct spm_partition *client);
struct spm_connection *spm_message_find(spm_word handle, const struct spm_partition *owner);

/*
 * Messages (message.c). A connection carries one: begun by the client's call, described once to the service, ended by its
 * reply.
 */
void spm_message_begin(struct spm_connection *connection, int32_t type);
void spm_message_describe(struct spm_connection *connection, psa_msg_t *out);
/* Gives the client its lengths. Returns what the client gets; a status that the message cannot have is a panic of the service. */
psa_status_t spm_message_end(struct spm_connection *connection, psa_status_t status);

/* The connection whose message this caller has, which has to be a call, and the index a possible one; else it is panicked. */
struct spm_connection *spm_call_of(spm_word message_handle, spm_word index);

/*
 * Before a vector is read, skipped or written: where its service has MM-IOVEC it must not have been mapped, and cannot be
 * mapped any more. `bit` is that of its index, from SPM_OUT_BIT on of an output.
 */
static inline void spm_vector_copied(struct spm_connection *connection, uint32_t bit)
{
    if (PSA_FRAMEWORK_HAS_MM_IOVEC && connection->service->mm_iovec) {
        spm_require((connection->mapped & bit) == 0U, SPM_CAUSE_MAPPING);
        connection->copied |= bit;
    }
}

/* Signals (signal.c). Both may be called by interrupt handlers; asserting wakes a partition that waits for the signal. */
void spm_signal_assert(struct spm_partition *partition, psa_signal_t signal);
static inline void spm_signal_clear(struct spm_partition *partition, psa_signal_t signal)
{
    atomic_fetch_and(&partition->asserted, ~signal);
}

/* Backend: backend/ipc or backend/sfn. */
/* Once, by spm_init(), when the partitions are initialised but for what the backend keeps of them. */
void spm_backend_init(void);

/* Hands a message to its service. Returns the client's result, or anything where the client was blocked for it. */
spm_word spm_backend_deliver(struct spm_connection *connection);

/* The next message of the caller with this signal; NULL if there is none. */
struct spm_connection *spm_backend_take(struct spm_partition *owner, psa_signal_t signal);

/*
 * Lets a blocked partition run again with this result. Called by interrupt handlers too. IPC only: the SFN backend blocks
 * nobody and panics.
 */
void spm_backend_wake(struct spm_partition *partition, spm_word result);

/* Waits until one of these signals of the caller is asserted; result as of spm_backend_deliver(). */
spm_word spm_backend_wait(struct spm_partition *partition, psa_signal_t mask);

#endif
