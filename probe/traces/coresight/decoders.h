/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenCSD's decoders for the trace sources of one buffer. */
#ifndef PROBE_TRACES_CORESIGHT_DECODERS_H
#define PROBE_TRACES_CORESIGHT_DECODERS_H

#include <stdbool.h>
#include <stdint.h>

#include "elements.h"
#include "snapshot.h"

#define DECODER_ERROR 512U
#define TRACE_IDS 256U

enum protocol { PROTOCOL_NONE, PROTOCOL_ETMV3, PROTOCOL_PTM, PROTOCOL_ETMV4, PROTOCOL_ETE };

struct decoder_tree {
    void *handle;
    struct element_stream streams[TRACE_IDS];
    uint64_t base; /* byte of the buffer where the last block began */
    uint64_t timestamps;
    uint32_t sources;
    char error[DECODER_ERROR]; /* of the last function that returned false */
};

enum protocol decoders_protocol(const struct device *source);
bool decoders_has_clock(const struct device *source);

/* Whether the source says that it cannot trace the secure state. */
bool decoders_has_no_secure(const struct device *source);

/* `format` is the buffer's in the snapshot. */
bool decoders_open(struct decoder_tree *tree, const char *format);

/* A source of a core, which will be `identity` in the stream; `id` is its trace ID. */
bool decoders_add(struct decoder_tree *tree, const struct device *source, const struct device *core, uint64_t identity, uint8_t *id);

/* All sources are added. */
bool decoders_start(struct decoder_tree *tree);

/* Decodes one block of the buffer; blocks follow each other. False where the decoder cannot go on. */
bool decoders_feed(struct decoder_tree *tree, const uint8_t *bytes, uint32_t count);

/* Ends the trace. The streams stay as they are. */
void decoders_close(struct decoder_tree *tree);

#endif
