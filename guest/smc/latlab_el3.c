// SPDX-License-Identifier: BSD-3-Clause
/*
 * Lets Linux read what the EL3 firmware traced. An SMC cannot be issued from user space, so this module does, and shows the answers
 * as text below /proc/latlab_el3: `info`, `records`, `new_records` (those that no earlier read of it has shown), and `trng_hold_ns` for a
 * firmware that was built with LATLAB_TRNG_HOLD, `thief_ns` (period and length, for each CPU) for one with LATLAB_THIEF.
 */
#include <asm/cputype.h>
#include <linux/arm-smccc.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#define TRACE_INFO 0xC7000030UL
#define TRACE_TOPOLOGY 0xC7000031UL
#define TRACE_STATUS 0xC7000032UL
#define TRACE_READ 0xC7000033UL
#define TRNG_HOLD 0xC70000F0UL
#define THIEF 0xC70000F1UL

#define EVENT_BITS 16
#define MOST_CORES 64
#define LINE_BYTES 64 /* a record's line is shorter */

#define PLACE_KNOWN BIT(63) /* no bit of an affinity */

static struct proc_dir_entry *folder;
static u64 mpidr_of[MOST_CORES]; /* by Linux's number of a CPU */
static unsigned long shown_up_to[MOST_CORES]; /* by the reader that has new_records open */
static unsigned long read_up_to[MOST_CORES];  /* by all of them before */

static struct arm_smccc_1_2_regs call(unsigned long id, unsigned long x1, unsigned long x2)
{
	const struct arm_smccc_1_2_regs in = { .a0 = id, .a1 = x1, .a2 = x2 };
	struct arm_smccc_1_2_regs out;

	arm_smccc_1_2_smc(&in, &out);
	return out;
}

static void note_place(void *unused)
{
	unsigned int cpu = smp_processor_id();

	if (cpu < MOST_CORES)
		mpidr_of[cpu] = (read_cpuid_mpidr() & MPIDR_HWID_BITMASK) | PLACE_KNOWN;
}

/* Linux numbers CPUs in the order of its device tree, the firmware in that of its topology. A CPU that was off when the module came is
 * taken to have the firmware's number. */
static unsigned long cpu_at(unsigned long mpidr, unsigned long core)
{
	for (unsigned long cpu = 0; cpu < MOST_CORES; cpu++)
		if (mpidr_of[cpu] == (mpidr | PLACE_KNOWN))
			return cpu;
	return core;
}

static int info_show(struct seq_file *file, void *unused)
{
	struct arm_smccc_1_2_regs info = call(TRACE_INFO, 0, 0);

	seq_printf(file, "events=%016lx clock_hz=%lu capture_mticks=%lu\n", info.a1, info.a2, info.a3);
	return 0;
}

static void show_record(struct seq_file *file, unsigned long sequence, unsigned long ticks, unsigned long event_arg)
{
	seq_printf(file, "%lu %lu %lu %lx\n", sequence, ticks, event_arg & GENMASK(EVENT_BITS - 1, 0), event_arg >> EVENT_BITS);
}

/* Records that come while this reads are left for the next reader: `end` is fixed first. */
static unsigned long show_ring(struct seq_file *file, unsigned long mpidr, unsigned long first)
{
	struct arm_smccc_1_2_regs status = call(TRACE_STATUS, mpidr, 0);
	unsigned long end = status.a1, sequence = max(status.a2, first);

	while (sequence < end) {
		struct arm_smccc_1_2_regs got = call(TRACE_READ, mpidr, sequence);
		unsigned long records[] = { got.a1, got.a2, got.a3, got.a4, got.a5, got.a6 };

		if ((long)got.a0 <= 0) {
			unsigned long oldest = call(TRACE_STATUS, mpidr, 0).a2;

			if (oldest <= sequence)
				break;
			sequence = oldest;
			continue;
		}
		for (unsigned long i = 0; i < got.a0 && i < 3; i++)
			show_record(file, sequence + i, records[2 * i], records[2 * i + 1]);
		sequence += got.a0;
	}
	return max(sequence, first);
}

static int show_rings(struct seq_file *file, bool only_new)
{
	unsigned long cores = 1;

	for (unsigned long core = 0; core < min(cores, (unsigned long)MOST_CORES); core++) {
		struct arm_smccc_1_2_regs place = call(TRACE_TOPOLOGY, core, 0);
		struct arm_smccc_1_2_regs status;

		if (place.a0 != 0)
			break;
		cores = place.a3;
		status = call(TRACE_STATUS, place.a1, 0);
		seq_printf(file, "core %lu.%lu cpu=%lu next=%lu oldest=%lu\n", place.a2 & U32_MAX, place.a2 >> 32,
			   cpu_at(place.a1 & MPIDR_HWID_BITMASK, core), status.a1, status.a2);
		shown_up_to[core] = show_ring(file, place.a1, only_new ? read_up_to[core] : 0);
	}
	return 0;
}

static int records_show(struct seq_file *file, void *unused)
{
	return show_rings(file, false);
}

static int new_records_show(struct seq_file *file, void *unused)
{
	return show_rings(file, true);
}

/* Room for all of it at once: seq_file starts over where its buffer is too small. */
static size_t text_bytes(bool only_new)
{
	unsigned long cores = 1;
	size_t lines = 0;

	for (unsigned long core = 0; core < min(cores, (unsigned long)MOST_CORES); core++) {
		struct arm_smccc_1_2_regs place = call(TRACE_TOPOLOGY, core, 0);
		struct arm_smccc_1_2_regs status = call(TRACE_STATUS, place.a1, 0);

		if (place.a0 != 0)
			break;
		cores = place.a3;
		lines += 2 + status.a1 - max(status.a2, only_new ? read_up_to[core] : 0);
	}
	return (lines + lines / 8) * LINE_BYTES + PAGE_SIZE;
}

static int records_open(struct inode *inode, struct file *file)
{
	return single_open_size(file, records_show, NULL, text_bytes(false));
}

static int new_records_open(struct inode *inode, struct file *file)
{
	return single_open_size(file, new_records_show, NULL, text_bytes(true));
}

static int new_records_release(struct inode *inode, struct file *file)
{
	memcpy(read_up_to, shown_up_to, sizeof(read_up_to));
	return single_release(inode, file);
}

static const struct proc_ops records_ops = {
	.proc_open = records_open,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_release = single_release,
};

static const struct proc_ops new_records_ops = {
	.proc_open = new_records_open,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_release = new_records_release,
};

static ssize_t hold_write(struct file *file, const char __user *text, size_t size, loff_t *position)
{
	unsigned long hold_ns;
	int error = kstrtoul_from_user(text, size, 0, &hold_ns);

	if (error != 0)
		return error;
	return call(TRNG_HOLD, hold_ns, 0).a0 == 0 ? (ssize_t)size : -EOPNOTSUPP;
}

static const struct proc_ops hold_ops = { .proc_write = hold_write };

struct theft {
	unsigned long period_ns, length_ns;
	atomic_t refused;
};

static void arm_thief(void *argument)
{
	struct theft *theft = argument;

	if (call(THIEF, theft->period_ns, theft->length_ns).a0 != 0)
		atomic_inc(&theft->refused);
}

static ssize_t thief_write(struct file *file, const char __user *text, size_t size, loff_t *position)
{
	struct theft theft = { .refused = ATOMIC_INIT(0) };
	char copy[48] = { 0 };

	if (size >= sizeof(copy))
		return -EINVAL;
	if (copy_from_user(copy, text, size) != 0)
		return -EFAULT;
	if (sscanf(copy, "%lu %lu", &theft.period_ns, &theft.length_ns) != 2)
		return -EINVAL;
	on_each_cpu(arm_thief, &theft, 1);
	return atomic_read(&theft.refused) == 0 ? (ssize_t)size : -EOPNOTSUPP;
}

static const struct proc_ops thief_ops = { .proc_write = thief_write };

/* Without EL3 an SMC is an undefined instruction: the kernel knows by which one its firmware is called. */
static int __init latlab_el3_init(void)
{
	if (arm_smccc_1_1_get_conduit() != SMCCC_CONDUIT_SMC || (long)call(TRACE_INFO, 0, 0).a0 != 0)
		return -ENODEV;
	on_each_cpu(note_place, NULL, 1);
	folder = proc_mkdir("latlab_el3", NULL);
	if (folder == NULL)
		return -ENOMEM;
	if (proc_create_single("info", 0400, folder, info_show) == NULL || proc_create("records", 0400, folder, &records_ops) == NULL ||
	    proc_create("new_records", 0400, folder, &new_records_ops) == NULL || proc_create("trng_hold_ns", 0200, folder, &hold_ops) == NULL ||
	    proc_create("thief_ns", 0200, folder, &thief_ops) == NULL) {
		proc_remove(folder);
		return -ENOMEM;
	}
	return 0;
}

static void __exit latlab_el3_exit(void)
{
	proc_remove(folder);
}

module_init(latlab_el3_init);
module_exit(latlab_el3_exit);
MODULE_DESCRIPTION("Reads the trace rings of latlab's EL3 firmware");
MODULE_LICENSE("Dual BSD/GPL");
