"""The universal test kit."""
