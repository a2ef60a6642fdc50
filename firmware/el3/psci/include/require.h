/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a function requires of its caller. A build with LATLAB_CHECKED (the debug build, the unit tests, the simulator and the model
 * checker) ends where it does not hold. In any other build the condition makes no code.
 *
 * A condition reads no word that another core may write: a check must not be a new meeting of two cores.
 */
#ifndef REQUIRE_H
#define REQUIRE_H

#ifdef LATLAB_CHECKED
#define REQUIRE(condition) ((condition) ? (void)0 : require_failed(#condition))

/* Given by the architecture, or by the machine of the tests. */
void require_failed(const char *condition) __attribute__((noreturn));
#else
#define REQUIRE(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

#endif
