// SPDX-License-Identifier: BSD-3-Clause
/*
 * Makes wake-ups of real-time threads late in five ways, on x86 in six, in an order drawn from a seed, and says what it did and when: the truth that an
 * attribution is held against. Writing "seed count" to /proc/plant does it; reading gives a line for each: kind, begin and end in ns on
 * CLOCK_MONOTONIC. On the CPU of whoever writes. Its threads have the priority that drivers get, 50.
 */
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>
#include <linux/version.h>

#define MOST 4096
#define LONGEST_MS 12

enum kind { MASKED, UNPREEMPTED, INTERRUPT, SOFTIRQ, THREAD, SMI, KINDS };

#define KINDS_HERE (IS_ENABLED(CONFIG_X86) ? KINDS : SMI)
#define NS_OF_A_LOOP 4096 /* of guest/smi's handler */

static const char *const names[] = { "masked", "unpreempted", "interrupt", "softirq", "thread", "smi" };
static const unsigned int lengths_us[] = { 60, 90, 150, 260 };

static struct {
	u64 begin_ns, end_ns;
	enum kind kind;
} done[MOST];

static unsigned int count;
static u64 wanted_ns;
static struct irq_work work;
static struct hrtimer timer;
static struct tasklet_struct tasklet;
static DEFINE_MUTEX(one_at_a_time);

/* Writes the truth while nothing else can run on the CPU, or in the only place that runs. */
static void spin(enum kind kind)
{
	u64 begin_ns = ktime_get_mono_fast_ns(), now_ns = begin_ns;

	while (now_ns < begin_ns + wanted_ns)
		now_ns = ktime_get_mono_fast_ns();
	done[count].begin_ns = begin_ns;
	done[count].end_ns = now_ns;
	done[count].kind = kind;
	count++;
}

static void spin_in_interrupt(struct irq_work *unused)
{
	spin(INTERRUPT);
}

static enum hrtimer_restart spin_in_timer(struct hrtimer *unused)
{
	spin(INTERRUPT);
	return HRTIMER_NORESTART;
}

/* x86's irq_work has no end that perf records, so a timer's interrupt stands for all. */
static void make_timer(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
	hrtimer_setup(&timer, spin_in_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer.function = spin_in_timer;
#endif
}

static void raise_interrupt(void)
{
	if (IS_ENABLED(CONFIG_X86))
		hrtimer_start(&timer, ns_to_ktime(1000), HRTIMER_MODE_REL_PINNED_HARD);
	else
		irq_work_queue(&work);
}

static void spin_in_softirq(struct tasklet_struct *unused)
{
	spin(SOFTIRQ);
}

static int high(void *kind)
{
	if ((long)kind == SOFTIRQ) {
		local_bh_disable();
		tasklet_hi_schedule(&tasklet);
		local_bh_enable();
	} else {
		spin(THREAD);
	}
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static void by_thread(enum kind kind)
{
	struct task_struct *thread = kthread_create_on_node(high, (void *)(long)kind, NUMA_NO_NODE, "plant-%s", names[kind]);

	if (IS_ERR(thread))
		return;
	sched_set_fifo(thread);
	kthread_bind(thread, task_cpu(current));
	wake_up_process(thread);
	kthread_stop(thread);
}

/* With interrupts off, so that begin and end are those of the SMI. */
static void raise_smi(void)
{
#ifdef CONFIG_X86
	unsigned long flags;

	local_irq_save(flags);
	done[count].begin_ns = ktime_get_mono_fast_ns();
	outb((u8)(wanted_ns / NS_OF_A_LOOP), 0xb3);
	outb(0xf7, 0xb2);
	done[count].end_ns = ktime_get_mono_fast_ns();
	done[count].kind = SMI;
	count++;
	local_irq_restore(flags);
#endif
}

static void plant(enum kind kind)
{
	unsigned long flags;

	switch (kind) {
	case MASKED:
		local_irq_save(flags);
		spin(MASKED);
		local_irq_restore(flags);
		break;
	case UNPREEMPTED:
		preempt_disable();
		spin(UNPREEMPTED);
		preempt_enable();
		break;
	case SMI:
		raise_smi();
		break;
	case INTERRUPT:
		raise_interrupt();
		break;
	default:
		by_thread(kind);
	}
}

static u32 drawn(u32 *state, u32 below)
{
	*state = *state * 1664525u + 1013904223u;
	return (*state >> 8) % below;
}

static ssize_t plant_write(struct file *file, const char __user *text, size_t size, loff_t *position)
{
	char copy[32] = { 0 };
	unsigned int seed, times;

	if (size >= sizeof(copy) || copy_from_user(copy, text, size) != 0 || sscanf(copy, "%u %u", &seed, &times) != 2 || times > MOST)
		return -EINVAL;
	mutex_lock(&one_at_a_time);
	count = 0;
	while (count < times && !signal_pending(current)) {
		wanted_ns = 1000ULL * lengths_us[drawn(&seed, ARRAY_SIZE(lengths_us))];
		plant(drawn(&seed, KINDS_HERE));
		usleep_range(1000, 1100 + 1000 * drawn(&seed, LONGEST_MS));
	}
	mutex_unlock(&one_at_a_time);
	return (ssize_t)size;
}

static int plant_show(struct seq_file *file, void *unused)
{
	for (unsigned int i = 0; i < count; i++)
		seq_printf(file, "%s %llu %llu\n", names[done[i].kind], done[i].begin_ns, done[i].end_ns);
	return 0;
}

static int plant_open(struct inode *inode, struct file *file)
{
	return single_open(file, plant_show, NULL);
}

static const struct proc_ops plant_ops = {
	.proc_open = plant_open,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_release = single_release,
	.proc_write = plant_write,
};

static int __init plant_init(void)
{
	work = IRQ_WORK_INIT_HARD(spin_in_interrupt);
	make_timer();
	tasklet_setup(&tasklet, spin_in_softirq);
	return proc_create("plant", 0600, NULL, &plant_ops) == NULL ? -ENOMEM : 0;
}

module_init(plant_init);
MODULE_DESCRIPTION("Makes real-time threads late and says how");
MODULE_LICENSE("Dual BSD/GPL");
