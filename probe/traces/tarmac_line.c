/* SPDX-License-Identifier: BSD-3-Clause */
#include "tarmac_line.h"

#include <string.h>

#define DIGITS_MAX 16
#define FRACTION_DIGITS 6
#define LEVELS 4U
#define HEX_OF_16_BITS 4U
#define HEX_OF_32_BITS 8U

struct cursor {
    const char *at, *end;
};

/* The value of a hexadecimal digit by its character, plus one; 0 for none. */
static const uint8_t digits[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11,
    ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_decimal(char c)
{
    return c >= '0' && c <= '9';
}

/* Of a word: no space, and no punctuation that separates. */
static bool is_of_word(char c)
{
    return !is_space(c) && c != ':' && c != '(' && c != ')' && c != ',' && c != '<' && c != '[';
}

static void skip_space(struct cursor *cursor)
{
    while (cursor->at < cursor->end && is_space(*cursor->at)) {
        cursor->at++;
    }
}

static bool take(struct cursor *cursor, char c)
{
    skip_space(cursor);
    if (cursor->at == cursor->end || *cursor->at != c) {
        return false;
    }
    cursor->at++;
    return true;
}

static struct tarmac_text take_word(struct cursor *cursor)
{
    struct tarmac_text word;

    skip_space(cursor);
    word.start = cursor->at;
    while (cursor->at < cursor->end && is_of_word(*cursor->at)) {
        cursor->at++;
    }
    word.bytes = (uint32_t)(cursor->at - word.start);
    return word;
}

static bool is_word(struct tarmac_text word, const char *other)
{
    return strlen(other) == word.bytes && memcmp(word.start, other, word.bytes) == 0;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether the text begins so, in letters of any size. */
static bool begins(struct tarmac_text text, const char *with)
{
    uint32_t i = 0;

    for (; with[i] != '\0'; i++) {
        if (i == text.bytes || lower(text.start[i]) != with[i]) {
            return false;
        }
    }
    return true;
}

/* Digits up to what is none. How many; 0 where there are none, or more than 64 bits. */
static uint32_t take_hex(struct cursor *cursor, uint64_t *value)
{
    const char *start = cursor->at;
    uint64_t sum = 0;
    uint32_t digit;

    while (cursor->at < cursor->end && (digit = digits[(uint8_t)*cursor->at]) != 0) {
        sum = sum << 4 | (digit - 1);
        cursor->at++;
    }
    *value = sum;
    return cursor->at - start > DIGITS_MAX ? 0 : (uint32_t)(cursor->at - start);
}

static uint64_t take_decimal(struct cursor *cursor)
{
    uint64_t value = 0;

    while (cursor->at < cursor->end && is_decimal(*cursor->at)) {
        value = value * 10 + (uint64_t)(*cursor->at++ - '0');
    }
    return value;
}

static bool is_unit(struct tarmac_text word)
{
    static const char *const units[] = { "clk", "ps", "ns", "cyc", "tic", "cs", "us", "fs", "ms" };

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (is_word(word, units[i])) {
            return true;
        }
    }
    return false;
}

static void take_fraction(struct cursor *cursor, struct tarmac_line *line)
{
    int count = 0;

    line->is_fraction = true;
    cursor->at++;
    for (; cursor->at < cursor->end && is_decimal(*cursor->at); cursor->at++) {
        if (count++ < FRACTION_DIGITS) {
            line->time = line->time * 10 + (uint64_t)(*cursor->at - '0');
        }
    }
    for (; count < FRACTION_DIGITS; count++) {
        line->time *= 10;
    }
}

/* `271 ns`, `271ns`, `10.356000us`, or nothing. */
static void take_time(struct cursor *cursor, struct tarmac_line *line)
{
    struct cursor before;

    if (cursor->at == cursor->end || !is_decimal(*cursor->at)) {
        return;
    }
    line->has_time = true;
    line->time = take_decimal(cursor);
    if (cursor->at < cursor->end && *cursor->at == '.') {
        take_fraction(cursor, line);
    }
    before = *cursor;
    line->unit = take_word(cursor);
    if (!is_unit(line->unit)) {
        line->unit.bytes = 0;
        *cursor = before;
    }
}

static void refuse(struct tarmac_line *line, const char *reason)
{
    line->kind = TARMAC_REFUSED;
    line->reason = reason;
}

struct mode {
    const char *name;
    enum arch arch;
    uint8_t level;
};

static const struct mode modes[] = {
    { "el0", ARCH_AARCH64, 0 }, { "el1", ARCH_AARCH64, 1 }, { "el2", ARCH_AARCH64, 2 },  { "el3", ARCH_AARCH64, 3 },
    { "usr", ARCH_AARCH64, 0 }, { "svc", ARCH_AARCH64, 1 }, { "irq", ARCH_AARCH64, 1 },  { "fiq", ARCH_AARCH64, 1 },
    { "abt", ARCH_AARCH64, 1 }, { "und", ARCH_AARCH64, 1 }, { "sys", ARCH_AARCH64, 1 },  { "hyp", ARCH_AARCH64, 2 },
    { "mon", ARCH_AARCH64, 3 }, { "thr", ARCH_ARMV8M, 0 },  { "hand", ARCH_ARMV8M, 1 },  { "hndl", ARCH_ARMV8M, 1 },
};

/* The security state behind a mode's last underscore: bits of a world. False where that is none. */
static bool security_of(struct tarmac_text word, uint32_t *security)
{
    struct tarmac_text state = { word.start + word.bytes, 0 };

    *security = 0;
    while (state.bytes < word.bytes && state.start[-1] != '_') {
        state.start--;
        state.bytes++;
    }
    if (state.bytes == word.bytes) {
        return true; /* a core with one state */
    }
    if (begins(state, "ns") || is_word(state, "n")) {
        return true;
    }
    *security = begins(state, "rt") || is_word(state, "s") || is_word(state, "S") ? WORLD_SECURE : begins(state, "r") ? WORLD_REALM : 0;
    return *security != 0;
}

/* `EL3h_s`, `el1t_ns`, `svc_s`, `hyp_n`, `thread`, `hndl_s`: sets architecture and world, or leaves them as they are. */
static void read_mode(struct tarmac_text word, struct tarmac_line *line)
{
    uint32_t security;

    if (word.bytes < 3 || !security_of(word, &security)) {
        return;
    }
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (begins(word, modes[i].name)) {
            line->arch = modes[i].arch;
            line->instruction.world = (uint8_t)(modes[i].level | (modes[i].level == 3 ? WORLD_SECURE : security));
            return;
        }
    }
}

/* `A`, `T`, `T16`, `T32`, `O`. */
static bool read_isa(struct tarmac_text word, struct tarmac_line *line, bool *is_sized)
{
    *is_sized = word.bytes == 3;
    if (word.bytes != 1 && !is_word(word, "T16") && !is_word(word, "T32")) {
        return false;
    }
    switch (word.start[0]) {
    case 'O': line->instruction.isa = TRACE_A64; return true;
    case 'A': line->instruction.isa = TRACE_A32; return true;
    case 'T': line->instruction.isa = TRACE_T32; return true;
    default: return false;
    }
}

static bool set_opcode(struct tarmac_line *line, uint64_t value, uint32_t hex_digits)
{
    if (hex_digits != 4 && hex_digits != 8) {
        refuse(line, "its opcode has neither 16 nor 32 bits");
        return false;
    }
    line->instruction.opcode = (uint32_t)value;
    line->instruction.bytes = (uint8_t)(hex_digits / 2);
    return true;
}

/* Behind the opcode: the state, the mode, a colon, the disassembly. */
static void read_state(struct cursor *cursor, struct tarmac_line *line, bool may_lack_mode)
{
    bool is_sized;
    struct tarmac_text mode;

    if (!read_isa(take_word(cursor), line, &is_sized)) {
        refuse(line, "it does not say its instruction set");
        return;
    }
    if (line->instruction.isa != TRACE_T32 && line->instruction.bytes == 2) {
        refuse(line, "its opcode has 16 bits, which its instruction set has not");
        return;
    }
    line->kind = TARMAC_INSTRUCTION;
    if (may_lack_mode && is_sized) {
        return;
    }
    mode = take_word(cursor);
    read_mode(mode, line);
    if (!take(cursor, ':')) {
        refuse(line, "no colon follows its mode");
        return;
    }
    line->is_as_gem5 = cursor->end - cursor->at > 3 && memcmp(cursor->at, "   ", 3) == 0 && line->dialect == TARMAC_IT;
}

/* A number of the physical address, which has no meaning here: `:010116fffcc0_NS`, `,00000000800c`. */
static void skip_physical(struct cursor *cursor)
{
    while (cursor->at < cursor->end && (*cursor->at == ':' || *cursor->at == ',')) {
        cursor->at++;
        take_word(cursor);
    }
}

/* `(135)`, `(00000050:000000a8)`, `(00000000004d6eb8)`: a serial number, or an address that stands here instead of outside. */
static bool read_bracket(struct cursor *cursor, struct tarmac_line *line, uint64_t *value, bool *has_colon, bool *is_wide)
{
    const char *start;
    uint64_t number;

    *has_colon = false;
    *is_wide = false;
    if (!take(cursor, '(')) {
        return true;
    }
    skip_space(cursor);
    start = cursor->at;
    line->serial = take_decimal(cursor);
    line->has_serial = cursor->at > start && cursor->at < cursor->end && *cursor->at == ')';
    cursor->at = start;
    *is_wide = take_hex(cursor, value) >= 8;
    if (take(cursor, ':')) {
        *has_colon = true;
        skip_space(cursor);
        line->has_serial = take_hex(cursor, &number) != 0;
        line->serial = number;
    }
    return cursor->at > start && take(cursor, ')');
}

static void read_it(struct cursor *cursor, struct tarmac_line *line)
{
    uint64_t bracket = 0, first, second;
    bool has_colon, is_wide, is_sized;
    uint32_t count;
    struct cursor before;

    line->dialect = TARMAC_IT;
    if (!read_bracket(cursor, line, &bracket, &has_colon, &is_wide)) {
        refuse(line, "its number in brackets cannot be read");
        return;
    }
    skip_space(cursor);
    count = take_hex(cursor, &first);
    if (count == 0 || (cursor->at < cursor->end && is_of_word(*cursor->at))) {
        refuse(line, "its address cannot be read");
        return;
    }
    skip_physical(cursor);
    before = *cursor;
    if (is_wide && !has_colon && read_isa(take_word(cursor), line, &is_sized)) {
        /* The address is in the brackets, and what stands behind them is the opcode. */
        *cursor = before;
        line->has_serial = false;
        line->instruction.address = bracket;
        if (set_opcode(line, first, count)) {
            read_state(cursor, line, false);
        }
        return;
    }
    *cursor = before;
    skip_space(cursor);
    line->instruction.address = first;
    count = take_hex(cursor, &second);
    if (count == 0 || (cursor->at < cursor->end && !is_space(*cursor->at))) {
        refuse(line, "its opcode cannot be read");
    } else if (set_opcode(line, second, count)) {
        read_state(cursor, line, has_colon);
    }
}

static bool contains(struct cursor in, const char *lower_case)
{
    size_t length = strlen(lower_case);

    for (; (size_t)(in.end - in.at) >= length; in.at++) {
        if (begins((struct tarmac_text) { in.at, (uint32_t)length }, lower_case)) {
            return true;
        }
    }
    return false;
}

static void read_exception(struct cursor *cursor, struct tarmac_line *line)
{
    line->kind = TARMAC_EXCEPTION;
    line->is_reset = contains(*cursor, "reset");
}

static bool skip_hyphens(struct cursor *cursor)
{
    const char *start = cursor->at;

    while (cursor->at < cursor->end && *cursor->at == '-') {
        cursor->at++;
    }
    return cursor->at > start;
}

static void read_es(struct cursor *cursor, struct tarmac_line *line)
{
    uint64_t opcode;
    uint32_t count;

    line->dialect = TARMAC_ES;
    skip_space(cursor);
    if (cursor->at < cursor->end && *cursor->at != '(') {
        if (contains(*cursor, "exc") || contains(*cursor, "reset")) {
            read_exception(cursor, line);
        } else {
            refuse(line, "neither an address nor an exception follows ES");
        }
        return;
    }
    if (!take(cursor, '(') || take_hex(cursor, &line->instruction.address) == 0 || !take(cursor, ':')) {
        refuse(line, "its address cannot be read");
        return;
    }
    line->is_not_fetched = skip_hyphens(cursor);
    if (!line->is_not_fetched) {
        count = take_hex(cursor, &opcode);
        if (count == 0 || !set_opcode(line, opcode, count)) {
            refuse(line, "its opcode cannot be read");
            return;
        }
    } else {
        line->instruction.bytes = 4;
    }
    if (!take(cursor, ')')) {
        refuse(line, "no bracket closes its address and opcode");
        return;
    }
    read_state(cursor, line, false);
}

/* `BR (000204f0) A`; one that cannot be read says nothing. */
static void read_branch(struct cursor *cursor, struct tarmac_line *line)
{
    if (take(cursor, '(') && take_hex(cursor, &line->value) != 0 && take(cursor, ')')) {
        line->kind = TARMAC_BRANCH;
    }
}

/* `X0`, `W30`, `r0`, `R1`; false for others. */
static bool is_general(struct tarmac_text name, struct tarmac_line *line)
{
    struct cursor digit = { name.start + 1, name.start + name.bytes };
    char kind = lower(name.start[0]);

    if (name.bytes > 3 || (kind != 'x' && kind != 'w' && kind != 'r') || !is_decimal(name.start[1])) {
        return false;
    }
    line->number = (uint32_t)take_decimal(&digit);
    line->is_narrow = kind != 'x';
    return digit.at == digit.end && line->number < TRACE_GENERAL_REGISTERS;
}

static bool is_link(struct tarmac_text name)
{
    return is_word(name, "r14") || is_word(name, "R14") || is_word(name, "lr") || is_word(name, "LR");
}

/* `ESR_EL3`, `ELR_EL1`. */
static bool is_of_level(struct tarmac_text name, struct tarmac_line *line)
{
    if (name.bytes != 7 || (!begins(name, "esr_el") && !begins(name, "elr_el"))) {
        return false;
    }
    line->what = lower(name.start[1]) == 's' ? TARMAC_SYNDROME : TARMAC_RETURN_ADDRESS;
    line->number = (uint32_t)(name.start[6] - '0');
    return line->number < LEVELS;
}

/* The digits of a value, which spaces, underscores and colons may divide. Returns how many; `is_known` where all are digits. */
static uint32_t take_value(struct cursor *cursor, uint32_t wanted, uint64_t *value, bool *is_known)
{
    uint32_t count = 0;

    *value = 0;
    *is_known = true;
    while (cursor->at < cursor->end && count < wanted) {
        char c = *cursor->at;
        uint32_t digit = digits[(uint8_t)c];

        if (digit != 0) {
            *value = *value << 4 | (digit - 1);
            count++;
        } else if (c == '-' || c == 'x' || c == 'X') {
            *is_known = false;
            count++;
        } else if (c != '_' && c != ':' && !is_space(c)) {
            return 0;
        }
        cursor->at++;
    }
    return count;
}

static void skip_bracket(struct cursor *cursor)
{
    skip_space(cursor);
    if (cursor->at < cursor->end && *cursor->at == '(') {
        while (cursor->at < cursor->end && *cursor->at != ')') {
            cursor->at++;
        }
        cursor->at += cursor->at < cursor->end;
    }
}

/* gem5 writes a system register with as few digits as it needs, but with 8. */
static bool is_short_value(struct cursor cursor)
{
    uint64_t value;

    return take_hex(&cursor, &value) >= HEX_OF_32_BITS && cursor.at == cursor.end;
}

static void read_register(struct cursor *cursor, struct tarmac_line *line)
{
    struct tarmac_text name = take_word(cursor);
    uint32_t wanted, count;
    bool is_known, is_short;
    struct cursor behind;

    if (name.bytes < 2) {
        refuse(line, "it names no register");
        return;
    }
    line->what = TARMAC_GENERAL;
    if (is_link(name)) {
        line->what = TARMAC_LINK;
        line->is_narrow = true;
    } else if (!is_general(name, line) && !is_of_level(name, line)) {
        return;
    }
    line->kind = TARMAC_REGISTER;
    skip_bracket(cursor);
    wanted = line->is_narrow ? HEX_OF_32_BITS : DIGITS_MAX;
    skip_space(cursor);
    behind = *cursor;
    count = take_value(cursor, wanted, &line->value, &is_known);
    is_short = line->what > TARMAC_LINK && is_short_value(behind);
    line->has_value = (count == wanted || is_short) && is_known;
    if (line->what == TARMAC_GENERAL && line->number >= TRACE_REGISTERS) {
        /* It is only compared, so that a value of another form does no harm. */
    } else if (count == 0 || (count < wanted && !is_short && is_known && line->value != 0)) {
        refuse(line, "the value of its register cannot be read");
    } else if (count < wanted && is_known) {
        line->has_value = true; /* an abbreviated zero */
    }
    if (!line->has_value) {
        line->value = 0;
    }
}

/* Whether it has the address and opcode of an `ES` line, `(00008000:d503201f)`: an instruction with a damaged beginning. */
static bool has_es_bracket(struct cursor cursor)
{
    uint64_t value;

    while (cursor.at < cursor.end && *cursor.at != '(') {
        cursor.at++;
    }
    return take(&cursor, '(') && take_hex(&cursor, &value) >= HEX_OF_32_BITS && take(&cursor, ':') &&
           take_hex(&cursor, &value) >= HEX_OF_16_BITS && take(&cursor, ')');
}

/* What kind of line follows. False where the word is none that a line has here. */
static bool read_event(struct tarmac_text event, struct cursor *cursor, struct tarmac_line *line, struct tarmac_before *before,
                       const char *text)
{
    if (event.bytes == 0) {
        return false;
    }
    switch (event.start[0]) {
    case 'I':
        if (is_word(event, "IT") || is_word(event, "IS") || is_word(event, "IF")) {
            read_it(cursor, line);
            return true;
        }
        return begins(event, "info_");
    case 'E':
        if (is_word(event, "ES")) {
            read_es(cursor, line);
            return true;
        }
        if (is_word(event, "EXC") || (is_word(event, "E") && contains(*cursor, "coreevent"))) {
            read_exception(cursor, line);
            return true;
        }
        return is_word(event, "E");
    case 'R':
        if (event.bytes == 1) {
            read_register(cursor, line);
            return true;
        }
        if (is_word(event, "Reset")) {
            line->kind = TARMAC_EXCEPTION;
            line->is_reset = true;
            return true;
        }
        return event.bytes == 3 && is_decimal(event.start[1]) && is_decimal(event.start[2]);
    case 'W':
        return event.bytes == 3 && is_decimal(event.start[1]) && is_decimal(event.start[2]);
    case 'M':
        return event.bytes > 1 && strchr("RWNSC", event.start[1]) != NULL;
    case 'L':
    case 'S':
        if (is_word(event, "LD") || is_word(event, "ST")) {
            skip_space(cursor);
            before->is_memory = true;
            before->column = (size_t)(cursor->at - text);
            return true;
        }
        return begins(event, "signal");
    case 'B':
        if (is_word(event, "BR")) {
            read_branch(cursor, line);
            return true;
        }
        return false;
    case 'C':
        return is_word(event, "CADI") || is_word(event, "CACHE");
    case 'T':
        return is_word(event, "Tarmac") || is_word(event, "TTW") || is_word(event, "TLB");
    default:
        return false;
    }
}

void tarmac_read(const char *text, size_t bytes, struct tarmac_before *before, struct tarmac_line *line)
{
    struct cursor cursor = { text, text + bytes }, behind;
    struct tarmac_before last = *before;
    struct tarmac_text event;

    *line = (struct tarmac_line) {
        .kind = TARMAC_NOTHING, .unit = { text, 0 }, .component = { text, 0 }, .instruction = { .world = WORLD_NONE, .time = TRACE_UNKNOWN }
    };
    before->is_memory = false;
    skip_space(&cursor);
    if (cursor.at == cursor.end) {
        return;
    }
    if (last.is_memory && (size_t)(cursor.at - text) == last.column) {
        *before = last;
        return;
    }
    take_time(&cursor, line);
    event = take_word(&cursor);
    behind = cursor;
    if (read_event(event, &cursor, line, before, text)) {
        return;
    }
    line->component = event;
    if (event.bytes > 0 && read_event(take_word(&cursor), &cursor, line, before, text)) {
        return;
    }
    line->kind = TARMAC_STRANGE;
    line->component.bytes = 0;
    if (has_es_bracket(behind)) {
        line->dialect = TARMAC_ES;
        refuse(line, "an instruction whose beginning cannot be read");
    }
}
