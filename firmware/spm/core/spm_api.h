/* SPDX-License-Identifier: BSD-3-Clause */
/* The API functions that a gate may call, each with four words in and one word out, and the seam between core and backend. */
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
spm_word spm_notify(spm_word partition_id);
spm_word spm_clear(void);
spm_word spm_eoi(spm_word signal);
spm_word spm_reset_signal(spm_word signal);
spm_word spm_irq_enable(spm_word signal);
spm_word spm_irq_disable(spm_word signal);
spm_word spm_partition_panic(void);
spm_word spm_rot_lifecycle_state(void);

/* Order of the gate table; the partitions' stubs name the same numbers. */
#define SPM_API_FUNCTIONS(X)                                                                                       \
    X(framework_version) X(version) X(connect) X(call) X(close) X(wait) X(get) X(set_rhandle) X(read) X(skip)      \
    X(write) X(reply) X(notify) X(clear) X(eoi) X(reset_signal) X(irq_enable) X(irq_disable) X(partition_panic)    \
    X(rot_lifecycle_state)

/* Connections (connection.c). */
void spm_connection_init(void);
struct spm_connection *spm_connection_take(const struct spm_service *service, struct spm_partition *client);
void spm_connection_free(struct spm_connection *connection);
struct spm_connection *spm_connection_find(spm_word handle, const struct spm_partition *client);
struct spm_connection *spm_message_find(spm_word handle, const struct spm_partition *owner);

/* Messages (message.c). */
void spm_message_begin(struct spm_connection *connection, int32_t type);
void spm_message_describe(struct spm_connection *connection, psa_msg_t *out);
psa_status_t spm_message_end(struct spm_connection *connection, psa_status_t status);

/* Signals (signal.c). */
void spm_signal_assert(struct spm_partition *partition, psa_signal_t signal);
static inline void spm_signal_clear(struct spm_partition *partition, psa_signal_t signal)
{
    atomic_fetch_and(&partition->asserted, ~signal);
}

/* Backend: backend/ipc or backend/sfn. */
void spm_backend_init(void);

/* Hands a message to its service. Returns the client's result, or anything where the client was blocked for it. */
spm_word spm_backend_deliver(struct spm_connection *connection);

/* The next message of the caller with this signal; NULL if there is none. */
struct spm_connection *spm_backend_take(struct spm_partition *owner, psa_signal_t signal);

/* Lets a blocked partition run again with this result. Called by interrupt handlers too. */
void spm_backend_wake(struct spm_partition *partition, spm_word result);

/* Waits until one of these signals of the caller is asserted; result as of spm_backend_deliver(). */
spm_word spm_backend_wait(struct spm_partition *partition, psa_signal_t mask);

#endif
