"""What crossings say: calls paired and named, spans, functions, agreement with a trace."""
