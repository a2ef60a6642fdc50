# SPDX-License-Identifier: BSD-3-Clause
"""Wake-ups compared, late ones explained, worst cases estimated."""
