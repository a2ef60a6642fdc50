# SPDX-License-Identifier: BSD-3-Clause
"""What a run is: plain, immutable data that several products share."""
