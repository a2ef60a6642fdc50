/* Random on, off and suspend transitions on all cores. */
#include "console.h"
#include "core.h"
#include "ledger.h"
#include "payload.h"
#include "power_states.h"
#include "timer.h"
#include "watchdog.h"
#include "worker.h"

#define DEFAULT_TRANSITIONS 10000UL
#define PROGRESS_EVERY 1000UL
#define OFF_TIMEOUT_US 30000000UL
#define MS_TO_US 1000UL

/* A core may have been started by one that went off later: after the first round nobody is left who starts another. */
#define OFF_ROUNDS 2

static void print_progress(uint64_t *printed)
{
	while (worker_transitions() >= *printed + PROGRESS_EVERY) {
		*printed += PROGRESS_EVERY;
		console_line("transitions=%lu", *printed);
	}
}

static void run(uint64_t count, uint64_t duration_ms)
{
	uint64_t deadline = duration_ms > 0 ? timer_now() + timer_ticks_of_us(duration_ms * MS_TO_US) : UINT64_MAX;
	uint64_t printed = 0;

	while (worker_transitions() < count && timer_now() < deadline) {
		worker_step();
		print_progress(&printed);
	}
}

static void wait_all_off(void)
{
	watchdog_enter(ACTIVITY_FINISHED, 0);
	worker_stop();
	for (uint32_t round = 0; round < OFF_ROUNDS; round++) {
		for (uint32_t i = 0; i < core_count; i++) {
			if (i != lead_index)
				core_wait_off(i, OFF_TIMEOUT_US);
		}
	}
}

static uint64_t lost_arrivals(void)
{
	uint64_t lost = 0;

	for (uint32_t i = 0; i < core_count; i++)
		lost += ledger_granted(i) - ledger_arrived(i);
	return lost;
}

void payload_main(const struct bench_params *params)
{
	uint64_t count = params->count;
	uint64_t lost;

	if (count == 0)
		count = params->duration_ms > 0 ? UINT64_MAX : DEFAULT_TRANSITIONS;
	power_states_probe();
	worker_init(params->seed);
	core_set_arrival(worker_arrival);
	run(count, params->duration_ms);
	wait_all_off();
	lost = lost_arrivals();
	for (uint32_t i = 0; i < core_count; i++)
		console_line("core %u.%u: granted=%lu arrived=%lu", cores[i].cluster, cores[i].core, ledger_granted(i), ledger_arrived(i));
	console_line("transitions=%lu lost=%lu status=%s", worker_transitions(), lost, lost == 0 ? "pass" : "fail");
}
