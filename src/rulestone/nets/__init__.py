"""Nets: players learnt from games. One small file each, a forward pass compiled like the rules, and no need for PyTorch."""
