# SPDX-License-Identifier: BSD-3-Clause
"""A run or a comparison in the forms that other tools read, one module a form."""
