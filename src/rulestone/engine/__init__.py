"""What plays any game fast: playouts on cores, later on a GPU and in search trees. Knows no game."""
