# SPDX-License-Identifier: BSD-3-Clause
"""What a store and the catalog say, measured thing by measured thing."""
