# SPDX-License-Identifier: BSD-3-Clause
"""The dump on a console, and lines of runtime instrumentation."""
