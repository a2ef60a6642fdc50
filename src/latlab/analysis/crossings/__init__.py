# SPDX-License-Identifier: BSD-3-Clause
"""What crossings say: calls paired and named, spans, functions, agreement with a trace."""
