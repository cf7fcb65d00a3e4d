"""What plays any game fast: playouts on cores and on a GPU. Knows no game."""
