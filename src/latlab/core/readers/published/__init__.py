# SPDX-License-Identifier: BSD-3-Clause
"""Tables that others have published."""
