"""latlab: a latency laboratory for trusted firmware and real-time Linux."""
