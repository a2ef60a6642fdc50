/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka_needs.h"
#include "memory.h"
#include "snapshot.h"

#define PATH_BYTES 256

static char folder[PATH_BYTES];
static struct snapshot snapshot;

static void write_file(const char *name, const char *text)
{
    char path[2 * PATH_BYTES];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/latlab-snapshot-XXXXXX");
    assert_non_null(mkdtemp(folder));
    write_file("snapshot.ini", "; a comment\n[snapshot]\nversion=1.0\n[device_list]\ndevice0 = cpu.ini \ndevice1=etm.ini\n[trace]\n"
                               "metadata=trace.ini\n");
    write_file("cpu.ini", "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\n[regs]\nPC(size:64)=0x80000\n[dump1]\nfile=code.bin\n"
                          "address=0x1000\nlength=0x4\noffset=2\n[dump2]\nfile=code.bin\naddress=0x2000\nspace=EL3\n[dump3]\n"
                          "file=nothing.bin\naddress=0\n");
    write_file("etm.ini", "[device]\nname=ETM_0\nclass=trace_source\ntype=ETM4.2\n[regs]\nTRCCONFIGR(0x004)=0x000000C1\n"
                          "trctraceidr=0x10\nTRCIDR10=7\n");
    write_file("trace.ini", "[trace_buffers]\nbuffers=buffer0, buffer1\n[buffer0]\nname=ETB_0\nfile=trace.bin\nformat=coresight\n"
                            "[buffer1]\nname=ETB_1\nfile=stm.bin\nformat=source_data\n[source_buffers]\nETM_0=ETB_0\n"
                            "[core_trace_sources]\ncpu_0=ETM_0\n");
    write_file("code.bin", "01234567");
    return 0;
}

static int remove_folder(void **state)
{
    static const char *const names[] = { "snapshot.ini", "cpu.ini", "etm.ini", "trace.ini", "code.bin" };
    char path[2 * PATH_BYTES];

    (void)state;
    snapshot_release(&snapshot);
    memory_release();
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
    return 0;
}

static void devices_have_names_types_and_registers(void **state)
{
    const struct device *source;

    (void)state;
    assert_true(snapshot_read(&snapshot, folder));
    source = snapshot_device(&snapshot, "ETM_0");
    assert_string_equal(source->type, "ETM4.2");
    assert_string_equal(snapshot_device(&snapshot, "cpu_0")->type, "Cortex-A53");
    assert_int_equal(source->registers[TRCCONFIGR], 0xc1);
    assert_int_equal(source->registers[TRCTRACEIDR], 0x10);
    assert_int_equal(source->registers[TRCIDR10], 7);
    assert_false(snapshot_has(source, TRCIDR1));
    assert_null(snapshot_device(&snapshot, "ETM_1"));
}

static void a_source_has_its_core_and_its_buffer(void **state)
{
    (void)state;
    assert_true(snapshot_read(&snapshot, folder));
    assert_int_equal(snapshot.link_count, 1);
    assert_string_equal(snapshot.links[0].core, "cpu_0");
    assert_string_equal(snapshot.links[0].buffer, "ETB_0");
    assert_int_equal(snapshot.buffer_count, 2);
    assert_string_equal(snapshot.buffers[0].file, "trace.bin");
    assert_string_equal(snapshot.buffers[1].format, "source_data");
}

static void memory_is_a_part_of_a_file_in_its_space(void **state)
{
    uint64_t available;

    (void)state;
    assert_true(snapshot_read(&snapshot, folder));
    assert_int_equal(*memory_at(0x1000, SPACE_EL1, &available), '2');
    assert_int_equal(available, 4);
    assert_null(memory_at(0x1004, SPACE_EL1, &available));
    assert_int_equal(*memory_at(0x2007, SPACE_EL3, &available), '7');
    assert_int_equal(available, 1);
    assert_null(memory_at(0x2000, SPACE_EL1, &available));
}

static void a_memory_image_that_is_not_there_is_named(void **state)
{
    (void)state;
    assert_true(snapshot_read(&snapshot, folder));
    assert_int_equal(snapshot.memory_errors, 1);
    assert_string_equal(snapshot.memory_error, "nothing.bin cannot be opened");
}

static void a_description_that_is_missing_is_named(void **state)
{
    (void)state;
    write_file("snapshot.ini", "[device_list]\ndevice0=cpu.ini\n");
    assert_false(snapshot_read(&snapshot, folder));
    assert_non_null(strstr(snapshot.error, "names no trace"));
    snapshot_release(&snapshot);
    write_file("snapshot.ini", "[device_list]\ndevice0=other.ini\n");
    assert_false(snapshot_read(&snapshot, folder));
    assert_non_null(strstr(snapshot.error, "other.ini cannot be opened"));
}

/* A description that is a link to a file without end was read for ever. */
static void what_leads_out_of_the_folder_is_refused(void **state)
{
    static const char *const targets[] = { "/dev/zero", "/etc/passwd", "cpu.ini", "../../etc/passwd" };
    char path[2 * PATH_BYTES], text[PATH_BYTES];

    (void)state;
    snprintf(path, sizeof(path), "%s/cpu.ini", folder);
    unlink(path);
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
        assert_int_equal(symlink(targets[i], path), 0);
        assert_false(snapshot_read(&snapshot, folder));
        assert_non_null(strstr(snapshot.error, i == 2 ? "cannot be opened" : "is outside of the snapshot"));
        snapshot_release(&snapshot);
        unlink(path);
        snprintf(text, sizeof(text), "[dump1]\nfile=%s\naddress=0\n", targets[i]);
        write_file("cpu.ini", text);
        assert_true(snapshot_read(&snapshot, folder));
        assert_int_equal(snapshot.memory_errors, i == 2 ? 0 : 1);
        snapshot_release(&snapshot);
        unlink(path);
    }
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(snapshot_read(&snapshot, folder));
    assert_non_null(strstr(snapshot.error, "no file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(devices_have_names_types_and_registers, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_source_has_its_core_and_its_buffer, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(memory_is_a_part_of_a_file_in_its_space, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_memory_image_that_is_not_there_is_named, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_description_that_is_missing_is_named, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(what_leads_out_of_the_folder_is_refused, make_folder, remove_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
