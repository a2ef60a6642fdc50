/* SPDX-License-Identifier: BSD-3-Clause */
#include "decoders.h"

#include <opencsd/c_api/opencsd_c_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "memory.h"

#define ETMV4_CYCLES (1U << 4)
#define ETMV3_CYCLES (1U << 12)
#define SECURE_TRACE_SHIFT 6 /* of TRCAUTHSTATUS: 2 where it exists and is off */
#define SECURE_TRACE_OFF 2U
#define IDR1_DEFAULT 0x4100f403U
#define DEVARCH_DEFAULT 0x47705a13U
#define FIRST_WITH_POINTER_AUTHENTICATION 75U
#define FIRST_OF_V8 32U

_Static_assert(SPACE_EL1_SECURE == OCSD_MEM_SPACE_EL1S && SPACE_EL1 == OCSD_MEM_SPACE_EL1N && SPACE_EL2 == OCSD_MEM_SPACE_EL2 &&
                   SPACE_EL3 == OCSD_MEM_SPACE_EL3 && SPACE_EL2_SECURE == OCSD_MEM_SPACE_EL2S,
               "spaces have OpenCSD's numbers");

static bool starts_with(const char *text, const char *begin)
{
    return strncasecmp(text, begin, strlen(begin)) == 0;
}

enum protocol decoders_protocol(const struct device *source)
{
    if (starts_with(source->type, "ETM4")) {
        return PROTOCOL_ETMV4;
    }
    if (starts_with(source->type, "ETM3")) {
        return PROTOCOL_ETMV3;
    }
    if (starts_with(source->type, "PTM") || starts_with(source->type, "PFT")) {
        return PROTOCOL_PTM;
    }
    return starts_with(source->type, "ETE") ? PROTOCOL_ETE : PROTOCOL_NONE;
}

static bool is_old(enum protocol protocol)
{
    return protocol == PROTOCOL_ETMV3 || protocol == PROTOCOL_PTM;
}

bool decoders_has_clock(const struct device *source)
{
    return is_old(decoders_protocol(source)) ? (source->registers[ETMCR] & ETMV3_CYCLES) != 0
                                             : (source->registers[TRCCONFIGR] & ETMV4_CYCLES) != 0;
}

bool decoders_has_no_secure(const struct device *source)
{
    return snapshot_has(source, TRCAUTHSTATUS) && (source->registers[TRCAUTHSTATUS] >> SECURE_TRACE_SHIFT & 3) == SECURE_TRACE_OFF;
}

/* Of ARMv8.3 on there are more instructions that branch. */
static ocsd_arch_version_t version_of(unsigned major, unsigned minor)
{
    if (major < 8) {
        return ARCH_V7;
    }
    return major == 8 && minor < 3 ? ARCH_V8 : ARCH_AA64;
}

static bool core_of_architecture(const char *type, ocsd_arch_version_t *version)
{
    unsigned major = 0, minor = 0;

    if (starts_with(type, "ARM-AA64")) {
        *version = ARCH_AA64;
        return true;
    }
    if (!starts_with(type, "ARMv") || sscanf(type + 4, "%u.%u", &major, &minor) < 1 || strstr(type, "-M") != NULL) {
        return false;
    }
    *version = version_of(major, minor);
    return major >= 7;
}

/* By its name, such as Cortex-A53. False for M-profile and for what is not known. */
static bool core_version(const char *type, ocsd_arch_version_t *version, ocsd_core_profile_t *profile)
{
    unsigned number = 0;

    *profile = profile_CortexA;
    if (starts_with(type, "Neoverse") || starts_with(type, "Cortex-X")) {
        *version = ARCH_AA64;
        return true;
    }
    if (starts_with(type, "Cortex-R") && sscanf(type + 8, "%u", &number) == 1) {
        *profile = profile_CortexR;
        *version = number < FIRST_OF_V8 ? ARCH_V7 : ARCH_V8;
        return true;
    }
    if (starts_with(type, "Cortex-A") && sscanf(type + 8, "%u", &number) == 1) {
        bool is_new = number >= FIRST_WITH_POINTER_AUTHENTICATION || number == 55 || number == 65;

        *version = number < FIRST_OF_V8 ? ARCH_V7 : is_new ? ARCH_AA64 : ARCH_V8;
        return true;
    }
    return core_of_architecture(type, version);
}

static enum element_kind kind_of(ocsd_gen_trc_elem_t type)
{
    switch (type) {
    case OCSD_GEN_TRC_ELEM_NO_SYNC:
        return ELEMENT_NO_SYNC;
    case OCSD_GEN_TRC_ELEM_TRACE_ON:
        return ELEMENT_TRACE_ON;
    case OCSD_GEN_TRC_ELEM_PE_CONTEXT:
        return ELEMENT_CONTEXT;
    case OCSD_GEN_TRC_ELEM_INSTR_RANGE:
        return ELEMENT_RANGE;
    case OCSD_GEN_TRC_ELEM_I_RANGE_NOPATH:
        return ELEMENT_NO_PATH;
    case OCSD_GEN_TRC_ELEM_ADDR_NACC:
        return ELEMENT_NO_MEMORY;
    case OCSD_GEN_TRC_ELEM_ADDR_UNKNOWN:
        return ELEMENT_NO_ADDRESS;
    case OCSD_GEN_TRC_ELEM_EXCEPTION:
        return ELEMENT_EXCEPTION;
    default:
        return ELEMENT_OTHER;
    }
}

static uint8_t world_of(const ocsd_pe_context *context)
{
    bool has_level = context->el_valid && context->exception_level >= ocsd_EL0 && context->exception_level <= ocsd_EL3;
    unsigned level = has_level ? (unsigned)context->exception_level : WORLD_NO_LEVEL;

    if (level == ocsd_EL3 || context->security_level == ocsd_sec_root) {
        return WORLD_LEVEL_MASK | WORLD_SECURE;
    }
    if (context->security_level == ocsd_sec_realm) {
        return (uint8_t)(level | WORLD_REALM);
    }
    return (uint8_t)(context->security_level == ocsd_sec_secure ? level | WORLD_SECURE : level);
}

static enum element_reason reason_of(const ocsd_generic_trace_elem *from)
{
    if (from->elem_type == OCSD_GEN_TRC_ELEM_TRACE_ON) {
        return from->trace_on_reason == TRACE_ON_OVERFLOW ? REASON_OVERFLOW : REASON_OTHER;
    }
    switch (from->unsync_eot_info) {
    case UNSYNC_INIT_DECODER:
        return REASON_START;
    case UNSYNC_OVERFLOW:
        return REASON_OVERFLOW;
    case UNSYNC_BAD_PACKET:
        return REASON_BAD_DATA;
    default:
        return REASON_OTHER;
    }
}

/* A range in an instruction set that has no decoder fits no number of instructions. */
static void put_range(struct element *element, const ocsd_generic_trace_elem *from)
{
    bool is_decoded = from->isa == ocsd_isa_aarch64 || from->isa == ocsd_isa_arm || from->isa == ocsd_isa_thumb2;

    element->isa = from->isa == ocsd_isa_aarch64 ? TRACE_A64 : from->isa == ocsd_isa_arm ? TRACE_A32 : TRACE_T32;
    element->instructions = from->num_instr_range;
    element->end = is_decoded ? from->en_addr : 0;
}

static struct element element_of(const ocsd_generic_trace_elem *from, uint64_t place)
{
    struct element element = { .kind = kind_of(from->elem_type), .place = place, .address = from->st_addr };

    element.has_cycles = from->has_cc;
    element.cycles = from->cycle_count;
    switch (element.kind) {
    case ELEMENT_NO_SYNC:
    case ELEMENT_TRACE_ON:
        element.reason = reason_of(from);
        break;
    case ELEMENT_CONTEXT:
        element.world = world_of(&from->context);
        break;
    case ELEMENT_RANGE:
    case ELEMENT_NO_PATH:
        put_range(&element, from);
        break;
    case ELEMENT_EXCEPTION:
        element.has_address = from->excep_ret_addr;
        element.address = from->en_addr;
        break;
    default:
        break;
    }
    return element;
}

/* OpenCSD's index may have 32 bits, and belongs to a packet that began up to a block before. */
static uint64_t place_of(const struct decoder_tree *tree, ocsd_trc_index_t index)
{
    return tree->base + (uint64_t)(int64_t)(int32_t)((uint32_t)index - (uint32_t)tree->base);
}

static ocsd_datapath_resp_t take(const void *context, const ocsd_trc_index_t index, const uint8_t id, const ocsd_generic_trace_elem *from)
{
    /* OpenCSD hands back what it was given, as a constant. */
    struct decoder_tree *tree = (struct decoder_tree *)(uintptr_t)context;
    struct element element;

    if (!tree->streams[id].is_used) {
        return OCSD_RESP_CONT;
    }
    tree->timestamps += from->elem_type == OCSD_GEN_TRC_ELEM_TIMESTAMP;
    element = element_of(from, place_of(tree, index));
    elements_take(&tree->streams[id], &element);
    return OCSD_RESP_CONT;
}

static uint32_t read_memory(const void *context, const ocsd_vaddr_t address, const ocsd_mem_space_acc_t space, const uint32_t wanted, uint8_t *to)
{
    uint64_t available;
    const uint8_t *bytes = memory_at(address, (uint32_t)space, &available);
    uint32_t count = available < wanted ? (uint32_t)available : wanted;

    (void)context;
    if (bytes != NULL) {
        memcpy(to, bytes, count);
    }
    return count;
}

static bool fails(struct decoder_tree *tree, const char *what, ocsd_err_t error)
{
    char text[DECODER_ERROR / 2] = "";

    ocsd_err_str(error, text, (int)sizeof(text));
    snprintf(tree->error, sizeof(tree->error), "%.200s: %s", what, text);
    return false;
}

bool decoders_open(struct decoder_tree *tree, const char *format)
{
    bool is_single = strcasecmp(format, "source_data") == 0, has_syncs = strcasecmp(format, "dstream_coresight") == 0;
    ocsd_err_t error;

    *tree = (struct decoder_tree) { .base = 0 };
    ocsd_def_errlog_init(OCSD_ERR_SEV_ERROR, 0);
    tree->handle = ocsd_create_dcd_tree(is_single ? OCSD_TRC_SRC_SINGLE : OCSD_TRC_SRC_FRAME_FORMATTED,
                                        is_single   ? 0
                                        : has_syncs ? OCSD_DFRMTR_HAS_FSYNCS
                                                    : OCSD_DFRMTR_FRAME_MEM_ALIGN);
    if (tree->handle == C_API_INVALID_TREE_HANDLE) {
        return fails(tree, "no decoder", OCSD_ERR_MEM);
    }
    error = ocsd_dt_add_callback_mem_acc(tree->handle, 0, UINT64_MAX, OCSD_MEM_SPACE_ANY, read_memory, NULL);
    return error == OCSD_OK || fails(tree, "no decoder", error);
}

static uint32_t register_or(const struct device *source, enum source_register number, uint32_t otherwise)
{
    return snapshot_has(source, number) ? source->registers[number] : otherwise;
}

/* Makes the decoder of the source; `id` is then its trace ID. */
static ocsd_err_t create(void *tree, const struct device *source, ocsd_arch_version_t version, ocsd_core_profile_t profile, uint8_t *id)
{
    const uint32_t *registers = source->registers;
    ocsd_etmv3_cfg etmv3 = { registers[ETMIDR], registers[ETMCR], registers[ETMCCER], registers[ETMTRACEIDR], version, profile };
    ocsd_ptm_cfg ptm = { registers[ETMIDR], registers[ETMCR], registers[ETMCCER], registers[ETMTRACEIDR], version, profile };
    ocsd_etmv4_cfg etmv4 = {
        .reg_idr0 = registers[TRCIDR0],
        .reg_idr1 = register_or(source, TRCIDR1, IDR1_DEFAULT),
        .reg_idr2 = registers[TRCIDR2],
        .reg_idr8 = registers[TRCIDR8],
        .reg_idr9 = registers[TRCIDR9],
        .reg_idr10 = registers[TRCIDR10],
        .reg_idr11 = registers[TRCIDR11],
        .reg_idr12 = registers[TRCIDR12],
        .reg_idr13 = registers[TRCIDR13],
        .reg_configr = registers[TRCCONFIGR],
        .reg_traceidr = registers[TRCTRACEIDR],
        .arch_ver = version,
        .core_prof = profile,
    };
    ocsd_ete_cfg ete = {
        .reg_idr0 = registers[TRCIDR0],
        .reg_idr1 = register_or(source, TRCIDR1, IDR1_DEFAULT),
        .reg_idr2 = registers[TRCIDR2],
        .reg_idr8 = registers[TRCIDR8],
        .reg_devarch = register_or(source, TRCDEVARCH, DEVARCH_DEFAULT),
        .reg_configr = registers[TRCCONFIGR],
        .reg_traceidr = registers[TRCTRACEIDR],
        .arch_ver = version,
        .core_prof = profile,
    };

    switch (decoders_protocol(source)) {
    case PROTOCOL_ETMV3:
        return ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETMV3, OCSD_CREATE_FLG_FULL_DECODER, &etmv3, id);
    case PROTOCOL_PTM:
        return ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_PTM, OCSD_CREATE_FLG_FULL_DECODER, &ptm, id);
    case PROTOCOL_ETMV4:
        return ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETMV4I, OCSD_CREATE_FLG_FULL_DECODER, &etmv4, id);
    case PROTOCOL_ETE:
        return ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETE, OCSD_CREATE_FLG_FULL_DECODER, &ete, id);
    default:
        return OCSD_ERR_NO_PROTOCOL;
    }
}

/* The registers without which a decoder would guess. */
static bool has_registers(const struct device *source)
{
    if (is_old(decoders_protocol(source))) {
        return snapshot_has(source, ETMIDR) && snapshot_has(source, ETMCR) && snapshot_has(source, ETMTRACEIDR);
    }
    return snapshot_has(source, TRCCONFIGR) && snapshot_has(source, TRCTRACEIDR) && snapshot_has(source, TRCIDR0) &&
           snapshot_has(source, TRCIDR2);
}

bool decoders_add(struct decoder_tree *tree, const struct device *source, const struct device *core, uint64_t identity, uint8_t *id)
{
    ocsd_arch_version_t version;
    ocsd_core_profile_t profile;
    ocsd_err_t error;

    if (!core_version(core->type, &version, &profile)) {
        snprintf(tree->error, sizeof(tree->error), "%.120s has the type %.120s, which is no known A- or R-profile core", core->name, core->type);
        return false;
    }
    if (!has_registers(source)) {
        snprintf(tree->error, sizeof(tree->error), "%.120s (%.120s) lacks registers of its configuration", source->name, source->type);
        return false;
    }
    error = create(tree->handle, source, version, profile, id);
    if (error != OCSD_OK) {
        return fails(tree, source->name, error);
    }
    /* OpenCSD's PTM decoder does not say each change of the security state. */
    elements_start(&tree->streams[*id], identity, decoders_protocol(source) != PROTOCOL_PTM, decoders_has_clock(source));
    tree->sources++;
    return true;
}

bool decoders_start(struct decoder_tree *tree)
{
    ocsd_err_t error = ocsd_dt_set_gen_elem_outfn(tree->handle, take, tree);

    return error == OCSD_OK || fails(tree, "no decoder", error);
}

static bool cannot_go_on(struct decoder_tree *tree, uint64_t place)
{
    char text[DECODER_ERROR / 2] = "";
    ocsd_trc_index_t index;
    uint8_t id;

    ocsd_get_last_err(&index, &id, text, (int)sizeof(text));
    snprintf(tree->error, sizeof(tree->error), "stops the decoder at byte %llu: %s", (unsigned long long)place, text);
    return false;
}

bool decoders_feed(struct decoder_tree *tree, const uint8_t *bytes, uint32_t count)
{
    uint64_t start = tree->base;

    for (uint32_t done = 0, used; done < count; done += used) {
        ocsd_datapath_resp_t response;

        used = 0;
        tree->base = start + done;
        response = ocsd_dt_process_data(tree->handle, OCSD_OP_DATA, (ocsd_trc_index_t)tree->base, count - done, bytes + done, &used);
        if (OCSD_DATA_RESP_IS_FATAL(response) || used == 0) {
            return cannot_go_on(tree, tree->base + used);
        }
    }
    tree->base = start + count;
    return true;
}

void decoders_close(struct decoder_tree *tree)
{
    uint32_t used = 0;

    ocsd_dt_process_data(tree->handle, OCSD_OP_EOT, 0, 0, NULL, &used);
    for (uint32_t i = 0; i < TRACE_IDS; i++) {
        if (tree->streams[i].is_used) {
            elements_finish(&tree->streams[i]);
        }
    }
    ocsd_destroy_dcd_tree(tree->handle);
    tree->handle = NULL;
}
