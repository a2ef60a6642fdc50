# SPDX-License-Identifier: BSD-3-Clause
"""Files of tools that measure wake-ups, the recorder's and the guest's."""
