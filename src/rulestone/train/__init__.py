"""Training: a player for any game, from self-play. Only this room uses PyTorch (`pip install 'rulestone[train]'`)."""
