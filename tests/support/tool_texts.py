# SPDX-License-Identifier: BSD-3-Clause
"""Outputs of tools that do not run where the tests do, in the structure that their sources print, with figures of our own."""

from __future__ import annotations

RTEVAL_XML = """<?xml version="1.0" encoding="UTF-8"?>
<rteval version="3.8">
  <run_info days="0" hours="0" minutes="1" seconds="0"><date>2026-01-02</date><time>03:04:05</time></run_info>
  <SystemInfo version="1.0"><uname><node>board</node><kernel is_RT="1">6.12.0-rt5</kernel><arch>aarch64</arch></uname></SystemInfo>
  <loads loads="2" load_average="3.10"/>
  <Measurements measurecpus="0-1">
    <cyclictest command_line="cyclictest -i200 -qmu -h 3500 -p95 -t2 -a0-1">
      <system description="(2 cores) board"><statistics><samples>14</samples><minimum unit="us">4</minimum><maximum unit="us">40</maximum>
        <mean unit="us">8.5</mean></statistics><histogram nbuckets="3500"><bucket index="4" value="6"/></histogram></system>
      <core id="0" priority="95"><statistics><samples>10</samples><minimum unit="us">4</minimum><maximum unit="us">12</maximum>
        <median unit="us">5</median><mean unit="us">5.4</mean><standard_deviation unit="us">2.1</standard_deviation></statistics>
        <histogram nbuckets="3500"><bucket index="4" value="4"/><bucket index="5" value="5"/>
        <bucket index="12" value="1"/></histogram></core>
      <core id="1" priority="95"><statistics><samples>4</samples><minimum unit="us">6</minimum><maximum unit="us">40</maximum>
        <mean unit="us">16.25</mean></statistics>
        <histogram nbuckets="3500"><bucket index="6" value="1"/><bucket index="9" value="2"/>
        <bucket index="40" value="1"/></histogram></core>
    </cyclictest>
  </Measurements>
</rteval>
"""

RTEVAL_REPORT = """  ===================================================================
   rteval (v3.8) report
  -------------------------------------------------------------------
   Test run:     2026-01-02 03:04:05
   Run time:     0 days 0h 1m 0s

   Tested node:  board
   Kernel:       6.12.0-rt5  (RT enabled)

   Measurements:
       Latency test
          Started: 03:04:05
          Stopped: 03:05:05
          Command: cyclictest -i200 -qmu -h 3500 -p95 -t2 -a0-1

          System:  (2 cores) board
          Statistics:
            Samples:           14
            Mean:              8.5us
            Min:               4us
            Max:               40us

          CPU core 0       Priority: 95
          Statistics:
            Samples:           10
            Mean:              5.4us
            Median:            5us
            Min:               4us
            Max:               12us
            Std.dev:           2.1us

          CPU core 1       Priority: 95
          Statistics:
            Samples:           4
            Mean:              16.25us
            Min:               6us
            Max:               40us

  ===================================================================
"""

XENOMAI = """== Sampling period: 100 us
== Test mode: periodic user-mode task
== All results in microseconds
warming up...
RTT|  00:00:01  (periodic user-mode task, 100 us period, priority 99)
RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst
RTD|      0.410|      1.250|      6.125|       0|     0|      0.410|      6.125
RTD|     -0.125|      1.500|     21.500|       1|     0|     -0.125|     21.500
---|-----------|-----------|-----------|--------|------|-------------------------
RTS|     -0.125|      1.375|     21.500|       1|     0|    00:00:02/00:00:02
"""

XENOMAI_HISTOGRAM = """RTT|  00:00:01  (periodic user-mode task, 1000 us period, priority 99)
---|--param|----range-|--samples
HSD|    min|   0 -1   |        2
---|--param|----range-|--samples
HSD|    avg|   0 -1   |       20
HSD|    avg|   1 -2   |     1970
HSD|    avg|   9 -10  |       10
HSH|--param|--samples-|--average--|---stddev--
HSS|    avg|      2000|      1.030|      0.400
RTS|      0.310|      1.502|     31.250|       0|     0|    00:00:02/00:00:02
"""

LATMUS = """warming up on CPU1...
RTT|  00:00:01  (user, 1000 us period, priority 90, CPU1)
RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst
RTD|      1.250|      1.500|      2.500|       0|     0|      1.250|      2.500
RTS|      1.250|      1.500|      2.500|       0|     0|    00:00:03/00:00:03
"""

SCHBENCH = """Wakeup Latencies percentiles (usec) runtime 10 (s) (40 total samples)
          50.0th: 6          (20 samples)
        * 99.0th: 90         (4 samples)
          min=1, max=500
Request Latencies percentiles (usec) runtime 10 (s) (50 total samples)
          50.0th: 16000      (25 samples)
          min=9000, max=28000
Wakeup Latencies percentiles (usec) runtime 20 (s) (80 total samples)
          50.0th: 7          (40 samples)
        * 99.0th: 175        (8 samples)
          99.9th: 909        (1 samples)
          min=1, max=10224
Request Latencies percentiles (usec) runtime 20 (s) (90 total samples)
          50.0th: 16864      (40 samples)
          min=9243, max=27964
RPS percentiles (requests) runtime 20 (s) (2 total samples)
        * 50.0th: 3020       (1 samples)
          min=3017, max=3017
average rps: 3024.60
"""

THREAD_METRIC = """**** Thread-Metric Basic Single Thread Processing Test **** Relative Time: 30
Time Period Total:  20170

**** Thread-Metric Basic Single Thread Processing Test **** Relative Time: 60
Time Period Total:  20165

"""

HWNOISE = """                                          Hardware-related Noise
duration:   0 00:00:10 | time is in us
CPU Period       Runtime        Noise  % CPU Aval   Max Noise   Max Single          HW          NMI
  0 #10          7500000            9    99.99988           4            3           3            0
  1 #10          7500000            0   100.00000           0            0           0            0
"""

HWLATDETECT_2_10 = """hwlatdetect:  test duration 60 seconds
   detector: tracer
   parameters:
        CPU list:          0-3
        Latency threshold: 10us
        Sample window:      1000000us
        Sample width:      500000us
     Non-sampling period:  500000us
        Output File:       None

Starting test
test finished
Max Latency: 129us
Samples recorded: 2
Samples exceeding threshold: 2
MTBF: 41.816 seconds
3 SMIs occured on cpu 1
SMIs during run: 3
ts: 1786805006.080003491, delta:0.000000, inner:0, outer:11, cpu:0, count:1
ts: 1786805026.988003491, delta:20.908000, inner:129, outer:92, cpu:3, count:2
"""

ZTEST_BENCHMARK = """interrupt ###########################################
entry_trigger_to_isr ================================
\tSample size:1000, total cycles: 152000.000
\tMean(u): 152.000
\tStandard deviation(s): 4.123
\tStandard Error(SE): 0.130
\tMin: 148.000 (run #12)
\tMax: 201.000 (run #1)
\tp99.9: 190.000
\tCold: 512.000, after 10 warmup iterations
yield_loop ==========================================
\tIterations: 100000
\tTotal Time: 10000000 ns (Gross)
\tWork Time: 9000000 ns (Net)
\tOps/Sec: 11111111.111
\tCycles/Ops: 10.800
"""

ZTEST_BENCHMARK_CSV = """S,interrupt,entry_trigger_to_isr,1000,152000.000,152.000,4.123,0.130,148.000,12.000,201.000,1
C,interrupt,entry_trigger_to_isr,10,512.000
T,interrupt,yield_loop,100000,1200000,1080000,11111111.111,10.800
"""

SYS_KERNEL = """MODULE: kernel API test
KERNEL VERSION: 0x3070000

Each test below is repeated 5000 times;
average time for one iteration is displayed.

TEST CASE: Semaphore #1
TEST COVERAGE:
\tk_sem_init
\tk_sem_take(K_FOREVER)
Starting test. Please wait...
TEST RESULT: SUCCESSFUL
DETAILS: Average time for 1 iteration: 1234 nSec
END TEST CASE
PROJECT EXECUTION SUCCESSFUL
"""

SCHED_QUEUES = """*** Booting Zephyr OS build v4.0.0 ***
Time Measurements for simple sched queues
Timing results: Clock frequency: 100 MHz
------------------------------------
Add threads of decreasing priority
    Minimum :     100 cycles (   1000 nsec)
    Maximum :     300 cycles (   3000 nsec)
    Average :     200 cycles (   2000 nsec)
    Std Deviation:      50 cycles (    500 nsec)
PROJECT EXECUTION SUCCESSFUL
"""

BOOT_TIME = """starting test - Boot Time Measurement
Boot Result: Clock Frequency: 32768 Hz
_start->main(): 3000 cycles, 91 us
_start->task  : 3100 cycles, 95 us
_start->idle  : 3200 cycles, 98 us
Boot Time Measurement finished
PROJECT EXECUTION SUCCESSFUL
"""

APP_KERNEL = """|-----------------------------------------------------------------------------|
|            S I M P L E   S E R V I C E    M E A S U R E M E N T S  |  nsec    |
|-----------------------------------------------------------------------------|
| enqueue 1 byte msg in MSGQ                                       |      1234|
| signal semaphore                                                 |       567|
|     8|        1|      4000|    250000|
"""

RUNQLAT = """Tracing run queue latency... Hit Ctrl-C to end.
^C
     usecs               : count     distribution
         0 -> 1          : 200      |********************                    |
         2 -> 3          : 400      |****************************************|
         4 -> 7          : 0        |                                        |
         8 -> 15         : 50       |*****                                   |
"""

SOFTIRQS = """Tracing soft irq event time... Hit Ctrl-C to end.

16:34:08
SOFTIRQ          TOTAL_usecs
tasklet                   22
timer                    168
net_rx                  1251

16:34:09
SOFTIRQ          TOTAL_usecs
timer                    171
net_rx                   930
"""

HARDIRQS_HISTOGRAM = """Tracing hard irq event time... Hit Ctrl-C to end.

hardirq = nvme0q1
     usecs               : count     distribution
         0 -> 1          : 3        |***                                     |
         2 -> 3          : 40       |****************************************|
         4 -> 7          : 0        |                                        |

hardirq = eth0-TxRx-0
     usecs               : count     distribution
         0 -> 1          : 7        |****************************************|
"""

ZYCLICTEST = """Cycle interval: 1000 us
Priority: -16
Finished thread with count: 1000
            \t   IRQ\tThread
Min-Latency:\t     4\t     6 us
Avg-Latency:\t     5\t     7 us
Max-Latency:\t     6\t     8 us
Overflow:   \t     0\t     0

Histogram:
  4         \t   200\t     0
  5         \t   700\t     0
  6         \t   100\t   300
  7         \t     0\t   650
  8         \t     0\t    50
"""

TRACER_HEAD = """#
#                              _-----=> irqs-off
#                             / _----=> need-resched
#                            | / _---=> hardirq/softirq
#                            ||||             ACTIVATION
#         TASK-PID      CPU# ||||   TIMESTAMP    ID            CONTEXT                LATENCY
#            | |         |   ||||      |         |                  |                       |
"""

TIMERLAT_TRACE = f"""# tracer: timerlat
{TRACER_HEAD}          <idle>-0       [000] d.h1.    54.029328: #1     context    irq timer_latency       932 ns
           <...>-867     [000] .....    54.029339: #1     context thread timer_latency     11700 ns
          <idle>-0       [001] dNh1.    54.029346: #1     context    irq timer_latency      2833 ns
           <...>-868     [001] .....    54.029353: #1     context thread timer_latency      9820 ns
          <idle>-0       [000] d.h1.    54.030328: #2     context    irq timer_latency       769 ns
           <...>-867     [000] .....    54.030330: #2     context thread timer_latency      3070 ns
           <...>-867     [000] .....    54.032330: #4     context thread timer_latency      3071 ns
"""

HWLAT_TRACE = f"""# tracer: hwlat
{TRACER_HEAD}           <...>-1729  [001] d....   678.473449: #1     inner/outer(us):   11/12    ts:1581527483.343962693 count:6
           <...>-1729  [004] d....   689.556542: #2     inner/outer(us):   16/9     ts:1581527494.889008092 count:1 nmi-total:4 nmi-count:1
"""

OSNOISE_TRACE = f"""# tracer: osnoise
{TRACER_HEAD}           <...>-859     [000] .....    81.637220: 1000000        190  99.98100       9     18      0   1007     18      1
           <...>-860     [001] .....    81.638154: 1000000        656  99.93440      74     23      0   1006     16      3
           <...>-859     [000] .....    82.637220: 1000000        210  99.97900      12      2      0   1000     10      0
"""

WAKEUP_RT_TRACE = """# tracer: wakeup_rt
#
# wakeup_rt latency trace v1.1.5 on 6.1.0-rt5
# --------------------------------------------------------------------
# latency: 68 us, #4/4, CPU#3 | (M:preempt_rt VP:0, KP:0, SP:0 HP:0 #P:4)
#    -----------------
#    | task: cyclictest-2389 (uid:0 nice:0 policy:1 rt_prio:95)
#    -----------------
#
#                    _------=> CPU#
  <idle>-0         3d.h4    1us+:        0:120:R   + [003]  2389:  4:R cyclictest
  <idle>-0         3d..3   67us : 0:120:R ==> [003]  2389:  4:R cyclictest
"""

EARLIER = "Packets arrived earlier than scheduled. HW RX timestamp to TX time"
ISOCHRON = f"""Summary:
Path delay: min 1192 max 1196 mean 1193.700 stddev 1.345, min at seqid 3, max at seqid 1
Wakeup to HW TX timestamp: min 42120 max 61120 mean 48000.125 stddev 4000.500, min at seqid 7, max at seqid 9
{EARLIER}: min 37000 max 57000 mean 50000.000 stddev 4000.000, min at seqid 9, max at seqid 7
Application latency budget: min 38880 max 57880 mean 52000.000 stddev 4000.500, min at seqid 9, max at seqid 7
Sender latency: min 14880 max 25640 mean 18500.500 stddev 2000.000, min at seqid 7, max at seqid 9
Wakeup latency: min 2360 max 10640 mean 4000.000 stddev 900.000, min at seqid 2, max at seqid 9
Driver latency: min 7880 max 12000 mean 9000.000 stddev 800.000, min at seqid 7, max at seqid 5
Arrival latency: min 5000 max 16320 mean 7000.000 stddev 900.000, min at seqid 6, max at seqid 8
Sending one packet takes on average 1.850% of the cycle time (min 1.488% max 2.564%)
Waking up takes on average 0.400% of the cycle time (min 0.236% max 1.064%)
Driver takes on average 0.900% of the cycle time to send a packet (min 0.788% max 1.200%)
HW TX deadline misses: 0 (0.000%)
"""

XTEST_HASH = """Starting test: SHA256, size=1024 bytes, random=no, unaligned=no, inner loops=1, loops=5000, warm-up=2 s
min=107.56us max=1.75e+03us mean=110.4us stddev=14.2us (cv 12.8623%) (8.84568MiB/s)
2-sigma interval: 82..138.8us (11.909..7.03571MiB/s)
"""

XTEST_STORAGE = """* benchmark_1001 TEE Trusted Storage Performance Test (WRITE)
-----------------+---------------+----------------
 Data Size (B) \t | Time (s)\t | Speed (kB/s)\t 
-----------------+---------------+----------------
      256 \t |    0.120 \t |    2.083
     1024 \t |    0.130 \t |    7.692
-----------------+---------------+----------------
  benchmark_1001 OK
"""
