"""The engine: plays any game fast, on CPU cores and on a GPU."""
