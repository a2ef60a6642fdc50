/* SPDX-License-Identifier: BSD-3-Clause */
#include "llt1.h"

#include <stdarg.h>

#include "base64.h"
#include "crc32.h"
#include "format.h"

#define OPENING "<LLT1:"

typedef unsigned long long number; /* what %llu takes, on 32 and 64 bits */

/* False where the line does not fit. */
static bool frame(char *out, size_t size, const char *format, va_list arguments)
{
    size_t length = format_text(out, size, OPENING);
    uint32_t crc;

    if (length < size) {
        length += format_text_v(out + length, size - length, format, arguments);
    }
    if (length >= size) {
        return false;
    }
    crc = crc32_append(0, out + 1, length - 1);
    length += format_text(out + length, size - length, " *%08x>", (unsigned)crc);
    return length < size;
}

__attribute__((format(printf, 2, 3))) static void put_line(const struct llt1_writer *to, const char *format, ...)
{
    va_list arguments;
    bool fits;

    va_start(arguments, format);
    fits = frame(to->line, to->size, format, arguments);
    va_end(arguments);
    if (fits) {
        to->write(to->line);
    } else {
        to->refuse(format);
    }
}

void llt1_boot(const struct llt1_writer *to, const struct llt1_boot *boot)
{
    put_line(to, "BOOT events=%016llx clock_hz=%llu capture_mticks=%llu topology=%s lead=%u.%u iterations=%llu el=%u gic=%u firmware=%s",
          (number)boot->events, (number)boot->clock_hz, (number)boot->capture_mticks, boot->topology, boot->lead.cluster,
          boot->lead.core, (number)boot->iterations, boot->exception_level, boot->gic,
          boot->firmware);
}

void llt1_test(const struct llt1_writer *to, const char *name, uint64_t iteration, struct llt1_core lead)
{
    put_line(to, "TEST name=%s iteration=%llu lead=%u.%u", name, (number)iteration, lead.cluster,
          lead.core);
}

void llt1_ring(const struct llt1_writer *to, const struct llt1_ring *ring)
{
    put_line(to, "RING test=%s iteration=%llu core=%u.%u first=%llu records=%llu lost=%llu", ring->test, (number)ring->iteration,
          ring->core.cluster, ring->core.core, (number)ring->first, (number)ring->records,
          (number)ring->lost);
}

void llt1_data(const struct llt1_writer *to, struct llt1_core core, uint64_t first, const void *records, size_t count)
{
    char text[BASE64_SIZE(LLT1_RECORDS_PER_LINE * LLT1_RECORD_BYTES)];

    if (count == 0 || count > LLT1_RECORDS_PER_LINE) {
        to->refuse("DATA");
        return;
    }
    base64_encode(text, records, count * LLT1_RECORD_BYTES);
    put_line(to, "DATA core=%u.%u first=%llu data=%s", core.cluster, core.core, (number)first, text);
}

void llt1_done(const struct llt1_writer *to, const char *test, uint64_t iteration)
{
    put_line(to, "DONE test=%s iteration=%llu", test, (number)iteration);
}

void llt1_end(const struct llt1_writer *to, uint64_t tests, uint64_t iterations, bool pass)
{
    put_line(to, "END tests=%llu iterations=%llu status=%s", (number)tests, (number)iterations, pass ? "pass" : "fail");
}
