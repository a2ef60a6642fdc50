# SPDX-License-Identifier: BSD-3-Clause
"""The pages of a store: written, served, or asked by an assistant."""
