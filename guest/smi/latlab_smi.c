// SPDX-License-Identifier: BSD-3-Clause
/*
 * In QEMU's q35 alone: a thief in System Management Mode. SeaBIOS puts SMRAM of every CPU at 0xA0000 and leaves it unlocked, so that this
 * module can open it and place a handler that spins. Writing "loops" (1 to 255) to /proc/latlab_smi raises an SMI on the writer's
 * CPU, by the port of the APM (0xB2); its neighbour 0xB3 has the loops. Each is 1024 rounds of two instructions.
 */
#include <linux/io.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/proc_fs.h>

#define APM_COMMAND 0xb2
#define APM_STATUS 0xb3
#define NO_COMMAND_OF_SEABIOS 0xf7
#define INTEL_Q35 0x29c0
#define SMRAM_CONTROL 0x9d
#define SMRAM_OPEN 0x40
#define SMRAM_LOCKED 0x10
#define HANDLER 0xa8000

extern const char latlab_smi_handler[], latlab_smi_handler_end[];

asm(".pushsection .rodata\n"
    "latlab_smi_handler:\n"
    "	.code16\n"
    "	movw $0xb3, %dx\n"
    "	inb %dx, %al\n"
    "	movzbl %al, %ecx\n"
    "	shll $10, %ecx\n"
    "1:	decl %ecx\n"
    "	jnz 1b\n"
    "	rsm\n"
    "	.code64\n"
    "latlab_smi_handler_end:\n"
    "	.popsection\n");

static int place_handler(void)
{
	struct pci_dev *bridge = pci_get_device(PCI_VENDOR_ID_INTEL, INTEL_Q35, NULL);
	void __iomem *memory = bridge ? ioremap(HANDLER, PAGE_SIZE) : NULL;
	u8 control = SMRAM_LOCKED;

	if (memory) {
		pci_read_config_byte(bridge, SMRAM_CONTROL, &control);
		if (!(control & SMRAM_LOCKED)) {
			pci_write_config_byte(bridge, SMRAM_CONTROL, control | SMRAM_OPEN);
			memcpy_toio(memory, latlab_smi_handler, latlab_smi_handler_end - latlab_smi_handler);
			pci_write_config_byte(bridge, SMRAM_CONTROL, control);
		}
		iounmap(memory);
	}
	pci_dev_put(bridge);
	return control & SMRAM_LOCKED ? -ENODEV : 0;
}

static ssize_t smi_write(struct file *file, const char __user *text, size_t size, loff_t *position)
{
	u8 loops;
	int error = kstrtou8_from_user(text, size, 10, &loops);

	if (error || loops == 0)
		return error ? error : -EINVAL;
	outb(loops, APM_STATUS);
	outb(NO_COMMAND_OF_SEABIOS, APM_COMMAND);
	return (ssize_t)size;
}

static const struct proc_ops smi_ops = {
	.proc_write = smi_write,
};

static int __init smi_init(void)
{
	int error = place_handler();

	return error ? error : proc_create("latlab_smi", 0200, NULL, &smi_ops) == NULL ? -ENOMEM : 0;
}

static void __exit smi_exit(void)
{
	remove_proc_entry("latlab_smi", NULL);
}

module_init(smi_init);
module_exit(smi_exit);
MODULE_DESCRIPTION("Raises system management interrupts of a chosen length in QEMU's q35");
MODULE_LICENSE("Dual BSD/GPL");
