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

RUNQLAT = """Tracing run queue latency... Hit Ctrl-C to end.
^C
     usecs               : count     distribution
         0 -> 1          : 200      |********************                    |
         2 -> 3          : 400      |****************************************|
         4 -> 7          : 0        |                                        |
         8 -> 15         : 50       |*****                                   |
"""
