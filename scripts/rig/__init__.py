# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""The VM rig: guests, the wire between them, scenarios and their runner."""
