/* Every call of PSCI 1.1, SMCCC 1.2, TRNG 1.0 and the trace service, with the errors that the specifications define. */
#include "cases.h"
#include "check.h"
#include "console.h"
#include "core.h"
#include "payload.h"
#include "psci.h"
#include "smc.h"

/* Survives a reset: outside every image that is loaded again. */
#define PROGRESS_ADDRESS 0x5ffe0000UL
#define PROGRESS_MAGIC 0x4c35000000000001UL

enum stage { STAGE_CASES, STAGE_AFTER_RESET, STAGE_AFTER_RESET2 };

struct progress {
	uint64_t magic;
	uint64_t stage;
	struct check_totals totals;
};

static volatile struct progress *progress(void)
{
	return (volatile struct progress *)PROGRESS_ADDRESS;
}

static void run_cases(void)
{
	cases_identity();
	cases_smccc();
	cases_unknown();
	cases_affinity();
	cases_cpu_on();
	cases_suspend();
	cases_suspend_errors();
	cases_stat();
	cases_os_initiated();
	cases_system();
	cases_memory();
	cases_trng();
	cases_trace();
}

/* The core's caches may not survive the reset that follows: the word must be in memory by then. */
static void keep_progress(enum stage next)
{
	*progress() = (struct progress){ .magic = PROGRESS_MAGIC, .stage = next, .totals = check_totals() };
	__asm__ volatile("dc civac, %0; dsb sy" ::"r"(PROGRESS_ADDRESS) : "memory");
}

static void reset_into(enum stage next, const char *name, uint32_t function)
{
	keep_progress(next);
	check_equal(name, 0, call(function, 0, 0, 0));
	keep_progress(STAGE_CASES);
}

static void finish(void)
{
	struct check_totals totals = check_totals();

	progress()->magic = 0;
	console_line("%lu passed, %lu failed", totals.passed, totals.failed);
}

void payload_main(const struct bench_params *params)
{
	uint64_t stage = progress()->magic == PROGRESS_MAGIC ? progress()->stage : STAGE_CASES;

	(void)params;
	if (stage != STAGE_CASES)
		check_restore_totals(((const struct progress *)progress())->totals);
	switch (stage) {
	case STAGE_AFTER_RESET2:
		check_call("SYSTEM_RESET2 (warm reset) boots the payload again, on a core that is ON", AFFINITY_ON, PSCI_AFFINITY_INFO,
			   cores[lead_index].mpidr, 0, 0);
		break;
	case STAGE_AFTER_RESET:
		check_call("SYSTEM_RESET boots the payload again, and STAT_COUNT starts from 0", 0, PSCI_STAT_COUNT, cores[lead_index].mpidr,
			   POWER_STATE_DOWN_0, 0);
		reset_into(STAGE_AFTER_RESET2, "SYSTEM_RESET2 (warm reset) does not return", PSCI_SYSTEM_RESET2);
		break;
	default:
		run_cases();
		reset_into(STAGE_AFTER_RESET, "SYSTEM_RESET does not return", PSCI_SYSTEM_RESET);
		break;
	}
	finish();
}
