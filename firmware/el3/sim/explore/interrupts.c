/* SPDX-License-Identifier: BSD-3-Clause */
#include "interrupts.h"

#include <string.h>

#include "host.h"
#include "mmio.h"
#include "movers.h"
#include "sysregs.h"
#include "system_state.h"

#define NONE INTERRUPTS
#define SPURIOUS 1023U
#define IDLE_PRIORITY 0x100U
#define CLIENT_PRIORITY 0x80U /* the normal world's 0x00, the highest that it can have */
#define CLIENT_SHARED_PRIORITY 0x10U /* the highest that leaves a core asleep which is off, where no priority is the secure world's alone */
#define TIMER_PRIORITY 0xC0U
#define CLIENT_MASK 0xF8U
#define SECURE_GROUP 0U
#define CLIENT_GROUP 1U

struct interrupts_state interrupts_state;
struct interrupts_setup interrupts_setup;

static const unsigned ids[INTERRUPTS] = { [INTERRUPT_CLIENT] = 0, [INTERRUPT_WAKE] = 15, [INTERRUPT_TIMER] = 30 };

bool interrupts_parse(const char *text)
{
    if (strcmp(text, "gicv2-plain") == 0) {
        interrupts_setup = (struct interrupts_setup){ .version = 2, .has_one_group = true };
        return true;
    }
    bool known = strncmp(text, "gicv", 4) == 0 && (text[4] == '2' || text[4] == '3') && (strcmp(text + 5, "-hide") == 0 || strcmp(text + 5, "-pass") == 0);

    if (known) {
        interrupts_setup = (struct interrupts_setup){ .version = (unsigned)(text[4] - '0'), .closed_hides = text[6] == 'h' };
    }
    return known;
}

void interrupts_reset(void)
{
    memset(&interrupts_state, 0, sizeof(interrupts_state));
    for (unsigned core = 0; core < PSCI_MAX_CORES; core++) {
        interrupts_state.cores[core].sources[INTERRUPT_WAKE].is_enabled = interrupts_setup.version == 2;
        interrupts_state.cores[core].sources[INTERRUPT_CLIENT].is_enabled = interrupts_setup.version == 2;
    }
}

static struct interrupt_interface *own(void)
{
    return &interrupts_state.cores[host_self()];
}

static unsigned running_priority(const struct interrupt_interface *interface)
{
    uint32_t active = interface->active_priorities[0] | interface->active_priorities[1];

    return active == 0 ? IDLE_PRIORITY : 8U * (unsigned)__builtin_ctz(active);
}

/* The pending interrupt of the highest priority; of two that are equal the one of the lower number. */
static enum interrupt highest(const struct interrupt_interface *interface)
{
    enum interrupt best = NONE;

    for (unsigned i = 0; i < INTERRUPTS; i++) {
        const struct interrupt_source *source = &interface->sources[i];
        bool is_candidate = source->pending != 0 && source->is_enabled && !source->is_active && interrupts_state.distributes[source->is_group_1] &&
                            (interrupts_setup.closed_hides || interface->is_open[source->is_group_1]);

        if (is_candidate && (best == NONE || source->priority < interface->sources[best].priority)) {
            best = (enum interrupt)i;
        }
    }
    return best;
}

/* The interrupt that the interface signals. */
static enum interrupt signalled(const struct interrupt_interface *interface)
{
    enum interrupt best = highest(interface);

    if (best == NONE) {
        return NONE;
    }
    const struct interrupt_source *source = &interface->sources[best];
    bool passes = interface->is_open[source->is_group_1] && source->priority < interface->mask && source->priority < running_priority(interface);

    return passes ? best : NONE;
}

bool interrupts_signalled(unsigned core)
{
    return signalled(&interrupts_state.cores[core]) != NONE;
}

static uint32_t acknowledge(struct interrupt_interface *interface, unsigned group)
{
    enum interrupt which = signalled(interface);

    if (which == NONE || interface->sources[which].is_group_1 != (group == CLIENT_GROUP)) {
        return SPURIOUS;
    }
    struct interrupt_source *source = &interface->sources[which];
    unsigned sender = (unsigned)__builtin_ctz(source->pending);

    source->pending &= (uint16_t)(source->pending - 1U);
    source->is_active = true;
    interface->active_priorities[group] |= 1U << (source->priority / 8U);
    interface->fell_through = 0;
    return ids[which] | (interrupts_setup.version == 2 ? sender << 10 : 0);
}

static void end(struct interrupt_interface *interface, unsigned group, uint32_t acknowledged)
{
    interface->active_priorities[group] &= interface->active_priorities[group] - 1U;
    for (unsigned i = 0; i < INTERRUPTS; i++) {
        if (ids[i] == (acknowledged & 0x3FFU)) {
            interface->sources[i].is_active = false;
        }
    }
}

static void send(unsigned target, enum interrupt which)
{
    interrupts_state.cores[target].sources[which].pending |= (uint16_t)(interrupts_setup.version == 2 ? 1U << host_self() : 1U);
    host_look_up(target);
}

static void send_to_all(uint64_t targets, enum interrupt which)
{
    for (unsigned core = 0; core < system_setup.cores; core++) {
        if ((targets >> core & 1U) != 0) {
            send(core, which);
        }
    }
}

void interrupts_timer(unsigned core)
{
    interrupts_state.cores[core].sources[INTERRUPT_TIMER].pending = 1;
    host_look_up(core);
}

/* What concerns the calling core alone commutes with what the others do; so only what others send and see is a scheduling point. */
static void meet_others(void)
{
    host_point(HOST_DEVICE, NULL, 0);
}

static unsigned client_group(void)
{
    return interrupts_setup.has_one_group ? SECURE_GROUP : CLIENT_GROUP;
}

void client_starts(void)
{
    struct interrupt_interface *interface = own();
    unsigned group = client_group();

    interrupts_state.distributes[group] = true;
    interface->active_priorities[group] = 0;
    interface->mask = CLIENT_MASK;
    interface->is_open[group] = true;
    interface->sources[INTERRUPT_CLIENT].priority = interrupts_setup.has_one_group ? CLIENT_SHARED_PRIORITY : CLIENT_PRIORITY;
    interface->sources[INTERRUPT_CLIENT].is_enabled = true;
    interface->sources[INTERRUPT_CLIENT].is_active = false;
    interface->sources[INTERRUPT_TIMER].priority = TIMER_PRIORITY;
    interface->sources[INTERRUPT_TIMER].is_enabled = true;
    client_takes();
}

void client_takes(void)
{
    struct interrupt_interface *interface = own();

    for (uint32_t taken = acknowledge(interface, client_group()); taken != SPURIOUS; taken = acknowledge(interface, client_group())) {
        end(interface, client_group(), taken);
    }
    interface->sources[INTERRUPT_TIMER].pending = 0;
    interface->fell_through = 0;
}

void client_begins_handler(void)
{
    meet_others(); /* of several senders it takes the first */
    send(host_self(), INTERRUPT_CLIENT);
    if (acknowledge(own(), client_group()) == SPURIOUS) {
        host_fail("a client's interrupt of its highest priority does not come");
    }
}

void client_sends_to_others(void)
{
    meet_others();
    send_to_all(~(1ULL << host_self()), INTERRUPT_CLIENT);
}

/* The registers. */

#define GICD 0x10000000U
#define GICC 0x20000000U
#define GICR 0x30000000U
#define GICR_STRIDE 0x20000U
#define SGI_FRAME 0x10000U

uintptr_t platform_gicd = GICD;
uintptr_t platform_gicc = GICC;
uintptr_t platform_gicr = GICR;

enum {
    CTLR = 0x000,
    TYPER = 0x004,
    WAKER = 0x014,
    IGROUPR = 0x080,
    ISENABLER = 0x100,
    ICENABLER = 0x180,
    ISPENDR = 0x200,
    ICPENDR = 0x280,
    ICACTIVER = 0x380,
    IPRIORITYR = 0x400,
    IGRPMODR = 0xD00,
    SGIR = 0xF00,
    CPENDSGIR = 0xF10,
    SPENDSGIR = 0xF20,
};

static void unknown(const char *what, uintptr_t which)
{
    host_fail("%s %lx is not in the model of the interrupt controller", what, (unsigned long)which);
}

static bool is_range(uintptr_t offset, uintptr_t first, uintptr_t bytes)
{
    return offset - first < bytes;
}

static void set_enabled(struct interrupt_interface *interface, uint32_t bits, bool enabled)
{
    for (unsigned i = 0; i < INTERRUPTS; i++) {
        bool is_fixed = interrupts_setup.version == 2 && ids[i] < 16U; /* it may be so, and in QEMU it is */

        if ((bits >> ids[i] & 1U) != 0 && !is_fixed) {
            interface->sources[i].is_enabled = enabled;
        }
    }
}

static void enable(struct interrupt_interface *interface, uint32_t bits)
{
    interface->to_disable &= ~bits;
    set_enabled(interface, bits, true);
}

/* A redistributor takes its time, here until the core has seen that it has. */
static void disable(struct interrupt_interface *interface, uint32_t bits)
{
    if (interrupts_setup.version == 2) {
        set_enabled(interface, bits, false);
    } else {
        interface->to_disable |= bits;
    }
}

static uint32_t write_is_pending(struct interrupt_interface *interface)
{
    meet_others();
    set_enabled(interface, interface->to_disable, false);
    interface->to_disable = 0;
    return 0;
}

/* A core that has changed nothing would be woken by the same again. */
static void change_pending(struct interrupt_interface *interface, struct interrupt_source *source, uint16_t pending)
{
    if (source->pending != pending) {
        source->pending = pending;
        interface->fell_through = 0;
    }
}

static void set_pending(unsigned core, uint32_t bits, bool pending)
{
    struct interrupt_interface *interface = &interrupts_state.cores[core];

    meet_others();
    for (unsigned i = 0; i < INTERRUPTS; i++) {
        if ((bits >> ids[i] & 1U) != 0) {
            change_pending(interface, &interface->sources[i], pending);
        }
    }
    host_look_up(core);
}

/* GICv2 knows who sent an SGI: a byte each, a bit for each sender. */
static void set_sent(struct interrupt_interface *interface, uintptr_t first, uint32_t senders, bool pending)
{
    meet_others();
    for (unsigned i = 0; i < INTERRUPTS; i++) {
        struct interrupt_source *source = &interface->sources[i];

        if (is_range(ids[i], first, 4) && ids[i] < 16U) {
            uint16_t mask = (uint16_t)(senders >> 8U * (ids[i] - first) & 0xFFU);

            change_pending(interface, source, (uint16_t)(pending ? source->pending | mask : source->pending & ~mask));
        }
    }
}

static void set_inactive(struct interrupt_interface *interface, uint32_t bits)
{
    for (unsigned i = 0; i < INTERRUPTS; i++) {
        interface->sources[i].is_active = interface->sources[i].is_active && (bits >> ids[i] & 1U) == 0;
    }
}

static void set_priorities(struct interrupt_interface *interface, uintptr_t first, uint32_t priorities)
{
    for (unsigned i = 0; i < INTERRUPTS; i++) {
        if (is_range(ids[i], first, 4)) {
            interface->sources[i].priority = (uint8_t)(priorities >> 8U * (ids[i] - first));
        }
    }
}

/* What a core has to itself: the first words of a GICv2's distributor, or of its redistributor's frame. */
static void write_private(unsigned core, uintptr_t offset, uint32_t value)
{
    struct interrupt_interface *interface = &interrupts_state.cores[core];

    if (offset == IGROUPR) {
        for (unsigned i = 0; i < INTERRUPTS; i++) {
            interface->sources[i].is_group_1 = (value >> ids[i] & 1U) != 0;
        }
    } else if (offset == ISENABLER) {
        enable(interface, value);
    } else if (offset == ICENABLER) {
        disable(interface, value);
    } else if (offset == ICACTIVER) {
        set_inactive(interface, value);
    } else if (offset == ISPENDR || offset == ICPENDR) {
        set_pending(core, value, offset == ISPENDR);
    } else if (is_range(offset, IPRIORITYR, 32)) {
        set_priorities(interface, offset - IPRIORITYR, value);
    } else if (offset != IGRPMODR || value != 0) { /* nothing is of secure group 1 */
        unknown("a core's register", offset);
    }
}

static void write_distributor(uintptr_t offset, uint32_t value)
{
    if (offset == CTLR) {
        interrupts_state.distributes[SECURE_GROUP] = (value & 1U) != 0;
    } else if (offset == SGIR && interrupts_setup.version == 2) {
        meet_others();
        send_to_all(value >> 16 & 0xFFU, (value & 0xFU) == ids[INTERRUPT_WAKE] ? INTERRUPT_WAKE : INTERRUPT_CLIENT);
    } else if (interrupts_setup.version == 2 && (is_range(offset, CPENDSGIR, 16) || is_range(offset, SPENDSGIR, 16))) {
        set_sent(own(), offset & 0xFU, value, offset >= SPENDSGIR);
    } else if (interrupts_setup.version == 2 && ((offset & 0x7FU) == 0 || is_range(offset, IPRIORITYR, 32))) {
        write_private(host_self(), offset, value);
    } else {
        unknown("the distributor's register", offset);
    }
}

static void write_interface_2(uintptr_t offset, uint32_t value)
{
    struct interrupt_interface *interface = own();

    switch (offset) {
    case 0x00:
        interface->is_open[SECURE_GROUP] = (value & 1U) != 0;
        interface->is_open[CLIENT_GROUP] = (value & 2U) != 0;
        break;
    case 0x04:
        interface->mask = (uint8_t)value;
        break;
    case 0x10:
        end(interface, SECURE_GROUP, value);
        break;
    case 0xD0: /* GICC_APR, GICC_NSAPR; there are five bits of priority, so the others of them are nothing */
    case 0xE0:
        interface->active_priorities[offset == 0xE0] = value;
        break;
    default:
        if (!is_range(offset, 0xD0, 32)) {
            unknown("the interface's register", offset);
        }
    }
}

/* A priority, or who has sent an SGI: there is one of them in each byte. */
void mmio_write8(uintptr_t address, uint8_t value)
{
    uintptr_t offset = address < GICC ? address - GICD : (address - GICR) % GICR_STRIDE - SGI_FRAME;
    unsigned core = address < GICC ? host_self() : (unsigned)((address - GICR) / GICR_STRIDE);

    if (interrupts_setup.version == 2 && is_range(offset, CPENDSGIR, 16)) {
        set_sent(own(), offset & 0xFU, value, false);
        return;
    }
    if (!is_range(offset, IPRIORITYR, 32)) {
        unknown("the byte of a register", address);
    }
    for (unsigned i = 0; i < INTERRUPTS; i++) {
        if (ids[i] == offset - IPRIORITYR) {
            interrupts_state.cores[core].sources[i].priority = value;
        }
    }
}

void mmio_write32(uintptr_t address, uint32_t value)
{
    if (address >= GICR) {
        uintptr_t offset = (address - GICR) % GICR_STRIDE;

        if (offset >= SGI_FRAME) {
            write_private((unsigned)((address - GICR) / GICR_STRIDE), offset - SGI_FRAME, value);
        } else if (offset == WAKER) {
            interrupts_state.cores[(address - GICR) / GICR_STRIDE].is_awake = (value & 2U) == 0;
        } else {
            unknown("the redistributor's register", offset);
        }
    } else if (address >= GICC) {
        write_interface_2(address - GICC, value);
    } else {
        write_distributor(address - GICD, value);
    }
}

static uint32_t read_pending(const struct interrupt_interface *interface)
{
    uint32_t bits = 0;

    meet_others();
    for (unsigned i = 0; i < INTERRUPTS; i++) {
        bits |= (uint32_t)(interface->sources[i].pending != 0) << ids[i];
    }
    return bits;
}

/* A read is of what the core has to itself or of what never changes. */
uint32_t mmio_read32(uintptr_t address)
{
    switch (address) {
    case GICD + CTLR:
        return interrupts_state.distributes[SECURE_GROUP];
    case GICD + TYPER:
        return interrupts_setup.has_one_group ? 0 : 1U << 10; /* security extensions, no shared interrupts */
    case GICD + ISPENDR:
        return read_pending(own());
    case GICC + 0x04:
        return own()->mask;
    case GICC + 0x0C:
        meet_others();
        return acknowledge(own(), SECURE_GROUP);
    default:
        if (address >= GICR && (address - GICR) % GICR_STRIDE == SGI_FRAME + ISPENDR) {
            return read_pending(&interrupts_state.cores[(address - GICR) / GICR_STRIDE]);
        }
        if (address >= GICR && (address - GICR) % GICR_STRIDE == CTLR) {
            return write_is_pending(&interrupts_state.cores[(address - GICR) / GICR_STRIDE]);
        }
        if (address < GICR || (address - GICR) % GICR_STRIDE != WAKER) {
            unknown("the register read at", address);
        }
        return interrupts_state.cores[(address - GICR) / GICR_STRIDE].is_awake ? 0 : 4U;
    }
}

#define IS(name, register) (strcmp(name, register) == 0)
#define PMR "s3_0_c4_c6_0"
#define IGRPEN0 "s3_0_c12_c12_6"
#define IGRPEN1 "s3_6_c12_c12_7"
#define IAR0 "s3_0_c12_c8_0"
#define EOIR0 "s3_0_c12_c8_1"
#define EOIR1 "s3_0_c12_c12_1"
#define RPR "s3_0_c12_c11_3"
#define SGI0R "s3_0_c12_c11_7"
#define AP1R0 "s3_0_c12_c9_0"
#define AP0R0 "s3_0_c12_c8_4"
#define CTLR_EL3 "s3_6_c12_c12_4"
#define FIVE_PRIORITY_BITS (4U << 8)

uint64_t interface_read(const char *name)
{
    if (IS(name, IAR0)) {
        meet_others();
        return acknowledge(own(), SECURE_GROUP);
    }
    if (IS(name, "id_aa64pfr0_el1")) {
        return 0; /* no EL2 */
    }
    if (IS(name, RPR)) {
        unsigned running = running_priority(own());

        return running == IDLE_PRIORITY ? 0xFFU : running;
    }
    if (IS(name, CTLR_EL3)) {
        return FIVE_PRIORITY_BITS;
    }
    if (!IS(name, IGRPEN1)) {
        host_fail("the register %s is not in the model of the interrupt controller", name);
    }
    return own()->is_open[CLIENT_GROUP];
}

void interface_write(const char *name, uint64_t value)
{
    struct interrupt_interface *interface = own();

    if (IS(name, PMR)) {
        interface->mask = (uint8_t)value;
    } else if (IS(name, IGRPEN0)) {
        interface->is_open[SECURE_GROUP] = (value & 1U) != 0;
    } else if (IS(name, IGRPEN1)) {
        interface->is_open[CLIENT_GROUP] = (value & 1U) != 0;
    } else if (IS(name, EOIR0) || IS(name, EOIR1)) {
        end(interface, IS(name, EOIR1) ? CLIENT_GROUP : SECURE_GROUP, (uint32_t)value);
    } else if (IS(name, AP0R0) || IS(name, AP1R0)) {
        interface->active_priorities[IS(name, AP1R0)] = (uint32_t)value;
    } else if (IS(name, SGI0R)) {
        meet_others();
        send_to_all(value & 0xFFFFU, (value >> 24 & 0xFU) == ids[INTERRUPT_WAKE] ? INTERRUPT_WAKE : INTERRUPT_CLIENT);
    } else if (strstr(name, "c12_c12_5") == NULL && strstr(name, "c12_c9_5") == NULL) { /* ICC_SRE */
        host_fail("the register %s is not in the model of the interrupt controller", name);
    }
}

uint64_t interrupts_hash(uint64_t hash, uint64_t (*mix)(uint64_t hash, uint64_t value))
{
    hash = mix(hash, (uint64_t)interrupts_state.distributes[0] | (uint64_t)interrupts_state.distributes[1] << 1);
    for (unsigned core = 0; core < system_setup.cores; core++) {
        const struct interrupt_interface *interface = &interrupts_state.cores[core];

        for (unsigned i = 0; i < INTERRUPTS; i++) {
            const struct interrupt_source *source = &interface->sources[i];

            hash = mix(hash, (uint64_t)source->pending << 16 | (uint64_t)source->priority << 8 | (uint64_t)source->is_enabled << 2 |
                                 (uint64_t)source->is_active << 1 | source->is_group_1);
        }
        hash = mix(hash, (uint64_t)interface->active_priorities[0] << 32 | interface->active_priorities[1]);
        hash = mix(hash, (uint64_t)interface->mask << 16 | (uint64_t)interface->fell_through << 8 | (uint64_t)interface->is_open[0] << 1 |
                             interface->is_open[1]);
        hash = mix(hash, interface->to_disable);
    }
    return hash;
}
