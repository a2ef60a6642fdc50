/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_LIMIT_BYTES (4ULL << 30)
#define LEAST_LIMIT_BYTES 4096ULL

static const char *value_of(const char *word, const char *key)
{
    size_t length = strlen(key);

    return strncmp(word, key, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

static bool parse_switch(const char *value, bool *out)
{
    bool is_on = strcmp(value, "on") == 0 || strcmp(value, "true") == 0 || strcmp(value, "yes") == 0;
    bool is_off = strcmp(value, "off") == 0 || strcmp(value, "false") == 0 || strcmp(value, "no") == 0;

    *out = is_on;
    return is_on || is_off;
}

static bool parse_bytes(const char *value, uint64_t *out)
{
    char *end = NULL;

    errno = 0;
    *out = strtoull(value, &end, 10);
    return errno == 0 && value[0] >= '0' && value[0] <= '9' && *end == '\0' && *out >= LEAST_LIMIT_BYTES;
}

static bool parse_word(const char *word, struct options *options)
{
    const char *value;

    if ((value = value_of(word, "out")) != NULL) {
        options->out = value;
        return value[0] != '\0';
    }
    if ((value = value_of(word, "functions")) != NULL) {
        return parse_switch(value, &options->functions);
    }
    if ((value = value_of(word, "apart")) != NULL) {
        return parse_switch(value, &options->apart);
    }
    if ((value = value_of(word, "each")) != NULL) {
        return parse_switch(value, &options->each);
    }
    if ((value = value_of(word, "contexts")) != NULL) {
        return parse_switch(value, &options->contexts);
    }
    if ((value = value_of(word, "masked")) != NULL) {
        return parse_switch(value, &options->masked);
    }
    value = value_of(word, "limit");
    return value != NULL && parse_bytes(value, &options->limit_bytes);
}

bool options_parse(int count, char *const words[], struct options *options, char error[OPTION_ERROR_BYTES])
{
    *options = (struct options) { .limit_bytes = DEFAULT_LIMIT_BYTES };
    for (int i = 0; i < count; i++) {
        if (!parse_word(words[i], options)) {
            snprintf(error, OPTION_ERROR_BYTES,
                     "the option %.80s means nothing; use out=FILE, functions=on or off, apart=on or off, each=on or off, masked=on or off, contexts=on or off, limit=BYTES (%llu or more)",
                     words[i], LEAST_LIMIT_BYTES);
            return false;
        }
    }
    if (options->out == NULL) {
        snprintf(error, OPTION_ERROR_BYTES, "there is nowhere to write to; give out=FILE");
        return false;
    }
    options->apart |= options->each;
    options->functions |= options->contexts;
    return true;
}
