// SPDX-License-Identifier: BSD-3-Clause
/* Keeps interrupts masked for as many nanoseconds as are written to /proc/irqs_off_ns: what looks like a theft and is none. */
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/uaccess.h>

static ssize_t irqs_off_write(struct file *file, const char __user *text, size_t size, loff_t *position)
{
	unsigned long ns, flags;
	u64 end_ns;
	int error = kstrtoul_from_user(text, size, 0, &ns);

	if (error != 0)
		return error;
	local_irq_save(flags);
	end_ns = ktime_get_mono_fast_ns() + ns;
	while (ktime_get_mono_fast_ns() < end_ns)
		;
	local_irq_restore(flags);
	return (ssize_t)size;
}

static const struct proc_ops irqs_off_ops = { .proc_write = irqs_off_write };

static int __init irqs_off_init(void)
{
	return proc_create("irqs_off_ns", 0200, NULL, &irqs_off_ops) == NULL ? -ENOMEM : 0;
}

module_init(irqs_off_init);
MODULE_DESCRIPTION("Masks interrupts for as long as it is told");
MODULE_LICENSE("Dual BSD/GPL");
