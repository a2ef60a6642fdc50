/* SPDX-License-Identifier: BSD-3-Clause */
#include "harness.h"

#include <string.h>

#include "base64.h"

static const char *encode(const char *text)
{
    static char out[64];

    base64_encode(out, text, strlen(text));
    return out;
}

TEST(the_vectors_of_rfc_4648_come_out)
{
    CHECK_TEXT("", encode(""));
    CHECK_TEXT("Zg==", encode("f"));
    CHECK_TEXT("Zm8=", encode("fo"));
    CHECK_TEXT("Zm9v", encode("foo"));
    CHECK_TEXT("Zm9vYg==", encode("foob"));
    CHECK_TEXT("Zm9vYmE=", encode("fooba"));
    CHECK_TEXT("Zm9vYmFy", encode("foobar"));
}

TEST(every_bit_has_its_place)
{
    char out[BASE64_SIZE(3)];

    base64_encode(out, "\xff\xff\xff", 3);
    CHECK_TEXT("////", out);
    base64_encode(out, "\xfb\xef\xbe", 3);
    CHECK_TEXT("++++", out);
    base64_encode(out, "\0\0\0", 3);
    CHECK_TEXT("AAAA", out);
}

TEST(the_size_is_exact)
{
    char out[BASE64_SIZE(16) + 1];

    memset(out, '!', sizeof(out));
    base64_encode(out, "0123456789abcdef", 16);
    CHECK(strlen(out) == BASE64_SIZE(16) - 1);
    CHECK(out[BASE64_SIZE(16)] == '!');
}
